"""Every measure from its definition, for one sentence given as its heads: in plain Python, exact where it can be.

Counts over sentences are pairs (numerator, denominator), so that they can be summed before they are divided.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction
from itertools import combinations, permutations

from definitions import (
    Heads,
    Sentence,
    arcs,
    crossings,
    crossings_by_chance,
    dependency_length,
    dependents,
    depth,
    expected_projective_length,
    gap_degree,
    interveners,
    is_one_endpoint_crossing,
    log2_n_optimal_orders,
    minimal_length,
    minimal_unrestricted_length,
    nonprojective_words,
    original,
    projective_ceiling,
    sides_by_kind,
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


def dl_min_unrestricted(heads: Heads, convention: str) -> Number:
    return length(heads, minimal_unrestricted_length(tuple(heads)), convention)


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
    """The mean over those of three words or more for which it is defined."""
    values = []
    for heads in sentences:
        expected, observed, least = (f(heads, "distance") for f in (dl_expected, dl, dl_min_unrestricted))
        if len(heads) >= 3 and expected != least:
            values.append(Fraction(expected - observed) / (expected - least))
    return sum(values) / len(values) if values else math.nan


def omega_pooled(sentences: list[Heads]) -> Number:
    expected, observed, least = (sum(f(heads, "distance") for heads in sentences) for f in (dl_expected, dl, dl_min))
    return Fraction(expected - observed) / (expected - least) if expected != least else math.nan


def mdd(heads: Heads, convention: str) -> tuple[int, int]:
    per_arc = 0 if convention == "distance" else 1
    return sum(abs(head - word) + per_arc for head, word in arcs(heads)), len(arcs(heads))


def head_final(heads: Heads) -> tuple[int, int]:
    return sum(word < head for head, word in arcs(heads)), len(arcs(heads))


def nonprojective_arcs(heads: Heads) -> tuple[int, int]:
    return len(nonprojective_words(heads)), len(arcs(heads))


def crossings_z(heads: Heads) -> tuple[float, int]:
    mean, variance = crossings_by_chance(heads)
    return (float(crossings(heads) - mean) / math.sqrt(variance), 1) if variance else (0.0, 0)


def one_endpoint_arcs(heads: Heads) -> tuple[int, int]:
    return sum(is_one_endpoint_crossing(heads, word) for _, word in arcs(heads)), len(arcs(heads))


def gaps(heads: Heads) -> list[int]:
    return [gap_degree(heads, word) for word in words_of(heads)]


def intervener_complexity(heads: Heads) -> tuple[int, int]:
    return sum(interveners(heads, word) for _, word in arcs(heads)), len(arcs(heads))


def branching_factor(heads: Heads) -> tuple[int, int]:
    return len(arcs(heads)), sum(bool(dependents(heads, word)) for word in words_of(heads))


def optimal_orders_log2(heads: Heads) -> float:
    return sum(log2_n_optimal_orders(tree) for tree in trees_in(heads))


def deepest(heads: Heads) -> int:
    return max(depth(heads, word) for word in words_of(heads))


def entropy(events: Iterable[tuple[object, object]]) -> float:
    """H(outcome | context) in nats, from the (context, outcome) of every event, such as the type and side of an arc."""
    pairs = Counter(events)
    types: Counter[object] = Counter()
    for (kind, _), count in pairs.items():
        types[kind] += count
    whole = sum(types.values())
    return (
        sum(-count / whole * math.log(count / types[kind]) for (kind, _), count in pairs.items()) if whole else math.nan
    )


def dependent_type(sentence: Sentence, word: int) -> tuple[str, str]:
    """Relation and UPOS."""
    return sentence.relations[word - 1], sentence.tags[word - 1]


def pairs_of_siblings(sentences: Sequence[Sentence]) -> list[tuple[object, object]]:
    """All pairs of siblings of unlike types on one side: (UPOS of the head, side, types), and the nearer one's type."""
    found = []
    for sentence in sentences:
        for head in words_of(sentence.heads):
            for side in (-1, 1):
                group = [word for word in dependents(sentence.heads, head) if side * word > side * head]
                outwards = sorted(group, key=lambda word: abs(word - head))
                for near, far in combinations([dependent_type(sentence, word) for word in outwards], 2):
                    if near != far:
                        found.append(((sentence.tags[head - 1], side, frozenset((near, far))), near))
    return found


