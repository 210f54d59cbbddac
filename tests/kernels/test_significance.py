"""Tests and correlations against their definitions, enumeration, and scipy; and what they say where nothing differs."""

from __future__ import annotations

import itertools
import math
import warnings

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import spearmanr

from permtree.evaluation import scores as evaluating
from permtree.kernels import significance
from permtree.kernels.significance import correlation, mcnemar, paired_t, permutation_test

numbers = st.lists(st.tuples(st.integers(-3, 3), st.integers(-3, 3)), min_size=2, max_size=25)


@pytest.fixture(autouse=True)
def no_warnings():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        yield


def naive_ranks(values: list[float]) -> list[float]:
    return [sum(v < own for v in values) + (sum(v == own for v in values) + 1) / 2 for own in values]


def naive_pearson(x: list[float], y: list[float]) -> float:
    a, b = sum(x) / len(x), sum(y) / len(y)
    both = sum((v - a) * (w - b) for v, w in zip(x, y, strict=True))
    square = sum((v - a) ** 2 for v in x) * sum((w - b) ** 2 for w in y)
    return both / math.sqrt(square) if square > 1e-12 else math.nan


@given(numbers)
def test_correlations_are_as_defined(pairs):
    x, y = (np.array(own, float) for own in zip(*pairs, strict=True))
    found = correlation(x, y, resamples=20)
    assert (found.n, found.dropped) == (len(pairs), 0)
    assert found.pearson == pytest.approx(naive_pearson(x.tolist(), y.tolist()), nan_ok=True)
    ranks = naive_ranks(x.tolist()), naive_ranks(y.tolist())
    assert found.spearman == pytest.approx(naive_pearson(*ranks), nan_ok=True)
    if math.isnan(found.pearson):
        values = [found.pearson_p, *found.pearson_interval, found.spearman_p, *found.spearman_interval]
        assert all(map(math.isnan, values))


@given(numbers, st.integers(0, 5))
def test_resampled_spearman_ranks_each_resample_anew(pairs, seed):
    x, y = (np.array(own, float) for own in zip(*pairs, strict=True))
    if len(set(x.tolist())) == 1 or len(set(y.tolist())) == 1:
        return
    n = len(x)
    drawn = np.random.default_rng([seed]).integers(0, n, (15, n))
    expected = [naive_pearson(naive_ranks(x[items].tolist()), naive_ranks(y[items].tolist())) for items in drawn]
    low, high = correlation(x, y, 15, seed).spearman_interval
    bounds = np.quantile(expected, [0.025, 0.975]).tolist()
    assert [low, high] == pytest.approx(bounds, nan_ok=True, abs=1e-9)


def test_pearsons_interval_is_fishers():
    random = np.random.default_rng([1])
    x = random.normal(size=40)
    y = x + random.normal(size=40)
    found = correlation(x, y, 200, 7)
    z, half = math.atanh(found.pearson), 1.959963984540054 / math.sqrt(37)
    assert found.pearson_interval == pytest.approx((math.tanh(z - half), math.tanh(z + half)))
    low, high = found.spearman_interval
    assert low < found.spearman < high
    assert found == correlation(x, y, 200, 7)
    assert found.spearman_interval != correlation(x, y, 200, 8).spearman_interval


@pytest.mark.long
def test_intervals_hold_a_known_correlation():
    """Of 400 samples, about 95% have it in their interval: r and, of the same normal values, rho."""
    random = np.random.default_rng([5])
    known = {"pearson": 0.6, "spearman": 6 / math.pi * math.asin(0.6 / 2)}
    inside = dict.fromkeys(known, 0)
    for _ in range(400):
        x, e = random.normal(size=(2, 60))
        found = vars(correlation(x, 0.6 * x + 0.8 * e, 200))
        for name, value in known.items():
            low, high = found[f"{name}_interval"]
            inside[name] += low < value < high
    assert all(0.915 < count / 400 < 0.985 for count in inside.values()), inside


def test_nan_is_left_out_and_counted():
    x = np.array([1, 2, 3, math.nan, 5, 6])
    y = np.array([2, 1, math.nan, 3, 4, 5])
    found = correlation(x, y, 10)
    assert (found.n, found.dropped) == (4, 2)
    assert found.pearson == correlation(np.array([1, 2, 5, 6]), np.array([2, 1, 4, 5]), 10).pearson
    tested = paired_t(x, y)
    assert (tested.n, tested.dropped) == (4, 2)


@pytest.mark.parametrize("x", [[], [1], [1, 1, 1], [math.nan, math.nan]], ids=str)
def test_too_little_to_correlate(x):
    found = correlation(np.array(x, float), np.arange(len(x)), 10)
    assert math.isnan(found.pearson)
    assert math.isnan(found.spearman)
    assert all(map(math.isnan, found.spearman_interval))
    assert math.isnan(paired_t(np.array(x, float), np.array(x, float)).p_value)


