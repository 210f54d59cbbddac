"""Small files with a twist each, and real treebanks: what must be read, what permuted, and reading then writing."""

from __future__ import annotations

import csv

import pytest

from permtree.errors import DataError
from permtree.permuting import Permutation, permute_bytes
from permtree.treebank import Treebank


@pytest.fixture(scope="module")
def expected(shared):
    with open(shared / "cases" / "expected.tsv", encoding="utf-8", newline="") as table:
        return {row["case"]: row for row in csv.DictReader(table, delimiter="\t")}


def plain(data: bytes) -> bytes:
    """Without a byte-order mark and with plain newlines: what reading makes of it."""
    return data.removeprefix(b"\xef\xbb\xbf").replace(b"\r\n", b"\n")


def test_every_case_is_listed(shared, expected):
    assert {path.stem for path in (shared / "cases").glob("*.conllu")} == set(expected)


def test_read_and_permute(case_path, expected):
    row = expected[case_path.stem]
    if row["read"] == "error":
        with pytest.raises(DataError) as caught:
            Treebank.read(str(case_path))
        assert str(caught.value).startswith(f"{case_path}:")
        assert caught.value.finding.line > 0
        return
    treebank = Treebank.read(str(case_path))
    assert treebank.to_bytes() == plain(case_path.read_bytes())
    if row["permute"] == "error":
        with pytest.raises(DataError):
            permute_bytes(treebank, Permutation("optdl"))
    else:
        data, _ = permute_bytes(treebank, Permutation("optdl"))
        assert Treebank.from_bytes(data).n_words == treebank.n_words


@pytest.mark.parametrize(
    ("case", "where", "what"),
    [
        ("conllx8", ":1: ", "8 columns instead of 10"),
        ("ninecols", ":3: ", "9 columns instead of 10"),
        ("elevencols", ":3: ", "11 columns instead of 10"),
        ("emptyform", ":3: ", "empty FORM"),
        ("headrange", ":4: ", "HEAD 9 in a sentence of 2"),
        ("missingblank", ":4: ", "a blank line is missing"),
        ("spaces", ":3: ", "separated by spaces"),
        ("dupid", ":4: ", "(sentence s1)"),
        ("midcomment", ":4: ", "comment"),
    ],
)
def test_messages_of_reading(shared, case, where, what):
    path = str(shared / "cases" / f"{case}.conllu")
    with pytest.raises(DataError) as caught:
        Treebank.read(path)
    assert str(caught.value).startswith(path + where)
    assert what in str(caught.value)


@pytest.mark.parametrize(
    ("case", "code", "line", "sentence"),
    [
        ("cycle", "E203", 4, "s1"),
        ("selfloop", "E202", 4, "s1"),
        ("noroot", "E204", 3, "s1"),
        ("headunderscore", "E201", 4, "s1"),
    ],
)
def test_what_is_no_tree(shared, case, code, line, sentence):
    treebank = Treebank.read(str(shared / "cases" / f"{case}.conllu"))
    ((_, finding),) = treebank.tree_findings()
    assert (finding.code, finding.line, finding.sentence) == (code, line, sentence)
    kept, findings = treebank.trees_only(skip_errors=True)
    assert kept.n_sentences == 0
    assert findings == [finding]


@pytest.mark.parametrize(("case", "code"), [("bom", "W101"), ("crlf", "W102"), ("mwt", None)])
def test_warnings(shared, case, code):
    told = []
    Treebank.read(str(shared / "cases" / f"{case}.conllu"), report=told.append)
    assert [finding.code for finding in told] == ([code] if code else [])


def test_every_treebank_is_read_and_written_to_the_byte(treebank_path):
    assert Treebank.read(str(treebank_path)).to_bytes() == treebank_path.read_bytes()


@pytest.mark.parametrize("name", ["it_partut-ud-dev", "fi_tdt-ud-dev", "la_cicero.test", "got_proiel-ud-dev"])
def test_columns_are_what_splitting_lines_gives(shared, name):
    (path,) = shared.glob(f"treebanks/*/{name}.conll*")
    treebank = Treebank.read(str(path))
    lines = [line.split("\t") for line in path.read_text(encoding="utf-8").split("\n")]
    words = [columns for columns in lines if columns[0].isdigit()]
    for number, column in enumerate(["ID", "FORM", "LEMMA", "UPOS", "XPOS", "FEATS", "HEAD", "DEPREL", "DEPS", "MISC"]):
        expected = [columns[number] for columns in words]
        assert treebank.text.strings(number) == expected, column
        assert treebank.column(number).decoded() == expected, column
        assert treebank.column(number).vocabulary == sorted(set(expected), key=str.encode), column
