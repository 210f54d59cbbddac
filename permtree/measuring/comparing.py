"""Two treebanks side by side: values, differences with their intervals, and how far their arcs are displaced."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np

from ..kernels.bootstrap import LEVEL, bootstrap_weights, check_numbers, interval
from ..kernels.jackknife import jackknifed, without_a_group
from ..profiles import DEFAULT_PROFILE, profile_with
from ..treebank import Treebank
from ..types import Floats, Ints
from .collector import Collector
from .orders import Orders, WordOrders, compare_orders
from .resampling import Resampler, interval_facts

RESAMPLES = 1000
LEAST_PAIRED = 0.5  # of the smaller treebank: fewer sentences in common are an accident


@dataclass(frozen=True)
class Difference:
    """A measure on both sides, the second less the first, and the interval of that: of entropies by jackknife, of all
    else by bootstrap."""

    first: float
    second: float
    difference: float
    interval: tuple[float, float]
    signature: str


@dataclass(frozen=True)
class Comparison:
    """Two treebanks compared.

    paired: sentences that stand on both sides (same id and same words in any order); if there are any, the values are
    of these alone and resamples draw pairs. Else (0) the values are of all sentences, and each side is drawn by itself.
    sentences: of each side, kept by the policies. wasserstein: distance between the distributions of displacement
    (place of a dependent less that of its head) over all arcs of the kept sentences, in words. orders: how far the two
    orders of paired sentences are apart, if the collectors have kept them and there are any; order_intervals: of their
    values.
    """

    paired: int
    sentences: tuple[int, int]
    differences: dict[str, Difference]
    displacements: tuple[Counter[int], Counter[int]]
    wasserstein: float
    orders: Orders | None = None
    order_intervals: dict[str, tuple[float, float]] = field(default_factory=dict)


def compare_collected(
    first: Collector, second: Collector, resamples: int = RESAMPLES, seed: int = 0, level: float = LEVEL
) -> Comparison:
    """Compare what two collectors of single sentences have gathered."""
    check_numbers(resamples, seed)
    pairs = _pairs(first, second)
    sides = [Resampler(side, kept) for side, kept in zip((first, second), pairs or (None, None), strict=True)]
    of_sums = [measure.name for measure in first.measures if not measure.of_events]
    drawn: list[list[dict[str, Floats]]] = [[], []]
    for weights in _weights(sides, bool(pairs), resamples, seed) if of_sums else ():
        for parts, side, of_side in zip(drawn, sides, weights, strict=True):
            parts.append(side.scores(of_side, of_sums))
    values = [_values(side, collector) for side, collector in zip(sides, (first, second), strict=True)]
    n_paired = len(pairs[0]) if pairs else 0
    enough = all(len(side.kept) > 1 for side in sides)  # sentences, to say how they differ
    differences = {}
    compared = {"compared": "paired" if pairs else "independent"}
    for measure in first.measures:
        name = measure.name
        a, b = (found[name] for found in values)
        bounds = (math.nan, math.nan)
        if enough and measure.of_events:
            bounds = _of_entropies(name, sides, bool(pairs), seed, level)
        elif enough:
            a_drawn, b_drawn = (np.concatenate([part[name] for part in parts]) for parts in drawn)
            bounds = interval(b - a, b_drawn - a_drawn, level)
        made = compared | interval_facts(first, measure, resamples, seed, level)
        differences[name] = Difference(a, b, b - a, bounds, first.signature(measure, made, sentences=n_paired or None))
    counts = (first.counts["kept_sentences"], second.counts["kept_sentences"])
    displacements = (first.displacements, second.displacements)
    orders = None
    if pairs and first.word_orders is not None and second.word_orders is not None:
        orders = compare_orders(WordOrders.joined(first.word_orders), WordOrders.joined(second.word_orders), pairs)
    bounds_of_orders = orders.intervals(resamples, seed, level) if orders else {}
    earth = wasserstein(*displacements)
    return Comparison(n_paired, counts, differences, displacements, earth, orders, bounds_of_orders)


def _of_entropies(name: str, sides: list[Resampler], paired: bool, seed: int, level: float) -> tuple[float, float]:
    """The interval of the second entropy less the first (see `entropy_interval`); of pairs, both sides lack the same
    ones."""
    if paired:
        without = without_a_group(len(sides[0].kept), [seed])
        (a, a_without), (b, b_without) = (side.corrected(name, without) for side in sides)
        return jackknifed(b - a, b_without - a_without).interval(level)
    first, second = (
        jackknifed(*side.corrected(name, without_a_group(len(side.kept), [seed, number])))
        for number, side in enumerate(sides, 1)
    )
    return second.less(first).interval(level)


def _values(side: Resampler, collector: Collector) -> dict[str, float]:
    """The values of the compared sentences; those of the collector, if these are all."""
    if len(side.kept) == collector.counts["kept_sentences"]:
        return {name: value.value for name, value in collector.result().items()}
    return {name: float(found[0]) for name, found in side.scores(np.ones((1, len(side.kept)))).items()}


def _pairs(first: Collector, second: Collector) -> tuple[Ints, Ints] | None:
    """The numbers of the sentences of either side that are paired, or None. Of several alike, the first goes with the
    first, the second with the second."""
    places: list[dict[tuple[int, int], int]] = []
    for side in (first, second):
        seen: Counter[int] = Counter()
        found = {}
        keys = np.concatenate(side.fingerprints).tolist() if side.fingerprints else []
        for number, key in enumerate(keys):
            found[key, seen[key]] = number
            seen[key] += 1
        places.append(found)
    common = [key for key in places[0] if key in places[1]]
    if not common or len(common) < LEAST_PAIRED * min(map(len, places)):
        return None
    return np.array([places[0][key] for key in common]), np.array([places[1][key] for key in common])


def _weights(sides: list[Resampler], paired: bool, resamples: int, seed: int) -> Iterator[tuple[Floats, Floats]]:
    """The weights of both sides, piece by piece."""
    first, second = (len(side.kept) for side in sides)
    if not first or not second:
        return
    if paired:
        for weights in bootstrap_weights(first, resamples, [seed]):
            yield weights, weights
    else:
        yield from zip(
            bootstrap_weights(first, resamples, [seed, 1], max(first, second)),
            bootstrap_weights(second, resamples, [seed, 2], max(first, second)),
            strict=True,
        )


def wasserstein(first: Counter[int], second: Counter[int]) -> float:
    """The Wasserstein distance between two distributions of displacement, words; nan if one is empty.

    Displacement is that of Anderson & Gómez-Rodríguez (2020), LREC; its distance between training and test data says
    how unlike their arcs are (Anderson, Søgaard & Gómez-Rodríguez 2021, ACL).
    """
    from scipy.stats import wasserstein_distance

    if not first or not second:
        return math.nan
    return float(wasserstein_distance([*first], [*second], [*first.values()], [*second.values()]))


def compare(
    first: Treebank,
    second: Treebank,
    *names: str,
    profile: str = DEFAULT_PROFILE,
    ci: int = RESAMPLES,
    seed: int = 0,
    **settings: str | Sequence[str] | bool | None,
) -> Comparison:
    """Compare two treebanks, such as an original and its permutation: names and conventions as in `measure`."""
    chosen = profile_with(profile, **settings)
    a, b = (Collector(names, chosen, word_orders=True) for _ in range(2))
    a.add(first)
    b.add(second)
    return compare_collected(a, b, ci, seed)
