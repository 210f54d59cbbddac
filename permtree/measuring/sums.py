"""The statistics of measures, added up over pieces of treebanks and kept by unit: a group, or a single sentence.

A unit is the smallest part that anything is said about later: the whole, a file, a relation ... or, for what resamples
sentences, each sentence. Sums are exact and tables are sorted by their keys, so neither the order of the pieces nor
their size shows in the last digit.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ..kernels.entropy import conditional_entropy
from ..measures import Conventions, Events, Measure
from ..treebank import Treebank
from ..types import Floats, Ints


@dataclass(frozen=True)
class ContingencyTable:
    """What was seen how often, sorted by context and outcome: `context` numbers 0 ... len(possible)-1, [C]."""

    context: Ints
    count: Ints
    possible: Floats


def entropy_of(cells: ContingencyTable, conventions: Conventions) -> float:
    """The conditional entropy of cells, in the unit and by the estimator of the conventions; nan without data."""
    value = conditional_entropy(cells.context, cells.count, len(cells.possible), cells.possible, conventions.estimator)
    return float(value / math.log(2) if conventions.unit == "bits" else value)


def corrected_estimator(conventions: Conventions) -> str:
    """The estimator that an interval of an entropy rests on: Chao & Shen's for the plug-in, which is too low."""
    return "chao-shen" if conventions.estimator == "plugin" else conventions.estimator


class Statistics(ABC):
    """What a measure needs of the pieces that were added, by unit."""

    def __init__(self, measure: Measure, conventions: Conventions):
        self._measure = measure
        self._conventions = conventions
        self._parts: list[tuple[Any, ...]] = []  # columns of equal length, the units first

    @abstractmethod
    def add(self, treebank: Treebank, unit_of_sentence: Ints | None, unit_of_word: Ints) -> None:
        """Add a piece; unit_of_sentence None: units are of words."""

    def merge(self, other: Statistics, unit_of: Ints) -> None:
        """Add what was collected elsewhere of the same measure; unit_of [U]: the unit here of each unit there."""
        self._parts += [(unit_of[units], *columns) for units, *columns in other._parts]

    @abstractmethod
    def scores(self, group_of_unit: Ints) -> dict[int, float]:
        """The value of each group, by its number."""

    @abstractmethod
    def empty(self) -> float:
        """The value without data."""

    @abstractmethod
    def scorer(self, n_units: int, kept: Ints, corrected: bool = False) -> Callable[[Floats], Floats]:
        """What gives the values [R] under weights [R, len(kept)] of the units `kept`; units are 0 ... n_units-1.

        corrected: entropies by an estimator that makes up for the smallness of the sample.
        """


class Sums(Statistics):
    """Statistics of a measure that are summed: its parts are units [R] and rows [R, k]."""

    def add(self, treebank: Treebank, unit_of_sentence: Ints | None, unit_of_word: Ints) -> None:
        statistics = self._measure.statistics(treebank, self._conventions)
        if self._measure.kind == "arc" and unit_of_sentence is not None:
            columns = range(statistics.shape[1])
            summed = [np.bincount(treebank.sentence_of, statistics[:, k], treebank.n_sentences) for k in columns]
            statistics = np.stack(summed, axis=1)
        units = unit_of_word if unit_of_sentence is None else unit_of_sentence
        self._parts.append((units, statistics.astype(np.float64)))

    def rows(self) -> tuple[Floats, Ints]:
        """All rows [R, k] and their units [R]."""
        if not self._parts:
            return self._none(), np.zeros(0, np.int64)
        units, rows = zip(*self._parts, strict=True)
        return np.concatenate(rows), np.concatenate(units)

    def score(self, totals: Floats) -> float:
        assert self._measure.score is not None
        return float(self._measure.score(totals))  # whatever kind of number a measure gives

    def scores(self, group_of_unit: Ints) -> dict[int, float]:
        rows, units = self.rows()
        group = group_of_unit[units]
        sort = np.argsort(group, kind="stable")
        bounds = np.flatnonzero(np.diff(group[sort], prepend=-1, append=-1))
        found = {}
        for a, b in zip(bounds[:-1].tolist(), bounds[1:].tolist(), strict=True):
            # fsum is exact: the order of sentences, files and pieces doesn't show
            totals = np.array([math.fsum(column) for column in rows[sort[a:b]].T.tolist()])
            found[int(group[sort[a]])] = self.score(totals)
        return found

    def empty(self) -> float:
        return self.score(self._none().sum(axis=0))

    def scorer(self, n_units: int, kept: Ints, corrected: bool = False) -> Callable[[Floats], Floats]:
        rows, units = self.rows()
        table: Floats = np.zeros((n_units, rows.shape[1]))
        table[units] = rows  # a row a unit
        table = table[kept]
        return lambda weights: np.array([self.score(totals) for totals in weights @ table])

    def _none(self) -> Floats:
        """The statistics of nothing, as wide as those of the measure are, [0, k]."""
        return np.asarray(self._measure.statistics(Treebank.from_heads([]), self._conventions), np.float64)


