"""Fully left- and right-branching orders: zero arc-direction entropy at three lengths, by the order of siblings."""

from __future__ import annotations

from dataclasses import dataclass

from ..configuration import Settings, setting
from ..kernels.linearize import rank_in_group
from ..treebank import Treebank
from ..types import Ints
from . import Request, permuter

SOURCE = "Gulordava & Merlo (2016), TACL 4, section 3"


@dataclass(frozen=True)
class Branching(Settings):
    """Of both orders."""

    siblings: str = setting(
        "shortest-nearest",
        "order of the dependents of a head: shortest-nearest (shorter subtrees nearer to it, equal sizes in original "
        "order; the least length), longest-nearest (the greatest), original (their order in the text)",
        choices=("shortest-nearest", "longest-nearest", "original"),
    )


@permuter(
    "rb",
    gives="placement",
    what="right-branching: all dependents after their head",
    source=SOURCE,
    config=Branching,
)
def right_branching(treebank: Treebank, request: Request) -> Ints:
    return _distance_rank(treebank, request.config.siblings)


@permuter(
    "lb",
    gives="placement",
    what="left-branching: all dependents before their head; the mirror image of rb, word by word (with --siblings "
    "original the siblings alone keep their order)",
    source=SOURCE,
    config=Branching,
)
def left_branching(treebank: Treebank, request: Request) -> Ints:
    siblings = request.config.siblings
    if siblings == "original":  # the last one in the text stands nearest
        return rank_in_group(treebank) - 1 - treebank.n_words
    return -_distance_rank(treebank, siblings)


def _distance_rank(treebank: Treebank, siblings: str) -> Ints:
    size = treebank.subtree_size
    keys = {"shortest-nearest": (size,), "longest-nearest": (-size,), "original": ()}[siblings]
    return rank_in_group(treebank, *keys)
