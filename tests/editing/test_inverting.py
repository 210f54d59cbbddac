"""Undoing a permutation: to the byte where nothing was removed, counted where something was, else refused."""

from __future__ import annotations

from collections import Counter
from itertools import product

import pytest
from every_mode import QUICK, every_kind_of_mode
from hypothesis import given
from hypothesis import strategies as st
from reordering import conllu, permuted, put_in_order, word
from rich_sentences import no_shrinking, rich_sentences
from speed import first_is_quick

from permtree.editing.inverting import invert
from permtree.editing.trace import Trace
from permtree.errors import DataError
from permtree.treebank import Treebank

# The policies that remove nothing, in all combinations.
LOSSLESS = [dict(zip(("punct", "mwt"), pair, strict=True)) for pair in product(("keep", "final"), ("split", "unit"))]


def there_and_back(data: bytes, mode: str, options: dict, **policies: str) -> bytes:
    return invert(permuted(data, mode, 1, options, **policies)).to_bytes()


def assert_all_invert(path, which, policies=LOSSLESS):
    treebank, _ = Treebank.read(str(path)).trees_only(skip_errors=True)
    if treebank.n_sentences != treebank.text.n_sentences:
        return  # not all of it can be permuted
    data = treebank.to_bytes()
    for (mode, options), chosen in product(which, policies):
        assert there_and_back(data, mode, options, **chosen) == data, (mode, options, chosen)


def test_every_small_case(case_path):
    """With each combination of policies in some modes."""
    for number, chosen in enumerate(LOSSLESS):
        invert_where_readable(case_path, QUICK[number :: 3 * len(LOSSLESS)], [chosen])


@pytest.mark.long
def test_every_small_case_in_every_mode(case_path):
    invert_where_readable(case_path, QUICK, LOSSLESS)


def invert_where_readable(path, which, policies):
    try:
        Treebank.read(str(path))
    except DataError:
        return
    assert_all_invert(path, which, policies)


@pytest.mark.long
def test_every_treebank_in_every_mode(treebank_path):
    assert_all_invert(treebank_path, QUICK)


@pytest.mark.parametrize(
    "name", first_is_quick(["it_partut-ud-dev", "la_cicero.test", "fi_tdt-ud-test", "en_ewt-ud-dev"], 2)
)
def test_some_treebanks(shared, name):
    """One with many ranges, two with empty nodes and DEPS, one in CoNLL-X."""
    (path,) = shared.glob(f"treebanks/*/{name}.conll*")
    assert_all_invert(path, [("reverse", {}), ("optdl", {"ties": "random"})])


@every_kind_of_mode
@no_shrinking
@given(data=rich_sentences())
def test_rich_sentences(mode, options, data):
    for policies in LOSSLESS:
        assert there_and_back(data, mode, options, **policies) == data


@no_shrinking
@given(rich_sentences(), st.integers(0, 9))
def test_nested_permutations_are_undone_one_at_a_time(data, seed):
    first = permuted(data, "random", seed)
    second = permuted(first.to_bytes(), "optdl", seed)
    third = permuted(second.to_bytes(), "reverse", seed)
    assert invert(third).to_bytes() == second.to_bytes()
    assert invert(invert(third)).to_bytes() == first.to_bytes()
    assert invert(invert(invert(third))).to_bytes() == data


# -- CoNLL-X -------------------------------------------------------------------------------------------------------

LAST = ["_", "obj", "a|b", "SpaceAfter=No", "a|SpaceAfter=No", "PHead=1", "PDeprel=x", "PHead=2|PDeprel=x", "x|Orig=3"]


@st.composite
def conllx_sentences(draw) -> bytes:
    """Sentences whose ninth column holds numbers alone, or not; a range in some; the end as it may be."""
    lines = []
    for _ in range(draw(st.integers(1, 3))):
        n = draw(st.integers(1, 5))
        for place in range(1, n + 1):
            if place == 1 < n and draw(st.booleans()):
                lines.append(word("1-2", "ab", misc=draw(st.sampled_from(LAST))))
            ninth = draw(st.sampled_from(["_", "0", str(draw(st.integers(1, n))), "0:root"]))
            lines.append(word(place, "a", place - 1, ninth, draw(st.sampled_from(LAST))))
        lines.append("")
    data = conllu(*lines)
    return data[: len(data) - draw(st.integers(0, 2))]


@no_shrinking
@given(data=conllx_sentences(), seed=st.integers(0, 9))
def test_the_last_columns_of_conllx_come_back(data, seed):
    first = permuted(data, "random", seed)
    second = permuted(first.to_bytes(), "reverse", 0)
    ninth = [line.split(b"\t")[8] for line in second.to_bytes().splitlines() if b"\t" in line]
    assert all(value == b"_" or b":" in value for value in ninth)
    assert invert(second).to_bytes() == first.to_bytes()
    assert invert(first).to_bytes() == data


