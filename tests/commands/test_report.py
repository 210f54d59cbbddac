"""What stands on standard error: what was read and written, and a count for all that a policy touched."""

from __future__ import annotations

import pytest
from commandline import permtree, sentence
from reordering import conllu, word

PLAIN = sentence("plain", 2, 0, 2)
ROOTS = sentence("roots", 0, 0)
CROSSED = sentence("crossed", 3, 4, 0, 3)
FINAL = conllu("# sent_id = final", word(1, "a", 0), word(2, ".", 1, upos="PUNCT"), "")
INNER = conllu("# sent_id = inner", word(1, "(", 2, upos="PUNCT"), word(2, "a", 0), "")
HEADING = conllu("# sent_id = heading", word(1, "a", 2), word(2, ".", 0, upos="PUNCT"), "")
ALONE = conllu("# sent_id = alone", word(1, ".", 0, upos="PUNCT"), "")
ALL = PLAIN + ROOTS + CROSSED + FINAL + INNER + HEADING + ALONE  # 7 sentences, 16 words


def report(*arguments: str, data: bytes = ALL) -> list[str]:
    """The lines of a report but for those that count nothing."""
    lines = permtree("permute", "--mode", "lb", *arguments, stdin=data).lines
    return [line for line in lines if not line.endswith(": 0")]


def test_defaults_lose_nothing():
    assert report() == [
        "read 7 sentences, 16 words; wrote 7 sentences, 16 words",
        "sentences with several roots (each tree ordered by itself): 1",
        "non-projective sentences read and kept: 1",
        "sentences in another order: 3",
    ]


def test_what_did_not_happen_is_a_zero():
    lines = permtree("permute", "--mode", "lb", "--roots", "skip", stdin=PLAIN).lines
    assert lines == [
        "read 1 sentences, 3 words; wrote 1 sentences, 3 words",
        "left out: 0 sentences: several roots",
        "sentences with several roots (each tree ordered by itself): 0",
        "non-projective sentences read and kept: 0",
        "multiword tokens kept: 0",
        "multiword tokens separated (kept in comments): 0",
        "SpaceAfter=No kept: 0",
        "SpaceAfter=No set aside (another word follows): 0",
        "sentences in another order: 1",
    ]


def test_quiet():
    assert report("--quiet") == report("-q") == []


@pytest.mark.parametrize(
    ("arguments", "lines"),
    [
        (
            ["--profile", "gulordava-merlo-2016"],
            [
                "read 7 sentences, 16 words; wrote 3 sentences, 9 words",
                "left out: 1 sentences: several roots",
                "left out: 1 sentences: punctuation alone",
                "left out: 1 sentences: punctuation that is not final",
                "left out: 1 sentences: punctuation with dependents",
                "non-projective sentences read and kept: 1",
                "sentences in another order: 2",
                "left out by policies: 4 of 7 sentences, 7 of 16 words (43%); "
                "to keep these sentences: --roots keep --punct final",
            ],
        ),
        (
            ["--punct", "strip"],
            [
                "read 7 sentences, 16 words; wrote 6 sentences, 12 words",
                "left out: 1 sentences: punctuation alone",
                "removed: 3 punctuation",
                "removed: 1 dependents of punctuation re-attached",
                "sentences with several roots (each tree ordered by itself): 1",
                "non-projective sentences read and kept: 1",
                "sentences in another order: 2",
            ],
        ),
        (
            ["--nonprojective", "skip", "--roots", "skip"],
            [
                "read 7 sentences, 16 words; wrote 5 sentences, 10 words",
                "left out: 1 sentences: several roots",
                "left out: 1 sentences: non-projective",
                "sentences in another order: 2",
                "left out by policies: 2 of 7 sentences, 6 of 16 words (37%); "
                "to keep these sentences: --roots keep --nonprojective keep",
            ],
        ),
    ],
    ids=["profile", "strip", "skip"],
)
def test_what_policies_leave_out(arguments, lines):
    assert report(*arguments) == lines


def test_nothing_but_the_report_says_what_was_left_out():
    """The output holds the sentences that were kept, in their order."""
    out = permtree("permute", "--mode", "original", "--nonprojective", "skip", stdin=ALL).out
    names = [line.split()[-1] for line in out.split(b"\n") if line.startswith(b"# sent_id")]
    assert names == [b"plain", b"roots", b"final", b"inner", b"heading", b"alone"]


def test_sentences_that_a_fixed_permutation_passes_over(tmp_path):
    (tmp_path / "sigma").write_text("3 1 2\n")
    lines = permtree("permute", "--mode", "fixed", "--sigma", tmp_path / "sigma", stdin=PLAIN + CROSSED).lines
    assert "sentences passed over by --sigma (other length): 1" in lines
    assert "sentences in another order: 1" in lines


def test_what_an_inverse_can_not_restore():
    permuted = permtree("permute", "--mode", "lb", "--profile", "gulordava-merlo-2016", stdin=ALL).out
    lines = permtree("invert", stdin=permuted).lines
    assert lines == [
        "inverted 3 sentences",
        "permuted with punct:exclude: sentences that it left out are not restored",
        "permuted with roots:skip: sentences that it left out are not restored",
    ]
    stripped = permtree("permute", "--mode", "lb", "--punct", "strip", stdin=FINAL).out
    lines = permtree("invert", stdin=stripped).lines
    assert "words removed by a policy: not restored: 1" in lines
    assert permtree("invert", "--quiet", stdin=stripped).lines == []


def test_a_hint_where_punctuation_moved_into_sentences():
    """Punctuation that moved is no longer final: the paper's profile would leave such sentences out."""
    moved = permtree("permute", "--mode", "lb", "--quiet", stdin=FINAL).out
    done = permtree("measure", "--profile", "gulordava-merlo-2016", stdin=moved)
    assert [line.split(":")[0] for line in done.lines] == ["hint", "left out by policies"]
    done = permtree("measure", stdin=moved)
    assert done.lines == ["left out by policies: 0 of 1 sentences, 1 of 2 words (50%); to keep them: --punct keep"]
    assert permtree("measure", "--profile", "lal", stdin=moved).err == ""
    assert permtree("measure", "--profile", "gulordava-merlo-2016", stdin=PLAIN).err == ""
