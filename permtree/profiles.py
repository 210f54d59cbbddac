"""Profiles: policies and conventions that belong together, under the name of who uses them; for permuting, too."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from .errors import UsageError
from .kernels.entropy import ESTIMATORS
from .measures import LENGTHS, UNITS, Conventions, Measure
from .registry import suggestion
from .treebank.policies import Policies


@dataclass(frozen=True)
class Profile:
    """Policies, and conventions of measuring; given: the conventions that were asked for one by one."""

    policies: Policies = Policies()
    conventions: Conventions = Conventions()
    given: frozenset[str] = frozenset()

    def conventions_of(self, measure: Measure) -> Conventions:
        """The conventions that a measure follows: its own, where it has some and no other was asked for."""
        own = {name: value for name, value in measure.own.items() if name not in self.given}
        return replace(self.conventions, **own) if own else self.conventions


PROFILES = {
    "ud": Profile(Policies(punct="strip"), Conventions("distance", "nats")),
    "gulordava-merlo-2016": Profile(Policies(punct="exclude", roots="skip"), Conventions("span+root", "nats")),
    "futrell-2015": Profile(Policies(punct="strip"), Conventions("distance", "bits")),
    "lal": Profile(Policies(roots="skip"), Conventions("distance", "bits")),
}
DEFAULT_PROFILE = "ud"  # of measuring; permuting without a profile changes the order and nothing else


def profile_named(name: str) -> Profile:
    """A profile by name. UsageError for an unknown one."""
    if name not in PROFILES:
        raise UsageError(f"no profile named '{name}'{suggestion(name, list(PROFILES))}")
    return PROFILES[name]


def profile_with(
    name: str = DEFAULT_PROFILE,
    length: str | None = None,
    unit: str | None = None,
    estimator: str | None = None,
    **policies: str | Sequence[str] | None,
) -> Profile:
    """A profile by name, with single conventions and policies replaced. UsageError for unknown names."""
    profile = profile_named(name)
    choices = (("length", length, LENGTHS), ("unit", unit, UNITS), ("estimator", estimator, ESTIMATORS))
    for option, value, known in choices:
        if value is not None and value not in known:
            raise UsageError(f"--{option} '{value}'{suggestion(value, list(known))}")
    given = {option: value for option, value, _ in choices if value}
    conventions = replace(profile.conventions, **given)
    return Profile(profile.policies.with_options(**policies), conventions, frozenset(given))


def policies_of(name: str | None) -> Policies:
    """The policies of a profile for permuting; None is the default, which loses nothing."""
    return Policies() if name is None else profile_named(name).policies
