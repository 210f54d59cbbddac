"""From placements to orders, against a recursive definition."""

import definitions as naive
import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from strategies import selections

from permtree.kernels.linearize import linearize, positions, rank_in_group
from permtree.treebank import Treebank


def orders_of(treebank: Treebank, order: np.ndarray) -> list[tuple[int, ...]]:
    """Rows in their new order as one tuple of word numbers per sentence."""
    start = treebank.sentence_start.tolist()
    return [tuple((order[a:b] - a + 1).tolist()) for a, b in zip(start[:-1], start[1:], strict=True)]


def naive_orders(treebank: Treebank, sentences, keys: np.ndarray) -> list[tuple[int, ...]]:
    start = treebank.sentence_start.tolist()
    return [
        naive.linearize(heads, keys[a : a + len(heads)].tolist()) for a, heads in zip(start, sentences, strict=False)
    ]


def nonzero_keys(n_words: int, seed: int) -> np.ndarray:
    """Few different values, so that many words of one head have equal keys."""
    return np.random.default_rng(seed).choice([-3.5, -1.0, -0.25, 0.25, 1.0, 3.5], n_words)


def test_all_forests_of_up_to_five_words():
    sentences = naive.forests_up_to(5)
    treebank = Treebank.from_heads(sentences)
    for seed in range(8):
        keys = nonzero_keys(treebank.n_words, seed)
        assert orders_of(treebank, linearize(treebank, keys)) == naive_orders(treebank, sentences, keys)


@given(selections(), st.integers(0, 2**32))
def test_random_batches(case, seed):
    keys = nonzero_keys(case.treebank.n_words, seed)
    order = linearize(case.treebank, keys)
    assert orders_of(case.treebank, order) == naive_orders(case.treebank, case.sentences, keys)


@given(selections(), st.integers(0, 2**32))
def test_whole_numbers_are_keys_too(case, seed):
    keys = np.random.default_rng(seed).choice([-2, -1, 1, 2], case.treebank.n_words)
    order = linearize(case.treebank, keys)
    assert orders_of(case.treebank, order) == naive_orders(case.treebank, case.sentences, keys)


def test_every_projective_order_can_be_asked_for():
    """Keys read off a projective order bring that order back."""
    for heads in naive.trees(4):
        for order in naive.projective_orders(heads):
            place = {word: i for i, word in enumerate(order)}
            keys = [place[word] - place[head] if head else 0 for word, head in enumerate(heads, 1)]
            treebank = Treebank.from_heads([heads])
            assert orders_of(treebank, linearize(treebank, np.array(keys))) == [order]


def test_equal_keys_keep_the_original_order_on_both_sides():
    treebank = Treebank.from_heads([[5, 5, 5, 5, 0]])
    order = linearize(treebank, np.array([-1, 1, -1, 1, 9]))
    assert orders_of(treebank, order) == [(1, 3, 5, 2, 4)]


def test_no_recursion_over_a_deep_tree():
    n = 20_000
    treebank = Treebank.from_heads([list(range(n))])
    assert orders_of(treebank, linearize(treebank, -np.ones(n))) == [tuple(range(n, 0, -1))]


@given(st.permutations(range(20)))
def test_positions_is_the_inverse_of_an_order(order):
    order = np.array(order)
    assert positions(order)[order].tolist() == list(range(20))
    assert order[positions(order)].tolist() == list(range(20))


@given(selections(), st.integers(0, 2**32))
def test_rank_in_group(case, seed):
    treebank = case.treebank
    rng = np.random.default_rng(seed)
    first, second = rng.integers(0, 3, treebank.n_words), rng.integers(0, 3, treebank.n_words)
    expected = []
    for begin, heads in zip(treebank.sentence_start.tolist(), case.sentences, strict=False):
        rank = dict.fromkeys(naive.words_of(heads), 0)
        for head in naive.words_of(heads):
            group = naive.dependents(heads, head)
            group.sort(key=lambda word: (first[begin + word - 1], second[begin + word - 1], word))
            rank |= {word: place for place, word in enumerate(group, 1)}
        expected += rank.values()
    assert rank_in_group(treebank, first, second).tolist() == expected
