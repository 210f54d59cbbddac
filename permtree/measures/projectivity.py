"""Arcs that cross, and arcs over words that don't belong below their head."""

import numpy as np

from ..kernels.trees import crossings as count_crossings
from ..treebank import Treebank
from ..types import Ints
from . import Conventions, arcs, measure, per_sentence, ratio, total


@measure(
    "nonprojective_arcs",
    kind="arc",
    score=ratio,
    what="share of arcs with a word between head and dependent that is no descendant of the head",
    unit="share",
    range="0 to 1",
    source="Nivre & Nilsson (2005), ACL; Havelka (2007), ACL",
)
def nonprojective_arcs(treebank: Treebank, conventions: Conventions) -> Ints:
    return np.stack([treebank.nonprojective.astype(np.int64), arcs(treebank)], axis=1)


@measure(
    "nonprojective_sentences",
    kind="sentence",
    score=ratio,
    what="share of sentences with a non-projective arc",
    unit="share",
    range="0 to 1",
    source="Nivre & Nilsson (2005), ACL",
)
def nonprojective_sentences(treebank: Treebank, conventions: Conventions) -> Ints:
    some = per_sentence(treebank, treebank.nonprojective.astype(np.int64)) > 0
    return np.stack([some.astype(np.int64), np.ones(treebank.n_sentences, np.int64)], axis=1)


@measure(
    "crossings",
    kind="sentence",
    score=total,
    what="pairs of arcs that cross; the root's arc is none. Time grows with n log n",
    unit="pairs",
    range="0 and more",
    empty="0",
    source="Ferrer-i-Cancho (2006), Europhysics Letters 76(6)",
)
def crossings(treebank: Treebank, conventions: Conventions) -> Ints:
    return count_crossings(treebank)[:, None]
