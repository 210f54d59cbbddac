"""The shape of trees and the length of sentences, which no permutation changes."""

import numpy as np

from ..treebank import Treebank
from ..types import Floats, Ints
from . import Conventions, arcs, each_sentence, measure, per_sentence, ratio


@measure(
    "mean_sentence_length",
    kind="sentence",
    score=ratio,
    what="words a sentence",
    unit="words",
    range="1 and more",
    source="-",
)
def mean_sentence_length(treebank: Treebank, conventions: Conventions) -> Floats | Ints:
    return each_sentence(treebank.sentence_length)


@measure(
    "branching_factor",
    kind="sentence",
    score=ratio,
    what="dependents a head: arcs over words that have a dependent",
    unit="dependents",
    range="1 and more",
    source="Gulordava & Merlo (2016), TACL 4, section 4.2 (mean out-degree; here of words that have one)",
)
def branching_factor(treebank: Treebank, conventions: Conventions) -> Ints:
    heads = (treebank.n_dependents > 0).astype(np.int64)
    return np.stack([per_sentence(treebank, arcs(treebank)), per_sentence(treebank, heads)], axis=1)


@measure(
    "depth",
    kind="sentence",
    score=ratio,
    what="mean over sentences of the arcs from the root to the deepest word",
    unit="arcs",
    range="0 and more",
    source="-",
)
def depth(treebank: Treebank, conventions: Conventions) -> Floats | Ints:
    deepest = np.zeros(treebank.n_sentences, np.int64)
    np.maximum.at(deepest, treebank.sentence_of, treebank.depth)
    return each_sentence(deepest)
