"""Word orders. Each module of this package registers its permuters; `PERMUTERS` finds them by name."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Literal

from ..errors import UsageError
from ..registry import Registry, suggestion
from ..treebank import Treebank
from ..types import Floats, Ints

PERMUTERS: Registry[Permuter] = Registry("mode", "permtree.permuters")


@dataclass(frozen=True)
class Option:
    """A parameter of a permuter, and of the command line. `read` turns what the user gave into what is used."""

    name: str
    default: Any
    what: str
    choices: tuple[str, ...] | None = None
    read: Callable[[Any], Any] | None = None


@dataclass
class Request:
    """What a permuter is asked for: the seed, its options, and a counter for what it passes over."""

    seed: int
    options: dict[str, Any]
    counts: Counter[str] = field(default_factory=Counter)


@dataclass(frozen=True)
class Permuter:
    """A word order and its card.

    gives "placement": `function(treebank, request)` returns a key per word (see `permtree.linearize`);
    gives "order": it returns the rows in their new order.
    """

    name: str
    function: Callable[[Treebank, Request], Any]
    gives: Literal["placement", "order"]
    what: str
    source: str
    random: bool | Callable[[dict[str, Any]], bool]
    options: tuple[Option, ...]

    def uses_seed(self, options: dict[str, Any]) -> bool:
        """Whether the order depends on the seed, given these options."""
        return self.random(options) if callable(self.random) else self.random

    def read_options(self, given: dict[str, Any]) -> dict[str, Any]:
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
        return result


def permuter(
    name: str,
    *,
    gives: Literal["placement", "order"],
    what: str,
    source: str,
    random: bool | Callable[[dict[str, Any]], bool] = False,
    options: tuple[Option, ...] = (),
) -> Callable[[Callable[[Treebank, Request], Floats | Ints]], Callable[[Treebank, Request], Floats | Ints]]:
    """Register a function as a permuter."""

    def register(
        function: Callable[[Treebank, Request], Floats | Ints],
    ) -> Callable[[Treebank, Request], Floats | Ints]:
        PERMUTERS.add(name, Permuter(name, function, gives, what, source, random, options))
        return function

    return register
