"""Orders of minimal dependency length: as short as enumeration finds, with ties broken as was asked for."""

from random import Random

import definitions as naive
import pytest
from hypothesis import given
from orders import assert_uniform, order, orders
from strategies import batches, copies, forest, random_heads

from permtree.permuters import PERMUTERS
from permtree.treebank import Treebank

TIES = ("alternate", "alternate-outside-in", "original", "random")

# Many subtrees of equal size, in several groups, below a root and below words with a head.
EQUAL_SIZES = [
    (2, 0, 2, 2, 2, 2, 2),
    (7, 7, 7, 7, 7, 7, 0),
    (0, 1, 2, 2, 2, 2, 2),
    (3, 3, 0, 3, 4, 4, 4, 4),
    (0, 1, 1, 2, 3, 1, 1),
    (4, 4, 4, 5, 0, 5, 5, 7),
    (0, 1, 1, 1, 2, 3, 4),
    (8, 1, 1, 8, 4, 4, 8, 0),
    (0, 1, 2, 3, 1, 2, 3, 4),
    (2, 3, 0, 3, 4, 3, 6, 3),
]


def medium_trees():
    rng = Random(20160)
    return [tuple(random_heads(rng, rng.choice([6, 7, 7]))) for _ in range(60)]


@pytest.mark.parametrize("ties", TIES)
def test_minimal_on_all_small_forests(ties):
    sentences = naive.forests_up_to(5)
    for heads, new in zip(sentences, orders(Treebank.from_heads(sentences), "optdl", ties=ties), strict=True):
        assert naive.dependency_length(heads, new) == naive.minimal_length(heads)


@pytest.mark.parametrize("ties", TIES)
def test_minimal_with_many_equal_sizes_and_on_medium_trees(ties):
    sentences = EQUAL_SIZES[2:] + medium_trees()
    for heads, new in zip(sentences, orders(Treebank.from_heads(sentences), "optdl", ties=ties), strict=True):
        assert naive.dependency_length(heads, new) == naive.minimal_length(heads)


@given(batches())
def test_all_ties_give_the_same_length_on_random_forests(sentences):
    treebank = Treebank.from_heads(sentences)
    for heads, *found in zip(sentences, *(orders(treebank, "optdl", ties=ties) for ties in TIES), strict=True):
        assert len({naive.dependency_length(heads, new) for new in found}) == 1


def test_reference_trees(shared):
    """Minima that other programs found, one of them by a formula for stars."""
    lines = (shared / "reference" / "trees.tsv").read_text(encoding="utf-8").splitlines()
    rows = [dict(zip(lines[0].split("\t"), line.split("\t"), strict=True)) for line in lines[1:]]
    for row in rows:
        heads = [int(head) for head in row["heads"].split()]
        minimum = 25 if row["name"] == "star10" else int(row["Dmin_projective"])
        assert {naive.dependency_length(heads, order(heads, "optdl", ties=ties)) for ties in TIES} == {minimum}


def test_the_side_of_the_heads_own_head_counts():
    """Two trees that simpler rules get wrong."""
    assert naive.dependency_length([0, 1, 1, 2, 3], order([0, 1, 1, 2, 3], "optdl")) == 4
    assert naive.dependency_length([0, 1, 2], order([0, 1, 2], "optdl")) == 2


# -- ties=original -------------------------------------------------------------------------------------------------


def assert_most_words_on_their_side(sentences):
    found = orders(Treebank.from_heads(sentences), "optdl", ties="original")
    for heads, new in zip(sentences, found, strict=True):
        optimal = naive.optimal_orders(heads)
        assert new in optimal
        best = max(naive.words_on_their_side(heads, order) for order in optimal)
        assert naive.words_on_their_side(heads, new) == best


def test_original_keeps_most_words_on_their_side_on_all_small_forests():
    assert_most_words_on_their_side(naive.forests_up_to(5))


@pytest.mark.long
def test_original_keeps_most_words_on_their_side_with_many_equal_sizes():
    assert_most_words_on_their_side(EQUAL_SIZES)


