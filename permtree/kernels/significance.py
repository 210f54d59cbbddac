"""Tests of significance and correlations, on plain arrays."""

from __future__ import annotations

import itertools
import math
import warnings
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from ..types import Floats, Ints, Mask

LEVEL = 0.95  # of intervals
FEW = 8  # items, of which all orders can be looked at
_PIECE = 1 << 18  # numbers drawn at a time
_NOTHING = (math.nan, math.nan)


@dataclass(frozen=True)
class McNemar:
    """Words that only the first or only the second prediction has right, and the p-value of the exact test.

    McNemar (1947), Psychometrika 12; with the binomial distribution instead of its approximation: if both predictions
    are equally good, each such word is a fair coin. Two-sided. Words of one sentence hang together, which the test
    knows nothing of; the bootstrap interval draws whole sentences.
    """

    only_first: int
    only_second: int
    p_value: float


def mcnemar(first: Mask, second: Mask) -> McNemar:
    """Compare which words two predictions have right, bool [N] each."""
    from scipy.stats import binomtest

    only_first, only_second = int((first & ~second).sum()), int((second & ~first).sum())
    discordant = only_first + only_second
    p_value = float(binomtest(only_first, discordant, 0.5).pvalue) if discordant else 1.0
    return McNemar(only_first, only_second, p_value)


@dataclass(frozen=True)
class PairedT:
    """Student's t of paired values, the second less the first; p_value: two-sided, with n - 1 degrees of freedom.

    n: pairs without nan; dropped: the others. t and p are nan for fewer than two pairs, or if all differences are
    equal.
    """

    t: float
    p_value: float
    n: int
    dropped: int


def paired_t(first: Floats, second: Floats) -> PairedT:
    """The paired t test (scipy.stats.ttest_rel) of two arrays [S]; pairs with nan are left out and counted."""
    from scipy.stats import ttest_rel

    first, second, dropped = _without_nan(first, second)
    n = len(first)
    rounding = 8 * np.finfo(np.float64).eps * max(np.abs(first).max(initial=0), np.abs(second).max(initial=0))
    if n < 2 or np.ptp(second - first) <= rounding:
        return PairedT(math.nan, math.nan, n, dropped)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # differences that are nearly the same
        result = ttest_rel(second, first)
    return PairedT(float(result.statistic), float(result.pvalue), n, dropped)


@dataclass(frozen=True)
class PermutationTest:
    """difference: of the second side less the first, in what is right a word; p_value: two-sided.

    The sides of each sentence are swapped at random, all of its words together; p is one more than the number of
    `resamples` whose difference is at least as large (either way), over one more than all of them. Noreen (1989),
    Computer-Intensive Methods for Testing Hypotheses; Dror et al. (2018), ACL.
    """

    difference: float
    p_value: float
    resamples: int


def permutation_test(first: Ints, second: Ints, words: Ints, resamples: int = 1000, seed: int = 0) -> PermutationTest:
    """Approximate randomization over sentences.

    first, second: int64 [S], words of each sentence that either side has right; words: int64 [S], of how many. Without
    words the difference is nan and p is 1.
    """
    gain = np.asarray(second, np.int64) - np.asarray(first, np.int64)
    n_words = int(np.sum(words))
    observed = int(gain.sum())
    changed = gain[gain != 0]  # swapping equal sides changes nothing
    extreme = 0
    for swapped in _drawn(len(changed), resamples, seed, 2):
        sums = observed - 2 * (swapped @ changed)
        extreme += int((np.abs(sums) >= abs(observed)).sum())
    difference = observed / n_words if n_words else math.nan
    return PermutationTest(difference, (1 + extreme) / (1 + resamples), resamples)


@dataclass(frozen=True)
class Correlation:
    """How two values of the same items go together.

    n: items without nan; dropped: the others. pearson, spearman: r and rho, with two-sided p-values of scipy.stats and
    95% intervals: for Pearson's r by Fisher's z, for Spearman's rho by the percentile bootstrap over items (Efron &
    Tibshirani 1993). p of r and Fisher's z take the values for normal, which accuracies of sentences hardly are. p of
    rho is by the t distribution; of up to 8 items, which that does not hold for, exact, from all orders of the items.
    All are nan if one of the values is the same for all items; the bootstrap interval also if it is so in a resample.
    """

    n: int
    dropped: int
    pearson: float
    pearson_p: float
    pearson_interval: tuple[float, float]
    spearman: float
    spearman_p: float
    spearman_interval: tuple[float, float]


