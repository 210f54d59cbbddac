"""The choice between optimal orders by preferences of words: as good as enumeration finds."""

from random import Random

import definitions as naive
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import batches, random_heads

from permtree import Treebank
from permtree.kernels.linearize import linearize
from permtree.kernels.optimal_sides import OptimalSides


def gained(heads, order, preference):
    """The sum of preferences over the words after their head."""
    return sum(preference[word - 1] for word, after in naive.sides(heads, order).items() if after)


def assert_best(sentences, preferences):
    """One preference a word; all sentences at once."""
    treebank = Treebank.from_heads(sentences)
    side = OptimalSides(treebank).best(np.array([value for one in preferences for value in one]))
    assert set(side.tolist()) <= {-1, 1}
    assert (side[treebank.head < 0] == 1).all()
    order = linearize(treebank, side * treebank.subtree_size)
    optimal_orders = {tuple(heads): naive.optimal_orders(heads) for heads in set(map(tuple, sentences))}
    for number, (heads, preference) in enumerate(zip(sentences, preferences, strict=True)):
        begin, end = treebank.sentence_start[number : number + 2].tolist()
        new = tuple((order[begin:end] - begin + 1).tolist())
        optimal = optimal_orders[tuple(heads)]
        assert new in optimal
        assert naive.sides(heads, new) == {
            word: side[begin + word - 1] > 0 for word in naive.words_of(heads) if heads[word - 1]
        }
        assert gained(heads, new, preference) == max(gained(heads, order, preference) for order in optimal)


def random_preferences(rng, sentences, most):
    return [[rng.randint(-most, most) for _ in heads] for heads in sentences]


@pytest.mark.parametrize("most", [1, 3, 10**6])
def test_all_small_forests(most):
    sentences = naive.forests_up_to(5)
    assert_best(sentences, random_preferences(Random(most), sentences, most))


def test_all_trees_of_four_words_with_every_preference_of_three():
    for heads in naive.trees(4):
        values = [[(code // 3**i) % 3 - 1 for i in range(4)] for code in range(3**4)]
        assert_best([heads] * len(values), values)


def test_trees_of_six_and_seven_words():
    rng = Random(67)
    sentences = [random_heads(rng, n, roots) for n in (6, 7) for roots in (1, 1, 1, 2) for _ in range(12)]
    assert_best(sentences, random_preferences(rng, sentences, 4))


@pytest.mark.long
def test_all_trees_of_six_words():
    rng = Random(6)
    assert_best(naive.trees(6), random_preferences(rng, naive.trees(6), 3))


EQUAL_SIZES = [
    (2, 0, 2, 2, 2, 2),
    (0, 1, 2, 2, 2, 2, 2),
    (3, 3, 0, 3, 4, 4, 4, 4),
    (0, 1, 1, 2, 3, 1, 1),
    (4, 4, 4, 5, 0, 5, 5, 7),
    (0, 1, 1, 1, 2, 3, 4),
    (0, 1, 2, 3, 1, 2, 3, 4),
    (2, 3, 0, 3, 4, 3, 6, 3),
]


@pytest.mark.parametrize("heads", EQUAL_SIZES)
def test_many_subtrees_of_equal_size(heads):
    rng = Random(8)
    assert_best([heads] * 20, random_preferences(rng, [heads] * 20, 3))


@given(sentences=batches(), seed=st.integers(0, 999))
def test_a_sentence_answers_alone_as_in_a_treebank(sentences, seed):
    preferences = random_preferences(Random(seed), sentences, 5)
    together = OptimalSides(Treebank.from_heads(sentences)).best(np.concatenate(preferences))
    alone = [
        OptimalSides(Treebank.from_heads([heads])).best(np.array(preference))
        for heads, preference in zip(sentences, preferences, strict=True)
    ]
    assert together.tolist() == np.concatenate(alone).tolist()


@given(sentences=batches(), seed=st.integers(0, 999))
def test_the_length_is_minimal_whatever_the_preferences(sentences, seed):
    treebank = Treebank.from_heads(sentences)
    preference = np.concatenate(random_preferences(Random(seed), sentences, 5))
    sides = OptimalSides(treebank)
    found = [linearize(treebank, sides.best(values) * treebank.subtree_size) for values in (preference, 0 * preference)]
    lengths = []
    for order in found:
        new = [order[a:b] - a + 1 for a, b in zip(treebank.sentence_start, treebank.sentence_start[1:], strict=False)]
        lengths.append(
            [naive.dependency_length(heads, tuple(one.tolist())) for heads, one in zip(sentences, new, strict=True)]
        )
    assert lengths[0] == lengths[1]


def test_the_same_trees_answer_different_preferences():
    sides = OptimalSides(Treebank.from_heads([[0, 1]]))
    assert sides.best(np.array([0, 5])).tolist() == [1, 1]
    assert sides.best(np.array([0, -5])).tolist() == [1, -1]
    assert sides.best(np.array([-9, 5])).tolist() == [1, 1]


def test_no_words():
    assert OptimalSides(Treebank.from_bytes(b"")).best(np.zeros(0)).tolist() == []
    assert OptimalSides(Treebank.from_heads([[0], [0, 0]])).best(np.ones(3)).tolist() == [1, 1, 1]
