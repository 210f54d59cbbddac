"""Naive definitions, obviously right, that the fast kernels are tested against.

A sentence is its list of heads, counted from 1, with 0 for a root: [2, 0, 2] is a root in the middle of two dependents.
An order is a tuple of word numbers: (2, 1, 3) puts the second word first.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from functools import cache
from itertools import combinations, permutations, product

Heads = Sequence[int]
Order = tuple[int, ...]


# -- trees and forests ---------------------------------------------------------------------------------------------


def is_forest(heads: Heads) -> bool:
    """Every word reaches a root by going from head to head."""
    return all(_reaches_root(heads, word) for word in words_of(heads))


def _reaches_root(heads: Heads, word: int) -> bool:
    for _ in heads:
        word = heads[word - 1]
        if word == 0:
            return True
    return False


@cache
def forests(n: int) -> tuple[tuple[int, ...], ...]:
    """All head lists of n words without cycles, with one root or several."""
    return tuple(heads for heads in product(range(n + 1), repeat=n) if is_forest(heads))


@cache
def trees(n: int) -> tuple[tuple[int, ...], ...]:
    """All head lists of n words with one root and without cycles: n ** (n - 1) of them."""
    return tuple(heads for heads in forests(n) if heads.count(0) == 1)


def trees_up_to(n: int) -> list[tuple[int, ...]]:
    return [heads for size in range(1, n + 1) for heads in trees(size)]


def forests_up_to(n: int) -> list[tuple[int, ...]]:
    return [heads for size in range(1, n + 1) for heads in forests(size)]


def words_of(heads: Heads) -> range:
    return range(1, len(heads) + 1)


def dependents(heads: Heads, head: int) -> list[int]:
    """The words that hang on `head`; for 0, the roots."""
    return [word for word in words_of(heads) if heads[word - 1] == head]


def subtree(heads: Heads, top: int) -> set[int]:
    """A word and all that hangs on it, near and far."""
    return {top}.union(*(subtree(heads, word) for word in dependents(heads, top)))


def depth(heads: Heads, word: int) -> int:
    """Arcs between a word and its root."""
    head = heads[word - 1]
    return 0 if head == 0 else 1 + depth(heads, head)


def nearest_kept(heads: Heads, word: int, kept: set[int]) -> int:
    """The nearest ancestor that is kept, 0 if there is none."""
    head = heads[word - 1]
    return head if head == 0 or head in kept else nearest_kept(heads, head, kept)


def without_words(heads: Heads, kept: set[int]) -> list[int]:
    """The heads of the kept words, renumbered, each hanging on its nearest kept ancestor."""
    number = {0: 0} | {word: place for place, word in enumerate(sorted(kept), 1)}
    return [number[nearest_kept(heads, word, kept)] for word in sorted(kept)]


# -- arcs in an order ----------------------------------------------------------------------------------------------


def original(heads: Heads) -> Order:
    return tuple(words_of(heads))


def arcs(heads: Heads) -> list[tuple[int, int]]:
    """(head, dependent) of all words but the roots."""
    return [(head, word) for word, head in enumerate(heads, 1) if head]


def dependency_length(heads: Heads, order: Order) -> int:
    """The sum of the distances between heads and dependents, neighbours being at distance 1."""
    place = {word: i for i, word in enumerate(order)}
    return sum(abs(place[head] - place[word]) for head, word in arcs(heads))


def crossings(heads: Heads) -> int:
    """Pairs of arcs a < b < c < d of which one joins a and c, the other b and d."""
    spans = [(min(arc), max(arc)) for arc in arcs(heads)]
    return sum(a < b < c < d or b < a < d < c for (a, c), (b, d) in combinations(spans, 2))


def nonprojective_words(heads: Heads) -> list[int]:
    """Words such that some word strictly between them and their head is not below the head."""
    return [
        word
        for head, word in arcs(heads)
        if not set(range(min(head, word) + 1, max(head, word))) <= subtree(heads, head)
    ]


def is_projective(heads: Heads, order: Order) -> bool:
    """Every subtree stands together."""
    place = {word: i for i, word in enumerate(order)}
    places = ([place[word] for word in subtree(heads, top)] for top in words_of(heads))
    return all(max(own) - min(own) + 1 == len(own) for own in places)


def sides(heads: Heads, order: Order) -> dict[int, bool]:
    """For every word with a head: whether it stands after it."""
    place = {word: i for i, word in enumerate(order)}
    return {word: place[word] > place[head] for head, word in arcs(heads)}


def words_on_their_side(heads: Heads, order: Order) -> int:
    """Words that stand on the same side of their head as in the original order."""
    before = sides(heads, original(heads))
    return sum(side == before[word] for word, side in sides(heads, order).items())


# -- all orders ----------------------------------------------------------------------------------------------------


def projective_orders_by_search(heads: Heads) -> list[Order]:
    """All orders in which every subtree stands together, found among all n! orders (one tree only)."""
    return [order for order in permutations(words_of(heads)) if is_projective(heads, order)]


def projective_orders(heads: Heads) -> list[Order]:
    """The same, built from the leaves up. The trees of several roots follow each other in the order of the roots."""
    return [
        tuple(word for part in parts for word in part)
        for parts in product(*(_orders_below(heads, root) for root in dependents(heads, 0)))
    ]


def _orders_below(heads: Heads, top: int) -> list[Order]:
    blocks = [[(top,)]] + [_orders_below(heads, word) for word in dependents(heads, top)]
    return [
        tuple(word for block in arrangement for word in block)
        for chosen in product(*blocks)
        for arrangement in permutations(chosen)
    ]


def optimal_orders(heads: Heads) -> list[Order]:
    """All projective orders of minimal dependency length."""
    orders = projective_orders(heads)
    lengths = [dependency_length(heads, order) for order in orders]
    return [order for order, length in zip(orders, lengths, strict=True) if length == min(lengths)]


def minimal_length(heads: Heads) -> int:
    return min(dependency_length(heads, order) for order in projective_orders(heads))


def maximal_length(heads: Heads) -> int:
    return max(dependency_length(heads, order) for order in projective_orders(heads))


def linearize(heads: Heads, keys: Sequence[float]) -> Order:
    """The order that keys ask for: a negative key stands left of the head, a positive one right, small ones near it."""
    return tuple(word for root in dependents(heads, 0) for word in _linearize_below(heads, keys, root))


def _linearize_below(heads: Heads, keys: Sequence[float], top: int) -> list[int]:
    below = sorted(dependents(heads, top), key=lambda word: (keys[word - 1], word))
    left = [word for word in below if keys[word - 1] < 0]
    right = [word for word in below if keys[word - 1] > 0]
    before = [word for part in left for word in _linearize_below(heads, keys, part)]
    after = [word for part in right for word in _linearize_below(heads, keys, part)]
    return [*before, top, *after]


# -- closed forms, themselves checked against enumeration ------------------------------------------------------------


def n_projective_orders(heads: Heads) -> int:
    """Each head is arranged together with its dependents in any way."""
    return math.prod(math.factorial(len(dependents(heads, word)) + 1) for word in words_of(heads))


def n_optimal_orders(heads: Heads) -> int:
    """Subtrees of equal size may change places; a free pair of different sizes may change sides, and so may a last one
    without a partner. Pairs are free from a root's largest dependent on, elsewhere from the second largest on."""
    return math.prod(_n_optimal_choices(heads, word) for word in words_of(heads))


