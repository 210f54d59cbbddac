"""Every sentence read from its end: all distances stay, all directions turn."""

import numpy as np

from ..treebank import Treebank
from ..types import Ints
from . import Request, permuter


@permuter(
    "reverse",
    gives="order",
    what="the sentence from its last word to its first: dependency lengths and entropy stay, directions turn",
    source="baseline",
)
def reverse(treebank: Treebank, request: Request) -> Ints:
    start = treebank.sentence_start
    return (start[:-1] + start[1:] - 1)[treebank.sentence_of] - np.arange(treebank.n_words)
