"""The side of the head that dependents stand on."""

import numpy as np

from ..treebank import Treebank
from ..treebank.arc_types import after_head, arc_keys
from ..types import Floats, Ints
from . import ENTROPY, Conventions, Events, arcs, measure, ratio


@measure(
    "arc_direction_entropy",
    kind="arc-events",
    what="H(direction | deprel, head UPOS, dependent UPOS), weighted by frequency, full relations",
    unit="nats or bits, as named",
    range="0 to log 2 (0.693 nats, 1 bit); what an --estimator gives beyond it is cut off",
    source="Liu (2010), Lingua 120(6); Futrell, Mahowald & Gibson (2015), Depling; Gulordava & Merlo (2016), TACL 4",
    uses=ENTROPY,
)
def arc_direction_entropy(treebank: Treebank, conventions: Conventions) -> Events:
    rows = np.flatnonzero(treebank.head >= 0)
    return Events(rows, arc_keys(treebank)[rows], after_head(treebank)[rows])


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
