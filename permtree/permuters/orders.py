"""Which word order a treebank has, by the signatures in it, and whether two have the same."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ..editing.trace import Trace
from ..signature import Signature
from ..treebank import Treebank
from . import PERMUTERS

_NOT_OF_THE_ORDER = ("punct", "roots", "nonprojective", "mwt", "permtree")
ORIGINAL = "original"


def order_named(levels: Sequence[str]) -> str:
    """What a sentence's signatures, the oldest first, say of its order: modes with their options and seeds, not the
    policies, nor what was learnt from the file itself."""
    named = [_of_mode(Signature.parse(level)) for level in levels]
    return " then ".join(name for name in named if name != ORIGINAL) or ORIGINAL


def _of_mode(signature: Signature) -> str:
    if not PERMUTERS.has(signature.name):
        return str(signature.without(*_NOT_OF_THE_ORDER))
    kept = {"seed", *PERMUTERS[signature.name].options}
    return str(signature.without(*(key for key in signature if key not in kept)))


def orders_of(treebank: Treebank) -> set[str]:
    """The orders of the sentences of a treebank, as `order_named` has them."""
    return {order_named(levels) for levels in Trace.of(treebank.text).orders(treebank.sentence)}


def other_order(known: set[str], found: set[str], what: str, is_of: str) -> list[str]:
    """A line where a treebank has orders that are not among the known ones. what, is_of: whose order is which."""
    unlike = sorted(found - known)
    return [f"{what} in the order {_listed(unlike)}, but {is_of} {_listed(sorted(known))}"] if unlike and known else []


def _listed(orders: Iterable[str]) -> str:
    first, *others = orders
    return first + (f" (and {len(others)} more)" if others else "")
