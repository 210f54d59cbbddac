"""Word orders. Each module of this package registers its permuters; `PERMUTERS` finds them by name."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

import numpy as np

from ..errors import UsageError
from ..kernels.linearize import positions
from ..registry import Registry, suggestion
from ..treebank import Treebank
from ..types import Floats, Ints

PERMUTERS: Registry[Permuter] = Registry("mode", "permtree.permuters", "permtree.modes")


@dataclass(frozen=True)
class Option:
    """A parameter of a permuter, and of the command line. `read` turns what the user gave into what is used; is_path:
    what the user gave names a file."""

    name: str
    default: Any
    what: str
    choices: tuple[str, ...] | None = None
    read: Callable[[Any], Any] | None = None
    is_path: bool = False

    @property
    def help(self) -> str:
        """What it does, and its default, if it has one."""
        if not self.default:
            return self.what
        return f"{self.what} [{','.join(self.default) if isinstance(self.default, tuple) else self.default}]"


@dataclass(frozen=True)
class Rule:
    """What a permuter learns from a whole treebank before it orders any sentence.

    `facts` say in a few words what was learnt; they stand in the signature and in the report.
    """

    content: Any
    facts: tuple[tuple[str, str], ...] = ()


@dataclass
class Request:
    """What a permuter is asked for: the seed, its options, the rule it has learnt, and a counter for the report."""

    seed: int
    options: dict[str, Any]
    counts: Counter[str] = field(default_factory=Counter)
    rule: Any = None


class Source:
    """A treebank to learn a rule from: a file, read when it is needed, or one that was read already."""

    def __init__(self, of: Treebank | str | Path):
        self._of = of

    def treebank(self) -> Treebank:
        return self._of if isinstance(self._of, Treebank) else Treebank.read(str(self._of))

    def __str__(self) -> str:
        return Path(self._of.text.name if isinstance(self._of, Treebank) else self._of).name

    @classmethod
    def read(cls, value: Any) -> Source | None:
        """For an option: what the user gave, a file name or a treebank."""
        if value is None or isinstance(value, cls):
            return value
        if not isinstance(value, Treebank) and not Path(value).is_file():
            raise UsageError(f"{value}: no such file")
        return cls(value)


LEARN_FROM = Option(
    "learn-from",
    None,
    "learn the rule from this treebank instead of the one that is permuted (so that a test set follows the rule of its "
    "training set)",
    read=Source.read,
    is_path=True,
)


@dataclass(frozen=True)
class Permuter:
    """A word order and its card.

    gives "placement": `function(treebank, request)` returns a key per word (see `permtree.kernels.linearize`);
    gives "order": it returns the rows in their new order.
    learn(treebank, request): the `Rule` that the function finds as `request.rule`, learnt once from the whole treebank
    (the option of type `Source`, if one is given, else the one that is permuted), where `learns(options)` is true.
    """

    name: str
    function: Callable[[Treebank, Request], Any]
    gives: Literal["placement", "order"]
    what: str
    source: str
    random: bool | Callable[[dict[str, Any]], bool]
    options: tuple[Option, ...]
    learn: Callable[[Treebank, Request], Rule] | None
    learns: Callable[[dict[str, Any]], bool]

    def uses_seed(self, options: dict[str, Any]) -> bool:
        """Whether the order depends on the seed, given these options."""
        return self.random(options) if callable(self.random) else self.random

    def placement(self, treebank: Treebank, request: Request) -> Floats | Ints:
        """Its placement; of one that gives orders, that of each head and its dependents within that order."""
        result = self.function(treebank, request)
        if self.gives == "placement":
            return result
        place = positions(result)
        return place - place[np.maximum(treebank.head, 0)]

    def read_options(self, given: Mapping[str, Any]) -> dict[str, Any]:
        """All options of this permuter, with defaults, read and checked; UsageError for others."""
        known = {option.name: option for option in self.options}
        for name in given:
            if name not in known:
                hint = suggestion(name, list(known)) if known else "; it has none"
                raise UsageError(f"mode '{self.name}' has no option '{name}'{hint}")
        result = {}
        for name, option in known.items():
            value = given.get(name, option.default)
            if option.choices and value not in option.choices:
                raise UsageError(f"--{name} '{value}'{suggestion(str(value), list(option.choices))}")
            result[name] = option.read(value) if option.read else value
        if isinstance(result.get(LEARN_FROM.name), Source) and not self.learns(result):
            raise UsageError(f"--learn-from: mode '{self.name}' learns nothing with these options")
        return result

    def __reduce__(self) -> tuple[Callable[[str], Permuter], tuple[str]]:
        return _registered, (self.name,)  # its functions may be of a kind that can't pass to another process


def _registered(name: str) -> Permuter:
    return PERMUTERS[name]


@dataclass(frozen=True)
class Mode:
    """A permuter with its options, as read from `optdl` or `optdl:ties=original` or `rb:siblings=original`."""

    text: str
    permuter: Permuter
    options: dict[str, Any]

    def __str__(self) -> str:
        return self.text

    def request(self, request: Request) -> Request:
        """The same request with the options of this mode."""
        return Request(request.seed, self.options, request.counts, request.rule)

    @classmethod
    def read(cls, value: Any) -> Mode:
        """From its text; UsageError for an unknown mode or option."""
        if isinstance(value, cls):
            return value
        name, _, listed = str(value).partition(":")
        given = {}
        for item in listed.split(",") if listed else []:
            option, equals, setting = item.partition("=")
            if not equals:
                raise UsageError(f"'{value}': options of a mode are written MODE:OPTION=VALUE,OPTION=VALUE")
            given[option.strip()] = setting.strip()
        options = PERMUTERS[name].read_options(given)
        shown = ",".join(f"{option}={options[option]}" for option in given)
        return cls(f"{name}:{shown}" if shown else name, PERMUTERS[name], options)


def source_among(options: Mapping[str, Any]) -> Source | None:
    """The treebank that options name to learn from, also those of a mode within."""
    for value in options.values():
        found = value if isinstance(value, Source) else source_among(value.options) if isinstance(value, Mode) else None
        if found:
            return found
    return None


def permuter(
    name: str,
    *,
    gives: Literal["placement", "order"],
    what: str,
    source: str,
    random: bool | Callable[[dict[str, Any]], bool] = False,
    options: tuple[Option, ...] = (),
    learn: Callable[[Treebank, Request], Rule] | None = None,
    learns: Callable[[dict[str, Any]], bool] | None = None,
) -> Callable[[Callable[[Treebank, Request], Floats | Ints]], Callable[[Treebank, Request], Floats | Ints]]:
    """Register a function as a permuter."""

    def register(
        function: Callable[[Treebank, Request], Floats | Ints],
    ) -> Callable[[Treebank, Request], Floats | Ints]:
        whether = learns or (lambda options: learn is not None)
        PERMUTERS.add(name, Permuter(name, function, gives, what, source, random, options, learn, whether))
        return function

    return register