def correlation(x: Floats, y: Floats, resamples: int = 1000, seed: int = 0) -> Correlation:
    """Correlate two arrays [n]; items with nan in either are left out and counted."""
    from scipy.stats import pearsonr, spearmanr

    x, y, dropped = _without_nan(x, y)
    if len(x) < 2 or _constant(x) or _constant(y):
        return Correlation(len(x), dropped, math.nan, math.nan, _NOTHING, math.nan, math.nan, _NOTHING)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # two items, or values that are nearly the same: r says so itself
        pearson = pearsonr(x, y)
        fisher = pearson.confidence_interval(LEVEL)
        spearman = spearmanr(x, y)
    return Correlation(
        n=len(x),
        dropped=dropped,
        pearson=float(pearson.statistic),
        pearson_p=float(pearson.pvalue),
        pearson_interval=(float(fisher.low), float(fisher.high)),
        spearman=float(spearman.statistic),
        spearman_p=_exact_spearman_p(x, y) if len(x) <= FEW else float(spearman.pvalue),
        spearman_interval=_percentiles(_resampled_spearman(x, y, resamples, seed)),
    )


def _without_nan(x: Floats, y: Floats) -> tuple[Floats, Floats, int]:
    x, y = np.asarray(x, np.float64), np.asarray(y, np.float64)
    known = ~(np.isnan(x) | np.isnan(y))
    return x[known], y[known], int((~known).sum())


def _constant(values: Floats) -> bool:
    return bool((values == values[:1]).all())


def _drawn(n: int, resamples: int, seed: int, below: int) -> Iterator[Ints]:
    """Whole numbers from 0 to below - 1, [resamples, n] in pieces; the same whatever the pieces."""
    random = np.random.default_rng([seed])
    step = max(1, _PIECE // max(n, 1))
    for begin in range(0, resamples, step):
        yield random.integers(0, below, (min(step, resamples - begin), n))


def _percentiles(drawn: Floats) -> tuple[float, float]:
    low, high = np.quantile(drawn, [(1 - LEVEL) / 2, (1 + LEVEL) / 2])
    return float(low), float(high)


def _exact_spearman_p(x: Floats, y: Floats) -> float:
    """Of all orders of y, the share whose rho is at least as far from 0; in whole numbers, so that none is missed."""
    from scipy.stats import rankdata

    a, b = (2 * rankdata(values).astype(np.float64) - len(x) - 1 for values in (x, y))
    orders = np.array(list(itertools.permutations(range(len(x)))))
    return float(np.mean(np.abs(b[orders] @ a) >= abs(b @ a)))


def _resampled_spearman(x: Floats, y: Floats, resamples: int, seed: int) -> Floats:
    """Spearman's rho of items drawn with replacement, [resamples].

    A resample is a weight for each item, how often it was drawn; ranks come from summed weights, without sorting again.
    """
    n = len(x)
    ranks_of = _Ranks(x), _Ranks(y)
    parts = []
    for items in _drawn(n, resamples, seed, n):
        rows = len(items)
        flat = (items * rows + np.arange(rows)[:, None]).ravel()
        weights = np.bincount(flat, minlength=rows * n).reshape(n, rows).astype(np.float64)
        a, b = (ranks.under(weights) - (n + 1) / 2 for ranks in ranks_of)  # that is the mean of all ranks
        products = (np.einsum("ij,ij,ij->j", weights, one, two) for one, two in ((a, b), (a, a), (b, b)))
        both, of_a, of_b = products
        square = of_a * of_b
        parts.append(np.where(square > 0, both / np.sqrt(np.where(square > 0, square, 1)), np.nan))
    return np.concatenate(parts)


class _Ranks:
    """Ranks of values, equal ones sharing their mean rank, when each is there as often as its weight says."""

    def __init__(self, values: Floats):
        self.sort = np.argsort(values, kind="stable")
        self.begin = np.flatnonzero(np.append(True, np.diff(values[self.sort]) != 0))
        self.number = np.unique(values, return_inverse=True)[1]

    def under(self, weights: Floats) -> Floats:
        """Ranks from 1, [n, R], for weights [n, R]: a column a resample."""
        count = np.add.reduceat(weights[self.sort], self.begin, axis=0)
        mean = np.cumsum(count, axis=0) - (count - 1) / 2
        return mean[self.number]
