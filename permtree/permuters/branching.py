"""Fully left- and right-branching orders: zero arc-direction entropy, short subtrees near the head."""

from ..linearize import rank_in_group
from ..treebank import Treebank
from ..types import Ints
from . import Request, permuter

SOURCE = "Gulordava & Merlo (2016), TACL 4, section 3"


@permuter(
    "rb",
    gives="placement",
    what="right-branching: all dependents after their head, shorter subtrees nearer, equal sizes in original order",
    source=SOURCE,
)
def right_branching(treebank: Treebank, request: Request) -> Ints:
    return rank_in_group(treebank, treebank.subtree_size)


@permuter(
    "lb",
    gives="placement",
    what="left-branching: all dependents before their head; the mirror image of rb, word by word",
    source=SOURCE,
)
def left_branching(treebank: Treebank, request: Request) -> Ints:
    return -rank_in_group(treebank, treebank.subtree_size)
