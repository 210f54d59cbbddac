"""Orders drawn at random: over all orders, over projective ones, or with every dependent on its own side."""

import numpy as np

from ..treebank import Treebank
from ..treebank.arc_types import after_head
from ..types import Floats, Ints
from . import Request, permuter


@permuter(
    "random",
    gives="order",
    what="uniform over all n! orders of a sentence, projective or not",
    source="baseline of Ferrer-i-Cancho (2004), Physical Review E 70, 056135",
    random=True,
)
def random_order(treebank: Treebank, request: Request) -> Ints:
    return np.lexsort((treebank.random_uniform(request.seed, "random"), treebank.sentence_of))


@permuter(
    "random-projective",
    gives="placement",
    what="uniform over all projective orders: each head is shuffled together with its dependents",
    source="Futrell, Mahowald & Gibson (2015), PNAS 112(33): fully random projective baseline",
    random=True,
)
def random_projective(treebank: Treebank, request: Request) -> Floats:
    dependent = treebank.random_uniform(request.seed, "random-projective/dependent")
    head = treebank.random_uniform(request.seed, "random-projective/head")
    # Both are multiples of 2**-53, so the difference is exact and sorts as the shuffle of head and dependents.
    return dependent - head[np.maximum(treebank.head, 0)]


@permuter(
    "random-same-side",
    gives="placement",
    what="every dependent stays on its side of the head; on each side the order is uniform",
    source="RandomSameSide of Dyer's DependencyLengthSurvey (github.com/andidyer/DependencyLengthSurvey)",
    random=True,
)
def random_same_side(treebank: Treebank, request: Request) -> Floats:
    side = np.where(after_head(treebank), 1.0, -1.0)
    return side * (1.0 - treebank.random_uniform(request.seed, "random-same-side"))