def test_in_sentences_that_lost_words_they_stay_in_misc():
    data = conllu(word(1, "a", 2, "2", "obj"), word(2, "b", 0, "0"), word(3, ",", 2, "2", "punct", "PUNCT"), "")
    made = permuted(data + data.replace(b"PUNCT", b"X"), "reverse", 0, punct="strip")
    counts = Counter()
    kept = conllu(word(1, "a", 2, misc="PHead=2|PDeprel=obj"), word(2, "b", 0, misc="PHead=0"), "")
    assert invert(made, counts).to_bytes() == kept + data.replace(b"PUNCT", b"X")
    assert counts["words of sentences with removed words: PHEAD and PDEPREL stay in MISC"] == 2


def test_columns_that_nobody_knows_are_refused():
    data = permuted(conllu(word(1, "a", 0, "0"), ""), "reverse", 0).to_bytes()
    with pytest.raises(DataError, match="'# permtree_columns = PHEAD X' does not fit the sentence"):
        invert(Treebank.from_bytes(data.replace(b"PHEAD PDEPREL", b"PHEAD X")))


# -- what a policy removed -----------------------------------------------------------------------------------------

COMMAS = conllu(
    "# text = a, b.",
    word(1, "a", 4, misc="SpaceAfter=No"),
    word(2, ",", 1, upos="PUNCT"),
    word("3-4", "b", misc="SpaceAfter=No"),
    word(3, "b1", 2),
    word(4, "b2", 0),
    word(5, ".", 4, upos="PUNCT"),
    "",
)


def test_removed_words_are_not_restored_but_counted():
    counts = Counter()
    back = invert(permuted(COMMAS, "reverse", punct="strip"), counts)
    assert back.to_bytes() == conllu(
        "# text = a b",
        word(1, "a", 3, misc="OrigSpaceAfter=No"),  # the comma that stood here without a space is gone
        word("2-3", "b", misc="OrigSpaceAfter=No"),
        word(2, "b1", 1),
        word(3, "b2", 0),
        "",
    )
    assert counts["words removed by a policy: not restored"] == 2
    assert counts["sentences with removed words: renumbered, # text rebuilt"] == 1


@every_kind_of_mode
@no_shrinking
@given(data=rich_sentences(), mwt=st.sampled_from(["split", "unit"]))
def test_what_comes_back_after_stripping_does_not_depend_on_the_order(mode, options, data, mwt):
    expected = there_and_back(data, "original", {}, punct="strip")
    assert there_and_back(data, mode, options, punct="strip", mwt=mwt) == expected


def test_sentences_left_out_stay_out():
    data = COMMAS + conllu(word(1, "a", 0), word(2, "b", 1), "")
    assert invert(permuted(data, "reverse", punct="exclude")).to_bytes() == conllu(word(1, "a", 0), word(2, "b", 1), "")


def test_a_range_with_removed_words_is_counted():
    data = conllu(word("1-2", "ab"), word(1, "a", 2), word(2, "b", 3, upos="PUNCT"), word(3, "c", 0), "")
    counts = Counter()
    back = invert(permuted(data, "reverse", punct="strip"), counts)
    assert back.to_bytes() == conllu(word(1, "a", 2), word(2, "c", 0), "")
    assert counts["multiword tokens with removed words: not restored"] == 1


# -- what can't be inverted ----------------------------------------------------------------------------------------


def test_a_sentence_that_was_not_permuted():
    data = put_in_order(conllu(word(1, "a", 0), ""), 1) + conllu("# sent_id = x", word(1, "a", 0), "")
    with pytest.raises(DataError, match="<bytes>:4: .*nothing to invert.*sentence x") as caught:
        invert(Treebank.from_bytes(data))
    assert caught.value.finding.code == "E301"


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (b"Orig=1\n", b"_\n"),
        (b"Orig=1\n", b"Orig=2\n"),
        (b"Orig=1\n", b"Orig=x\n"),
        (b"Orig=1\n", b"Orig=0\n"),
        (b"Orig=1\n", b"Orig=1|X=1\n"),
        (b"Orig=1\n", b"XOrig=1\n"),
        (b"Orig=1\n", b"Orig=\n"),
        (b"Orig=1\n", b"1\n"),
    ],
)
def test_a_word_without_a_right_old_id(before, after):
    data = put_in_order(conllu(word(1, "a", 0), word(2, "b", 1), ""), 2, 1)
    with pytest.raises(DataError, match="edited since it was permuted") as caught:
        invert(Treebank.from_bytes(data.replace(before, after)))
    assert caught.value.finding.code == "E302"


def test_a_range_over_words_from_different_places():
    data = put_in_order(conllu(word(1, "a", 0), word(2, "b", 1), word(3, "c", 1), ""), 3, 1, 2)
    edited = data.replace(b"1\tc", conllu(word("1-2", "ca")) + b"1\tc")
    with pytest.raises(DataError, match="a multiword token over words that did not stand together"):
        invert(Treebank.from_bytes(edited))


