"""Profiles: which policies and conventions of measuring belong together, under the name of who uses them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from ..errors import UsageError
from ..kernels.entropy import ESTIMATORS
from ..measures import LENGTHS, UNITS, Conventions
from ..registry import suggestion
from ..treebank.policies import PROFILES as PERMUTING
from ..treebank.policies import Policies


@dataclass(frozen=True)
class Profile:
    """Policies and conventions that belong together, under the name of who uses them."""

    policies: Policies
    conventions: Conventions


PROFILES = {
    "gulordava-merlo-2016": Profile(PERMUTING["gulordava-merlo-2016"], Conventions("span+root", "nats")),
    "futrell-2015": Profile(Policies(punct="strip"), Conventions("distance", "bits")),
    "lal": Profile(Policies(roots="skip"), Conventions("distance", "bits")),
}
DEFAULT_PROFILE = "gulordava-merlo-2016"


def profile_with(
    name: str = DEFAULT_PROFILE,
    length: str | None = None,
    unit: str | None = None,
    estimator: str | None = None,
    **policies: str | Sequence[str] | None,
) -> Profile:
    """A profile by name, with single conventions and policies replaced. UsageError for unknown names."""
    if name not in PROFILES:
        raise UsageError(f"no profile named '{name}'{suggestion(name, list(PROFILES))}")
    choices = (("length", length, LENGTHS), ("unit", unit, UNITS), ("estimator", estimator, ESTIMATORS))
    for option, value, known in choices:
        if value is not None and value not in known:
            raise UsageError(f"--{option} '{value}'{suggestion(value, list(known))}")
    profile = PROFILES[name]
    given = {"length": length, "unit": unit, "estimator": estimator}
    conventions = replace(profile.conventions, **{name: value for name, value in given.items() if value})
    return Profile(profile.policies.with_options(**policies), conventions)
