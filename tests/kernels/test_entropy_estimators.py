"""Estimators of entropy against their definitions, against other implementations, and where the truth is known."""

from __future__ import annotations

from math import exp, log

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy.integrate import quad
from scipy.special import digamma, gammaln, polygamma

from permtree.errors import UsageError
from permtree.kernels.entropy import ESTIMATORS, conditional_entropy, entropies

CORRECTED = [name for name in ESTIMATORS if name != "plugin"]
R_EXAMPLE = (4, 2, 3, 0, 2, 4, 0, 0, 2, 1, 1)  # the example in the documentation of the R package entropy
NDD_EXAMPLE = (12, 4, 12, 4, 5, 3, 1, 5, 1, 2, 2, 2, 2, 11, 3, 4, 12, 12, 1, 2)
NDD_OLD_EXAMPLE = (7, 3, 5, 8, 9, 1, 3, 3, 1, 0, 2, 5, 2, 11, 4, 23, 5, 0, 8, 0)


def entropy(counts, estimator, possible=1e6):
    """Of one context."""
    return entropies(np.zeros(len(counts), np.int64), np.array(counts, np.int64), 1, np.array([possible]), estimator)[0]


def cells(contexts):
    """Arrays for lists of counts, one list per context."""
    number = np.repeat(np.arange(len(contexts)), [len(counts) for counts in contexts])
    return number, np.array([count for counts in contexts for count in counts], np.int64)


# The definitions, cell by cell


def naive_plugin(counts, possible):
    total = sum(counts)
    return sum(count / total * log(total / count) for count in counts if count) if total else 0.0


def naive_miller_madow(counts, possible):
    seen = sum(count > 0 for count in counts)
    return naive_plugin(counts, possible) + (seen - 1) / (2 * sum(counts)) if seen else 0.0


def naive_chao_shen(counts, possible):
    total = sum(counts)
    singletons = counts.count(1)
    if singletons == total:
        singletons -= 1
    value = 0.0
    for count in counts:
        if count:
            share = (1 - singletons / total) * count / total
            value -= share * log(share) / (1 - (1 - share) ** total)
    return value


def naive_nsb(counts, possible):
    """Both integrals over log beta, piece by piece, with the gamma functions as they stand."""
    counts = np.array([count for count in counts if count])
    total, seen = counts.sum(), len(counts)
    if not total or possible <= 1:
        return 0.0

    def log_weight(log_beta):
        beta = exp(log_beta)
        kappa = possible * beta
        evidence = gammaln(kappa) - gammaln(kappa + total) + (gammaln(counts + beta) - gammaln(beta)).sum()
        return evidence + log(possible * polygamma(1, kappa + 1) - polygamma(1, beta + 1)) + log_beta

    def mean(log_beta):
        beta = exp(log_beta)
        kappa = possible * beta
        known = ((counts + beta) * digamma(counts + beta + 1)).sum() + (possible - seen) * beta * digamma(beta + 1)
        return digamma(total + kappa + 1) - known / (total + kappa)

    edges = np.arange(-30 - log(possible), 21, 3)
    highest = max(log_weight(edge) for edge in edges)
    pieces = list(zip(edges[:-1], edges[1:], strict=True))
    options = {"epsabs": 1e-10, "epsrel": 1e-9}
    whole = sum(quad(lambda x: exp(log_weight(x) - highest), *piece, **options)[0] for piece in pieces)
    return sum(quad(lambda x: exp(log_weight(x) - highest) * mean(x), *piece, **options)[0] for piece in pieces) / whole


NAIVE = {
    "plugin": naive_plugin,
    "miller-madow": naive_miller_madow,
    "chao-shen": naive_chao_shen,
    "nsb": naive_nsb,
}

lists_of_counts = st.lists(st.integers(0, 30), max_size=8)
many_contexts = st.lists(lists_of_counts, min_size=1, max_size=5)


