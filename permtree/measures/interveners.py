"""What stands between a head and its dependent."""

import numpy as np

from ..kernels.trees import heads_between
from ..treebank import Treebank
from ..types import Ints
from . import Conventions, arcs, measure, ratio


@measure(
    "intervener_complexity",
    kind="arc",
    score=ratio,
    what="mean over arcs of the words strictly between head and dependent that are heads themselves (have a dependent)",
    unit="words",
    range="0 and more",
    source="Yadav, Mittal & Husain (2022), Open Mind 6",
)
def intervener_complexity(treebank: Treebank, conventions: Conventions) -> Ints:
    return np.stack([heads_between(treebank), arcs(treebank)], axis=1)
