"""The side of the head that dependents stand on."""

import numpy as np

from ..treebank import Treebank
from ..types import Floats, Ints
from . import Conventions, arcs, measure, ratio


def weighted_entropy(counts: Ints, conventions: Conventions) -> float:
    """Plug-in entropy of the columns given the row, weighted by the rows' frequency. counts: [types, columns]."""
    rows = counts.sum(axis=1, keepdims=True)
    whole = rows.sum()
    if not whole:
        return float("nan")
    filled = counts > 0
    terms = np.zeros(counts.shape)
    share = counts / np.maximum(rows, 1)
    terms[filled] = counts[filled] * -np.log(share[filled])
    entropy = float(terms.sum() / whole)
    return entropy / float(np.log(2)) if conventions.unit == "bits" else entropy


@measure(
    "arc_direction_entropy",
    kind="table",
    score=weighted_entropy,
    what="H(direction | deprel, head UPOS, dependent UPOS): plug-in, weighted by frequency, full relations",
    unit="nats or bits, as named",
    range="0 to log 2 (0.693 nats, 1 bit)",
    source="Liu (2010), Lingua 120(6); Futrell, Mahowald & Gibson (2015), Depling; Gulordava & Merlo (2016), TACL 4",
    uses=("unit",),
)
def arc_direction_entropy(treebank: Treebank, conventions: Conventions) -> Ints:
    return np.where(treebank.head >= 0, np.arange(treebank.n_words) > treebank.head, -1)


@measure(
    "head_final",
    kind="arc",
    score=ratio,
    what="share of arcs whose dependent stands before its head",
    unit="share",
    range="0 (all heads first) to 1 (all heads last)",
    source="Liu (2010), Lingua 120(6)",
)
def head_final(treebank: Treebank, conventions: Conventions) -> Floats | Ints:
    arc = arcs(treebank)
    return np.stack([arc * (np.arange(treebank.n_words) < treebank.head), arc], axis=1)
