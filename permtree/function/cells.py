"""The cells of a study as arrays: accuracy and properties of word order, averaged over seeds, then over parsers."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..errors import UsageError
from ..types import Floats, Ints, Mask


class NoFit(Exception):
    """There is nothing to fit; its text says why. left_out: properties that were left out before that was seen."""

    def __init__(self, reason: str, left_out: Mapping[str, str] | None = None):
        super().__init__(reason)
        self.left_out = dict(left_out or {})


@dataclass(frozen=True)
class Cells:
    """The n (treebank, order, parser) of a study, in the alphabet's order.

    treebank, order, parser: [n] numbers into the lists of names. score: [n] percent, the mean over seeds; seeds: [n]
    how many. values: [n] by property; the same for all parsers of a version, which is a (treebank, order).
    """

    treebanks: list[str]
    orders: list[str]
    parsers: list[str]
    treebank: Ints
    order: Ints
    parser: Ints
    score: Floats
    seeds: Ints
    values: dict[str, Floats]

    def __len__(self) -> int:
        return len(self.score)

    def select(self, kept: Mask) -> Cells:
        """Only some cells; the lists of names stay."""
        values = {name: value[kept] for name, value in self.values.items()}
        numbers = self.treebank[kept], self.order[kept], self.parser[kept]
        return Cells(self.treebanks, self.orders, self.parsers, *numbers, self.score[kept], self.seeds[kept], values)


@dataclass(frozen=True)
class Versions:
    """The V versions (treebank, order) of a study: what is observed independently, as properties of order see it.

    score: [V] accuracy of the average parser; parser_effects: [parsers] by how much each is above it (nan where the
    cells don't have it).
    """

    treebank: Ints
    order: Ints
    score: Floats
    values: dict[str, Floats]
    parser_effects: Floats

    def matrix(self, names: Sequence[str]) -> Floats:
        """The values of some properties, [V, names]."""
        return np.stack([self.values[name] for name in names], axis=1) if names else np.zeros((len(self.score), 0))


def number(value: Any) -> float:
    """A number, nan for None."""
    return math.nan if value is None else float(value)


def given(rows: Iterable[Mapping[str, Any]], name: str) -> bool:
    """Whether any row has this property."""
    return any(math.isfinite(number(row.get(name))) for row in rows)


def read_cells(rows: Sequence[Mapping[str, Any]], score: str, names: Sequence[str]) -> tuple[Cells, int]:
    """Cells from rows with the keys treebank, order, parser, seed (None if there is none), score and names.

    Also returns how many rows were left out, since their score or a property is no number. Raises UsageError for two
    rows of one treebank, order, parser and seed.
    """
    found: dict[tuple[str, str, str], dict[Any, list[float]]] = {}
    left_out = 0
    for row in rows:
        numbers = [number(row.get(name)) for name in (score, *names)]
        if not all(map(math.isfinite, numbers)):
            left_out += 1
            continue
        place = str(row["treebank"]), str(row["order"]), str(row["parser"])
        seeds = found.setdefault(place, {})
        if row.get("seed") in seeds:
            raise UsageError(f"two rows for {' '.join(place)} with seed {row.get('seed')}: give each seed once")
        seeds[row.get("seed")] = numbers
    places = sorted(found)
    treebanks, orders, parsers = (sorted({place[part] for place in places}) for part in range(3))
    treebank, order, parser = (
        np.array([known.index(place[part]) for place in places], np.int64)
        for part, known in enumerate((treebanks, orders, parsers))
    )
    numbers_of = np.array([np.mean(list(found[place].values()), axis=0) for place in places]).reshape(
        -1, 1 + len(names)
    )
    n_seeds = np.array([len(found[place]) for place in places], np.int64)
    _, version = np.unique(treebank * len(orders) + order, return_inverse=True)
    values = {name: means(numbers_of[:, 1 + column], version)[version] for column, name in enumerate(names)}
    return Cells(treebanks, orders, parsers, treebank, order, parser, numbers_of[:, 0], n_seeds, values), left_out


def means(values: Floats, group: Ints) -> Floats:
    """The mean of values over each group; groups are numbered from 0 on without gaps."""
    return np.bincount(group, values) / np.bincount(group)


def less_means(values: Floats, group: Ints) -> Floats:
    """Values [n] or [n, k] less the mean of their group: what group effects leave."""
    if values.ndim == 1:
        return values - means(values, group)[group]
    return np.stack([less_means(column, group) for column in values.T], axis=1) if values.shape[1] else values


def versions_of(cells: Cells) -> Versions:
    """One observation a version: its mean over parsers, less the effect of each parser.

    Parsers' effects are told by versions that several parsers have (least squares, version + parser effects), so that
    a version doesn't look easy because only a good parser was run on it. Raises NoFit if parsers have no version in
    common.
    """
    code, first, version = np.unique(
        cells.treebank * len(cells.orders) + cells.order, return_index=True, return_inverse=True
    )
    present = np.unique(cells.parser)
    is_parser = (cells.parser[:, None] == present).astype(np.float64)
    solution, _, rank, _ = np.linalg.lstsq(less_means(is_parser, version), less_means(cells.score, version), rcond=1e-9)
    if rank < len(present) - 1:
        raise NoFit("some parsers share no treebank in one order with the others: fit them apart")
    effects = np.full(len(cells.parsers), np.nan)
    effects[present] = solution - solution.mean()
    score = means(cells.score - effects[cells.parser], version)
    values = {name: value[first] for name, value in cells.values.items()}
    return Versions(cells.treebank[first], cells.order[first], score, values, effects)
