"""What every parser offers, and how parsers are found: by entry points of the group `permtree.parsers`.

permtree imports no parser. Another package adds one by a subclass of `Parser` and a line in its own setup:

    [options.entry_points]
    permtree.parsers =
        my-parser = my_package.my_module:MyParser
"""

from __future__ import annotations

import hashlib
from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from ..errors import UsageError
from ..errors import missing_library as missing_extra
from ..registry import suggestion
from ..treebank import Treebank
from ..types import Tell
from .tags import unknown_tags

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

GROUP = "permtree.parsers"
DEVICES = ("auto", "cpu", "cuda")


@dataclass(frozen=True)
class Session:
    """Where a training keeps its checkpoints and log, and whom it tells.

    folder: for checkpoints and log; None: neither. tell: called with each line of a report (what is left
    out or approximated). progress: called with (done, total, line) after each step that is worth a line.
    """

    folder: Path | None = None
    tell: Tell = lambda line: None
    progress: Callable[[int, int, str], None] = lambda done, total, line: None


ALONE = Session()  # nothing is kept, nobody is told


class Parser(ABC):
    """A trained parser. A subclass is a kind of parser; its module must load without heavy libraries.

    name: as in the entry point; what, source, needs: its card (needs: what to install, empty if nothing). libraries:
    installed packages whose versions a trained model depends on. Config: a frozen dataclass whose fields are made by
    `permtree.configuration.setting`. presets: settings that differ from the defaults, by preset; the first preset is
    the default one.
    """

    name: ClassVar[str]
    what: ClassVar[str]
    source: ClassVar[str]
    needs: ClassVar[str] = ""
    libraries: ClassVar[tuple[str, ...]] = ()
    Config: ClassVar[type]
    presets: ClassVar[Mapping[str, Mapping[str, Any]]] = {"small": {}}

    config: Any
    made_from: dict[str, Any] | None = None  # data, settings and versions; see `permtree.parsing.models.signature`

    @classmethod
    @abstractmethod
    def train(
        cls,
        train: Treebank,
        dev: Treebank | None,
        config: Any,
        seed: int = 0,
        device: str = "auto",
        session: Session = ALONE,
    ) -> Parser:
        """Learn from `train`, choose by `dev` (None: nothing to choose by). All sentences must be trees.

        device: "auto" (a GPU where there is one), "cpu" or "cuda"; parsers that use no GPU ignore it. The same data,
        config, seed and device give the same parser. Raises UsageError for settings that can't be used.
        """

    @abstractmethod
    def predict(self, treebank: Treebank) -> Treebank:
        """The same text with the heads and relations that this parser finds; DEPS is emptied.

        HEAD and DEPREL of the input are not looked at. Every sentence gets a tree with exactly one root.
        """

    def known_tags(self) -> dict[str, Collection[str]]:
        """The tags that training had, of the kinds that the parser goes by: see `permtree.parsing.tags`."""
        return {}

    def cautions(self, treebank: Treebank, name: str) -> list[str]:
        """Lines about what `predict` approximates or can't go by in a treebank, which is called `name`: tags that
        training did not have, and what else a kind of parser has to say."""
        return unknown_tags(treebank, self.known_tags(), name)

    @abstractmethod
    def save(self, folder: Path) -> None:
        """Write all that `load` needs into an existing folder."""

    @classmethod
    @abstractmethod
    def load(cls, folder: Path, device: str = "auto") -> Parser:
        """Read what `save` wrote. Raises UsageError for a folder that is damaged or of a later version."""


def _points() -> Mapping[str, EntryPoint]:
    from importlib import metadata  # slow, and every command imports this module

    return {point.name: point for point in metadata.entry_points(group=GROUP)}


def parser_names() -> list[str]:
    """The names of all parsers that are installed, sorted."""
    return sorted(_points())


def parser_class(name: str) -> type[Parser]:
    """The kind of parser of this name."""
    points = _points()
    if name not in points:
        hint = suggestion(name, sorted(points)) if points else "; none is installed: install permtree again"
        raise UsageError(f"no parser named '{name}'{hint}")
    return points[name].load()


def missing_library(library: str, extra: str) -> UsageError:
    """What to say where a parser's library is not installed."""
    return missing_extra("this parser", library, extra)


def digest(*treebanks: Treebank | None) -> str:
    """A short name for the content of treebanks, to the byte, heads of selections included."""
    whole = hashlib.blake2b(digest_size=8)
    for treebank in treebanks:
        if treebank is None:
            whole.update(b"none;")
            continue
        whole.update(treebank.text.data)
        whole.update(treebank.row.astype("<i8").tobytes() + treebank.head.astype("<i4").tobytes() + b";")
    return whole.hexdigest()
