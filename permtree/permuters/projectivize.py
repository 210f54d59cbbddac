"""The projective order that is nearest to the text."""

import numpy as np

from ..treebank import Treebank
from ..types import Floats
from . import Request, permuter


@permuter(
    "projectivize",
    gives="placement",
    what="the projective order with the least displacement (sum over words of the squared difference between new and "
    "old position): subtrees and their head by the mean of their words' positions; projective sentences stay as they "
    "are",
    source="exact: with d the displacement, sum of d^2 is a constant less twice the sum of new times old positions, "
    "which blocks in the order of their means make largest",
)
def projectivize(treebank: Treebank, request: Request) -> Floats:
    row = np.arange(treebank.n_words)
    total = row.astype(np.int64)
    for level in reversed(treebank.levels[1:]):
        np.add.at(total, treebank.head[level], total[level])
    first = treebank.sentence_start[treebank.sentence_of]  # means of small numbers are exact enough to be compared
    mean = (total - treebank.subtree_size * first) / treebank.subtree_size
    offset = mean - (treebank.head - first)
    # Where a subtree's mean is just the head's place, both sides are as near: it stays on the side of its top word.
    return np.where(offset == 0, np.where(row > treebank.head, 1e-9, -1e-9), offset)
