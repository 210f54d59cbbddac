"""The optimal projective order of all trees of a treebank at once.

Gildea & Temperley (2007), ACL: a head's dependents by subtree size; the largest goes outermost on the side away from
the head's own head, the next outermost on the other side, and so on inwards. For a root either side is away.
"""

from __future__ import annotations

import numpy as np

from ..types import Ints, Mask
from .linearize import linearize, positions, rank_in_group
from .trees import Trees


def size_slots(trees: Trees, *tie_keys: Ints) -> Ints:
    """The rank of each word among the dependents of its head, largest subtree first, from 0; int64 [N], -1 for roots.

    Equal sizes rank by `tie_keys`, then by row.
    """
    return rank_in_group(trees, -trees.subtree_size, *tie_keys) - 1


def optimal_sides(trees: Trees, slot: Ints, toward: Mask) -> Ints:
    """The side of its head, 1 for right and -1 for left, of dependents that stand, by slot, away from or toward the
    head's own head; int64 [N], 1 for roots.

    A root's "away" is the right. slot: [N] as from `size_slots`; toward: bool [N].
    """
    roots = trees.levels[0] if trees.levels else np.zeros(0, np.int64)
    turns = trees.propagate(np.zeros(len(roots), np.int64), toward)  # each step toward the head's own head turns
    return np.where(turns % 2 == 0, 1, -1)


def optimal_placement(trees: Trees, slot: Ints, toward: Mask) -> Ints:
    """The placement (see `linearize`) of `optimal_sides` in which each side has its dependents by slot, the first one
    outermost; int64 [N]."""
    return optimal_sides(trees, slot, toward) * (trees.n_words - slot)


def alternating_placement(trees: Trees) -> Ints:
    """The optimal placement in which sides alternate, and equal sizes keep their original order on each side of their
    head; int64 [N]."""
    slot = size_slots(trees)
    return optimal_sides(trees, slot, slot % 2 == 1) * trees.subtree_size


def alternating_outside_in_placement(trees: Trees) -> Ints:
    """The optimal placement in which sides alternate, and equal sizes follow each other in their original order from
    the outermost inwards; int64 [N]."""
    slot = size_slots(trees)
    return optimal_placement(trees, slot, slot % 2 == 1)


def minimal_lengths(trees: Trees) -> Ints:
    """Minimal projective length of each word's arc in `alternating_placement`, words apart; int64 [N], 0 for roots.

    The sum over a sentence is its minimum; single arcs depend on the choice between optimal orders.
    """
    position = positions(linearize(trees, alternating_placement(trees)))
    return np.where(trees.head >= 0, np.abs(position - position[np.maximum(trees.head, 0)]), 0)


def log2_optimal_orders(trees: Trees) -> np.ndarray:
    """log2 of the number of projective orders of minimal length, per sentence; float64 [S].

    For each word the product of m! over the groups of m dependents of equal size, times 2 for each free pair of
    different sizes and for an unpaired last dependent. For a root dependents (1, 2), (3, 4) ... by size are free pairs,
    for others (2, 3), (4, 5) ...
    """
    children = trees.dependents
    heads = trees.head[children]
    size = trees.subtree_size[children]
    sort = np.lexsort((-size, heads))
    heads, size = heads[sort], size[sort]
    place = np.arange(len(heads)) - trees.first_dependent[heads] + (trees.head[heads] >= 0)
    same_head = np.append(heads[1:] == heads[:-1], False) if len(heads) else np.zeros(0, bool)
    same_size = np.append(size[1:] == size[:-1], False) & same_head if len(heads) else same_head
    free = (place % 2 == 0) & ~same_size  # the first of a pair of different sizes, or an unpaired last one
    # log2 m! over groups of equal size: each member adds log2 of its number within the group
    starts = np.concatenate([[True], ~same_size[:-1]]) if len(heads) else same_size
    first = np.maximum.accumulate(np.where(starts, np.arange(len(heads)), 0)) if len(heads) else heads
    exponent = free + np.log2(np.arange(len(heads)) - first + 1)
    return np.bincount(trees.sentence_of[heads], exponent, trees.n_sentences)
