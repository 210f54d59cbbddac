"""Distances of two orders, against pairs counted one by one and against scipy."""

from itertools import permutations

import definitions as naive
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import kendalltau

from permtree.kernels.inversions import displacements, swap_distances


def distances(orders):
    """Of the text to each of some orders, by the places of the words, as one treebank."""
    start = np.append(0, np.cumsum([len(places) for places in orders]))
    text = np.concatenate([np.arange(len(places)) for places in orders])
    other = np.concatenate([np.array(places, int) for places in orders])
    return swap_distances(start, text, other).tolist(), displacements(start, text, other).tolist()


def test_all_orders_of_up_to_six_words():
    orders = [places for n in range(7) for places in permutations(range(n))]
    swaps, moved = distances(orders)
    assert swaps == [naive.discordant_pairs(range(len(places)), places) for places in orders]
    assert moved == [sum(abs(place - i) for i, place in enumerate(places)) for places in orders]


@given(st.lists(st.integers(2, 60).flatmap(lambda n: st.permutations(range(n))), min_size=1, max_size=5))
def test_kendall_tau_of_scipy(orders):
    for places, swaps in zip(orders, distances(orders)[0], strict=True):
        pairs = len(places) * (len(places) - 1) / 2
        assert 1 - 2 * swaps / pairs == pytest.approx(kendalltau(range(len(places)), places).statistic)


@given(st.permutations(range(12)), st.permutations(range(12)))
def test_both_ways_alike(one, other):
    start, one, other = np.array([0, 12]), np.array(one), np.array(other)
    assert swap_distances(start, one, other) == swap_distances(start, other, one) == naive.discordant_pairs(one, other)


def test_reversed_and_no_sentence():
    assert distances([range(7)[::-1], [], [0]]) == ([21, 0, 0], [24, 0, 0])
    assert swap_distances(np.zeros(1, int), np.zeros(0, int), np.zeros(0, int)).tolist() == []
