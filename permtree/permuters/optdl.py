"""Orders of minimal dependency length among all projective ones, with a named policy for the choice between them.

Gildea & Temperley (2007), ACL: dependents by subtree size, the largest outermost on the side away from the head's own
head, the next outermost on the other side, and so on inwards. Free are: which side each pair after that takes (for a
root also the first pair), an unpaired last dependent, and the order of subtrees of equal size.
"""

from __future__ import annotations

import numpy as np

from ..closest_optimum import sides_closest_to_original
from ..optimal import alternating_placement, optimal_placement, size_slots
from ..treebank import Treebank
from ..types import Floats, Ints
from . import Option, Request, permuter

TIES = Option(
    "ties",
    "alternate",
    "which of the optimal orders: alternate (sides alternate, equal sizes in original order), original (most words "
    "keep their side of the head), random (uniform over all optimal orders)",
    choices=("alternate", "original", "random"),
)


@permuter(
    "optdl",
    gives="placement",
    what="minimal total dependency length among all projective orders",
    source="Gildea & Temperley (2007), ACL; Gulordava & Merlo (2016), TACL 4, section 3",
    random=lambda options: options["ties"] == "random",
    options=(TIES,),
)
def optdl(treebank: Treebank, request: Request) -> Floats | Ints:
    ties = request.options["ties"]
    if ties == "original":
        return sides_closest_to_original(treebank) * treebank.subtree_size
    if ties == "random":
        slot = size_slots(treebank, treebank.random_uniform(request.seed, "optdl/equal sizes"))
        swapped = _coin_of_pair(treebank, slot, treebank.random_uniform(request.seed, "optdl/sides") < 0.5)
        return optimal_placement(treebank, slot, (slot % 2 == 1) ^ swapped)
    return alternating_placement(treebank)


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
