"""Measure treebanks: policies, then statistics piece by piece, then scores with their signatures."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from . import __version__
from .errors import Finding, UsageError
from .measures import LENGTHS, MEASURES, UNITS, Conventions, Measure
from .policies import PROFILES as PERMUTING
from .policies import Policies, select
from .registry import suggestion
from .treebank import Treebank
from .types import Ints

DEFAULT_MEASURES = ("mean_sentence_length", "dlm_ratio", "arc_direction_entropy")
DEFAULT_BY_RELATION = ("mdd", "head_final", "arc_direction_entropy")
GROUPINGS = ("sentence", "deprel", "length", "file")


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
    name: str = DEFAULT_PROFILE, length: str | None = None, unit: str | None = None, **policies: str | None
) -> Profile:
    """A profile by name, with single conventions and policies replaced. UsageError for unknown names."""
    if name not in PROFILES:
        raise UsageError(f"no profile named '{name}'{suggestion(name, list(PROFILES))}")
    for option, value, known in (("length", length, LENGTHS), ("unit", unit, UNITS)):
        if value is not None and value not in known:
            raise UsageError(f"--{option} '{value}'{suggestion(value, list(known))}")
    profile = PROFILES[name]
    conventions = profile.conventions
    conventions = replace(conventions, length=length or conventions.length, unit=unit or conventions.unit)
    return Profile(profile.policies.with_options(**policies), conventions)


@dataclass(frozen=True)
class Value:
    """A measured value (nan where there is no data) and the signature that says what it is."""

    value: float
    signature: str


@dataclass
class Measurement(Mapping[str, Value]):
    """Values by measure name, with what they are of.

    `groups` holds, for `by`, a row a group: its label (for sentences the pair of number in the input and sent_id), its
    sentences (arcs for deprel), and the values by measure name.
    """

    sentences: int
    words: int
    kept_sentences: int
    kept_words: int
    left_out: dict[str, int]
    removed: dict[str, int]
    scored: dict[str, Value]
    groups: list[tuple[Any, int, dict[str, float]]] = field(default_factory=list)

    def __getitem__(self, name: str) -> Value:
        return self.scored[name]

    def __iter__(self) -> Any:
        return iter(self.scored)

    def __len__(self) -> int:
        return len(self.scored)


class Collector:
    """Takes pieces of treebanks and keeps their statistics; `result` pools and scores them."""

    def __init__(self, names: tuple[str, ...] = (), profile: Profile | None = None, by: str | None = None):
        if by is not None and by not in GROUPINGS:
            raise UsageError(f"--by '{by}'{suggestion(by, list(GROUPINGS))}")
        default = DEFAULT_BY_RELATION if by == "deprel" else DEFAULT_MEASURES
        self.measures: list[Measure] = [MEASURES[name] for name in dict.fromkeys(names or default)]
        self.profile = profile or PROFILES[DEFAULT_PROFILE]
        self.by = by
        if by == "deprel":
            for measure in self.measures:
                if measure.kind == "sentence":
                    fit = [name for name in MEASURES.names() if MEASURES[name].kind != "sentence"]
                    raise UsageError(f"{measure.name} can't be taken apart by relation; these can: {', '.join(fit)}")
        self.counts: Counter[str] = Counter()
        self.left_out: Counter[str] = Counter()
        self.removed: Counter[str] = Counter()
        self._sums: dict[str, list[np.ndarray]] = {measure.name: [] for measure in self.measures}
        self._tables: Counter[tuple] = Counter()
        self._labels: dict[Any, int] = {}  # group label -> number, in order of appearance
        self._group_size: Counter[int] = Counter()
        self._groups: dict[str, list[Ints]] = {measure.name: [] for measure in self.measures}

    def add(self, treebank: Treebank, skip_errors: bool = False, file: str = "") -> list[Finding]:
        """Add the sentences of a treebank (or of a piece of one). Returns the findings of sentences that are no trees
        and were skipped; without `skip_errors` the first one raises DataError."""
        read_before = self.counts["sentences"]
        self.counts["sentences"] += treebank.n_sentences + treebank.text.n_skipped
        self.left_out["unreadable"] += treebank.text.n_skipped
        self.counts["words"] += treebank.n_words
        trees, findings = treebank.trees_only(skip_errors)
        self.left_out["not a tree"] += len(findings)
        selected = select(trees, self.profile.policies)
        kept = selected.treebank.select_words(~selected.final) if selected.final.any() else selected.treebank
        if (kept.sentence_length == 0).any():
            self.left_out["punctuation alone"] += int((kept.sentence_length == 0).sum())
            kept = kept.select_sentences(kept.sentence_length > 0)
        self.left_out.update(selected.left_out)
        self.removed.update(selected.removed)
        self.removed["final punctuation (no words)"] += int(selected.final.sum())
        self.counts["kept_sentences"] += kept.n_sentences
        self.counts["kept_words"] += kept.n_words
        group = self._number_groups(kept, file, read_before)
        for measure in self.measures:
            statistics = measure.statistics(kept, self.profile.conventions)
            if measure.kind == "table":
                self._add_table(kept, statistics, measure.name, group)
            else:
                self._add_sums(kept, statistics, measure, group)
        return findings

    # -- groups ------------------------------------------------------------------------------------------------

    def _number_groups(self, kept: Treebank, file: str, read_before: int) -> Ints:
        """The number of the group of each sentence [S] (of each word [N] for deprel)."""
        if self.by == "deprel":
            known = np.array([self._label(name) for name in kept.deprel.vocabulary], np.int64)
            group = known[kept.deprel.codes] if len(known) else np.zeros(0, np.int64)
            counted = group[kept.head >= 0]
        else:
            if self.by == "sentence":
                numbers = (read_before + kept.text.number[kept.sentence]).tolist()
                group = np.array([self._label((i, n)) for i, n in zip(numbers, kept.sent_ids, strict=True)])
            elif self.by == "length":
                group = np.array([self._label(length) for length in kept.sentence_length.tolist()])
            else:
                group = np.full(kept.n_sentences, self._label(file if self.by == "file" else ""))
            group = counted = group.astype(np.int64)
        for number, size in zip(*np.unique(counted, return_counts=True), strict=True):
            self._group_size[int(number)] += int(size)
        return group

    def _label(self, label: Any) -> int:
        return self._labels.setdefault(label, len(self._labels))

    def _add_sums(self, kept: Treebank, statistics: np.ndarray, measure: Measure, group: Ints) -> None:
        if measure.kind == "arc" and self.by != "deprel":
            columns = range(statistics.shape[1])
            summed = [np.bincount(kept.sentence_of, statistics[:, k], kept.n_sentences) for k in columns]
            statistics = np.stack(summed, axis=1)
        self._sums[measure.name].append(statistics.astype(np.float64))
        self._groups[measure.name].append(group)

    def _add_table(self, kept: Treebank, column: Ints, name: str, group: Ints) -> None:
        """Count (group, deprel, head UPOS, dependent UPOS, column), by their names."""
        rows = np.flatnonzero(column >= 0)
        heads = kept.head[rows]
        tags, relations = kept.upos, kept.deprel
        word_group = group[rows] if self.by == "deprel" else group[kept.sentence_of[rows]]
        n_tags, n_relations = len(tags.vocabulary), len(relations.vocabulary)
        key = (word_group * n_relations + relations.codes[rows]) * n_tags + tags.codes[heads]
        key = (key * n_tags + tags.codes[rows]) * 2 + column[rows]
        for value, count in zip(*(part.tolist() for part in np.unique(key, return_counts=True)), strict=True):
            value, side = divmod(value, 2)
            value, dependent = divmod(value, n_tags)
            value, head = divmod(value, n_tags)
            number, relation = divmod(value, n_relations)
            cell = (relations.vocabulary[relation], tags.vocabulary[head], tags.vocabulary[dependent])
            self._tables[(name, number, cell, side)] += count

    # -- scores ------------------------------------------------------------------------------------------------

    def result(self) -> Measurement:
        """All values over everything added so far."""
        values = {m.name: Value(self._score(m), self._signature(m)) for m in self.measures}
        groups: list[tuple[Any, int, dict[str, float]]] = []
        if self.by:
            scores = {measure.name: self._group_scores(measure) for measure in self.measures}
            for label, number in self._labels.items():
                if self._group_size[number]:
                    row = {name: by_number.get(number, math.nan) for name, by_number in scores.items()}
                    groups.append((label, self._group_size[number], row))
            groups = self._sorted(groups)
        return Measurement(
            sentences=self.counts["sentences"],
            words=self.counts["words"],
            kept_sentences=self.counts["kept_sentences"],
            kept_words=self.counts["kept_words"],
            left_out={reason: count for reason, count in self.left_out.items() if count},
            removed={what: count for what, count in self.removed.items() if count},
            scored=values,
            groups=groups,
        )

    def _sorted(self, groups: list[tuple[Any, int, dict[str, float]]]) -> list[tuple[Any, int, dict[str, float]]]:
        if self.by == "length":
            return sorted(groups)
        if self.by == "deprel":
            return sorted(groups, key=lambda group: (-group[1], group[0]))
        return groups

    def _score(self, measure: Measure) -> float:
        """The value over all groups."""
        if measure.kind == "table":
            whole: dict[tuple, list[int]] = {}
            for (name, _, cell, side), count in self._tables.items():
                if name == measure.name:
                    whole.setdefault(cell, [0, 0])[side] += count
            return self._table_score(measure, whole)
        parts = self._sums[measure.name]
        return self._sum_score(measure, np.concatenate(parts) if parts else np.zeros((0, 0)))

    def _sum_score(self, measure: Measure, statistics: np.ndarray) -> float:
        if not statistics.shape[1]:
            statistics = np.zeros((0, 3))
        # fsum is exact: the order of sentences, files and pieces does not show
        totals = np.array([math.fsum(column) for column in statistics.T.tolist()])
        return measure.score(totals)

    def _table_score(self, measure: Measure, table: dict[tuple, list[int]]) -> float:
        counts = np.array([table[cell] for cell in sorted(table)], np.int64).reshape(-1, 2)
        return measure.score(counts, self.profile.conventions)

    def _group_scores(self, measure: Measure) -> dict[int, float]:
        if measure.kind == "table":
            tables: dict[int, dict[tuple, list[int]]] = {}
            for (name, number, cell, side), count in self._tables.items():
                if name == measure.name:
                    tables.setdefault(number, {}).setdefault(cell, [0, 0])[side] += count
            return {number: self._table_score(measure, table) for number, table in tables.items()}
        if not self._sums[measure.name]:
            return {}
        statistics, group = np.concatenate(self._sums[measure.name]), np.concatenate(self._groups[measure.name])
        sort = np.argsort(group, kind="stable")
        bounds = np.flatnonzero(np.diff(group[sort], prepend=-1, append=-1))
        return {
            int(group[sort[a]]): self._sum_score(measure, statistics[sort[a:b]])
            for a, b in zip(bounds[:-1], bounds[1:], strict=True)
        }

    def _signature(self, measure: Measure) -> str:
        policies = self.profile.policies
        parts = [measure.name]
        parts += [f"{name}:{getattr(self.profile.conventions, name)}" for name in measure.uses]
        tag = "" if policies.punct_tag == "PUNCT" or policies.punct == "keep" else f"({policies.punct_tag})"
        parts += [f"punct:{policies.punct}{tag}", f"roots:{policies.roots}"]
        if policies.nonprojective != "keep":
            parts.append(f"nonprojective:{policies.nonprojective}")
        parts += [f"sents:{self.counts['kept_sentences']}", f"permtree:{__version__}"]
        return "|".join(parts)


def measure(
    treebank: Treebank,
    *names: str,
    profile: str = DEFAULT_PROFILE,
    length: str | None = None,
    unit: str | None = None,
    by: str | None = None,
    **policies: str | None,
) -> Measurement:
    """Measure a treebank: measure(treebank, "dlm_ratio", "mdd", profile="lal")["mdd"].value.

    names: as `permtree list` gives them, by default mean sentence length, DLM ratio and arc-direction entropy.
    profile: conventions and policies; length ("distance", "span", "span+root"), unit ("nats", "bits") and policies
    (punct="strip" ...) replace single ones. by: "sentence", "deprel", "length" or "file" also gives a row a group.
    Raises UsageError for unknown names, DataError for a sentence that is no tree.
    """
    collector = Collector(names, profile_with(profile, length, unit, **policies), by)
    collector.add(treebank, file=treebank.text.name)
    return collector.result()
