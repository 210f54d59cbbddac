"""Logarithms made of what IEEE 754 defines, against many digits; sums of them in whole steps."""

import math
from decimal import Decimal, localcontext

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import generators

from permtree.kernels.logarithm import entropy_in_steps, in_steps, logarithm, logarithm_of_counts

positive = st.floats(min_value=5e-324, max_value=1.7e308)
near_one = st.floats(min_value=0.5, max_value=2)


def units_off(x, value):
    """How many units in the last place a value is from log(x), counted with 60 digits."""
    with localcontext() as context:
        context.prec = 60
        exact = Decimal(x).ln()
        return abs(Decimal(value) - exact) / Decimal(math.ulp(float(exact)))


@given(st.one_of(positive, near_one))
def test_within_one_unit_in_the_last_place(x):
    assert units_off(x, float(logarithm(np.array([x]))[0])) <= 1


@pytest.mark.parametrize(
    ("x", "bits"),
    [
        (1.0, "0x0.0p+0"),
        (2.0, "0x1.62e42fefa39efp-1"),
        (0.5, "-0x1.62e42fefa39efp-1"),
        (3.0, "0x1.193ea7aad030ap+0"),
        (10.0, "0x1.26bb1bbb55516p+1"),
        (5e-324, "-0x1.74385446d71c3p+9"),
    ],
)
def test_bits(x, bits):
    """The same on every machine."""
    assert float(logarithm(np.array([x]))[0]).hex() == bits


def test_rises():
    """So that a larger chance never counts as the smaller one."""
    x = np.sort(np.random.default_rng(1).random(100_000))
    assert (np.diff(logarithm(x)) >= 0).all()


def test_counts():
    count = np.array([0, 1, 2, 7, 65_535, 65_536, 10**12, 3])
    for some in (count, count[:5], count[:2], count[:0], count[:4].astype(np.int32)):
        assert logarithm_of_counts(some).tolist() == logarithm(np.maximum(some, 1)).tolist()


@given(st.lists(st.integers(1, 10**9), min_size=1, max_size=20), generators())
def test_whole_steps_add_up_to_the_same_in_any_order(counts, random):
    steps = in_steps(np.array(counts), 2.0**36)
    shuffled = counts[:]
    random.shuffle(shuffled)
    assert in_steps(np.array(shuffled), 2.0**36).sum() == steps.sum()
    assert steps.sum() / 2.0**36 == pytest.approx(sum(map(math.log, counts)), abs=1e-9)


@given(st.lists(st.tuples(st.integers(0, 10**6), st.integers(0, 10**6)), max_size=12), generators())
def test_entropy(pairs, random):
    """By its definition; to the last step the same for other names of the contexts and of the sides."""
    found = entropy_in_steps(np.array(pairs, np.int64).reshape(-1, 2), 2.0**20)
    defined = sum(-n * math.log(n / sum(pair)) for pair in pairs for n in pair if n)
    assert found / 2.0**20 == pytest.approx(defined, rel=1e-12, abs=2e-6 * max(len(pairs), 1))
    turned = [pair[:: random.choice([1, -1])] for pair in random.sample(pairs, len(pairs))]
    assert entropy_in_steps(np.array(turned, np.int64).reshape(-1, 2), 2.0**20) == found
    if all(0 in pair for pair in pairs):
        assert found == 0
