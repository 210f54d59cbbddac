"""The projective maximum of dependency length."""

import numpy as np

from ..kernels.linearize import rank_in_group
from ..kernels.trees import Trees
from ..treebank import Treebank
from ..types import Ints
from . import Request, permuter


@permuter(
    "maxdl",
    gives="placement",
    what="maximal total dependency length among all projective orders: a word's dependents all on the side of its own "
    "head, larger subtrees nearer; those of a root after it; equal sizes in original order",
    source="Alemany-Puig, Esteban & Ferrer-i-Cancho (2024), Information Processing Letters 183, 106400",
)
def maxdl(treebank: Treebank, request: Request) -> Ints:
    return alternating_sides(treebank) * rank_in_group(treebank, -treebank.subtree_size)


def alternating_sides(trees: Trees) -> Ints:
    """1 for words at odd depth, -1 for those at even depth, int64 [N]: from a word at the right all of its dependents
    stand to the left, toward its own head, and so on."""
    return np.where(trees.depth % 2 == 1, 1, -1)
