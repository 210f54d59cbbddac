"""The projective maximum of dependency length: as long as enumeration finds."""

from random import Random

import definitions as naive
import pytest
from hypothesis import given
from orders import order, orders
from places import SAMPLE
from strategies import forest, random_heads, tree

from permtree import Treebank, measure, permute


def longest(heads):
    """All dependents of a word toward its own head, those of a root after it, the largest nearest."""
    keys = [0] * len(heads)
    for head in naive.words_of(heads):
        group = sorted(naive.dependents(heads, head), key=lambda word: (-len(naive.subtree(heads, word)), word))
        side = 1 if naive.depth(heads, head) % 2 == 0 else -1
        for rank, word in enumerate(group, 1):
            keys[word - 1] = side * rank
    return naive.linearize(heads, keys)


def assert_longest(sentences):
    for heads, new in zip(sentences, orders(Treebank.from_heads(sentences), "maxdl"), strict=True):
        assert new in naive.projective_orders(heads)
        assert naive.dependency_length(heads, new) == naive.maximal_length(heads)


def test_longest_on_all_small_forests():
    assert_longest(naive.forests_up_to(5))


def test_longest_on_a_sample_of_trees_of_six_and_seven_words():
    rng = Random(6)
    assert_longest([random_heads(rng, n, roots) for n in (6, 7) for roots in (1, 1, 1, 2) for _ in range(10)])


@pytest.mark.long
def test_longest_on_all_trees_of_six_words():
    assert_longest(naive.trees(6))


@given(forest())
def test_sides_and_siblings_are_as_the_card_says(heads):
    assert order(heads, "maxdl") == longest(heads)


@given(tree())
def test_no_order_that_keeps_subtrees_together_is_longer(heads):
    most = naive.dependency_length(heads, order(heads, "maxdl"))
    for mode, options in [
        ("random-projective", {}),
        ("optdl", {}),
        ("rb", {"siblings": "longest-nearest"}),
        ("lb", {"siblings": "longest-nearest"}),
    ]:
        assert naive.dependency_length(heads, order(heads, mode, **options)) <= most


def test_reference_trees(shared):
    """Maxima that other programs found."""
    lines = (shared / "reference" / "trees.tsv").read_text(encoding="utf-8").splitlines()
    rows = [dict(zip(lines[0].split("\t"), line.split("\t"), strict=True)) for line in lines[1:]]
    assert len(rows) == 14
    for row in rows:
        heads = tuple(int(head) for head in row["heads"].split())
        assert naive.dependency_length(heads, order(heads, "maxdl")) == int(row["Dmax_projective"])


def test_largest_dependent_stands_nearest_and_away_and_back():
    # Word 1 is the root; 2 has two words below it, 5 none.
    assert order([0, 1, 2, 2, 1], "maxdl") == (1, 4, 3, 2, 5)


def test_no_sentence_of_the_sample_is_longer_in_any_other_order():
    treebank = Treebank.read(str(SAMPLE / "fluvi-dev.conllu"))

    def lengths(mode, **options):
        found = measure(permute(treebank, mode, **options), "dl_total", profile="lal", by="sentence")
        return [values["dl_total"] for _, _, values in found.groups]

    longest_of_all = lengths("maxdl")
    for mode, options in [("projectivize", {}), ("rb", {"siblings": "longest-nearest"}), ("random-projective", {})]:
        other = lengths(mode, **options)
        assert len(other) == len(longest_of_all) == treebank.n_sentences
        assert all(a <= b for a, b in zip(other, longest_of_all, strict=True))
