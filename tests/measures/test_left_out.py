"""What policies leave out of a measurement, and how it is counted: on sentences written for each case."""

from __future__ import annotations

import pytest
from commandline import measured, permtree, sentence
from reordering import conllu, word

from permtree import DataError, Treebank, measure
from permtree.profiles import PROFILES


def tagged(name: str, *words: tuple[int, str]) -> bytes:
    """A sentence from (head, UPOS) pairs."""
    lines = [word(number, f"w{number}", head, upos=upos) for number, (head, upos) in enumerate(words, 1)]
    return conllu(f"# sent_id = {name}", *lines, "")


PLAIN = tagged("plain", (2, "NOUN"), (0, "VERB"), (2, "NOUN"))
FINAL = tagged("final", (2, "NOUN"), (0, "VERB"), (2, "PUNCT"), (2, "PUNCT"))
INNER = tagged("inner", (3, "NOUN"), (1, "PUNCT"), (0, "VERB"))
OPENING = tagged("opening", (2, "PUNCT"), (0, "VERB"))
ALONE = tagged("alone", (0, "PUNCT"), (1, "PUNCT"))
DEPENDENT = tagged("dependent", (3, "NOUN"), (1, "NOUN"), (0, "PUNCT"))  # a full stop that heads the sentence
ROOTS = tagged("roots", (0, "NOUN"), (0, "VERB"))
CROSSED = tagged("crossed", (3, "NOUN"), (4, "NOUN"), (0, "VERB"), (3, "NOUN"))
EVERYTHING = PLAIN + FINAL + INNER + OPENING + ALONE + DEPENDENT + ROOTS + CROSSED
PAPER = ("--profile", "gulordava-merlo-2016")
WORDS = 3 + 4 + 3 + 2 + 2 + 3 + 2 + 4


def counted(*arguments: str, data: bytes = EVERYTHING) -> tuple[int, int, dict[str, int], dict[str, int]]:
    result = measured(*arguments, stdin=data)
    assert (result["sentences"], result["words"]) == (data.count(b"sent_id"), data.count(b"\n") - 2 * data.count(b"#"))
    return result["kept_sentences"], result["kept_words"], result["left_out"], result["removed"]


def test_the_default_profile_keeps_every_sentence_and_every_root():
    kept_sentences, kept_words, left_out, removed = counted()
    assert (kept_sentences, kept_words) == (7, WORDS - 7)
    assert left_out == {"punctuation alone": 1}
    assert removed == {"punctuation": 5, "dependents of punctuation re-attached": 1}
    assert (
        measured(stdin=EVERYTHING)["measures"]
        == measured("--profile", "ud", "--length", "distance", "--unit", "nats", stdin=EVERYTHING)["measures"]
        == measured("--profile", "lal", "--unit", "nats", "--roots", "keep", "--punct", "strip", stdin=EVERYTHING)[
            "measures"
        ]
    )


def test_profile_of_gulordava_and_merlo():
    kept_sentences, kept_words, left_out, removed = counted(*PAPER)
    assert (kept_sentences, kept_words) == (3, 3 + 2 + 4)  # plain, final, crossed
    assert left_out == {
        "several roots": 1,
        "punctuation alone": 1,
        "punctuation that is not final": 2,
        "punctuation with dependents": 1,
    }
    assert removed == {"final punctuation (no words)": 2}


def test_profile_of_futrell():
    kept_sentences, kept_words, left_out, removed = counted("--profile", "futrell-2015")
    assert (kept_sentences, kept_words) == (7, WORDS - 7)
    assert left_out == {"punctuation alone": 1}
    assert removed == {"punctuation": 5, "dependents of punctuation re-attached": 1}


def test_profile_lal():
    assert counted("--profile", "lal") == (7, WORDS - 2, {"several roots": 1}, {})


def test_nothing_is_left_out_if_all_is_kept():
    assert counted("--profile", "lal", "--roots", "keep") == (8, WORDS, {}, {})


