"""The order that was read."""

import numpy as np

from ..treebank import Treebank
from ..types import Ints
from . import Request, permuter


@permuter("original", gives="order", what="every word stays where it is; policies still apply", source="baseline")
def original(treebank: Treebank, request: Request) -> Ints:
    return np.arange(treebank.n_words)
