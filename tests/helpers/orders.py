"""Short ways to ask a permuter for its orders, and a test of uniformity."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from scipy.stats import chisquare

from permtree.permuters import PERMUTERS, Request
from permtree.permuting import Permutation, order_of
from permtree.treebank import Treebank

Order = tuple[int, ...]


def orders(treebank: Treebank, mode: str, seed: int = 0, /, **options: object) -> list[Order]:
    """The new order of each sentence: its word numbers, from 1. What the mode learns, it learns from this treebank."""
    permuter = PERMUTERS[mode]
    request = Request(seed, permuter.configured(options))
    learnt = Permutation(mode, seed, config=options)
    if learnt.needs_rule:
        request.rule = learnt.learnt(treebank).rule.content
    order = order_of(treebank, permuter, request)
    start = treebank.sentence_start.tolist()
    return [tuple((order[a:b] - a + 1).tolist()) for a, b in zip(start[:-1], start[1:], strict=True)]


def order(heads: Sequence[int], mode: str, seed: int = 0, /, **options: object) -> Order:
    """The new order of one sentence."""
    return orders(Treebank.from_heads([heads]), mode, seed, **options)[0]


def assert_uniform(drawn: Iterable[Order], possible: Iterable[Order]) -> None:
    """All possible orders are drawn, no others, and each about as often as any other.

    The seeds of the tests are fixed, so that this either always fails or never.
    """
    counts = Counter(drawn)
    possible = list(possible)
    assert set(counts) <= set(possible)
    if len(possible) > 1:
        assert chisquare([counts[order] for order in possible]).pvalue > 0.001
