"""A family of orders with two dials, from short to long and from low entropy to high, for one treebank.

The low row of the family goes through five orders, the high row through two:

    low:   0 shortest, lowest entropy; 1 grammar; 2 grammar, long siblings near; 3 right-branching; 4 right-branching,
           long siblings near
    high:  0 shortest, highest entropy; 4 longest, mirrored by a coin a sentence

"Grammar" puts each type of arc (deprel, head UPOS, dependent UPOS) on the side that it has most often in the shortest
orders of lowest entropy, so that its own entropy is 0. Dial `length` says how far along its row each head and its
dependents are: a coin a head decides between the two orders around that place (between 2 and 3 a coin a type of arc, so
that the entropy stays 0). Dial `entropy` says with what probability a sentence is of the high row: a coin a sentence,
so that with `length` at 0 every sentence is of minimal length. Coins belong to sentences and words: the same dials give
the same order of a sentence, alone or in a treebank.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from ..kernels.linearize import linearize, positions, rank_in_group
from ..kernels.logarithm import entropy_in_steps
from ..kernels.optimal import minimal_lengths
from ..measures import Conventions, per_sentence, sentence_lengths
from ..treebank import Treebank
from ..treebank.arc_types import arc_keys
from ..treebank.randomness import uniform
from ..types import Floats, Ints
from .maxdl import alternating_sides
from .optdl import most_entropy_of_random, random_placement
from .optimal_entropy import STEPS, Search, least_entropy, placement_of_least, placement_of_most

LENGTH_END = 4.0  # dial `length` goes from 0 to here
BY_TYPE = 2  # the step of the low row that types of arcs take, not heads
CONVENTIONS = Conventions("span+root", "nats")  # in which the two properties are measured


@dataclass(frozen=True)
class DialRows:
    """What is learnt from a treebank: the preferences that the ends of the rows stand on."""

    low: Search
    high: Search


def learn_rows(treebank: Treebank, seed: int) -> DialRows:
    """Search for the shortest orders of lowest and of highest entropy."""
    return DialRows(least_entropy(treebank, seed), most_entropy_of_random(treebank, seed))


class Dials:
    """The family of one treebank: the placements of the ends and bends of both rows, and the coins between them."""

    def __init__(self, treebank: Treebank, rows: DialRows, seed: int):
        self._treebank = treebank
        after = rows.low.preferences.at(arc_keys(treebank), 0.0) > 0
        side = np.where(after, 1, -1)
        size = treebank.subtree_size
        near_first, far_first = rank_in_group(treebank, size), rank_in_group(treebank, -size)
        coin = treebank.random_uniform_of_sentence(seed, "dials/mirror") < 0.5
        random = random_placement(treebank, seed, rows.high.stream)
        self._low = [
            placement_of_least(treebank, rows.low),
            side * near_first,
            side * far_first,
            near_first,
            far_first,
        ]
        self._high = [
            placement_of_most(treebank, rows.high, random, seed),
            np.where(coin, 1, -1) * alternating_sides(treebank) * far_first,
        ]
        self._of_type = uniform(arc_keys(treebank), np.zeros(treebank.n_words, np.int64), seed, "dials/type")
        self._of_head = treebank.random_uniform(seed, "dials/length")[np.maximum(treebank.head, 0)]
        self._of_sentence = treebank.random_uniform_of_sentence(seed, "dials/entropy")

    def placement(self, length: float, entropy: float) -> Floats:
        """The placement at 0 <= length <= LENGTH_END, 0 <= entropy <= 1."""
        step = min(int(length), len(self._low) - 2)
        coin = self._of_type if step == BY_TYPE else self._of_head
        low = np.where(coin < length - step, self._low[step + 1], self._low[step])
        high = np.where(self._of_head < length / LENGTH_END, self._high[1], self._high[0])
        return np.where(self._of_sentence < entropy, high, low).astype(np.float64)


class Properties:
    """DLM ratio and arc-direction entropy (nats) of orders of one treebank, without writing it."""

    def __init__(self, treebank: Treebank):
        self._treebank = treebank
        self._arcs = np.flatnonzero(treebank.head >= 0)
        known, self._type = np.unique(arc_keys(treebank)[self._arcs], return_inverse=True)
        self._n_types = len(known)
        self._shortest = self._weighted(minimal_lengths(treebank))

    def _weighted(self, distance: Ints) -> float:
        treebank = self._treebank
        lengths = sentence_lengths(treebank, per_sentence(treebank, distance), CONVENTIONS)
        # whole numbers are summed by the length of sentences first, so that no order of sums shows in the last digit
        summed = np.bincount(treebank.sentence_length, lengths)
        return math.fsum((summed / np.maximum(np.arange(len(summed)), 1) ** 2).tolist())

    def of(self, placement: Floats | Ints) -> tuple[float, float]:
        """(DLM ratio, entropy) of the order that a placement gives; nan without arcs."""
        return self.of_order(linearize(self._treebank, placement))

    def of_order(self, order: Ints) -> tuple[float, float]:
        """The same for the rows in a new order."""
        place, head = positions(order), self._treebank.head
        offset = np.where(head >= 0, place - place[np.maximum(head, 0)], 0)
        counts = np.bincount(2 * self._type + (offset[self._arcs] > 0), minlength=2 * self._n_types)
        arcs = len(self._arcs)
        entropy = entropy_in_steps(counts.reshape(-1, 2), STEPS) / (STEPS * arcs) if arcs else float("nan")
        length = self._weighted(np.abs(offset))
        return length / self._shortest if self._shortest else float("nan"), entropy


CORNERS = {
    (0.0, 0.0): "shortest, lowest entropy found",
    (0.0, 1.0): "shortest, highest entropy found",
    (1.0, 0.0): "grammar, short siblings near",
    (2.0, 0.0): "grammar, long siblings near",
    (3.0, 0.0): "right-branching, short siblings near",
    (4.0, 0.0): "right-branching, long siblings near",
    (4.0, 1.0): "longest, half of the sentences mirrored",
}
"""What stands at the ends and bends of the two rows, by (length, entropy) of the dials."""


@dataclass(frozen=True)
class Region:
    """(DLM ratio, entropy in nats) of the text, and by (length, entropy) of the dials."""

    text: tuple[float, float]
    grid: dict[tuple[float, float], tuple[float, float]]


def region(treebank: Treebank, seed: int) -> Region:
    """What the dials reach for a treebank, on a grid over both."""
    properties = Properties(treebank)
    dials = Dials(treebank, learn_rows(treebank, seed), seed)
    places = [(length, entropy) for entropy in grid_of(1.0, 4) for length in grid_of(LENGTH_END, 8)]
    reached = {place: properties.of(dials.placement(*place)) for place in places}
    return Region(properties.of_order(np.arange(treebank.n_words)), reached)


def grid_of(end: float, steps: int) -> list[float]:
    """0 to `end` in equal steps."""
    return [end * step / steps for step in range(steps + 1)]