@pytest.mark.parametrize("estimator", [name for name in ESTIMATORS if name != "nsb"])
@given(counts=st.lists(st.integers(0, 1000), max_size=20))
def test_definition(estimator, counts):
    assert entropy(counts, estimator) == pytest.approx(NAIVE[estimator](counts, 1e6), rel=1e-9, abs=1e-12)


@given(lists_of_counts, st.sampled_from([1, 2, 3, 8, 50, 1000, 12345.5]))
def test_definition_of_nsb(counts, possible):
    possible = max(possible, sum(count > 0 for count in counts))
    assert entropy(counts, "nsb", possible) == pytest.approx(naive_nsb(counts, possible), rel=1e-6)


# Values from elsewhere


@pytest.mark.parametrize(
    ("source", "estimator", "counts", "value"),
    [
        ("R entropy, in the tests of Discreet.jl", "plugin", R_EXAMPLE, 1.968382408728),
        ("R entropy, in the tests of Discreet.jl", "chao-shen", R_EXAMPLE, 2.201137101279),
        ("R entropy, in the tests of Discreet.jl", "chao-shen", (1, 1, 1, 1, 1, 1), 3.840549310406),
        ("infomeasure 0.6.3", "plugin", NDD_EXAMPLE, 2.686115944128152),
        ("infomeasure 0.6.3", "plugin", (100, 1), 0.05554607526889177),
        ("infomeasure 0.6.3", "miller-madow", R_EXAMPLE, 2.152592935044171),
        ("infomeasure 0.6.3", "miller-madow", NDD_EXAMPLE, 2.7811159441281523),
        ("infomeasure 0.6.3", "miller-madow", (5, 3, 1, 1, 1, 1, 1), 1.923178093755781),
        ("infomeasure 0.6.3", "chao-shen", NDD_EXAMPLE, 2.8003359775179284),
        ("infomeasure 0.6.3", "chao-shen", (5, 3, 1, 1, 1, 1, 1), 2.2165267504787978),
        ("infomeasure 0.6.3", "chao-shen", (100, 1), 0.09144492150223313),
        ("infomeasure 0.6.3", "chao-shen", (1, 2), 1.0662472192320789),
    ],
)
def test_values_of_other_implementations(source, estimator, counts, value):
    assert entropy(counts, estimator) == pytest.approx(value, rel=1e-11)


@pytest.mark.parametrize(
    ("source", "counts", "possible", "value"),
    [
        ("ndd 1.6.1, README", NDD_EXAMPLE, 100, 2.840012048914245),
        ("ndd, README of its first versions", NDD_OLD_EXAMPLE, 20, 2.623634344902917),
        ("C. Mendl's NSB in its Python version, docstring", R_EXAMPLE[:9], 9, 1.9406467285026877),
    ],
)
def test_nsb_of_other_implementations(source, counts, possible, value):
    assert entropy(counts, "nsb", possible) == pytest.approx(value, rel=1e-9)


# Trapezoidal sums of the definition with mpmath 1.4.1 in 100 digits, and as many more as `possible` has.
@pytest.mark.parametrize(
    ("counts", "possible", "value"),
    [
        (R_EXAMPLE, 11, 2.187774463092098),
        ([5], 2, 0.1483046718750644),
        ([10**6], 2, 8.661641887440618e-7),
        ([999_999, 1], 2, 1.599515423970616e-5),
        ([700_000, 300_000], 2, 0.6108643883939768),
        ([500_000, 500_000], 2, 0.6931466811632933),
        ([50] * 40, 40, 3.688380176445488),
        ([50] * 40, 60, 3.696521947238004),
        (range(1, 60), 59, 3.906439176539526),
        (range(1, 60), 1e9, 3.910292624789854),
        ([1] * 100, 100, 4.595435081023171),
        ([2] * 100, 100, 4.600237665524721),
        ([1000] + [1] * 50, 51, 0.4258795505575627),
        ([1000] + [1] * 50, 1e30, 0.4432951498892094),
        ([1] * 4, 1e6, 8.265186613832800),
        ([1, 2], 1e12, 1.988559761288870),
        ([3, 1, 1, 1], 1e20, 2.375128036780428),
        ([3, 2] * 10, 1e20, 3.348916651088123),
        ([10] * 300, 1e50, 5.760753081325456),
        ([1] * 30 + [2], 1e100, 7.300504627358123),
        ([2, 1, 1], 1e300, 2.658653486004332),
        ([10**6], 1e300, 9.950533297199071e-7),
        ([1], 1e300, 345.3877639491065),
        ([1] * 4, 1e300, 346.8177526073815),
    ],
)
def test_nsb_in_many_digits(counts, possible, value):
    assert entropy(counts, "nsb", possible) == pytest.approx(value, rel=2e-9)


