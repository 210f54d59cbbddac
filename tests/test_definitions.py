"""The naive definitions agree with each other and with known values: two ways to count the same must give the same."""

import math

import definitions as naive
import pytest


def test_there_are_as_many_trees_as_cayley_says():
    assert [len(naive.trees(n)) for n in range(1, 6)] == [n ** (n - 1) for n in range(1, 6)]
    assert [len(naive.forests(n)) for n in range(1, 6)] == [(n + 1) ** (n - 1) for n in range(1, 6)]


@pytest.mark.long
def test_projective_orders_built_are_those_found_by_search():
    for heads in naive.trees_up_to(5):
        assert sorted(naive.projective_orders(heads)) == sorted(naive.projective_orders_by_search(heads))
        assert len(naive.projective_orders(heads)) == naive.n_projective_orders(heads)


def test_an_order_is_projective_if_no_arc_is_nonprojective():
    for heads in naive.trees_up_to(5):
        assert naive.is_projective(heads, naive.original(heads)) == (not naive.nonprojective_words(heads))


def test_number_of_optimal_orders_follows_the_formula():
    for heads in naive.forests_up_to(5):
        count = len(naive.optimal_orders(heads))
        assert count == naive.n_optimal_orders(heads)
        assert math.isclose(math.log2(count), naive.log2_n_optimal_orders(heads), abs_tol=1e-12)


@pytest.mark.parametrize(
    "heads", [(2, 0, 2, 2, 2, 2, 2), (0, 1, 1, 2, 2, 3, 3), (0, 1, 2, 2, 2, 2, 2), (0, 1, 2, 1, 4, 1)]
)
def test_number_of_optimal_orders_follows_the_formula_with_many_equal_sizes(heads):
    assert len(naive.optimal_orders(heads)) == naive.n_optimal_orders(heads)


def test_expected_lengths_follow_their_formulas():
    for heads in naive.trees_up_to(5):
        assert naive.mean_projective_length(heads) == naive.expected_projective_length(heads)
        assert naive.mean_length(heads) == naive.expected_length(heads)


def test_reference_trees(shared):
    """The values were found by other programs; star10 by formula."""
    lines = (shared / "reference" / "trees.tsv").read_text(encoding="utf-8").splitlines()
    names = lines[0].split("\t")
    for line in lines[1:]:
        row = dict(zip(names, line.split("\t"), strict=True))
        heads = tuple(int(head) for head in row["heads"].split())
        assert naive.dependency_length(heads, naive.original(heads)) == int(row["D"])
        assert naive.crossings(heads) == int(row["crossings"])
        assert naive.n_projective_orders(heads) == int(row["n_projective_orders"])
        assert naive.expected_projective_length(heads) == naive.Fraction(row["E_projective"])
        assert naive.expected_length(heads) == naive.Fraction(row["E_any"])
        if row["Dmin_projective"] != ".":
            assert naive.minimal_length(heads) == int(row["Dmin_projective"])
            assert naive.maximal_length(heads) == int(row["Dmax_projective"])
