"""Measures. Each module of this package registers its own; `MEASURES` finds them by name.

A measure is additive statistics and a score. Statistics are kept per sentence (or per arc) and summed exactly, so that
neither the order of the files nor the size of the pieces shows in the last digit.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

import numpy as np

from ..registry import Registry
from ..treebank import Treebank
from ..types import Floats, Ints

MEASURES: Registry[Measure] = Registry("measure", "permtree.measures")

Length = Literal["distance", "span", "span+root"]
Unit = Literal["nats", "bits"]
LENGTHS: tuple[str, ...] = ("distance", "span", "span+root")
UNITS: tuple[str, ...] = ("nats", "bits")


@dataclass(frozen=True)
class Conventions:
    """How lengths and information are counted.

    length of an arc: distance |i-j|; span |i-j|+1; span+root: spans, and one more word for each root, over sentences of
    two words or more. unit: of entropies.
    """

    length: str = "span+root"
    unit: str = "nats"

    @property
    def per_arc(self) -> int:
        """What an arc adds to its distance."""
        return 0 if self.length == "distance" else 1

    @property
    def per_root(self) -> int:
        return 1 if self.length == "span+root" else 0


@dataclass(frozen=True)
class Measure:
    """A measure and its card.

    kind "sentence": `statistics(treebank, conventions)` -> [S, k]; `score(totals [k])` -> the value.
    kind "arc": statistics are [N, k], a row per word (zeros for roots): can be summed by relation too.
    kind "table": statistics are [N], the word's column (0 or 1) in the row of its type (deprel, head UPOS, dependent
    UPOS), -1 for no arc; `score(counts [types, 2], conventions)`.
    uses: the conventions that the value depends on.
    """

    name: str
    kind: Literal["sentence", "arc", "table"]
    statistics: Callable[..., Floats | Ints]
    score: Callable[..., float]
    what: str
    unit: str
    range: str
    empty: str
    source: str
    uses: tuple[str, ...] = ()


def measure(
    name: str,
    *,
    kind: Literal["sentence", "arc", "table"],
    score: Callable[..., float],
    what: str,
    unit: str,
    range: str,
    source: str,
    empty: str = "no data: n/a",
    uses: tuple[str, ...] = (),
) -> Callable[[Callable[..., Floats | Ints]], Callable[..., Floats | Ints]]:
    """Register the statistics of a measure."""

    def register(statistics: Callable[..., Floats | Ints]) -> Callable[..., Floats | Ints]:
        MEASURES.add(name, Measure(name, kind, statistics, score, what, unit, range, empty, source, uses))
        return statistics

    return register


def ratio(totals: Floats) -> float:
    """First total over second; nan for 0/0."""
    return float(totals[0] / totals[1]) if totals[1] else float("nan")


def total(totals: Floats) -> float:
    """The only total."""
    return float(totals[0])


def per_sentence(treebank: Treebank, values: Floats | Ints) -> Floats | Ints:
    """Sums of a value per word over each sentence, [S]."""
    summed = np.bincount(treebank.sentence_of, values, treebank.n_sentences)
    return summed if values.dtype.kind == "f" else summed.astype(np.int64)


def arc_distance(treebank: Treebank) -> Ints:
    """Words from each word to its head, adjacent 1; int64 [N], 0 for roots."""
    return np.where(treebank.head >= 0, np.abs(np.arange(treebank.n_words) - treebank.head), 0)


def arcs(treebank: Treebank) -> Ints:
    """1 for each word with a head, int64 [N]."""
    return (treebank.head >= 0).astype(np.int64)


def sentence_lengths(treebank: Treebank, distance: Ints | Floats, conventions: Conventions) -> Ints | Floats:
    """Dependency length of each sentence under a length convention, [S], from the summed distances of its arcs [S]."""
    counted = distance + conventions.per_arc * per_sentence(treebank, arcs(treebank))
    counted = counted + conventions.per_root * treebank.n_roots
    return np.where(treebank.sentence_length >= 2, counted, 0)
