"""From a permuter to the order of a treebank, around what stays in place and what moves as one block."""

from __future__ import annotations

from collections import Counter

import numpy as np

from .linearize import linearize, positions
from .permuters import Permuter, Request
from .policies import range_blocks
from .treebank import Treebank
from .types import Ints, Mask


def arrange(treebank: Treebank, permuter: Permuter, request: Request, final: Mask, unit: bool) -> Ints:
    """The rows of a treebank in the order that a permuter gives them, int64 [N].

    final: words that stay at the end of their sentence and take no part. unit: the words of a range move as a block,
    ordered as if the block were one word.
    """
    represented_by, moving = _moving(treebank, final, unit, permuter.gives == "order", request.counts)
    if moving.all():
        return order_of(treebank, permuter, request)
    core = treebank.select_words(moving)
    place = np.full(treebank.n_words, -1, np.int64)
    place[moving] = positions(order_of(core, permuter, request))
    # Each word follows the place of the word that represents it; final words come after all others of their sentence.
    key = 2 * place[represented_by]
    key[final] = 2 * core.sentence_start[1:][treebank.sentence_of[final]] - 1
    return np.argsort(key, kind="stable")


def core_of(treebank: Treebank, final: Mask, unit: bool, any_tree: bool) -> Treebank:
    """The words of a treebank that an order is made for (see `arrange`): without final runs, one word for each block.

    any_tree: the order need not be projective.
    """
    _, moving = _moving(treebank, final, unit, any_tree, Counter())
    return treebank if moving.all() else treebank.select_words(moving)


def _moving(treebank: Treebank, final: Mask, unit: bool, any_tree: bool, counts: Counter[str]) -> tuple[Ints, Mask]:
    """The word that stands for each word in the order, int64 [N], and which words stand for themselves, bool [N]."""
    represented_by: Ints = np.arange(treebank.n_words)
    if unit:
        represented_by, blocks, parted = range_blocks(treebank, final, any_tree)
        counts["ranges moved as one block"] += blocks
        counts["ranges that the tree does not let move as one block"] += parted
    return represented_by, (represented_by == np.arange(treebank.n_words)) & ~final


def order_of(treebank: Treebank, permuter: Permuter, request: Request) -> Ints:
    """The order that a permuter gives to all words of a treebank, int64 [N]."""
    result = permuter.function(treebank, request)
    return linearize(treebank, result) if permuter.gives == "placement" else result
