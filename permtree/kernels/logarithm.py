"""Natural logarithms that are the same to the last bit on every processor and with every version of numpy.

`np.log` is not: its last bit depends on the vector instructions of the processor and on the C library. Where a
comparison of sums of logarithms decides an order, that bit decides it. What stands here is made of sums, products,
quotients and comparisons alone, each of which IEEE 754 defines to the last bit.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from ..types import Floats, Ints

# Coefficients of log((1 + s) / (1 - s)) = 2s + s R(s^2), and log 2 in two parts of which the first is short enough for
# its multiples to be exact: FreeBSD's msun, e_log.c (Sun Microsystems 1993), whose error is below one unit in the last
# place.
_SERIES = (
    0.1479819860511658591,
    0.1531383769920937332,
    0.1818357216161805012,
    0.2222219843214978396,
    0.2857142874366239149,
    0.3999999999940941908,
    0.6666666666666735130,
)
_LOG2_HIGH, _LOG2_LOW = 6.93147180369123816490e-01, 1.90821492927058770002e-10
_ROOT_HALF = 0.7071067811865476


def logarithm(x: Floats | Ints) -> Floats:
    """log(x), float64 of the same shape; x: finite numbers above 0."""
    fraction, exponent = np.frexp(np.asarray(x, np.float64))
    low = fraction < _ROOT_HALF  # from [1/2, 1) to [sqrt(1/2), sqrt(2)), around 1
    f = np.where(low, 2 * fraction, fraction) - 1
    exponent = exponent - low
    s = f / (2 + f)
    square = s * s
    rest = np.zeros_like(f)
    for coefficient in _SERIES:
        rest = (rest + coefficient) * square
    half = 0.5 * f * f
    value: Floats = exponent * _LOG2_HIGH - ((half - (s * (half + rest) + exponent * _LOG2_LOW)) - f)
    return value


def logarithm_of_counts(count: Ints) -> Floats:
    """The same for whole numbers, and 0 for 0: small ones are looked up."""
    largest = int(count.max(initial=0))
    if largest < _LARGEST_LISTED:
        return _listed(1 << largest.bit_length())[count.astype(np.int64, copy=False)]
    return logarithm(np.maximum(count, 1))


_LARGEST_LISTED = 1 << 16


@lru_cache
def _listed(size: int) -> Floats:
    return logarithm(np.maximum(np.arange(size), 1))


def in_steps(x: Floats | Ints, steps: float) -> Ints:
    """log(x) in whole steps, `steps` of them a nat, int64: sums of these are exact, whatever their order."""
    return np.rint(steps * logarithm(x)).astype(np.int64)


def entropy_in_steps(counts: Ints, steps: float) -> int:
    """Entropy within each context, times its count, summed over contexts, in whole steps, `steps` of them a nat.

    counts: int64 [contexts, outcomes]. Each context is off by no more than (outcomes + 1) / 2 steps; equal counts give
    equal entropies, whatever their order, and contexts with one outcome none.
    """
    total = counts.sum(axis=1)
    return int(_weighted(total, steps).sum() - _weighted(counts, steps).sum())


def _weighted(count: Ints, steps: float) -> Ints:
    """n log n in whole steps, 0 for 0."""
    return np.rint(steps * count * logarithm_of_counts(count)).astype(np.int64)