# Where the truth is known


@pytest.mark.parametrize("possible", [2, 3, 10, 500, 1e9, 1e150])
def test_nsb_of_one_observation_is_the_mean_of_the_prior(possible):
    """One observation says nothing about the concentration: the mean of the prior, uniform from 0 to log K, stays."""
    assert entropy([1], "nsb", possible) == pytest.approx(log(possible) / 2, rel=1e-9)


@pytest.mark.parametrize("estimator", ESTIMATORS)
@pytest.mark.parametrize("outcomes", [2, 7, 60])
def test_many_observations_of_a_uniform_distribution(estimator, outcomes):
    errors = [abs(entropy([times] * outcomes, estimator, outcomes) - log(outcomes)) for times in (10, 1000, 100_000)]
    assert errors[2] < 1e-5
    assert errors[1] <= errors[0] + 1e-12 and errors[2] <= errors[1] + 1e-12


@pytest.mark.parametrize("estimator", ESTIMATORS)
def test_many_observations_of_any_distribution(estimator):
    share = np.arange(1, 31.0) / 465
    counts = np.random.default_rng(5).multinomial(1_000_000, share)
    assert entropy(counts, estimator, 30) == pytest.approx(-(share * np.log(share)).sum(), abs=2e-3)


@pytest.mark.parametrize("estimator", CORRECTED)
@pytest.mark.parametrize("power", [0.0, 1.0])
def test_less_bias_than_plugin(estimator, power):
    """Mean over 500 samples of 50 from 40 outcomes, uniform or with Zipf's law."""
    share = np.arange(1, 41.0) ** -power
    share /= share.sum()
    truth = -(share * np.log(share)).sum()
    samples = np.random.default_rng(3).multinomial(50, share, size=500)
    arrays = np.repeat(np.arange(500), 40), samples.ravel(), 500, np.full(500, 40.0)
    plugin = entropies(*arrays, "plugin").mean() - truth
    assert plugin < -0.2
    assert abs(entropies(*arrays, estimator).mean() - truth) < 0.6 * abs(plugin)


# One outcome, no outcome


@pytest.mark.parametrize("estimator", [name for name in ESTIMATORS if name != "nsb"])
def test_exactly_zero_where_one_outcome_was_seen(estimator):
    """For all these counts: log n and n log n / n differ in the last digit for some."""
    count = np.append(np.arange(1, 5000), 10 ** np.arange(4, 15))
    context = np.arange(len(count))
    unseen = np.zeros_like(count)
    arrays = np.append(context, context), np.append(count, unseen), len(count), np.full(len(count), 2.0)
    value = entropies(*arrays, estimator)
    assert not value.any() and not np.signbit(value).any()


@pytest.mark.parametrize("estimator", ESTIMATORS)
def test_zero_where_only_one_outcome_is_possible(estimator):
    value = entropies(np.array([0, 1]), np.array([1, 1000]), 2, np.ones(2), estimator)
    assert value.tolist() == [0, 0] and not np.signbit(value).any()


