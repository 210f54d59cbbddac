"""Every type of arc takes its most frequent side: zero arc-direction entropy with the fewest words on another side."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..configuration import Settings
from ..kernels.keys import counted
from ..treebank import Treebank
from ..treebank.arc_types import after_head, arc_keys
from ..types import Ints
from . import Request, Rule, Source, learn_from, permuter
from .original import in_text_order


def learn_sides(treebank: Treebank, request: Request) -> Rule:
    """Words before and after their head by type of arc."""
    arcs = treebank.head >= 0
    table = counted(arc_keys(treebank)[arcs], after_head(treebank)[arcs].astype(np.int64))
    return Rule(table, (("learnt", f"{table.digest()} ({len(table.keys)} types, {int(arcs.sum())} arcs)"),))


@dataclass(frozen=True)
class Majority(Settings):
    """What it is learnt from."""

    learn_from: Source | None = learn_from()


@permuter(
    "majority",
    gives="placement",
    what="each (deprel, head UPOS, dependent UPOS) on its most frequent side, ties to the left; siblings on one side "
    "keep their order. Types that --learn-from doesn't have keep their side, and the report counts them",
    source="the zero-entropy order with the least change of sides",
    config=Majority,
    learn=learn_sides,
)
def majority(treebank: Treebank, request: Request) -> Ints:
    count = request.rule.at(arc_keys(treebank), 0)
    unknown = (count.sum(axis=1) == 0) & (treebank.head >= 0)
    request.counts["words whose type of arc was not learnt (their side stays)"] += int(unknown.sum())
    after = np.where(unknown, after_head(treebank), count[:, 1] > count[:, 0])
    return in_text_order(treebank, after)
