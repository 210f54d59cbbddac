"""Arcs that cross, against what a random order would have, and how mild their crossing is."""

import numpy as np

from ..kernels.crossings import crossings as count_crossings
from ..kernels.crossings import gap_degrees, one_endpoint
from ..kernels.random_crossings import disjoint_pairs, variance
from ..treebank import Treebank
from ..types import Floats, Ints
from . import Conventions, arcs, each_sentence, measure, per_sentence, ratio, total

RANDOM_ORDERS = "Alemany-Puig & Ferrer-i-Cancho (2020), Journal of Statistical Mechanics 023403"
GAPS = "Kuhlmann & Nivre (2006), COLING/ACL"
ONE_ENDPOINT = "Pitler, Kannan & Marcus (2013), TACL 1"


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


@measure(
    "crossings_expected",
    kind="sentence",
    score=total,
    what="expected pairs of arcs that cross in a uniformly random order, projective or not: a third of the pairs that "
    "share no word",
    unit="pairs",
    range="0 and more",
    empty="0",
    source=RANDOM_ORDERS,
)
def crossings_expected(treebank: Treebank, conventions: Conventions) -> Floats:
    return disjoint_pairs(treebank)[:, None] / 3


@measure(
    "crossings_z",
    kind="sentence",
    score=ratio,
    what="mean over sentences of the z-score of their crossings: observed less expected in a uniformly random order, "
    "over the standard deviation there; sentences without two arcs that could cross are not counted",
    unit="standard deviations",
    range="any; negative: fewer than by chance",
    source=f"{RANDOM_ORDERS} (expectation and variance)",
)
def crossings_z(treebank: Treebank, conventions: Conventions) -> Floats:
    pairs = disjoint_pairs(treebank)
    deviation = np.sqrt(np.where(pairs > 0, variance(treebank), 1.0))
    z = np.where(pairs > 0, (count_crossings(treebank) - pairs / 3) / deviation, 0.0)
    return np.stack([z, pairs > 0], axis=1)


@measure(
    "gap_degree",
    kind="sentence",
    score=ratio,
    what="mean over sentences of their gap degree: the most gaps of a word's subtree (`--by sentence` gives each)",
    unit="gaps",
    range="0 (all projective) and more",
    source=GAPS,
)
def gap_degree(treebank: Treebank, conventions: Conventions) -> Floats | Ints:
    most = np.zeros(treebank.n_sentences, np.int64)
    np.maximum.at(most, treebank.sentence_of, gap_degrees(treebank))
    return each_sentence(most)


@measure(
    "gap_degree_of_words",
    kind="sentence",
    score=ratio,
    what="mean over words of their gap degree: gaps of the subtree",
    unit="gaps",
    range="0 (all projective) and more",
    source=GAPS,
)
def gap_degree_of_words(treebank: Treebank, conventions: Conventions) -> Ints:
    return np.stack([per_sentence(treebank, gap_degrees(treebank)), treebank.sentence_length], axis=1)


@measure(
    "one_endpoint_arcs",
    kind="arc",
    score=ratio,
    what="share of 1-endpoint-crossing arcs: all arcs that cross it, if any, have a word in common; the root's arc is "
    "none",
    unit="share",
    range="0 to 1 (1 where nothing crosses)",
    source=ONE_ENDPOINT,
)
def one_endpoint_arcs(treebank: Treebank, conventions: Conventions) -> Ints:
    return np.stack([one_endpoint(treebank).astype(np.int64), arcs(treebank)], axis=1)


@measure(
    "one_endpoint_sentences",
    kind="sentence",
    score=ratio,
    what="share of sentences all of whose arcs are 1-endpoint-crossing",
    unit="share",
    range="0 to 1 (1 where nothing crosses)",
    source=ONE_ENDPOINT,
)
def one_endpoint_sentences(treebank: Treebank, conventions: Conventions) -> Floats | Ints:
    not_so = per_sentence(treebank, arcs(treebank) - one_endpoint(treebank))
    return each_sentence((not_so == 0).astype(np.int64))