@pytest.mark.parametrize("estimator", ESTIMATORS)
def test_contexts_without_data(estimator):
    value = entropies(np.array([3, 3, 1, 1]), np.array([2, 2, 0, 0]), 5, np.full(5, 2.0), estimator)
    assert value[[0, 1, 2, 4]].tolist() == [0, 0, 0, 0]
    assert value[3] > 0
    nothing = np.zeros(0, np.int64)
    assert entropies(nothing, nothing, 3, np.full(3, 2.0), estimator).tolist() == [0, 0, 0]
    assert entropies(nothing, nothing, 0, np.zeros(0), estimator).tolist() == []


# What must hold for any counts


@pytest.mark.parametrize("estimator", ESTIMATORS)
@given(contexts=many_contexts, data=st.data())
def test_the_order_of_cells_does_not_matter(estimator, contexts, data):
    context, count = cells(contexts)
    order = np.array(data.draw(st.permutations(range(len(count)))), np.int64)
    possible = np.full(len(contexts), 50.0)
    one = entropies(context, count, len(contexts), possible, estimator)
    other = entropies(context[order], count[order], len(contexts), possible, estimator)
    assert other == pytest.approx(one, rel=1e-12, abs=1e-15)


@pytest.mark.parametrize("estimator", ESTIMATORS)
@given(contexts=many_contexts, data=st.data())
def test_contexts_do_not_see_each_other(estimator, contexts, data):
    kinds = st.sampled_from([8.0, 9.5, 1000.0, 1e40, float("inf")])
    possible = data.draw(st.lists(kinds, min_size=len(contexts), max_size=len(contexts)))
    together = entropies(*cells(contexts), len(contexts), np.array(possible), estimator)
    alone = [entropy(counts, estimator, outcomes) for counts, outcomes in zip(contexts, possible, strict=True)]
    assert together == pytest.approx(alone, rel=1e-12, abs=1e-15)


@given(st.lists(st.integers(0, 10**9), max_size=30), st.integers(0, 100))
def test_bounds(counts, unseen):
    seen = sum(count > 0 for count in counts)
    plugin = entropy(counts, "plugin")
    assert 0 <= plugin <= log(max(seen, 1)) + 1e-12
    assert (plugin > 0) == (seen > 1)
    possible = max(seen + unseen, 1)
    nsb = entropy(counts, "nsb", possible)
    assert 0 <= nsb <= log(possible)
    assert (nsb > 0) == (seen > 0 and possible > 1)


@given(lists_of_counts)
def test_nsb_grows_with_what_is_possible(counts):
    seen = sum(count > 0 for count in counts)
    values = [entropy(counts, "nsb", seen + more) for more in (0, 1, 10, 1000, 1e20)]
    assert values == sorted(values)


def test_fewer_possible_than_seen_count_as_seen():
    assert entropy(R_EXAMPLE, "nsb", 3) == entropy(R_EXAMPLE, "nsb", 8)


def test_infinitely_many_possible_count_as_1e300():
    assert entropy(R_EXAMPLE, "nsb", np.inf) == entropy(R_EXAMPLE, "nsb", 1e300)
    assert entropy([1, 1], "nsb", np.inf) == entropy([1, 1], "nsb", 1e300)


@pytest.mark.parametrize("estimator", ESTIMATORS)
def test_counts_of_32_bits(estimator):
    context, count = cells([R_EXAMPLE, [10**9, 10**9]])
    arrays = context.astype(np.int32), count.astype(np.int32), 2, np.full(2, 11.0), estimator
    assert entropies(*arrays).tolist() == entropies(context, count, 2, np.full(2, 11.0), estimator).tolist()