def orders_of_heads(sentences: Sequence[Sentence]) -> list[tuple[object, object]]:
    """All heads with a dependent: (UPOS, dependents of each type), and the order of types with "head" among them."""
    found = []
    for sentence in sentences:
        for head in words_of(sentence.heads):
            types = [dependent_type(sentence, word) for word in dependents(sentence.heads, head)]
            if types:
                before = [word for word in dependents(sentence.heads, head) if word < head]
                order = (*types[: len(before)], "head", *types[len(before) :])
                found.append(((sentence.tags[head - 1], frozenset(Counter(types).items())), order))
    return found


def n_orders(types: Sequence[object]) -> int:
    """In how many ways a head and its dependents can stand, if dependents of one type can't be told apart."""
    return len(set(permutations(["head", *types])))


# name -> the events that an entropy is taken of: (context, outcome) pairs of sentences with relations and tags
EVENTS: dict[str, Callable[[Sequence[Sentence]], Sequence[tuple[object, object]]]] = {
    "arc_direction_entropy": sides_by_kind,
    "sibling_order_entropy": pairs_of_siblings,
    "relation_order_entropy": orders_of_heads,
}

# name -> the value over sentences, given their heads and the length convention; entropies are apart, they need tags
DEFINITIONS: dict[str, Callable[[list[Heads], str], Number]] = {
    "dl_total": lambda all_heads, convention: sum(dl(heads, convention) for heads in all_heads),
    "dl_min_total": lambda all_heads, convention: sum(dl_min(heads, convention) for heads in all_heads),
    "dl_expected_projective": lambda all_heads, convention: sum(
        dl_expected_projective(heads, convention) for heads in all_heads
    ),
    "dl_expected": lambda all_heads, convention: sum(dl_expected(heads, convention) for heads in all_heads),
    "dlm_ratio": dlm_ratio,
    "dl_min_unrestricted": lambda all_heads, convention: sum(dl_min_unrestricted(h, convention) for h in all_heads),
    "omega": lambda all_heads, convention: omega(all_heads),
    "omega_pooled": lambda all_heads, convention: omega_pooled(all_heads),
    "mdd": lambda all_heads, convention: divided(mdd(heads, convention) for heads in all_heads),
    "head_final": lambda all_heads, convention: divided(map(head_final, all_heads)),
    "nonprojective_arcs": lambda all_heads, convention: divided(map(nonprojective_arcs, all_heads)),
    "nonprojective_sentences": lambda all_heads, convention: divided(
        (bool(nonprojective_words(heads)), 1) for heads in all_heads
    ),
    "crossings": lambda all_heads, convention: sum(crossings(heads) for heads in all_heads),
    "crossings_expected": lambda all_heads, convention: sum(crossings_by_chance(heads)[0] for heads in all_heads),
    "crossings_z": lambda all_heads, convention: divided(map(crossings_z, all_heads)),
    "gap_degree": lambda all_heads, convention: divided((max(gaps(heads)), 1) for heads in all_heads),
    "gap_degree_of_words": lambda all_heads, convention: divided((sum(gaps(heads)), len(heads)) for heads in all_heads),
    "one_endpoint_arcs": lambda all_heads, convention: divided(map(one_endpoint_arcs, all_heads)),
    "one_endpoint_sentences": lambda all_heads, convention: divided(
        (len({*one_endpoint_arcs(heads)}) == 1, 1) for heads in all_heads
    ),
    "projective_ceiling": lambda all_heads, convention: (
        100 * divided((projective_ceiling(heads), len(heads)) for heads in all_heads)
    ),
    "intervener_complexity": lambda all_heads, convention: divided(map(intervener_complexity, all_heads)),
    "branching_factor": lambda all_heads, convention: divided(map(branching_factor, all_heads)),
    "depth": lambda all_heads, convention: divided((deepest(heads), 1) for heads in all_heads),
    "mean_sentence_length": lambda all_heads, convention: divided((len(heads), 1) for heads in all_heads),
    "optimal_orders_log2": lambda all_heads, convention: (
        sum(map(optimal_orders_log2, all_heads)) / len(all_heads) if all_heads else math.nan
    ),
}


def jackknife(whole: float, without: list[float]) -> tuple[float, float, int]:
    """From the value of the whole and those without one part each: the value without its bias, its standard error and
    the degrees of freedom of that. Efron & Tibshirani (1993), chapters 10 and 11."""
    n = len(without)
    mean = math.fsum(without) / n
    error = math.sqrt((n - 1) / n * math.fsum((one - mean) ** 2 for one in without))
    return n * whole - (n - 1) * mean, error, n - 1
