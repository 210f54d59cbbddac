"""What is left out and what is taken out, each with its count."""

import pytest
from reordering import conllu, word

from permtree.errors import DataError, UsageError
from permtree.permuting import Report, permute
from permtree.treebank import Treebank, heads_of
from permtree.treebank.policies import Policies, select

NAMES = ("two roots", "crossing", "final", "inner", "head", "alone", "plain")


@pytest.fixture(scope="module")
def treebank() -> Treebank:
    """One sentence of each kind, named by its kind."""
    sentences = [
        (word(1, "a", 0), word(2, "b", 0)),
        (word(1, "a", 3), word(2, "b", 0), word(3, "c", 2), word(4, "d", 2)),
        (word(1, "a", 0), word(2, "!", 1, upos="PUNCT"), word(3, "!", 1, upos="PUNCT")),
        (word(1, "a", 3), word(2, ",", 3, upos="PUNCT"), word(3, "b", 0), word(4, ".", 3, upos="PUNCT")),
        (word(1, "a", 0), word(2, "b", 3), word(3, ".", 1, upos="PUNCT")),
        (word(1, "!", 0, upos="PUNCT"), word(2, "!", 1, upos="PUNCT")),
        (word(1, "a", 2), word(2, "b", 0)),
    ]
    pairs = zip(NAMES, sentences, strict=True)
    return Treebank.from_bytes(conllu(*(line for name, lines in pairs for line in (f"# sent_id = {name}", *lines, ""))))


def test_the_default_keeps_all(treebank):
    selected = select(treebank, Policies())
    assert selected.treebank is treebank
    assert not +selected.left_out
    assert not +selected.removed
    assert not selected.final.any()


def test_skipping_several_roots(treebank):
    selected = select(treebank, Policies(roots="skip"))
    assert selected.treebank.sent_ids == [name for name in NAMES if name != "two roots"]
    assert +selected.left_out == {"several roots": 1}


def test_refusing_several_roots(treebank):
    with pytest.raises(DataError, match="<bytes>:3: 2 roots; .*sentence two roots") as caught:
        select(treebank, Policies(roots="error"))
    assert caught.value.finding.code == "E205"


def test_skipping_nonprojective_sentences(treebank):
    """The first word of `crossing` hangs across the root."""
    selected = select(treebank, Policies(nonprojective="skip"))
    assert selected.treebank.sent_ids == [name for name in NAMES if name != "crossing"]
    assert +selected.left_out == {"non-projective": 1}


def test_final_punctuation_is_marked(treebank):
    selected = select(treebank, Policies(punct="final"))
    assert selected.treebank is treebank
    marked = selected.final.nonzero()[0]
    assert [treebank.text.strings(1)[row] for row in marked] == ["!", "!", ".", ".", "!", "!"]


def test_excluding_punctuation(treebank):
    selected = select(treebank, Policies(punct="exclude"))
    assert selected.treebank.sent_ids == ["two roots", "crossing", "final", "plain"]
    assert +selected.left_out == {
        "punctuation alone": 1,
        "punctuation that is not final": 1,
        "punctuation with dependents": 1,
    }
    assert selected.final.sum() == 2


def test_stripping_punctuation(treebank):
    selected = select(treebank, Policies(punct="strip"))
    assert selected.treebank.sent_ids == [name for name in NAMES if name != "alone"]
    assert heads_of(selected.treebank) == [[0, 0], [3, 0, 2, 2], [0], [2, 0], [0, 1], [2, 0]]
    assert +selected.left_out == {"punctuation alone": 1}
    assert +selected.removed == {"punctuation": 5, "dependents of punctuation re-attached": 1}


def test_another_tag_for_punctuation(treebank):
    assert +select(treebank, Policies(punct="strip", punct_tag="X")).left_out == {"punctuation alone": 3}
    assert not +select(treebank, Policies(punct="strip", punct_tag="NONE")).removed


def test_the_profile_of_the_paper(treebank):
    report = Report()
    result = permute(treebank, "rb", profile="gulordava-merlo-2016", report=report)
    assert result.sent_ids == ["crossing", "final", "plain"]
    assert report.left_out["several roots"] == 1
    assert report.counts["sentences read"] == 7
    assert report.counts["sentences written"] == 3
    assert report.counts["words written"] == 9
    assert report.lines()[0] == "read 7 sentences, 20 words; wrote 3 sentences, 9 words"


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"punct": "stirp"}, "did you mean 'strip'"),
        ({"roots": "nonsense"}, "known: keep, skip, error"),
        ({"profile": "gulordava"}, "no profile named 'gulordava'"),
    ],
)
def test_unknown_policies_name_the_way_out(treebank, options, message):
    with pytest.raises(UsageError, match=message):
        permute(treebank, "rb", **options)
