"""The side of the head that dependents stand on."""

import numpy as np

from ..kernels.keys import name_keys
from ..treebank import Treebank
from ..treebank.arc_types import after_head, arc_keys
from ..types import Floats, Ints
from . import ENTROPY, Conventions, Events, arcs, measure, ratio

_OF_ROOTS = name_keys(["a root's arc"])[0]  # a context of their own, with one possible outcome


@measure(
    "arc_direction_entropy",
    kind="arc-events",
    what="H(direction | deprel, head UPOS, dependent UPOS), weighted by frequency, full relations; --context leaves "
    "tags out of the condition, --root-arcs counts each root as one more arc that has no choice",
    unit="nats or bits, as named",
    range="0 to log 2 (0.693 nats, 1 bit); what an --estimator gives beyond it is cut off",
    source="Futrell, Mahowald & Gibson (2015), Depling; Gulordava & Merlo (2016), TACL 4; after the shares of "
    "directions of Liu (2010), Lingua 120(6)",
    uses=(*ENTROPY, "context", "root_arcs"),
)
def arc_direction_entropy(treebank: Treebank, conventions: Conventions) -> Events:
    has_head = treebank.head >= 0
    rows = np.arange(treebank.n_words) if conventions.root_arcs else np.flatnonzero(has_head)
    context = np.where(has_head, arc_keys(treebank, conventions.context), _OF_ROOTS)
    return Events(rows, context[rows], after_head(treebank)[rows], np.where(has_head, 2.0, 1.0)[rows])


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
