"""Branching orders with every order of siblings: zero entropy at three lengths."""

import definitions as naive
import pytest
from commandline import measured, permtree
from hypothesis import given
from orders import order, orders
from places import SAMPLE
from strategies import batches, forest

from permtree import Treebank, measure, permute

SIBLINGS = ("shortest-nearest", "longest-nearest", "original")
MODES = {"lb": -1, "rb": 1}
every_choice = [(mode, siblings) for mode in MODES for siblings in SIBLINGS]
FORESTS = naive.forests_up_to(5)


def nearest_first(heads, head, mode, siblings):
    """The dependents of a head from the nearest to the farthest one."""
    group = naive.dependents(heads, head)
    if siblings == "original":
        return group if mode == "rb" else group[::-1]
    longest_first = siblings == "longest-nearest"
    return sorted(group, key=lambda word: len(naive.subtree(heads, word)) * (-1 if longest_first else 1))


def branching(heads, mode, siblings):
    keys = [0] * len(heads)
    for head in naive.words_of(heads):
        for rank, word in enumerate(nearest_first(heads, head, mode, siblings), 1):
            keys[word - 1] = MODES[mode] * rank
    return naive.linearize(heads, keys)


@pytest.mark.parametrize(("mode", "siblings"), every_choice)
def test_all_small_forests(mode, siblings):
    expected = [branching(heads, mode, siblings) for heads in FORESTS]
    assert orders(Treebank.from_heads(FORESTS), mode, siblings=siblings) == expected


@pytest.mark.parametrize(("mode", "siblings"), every_choice)
@given(sentences=batches())
def test_random_forests(mode, siblings, sentences):
    expected = [branching(heads, mode, siblings) for heads in sentences]
    assert orders(Treebank.from_heads(sentences), mode, siblings=siblings) == expected


@pytest.mark.parametrize("mode", MODES)
def test_shortest_and_longest_nearest_are_the_ends_of_all_one_sided_orders(mode):
    treebank = Treebank.from_heads(FORESTS)
    found = {siblings: orders(treebank, mode, siblings=siblings) for siblings in SIBLINGS}
    for number, heads in enumerate(FORESTS):
        possible = naive.one_sided_orders(heads, after=mode == "rb")
        lengths = [naive.dependency_length(heads, new) for new in possible]
        assert all(found[siblings][number] in possible for siblings in SIBLINGS)
        assert naive.dependency_length(heads, found["shortest-nearest"][number]) == min(lengths)
        assert naive.dependency_length(heads, found["longest-nearest"][number]) == max(lengths)


@pytest.mark.parametrize("mode", MODES)
@given(heads=forest())
def test_lengths_are_in_order_on_random_forests(mode, heads):
    shortest, original, longest = (
        naive.dependency_length(heads, order(heads, mode, siblings=siblings))
        for siblings in ("shortest-nearest", "original", "longest-nearest")
    )
    assert shortest <= original <= longest


@pytest.mark.parametrize("siblings", ["shortest-nearest", "longest-nearest"])
def test_lb_mirrors_rb_word_by_word(siblings):
    trees = Treebank.from_heads(naive.trees_up_to(5))
    assert [new[::-1] for new in orders(trees, "lb", siblings=siblings)] == orders(trees, "rb", siblings=siblings)


@pytest.mark.parametrize("mode", MODES)
def test_original_siblings_keep_their_order_in_the_text(mode):
    for heads, new in zip(FORESTS, orders(Treebank.from_heads(FORESTS), mode, siblings="original"), strict=True):
        for head in naive.words_of(heads):
            group = naive.dependents(heads, head)
            assert sorted(group, key=new.index) == group


def test_shortest_nearest_is_the_default():
    treebank = Treebank.from_heads(FORESTS)
    for mode in MODES:
        assert orders(treebank, mode) == orders(treebank, mode, siblings="shortest-nearest")


@pytest.mark.parametrize(("mode", "siblings"), every_choice)
def test_entropy_is_0_and_all_heads_are_on_one_side(mode, siblings):
    new = permute(Treebank.read(str(SAMPLE / "medol-dev.conllu")), mode, siblings=siblings)
    values = measure(new, "arc_direction_entropy", "head_final", profile="lal")
    assert values["arc_direction_entropy"].value == 0
    assert values["head_final"].value == (mode == "lb")


def test_lengths_by_the_command_line(tmp_path):
    lengths = []
    for siblings in ("shortest-nearest", "original", "longest-nearest"):
        new = permtree("permute", "--mode", "lb", "--siblings", siblings, SAMPLE / "rigan-dev.conllu").out
        (tmp_path / siblings).write_bytes(new)
        assert f"# permtree = lb|siblings:{siblings}|".encode() in new
        values = measured("--profile", "lal", "--measure", "dl_total", tmp_path / siblings)
        lengths.append(values["measures"]["dl_total"]["value"])
    assert lengths[0] < lengths[1] < lengths[2]


def test_a_misspelt_choice_names_the_way_out():
    done = permtree("permute", "--mode", "rb", "--siblings", "shortest", stdin=b"", status=2)
    assert len(done.lines) == 1
    assert "did you mean 'shortest-nearest'?" in done.lines[0]


def test_other_modes_have_no_siblings():
    done = permtree("permute", "--mode", "optdl", "--siblings", "original", stdin=b"", status=2)
    assert len(done.lines) == 1
    assert done.lines[0].startswith("mode 'optdl' takes no --siblings")