@given(st.lists(st.tuples(st.integers(-3, 3), st.integers(-3, 3)), min_size=2, max_size=6))
def test_p_of_few_ranks_is_a_share_of_all_orders(pairs):
    x, y = (list(map(float, own)) for own in zip(*pairs, strict=True))
    rho = [naive_pearson(naive_ranks(x), naive_ranks(list(order))) for order in itertools.permutations(y)]
    found = correlation(x, y, 2).spearman_p
    if math.isnan(rho[0]):
        assert math.isnan(found)
    else:
        assert found == pytest.approx(sum(abs(one) >= abs(rho[0]) - 1e-12 for one in rho) / len(rho))


@pytest.mark.parametrize(("n", "p"), [(2, 1), (3, 2 / 6), (5, 2 / 120), (8, 2 / 40320)])
def test_few_items_in_the_same_order_are_no_proof(n, p):
    assert correlation(np.arange(n), np.arange(n), 2).spearman_p == pytest.approx(p)
    assert correlation(np.arange(n), -np.arange(n), 2).spearman_p == pytest.approx(p)


def test_p_of_more_ranks_is_scipys():
    random = np.random.default_rng([2])
    x, y = random.normal(size=(2, 9))
    assert correlation(x, y, 2).spearman_p == spearmanr(x, y).pvalue


def test_perfect_correlation():
    found = correlation(np.arange(10), np.arange(10) * 3, 50)
    assert found.pearson == pytest.approx(1)
    assert found.spearman == pytest.approx(1)
    assert found.spearman_interval == pytest.approx((1, 1))
    assert found.pearson_interval == pytest.approx((1, 1))
    assert correlation([1, 2], [1, 2], 5).pearson == pytest.approx(1)


# -- paired tests ------------------------------------------------------------------------------------------------------


@given(st.lists(st.integers(-4, 4), min_size=1, max_size=8))
def test_permutation_test_comes_near_enumeration(gains):
    first = np.maximum(0, -np.array(gains)) + 1
    second = first + np.array(gains)
    words = np.full(len(gains), 9)
    observed = abs(sum(gains))
    signs = list(itertools.product([1, -1], repeat=len(gains)))
    exact = sum(abs(sum(s * g for s, g in zip(sign, gains, strict=True))) >= observed for sign in signs) / len(signs)
    found = permutation_test(first, second, words, 2000, 3)
    assert found.difference == pytest.approx(sum(gains) / (9 * len(gains)))
    # four standard deviations of a share of 2000 draws
    assert abs(found.p_value - exact) < 4 * math.sqrt(exact * (1 - exact) / 2000) + 2 / 2000


def test_permutation_test_at_its_ends():
    ones = np.ones(200, np.int64)
    same = permutation_test(ones, ones, ones * 5, 100)
    assert (same.difference, same.p_value, same.resamples) == (0, 1, 100)
    better = permutation_test(ones, ones * 3, ones * 5, 999)
    assert (better.difference, better.p_value) == (pytest.approx(0.4), 1 / 1000)
    worse = permutation_test(ones * 3, ones, ones * 5, 999)
    assert (worse.difference, worse.p_value) == (pytest.approx(-0.4), 1 / 1000)
    nothing = permutation_test(ones[:0], ones[:0], ones[:0])
    assert math.isnan(nothing.difference)
    assert nothing.p_value == 1


def test_permutation_test_is_level():
    """Without a difference, p is below 0.1 in about a tenth of the cases."""
    random = np.random.default_rng([2])
    p = [permutation_test(*random.integers(0, 6, (2, 50)), np.full(50, 6), 99, seed).p_value for seed in range(500)]
    assert 0.06 < np.mean(np.array(p) <= 0.1) < 0.14


def test_draws_do_not_hang_on_the_size_of_pieces(monkeypatch):
    random = np.random.default_rng([3])
    x, y = random.integers(0, 9, (2, 30))
    before = permutation_test(x, y, np.full(30, 9), 300, 1), correlation(x, y, 300, 1)
    monkeypatch.setattr(significance, "_PIECE", 100)
    assert before == (permutation_test(x, y, np.full(30, 9), 300, 1), correlation(x, y, 300, 1))


@given(numbers)
def test_paired_t_is_as_defined(pairs):
    first, second = (np.array(own, float) for own in zip(*pairs, strict=True))
    differences = second - first
    found = paired_t(first, second)
    if len(set(differences.tolist())) == 1:
        assert math.isnan(found.t)
        return
    error = differences.std(ddof=1) / math.sqrt(len(pairs))
    assert found.t == pytest.approx(differences.mean() / error)
    assert 0 <= found.p_value <= 1


def test_differences_that_are_equal_but_for_rounding_have_no_t():
    shares = np.array([1, 2, 3, 10, 20]) * 100 / 30
    found = paired_t(shares, shares + 100 / 3)
    assert len(set((shares + 100 / 3 - shares).tolist())) > 1
    assert math.isnan(found.t)
    assert math.isnan(found.p_value)


def test_mcnemar_is_where_it_was():
    assert evaluating.McNemar is significance.McNemar
    first, second = np.array([1, 1, 1, 0, 0], bool), np.array([1, 0, 0, 1, 0], bool)
    found = mcnemar(first, second)
    assert (found.only_first, found.only_second, found.p_value) == (2, 1, 1)
    assert mcnemar(first, first).p_value == 1
