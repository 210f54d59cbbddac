"""The collector that measures by a profile: policies, statistics piece by piece, scores with signatures."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from .._version import __version__
from ..conllu.text import FORM
from ..errors import Finding, UsageError
from ..kernels.keys import combined, mix, name_keys
from ..measures import MEASURES, Measure
from ..profiles import DEFAULT_PROFILE, PROFILES, Profile
from ..registry import suggestion
from ..signature import Signature
from ..treebank import Treebank
from ..treebank.arc_types import column_keys, text_placement
from ..treebank.frames import measurement_columns, to_arrow, to_pandas
from ..treebank.policies import ALONE, FINAL, Loss, select
from ..types import Ints
from .groupings import GROUPINGS, TOGETHER, Grouping
from .orders import WordOrders
from .sums import Statistics, Sums, Tallies


@dataclass(frozen=True)
class Value:
    """A measured value (nan where there is no data) and the signature that says what it is.

    interval: its bootstrap interval, if one was asked for; deviation: where the value is the mean over samples, their
    standard deviation.
    """

    value: float
    signature: str
    interval: tuple[float, float] | None = None
    deviation: float | None = None


@dataclass
class Measurement(Mapping[str, Value]):
    """Values by measure name, with what they are of.

    `groups` holds, for a grouping `by`, a row a group: its label (for sentences the pair of number in the input and
    sent_id), its sentences (arcs, where sentences are separated), and the values by measure name.
    """

    sentences: int
    words: int
    kept_sentences: int
    kept_words: int
    left_out: dict[str, int]
    removed: dict[str, int]
    scored: dict[str, Value]
    by: str | None = None
    groups: list[tuple[Any, int, dict[str, float]]] = field(default_factory=list)

    def __getitem__(self, name: str) -> Value:
        return self.scored[name]

    def __iter__(self) -> Any:
        return iter(self.scored)

    def __len__(self) -> int:
        return len(self.scored)

    def to_pandas(self) -> Any:
        """A DataFrame with a row a group, or a row a measure (see `permtree.treebank.frames.measurement_columns`)."""
        return to_pandas(measurement_columns(self))

    def to_arrow(self) -> Any:
        """The same as a pyarrow.Table."""
        return to_arrow(measurement_columns(self))


class Collector:
    """Takes pieces of treebanks and keeps their statistics; `result` pools and scores them.

    by: a grouping of GROUPINGS. single_sentences: keep the statistics of each sentence, for what resamples them.
    word_orders: keep which words stand in each sentence in which order, too, for what compares orders.
    """

    def __init__(
        self,
        names: tuple[str, ...] = (),
        profile: Profile | None = None,
        by: str | None = None,
        single_sentences: bool = False,
        word_orders: bool = False,
    ):
        if by is not None and by not in GROUPINGS:
            raise UsageError(f"--by '{by}'{suggestion(by, list(GROUPINGS))}")
        self.by = by
        if (single_sentences or word_orders) and self.grouping.of_arcs:
            raise UsageError(f"--by {by} takes sentences apart, which resampling keeps whole; leave one of the two out")
        chosen = dict.fromkeys(names or self.grouping.default)
        self.measures: list[Measure] = [MEASURES[name] for name in chosen]
        self.profile = profile or PROFILES[DEFAULT_PROFILE]
        self.single_sentences = single_sentences or word_orders
        self.word_orders: list[WordOrders] | None = [] if word_orders else None
        if self.grouping.of_arcs:
            for measure in self.measures:
                if not measure.by_arc:
                    fit = [name for name in MEASURES.names() if MEASURES[name].by_arc]
                    what = f"{measure.name} can't be taken apart by {self.grouping.what}"
                    raise UsageError(f"{what}; these can: {', '.join(fit)}")
        self.counts: Counter[str] = Counter()
        self.left_out: Counter[str] = Counter()
        self.removed: Counter[str] = Counter()
        self.tagged: Counter[str] = Counter()  # see `Selected`
        self.statistics: dict[str, Statistics] = {
            measure.name: (Tallies if measure.of_events else Sums)(measure, self.profile.conventions_of(measure))
            for measure in self.measures
        }
        self.displacements: Counter[int] = Counter()  # arcs of single sentences by displacement, for what compares
        self.fingerprints: list[Ints] = []  # of the kept sentences: a key of id and words, whatever their order
        self._labels: dict[Any, int] = {}  # group label -> number, in order of appearance
        self._group_size: Counter[int] = Counter()
        self._group_of_sentence: list[Ints] = []

    @property
    def grouping(self) -> Grouping:
        """What its groups are of (found by its name, so that a collector can pass to another process)."""
        return GROUPINGS[self.by] if self.by else TOGETHER

    def add(self, treebank: Treebank, skip_errors: bool = False, file: str = "") -> list[Finding]:
        """Add the sentences of a treebank (or of a piece of one). Returns the findings of sentences that are no trees
        and were skipped; without `skip_errors` the first one raises DataError."""
        read_before = self.counts["sentences"]
        self.counts["sentences"] += treebank.n_sentences + treebank.n_skipped
        self.left_out["unreadable"] += treebank.n_skipped
        self.counts["words"] += treebank.n_words
        trees, findings = treebank.trees_only(skip_errors)
        self.left_out["not a tree"] += len(findings)
        self.counts["trees"] += trees.n_sentences
        self.counts["words_of_trees"] += trees.n_words
        selected = select(trees, self.profile.policies)
        kept = selected.treebank.select_words(~selected.final) if selected.final.any() else selected.treebank
        if (kept.sentence_length == 0).any():
            self.left_out[ALONE] += int((kept.sentence_length == 0).sum())
            kept = kept.select_sentences(kept.sentence_length > 0)
        self.left_out.update(selected.left_out)
        self.removed.update(selected.removed)
        self.tagged.update(selected.tagged)
        self.removed[FINAL] += int(selected.final.sum())
        of_sentence = of_word = self._number_groups(kept, file, read_before)
        if not self.grouping.of_arcs:
            if self.single_sentences:
                self._group_of_sentence.append(of_sentence)
                self.fingerprints.append(_fingerprints(kept))
                self.displacements.update(_displacements(kept))
                if self.word_orders is not None:
                    self.word_orders.append(WordOrders.of(kept))
                of_sentence = self.counts["kept_sentences"] + np.arange(kept.n_sentences)
            of_word = of_sentence[kept.sentence_of]
        self.counts["kept_sentences"] += kept.n_sentences
        self.counts["kept_words"] += kept.n_words
        for statistics in self.statistics.values():
            statistics.add(kept, None if self.grouping.of_arcs else of_sentence, of_word)
        return findings

    def like(self) -> Collector:
        """An empty collector of the same, for pieces that are collected elsewhere and merged."""
        names = tuple(measure.name for measure in self.measures)
        return Collector(names, self.profile, self.by, self.single_sentences, self.word_orders is not None)

    def merge(self, other: Collector) -> None:
        """Add what another collector of the same (see `like`) has collected: as if its pieces had been added here."""
        read_before, kept_before = self.counts["sentences"], self.counts["kept_sentences"]
        labels = other._labels
        if self.by == "sentence":
            labels = {(read_before + number, name): unit for (number, name), unit in other._labels.items()}
        group_of = np.array([self._label(label) for label in labels], np.int64)
        single = kept_before + np.arange(other.counts["kept_sentences"])
        for name, statistics in self.statistics.items():
            statistics.merge(other.statistics[name], single if self.single_sentences else group_of)
        self.counts.update(other.counts)
        self.left_out.update(other.left_out)
        self.removed.update(other.removed)
        self.tagged.update(other.tagged)
        self.displacements.update(other.displacements)
        self._group_size.update({int(group_of[number]): size for number, size in other._group_size.items()})
        self.fingerprints += other.fingerprints
        if self.word_orders is not None:
            self.word_orders += other.word_orders or []
        self._group_of_sentence += [group_of[groups] for groups in other._group_of_sentence]

    # -- groups ------------------------------------------------------------------------------------------------

    def _number_groups(self, kept: Treebank, file: str, read_before: int) -> Ints:
        """The number of the group of each sentence [S] (of each word [N] where arcs are grouped)."""
        labels, place = self.grouping.groups(kept, file, read_before)
        group = np.array([self._label(label) for label in labels], np.int64)[place]
        counted = group[kept.head >= 0] if self.grouping.of_arcs else group
        for number, size in zip(*np.unique(counted, return_counts=True), strict=True):
            self._group_size[int(number)] += int(size)
        return group

    def _label(self, label: Any) -> int:
        return self._labels.setdefault(label, len(self._labels))

    # -- scores ------------------------------------------------------------------------------------------------

    def result(self) -> Measurement:
        """All values over everything added so far."""
        n_units = self.counts["kept_sentences"] if self.single_sentences else len(self._labels)
        together = np.zeros(n_units, np.int64)
        values = {}
        for measure in self.measures:
            statistics = self.statistics[measure.name]
            value = statistics.scores(together).get(0, statistics.empty())
            values[measure.name] = Value(value, self.signature(measure))
        return Measurement(
            sentences=self.counts["sentences"],
            words=self.counts["words"],
            kept_sentences=self.counts["kept_sentences"],
            kept_words=self.counts["kept_words"],
            left_out={reason: count for reason, count in self.left_out.items() if count},
            removed={what: count for what, count in self.removed.items() if count},
            scored=values,
            by=self.by,
            groups=self._groups() if self.by else [],
        )

    @property
    def loss(self) -> Loss:
        """What policies have left out of what was added so far."""
        read = self.counts["trees"], self.counts["words_of_trees"]
        kept = self.counts["kept_sentences"], self.counts["kept_words"]
        return Loss.of(read, kept, self.left_out, self.removed)

    def _groups(self) -> list[tuple[Any, int, dict[str, float]]]:
        if self.single_sentences:
            parts = self._group_of_sentence
            group_of_unit = np.concatenate(parts) if parts else np.zeros(0, np.int64)
        else:
            group_of_unit = np.arange(len(self._labels))
        scores = {name: statistics.scores(group_of_unit) for name, statistics in self.statistics.items()}
        groups = []
        for label, number in self._labels.items():
            if self._group_size[number]:
                row = {name: by_number.get(number, math.nan) for name, by_number in scores.items()}
                groups.append((label, self._group_size[number], row))
        return sorted(groups, key=self.grouping.order) if self.grouping.order else groups

    def signature(
        self, measure: Measure, made: Mapping[str, object] | None = None, sentences: int | None = None
    ) -> str:
        """What a value is and how it was made. made: further parts; sentences: it is of (None: all that are kept)."""
        conventions = self.profile.conventions_of(measure)
        taken = conventions.signature_parts(measure.uses)
        policies = self.profile.policies.signature_parts(of_measures=True)
        sentences = self.counts["kept_sentences"] if sentences is None else sentences
        of = {"sents": sentences, "permtree": __version__}
        return str(Signature(measure.name, {**taken, **policies, **(made or {}), **of}))


def _fingerprints(treebank: Treebank) -> Ints:
    """A key of each sentence's id and forms, the same for every order of its words; uint64 [S]."""
    forms = np.zeros(treebank.n_sentences, np.uint64)
    np.add.at(forms, treebank.sentence_of, mix(column_keys(treebank.column(FORM))))
    return combined(name_keys(treebank.sent_ids), forms) if treebank.n_sentences else forms


def _displacements(treebank: Treebank) -> dict[int, int]:
    """How many arcs there are of each displacement (place of the dependent less that of its head)."""
    rows = np.flatnonzero(treebank.head >= 0)
    values, counts = np.unique(text_placement(treebank)[rows], return_counts=True)
    return dict(zip(values.tolist(), counts.tolist(), strict=True))