@pytest.mark.parametrize(
    "comment",
    [
        "permtree_range = x",
        "permtree_removed = x",
        "permtree_deps = 9 1:x",
        "permtree_deps = x",
    ],
)
def test_a_comment_of_ours_that_was_edited_is_a_data_error(comment):
    data = put_in_order(conllu(word(1, "a", 0), word(2, "b", 1), ""), 2, 1)
    edited = data.replace(b"# permtree = test\n", b"# permtree = test\n# " + comment.encode() + b"\n")
    with pytest.raises(DataError):
        invert(Treebank.from_bytes(edited))


def test_old_ids_are_read_from_the_end_of_misc():
    data = conllu(
        word(1, "a", 0, misc="Orig=12"),
        word(2, "b", 1, misc="A=1|Orig=3"),
        word(3, "c", 1, misc="Orig=1|B=2"),
        word(4, "d", 1),
        "",
    )
    assert Trace.of(Treebank.from_bytes(data).text).last_ids.tolist() == [12, 3, 0, 0]


def test_a_range_that_was_added_by_hand():
    """Beside a range that comes back it stays; over one it can't."""
    data = conllu(word("1-2", "ab"), word(1, "a", 2), word(2, "b", 0), word(3, "c", 2), word(4, "d", 3), "")
    done = permuted(data, "fixed", options={"sigma": (2, 1, 4, 3)}).to_bytes()
    assert invert(Treebank.from_bytes(done)).to_bytes() == data
    lines = done.splitlines(keepends=True)
    at = next(i for i, line in enumerate(lines) if line.startswith(b"1\t"))
    over = b"".join([*lines[:at], conllu(word("1-1", "x")), *lines[at:]])
    with pytest.raises(DataError, match=r":1: .*'1-2\\tab.*does not fit the sentence; edited since") as error:
        invert(Treebank.from_bytes(over))
    assert error.value.finding.code == "E302"
    beside = b"".join([*lines[: at + 2], conllu(word("3-3", "x")), *lines[at + 2 :]])
    assert invert(Treebank.from_bytes(beside)).to_bytes() == data.replace(
        b"\n4\td", b"\n" + conllu(word("4-4", "x")) + b"4\td"
    )


def test_comments_that_were_added_since_stay():
    data = conllu("# sent_id = a", word(1, "a", 2), word(2, "b", 0), "")
    done = permuted(data, "reverse").to_bytes().replace(b"\n1\t", b"\n# note = x\n1\t")
    twice = permuted(done, "reverse").to_bytes()
    assert invert(Treebank.from_bytes(twice)).to_bytes() == done
    assert invert(Treebank.from_bytes(done)).to_bytes() == data.replace(b"= a\n", b"= a\n# note = x\n")


def test_an_old_id_with_a_leading_zero():
    done = permuted(conllu(word(1, "a", 0), ""), "reverse").to_bytes().replace(b"Orig=1", b"Orig=01")
    with pytest.raises(DataError, match="MISC does not end in Orig=") as error:
        invert(Treebank.from_bytes(done))
    assert error.value.finding.code == "E302"


@pytest.mark.parametrize("old_text", ["a b c.", "never what the words gave"])
def test_a_deleted_word_is_noticed_though_the_ids_are_complete(old_text):
    data = conllu(
        f"# text = {old_text}",
        *(word(n, form, n - 1) for n, form in enumerate("ab", 1)),
        word(3, "c", 2, misc="SpaceAfter=No"),
        word(4, ".", 1),
        "",
    )
    done = permuted(data, "fixed", options={"sigma": (2, 1, 3, 4)}).to_bytes()
    assert invert(Treebank.from_bytes(done)).to_bytes() == data
    lines = done.splitlines(keepends=True)
    assert lines[-2].startswith(b"4\t.") and lines[-2].endswith(b"Orig=4\n")
    edited = b"".join([*lines[:-2], b"\n"])
    with pytest.raises(DataError, match=r"<bytes>:1: .*a word is gone, or a form or # text was edited") as error:
        invert(Treebank.from_bytes(edited))
    assert error.value.finding.code == "E302"


def test_a_form_and_the_text_edited_alike():
    data = conllu("# text = a b", word(1, "a", 0), word(2, "b", 1), "")
    done = permuted(data, "reverse").to_bytes()
    with pytest.raises(DataError, match="a form or # text was edited"):
        invert(Treebank.from_bytes(done.replace(b"1\tb", b"1\tx")))
    edited = done.replace(b"1\tb", b"1\tx").replace(b"# text = b a", b"# text = x a")
    assert invert(Treebank.from_bytes(edited)).to_bytes() == data.replace(b"2\tb", b"2\tx")
