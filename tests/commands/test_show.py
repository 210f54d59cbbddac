"""`permtree show`: which sentence, against which, as text and as SVG; and the ways out of what goes wrong."""

from __future__ import annotations

import gzip
from pathlib import Path
from xml.etree import ElementTree

import pytest
from commandline import files_in, permtree, sentence
from places import SAMPLE
from reordering import conllu

FLUVI = SAMPLE / "fluvi-test.conllu"
SVG = "{http://www.w3.org/2000/svg}"


def show(*arguments: str | Path, stdin: bytes = b"", status: int = 0) -> str:
    """What is written to standard output."""
    return permtree("show", *arguments, stdin=stdin, status=status).out.decode("utf-8")


def fault(*arguments: str | Path, stdin: bytes = b"", status: int = 2) -> str:
    """The only line that is written."""
    done = permtree("show", *arguments, stdin=stdin, status=status)
    assert done.out == b""
    assert len(done.lines) == 1
    return done.err.rstrip("\n")


@pytest.fixture(scope="module")
def shortest(tmp_path_factory) -> Path:
    path = tmp_path_factory.mktemp("show") / "shortest.conllu"
    permtree("permute", "--mode", "optdl", "-q", FLUVI, "-o", path)
    return path


def test_a_sentence_by_id_or_number():
    by_id = show(FLUVI, "--sentence", "fluvi-test-0002")
    assert by_id.startswith("fluvi-test.conllu fluvi-test-0002: 8 words, dependency length ")
    assert by_id == show(FLUVI, "--sentence", "2")
    assert by_id.splitlines()[-1].split()[0] == "meduco"


def test_an_id_goes_before_a_number():
    data = sentence("2", 0) + sentence("1", 2, 0)
    assert "<stdin> 2: 1 word," in show("-", "--sentence", "2", stdin=data)
    assert "<stdin> 1: 2 words," in show("-", "--sentence", "1", stdin=data)


def test_numbers_run_on_over_pieces_of_large_files():
    data = b"".join(conllu("1 a _ X _ _ 0 root", "") for _ in range(79999)) + sentence("last", 2, 0)
    assert show("-", "--sentence", "80000", stdin=data) == show("-", "--sentence", "last", stdin=data)


def test_files_of_any_kind(tmp_path):
    (tmp_path / "fluvi-test.conllu").write_bytes(gzip.compress(FLUVI.read_bytes()))
    plain = show(FLUVI, "--sentence", "5")
    assert show(tmp_path / "fluvi-test.conllu", "--sentence", "5") == plain
    assert show("-", "--sentence", "5", stdin=FLUVI.read_bytes()) == plain.replace("fluvi-test.conllu", "<stdin>")
    conll_x = b"1\tJohn\t_\tN\tNNP\t_\t2\tSBJ\t_\t_\n2\tsleeps\t_\tV\tVBZ\t_\t0\tROOT\t_\t_\n\n"
    assert "SBJ" in show("-", "--sentence", "1", stdin=conll_x)
    assert show("-", "--sentence", "1", stdin=conll_x).startswith("<stdin> sentence 1: 2 words")


def test_layouts_and_width():
    wide = show(FLUVI, "--sentence", "1")
    assert "▼" in wide
    assert show(FLUVI, "--sentence", "1", "--width", "100") == wide
    narrow = show(FLUVI, "--sentence", "1", "--width", "40")
    assert "►" in narrow
    assert "▼" in show(FLUVI, "--sentence", "1", "--width", "40", "--layout", "horizontal")
    assert "►" in show(FLUVI, "--sentence", "1", "--layout", "vertical")
    fault(FLUVI, "--sentence", "1", "--width", "0")
    assert "'round'" in fault(FLUVI, "--sentence", "1", "--layout", "round")


def test_a_sentence_and_its_permutation(shortest):
    text = show(FLUVI, "--sentence", "fluvi-test-0001", "--against", shortest)
    assert text.count("▼") == text.count("▲") == 9
    assert text.splitlines()[-2].startswith("shortest.conllu fluvi-test-0001: 9 words, dependency length 10, ")
    assert text.splitlines()[-1].startswith("9 words joined: ")
    assert "✗" not in text
    by_number = show(FLUVI, "--sentence", "1", "--against", shortest, "--layout", "vertical")
    assert by_number == show(
        FLUVI, "--sentence", "1", "--against", shortest, "--against-sentence", "1", "--layout", "vertical"
    )
    assert "was  moved" in by_number


