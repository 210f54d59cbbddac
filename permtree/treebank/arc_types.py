"""What a dependent and its siblings are, as keys: relations and tags of a word, its head, and its neighbours.

Siblings here are dependents of one head on the same side of it. Keys are the same in every treebank
(`permtree.kernels.keys`).
"""

from __future__ import annotations

import numpy as np

from ..kernels.keys import combined, name_keys
from ..kernels.trees import Trees
from ..types import Floats, Ints, Mask
from . import Column, Treebank


def column_keys(column: Column) -> Ints:
    """The key of each word's value in a column, uint64 [N]."""
    if not column.vocabulary:
        return np.zeros(0, np.uint64)
    return name_keys(column.vocabulary)[column.codes]


def base_relation_keys(treebank: Treebank) -> Ints:
    """The key of each word's relation without its subtype (`nmod` for `nmod:poss`), uint64 [N]."""
    names = [name.split(":")[0] for name in treebank.deprel.vocabulary]
    return name_keys(names)[treebank.deprel.codes] if names else np.zeros(0, np.uint64)


def arc_keys(treebank: Treebank) -> Ints:
    """The type of each word's arc, (full deprel, head UPOS, dependent UPOS), uint64 [N]; roots have one of no arc."""
    tag = column_keys(treebank.upos)
    return combined(column_keys(treebank.deprel), tag[np.maximum(treebank.head, 0)], tag)


def dependent_keys(treebank: Treebank) -> Ints:
    """What each word is as a dependent, (full deprel, UPOS), uint64 [N]."""
    return combined(column_keys(treebank.deprel), column_keys(treebank.upos))


def after_head(trees: Trees) -> Mask:
    """Which words stand after their head, bool [N]; roots do."""
    return np.arange(trees.n_words) > trees.head


def text_placement(trees: Trees) -> Ints:
    """The placement (see `permtree.kernels.linearize`) that head and dependents have in the text, int64 [N]."""
    return np.arange(trees.n_words) - trees.head


def sibling_pairs(trees: Trees, placement: Ints | Floats) -> tuple[Ints, Ints]:
    """All pairs of dependents of one head on one side of it: rows of the nearer and of the farther one, int64 [P].

    Pairs of one head stand together. Work and memory grow with the number of pairs.
    """
    children = trees.dependents
    heads, key = trees.head[children], placement[children]
    sort = np.lexsort((np.abs(key), key > 0, heads))
    children, heads, side = children[sort], heads[sort], key[sort] > 0
    begins = np.flatnonzero(np.append(True, (heads[1:] != heads[:-1]) | (side[1:] != side[:-1]))[: len(heads)])
    size = np.diff(np.append(begins, len(children)))
    farther = np.repeat(begins + size, size) - np.arange(len(children)) - 1  # how many of the group come after each
    nearer_index = np.repeat(np.arange(len(children)), farther)
    step = np.arange(len(nearer_index)) - np.repeat(np.cumsum(farther) - farther, farther)
    return children[nearer_index], children[nearer_index + 1 + step]