def test_single_policies_over_a_profile():
    assert counted("--punct", "keep", "--roots", "keep", "--nonprojective", "skip") == (
        7,
        WORDS - 4,
        {"non-projective": 1},
        {},
    )


def test_final_punctuation_is_no_word_even_if_sentences_are_kept():
    kept_sentences, kept_words, left_out, removed = counted("--punct", "final", "--roots", "keep")
    assert left_out == {"punctuation alone": 1}
    assert (kept_sentences, removed["final punctuation (no words)"]) == (7, 2 + 2 + 1)
    assert kept_words == WORDS - 5


def test_another_tag_of_punctuation():
    data = PLAIN.replace(b"NOUN", b"SYM")
    assert counted(*PAPER, "--punct-tag", "SYM", data=data)[2] == {"punctuation that is not final": 1}
    signature = measured(*PAPER, "--punct-tag", "SYM", stdin=data)["measures"]["dlm_ratio"]["signature"]
    assert "|punct:exclude(SYM)|" in signature


def test_roots_error_names_the_place():
    done = permtree("measure", "--roots", "error", stdin=EVERYTHING, status=3)
    line = EVERYTHING[: EVERYTHING.index(ROOTS)].count(b"\n") + 3  # the second root
    assert done.out == b""
    assert done.lines == [f"<stdin>:{line}: 2 roots; --roots keep or skip accepts the file (sentence roots)"]
    with pytest.raises(DataError):
        measure(Treebank.from_bytes(EVERYTHING), roots="error")


def test_punctuation_is_stripped_and_its_dependents_hang_on_the_nearest_kept_word():
    """1 <- 2(punct) <- 3, and 3 -> 4(punct) -> 5: without punctuation 1 <- 3 -> 5."""
    data = tagged("chain", (2, "NOUN"), (3, "PUNCT"), (0, "VERB"), (3, "PUNCT"), (4, "NOUN"))
    result = measure(Treebank.from_bytes(data), "dl_total", "depth", punct="strip", length="distance")
    assert (result["dl_total"].value, result["depth"].value, result.kept_words) == (2, 1, 3)
    assert result.removed == {"punctuation": 2, "dependents of punctuation re-attached": 2}


def test_what_hung_on_a_root_of_punctuation_are_roots():
    data = tagged("stop", (3, "NOUN"), (3, "NOUN"), (0, "PUNCT"))
    result = measure(Treebank.from_bytes(data), "dl_total", length="span+root")
    assert (result["dl_total"].value, result.kept_sentences) == (2, 1)  # span+root: no arc, two roots


@pytest.mark.parametrize("profile", PROFILES)
def test_kept_and_left_out_add_up(shared, profile):
    for path in (shared / "cases" / "multiroot.conllu", shared / "treebanks" / "de_gsd" / "de_gsd-ud-dev.conllu"):
        result = measured("--profile", profile, path)
        assert result["kept_sentences"] + sum(result["left_out"].values()) == result["sentences"]


def test_skipped_sentences_are_listed_and_counted():
    cycle, broken = sentence("cycle", 2, 1), b"# sent_id = broken\n1\tx\n\n"
    done = permtree(
        "measure", "--format", "tsv", "--skip-errors", "--punct", "keep", stdin=PLAIN + cycle + broken + FINAL
    )
    assert done.lines == [
        "skipped: <stdin>:7: no root: no word has HEAD 0 (sentence cycle)",
        "skipped: <stdin>:11: 2 columns instead of 10 (sentence broken)",
    ]
    rows = dict(line.split("\t")[:2] for line in done.out.decode().splitlines())
    assert (rows["left out: unreadable"], rows["left out: not a tree"], rows["kept_sentences"]) == ("1", "1", "2")