def log2_n_optimal_orders(heads: Heads) -> float:
    return sum(math.log2(_n_optimal_choices(heads, word)) for word in words_of(heads))


def _n_optimal_choices(heads: Heads, head: int) -> int:
    sizes = sorted((len(subtree(heads, word)) for word in dependents(heads, head)), reverse=True)
    equal = math.prod(math.factorial(sizes.count(size)) for size in set(sizes))
    free = sizes if heads[head - 1] == 0 else sizes[1:]
    pairs = [free[i : i + 2] for i in range(0, len(free), 2)]
    return equal * 2 ** sum(len(pair) == 1 or pair[0] != pair[1] for pair in pairs)


def expected_projective_length(heads: Heads) -> Fraction:
    """The mean dependency length over all projective orders of one tree."""
    total = sum(len(subtree(heads, word)) * (2 * len(dependents(heads, word)) + 1) for word in words_of(heads))
    return Fraction(total - 1, 6)


def mean_projective_length(heads: Heads) -> Fraction:
    """The same by enumeration."""
    orders = projective_orders(heads)
    return Fraction(sum(dependency_length(heads, order) for order in orders), len(orders))


def expected_length(heads: Heads) -> Fraction:
    """The mean dependency length over all n! orders of one tree."""
    return Fraction(len(heads) ** 2 - 1, 3)


def mean_length(heads: Heads) -> Fraction:
    """The same by enumeration."""
    orders = list(permutations(words_of(heads)))
    return Fraction(sum(dependency_length(heads, order) for order in orders), len(orders))