class Tallies(Statistics):
    """Events of a measure, counted by unit, context and outcome: its parts are as `rows` gives them."""

    def add(self, treebank: Treebank, unit_of_sentence: Ints | None, unit_of_word: Ints) -> None:
        events: Events = self._measure.statistics(treebank, self._conventions)
        possible = np.broadcast_to(np.asarray(events.possible, np.float64), events.word.shape)
        times = np.broadcast_to(np.asarray(events.times, np.int64), events.word.shape)
        self._parts.append(
            _merged(unit_of_word[events.word], events.context, events.outcome.astype(np.uint64), times, possible)
        )

    def rows(self) -> tuple[Ints, Ints, Ints, Ints, Floats]:
        """Unit, context, outcome, count and possible outcomes of the context, [R] each, sorted and each once."""
        if not self._parts:
            none, no_key = np.zeros(0, np.int64), np.zeros(0, np.uint64)
            return none, no_key, no_key, none, np.zeros(0)
        return _merged(*(np.concatenate(columns) for columns in zip(*self._parts, strict=True)))

    def scores(self, group_of_unit: Ints) -> dict[int, float]:
        unit, context, outcome, count, possible = self.rows()
        group, context, outcome, count, possible = _merged(group_of_unit[unit], context, outcome, count, possible)
        bounds = np.flatnonzero(np.diff(group, prepend=-1, append=-1))
        found = {}
        for a, b in zip(bounds[:-1].tolist(), bounds[1:].tolist(), strict=True):
            cells = cells_of(context[a:b], count[a:b], possible[a:b])
            found[int(group[a])] = entropy_of(cells, self._conventions)
        return found

    def empty(self) -> float:
        return math.nan

    def scorer(self, n_units: int, kept: Ints, corrected: bool = False) -> Callable[[Floats], Floats]:
        from scipy.sparse import csr_array

        conventions = self._conventions
        if corrected:
            conventions = replace(conventions, estimator=corrected_estimator(conventions))

        unit, context, outcome, count, possible = self.rows()
        sort = np.lexsort((outcome, context))
        context, outcome = context[sort], outcome[sort]
        differs = (context[1:] != context[:-1]) | (outcome[1:] != outcome[:-1])
        begins = np.append(True, differs)[: len(sort)]
        cell = np.cumsum(begins) - 1
        shape = (int(begins.sum()), n_units)
        table = csr_array((count[sort].astype(np.float64), (cell, unit[sort])), shape=shape)[:, kept]
        cells = cells_of(context[begins], np.zeros(shape[0], np.int64), possible[sort][begins])

        def score(weights: Floats) -> Floats:
            counts = table @ weights.T  # exact: whole numbers
            drawn = (ContingencyTable(cells.context, of_one, cells.possible) for of_one in counts.T)
            return np.array([entropy_of(one, conventions) for one in drawn])

        return score


def cells_of(context: Ints, count: Ints, possible: Floats) -> ContingencyTable:
    """Cells from columns sorted by context key."""
    begins = np.flatnonzero(np.append(True, context[1:] != context[:-1])[: len(context)])
    number = np.repeat(np.arange(len(begins)), np.diff(np.append(begins, len(context))))
    return ContingencyTable(number, count, possible[begins])


def _merged(
    unit: Ints, context: Ints, outcome: Ints, count: Ints, possible: Floats
) -> tuple[Ints, Ints, Ints, Ints, Floats]:
    """Rows sorted by unit, context and outcome; the counts of equal ones added."""
    sort = np.lexsort((outcome, context, unit))
    unit, context, outcome = unit[sort], context[sort], outcome[sort]
    differs = (unit[1:] != unit[:-1]) | (context[1:] != context[:-1]) | (outcome[1:] != outcome[:-1])
    begins = np.flatnonzero(np.append(True, differs)[: len(unit)])
    counts = np.add.reduceat(count[sort], begins) if len(begins) else count
    return unit[begins], context[begins], outcome[begins], counts, possible[sort][begins]
