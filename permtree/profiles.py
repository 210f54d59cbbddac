"""Profiles: policies and conventions that belong together, under the name of who uses them; for permuting, too."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any

from .errors import UsageError
from .measures import Conventions, Measure
from .registry import suggestion
from .treebank.policies import Policies


@dataclass(frozen=True)
class Profile:
    """Policies, and conventions of measuring; given: the conventions that were asked for one by one. what: whose they
    are, of one that has a name."""

    policies: Policies = Policies()
    conventions: Conventions = Conventions()
    given: frozenset[str] = frozenset()
    what: str = ""

    def conventions_of(self, measure: Measure) -> Conventions:
        """The conventions that a measure follows: its own, where it has some and no other was asked for."""
        own: dict[str, Any] = {name: value for name, value in measure.own.items() if name not in self.given}
        return replace(self.conventions, **own) if own else self.conventions


PROFILES = {
    "ud": Profile(
        Policies(punct="strip"),
        Conventions("distance", "nats"),
        what="the default of measure: every sentence and every root of a treebank of Universal Dependencies",
    ),
    "gulordava-merlo-2016": Profile(
        Policies(punct="exclude", roots="skip"),
        Conventions("span+root", "nats"),
        what="as in Gulordava & Merlo (2016), TACL 4",
    ),
    "futrell-2015": Profile(
        Policies(punct="strip"),
        Conventions("distance", "bits"),
        what="lengths as in Futrell, Mahowald & Gibson (2015), PNAS 112(33), and no more than these: the entropies of "
        "their paper at Depling are estimated by a bootstrap from samples of equal size, here by --estimator from all",
    ),
    "lal": Profile(
        Policies(roots="skip"),
        Conventions("distance", "bits"),
        what="lengths as the Linear Arrangement Library (LAL) has them: all words count, of trees with one root",
    ),
}
KINDS = (Policies, Conventions)  # what a profile is made of
_NAMES = {Policies: "policy", Conventions: "convention"}
DEFAULT_PROFILE = "ud"  # of measuring; permuting without a profile changes the order and nothing else


def profile_named(name: str) -> Profile:
    """A profile by name. UsageError for an unknown one."""
    if name not in PROFILES:
        raise UsageError(f"no profile named '{name}'{suggestion(name, list(PROFILES))}")
    return PROFILES[name]


def profile_with(name: str = DEFAULT_PROFILE, **settings: str | Sequence[str] | bool | None) -> Profile:
    """A profile by name, with single policies and conventions replaced (None and () leave one as it is).

    Raises UsageError for unknown names and values.
    """
    profile = profile_named(name)
    given = _given(settings, KINDS)
    policies, conventions = ({one.name: given[one.name] for one in fields(kind) if one.name in given} for kind in KINDS)
    return Profile(
        replace(profile.policies, **policies), replace(profile.conventions, **conventions), frozenset(conventions)
    )


def policies_with(name: str | None, **settings: str | Sequence[str] | bool | None) -> Policies:
    """The policies of a profile for permuting, with single ones replaced; None is the default, which loses nothing."""
    base = Policies() if name is None else profile_named(name).policies
    return replace(base, **_given(settings, (Policies,)))


def _given(settings: Mapping[str, Any], kinds: tuple[type, ...]) -> dict[str, Any]:
    known = [one.name for kind in kinds for one in fields(kind)]
    for name in settings:
        if name not in known:
            raise UsageError(
                f"no {' or '.join(_NAMES[kind] for kind in kinds)} named '{name}'{suggestion(name, known)}"
            )
    return {name: value for name, value in settings.items() if value is not None and value != ()}