@pytest.mark.parametrize("name", ["", "# sent_id = same\n"])
def test_sentences_that_are_skipped_are_counted_not_their_faults(name):
    """Two sentences with two faults each, without an id or with the same one."""
    broken = name.encode() + b"1\tx\n2\ty\n\n"
    result = measured("--skip-errors", stdin=broken + broken + PLAIN + FINAL)
    assert result["left_out"] == {"unreadable": 2}


def told(*arguments: str, data: bytes) -> list[str]:
    return [line for line in permtree(*arguments, stdin=data).lines if line.startswith("left out by policies")]


@pytest.mark.parametrize(
    ("policies", "data", "line"),
    [
        (PAPER, 3 * PLAIN + 2 * INNER, "2 of 5 sentences, 6 of 15 words (40%); to keep these sentences: --punct {}"),
        (("--roots", "skip"), 2 * PLAIN + ROOTS, "1 of 3 sentences, 2 of 8 words (25%); to keep these sentences: {}"),
        (
            ("--nonprojective", "skip"),
            PLAIN + CROSSED,
            "1 of 2 sentences, 4 of 7 words (57%); to keep these sentences: {}",
        ),
        (("--punct", "strip"), FINAL, "0 of 1 sentences, 2 of 4 words (50%); to keep them: --punct keep"),
    ],
    ids=["punctuation", "roots", "crossing", "words"],
)
def test_a_loss_of_more_than_a_quarter_is_told_with_what_keeps_it(policies, data, line):
    for command, punct in ((["measure"], "strip"), (["permute", "--mode", "rb"], "final")):
        kept = punct if "--punct {}" in line else f"{policies[0]} keep"
        assert told(*command, *policies, data=data) == ["left out by policies: " + line.format(kept)]
        assert told(*command, *policies, "--quiet", data=data) == []


def test_what_keeps_it_keeps_it():
    for data in (PLAIN + 2 * INNER + ROOTS, EVERYTHING):
        (line,) = told("measure", *PAPER, "--nonprojective", "skip", data=data)
        options = line.partition("these sentences: ")[2].split()
        assert (
            measured(*PAPER, "--nonprojective", "skip", *options, stdin=data)["kept_sentences"] >= data.count(b"#") - 1
        )


@pytest.mark.parametrize("profile", PROFILES)
def test_a_quarter_or_less_is_a_count_among_others(profile):
    data = 9 * PLAIN + INNER + ROOTS
    assert told("measure", "--profile", profile, data=data) == []
    assert told("permute", "--mode", "rb", "--profile", profile, data=data) == []
    broken = sentence("cycle", 2, 1)
    assert told("measure", "--skip-errors", "--profile", profile, data=data + 9 * broken) == []  # no policy did it


@pytest.mark.parametrize("profile", PROFILES)
def test_every_profile_of_measuring_is_one_of_permuting(profile):
    """What is permuted by a profile holds the sentences that the profile measures."""
    permuted = permtree("permute", "--quiet", "--mode", "rb", "--profile", profile, stdin=EVERYTHING).out
    for name in ("kept_sentences", "kept_words"):
        assert (
            measured("--profile", profile, stdin=permuted)[name]
            == measured("--profile", profile, stdin=EVERYTHING)[name]
        )


@pytest.mark.parametrize("profile", PROFILES)
def test_mdd_is_by_distance_in_every_profile_unless_another_length_is_asked_for(profile):
    data = PLAIN + CROSSED  # arcs of 1, 1; 2, 2, 1
    plain = measured("--profile", profile, "--measure", "mdd", stdin=data)["measures"]["mdd"]
    assert plain["value"] == 7 / 5
    assert plain["signature"].startswith("mdd|length:distance|")
    for length in ("span", "span+root"):
        own = measured("--profile", profile, "--measure", "mdd", "--length", length, stdin=data)["measures"]["mdd"]
        assert own["value"] == 7 / 5 + 1
        assert own["signature"].startswith(f"mdd|length:{length}|")
