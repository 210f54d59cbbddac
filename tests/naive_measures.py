"""Every measure from its definition, for one sentence given as its heads: in plain Python, exact where it can be.

Counts over sentences are pairs (numerator, denominator), so that they can be summed before they are divided.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable
from fractions import Fraction

from definitions import (
    Heads,
    arcs,
    crossings,
    dependency_length,
    dependents,
    depth,
    expected_projective_length,
    log2_n_optimal_orders,
    minimal_length,
    nonprojective_words,
    original,
    subtree,
    words_of,
)

Number = float | Fraction


def tree_of(heads: Heads, root: int) -> list[int]:
    """The heads of one root's tree by itself, its words renumbered in their order."""
    number = {0: 0} | {word: place for place, word in enumerate(sorted(subtree(heads, root)), 1)}
    return [number[heads[word - 1]] for word in sorted(subtree(heads, root))]


def trees_in(heads: Heads) -> list[list[int]]:
    return [tree_of(heads, root) for root in dependents(heads, 0)]


def length(heads: Heads, distance: Number, convention: str) -> Number:
    """The length of a sentence from the summed distance of its arcs, under a convention."""
    if convention == "distance":
        return distance
    if convention == "span":
        return distance + len(arcs(heads))
    return 0 if len(heads) < 2 else distance + len(arcs(heads)) + len(dependents(heads, 0))


def dl(heads: Heads, convention: str) -> Number:
    return length(heads, dependency_length(heads, original(heads)), convention)


def dl_min(heads: Heads, convention: str) -> Number:
    return length(heads, sum(minimal_length(tree) for tree in trees_in(heads)), convention)


def dl_expected_projective(heads: Heads, convention: str) -> Number:
    return length(heads, sum(expected_projective_length(tree) for tree in trees_in(heads)), convention)


def dl_expected(heads: Heads, convention: str) -> Number:
    """Two words drawn at random from n stand (n + 1)/3 apart."""
    return length(heads, len(arcs(heads)) * Fraction(len(heads) + 1, 3), convention)


def divided(pairs: Iterable[tuple[Number, Number]]) -> Number:
    """The sum of the numerators over the sum of the denominators; nan where there is nothing."""
    numerators, denominators = zip(*pairs, strict=True)
    return sum(numerators) / Fraction(sum(denominators)) if sum(denominators) else math.nan


def dlm_ratio(sentences: list[Heads], convention: str) -> Number:
    squares = [Fraction(len(heads) ** 2) for heads in sentences]
    pairs = [(dl(heads, convention), dl_min(heads, convention)) for heads in sentences]
    return divided((observed / n2, least / n2) for (observed, least), n2 in zip(pairs, squares, strict=True))


def omega(sentences: list[Heads]) -> Number:
    expected, observed, least = (sum(f(heads, "distance") for heads in sentences) for f in (dl_expected, dl, dl_min))
    return Fraction(expected - observed) / (expected - least) if expected != least else math.nan


def mdd(heads: Heads, convention: str) -> tuple[int, int]:
    per_arc = 0 if convention == "distance" else 1
    return sum(abs(head - word) + per_arc for head, word in arcs(heads)), len(arcs(heads))


def head_final(heads: Heads) -> tuple[int, int]:
    return sum(word < head for head, word in arcs(heads)), len(arcs(heads))


def nonprojective_arcs(heads: Heads) -> tuple[int, int]:
    return len(nonprojective_words(heads)), len(arcs(heads))


def branching_factor(heads: Heads) -> tuple[int, int]:
    return len(arcs(heads)), sum(bool(dependents(heads, word)) for word in words_of(heads))


def optimal_orders_log2(heads: Heads) -> float:
    return sum(log2_n_optimal_orders(tree) for tree in trees_in(heads))


def deepest(heads: Heads) -> int:
    return max(depth(heads, word) for word in words_of(heads))


def entropy(arcs_seen: Iterable[tuple[object, bool]]) -> float:
    """H(side | type) in nats, from the (type, side) of every arc."""
    pairs = Counter(arcs_seen)
    types: Counter[object] = Counter()
    for (kind, _), count in pairs.items():
        types[kind] += count
    whole = sum(types.values())
    return (
        sum(-count / whole * math.log(count / types[kind]) for (kind, _), count in pairs.items()) if whole else math.nan
    )


# name -> the value over sentences, given their heads and the length convention; entropy is apart, it needs tags
DEFINITIONS: dict[str, Callable[[list[Heads], str], Number]] = {
    "dl_total": lambda all_heads, convention: sum(dl(heads, convention) for heads in all_heads),
    "dl_min_total": lambda all_heads, convention: sum(dl_min(heads, convention) for heads in all_heads),
    "dl_expected_projective": lambda all_heads, convention: sum(
        dl_expected_projective(heads, convention) for heads in all_heads
    ),
    "dl_expected": lambda all_heads, convention: sum(dl_expected(heads, convention) for heads in all_heads),
    "dlm_ratio": dlm_ratio,
    "omega": lambda all_heads, convention: omega(all_heads),
    "mdd": lambda all_heads, convention: divided(mdd(heads, convention) for heads in all_heads),
    "head_final": lambda all_heads, convention: divided(map(head_final, all_heads)),
    "nonprojective_arcs": lambda all_heads, convention: divided(map(nonprojective_arcs, all_heads)),
    "nonprojective_sentences": lambda all_heads, convention: divided(
        (bool(nonprojective_words(heads)), 1) for heads in all_heads
    ),
    "crossings": lambda all_heads, convention: sum(crossings(heads) for heads in all_heads),
    "branching_factor": lambda all_heads, convention: divided(map(branching_factor, all_heads)),
    "depth": lambda all_heads, convention: divided((deepest(heads), 1) for heads in all_heads),
    "mean_sentence_length": lambda all_heads, convention: divided((len(heads), 1) for heads in all_heads),
    "optimal_orders_log2": lambda all_heads, convention: (
        sum(map(optimal_orders_log2, all_heads)) / len(all_heads) if all_heads else math.nan
    ),
}
