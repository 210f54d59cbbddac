"""Naive definitions, obviously right, that the fast kernels are tested against.

A sentence is its list of heads, counted from 1, with 0 for a root: [2, 0, 2] is a root in the middle of two dependents.
An order is a tuple of word numbers: (2, 1, 3) puts the second word first.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from itertools import combinations, permutations, product
from random import Random

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


def crossing_arcs(heads: Heads, word: int) -> list[tuple[int, int]]:
    """The arcs that cross the arc on which a word hangs: one end strictly under it, the other strictly outside."""
    low, high = sorted((word, heads[word - 1]))
    return [
        arc
        for arc in arcs(heads)
        if sorted(low < end < high for end in arc) == [False, True] and not {low, high} & set(arc)
    ]


def is_one_endpoint_crossing(heads: Heads, word: int) -> bool:
    """All arcs that cross the arc on which a word hangs have one word in common, or there are none."""
    across = crossing_arcs(heads, word)
    return not across or bool(set.intersection(*(set(arc) for arc in across)))


def gap_degree(heads: Heads, top: int) -> int:
    """The gaps of a word's subtree: places where the next of its words isn't the next in the text."""
    own = sorted(subtree(heads, top))
    return sum(b - a > 1 for a, b in zip(own, own[1:], strict=False))


def interveners(heads: Heads, word: int) -> int:
    """Words strictly between a word and its head that are heads themselves."""
    low, high = sorted((word, heads[word - 1]))
    return sum(bool(dependents(heads, between)) for between in range(low + 1, high))


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


def minimal_unrestricted_length_by_search(heads: Heads) -> int:
    """The least length of all n! orders."""
    return min(dependency_length(heads, order) for order in permutations(words_of(heads)))


@cache
def minimal_unrestricted_length(heads: tuple[int, ...]) -> int:
    """The same, of sets of first words (bits) instead of orders: each set adds the arcs that leave it."""
    ends = [(1 << head - 1, 1 << word - 1) for head, word in arcs(heads)]
    least = [0] * (1 << len(heads))
    for first in range(1, len(least)):
        before = min(least[first & ~(1 << word)] for word in range(len(heads)) if first >> word & 1)
        least[first] = before + sum(bool(first & a) != bool(first & b) for a, b in ends)
    return least[-1]


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


def crossings_by_chance(heads: Heads) -> tuple[Fraction, Fraction]:
    """Mean and variance of the number of crossings over all n! orders."""
    return _crossings_by_chance(len(heads), frozenset(frozenset(arc) for arc in arcs(heads)))


@cache
def _crossings_by_chance(n: int, pairs: frozenset[frozenset[int]]) -> tuple[Fraction, Fraction]:
    ends = [tuple(pair) for pair in pairs]
    counts = []
    for place in permutations(range(n)):
        spans = [sorted((place[a - 1], place[b - 1])) for a, b in ends]
        counts.append(sum(a < b < c < d or b < a < d < c for (a, c), (b, d) in combinations(spans, 2)))
    mean = Fraction(sum(counts), len(counts))
    return mean, Fraction(sum(count**2 for count in counts), len(counts)) - mean**2


@cache
def projective_trees(n: int) -> tuple[tuple[int, ...], ...]:
    """All projective trees of n words with one root."""
    return tuple(heads for heads in trees(n) if is_projective(heads, original(heads)))


def projective_ceiling(heads: Heads) -> int:
    """The most words that a projective tree with one root gives their own head."""
    others = projective_trees(len(heads))
    return max(sum(a == b for a, b in zip(heads, other, strict=True)) for other in others)


def one_sided_orders(heads: Heads, after: bool) -> list[Order]:
    """All projective orders in which every dependent stands after its head (or every one before it)."""
    return [order for order in projective_orders(heads) if all(side == after for side in sides(heads, order).values())]


def planar_orders(heads: Heads) -> list[Order]:
    """All orders in which no two arcs cross, found among all n! orders (one tree only)."""
    return [order for order in permutations(words_of(heads)) if crossings(heads_in(heads, order)) == 0]


def heads_in(heads: Heads, order: Order) -> list[int]:
    """The heads of the words of an order, from its first word to its last, counted in the new order."""
    place = {0: 0} | {word: new for new, word in enumerate(order, 1)}
    return [place[heads[word - 1]] for word in order]


def root_of(heads: Heads, word: int) -> int:
    """The root of the tree that a word is in."""
    head = heads[word - 1]
    return word if head == 0 else root_of(heads, head)


def arcs_over_their_root(heads: Heads, order: Order) -> int:
    """Arcs that pass over the root of their tree."""
    place = {word: i for i, word in enumerate(order)}
    ends = [(sorted((place[head], place[word])), place[root_of(heads, word)]) for head, word in arcs(heads)]
    return sum(low < root < high for (low, high), root in ends)


def discordant_pairs(one: Sequence[int], other: Sequence[int]) -> int:
    """Pairs of words whose order differs, given the place of each word in two orders."""
    return sum((one[i] < one[j]) != (other[i] < other[j]) for i, j in combinations(range(len(one)), 2))


def squared_displacement(order: Order) -> int:
    """Sum over words of the squared difference between new and old place."""
    return sum((word - new) ** 2 for new, word in enumerate(order, 1))


# -- sentences with relations and tags -----------------------------------------------------------------------------


@dataclass(frozen=True)
class Sentence:
    """A sentence of which relations (`root` for roots) and UPOS are known too."""

    heads: tuple[int, ...]
    relations: tuple[str, ...]
    tags: tuple[str, ...]

    def kind(self, word: int) -> tuple[str, str, str]:
        """The type of a word's arc: relation, UPOS of the head, UPOS of the word."""
        return self.relations[word - 1], self.tags[self.heads[word - 1] - 1], self.tags[word - 1]

    def conllu(self, name: str) -> str:
        """The lines of a file; words are named by their number."""
        columns = enumerate(zip(self.tags, self.heads, self.relations, strict=True), 1)
        lines = [f"{n}\tw{n}\t_\t{tag}\t_\t_\t{head}\t{relation}\t_\t_\n" for n, (tag, head, relation) in columns]
        return f"# sent_id = {name}\n" + "".join(lines) + "\n"


def sides_by_kind(
    sentences: Sequence[Sentence], new: Sequence[Order] | None = None
) -> list[tuple[tuple[str, str, str], bool]]:
    """The type of every arc and whether its dependent stands after its head, in the text or in new orders."""
    found = []
    for sentence, order in zip(sentences, new or [original(s.heads) for s in sentences], strict=True):
        found += [(sentence.kind(word), after) for word, after in sides(sentence.heads, order).items()]
    return found


def labelled(rng: Random, heads: Heads, relations: Sequence[str], tags: Sequence[str]) -> Sentence:
    """A tree with relations and tags drawn at random."""
    drawn = tuple(rng.choice(relations) if head else "root" for head in heads)
    return Sentence(tuple(heads), drawn, tuple(rng.choice(tags) for _ in heads))


def as_file(sentences: Sequence[Sentence], prefix: str = "s") -> bytes:
    """CoNLL-U of sentences, named s0, s1 ..."""
    return "".join(sentence.conllu(f"{prefix}{number}") for number, sentence in enumerate(sentences)).encode()


def in_text_order(heads: Heads, after: dict[int, bool]) -> Order:
    """The projective order with every dependent on a given side, siblings on one side as they stand in the text."""
    keys = [word if after.get(word, True) else word - len(heads) - 1 for word in words_of(heads)]
    return linearize(heads, keys)
