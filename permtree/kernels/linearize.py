"""From placements to orders: where each word stands relative to its head becomes the order of a whole treebank."""

from __future__ import annotations

import numpy as np

from ..types import Floats, Ints
from .trees import Trees


def linearize(trees: Trees, placement: Floats | Ints) -> Ints:
    """The projective order in which every word stands where its placement says.

    placement: [N], a key per word, ignored for roots: negative for the left of its head, positive for its right,
    smaller magnitudes nearer to the head; words of one head with equal keys keep their original order.
    Several roots keep their order, each followed by nothing but its own tree.
    Returns int64 [N]: the rows in their new order; rows of a sentence stay within its range.
    """
    children = trees.dependents
    if len(children):
        heads = trees.head[children]
        children = children[np.lexsort((placement[children], heads))]
        key = placement[children]
        size = trees.subtree_size[children]
        before = np.cumsum(size) - size
        offset = np.zeros(trees.n_words, np.int64)
        offset[children] = before - before[trees.first_dependent[heads]] + (key > 0)
        left = np.bincount(heads, np.where(key > 0, 0, size), trees.n_words).astype(np.int64)
    else:
        offset = left = np.zeros(trees.n_words, np.int64)
    position = trees.propagate(trees.root_begin, offset) + left
    order = np.empty(trees.n_words, np.int64)
    order[position] = np.arange(trees.n_words)
    return order


def positions(order: Ints) -> Ints:
    """The inverse of an order: the new place of each row, int64 [N]."""
    position = np.empty(len(order), np.int64)
    position[order] = np.arange(len(order))
    return position


def rank_in_group(trees: Trees, *keys: Ints | Floats) -> Ints:
    """Rank of each word among the dependents of its head, 1, 2 ..., by the keys (most important first), then by row.

    keys: arrays [N]. Returns int64 [N], 0 for roots.
    """
    children = trees.dependents
    heads = trees.head[children]
    ordered = children[np.lexsort((*(key[children] for key in reversed(keys)), heads))]
    rank = np.zeros(trees.n_words, np.int64)
    rank[ordered] = 1 + np.arange(len(ordered)) - trees.first_dependent[trees.head[ordered]]
    return rank
