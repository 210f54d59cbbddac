"""`permtree check`: every code is found in a small input, at its line; and what is right gives no finding."""

from __future__ import annotations

import gzip

import pytest
from commandline import permtree, sentence
from places import SAMPLE
from reordering import conllu, word

from permtree.editing.checking import CODES, check_files

ONE = word(1, "a", 0)
TWO = word(2, "b", 1)
A = "# sent_id = a"


def two_lines(first: str, second: str) -> bytes:
    return conllu(A, first, second, "")


# code -> input and the lines that it must be found at
FOUND = {
    "E101": (conllu(A, ONE, "").replace(b"\ta\t", b"\t\xff\t"), [2]),
    "E102": (conllu(A, ONE, "").replace(b"\ta\t", b"\ta\rb\t"), [2]),
    "E103": (conllu(A, ONE, "") + b"\xef\xbb\xbf# sent_id = b\n" + conllu(ONE, ""), [4]),
    "E104": (conllu(A, ONE) + b" \n" + conllu(ONE, ""), [3]),
    "E105": (conllu(A, ONE, "", "# global.columns = ID FORM HEAD", ONE, ""), [4]),
    "E110": (b"# sent_id = a\n1\ta\t_\n\n", [2]),
    "E111": (conllu(A, ONE, "").replace(b"\ta\t", b"\t\t"), [2]),
    "E120": (two_lines(ONE, word("x", "b", 1)), [3]),
    "E121": (two_lines(ONE, word(3, "b", 1)), [3]),
    "E122": (conllu(A, ONE, ONE, ""), [3]),
    "E123": (conllu(A, ONE, "# inside", TWO, ""), [3]),
    "E124": (two_lines(ONE, "1-2 ab"), [3]),
    "E125": (conllu(A, ONE, word("1.2", "e"), ""), [3]),
    "E126": (conllu(A, word("0.1", "e"), ""), [2]),
    "E130": (conllu(A, word(1, "a", "x"), ""), [2]),
    "E131": (two_lines(ONE, word(2, "b", 3)), [3]),
    "E140": (conllu(A, word(1, "a", 0, deps="root"), ""), [2]),
    "E141": (conllu(A, word(1, "a", 0, deps="3:dep"), ""), [2]),
    "E201": (two_lines(ONE, word(2, "b", "_")), [3]),
    "E202": (two_lines(ONE, word(2, "b", 2)), [3]),
    "E203": (conllu(A, ONE, word(2, "b", 3), word(3, "c", 2), ""), [3]),
    "E204": (two_lines(word(1, "a", 2), word(2, "b", 1)), [2]),
    "W101": (b"\xef\xbb\xbf" + conllu(A, ONE, ""), [1]),
    "W102": (conllu(A, ONE, "").replace(b"\n", b"\r\n"), [1]),
    "W103": (conllu(A, ONE), [2]),
    "W104": (conllu(A, ONE, "", "", "# sent_id = b", ONE, ""), [4]),
    "W105": (b"", [1]),
    "W201": (two_lines(ONE, word(2, "b", 0)), [1]),
    "W202": (conllu(A, ONE, "", A, ONE, ""), [4]),
    "W203": (conllu(ONE, ""), [1]),
    "W204": (conllu(A, "# text = b", ONE, ""), [1]),
    "W205": (two_lines(ONE, word(2, "b", 1, deps="1:x|0:y")), [3]),
}


@pytest.fixture
def check(tmp_path):
    """A function that gives (line, code) of each finding."""

    def found(data: bytes) -> list[tuple[int, str]]:
        (tmp_path / "f.conllu").write_bytes(data)
        return [(finding.line, finding.code) for finding in check_files([str(tmp_path / "f.conllu")])]

    return found


@pytest.mark.parametrize("code", FOUND)
def test_each_code_is_found_at_its_line_and_nothing_else(check, code):
    data, lines = FOUND[code]
    assert check(data) == [(line, code) for line in lines]


def test_every_code_is_tried():
    """E100, a file that can't be unpacked, is tried below; the others come from other commands."""
    assert {*FOUND, "E100", "E205", "E301", "E302", "E303", "E304"} == set(CODES)


def test_a_file_that_can_not_be_unpacked(tmp_path):
    (tmp_path / "f.gz").write_bytes(gzip.compress(SAMPLE.joinpath("rigan-test.conllu").read_bytes())[:-100])
    done = permtree("check", "f.gz", cwd=tmp_path, status=1)
    assert done.out.startswith(b"f.gz:1: E100 ")
    assert done.lines == ["1 errors, 0 warnings"]


def test_the_sample_is_without_findings():
    done = permtree("check", *sorted(SAMPLE.glob("*.conllu")))
    assert (done.out, done.lines) == (b"", ["0 errors, 0 warnings"])


def test_permuted_files_are_without_errors_and_text_agrees(check):
    for mode in ("random", "optdl"):
        data = permtree("permute", "--quiet", "--mode", mode, SAMPLE / "medol-dev.conllu").out
        assert check(data) == []


def test_what_is_printed():
    data = FOUND["E110"][0] + FOUND["W203"][0] + FOUND["E202"][0].replace(b"= a", b"= z")
    done = permtree("check", stdin=data, status=1)
    assert done.out.decode().splitlines() == [
        "<stdin>:2: E110 3 columns instead of 10 (sentence a)",
        "<stdin>:4: W203 no sent_id",
        "<stdin>:8: E202 a word that heads itself (sentence z)",
    ]
    assert done.lines == ["2 errors, 1 warnings"]
    only = permtree("check", "--errors-only", stdin=data, status=1)
    assert [line.split()[1] for line in only.out.decode().splitlines()] == ["E110", "E202"]
    assert permtree("check", stdin=FOUND["W203"][0]).lines == ["0 errors, 1 warnings"]


def test_several_faults_of_one_sentence(check):
    data = two_lines(word(1, "a", "x"), word(2, "b", 7))
    assert check(data) == [(2, "E130"), (3, "E131")]


@pytest.mark.parametrize("name", ["", "# sent_id = broken\n"], ids=["without an id", "with an id"])
def test_a_broken_sentence_hides_no_finding_about_others(check, name):
    """Two blank lines, an id missing, a text that differs and no blank line at the end: all are still found."""
    broken = name.encode() + b"1\tx\n\n"
    rest = conllu(ONE, "", "", "# sent_id = a", "# text = b", ONE)
    before = len(broken.splitlines())
    assert check(broken + rest) == [
        (before - 1, "E110"),
        (before + 1, "W203"),
        (before + 3, "W104"),
        (before + 4, "W204"),
        (before + 6, "W103"),
    ]


def test_each_file_is_checked_by_itself(tmp_path):
    (tmp_path / "one").write_bytes(sentence("a", 0))
    (tmp_path / "two").write_bytes(sentence("a", 0, 0))
    done = permtree("check", "one", "two", cwd=tmp_path)
    assert done.out == b"two:1: W201 2 roots (sentence a)\n"


def test_codes_are_explained():
    out = " ".join(permtree("check", "--help").out.decode().split())
    for code in CODES:
        assert code in out
