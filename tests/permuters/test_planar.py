"""The planar optimum: no arcs cross, and no order without crossing arcs is shorter."""

from random import Random

import definitions as naive
import pytest
from commandline import permtree
from hypothesis import given
from orders import order, orders
from places import SAMPLE
from strategies import batches, random_heads, tree

from permtree import Report, Treebank, measure, permute
from permtree.treebank import heads_of

OVER_ROOT = "sentences with an arc over the root (planar, not projective)"
_minima: dict[frozenset, int] = {}


def minimal_planar_length(heads):
    """Neither lengths nor crossings look at which end of an arc is the head: one search for all trees with the same."""
    edges = frozenset(frozenset(arc) for arc in naive.arcs(heads))
    if edges not in _minima:
        _minima[edges] = min(naive.dependency_length(heads, new) for new in naive.planar_orders(heads))
    return _minima[edges]


def assert_planar_optima(trees):
    for heads, new in zip(trees, orders(Treebank.from_heads(trees), "planar"), strict=True):
        assert sorted(new) == list(naive.words_of(heads))
        assert naive.crossings(naive.heads_in(heads, new)) == 0
        assert naive.dependency_length(heads, new) == (minimal_planar_length(heads) if len(heads) > 1 else 0)


def test_shortest_of_all_planar_orders_on_all_small_trees():
    assert_planar_optima(naive.trees_up_to(5))


@pytest.mark.long
def test_shortest_of_all_planar_orders_on_all_trees_of_six_words():
    assert_planar_optima(naive.trees(6))


def test_shortest_of_all_planar_orders_on_some_trees_of_six_and_seven_words():
    rng = Random(77)
    assert_planar_optima([random_heads(rng, n) for n in [6] * 60 + [7]])


@given(tree())
def test_no_arcs_cross_and_the_projective_optimum_is_not_shorter(heads):
    new = order(heads, "planar")
    assert naive.crossings(naive.heads_in(heads, new)) == 0
    assert naive.dependency_length(heads, new) <= naive.dependency_length(heads, order(heads, "optdl"))


@given(batches())
def test_several_roots_stay_apart_and_in_order(sentences):
    for heads, new in zip(sentences, orders(Treebank.from_heads(sentences), "planar"), strict=True):
        roots = naive.dependents(heads, 0)
        blocks = [[word for word in new if naive.root_of(heads, word) == root] for root in roots]
        assert [word for block in blocks for word in block] == list(new)


def test_every_tree_of_a_small_forest_is_as_short_as_alone():
    sentences = [heads for heads in naive.forests(5) if heads.count(0) > 1]
    for heads, new in zip(sentences, orders(Treebank.from_heads(sentences), "planar"), strict=True):
        for root in naive.dependents(heads, 0):
            words = naive.subtree(heads, root)
            alone = naive.without_words(heads, words)
            number = {word: place for place, word in enumerate(sorted(words), 1)}
            inside = tuple(number[word] for word in new if word in words)
            least = minimal_planar_length(alone) if len(alone) > 1 else 0
            assert naive.dependency_length(alone, inside) == least


def test_an_order_is_projective_unless_an_arc_passes_over_the_root():
    over_root = 0
    trees = naive.trees_up_to(5)
    for heads, new in zip(trees, orders(Treebank.from_heads(trees), "planar"), strict=True):
        over = naive.arcs_over_their_root(heads, new) > 0
        assert naive.is_projective(heads, new) == (not over)
        over_root += over
    assert over_root > 0


@given(batches())
def test_sentences_with_an_arc_over_the_root_are_counted(sentences):
    report = Report()
    new = permute(Treebank.from_heads(sentences), "planar", report=report)
    over = [naive.arcs_over_their_root(heads, naive.original(heads)) > 0 for heads in heads_of(new)]
    assert report.counts[OVER_ROOT] == sum(over)


def test_reference_trees(shared):
    """Minima that other programs found."""
    lines = (shared / "reference" / "trees.tsv").read_text(encoding="utf-8").splitlines()
    rows = [dict(zip(lines[0].split("\t"), line.split("\t"), strict=True)) for line in lines[1:]]
    known = [row for row in rows if row["Dmin_planar"] != "."]
    assert len(known) == 13
    for row in known:
        heads = tuple(int(head) for head in row["heads"].split())
        assert naive.dependency_length(heads, order(heads, "planar")) == int(row["Dmin_planar"])


def test_shorter_than_projective_where_the_root_is_no_centroid():
    heads = [0, 1, 2, 2, 3, 4]  # the root has one dependent, which has two subtrees of two words
    report = Report()
    new = permute(Treebank.from_heads([heads]), "planar", report=report)
    assert naive.minimal_length(heads) == 7
    assert naive.dependency_length(heads_of(new)[0], naive.original(heads)) == 6
    assert report.counts[OVER_ROOT] == 1


def test_the_report_and_the_measures_agree_on_the_sample():
    done = permtree("permute", "--mode", "planar", SAMPLE / "fluvi-train.conllu")
    new = Treebank.from_bytes(done.out)
    over = [naive.arcs_over_their_root(heads, naive.original(heads)) > 0 for heads in heads_of(new)]
    assert f"{OVER_ROOT}: {sum(over)}" in done.lines
    assert 0 < sum(over) < new.n_sentences
    values = measure(new, "crossings", "nonprojective_sentences", "dlm_ratio", profile="lal", roots="keep")
    assert values["crossings"].value == 0
    assert values["nonprojective_sentences"].value == pytest.approx(sum(over) / new.n_sentences)
    assert values["dlm_ratio"].value < 1
