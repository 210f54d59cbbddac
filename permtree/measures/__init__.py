"""Measures. Each module of this package registers its own; `MEASURES` finds them by name.

A measure is additive statistics and a score. Statistics are kept per sentence (or per arc) and summed exactly, so that
neither the order of the files nor the size of the pieces shows in the last digit.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields
from typing import Any, Literal

import numpy as np

from ..configuration import Settings, setting
from ..kernels.entropy import ESTIMATORS
from ..registry import Registry
from ..treebank import Treebank
from ..treebank.arc_types import ARC_TYPES
from ..types import Floats, Ints

MEASURES: Registry[Measure] = Registry("measure", "permtree.measures", "permtree.measures")

ENTROPY = ("unit", "estimator")  # what every entropy uses
Kind = Literal["sentence", "arc", "arc-events", "sentence-events"]


@dataclass(frozen=True)
class Conventions(Settings):
    """How lengths and information are counted. A measure names those that it uses, and these stand in its signature.

    A further field is an option of `measure`, a key of a study's file and a keyword in Python, and stands on cards,
    without a line elsewhere.
    """

    length: str = setting(
        "distance",
        "Of an arc. distance |i-j|; span |i-j|+1; span+root: spans, and one more word for each root, over sentences of "
        "two words or more.",
        choices=("distance", "span", "span+root"),
    )
    unit: str = setting("nats", "Of entropies.", choices=("nats", "bits"))
    estimator: str = setting("plugin", "Of entropies.", choices=ESTIMATORS)
    context: str = setting(
        ARC_TYPES[0],
        "Of arc-direction entropy: what the direction is given. The relation, with the UPOS of head and dependent or "
        "without.",
        choices=ARC_TYPES,
        said_if_other=True,
    )
    root_arcs: bool = setting(
        False,
        "In arc-direction entropy each root counts as an arc whose direction is no choice.",
        said_if_other=True,
    )

    def signature_parts(self, names: tuple[str, ...]) -> dict[str, object]:
        """What signatures say of these conventions; names: those that a measure uses.

        Some are named only where they aren't the default.
        """
        parts = {}
        for one in fields(self):
            value = getattr(self, one.name)
            if one.name in names and not (one.metadata.get("said_if_other") and value == one.default):
                parts[one.name] = value
        return parts

    @property
    def per_arc(self) -> int:
        """What an arc adds to its distance."""
        return 0 if self.length == "distance" else 1

    @property
    def per_root(self) -> int:
        return 1 if self.length == "span+root" else 0


@dataclass(frozen=True)
class Events:
    """What an entropy is taken of: E outcomes in their contexts.

    word: [E] the row that an event belongs to (its sentence; for "arc-events" also its relation). context: uint64 [E],
    a key that is the same in every treebank. outcome: [E], a key (uint64) or a small number. possible: how many
    outcomes the context can have, one number or [E]. times: how many equal events each stands for, one number or [E].
    """

    word: Ints
    context: Ints
    outcome: Ints
    possible: float | Floats = 2.0
    times: int | Ints = 1


@dataclass(frozen=True)
class Measure:
    """A measure and its card.

    kind "sentence": `statistics(treebank, conventions)` -> [S, k]; `score(totals [k])` -> the value.
    kind "arc": statistics are [N, k], a row per word (zeros for roots): can be summed by relation too.
    kind "arc-events", "sentence-events": statistics are `Events`, of single arcs or of heads and pairs of dependents;
    the value is their conditional entropy, and there is no score.
    uses: the conventions that the value depends on; own: those that it has of its own, whatever a profile says.
    """

    name: str
    kind: Kind
    statistics: Callable[..., Any]
    score: Callable[[Floats], float] | None
    what: str
    unit: str
    range: str
    empty: str
    source: str
    uses: tuple[str, ...] = ()
    own: Mapping[str, str] = field(default_factory=dict)

    @property
    def of_events(self) -> bool:
        return self.kind.endswith("events")

    @property
    def by_arc(self) -> bool:
        """Whether it can be taken apart by what is a property of single arcs."""
        return self.kind.startswith("arc")

    def __reduce__(self) -> tuple[Callable[[str], Measure], tuple[str]]:
        return _registered, (self.name,)  # its functions may be of a kind that can't pass to another process


def _registered(name: str) -> Measure:
    return MEASURES[name]


def measure(
    name: str,
    *,
    kind: Kind,
    what: str,
    unit: str,
    range: str,
    source: str,
    score: Callable[[Floats], float] | None = None,
    empty: str = "no data: n/a",
    uses: tuple[str, ...] = (),
    own: Mapping[str, str] | None = None,
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Register the statistics of a measure."""

    def register(statistics: Callable[..., Any]) -> Callable[..., Any]:
        MEASURES.add(name, Measure(name, kind, statistics, score, what, unit, range, empty, source, uses, own or {}))
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


def each_sentence(values: Floats | Ints) -> Floats | Ints:
    """The statistics of a mean over sentences, for `ratio`: a value and a one for each, [S, 2]. values: [S]."""
    return np.stack([values, np.ones_like(values)], axis=1)


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
