"""The treebank's own face: selections, names, and what it refuses."""

import numpy as np
import pytest
from reordering import conllu, word

from permtree.errors import DataError, UsageError
from permtree.treebank import Treebank, heads_of

SENTENCES = [[0, 1, 1], [2, 0], [3, 3, 0, 3], [0]]


@pytest.fixture
def treebank() -> Treebank:
    return Treebank.from_heads(SENTENCES)


def test_heads_go_in_and_come_out(treebank):
    assert heads_of(treebank) == SENTENCES
    assert (treebank.n_words, treebank.n_sentences) == (10, 4)


def test_selecting_sentences(treebank):
    named = conllu(*(line for name in "abcd" for line in (f"# sent_id = {name}", word(1, "x", 0), "")))
    assert Treebank.from_bytes(named).select_sentences(np.arange(4) % 2 == 1).sent_ids == ["b", "d"]
    selection = treebank.select_sentences(np.array([False, True, False, True]))
    assert heads_of(selection) == [[2, 0], [0]]
    assert selection.row.tolist() == [3, 4, 9]


def test_a_selection_of_a_selection(treebank):
    some = treebank.select_sentences(np.array([True, False, True, True]))
    words = some.select_words(np.array([True, False, True, True, True, False, True, True]))
    assert heads_of(words) == [[0, 1], [0, 0, 0], [0]]
    assert words.row.tolist() == [0, 2, 5, 6, 8, 9]
    assert words.text.strings(1)[words.row[3]] == "w2"
    assert [words.column(1).vocabulary[code] for code in words.column(1).codes] == ["w1", "w3", "w1", "w2", "w4", "w1"]


def test_selecting_all_sentences_changes_nothing(treebank):
    assert treebank.select_sentences(np.ones(4, bool)) is treebank


def test_some_sentences_are_written_as_they_stood(treebank):
    blocks = treebank.to_bytes().split(b"\n\n")
    assert treebank.select_sentences(np.arange(4) > 0).to_bytes() == b"\n\n".join(blocks[1:])


def test_a_selection_without_words_only(treebank):
    with pytest.raises(UsageError):
        treebank.select_words(np.arange(10) > 0).to_bytes()


def test_columns_are_codes_into_a_sorted_vocabulary(treebank):
    assert treebank.deprel.vocabulary == ["dep", "root"]
    assert treebank.deprel.code("root") == 1
    assert treebank.deprel.code("nsubj") == -1
    assert treebank.deprel.decoded()[:3] == ["root", "dep", "dep"]
    with pytest.raises(ValueError, match="read-only"):
        treebank.deprel.codes[0] = 0


def test_the_first_sent_id_counts():
    data = conllu("# sent_id = a", "#sent_id=b", word(1, "x", 0), "", "#  sent_id  =  c d ", word(1, "x", 0), "")
    assert Treebank.from_bytes(data).sent_ids == ["a", "c d"]


def test_a_comment_that_only_looks_like_a_sent_id():
    data = conllu("# old_sent_id = a", "# sent_ids = b", "# x sent_id = c", word(1, "x", 0), "")
    assert Treebank.from_bytes(data).sent_ids == [""]


def test_a_circle_is_named_by_its_words_alone():
    """Word 1 hangs on the circle and is not on it."""
    treebank = Treebank.from_bytes(conllu(word(1, "a", 2), word(2, "b", 3), word(3, "c", 2), word(4, "d", 0), ""))
    with pytest.raises(DataError, match="<bytes>:2: not a tree: words 2, 3 head each other"):
        treebank.trees_only()


def test_one_finding_for_each_sentence_that_is_no_tree():
    treebank = Treebank.from_heads([[2, 1], [0], [1], [2, 1, 4, 3, 0], [2, 3, 1, 0]])
    codes = [(sentence, finding.code) for sentence, finding in treebank.tree_findings()]
    assert codes == [(0, "E204"), (2, "E202"), (3, "E203"), (4, "E203")]
    kept, _ = treebank.trees_only(skip_errors=True)
    assert heads_of(kept) == [[0]]
