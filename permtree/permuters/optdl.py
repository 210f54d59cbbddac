"""Orders of minimal dependency length among all projective ones, with a named policy for the choice between them.

Gildea & Temperley (2007), ACL: dependents by subtree size, the largest outermost on the side away from the head's own
head, the next outermost on the other side, and so on inwards. Free are: which side each pair after that takes (for a
root also the first pair), an unpaired last dependent, and the order of subtrees of equal size.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..configuration import Settings, setting
from ..kernels.optimal import alternating_outside_in_placement, alternating_placement, optimal_placement, size_slots
from ..kernels.optimal_sides import OptimalSides
from ..treebank import Treebank
from ..treebank.arc_types import after_head
from ..types import Floats, Ints
from . import Request, Rule, Source, learn_from, permuter
from .optimal_entropy import (
    STARTS_HIGH,
    STARTS_HIGH_SMALL,
    Search,
    is_small,
    least_entropy,
    most_entropy,
    placement_of_least,
    placement_of_most,
)

LEARNT = ("min-entropy", "max-entropy")


@dataclass(frozen=True)
class Optimal(Settings):
    """Which of the optimal orders, and what it is learnt from."""

    ties: str = setting(
        "alternate",
        "which of the optimal orders: alternate (sides alternate, equal sizes keep their original order on each side "
        "of the head), alternate-outside-in (sides alternate, equal sizes in original order from the outermost "
        "inwards), original (most words keep their side of the head), random (uniform over all optimal orders), "
        "min-entropy and max-entropy (the lowest and highest arc-direction entropy of the treebank that a seeded "
        "search finds, at the same length, in some hundred passes over all trees, level by level, so that very deep "
        "trees take longest)",
        choices=("alternate", "alternate-outside-in", "original", "random", *LEARNT),
    )
    learn_from: Source | None = learn_from()


def _learn(treebank: Treebank, request: Request) -> Rule:
    if request.config.ties == "min-entropy":
        search = least_entropy(treebank, request.seed)
        what = f"{search.reached:.4f} nats, the lowest of starts that gave "
    else:
        search = most_entropy_of_random(treebank, request.seed)
        what = f"{search.reached:.4f} nats, from random optimal orders of "
    what += " ".join(f"{entropy:.4f}" for entropy in search.from_starts)
    return Rule(search, (("arc-direction entropy reached", what), ("learnt", search.preferences.digest())))


@permuter(
    "optdl",
    gives="placement",
    what="minimal total dependency length among all projective orders",
    source="Gildea & Temperley (2007), ACL; Gulordava & Merlo (2016), TACL 4, section 3",
    random=lambda config: config.ties in ("random", *LEARNT),
    config=Optimal,
    learn=_learn,
    learns=lambda config: config.ties in LEARNT,
)
def optdl(treebank: Treebank, request: Request) -> Floats | Ints:
    ties = request.config.ties
    if ties == "original":
        return OptimalSides(treebank).best(2 * after_head(treebank) - 1) * treebank.subtree_size
    if ties == "random":
        return random_placement(treebank, request.seed, "optdl")
    if ties == "min-entropy":
        return placement_of_least(treebank, request.rule)
    if ties == "max-entropy":
        search: Search = request.rule
        random = random_placement(treebank, request.seed, search.stream)
        return placement_of_most(treebank, search, random, request.seed)
    if ties == "alternate-outside-in":
        return alternating_outside_in_placement(treebank)
    return alternating_placement(treebank)


def most_entropy_of_random(treebank: Treebank, seed: int) -> Search:
    """Search for optimal orders of high entropy, from random optimal orders."""
    starts = STARTS_HIGH_SMALL if is_small(treebank) else STARTS_HIGH
    streams = [f"optdl/max-entropy {start}" for start in range(starts)]
    return most_entropy(treebank, {stream: random_placement(treebank, seed, stream) for stream in streams}, seed)


def random_placement(treebank: Treebank, seed: int, stream: str) -> Floats | Ints:
    """Uniform over all optimal orders."""
    slot = size_slots(treebank, treebank.random_uniform(seed, f"{stream}/equal sizes"))
    swapped = _coin_of_pair(treebank, slot, treebank.random_uniform(seed, f"{stream}/sides") < 0.5)
    return optimal_placement(treebank, slot, (slot % 2 == 1) ^ swapped)


def _coin_of_pair(treebank: Treebank, slot: Ints, coin: np.ndarray) -> np.ndarray:
    """One coin for both members of each free pair; no swap for the largest dependent of a word that isn't a root."""
    head_has_head = treebank.head[np.maximum(treebank.head, 0)] >= 0
    place = slot + head_has_head  # as if place 0 were taken by the head's own head
    free = (treebank.head >= 0) & ((slot > 0) | ~head_has_head)
    first = free & (place % 2 == 0)
    coins = np.zeros((treebank.n_words, 2), bool)
    # The first member of a pair has an even place; it writes its coin where the second one, a slot later, reads it.
    children = treebank.dependents
    by_slot = children[np.lexsort((slot[children], treebank.head[children]))]
    coins[by_slot, 0] = coin[by_slot] & first[by_slot]
    coins[by_slot[1:], 1] = coins[by_slot[:-1], 0]
    return np.where(first, coins[:, 0], coins[:, 1] & free)