def test_standard_input_is_read_once():
    one = conllu("1 a _ X _ _ 0 root", "", "1 b _ X _ _ 2 dep", "2 c _ X _ _ 0 root", "")
    path = ["show", "-", "--sentence", "2", "--against"]
    assert permtree(*path, "-", stdin=one, status=2).lines == ["standard input can be read only once: name - once"]


def test_another_version_without_ids(tmp_path):
    for name, heads in (("gold", (2, 0)), ("predicted", (0, 1))):
        lines = [
            f"{number} w{number} _ X _ _ {head} {'dep' if head else 'root'}" for number, head in enumerate(heads, 1)
        ]
        (tmp_path / name).write_bytes(conllu("1 x _ X _ _ 0 root", "", *lines, ""))
    text = show(tmp_path / "gold", "--sentence", "2", "--against", tmp_path / "predicted")
    assert "predicted sentence 2: 2 words" in text
    assert "2 with another head (✗)" in text


def test_svg_beside_the_text(tmp_path, shortest):
    picture = tmp_path / "picture.svg"
    arguments = [FLUVI, "--sentence", "1", "--against", shortest]
    assert show(*arguments, "--svg", picture) == show(*arguments)
    first = picture.read_bytes()
    root = ElementTree.fromstring(first)
    assert len(root.findall(f".//{SVG}g[@class='arc']")) == 18
    assert len(root.findall(f".//{SVG}line")) == 9
    show(*arguments, "--svg", picture)
    assert picture.read_bytes() == first
    assert show(*arguments, "--svg", "-").encode() == first


def test_sentence_missing():
    line = fault(FLUVI)
    assert line.startswith("name a sentence with --sentence, by sent_id or number; ")
    assert line.endswith("fluvi-test.conllu has 100 sentences: fluvi-test-0001, fluvi-test-0002, fluvi-test-0003, "
                         "fluvi-test-0004, fluvi-test-0005 ...")  # fmt: skip
    assert fault("-", stdin=conllu("1 a _ X _ _ 0 root", "")).endswith("<stdin> has 1 sentence: 1")
    empty = permtree("show", "-", status=2)
    assert empty.lines[0] == "warning: <stdin>:1: is empty: no sentence in it"
    assert empty.lines[1].endswith("<stdin> has 0 sentences")


def test_sentence_unknown(shortest):
    assert fault(FLUVI, "--sentence", "fluvi-tset-0007") == (
        "no sentence 'fluvi-tset-0007'; did you mean 'fluvi-test-0007'?"
    )
    assert "has 100 sentences: fluvi-test-0001," in fault(FLUVI, "--sentence", "101")
    assert "did you mean" in fault(
        FLUVI, "--sentence", "1", "--against", shortest, "--against-sentence", "fluvi-test-00"
    )
    assert fault("-", "--sentence", "1", "--against", shortest, stdin=sentence("a", 0)).startswith("no sentence 'a'; ")


def test_other_usage_errors(tmp_path, shortest):
    assert fault(FLUVI, "--sentence", "1", "--against-sentence", "2") == (
        "--against-sentence: name its file with --against"
    )
    assert "no such file" in fault(tmp_path / "none.conllu", "--sentence", "1")
    assert "can't be joined: " in fault(FLUVI, "--sentence", "1", "--against", shortest, "--against-sentence", "2")
    assert "is a folder" in fault(FLUVI, "--sentence", "1", "--svg", tmp_path)
    assert files_in(tmp_path) == []


def test_bad_data(tmp_path):
    assert fault("-", "--sentence", "a", stdin=sentence("a", 7), status=3).startswith("<stdin>:2: ")
    no_heads = conllu("# sent_id = a", "1 x", "2 y", "")
    picture = tmp_path / "picture.svg"
    line = fault("-", "--sentence", "a", "--svg", picture, stdin=no_heads, status=3)
    assert line == "<stdin>:2: no HEAD: no tree is annotated; parse the file first (sentence a)"
    assert files_in(tmp_path) == []


def test_a_fault_elsewhere_can_be_passed_over():
    data = sentence("a", 7) + sentence("b", 2, 0)
    assert fault("-", "--sentence", "b", stdin=data, status=3).startswith("<stdin>:2: ")
    done = permtree("show", "-", "--sentence", "2", "--skip-errors", stdin=data)
    assert done.out.decode().startswith("<stdin> b: 2 words")
    assert len(done.lines) == 1
    assert done.lines[0].startswith("skipped: <stdin>:2: ")


def test_what_is_no_tree_is_drawn_with_a_warning():
    done = permtree("show", "-", "--sentence", "a", stdin=sentence("a", 2, 1, 0))
    assert done.out.decode().count("▼") == 3
    assert done.lines == ["warning: <stdin>:2: not a tree: words 1, 2 head each other in a circle (sentence a)"]
