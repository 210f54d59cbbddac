"""Options of the command line from the fields of configs: a command gets one object for all of them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import Field, dataclass, fields
from functools import partial, wraps
from types import UnionType
from typing import Any, Union, get_args, get_origin, get_type_hints

import click

from ..configuration import setting
from ..profiles import PROFILES


def options_of(name: str, *kinds: type, whole: bool = False, but: Callable[[Field], bool] | None = None) -> Callable:
    """A decorator that gives a command an option for each field of some configs.

    name: the parameter by which the command gets what was given, a mapping by field; whole: a config of the one kind
    instead, with its defaults for the rest. but: fields that are left out.
    """
    chosen = [(one, get_type_hints(kind)[one.name]) for kind in kinds for one in fields(kind) if not (but and but(one))]

    def decorate(command: Callable) -> Callable:
        @wraps(command)
        def with_one(**given: Any) -> Any:
            values = {one.name: given.pop(one.name) for one, _ in chosen}
            return command(**given, **{name: kinds[0](**values) if whole else _given(values)})

        for one, hint in reversed(chosen):
            _option(one, hint, whole)(with_one)
        return with_one

    return decorate


def option_of(kind: type, name: str) -> Callable:
    """The option of one field of a config, for a command that needs no more of it."""
    (one,) = (one for one in fields(kind) if one.name == name)
    return _option(one, get_type_hints(kind)[name], whole=True)


def _given(values: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in values.items() if value is not None and value != ()}


def _option(one: Field, hint: Any, whole: bool) -> Callable:
    """The option of one field; its default is the field's, or none where the command gets only what was given."""
    about = one.metadata
    shown = about.get("option") or one.name.replace("_", "-")
    if get_origin(hint) in (Union, UnionType):
        hint = next(part for part in get_args(hint) if part is not type(None))
    rest: dict[str, Any] = {"help": about["about"], "default": one.default if whole else None}
    if about.get("repeated"):
        rest |= {"multiple": True, "default": ()}
    elif get_origin(hint) is tuple:
        rest["nargs"] = len(get_args(hint))
    if about["choices"]:
        rest["type"] = click.Choice(about["choices"])
    elif hint is bool:
        rest["is_flag"] = True
    elif hint in (int, float):
        low, high = about["within"] or (None, None)
        kind = click.IntRange if hint is int else click.FloatRange
        rest["type"] = kind(low, high, min_open=about.get("above", False))
    if hint is not bool and (about.get("metavar") or not about["choices"]):
        rest["metavar"] = about.get("metavar") or shown.upper()
    if whole and about.get("shown", hint is not bool and bool(one.default)):
        rest["show_default"] = True
    return click.option(*about.get("short", ()), f"--{shown}", one.name, **rest)


@dataclass(frozen=True)
class Work:
    """How a command goes through files, and what it says of them."""

    jobs: int | None = setting(None, "Processes; the output is the same. [1]", within=(1, None), metavar="N")
    skip_errors: bool = setting(False, "Leave sentences with errors out; list and count them.")
    quiet: bool = setting(False, "No report on standard error.", short=("-q",))


WORK = options_of("work", Work, whole=True)
ONE_PROCESS = options_of("work", Work, whole=True, but=lambda one: one.name == "jobs")
QUIET = option_of(Work, "quiet")
SKIP_ERRORS = option_of(Work, "skip_errors")


@dataclass(frozen=True)
class Order:
    """What is drawn, and of which sentences."""

    seed: int = setting(0, "For the random modes.", within=(0, None), shown=True)
    profile: str | None = setting(None, f"Policies of a profile: {', '.join(PROFILES)}.", metavar="NAME")


ORDER = options_of("order", Order, whole=True)


# Fields that stand between others in several commands
intervals = partial(
    setting,
    None,
    "95% intervals: by bootstrap over sentences, N resamples; of entropies by jackknife over sentences.",
    within=(1, None),
    metavar="N",
)
seed_of_resamples = partial(setting, None, "Of resamples [0].", within=(0, None))