@pytest.mark.long
def test_original_keeps_most_words_on_their_side_on_medium_trees():
    assert_most_words_on_their_side(medium_trees())


@given(forest())
def test_original_is_as_good_alone_as_in_a_batch(heads):
    alone = order(heads, "optdl", ties="original")
    assert orders(Treebank.from_heads([[0, 1], heads, [2, 0, 2]]), "optdl", ties="original")[1] == alone


# -- ties=random, ties=alternate -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "heads",
    [
        (0, 1),
        (0, 1, 1),
        (0, 1, 1, 1),
        (0, 1, 1, 2),
        (0, 1, 2, 2),
        (0, 1, 2, 2, 3),
        (0, 1, 1, 2, 3),
        (0, 1, 1, 1, 2),
        (0, 1, 2, 2, 2, 3),
        (0, 1, 1, 1, 2, 3),
        (0, 1, 0, 3, 3),
    ],
)
def test_random_is_uniform_over_all_optimal_orders(heads):
    possible = naive.optimal_orders(heads)
    assert_uniform(orders(copies(heads, 100 * len(possible)), "optdl", 11, ties="random"), possible)


def test_random_draws_all_optimal_orders_of_all_trees_of_four_words():
    for heads in naive.trees(4):
        possible = naive.optimal_orders(heads)
        assert set(orders(copies(heads, 40 * len(possible)), "optdl", ties="random")) == set(possible)


def test_alternate_needs_no_seed():
    treebank = Treebank.from_heads(naive.trees_up_to(5))
    assert orders(treebank, "optdl", 0) == orders(treebank, "optdl", 1)
    assert orders(treebank, "optdl", 0) == orders(treebank, "optdl", 2, ties="alternate")


def test_alternate_keeps_equal_sizes_in_original_order_on_each_side():
    """Of four equal dependents the first counts as the largest: right of a root, then left, then right, then left."""
    assert order([0, 1, 1, 1, 1], "optdl") == (3, 5, 1, 2, 4)
    assert order([3, 3, 0, 3, 3], "optdl") == (2, 5, 3, 1, 4)
    # words 2 and 3 have two words below them each; 4 to 7 have none, and stand nearer to the root
    assert order([0, 1, 1, 1, 1, 1, 1, 2, 3, 3, 2], "optdl") == (9, 3, 10, 5, 7, 1, 4, 6, 11, 2, 8)


def test_alternate_outside_in_keeps_equal_sizes_in_original_order_from_the_outermost():
    assert order([0, 1, 1, 1, 1], "optdl", ties="alternate-outside-in") == (3, 5, 1, 4, 2)


@given(sentences=batches())
def test_alternating_orders_differ_in_the_order_of_equal_sizes_alone(sentences):
    """Each word stands on the same side of its head, among subtrees of the same sizes."""
    treebank = Treebank.from_heads(sentences)
    pairs = zip(*(orders(treebank, "optdl", ties=ties) for ties in TIES[:2]), strict=True)
    for heads, (one, other) in zip(sentences, pairs, strict=True):
        for head in naive.words_of(heads):
            size = {word: len(naive.subtree(heads, word)) for word in naive.dependents(heads, head)}
            sides = []
            for new in (one, other):
                place = {word: new.index(word) for word in (head, *size)}
                sides.append([sorted(w for w in size if (place[w] > place[head]) == right) for right in (False, True)])
                for own in sides[-1]:
                    outwards = sorted(own, key=lambda word: abs(place[word] - place[head]))
                    assert [size[word] for word in outwards] == sorted(size[word] for word in own)
                    if new is one:
                        for length in set(size.values()):
                            equal = [word for word in own if size[word] == length]
                            assert sorted(equal, key=place.get) == equal
            assert sides[0] == sides[1]


def test_options_are_listed():
    options = PERMUTERS["optdl"].options
    assert [*options] == ["ties", "learn-from"]
    ties = options["ties"]
    assert ties.metadata["choices"] == (*TIES, "min-entropy", "max-entropy")
    assert ties.default == "alternate"
