"""Crossing arcs, gaps and crossings by chance against their naive definitions."""

import math
from itertools import combinations, permutations
from random import Random

import definitions as naive
import numpy as np
import pytest
from hypothesis import given
from strategies import random_heads, selections

from permtree.kernels.crossings import crossings, crossings_of_arcs, gap_degrees, one_endpoint
from permtree.kernels.random_crossings import disjoint_pairs, variance
from permtree.kernels.trees import Trees
from permtree.treebank import Treebank


def check(treebank, sentences):
    """All kernels on the order of the text."""
    words = [(heads, word) for heads in sentences for word in naive.words_of(heads)]
    across = [naive.crossing_arcs(heads, word) if heads[word - 1] else [] for heads, word in words]
    single = [bool(heads[word - 1]) and naive.is_one_endpoint_crossing(heads, word) for heads, word in words]
    assert crossings(treebank).tolist() == [naive.crossings(heads) for heads in sentences]
    assert crossings_of_arcs(treebank).tolist() == [len(arcs) for arcs in across]
    assert one_endpoint(treebank).tolist() == single
    assert gap_degrees(treebank).tolist() == [naive.gap_degree(heads, word) for heads, word in words]


def test_all_forests_of_up_to_five_words():
    sentences = naive.forests_up_to(5)
    check(Treebank.from_heads(sentences), sentences)


@given(selections())
def test_random_batches(case):
    check(case.treebank, case.sentences)


def test_no_sentence_at_all():
    empty = Trees(np.zeros(1), np.zeros(0))
    for kernel in (crossings, crossings_of_arcs, one_endpoint, gap_degrees, disjoint_pairs, variance):
        assert kernel(empty).tolist() == [], kernel


def test_reference_trees(shared):
    """Crossings of trees whose values other programs found, all in one batch."""
    lines = (shared / "reference" / "trees.tsv").read_text(encoding="utf-8").splitlines()
    rows = [dict(zip(lines[0].split("\t"), line.split("\t"), strict=True)) for line in lines[1:]]
    treebank = Treebank.from_heads([[int(head) for head in row["heads"].split()] for row in rows])
    assert crossings(treebank).tolist() == [int(row["crossings"]) for row in rows]
    arcs = treebank.head >= 0
    distance = np.where(arcs, np.abs(treebank.head - np.arange(treebank.n_words)), 0)
    assert np.add.reduceat(distance, treebank.sentence_start[:-1]).tolist() == [int(row["D"]) for row in rows]


def test_crossings_by_chance_of_all_forests_of_up_to_five_words():
    sentences = naive.forests_up_to(5)
    treebank = Treebank.from_heads(sentences)
    expected = [naive.crossings_by_chance(heads) for heads in sentences]
    assert disjoint_pairs(treebank).tolist() == [3 * mean for mean, _ in expected]
    assert variance(treebank).tolist() == pytest.approx([float(own) for _, own in expected], abs=1e-12)


@pytest.mark.parametrize("n", [6, 7, pytest.param(8, marks=pytest.mark.long)])
def test_crossings_by_chance_in_all_orders(n):
    """Two pairs of arcs have at most eight words, so that no other covariances are in longer sentences."""
    place = np.array(list(permutations(range(n))), np.int8)
    rng = Random(n)
    sentences = [random_heads(rng, n, rng.choice([1, 1, 2])) for _ in range(20)]
    treebank = Treebank.from_heads(sentences)
    for heads, pairs, deviation in zip(sentences, disjoint_pairs(treebank), variance(treebank), strict=True):
        ends = [np.sort(place[:, [head - 1, word - 1]], axis=1).T for head, word in naive.arcs(heads)]
        crossed = [
            ((a < b) & (b < c) & (c < d)) | ((b < a) & (a < d) & (d < c)) for (a, c), (b, d) in combinations(ends, 2)
        ]
        count = np.sum(crossed, axis=0)
        assert count.sum() * 3 == pairs * math.factorial(n)
        assert deviation == pytest.approx(count.var(), abs=1e-10), heads


def test_nothing_can_cross_in_a_star_of_ten_thousand_words():
    treebank = Treebank.from_heads([[0] + [1] * 9_999])
    assert (disjoint_pairs(treebank).tolist(), variance(treebank).tolist()) == ([0], [0.0])