@pytest.mark.parametrize("estimator", ESTIMATORS)
def test_more_contexts_than_are_worked_on_at_a_time(estimator):
    random = np.random.default_rng(9)
    contexts = [[*random.integers(1, 200, 3), *random.integers(1, 9, number)] for number in random.integers(0, 30, 300)]
    possible = random.choice([33.0, 1e4, 1e20], 300)
    together = entropies(*cells(contexts), 300, possible, estimator)
    for number in range(0, 300, 20):
        assert together[number] == pytest.approx(entropy(contexts[number], estimator, possible[number]), rel=1e-12)


# Conditional entropy


@pytest.mark.parametrize("estimator", ESTIMATORS)
@given(contexts=many_contexts)
def test_contexts_weigh_by_their_counts(estimator, contexts):
    weights = [sum(counts) for counts in contexts]
    value = conditional_entropy(*cells(contexts), len(contexts), np.full(len(contexts), 9.0), estimator)
    if not sum(weights):
        assert np.isnan(value)
        return
    terms = [weight * entropy(counts, estimator, 9) for weight, counts in zip(weights, contexts, strict=True)]
    assert isinstance(value, float)
    assert value == pytest.approx(sum(terms) / sum(weights), rel=1e-12, abs=1e-15)


@pytest.mark.parametrize("estimator", ESTIMATORS)
@given(contexts=many_contexts, more=st.integers(0, 40))
def test_never_above_what_is_possible(estimator, contexts, more):
    seen = [sum(count > 0 for count in counts) for counts in contexts]
    possible = [max(number + more, 1) for number in seen]
    weights = [sum(counts) for counts in contexts]
    assume(sum(weights))
    value = conditional_entropy(*cells(contexts), len(contexts), np.array(possible, float), estimator)
    bound = sum(weight * log(outcomes) for weight, outcomes in zip(weights, possible, strict=True)) / sum(weights)
    assert 0 <= value <= bound * (1 + 1e-12)


@pytest.mark.parametrize("estimator", ["miller-madow", "chao-shen"])
def test_what_a_correction_adds_beyond_the_bound_is_cut_off_for_all_contexts_together(estimator):
    """One arc on either side: each estimate is above log 2. Beside contexts of one side it makes up for these."""
    one, fixed = [1, 1], [2]
    assert entropy(one, estimator, 2) > log(2)
    assert conditional_entropy(*cells([one]), 1, np.array([2.0]), estimator) == log(2)
    together = conditional_entropy(*cells([one, fixed, fixed]), 3, np.full(3, 2.0), estimator)
    assert together == pytest.approx(entropy(one, estimator, 2) / 3, rel=1e-12)


def test_conditional_entropy_by_hand():
    contexts = [[1, 1], [6], [1, 3]]
    expected = (2 * log(2) + log(4) + 3 * log(4 / 3)) / 12
    assert conditional_entropy(*cells(contexts), 3, np.full(3, 2.0)) == pytest.approx(expected, rel=1e-14)


def test_conditional_entropy_is_exactly_zero_where_outcomes_are_fixed():
    assert conditional_entropy(*cells([[3], [0, 7], [49]]), 3, np.full(3, 2.0)) == 0


def test_conditional_entropy_without_data():
    nothing = np.zeros(0, np.int64)
    assert np.isnan(conditional_entropy(nothing, nothing, 0, np.zeros(0)))
    assert np.isnan(conditional_entropy(nothing, nothing, 2, np.full(2, 2.0)))
    assert np.isnan(conditional_entropy(np.array([0, 0]), np.array([0, 0]), 1, np.array([2.0])))


@pytest.mark.parametrize("function", [entropies, conditional_entropy])
def test_a_name_misspelt(function):
    arrays = np.array([0]), np.array([1]), 1, np.array([2.0])
    with pytest.raises(UsageError, match="no entropy estimator named 'millermadow'; did you mean 'miller-madow'?"):
        function(*arrays, "millermadow")
    with pytest.raises(UsageError, match="known: plugin, miller-madow, chao-shen, nsb"):
        function(*arrays, "xyz")
