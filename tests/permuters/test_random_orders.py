"""Random orders are uniform over what they promise: chi-square tests on many copies of one tree, with fixed seeds."""

from itertools import permutations

import definitions as naive
import pytest
from orders import assert_uniform, orders
from strategies import copies

SEED = 5


@pytest.mark.parametrize("n", [1, 2, 3, 4, 5])
def test_random_is_uniform_over_all_orders(n):
    heads = [0] + [1] * (n - 1)
    possible = list(permutations(naive.words_of(heads)))
    assert_uniform(orders(copies(heads, 60 * len(possible)), "random", SEED), possible)


@pytest.mark.parametrize("heads", [(2, 0, 2), (0, 1, 2), (0, 1, 1, 2), (4, 1, 1, 0), (0, 1, 2, 2, 1), (2, 0, 4, 0)])
def test_random_projective_is_uniform_over_projective_orders(heads):
    possible = naive.projective_orders(heads)
    assert_uniform(orders(copies(heads, 60 * len(possible)), "random-projective", SEED), possible)


@pytest.mark.parametrize(
    "heads", [(2, 0, 2, 2), (4, 4, 4, 0, 4, 4), (0, 1, 2, 2, 1), (3, 3, 0, 3, 4, 4), (2, 0, 5, 5, 0)]
)
def test_random_same_side_is_uniform_over_orders_that_keep_all_sides(heads):
    sides = naive.sides(heads, naive.original(heads))
    possible = [order for order in naive.projective_orders(heads) if naive.sides(heads, order) == sides]
    assert_uniform(orders(copies(heads, 100 * len(possible)), "random-same-side", SEED), possible)


@pytest.mark.parametrize("mode", ["random", "random-projective", "random-same-side"])
def test_random_numbers_of_different_modes_are_different(mode):
    """Two uses of one seed must not share numbers: choices that look alike would be the same choices."""
    heads = [0, 1, 1, 1, 1, 1, 1, 1]
    found = {m: orders(copies(heads, 50), m, SEED) for m in ("random", "random-projective", "random-same-side")}
    after_head = {
        m: [[word for word in order if word != 1] for order in every] for m, every in found.items() if m != mode
    }
    mine = [[word for word in order if word != 1] for order in found[mode]]
    for others in after_head.values():
        assert sum(a == b for a, b in zip(mine, others, strict=True)) < 5
