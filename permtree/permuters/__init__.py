"""Word orders. Each module of this package registers its permuters; `PERMUTERS` finds them by name."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import Field, dataclass, field, fields
from pathlib import Path
from typing import Any, Literal

import numpy as np

from ..configuration import Settings, setting
from ..errors import UsageError
from ..kernels.linearize import positions
from ..registry import Registry, suggestion
from ..treebank import Treebank
from ..types import Floats, Ints

PERMUTERS: Registry[Permuter] = Registry("mode", "permtree.permuters", "permtree.modes")


@dataclass(frozen=True)
class NoOptions(Settings):
    """Of a mode without options."""


@dataclass(frozen=True)
class Rule:
    """What a permuter learns from a whole treebank before it orders any sentence.

    `facts` say in a few words what was learnt; they stand in the signature and in the report.
    """

    content: Any
    facts: tuple[tuple[str, str], ...] = ()


@dataclass
class Request:
    """What a permuter is asked for: the seed, its config, the rule it has learnt, and a counter for the report."""

    seed: int
    config: Any
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


def learn_from() -> Any:
    """The field of a config by which a mode learns from another treebank."""
    return setting(
        None,
        "learn the rule from this treebank instead of the one that is permuted (so that a test set follows the rule of "
        "its training set)",
        read=Source.read,
        is_path=True,
    )


@dataclass(frozen=True)
class Permuter:
    """A word order and its card.

    gives "placement": `function(treebank, request)` returns a key per word (see `permtree.kernels.linearize`);
    gives "order": it returns the rows in their new order.
    learn(treebank, request): the `Rule` that the function finds as `request.rule`, learnt once from the whole treebank
    (the `Source` in its config, if there is one, else the one that is permuted), where `learns(config)` is true.
    config: a frozen dataclass of `permtree.configuration.setting` fields, a subclass of `Settings`: its options.
    """

    name: str
    function: Callable[[Treebank, Request], Any]
    gives: Literal["placement", "order"]
    what: str
    source: str
    random: bool | Callable[[Any], bool]
    config: type[Settings]
    learn: Callable[[Treebank, Request], Rule] | None
    learns: Callable[[Any], bool]

    @property
    def options(self) -> dict[str, Field]:
        """The fields of its config by the names of options: learn-from."""
        return {one.name.replace("_", "-"): one for one in fields(self.config)}

    def uses_seed(self, config: Any) -> bool:
        """Whether the order depends on the seed, given its config."""
        return self.random(config) if callable(self.random) else self.random

    def placement(self, treebank: Treebank, request: Request) -> Floats | Ints:
        """Its placement; of one that gives orders, that of each head and its dependents within that order."""
        result = self.function(treebank, request)
        if self.gives == "placement":
            return result
        place = positions(result)
        return place - place[np.maximum(treebank.head, 0)]

    def configured(self, given: Mapping[str, Any]) -> Any:
        """Its config from options by name, read and checked; UsageError for others."""
        known = self.options
        chosen = {}
        for key, value in given.items():
            name = key.replace("_", "-")
            if name not in known:
                hint = suggestion(name, list(known)) if known else "; it has none"
                raise UsageError(f"mode '{self.name}' has no option '{name}'{hint}")
            chosen[known[name].name] = value
        config = self.config(**chosen)
        if getattr(config, "learn_from", None) is not None and not self.learns(config):
            raise UsageError(f"--learn-from: mode '{self.name}' learns nothing with these options")
        return config

    def __reduce__(self) -> tuple[Callable[[str], Permuter], tuple[str]]:
        return _registered, (self.name,)  # its functions may be of a kind that can't pass to another process


def _registered(name: str) -> Permuter:
    return PERMUTERS[name]


@dataclass(frozen=True)
class ModeText:
    """A mode with its options as they are written: `optdl`, or `like:treebank=other.conllu,deterministic=yes`."""

    name: str
    given: tuple[tuple[str, str], ...] = ()

    @classmethod
    def parse(cls, text: str) -> ModeText:
        """From its text. UsageError for options that are none."""
        name, _, listed = text.partition(":")
        items = [item.partition("=") for item in listed.split(",")] if listed else []
        if not all(equals for _, equals, _ in items):
            raise UsageError(f"'{text}': options of a mode are written MODE:OPTION=VALUE,OPTION=VALUE")
        return cls(name, tuple((option.strip(), value.strip()) for option, _, value in items))

    def __str__(self) -> str:
        listed = ",".join(f"{option}={value}" for option, value in self.given)
        return f"{self.name}:{listed}" if listed else self.name

    def with_files(self, named: Callable[[str], str]) -> ModeText:
        """The same with the files that its options name, named by `named`."""
        options = PERMUTERS[self.name].options
        paths = {name for name, one in options.items() if one.metadata["is_path"]}
        return ModeText(self.name, tuple((key, named(value) if key in paths else value) for key, value in self.given))


def with_files_within(value: Any, named: Callable[[str], str]) -> Any:
    """A mode that is written as a value (see `ModeText`), its files named by `named`; any other value as it is."""
    if not isinstance(value, str) or not PERMUTERS.has(value.partition(":")[0]):
        return value
    return str(ModeText.parse(value).with_files(named))


@dataclass(frozen=True)
class Mode:
    """A permuter with its config."""

    text: str
    permuter: Permuter
    config: Any

    def __str__(self) -> str:
        return self.text

    def request(self, request: Request) -> Request:
        """The same request with the config of this mode."""
        return Request(request.seed, self.config, request.counts, request.rule)

    @classmethod
    def read(cls, value: Any) -> Mode:
        """From its text; UsageError for an unknown mode or option."""
        if isinstance(value, cls):
            return value
        text = ModeText.parse(str(value))
        config = PERMUTERS[text.name].configured(dict(text.given))
        shown = tuple((name, str(getattr(config, name.replace("-", "_")))) for name, _ in text.given)
        return cls(str(ModeText(text.name, shown)), PERMUTERS[text.name], config)


def source_among(config: Any) -> Source | None:
    """The treebank that a config names to learn from, also that of a mode within."""
    for one in fields(config):
        value = getattr(config, one.name)
        found = value if isinstance(value, Source) else source_among(value.config) if isinstance(value, Mode) else None
        if found:
            return found
    return None


def option_help(one: Field) -> str:
    """What an option of a mode does, and its default, if it has one."""
    about, default = one.metadata["about"], one.default
    if not default:
        return about
    return f"{about} [{','.join(default) if isinstance(default, tuple) else default}]"


def permuter(
    name: str,
    *,
    gives: Literal["placement", "order"],
    what: str,
    source: str,
    random: bool | Callable[[Any], bool] = False,
    config: type[Settings] = NoOptions,
    learn: Callable[[Treebank, Request], Rule] | None = None,
    learns: Callable[[Any], bool] | None = None,
) -> Callable[[Callable[[Treebank, Request], Floats | Ints]], Callable[[Treebank, Request], Floats | Ints]]:
    """Register a function as a permuter."""

    def register(
        function: Callable[[Treebank, Request], Floats | Ints],
    ) -> Callable[[Treebank, Request], Floats | Ints]:
        whether = learns or (lambda config: learn is not None)
        PERMUTERS.add(name, Permuter(name, function, gives, what, source, random, config, learn, whether))
        return function

    return register
