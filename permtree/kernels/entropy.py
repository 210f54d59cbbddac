"""Entropy of the outcomes seen in many contexts at once, by four estimators, in nats.

No entropy is above log(possible outcomes) (Cover & Thomas 2006, Elements of Information Theory, theorem 2.6.4), but the
corrections of Miller and Madow and of Chao and Shen know no such bound. What the mean over contexts has beyond the mean
of their bounds is cut off. Single contexts are not cut: in many small ones the estimates are as often too low as too
high, and only together are they corrected.

plugin: entropy of the relative frequencies (maximum likelihood); too low for small samples.
miller-madow: plugin + (outcomes seen - 1) / (2 * observations).
    Miller (1955), Note on the bias of information estimates.
chao-shen: Horvitz-Thompson sum over frequencies shrunk by the estimated coverage 1 - singletons / observations.
    Chao & Shen (2003), Environmental and Ecological Statistics 10. Where all are singletons, one of them is not counted
    as such, as in the R package entropy (Hausser & Strimmer 2009); so a single observation has coverage 1, entropy 0.
nsb: posterior mean under the mixture of symmetric Dirichlet priors whose expected entropy is uniform between 0 and
    log(possible outcomes). Nemenman, Shafee & Bialek (2002), NIPS 14. The only one that looks at the number of possible
    outcomes, and the only one above 0 where one outcome was seen of several. More than 1e300 count as 1e300: where no
    outcome was seen twice, the estimate is about half the log of that number and has no limit.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from ..errors import UsageError
from ..registry import suggestion
from ..types import Floats, Ints
from .logarithm import logarithm, logarithm_of_counts

ESTIMATORS: tuple[str, ...] = ("plugin", "miller-madow", "chao-shen", "nsb")
UNBOUNDED = ("miller-madow", "chao-shen")  # what may give more than log(possible outcomes)
MOST_POSSIBLE = 1e300

NEGLIGIBLE = 45.0  # a weight of exp(-45) of the largest adds nothing
LARGEST_LOG = 705.0  # exp() of it is still a number
TOLERANCE = 1e-9  # relative change of the posterior mean at which its quadrature stops
LONGEST_STEP = 0.75  # in log kappa: the integrand has poles at a distance of pi, so the error is below exp(-26)
INTERVALS, MOST_INTERVALS = 32, 2**15
PIECE = 2**17  # numbers in a temporary array


def entropies(context: Ints, count: Ints, n_contexts: int, possible: Floats, estimator: str = "plugin") -> Floats:
    """Entropy in nats of the outcomes within each context, float64 [n_contexts]; 0 for a context without data.

    context: int [C], number of the context (0 ... n_contexts-1) of each cell (a cell = one outcome seen in one
    context), cells in any order; count: int [C], how often each outcome was seen, >= 0 (zeros are ignored);
    possible: float [n_contexts], how many outcomes the context could have, at least those seen (may be huge or inf).
    For the estimators see the head of this module; an unknown one is a UsageError.
    """
    if estimator not in ESTIMATORS:
        raise UsageError(f"no entropy estimator named '{estimator}'{suggestion(estimator, list(ESTIMATORS))}")
    if estimator == "chao-shen":
        return _chao_shen(context, count, n_contexts)
    if estimator == "nsb":
        return _nsb(context, count, n_contexts, possible)
    total = np.maximum(np.bincount(context, count, n_contexts), 1)
    seen = np.bincount(context, count > 0, n_contexts)
    entropy = logarithm_of_counts(total) - np.bincount(context, count * logarithm_of_counts(count), n_contexts) / total
    entropy = np.where(seen > 1, np.maximum(entropy, 0.0), 0.0)  # exactly 0, whatever the last digits of the logarithms
    return entropy if estimator == "plugin" else entropy + np.maximum(seen - 1, 0) / (2 * total)


def conditional_entropy(
    context: Ints, count: Ints, n_contexts: int, possible: Floats, estimator: str = "plugin"
) -> float:
    """H(outcome | context) in nats: `entropies` weighted by each context's share of all counts, and no more than their
    largest possible value, log(possible), weighted in the same way; nan without data."""
    value = entropies(context, count, n_contexts, possible, estimator)
    total = np.bincount(context, count, n_contexts)
    whole = total.sum()
    if not whole:
        return float("nan")
    mean = _sum(total * value) / whole
    if estimator not in UNBOUNDED:
        return mean
    seen = np.bincount(context, count > 0, n_contexts)
    bound = logarithm(np.clip(possible, np.maximum(seen, 1), MOST_POSSIBLE))
    return min(mean, _sum(total * bound) / whole)


def _sum(values: Floats) -> float:
    """One after the other: `np.sum` and products of vectors add up in an order that depends on the processor."""
    return float(np.cumsum(values)[-1])


def _chao_shen(context: Ints, count: Ints, n_contexts: int) -> Floats:
    context, count = context[count > 0], count[count > 0]
    total = np.bincount(context, count, n_contexts)
    singletons = np.bincount(context, count == 1, n_contexts)
    singletons -= singletons == total
    coverage = 1 - singletons / np.maximum(total, 1)
    share = coverage[context] * count / total[context]
    with np.errstate(divide="ignore"):  # log(0), where one outcome is all there is: it is seen for sure
        inclusion = -np.expm1(total[context] * np.log1p(-share))
    return np.asarray(np.bincount(context, np.abs(share * np.log(share)) / inclusion, n_contexts), np.float64)


# NSB. With concentration kappa = possible * beta, the Dirichlet prior has the expected entropy
# xi = psi(kappa + 1) - psi(beta + 1). A prior uniform in xi has the density dxi / d log kappa in log kappa; times the
# evidence of the counts this is a smooth function that falls exponentially on both sides, for which the trapezoidal
# rule converges exponentially: the number of steps is doubled until nothing changes.


def _nsb(context: Ints, count: Ints, n_contexts: int, possible: Floats) -> Floats:
    context, count = context[count > 0], count[count > 0]
    order = np.lexsort((count, context))
    context, count = context[order], count[order]
    starts = np.flatnonzero((np.diff(context, prepend=-1) != 0) | (np.diff(count, prepend=-1) != 0))
    seen = np.bincount(context, minlength=n_contexts)
    times = np.diff(starts, append=len(count))  # outcomes seen equally often, in one context
    context, count = context[starts], count[starts]
    different = np.bincount(context, minlength=n_contexts)
    place = np.arange(len(context)) - (np.cumsum(different) - different)[context]
    possible = np.clip(possible, seen, MOST_POSSIBLE)

    entropy = np.zeros(n_contexts)
    width, done = 1, 0
    while done < different.max(initial=0):  # contexts in tables of 1, 2, 4, 8 ... columns
        chosen = (different > done) & (different <= width) & (possible > 1)
        row = np.cumsum(chosen) - 1
        cells = chosen[context]
        table = np.zeros((chosen.sum(), 2 * width + 1))
        table[:, 0] = possible[chosen]
        table[row[context[cells]], 1 + 2 * place[cells]] = count[cells]
        table[row[context[cells]], 2 + 2 * place[cells]] = times[cells]
        if len(table):
            first, number = _same_rows(table)
            table = table[first]
            entropy[chosen] = _posterior_mean(_Samples(table[:, 0], table[:, 1::2], table[:, 2::2]))[number]
        width, done = 2 * width, width
    return entropy


def _same_rows(table: Floats) -> tuple[Ints, Ints]:
    """One row of each group of equal rows, and for each row the number of its group."""
    order = np.lexsort(table.T)
    new = np.append(True, (table[order[1:]] != table[order[:-1]]).any(1))
    number = np.empty(len(table), np.int64)
    number[order] = np.cumsum(new) - 1
    return order[new], number


@dataclass(frozen=True)
class _Samples:
    """Counts of R contexts: `times` [R, W] outcomes were seen `count` [R, W] times each, of `possible` [R] outcomes.

    Rows are filled up with outcomes seen 0 times, 0 of them.
    """

    possible: Floats
    count: Floats
    times: Floats

    def __getitem__(self, rows: Ints | slice) -> _Samples:
        return _Samples(self.possible[rows], self.count[rows], self.times[rows])

    @property
    def total(self) -> Floats:
        """Number of observations, [R, 1]."""
        return (self.count * self.times).sum(1, keepdims=True)

    def pieces(self, points: int) -> Iterator[slice]:
        """Rows to work on at a time, for so many values of kappa each."""
        size = max(1, PIECE // (points * self.count.shape[1]))
        return (slice(start, start + size) for start in range(0, len(self.possible), size))

    def log_weight(self, log_kappa: Floats) -> Floats:
        """Log of prior density times evidence, but for a constant; log_kappa: [R, T], result [R, T]."""
        weight = np.empty_like(log_kappa)
        for rows in self.pieces(log_kappa.shape[1]):
            weight[rows] = self[rows]._log_weight(log_kappa[rows])
        return weight

    def mean_entropy(self, log_kappa: Floats) -> Floats:
        """Posterior mean of the entropy for one kappa; log_kappa: [R, T], result [R, T]."""
        entropy = np.empty_like(log_kappa)
        for rows in self.pieces(log_kappa.shape[1]):
            entropy[rows] = self[rows]._mean_entropy(log_kappa[rows])
        return entropy

    def _log_weight(self, log_kappa: Floats) -> Floats:
        kappa = np.exp(log_kappa)
        beta = kappa / self.possible[:, None]
        # evidence: product of beta (beta+1) ... (beta+count-1) over outcomes, by kappa (kappa+1) ... (kappa+total-1)
        rising = _log_choices(beta[:, None], np.maximum(self.count, 1)[:, :, None])
        seen = self.times.sum(1, keepdims=True)
        evidence = _sum_of_products(self.times, rising) + (seen - 1) * log_kappa - _log_choices(kappa, self.total)
        return evidence + np.log(_prior(kappa, beta))

    def _mean_entropy(self, log_kappa: Floats) -> Floats:
        from scipy.special import digamma

        kappa = np.exp(log_kappa)
        beta = kappa / self.possible[:, None]
        whole = self.total + kappa
        information = digamma(whole + 1)
        weight = self.count[:, :, None] + beta[:, None]
        seen = _sum_of_products(self.times, weight * (information[:, None] - digamma(weight + 1)))
        share = (1 - self.times.sum(1) / self.possible)[:, None] * (kappa / whole)
        return seen / whole + share * (information - digamma(beta + 1))


def _posterior_mean(samples: _Samples) -> Floats:
    """Mean entropy over the posterior of kappa, [R]."""
    low, high = _bulk(samples)
    mean, peak = np.zeros(len(low)), np.zeros(len(low))
    weights, moments = np.zeros(len(low)), np.zeros(len(low))
    left: Ints = np.arange(len(low))  # rows that are not yet exact
    points, intervals = np.linspace(0, 1, INTERVALS + 1), INTERVALS
    while len(left):
        log_kappa = low[left, None] + (high - low)[left, None] * points
        log_weight = samples[left].log_weight(log_kappa)
        if intervals == INTERVALS:
            peak = log_weight.max(1)
        weight = np.exp(log_weight - peak[left, None])
        weights[left] += weight.sum(1)
        moments[left] += (weight * samples[left].mean_entropy(log_kappa)).sum(1)
        before, mean[left] = mean[left], moments[left] / weights[left]
        exact = np.abs(mean[left] - before) <= TOLERANCE * mean[left]
        exact &= (high - low)[left] <= LONGEST_STEP * intervals
        left = left[~exact] if intervals < MOST_INTERVALS else left[:0]
        points = (np.arange(intervals) + 0.5) / intervals  # next, halve each interval
        intervals *= 2
    return mean


def _bulk(samples: _Samples) -> tuple[Floats, Floats]:
    """Between which log kappa the posterior is not negligible, [R] and [R].

    The evidence has one maximum (Levin & Reeds 1977, Annals of Statistics 5), so that each look at a coarse grid leaves
    no more than the neighbourhood of its highest points.
    """
    log_possible = np.log(samples.possible)
    low = np.full(len(log_possible), -NEGLIGIBLE)
    high = np.minimum(log_possible + np.log(samples.total[:, 0]) + NEGLIGIBLE, LARGEST_LOG)
    left = np.arange(len(low))
    while len(left):
        log_kappa = low[left, None] + (high - low)[left, None] * np.linspace(0, 1, INTERVALS + 1)
        weight = samples[left].log_weight(log_kappa)
        heavy = weight >= weight.max(1, keepdims=True) - NEGLIGIBLE
        first = np.maximum(heavy.argmax(1) - 1, 0)
        last = INTERVALS - np.maximum(heavy[:, ::-1].argmax(1) - 1, 0)
        row = np.arange(len(left))
        low[left], high[left] = log_kappa[row, first], log_kappa[row, last]
        left = left[last - first <= INTERVALS // 2]
    return low, high


def _prior(kappa: Floats, beta: Floats) -> Floats:
    """dxi / d log kappa = kappa psi'(kappa + 1) - beta psi'(beta + 1), without loss of digits."""
    near_kappa, rest_kappa = _x_trigamma(kappa)
    near_beta, rest_beta = _x_trigamma(beta)
    return np.where(beta < 1, near_kappa - near_beta, rest_beta - rest_kappa)


def _x_trigamma(x: Floats) -> tuple[Floats, Floats]:
    """x psi'(x + 1), which grows from 0 to 1, and what it lacks to 1."""
    from scipy.special import zeta

    value = x * zeta(2, x + 1)
    inverse = 1 / np.maximum(x, 1)
    square = inverse * inverse
    asymptotic = inverse / 2 - square * (1 / 6 - square * (1 / 30 - square / 42))
    return value, np.where(x < 30, 1 - value, asymptotic)


def _log_choices(x: Floats, count: Floats) -> Floats:
    """log of (x+1) (x+2) ... (x+count-1) / (count-1)!, broadcast; x >= 0, count >= 1.

    It is the same with x + 1 and count swapped. The larger one goes through Stirling's series, so that no digits are
    lost in the difference of two large numbers.
    """
    from scipy.special import gammaln

    larger, factors = np.broadcast_arrays(np.maximum(x + 1, count), np.minimum(x, count - 1))
    result = np.empty(larger.shape)
    far = larger > 1000
    base, step = larger[far], factors[far]
    top = base + step
    result[far] = step * (np.log(base) - 1) + (top - 0.5) * np.log1p(step / base) + (1 / top - 1 / base) / 12
    base, step = larger[~far], factors[~far]
    result[~far] = gammaln(base + step) - gammaln(base)
    result -= gammaln(factors + 1)
    return result


def _sum_of_products(times: Floats, value: Floats) -> Floats:
    """Sum over W of times [R, W] x value [R, W, T], [R, T]."""
    return np.matmul(times[:, None], value)[:, 0]
