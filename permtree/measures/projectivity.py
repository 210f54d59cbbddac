"""Arcs over words that don't belong below their head, and what this leaves to projective parsers."""

import numpy as np

from ..kernels.ceiling import projective_ceiling as most_kept_heads
from ..treebank import Treebank
from ..types import Floats, Ints
from . import Conventions, arcs, each_sentence, measure, per_sentence, ratio


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
def nonprojective_sentences(treebank: Treebank, conventions: Conventions) -> Floats | Ints:
    some = per_sentence(treebank, treebank.nonprojective.astype(np.int64)) > 0
    return each_sentence(some.astype(np.int64))


def _percent(totals: Floats) -> float:
    return 100 * ratio(totals)


@measure(
    "projective_ceiling",
    kind="sentence",
    score=_percent,
    what="the best UAS that projective trees with one root can have, over all words: the ceiling of parsers that "
    "decode projectively. Time grows with the square of the length of sentences that are not projective",
    unit="percent",
    range="0 to 100 (all sentences projective, with one root)",
    source="as a largest set of arcs that fit together, after Supowit (1987), IEEE Transactions on Computer-Aided "
    "Design 6(1)",
)
def projective_ceiling(treebank: Treebank, conventions: Conventions) -> Ints:
    return np.stack([most_kept_heads(treebank), treebank.sentence_length], axis=1)
