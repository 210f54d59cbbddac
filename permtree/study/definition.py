"""What a study is: treebanks, orders, parsers, seeds, policies and measures."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..configuration import setting
from ..profiles import Profile
from ..treebank.splitting import BY

PARTS = ("train", "dev", "test")


@dataclass(frozen=True)
class TreebankEntry:
    """A treebank of a study: files of its three parts, some of which may be missing, or files and a split rule.

    Files are named in relation to the study's folder. split: the ratio of train, dev and test (8:1:1) or of train and
    test (9:1) that `files` are split by at random; dev_split: the ratio (9:1) in which dev is split off train;
    split_by: whether sentences or documents, as `# newdoc` begins them, stay together.
    sentences, words: at most so many are drawn from train, whole sentences, of those that the policies keep (0: all).
    """

    train: tuple[str, ...] = setting((), "files of the training part")
    dev: tuple[str, ...] = setting((), "files of the part that chooses the epoch")
    test: tuple[str, ...] = setting((), "files of the test part")
    files: tuple[str, ...] = setting((), "files to split")
    split: str = setting("", "how to split `files`: 8:1:1 or 9:1")
    dev_split: str = setting("", "how to split dev off train: 9:1")
    split_by: str = setting("sentence", "what stays together in splits", BY)
    split_seed: int = setting(0, "of splits and of drawn sentences", within=(0, 2**31))
    sentences: int = setting(0, "sentences drawn from train; 0: all", within=(0, 2**31))
    words: int = setting(0, "words of sentences drawn from train; 0: all", within=(0, 2**31))
    language: str = setting("", "its name in tables")
    paper: str = setting("", "its code in the tables of Gulordava & Merlo (2016)")
    optional: bool = setting(False, "left out, with a line, where its files are missing")

    def sources(self) -> dict[str, tuple[str, ...]]:
        """The files of each part that is read ("files": of what is split)."""
        found = {part: getattr(self, part) for part in (*PARTS, "files")}
        return {part: names for part, names in found.items() if names}

    def parts(self) -> tuple[str, ...]:
        """The parts that there are, of train, dev and test."""
        found = set(self.sources())
        if self.split:
            found = {"train", "test", *(["dev"] if self.split.count(":") == 2 else [])}
        return tuple(part for part in PARTS if part in found or (part == "dev" and self.dev_split))

    @property
    def measured(self) -> str:
        """The part that is measured and learnt from: train, or test where there is none."""
        return "train" if "train" in self.parts() else "test"

    @property
    def lacking(self) -> str:
        """The part without which it is permuted and measured but not parsed; empty where it can be parsed."""
        return next((part for part in ("train", "test") if part not in self.parts()), "")


@dataclass(frozen=True)
class OrderEntry:
    """A word order of a study: a mode of `permtree permute`, the options that were given, and its seed.

    family, dial: where it comes from a list of values (p = [0, 0.5, 1]), the order's name in the file and its value.
    """

    mode: str
    options: tuple[tuple[str, Any], ...] = ()
    seed: int = 0
    family: str = ""
    dial: float | None = None


@dataclass(frozen=True)
class ParserEntry:
    """A parser of a study: its name in `permtree list parsers`, its config, and where it is trained."""

    parser: str
    config: Any
    device: str


@dataclass(frozen=True)
class Study:
    """A whole study. Entries are by name, in the order of the file; pairs: names of orders that are compared."""

    name: str
    path: Path
    text: str
    question: str
    folder: Path
    treebanks: Mapping[str, TreebankEntry]
    orders: Mapping[str, OrderEntry]
    parsers: Mapping[str, ParserEntry]
    seeds: tuple[int, ...]
    profile: Profile
    profile_name: str
    measures: tuple[str, ...]
    convention: str
    pairs: tuple[tuple[str, str], ...]

    @property
    def baseline(self) -> str:
        """The order that others are held against: the first one that is the text's own, else the first one."""
        return baseline_of(self.orders)


def baseline_of(orders: Mapping[str, OrderEntry]) -> str:
    """Of orders by name, the first one that is the text's own, else the first one."""
    own = [name for name, order in orders.items() if order.mode == "original"]
    return own[0] if own else next(iter(orders))
