"""The least length over all orders: against enumeration, and in sentences of thousands of words."""

from __future__ import annotations

from itertools import product
from random import Random

import numpy as np
import pytest
from definitions import (
    forests_up_to,
    minimal_unrestricted_length,
    minimal_unrestricted_length_by_search,
    trees,
    trees_up_to,
)
from strategies import random_heads

from permtree import Treebank
from permtree.kernels.optimal import minimal_lengths
from permtree.kernels.unrestricted import minimal_unrestricted_lengths


def lengths(sentences) -> list[int]:
    return minimal_unrestricted_lengths(Treebank.from_heads(sentences)).tolist()


def test_the_definition_is_what_enumeration_finds():
    for heads in trees_up_to(5):
        assert minimal_unrestricted_length(heads) == minimal_unrestricted_length_by_search(heads), heads


def test_each_forest_of_up_to_five_words():
    sentences = forests_up_to(5)
    assert lengths(sentences) == [minimal_unrestricted_length(heads) for heads in sentences]


def test_each_shape_of_six_and_seven_words():
    sentences = [(0, *above) for n in (6, 7) for above in product(*(range(1, word) for word in range(2, n + 1)))]
    assert lengths(sentences) == [minimal_unrestricted_length(heads) for heads in sentences]


@pytest.mark.long
def test_each_tree_of_six_words():
    assert lengths(trees(6)) == [minimal_unrestricted_length(heads) for heads in trees(6)]


def few_large_subtrees(rng: Random, n: int) -> list[int]:
    """A root with some subtrees of nearly equal size: where orders with crossing arcs can be shorter."""
    heads, parts = [0], []
    for _ in range(min(rng.randint(3, 6), n - 1)):
        heads.append(1)
        parts.append([len(heads)])
    while len(heads) < n:
        part = min(parts, key=len) if rng.random() < 0.8 else rng.choice(parts)
        heads.append(rng.choice(part))
        part.append(len(heads))
    return heads


def drawn(seed: int, n_trees: int, longest: int) -> list[list[int]]:
    rng = Random(seed)
    sentences = [random_heads(rng, rng.randint(6, longest), rng.choice([1, 1, 2])) for _ in range(n_trees)]
    return sentences + [few_large_subtrees(rng, rng.randint(6, longest)) for _ in range(n_trees)]


@pytest.mark.parametrize(("n_trees", "longest"), [(100, 8), (20, 11), pytest.param(200, 14, marks=pytest.mark.long)])
def test_random_trees(n_trees, longest):
    sentences = drawn(longest, n_trees, longest)
    assert lengths(sentences) == [minimal_unrestricted_length(tuple(heads)) for heads in sentences]


def test_no_order_of_the_least_projective_length_is_shorter_and_some_are_longer():
    sentences = drawn(1, 300, 60)
    treebank = Treebank.from_heads(sentences)
    projective = np.bincount(treebank.sentence_of, minimal_lengths(treebank), treebank.n_sentences)
    unrestricted = minimal_unrestricted_lengths(treebank)
    assert (unrestricted <= projective).all()
    assert (unrestricted < projective).sum() > 10


def test_chains_and_stars_of_thousands_of_words():
    n = 5000
    star, broom = [0, *[1] * (n - 1)], [*range(n), *[n] * n]  # a broom: a chain with a star at its end
    found = lengths([list(range(n)), [*range(2, n + 1), 0], star, [2, 0, *[2] * (n - 2)], broom])
    assert found == [n - 1, n - 1, n * n // 4, n * n // 4, n - 2 + (n + 2) ** 2 // 4]


def test_the_same_tree_costs_the_same_whatever_its_root():
    rng = Random(3)
    for _ in range(30):
        heads = few_large_subtrees(rng, 40)
        neighbours = {word: set() for word in range(1, 41)}
        for word, head in enumerate(heads, 1):
            if head:
                neighbours[word].add(head)
                neighbours[head].add(word)
        rerooted = []
        for root in (1, 17, 40):
            new, waiting = {root: 0}, [root]
            for word in waiting:
                for other in neighbours[word] - new.keys():
                    new[other] = word
                    waiting.append(other)
            rerooted.append([new[word] for word in range(1, 41)])
        assert len(set(lengths(rerooted))) == 1


def test_empty_sentences_and_none():
    assert lengths([]) == []
    treebank = Treebank.from_heads([[0], [0, 0], [2, 0]])
    assert minimal_unrestricted_lengths(treebank).tolist() == [0, 0, 1]
