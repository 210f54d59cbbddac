"""The order that was read."""

import numpy as np

from ..kernels.trees import Trees
from ..treebank import Treebank
from ..types import Ints, Mask
from . import Request, permuter


@permuter("original", gives="order", what="every word stays where it is; policies still apply", source="baseline")
def original(treebank: Treebank, request: Request) -> Ints:
    return np.arange(treebank.n_words)


def in_text_order(trees: Trees, after: Mask) -> Ints:
    """The placement on given sides in which siblings of one side keep their order. after: bool [N]."""
    row = np.arange(trees.n_words)
    return np.where(after, row + 1, row - trees.n_words)
