"""Views: a permuted or parsed treebank is measured at once, and is the same as when it is read back from its bytes."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from every_mode import every_quick_mode
from places import SAMPLE
from reordering import conllu, word

import permtree
from permtree import Treebank, UsageError, invert, measure, permute
from permtree.conllu.text import FORM
from permtree.editing.annotating import annotated
from permtree.editing.trace import Trace
from permtree.measures import MEASURES

ROOT = Path(__file__).parents[2]
FLUVI = Treebank.read(str(SAMPLE / "fluvi-dev.conllu"))


def is_written(view: Treebank) -> bool:
    return "_bytes" in vars(view)


def check_same(view: Treebank) -> None:
    """All measures of a view, without writing it; then each column, against what its bytes say."""
    assert not is_written(view)
    found = measure(view, *MEASURES.names(), profile="lal")
    by_sentence = measure(view, "dl_total", by="sentence").groups
    assert not is_written(view)
    again = Treebank.from_bytes(view.to_bytes())
    expected = measure(again, *MEASURES.names(), profile="lal")
    assert {name: repr(value) for name, value in found.items()} == {n: repr(v) for n, v in expected.items()}
    assert by_sentence == measure(again, "dl_total", by="sentence").groups
    assert view.head.tolist() == again.head.tolist()
    assert view.sentence_start.tolist() == again.sentence_start.tolist()
    assert view.sent_ids == again.sent_ids
    assert (view.row.tolist(), view.sentence.tolist()) == (again.row.tolist(), again.sentence.tolist())
    assert view.numbers.tolist() == again.numbers.tolist()
    for column in range(10):
        assert view.column(column).vocabulary == again.column(column).vocabulary
        assert view.column(column).codes.tolist() == again.column(column).codes.tolist()
    assert (view.random_uniform(3, "x") == again.random_uniform(3, "x")).all()


@every_quick_mode
def test_a_view_is_what_its_bytes_say(mode, options):
    treebank = FLUVI.select_sentences(np.arange(FLUVI.n_sentences) < 8)
    check_same(permute(treebank, mode, **options))


@pytest.mark.parametrize("policies", [{"punct": "strip"}, {"punct": "exclude", "roots": "skip"}, {"mwt": "unit"}])
def test_with_policies(policies):
    check_same(permute(FLUVI, "optdl", **policies))


def test_chains_stay_as_they_are():
    once = permute(FLUVI, "random", seed=2)
    twice = permute(once, "optdl")
    assert not is_written(twice)
    assert twice.to_bytes() == permute(Treebank.from_bytes(once.to_bytes()), "optdl").to_bytes()
    assert Trace.of(twice.text).levels.tolist() == [2] * FLUVI.n_sentences
    assert invert(twice).to_bytes() == once.to_bytes()
    undone = invert(twice)
    assert undone.head.tolist() == once.head.tolist()
    assert undone.column(FORM).decoded() == once.column(FORM).decoded()
    assert invert(invert(twice)).to_bytes() == FLUVI.to_bytes()
    check_same(permute(permute(FLUVI, "random", seed=2), "reverse", punct="strip"))


def test_selections_of_views():
    view = permute(FLUVI, "reverse")
    short = view.sentence_length <= 8
    some = view.select_sentences(short)
    read = Treebank.from_bytes(permute(FLUVI, "reverse").to_bytes()).select_sentences(short)
    assert measure(some)["dlm_ratio"].value == measure(read)["dlm_ratio"].value
    assert not is_written(view)
    assert some.deprel.decoded() == read.deprel.decoded()
    assert some.sent_ids == read.sent_ids
    assert some.to_bytes() == read.to_bytes()
    assert invert(some).to_bytes() == FLUVI.select_sentences(short).to_bytes()


def test_the_report_comes_with_the_view():
    given = permtree.Report()
    view = permute(FLUVI, "reverse", punct="strip", report=given)
    assert view.report.lines() == given.lines()
    assert view.report.counts["sentences in another order"] > 0
    assert FLUVI.report is None


def test_an_order_of_your_own():
    order = np.arange(FLUVI.n_words)
    for begin, end in zip(FLUVI.sentence_start[:-1], FLUVI.sentence_start[1:], strict=True):
        order[begin:end] = order[begin:end][::-1]
    check_same(permtree.in_order(FLUVI, order, "mirror"))
    assert permtree.in_order(FLUVI, order, "mirror").to_bytes().count(b"\n# permtree = mirror|permtree:") > 10
    bare = FLUVI.in_order(order)
    assert measure(bare)["dlm_ratio"].value == measure(permute(FLUVI, "reverse"))["dlm_ratio"].value
    with pytest.raises(UsageError, match=r"permtree\.in_order makes one that can"):
        bare.to_bytes()


@pytest.mark.parametrize("order", [[0, 1], [0, 0, 2], [0, 1, 3], [-1, 0, 1], [2, 1, 0], []])
def test_what_is_no_order(order):
    with pytest.raises(UsageError, match="sentence by sentence"):
        Treebank.from_heads([[0, 1], [0]]).in_order(order)


def test_what_a_parser_predicts_is_a_view():
    head = np.full(FLUVI.n_words, -1)
    found = annotated(FLUVI, head, np.arange(FLUVI.n_words) % 2, ["root", "a"])
    check_same(found)
    assert set(found.deprel.vocabulary) == {"root", "a"}
    check_same(annotated(permute(FLUVI, "reverse"), head, np.zeros(FLUVI.n_words, int), ["root", "unused"]))


# -- some sentences ----------------------------------------------------------------------------------------------------


def test_some_sentences_are_written_as_they_stood(tmp_path):
    blocks = [
        conllu("# sent_id = a", word("1-2", "ab"), word(1, "a", 0, misc="Orig=9"), word(2, "b", 1), ""),
        conllu("# newdoc", word(1, "c", 0), word("1.1", "e"), ""),
        conllu("# sent_id = d", word(1, "d", 0)),
    ]
    treebank = Treebank.from_bytes(b"".join(blocks))
    for kept in ([True, False, True], [False, True, False], [True, True, False], [False, False, False]):
        treebank.select_sentences(np.array(kept)).write(str(tmp_path / "some.conllu"))
        expected = b"".join(block for block, own in zip(blocks, kept, strict=True) if own)
        assert (tmp_path / "some.conllu").read_bytes() == expected + (b"\n" if kept[2] else b"")
    assert treebank.select_sentences(np.array([True] * 3)).to_bytes() == b"".join(blocks)
    with pytest.raises(UsageError, match="a selection of words"):
        treebank.select_words(np.array([True, False, True, True])).to_bytes()
