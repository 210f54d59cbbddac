"""Optimal orders of a whole treebank whose arc-direction entropy is as low, or as high, as a search finds.

Every sentence has many orders of minimal length; which ones are taken decides how often each type of arc (deprel, head
UPOS, dependent UPOS) stands on either side. Types and sentences answer each other in turn (iterated best response):
given the preferences of the types, a sentence takes the optimal order that suits them best (`OptimalSides`, exact);
given the counts that come of it, the preference of a type is the logarithm of the ratio of its two sides. For low
entropy every sentence answers every time, which lowers the entropy until nothing changes; that local minimum depends on
the start, so there are several, and the best is disturbed and improved again a few times. For high entropy types prefer
the side they have less of, and only a share of the sentences answers at a time, or all would change sides together.

What is learnt is a table of preferences, so that any sentence can be ordered by it without the others.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..kernels.keys import Lookup
from ..kernels.logarithm import entropy_in_steps, logarithm
from ..kernels.optimal import alternating_placement
from ..kernels.optimal_sides import OptimalSides
from ..kernels.trees import Trees
from ..treebank import Treebank
from ..treebank.arc_types import after_head, arc_keys
from ..treebank.randomness import uniform
from ..types import Floats, Ints, Mask

STEPS = 2.0**32  # in a nat, of the entropy of all arcs together: whole steps are compared, so that equal is equal
SCALE = 4096  # preferences are rounded to whole multiples of 1/SCALE nats, so that their sums are exact
STARTS = 4  # of the search for low entropy: the sides in the text, the alternating order, and two at random
DISTURBED = 8  # times that the best result is disturbed and improved again
DISTURBED_SMALL = 24  # the same in treebanks of up to SMALL words
LEAST_GAIN = 1e-5  # nats an arc
ROUNDS = 24  # of the search for high entropy, from each of STARTS_HIGH random orders
STARTS_HIGH = 2
STARTS_HIGH_SMALL = 8  # in treebanks of up to SMALL words, where a random order is farther from the maximum
SMALL, SHALLOW = 2000, 50  # ... and of up to SHALLOW levels of depth: the time of an answer grows with these
SHARE = 0.03  # of the sentences that answer in a round (about half are reached; the others keep a random order) ...
AT_A_TIME = 1.5  # ... or as many sentences as this, in a treebank so small that these are more


@dataclass(frozen=True)
class Search:
    """What a search found: preferences by type of arc, [types] or [types, rounds], and the entropies on the way, nats.

    stream: names the random draws of the start that was best; share: the chance of a sentence to answer in a round.
    """

    preferences: Lookup
    stream: str
    share: float
    from_starts: tuple[float, ...]
    reached: float


def is_small(trees: Trees) -> bool:
    """Whether a search can afford more tries."""
    return trees.n_words <= SMALL and len(trees.levels) <= SHALLOW


class _Types:
    """The types of all arcs of a treebank, and the entropy of sides given to its words."""

    def __init__(self, treebank: Treebank):
        self.treebank = treebank
        self._sides = OptimalSides(treebank)
        self.arcs = np.flatnonzero(treebank.head >= 0)
        self.keys, self.number = np.unique(arc_keys(treebank)[self.arcs], return_inverse=True)

    def counts(self, side: Ints) -> Ints:
        """Arcs before and after the head, int64 [types, 2]; side: [N], negative before."""
        column = (side[self.arcs] > 0).astype(np.int64)
        return np.bincount(self.number * 2 + column, minlength=2 * len(self.keys)).reshape(-1, 2)

    def entropy(self, counts: Ints) -> int:
        """Plug-in entropy of the sides of all arcs together, in STEPS."""
        return entropy_in_steps(counts, STEPS)

    def nats(self, entropy: float) -> float:
        """Arc-direction entropy in nats, of one in STEPS of all arcs; 0 without arcs."""
        return entropy / (STEPS * max(len(self.arcs), 1))

    def normal(self, seed: int, stream: str) -> Floats:
        """A random number for each type, [types]: the sum of twelve uniform ones, less 6, as good as normal."""
        drawn = np.zeros(len(self.keys))
        for number in range(12):
            drawn += uniform(self.keys, np.full(len(self.keys), number), seed, stream)
        return drawn - 6

    def respond(self, preference: Floats) -> Ints:
        """The best sides for preferences by type, [N]."""
        of_word = np.zeros(self.treebank.n_words)
        of_word[self.arcs] = preference[self.number]
        return self._sides.best(of_word)


def _preference(counts: Ints) -> Floats:
    """Logarithm of the ratio of the sides, by type; whole multiples of 1/SCALE, times SCALE."""
    return np.rint(SCALE * logarithm((counts[:, 1] + 0.5) / (counts[:, 0] + 0.5)))


def least_entropy(treebank: Treebank, seed: int) -> Search:
    """Search for optimal orders of low entropy."""
    types = _Types(treebank)
    starts = [_preference(types.counts(2 * after_head(treebank).astype(np.int64) - 1))]
    starts.append(_preference(types.counts(alternating_placement(treebank))))
    while len(starts) < STARTS:
        starts.append(np.rint(SCALE * types.normal(seed, f"min-entropy/start {len(starts)}")))
    found = [_descend(types, start) for start in starts]
    reached, best = min(found, key=lambda pair: pair[0])
    for number in range(DISTURBED_SMALL if is_small(treebank) else DISTURBED):
        noise = SCALE * types.normal(seed, f"min-entropy/disturbed {number}")
        entropy, preference = _descend(types, np.rint(best + noise))
        if entropy < reached:
            reached, best = entropy, preference
    from_starts = tuple(types.nats(entropy) for entropy, _ in found)
    return Search(Lookup(types.keys, best), "", 1.0, from_starts, types.nats(reached))


def _descend(types: _Types, preference: Floats) -> tuple[int, Floats]:
    """Answer in turn until the entropy falls no more: the lowest entropy, in STEPS, and the preferences for it."""
    counts = types.counts(types.respond(preference))
    lowest, best = types.entropy(counts), preference
    gain = lowest
    while types.nats(gain) >= LEAST_GAIN:
        preference = _preference(counts)
        counts = types.counts(types.respond(preference))
        entropy = types.entropy(counts)
        gain = lowest - entropy
        if gain > 0:
            lowest, best = entropy, preference
    return lowest, best


def most_entropy(treebank: Treebank, random_side: dict[str, Ints], seed: int) -> Search:
    """Search for optimal orders of high entropy. random_side: the sides of random optimal orders, [N], by stream."""
    types = _Types(treebank)
    from_starts, found = [], []
    arcs = np.bincount(types.number, minlength=len(types.keys))
    share = min(max(SHARE, AT_A_TIME / max(treebank.n_sentences, 1)), 0.5)
    bound = types.entropy(np.stack([arcs // 2, arcs - arcs // 2], axis=1))
    for stream, side in random_side.items():
        from_starts.append(types.entropy(types.counts(side)))
        found.append(_ascend(types, side, stream, share, seed))
        if found[-1][0] >= bound:  # every type is as even as its number of arcs allows
            break
    reached, preferences, stream = max(found, key=lambda item: item[0])
    from_random = tuple(types.nats(entropy) for entropy in from_starts)
    return Search(Lookup(types.keys, preferences), stream, share, from_random, types.nats(reached))


def _ascend(types: _Types, side: Ints, stream: str, share: float, seed: int) -> tuple[int, Floats, str]:
    """The highest entropy over the rounds, in STEPS, and the preferences of the rounds up to it, [types, rounds]."""
    preferences = np.zeros((len(types.keys), ROUNDS))
    counts = types.counts(side)
    highest, rounds = types.entropy(counts), 0
    for number in range(ROUNDS):
        preferences[:, number] = -_preference(counts)
        turn = _in_turn(types.treebank, stream, number, share, seed)
        side = np.where(turn, types.respond(preferences[:, number]), side)
        counts = types.counts(side)
        entropy = types.entropy(counts)
        if entropy > highest:
            highest, rounds = entropy, number + 1
    return highest, preferences[:, :rounds], stream


def _in_turn(treebank: Treebank, stream: str, number: int, share: float, seed: int) -> np.ndarray:
    """The words of the sentences that answer in a round, bool [N]: a coin a sentence."""
    return treebank.random_uniform_of_sentence(seed, f"{stream}/round {number}") < share


def placement_of_least(treebank: Treebank, search: Search) -> Ints:
    """The optimal placement that the preferences of `least_entropy` give; types not learnt have no preference."""
    preference = search.preferences.at(arc_keys(treebank), 0.0)
    return OptimalSides(treebank).best(preference) * treebank.subtree_size


def placement_of_most(treebank: Treebank, search: Search, random: Floats | Ints, seed: int) -> Floats | Ints:
    """The optimal placement that the rounds of `most_entropy` give: each sentence as in the last round that reached it.

    random: the placement of sentences that none reached.
    """
    by_round = search.preferences.at(arc_keys(treebank), 0.0)
    preference: Floats = np.zeros(treebank.n_words)
    reached: Mask = np.zeros(treebank.n_words, bool)
    for number in range(by_round.shape[1]):
        turn = _in_turn(treebank, search.stream, number, search.share, seed)
        preference, reached = np.where(turn, by_round[:, number], preference), reached | turn
    return np.where(reached, OptimalSides(treebank).best(preference) * treebank.subtree_size, random)
