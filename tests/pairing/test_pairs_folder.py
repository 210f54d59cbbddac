"""Folders of pairs: read by other programs as they are, and refused in one line where they are damaged or hostile."""

from __future__ import annotations

import json
from pathlib import Path
from random import Random

import numpy as np
import pytest
from commandline import permtree, sentence
from reordering import permuted

from permtree import Treebank, UsageError, analyze, pairs
from permtree.folders import file_digest
from permtree.pairing import Pairs
from permtree.pairing.pairs import ARCS, SENTENCES
from permtree.tables import read_tsv, rendered, tsv

FORMS = ['"', "NA", "nan", "null", "None", "n/a", "", "a b", '"a', 'b"', '""', "''", "\\", "#", ",", "1", "1.0", "true"]
ODD = [form for form in FORMS if form]


def made(forms: list[str]) -> Pairs:
    """Of one sentence with these words, and a short one, each a chain of words, and of its reversal."""
    places = range(1, len(forms) + 1)
    words = [
        f"{i}\t{form}\t_\tX\t_\t_\t{i - 1}\t{'dep' if i > 1 else 'root'}\t_\t_\n"
        for i, form in zip(places, forms, strict=True)
    ]
    gold = Treebank.from_bytes("".join([*words, "\n"]).encode() + sentence("last", 0, 1))
    other = Treebank.from_bytes(permuted(gold.text.data, "reverse").to_bytes())
    return pairs(gold, gold, other, other)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made(ODD).write(tmp_path)
    return tmp_path


# -- other programs ----------------------------------------------------------------------------------------------------


def test_pandas_reads_all_rows_by_its_defaults(folder):
    pandas = pytest.importorskip("pandas")
    found = made(ODD)
    for name, kinds, columns in (("arcs", ARCS, found.arcs), ("sentences", SENTENCES, found.sentences)):
        frame = pandas.read_csv(folder / f"{name}.tsv", sep="\t")
        assert list(frame.columns) == list(kinds)
        assert len(frame) == len(next(iter(columns.values())))
        for column, kind in kinds.items():
            if kind is not str:
                np.testing.assert_array_equal(frame[column].to_numpy(), columns[column])
    arcs = pandas.read_csv(folder / "arcs.tsv", sep="\t")
    missing = {"NA", "nan", "null", "None", "n/a"}  # by pandas' defaults
    wanted = [None if form in missing else form for form in found.arcs["form"]]
    assert [None if form != form else form for form in arcs["form"]] == wanted


def test_pandas_reads_all_as_it_is_when_told_as_documented(folder):
    pandas = pytest.importorskip("pandas")
    arcs = pandas.read_csv(folder / "arcs.tsv", sep="\t", keep_default_na=False)
    for column, values in made(ODD).arcs.items():
        np.testing.assert_array_equal(arcs[column].to_numpy(), values)


def test_our_own_reader_reads_the_same(folder):
    found, again = made(ODD), Pairs.read(folder)
    assert again.arcs["form"].tolist() == found.arcs["form"].tolist() == [*ODD, *found.arcs["form"][len(ODD) :]]


ROWS = [["a", "b"], ['"', ""], ["tab\there", "new\nline"], ["\u2028", "x\x0by"], ["", '"'], ['""', '"x" y']]


def test_tsv_comes_back():
    assert read_tsv(tsv(ROWS)) == ROWS
    assert read_tsv(tsv(ROWS[:1])) == ROWS[:1]
    long = [["x" * 200_000, '"']]
    assert read_tsv(tsv(long)) == long
    assert tsv([["a", "b c"], ["1", "_"]]) == "a\tb c\n1\t_\n"  # nothing is quoted without need
    with pytest.raises(ValueError):
        read_tsv('a\t"b\n')


def test_printed_tables_are_quoted_too():
    assert read_tsv(rendered(["form", "n"], [['"', 1], ["b", 2]], "tsv")) == [["form", "n"], ['"', "1"], ["b", "2"]]


# -- damage ------------------------------------------------------------------------------------------------------------


def refused(folder: Path) -> str:
    with pytest.raises(UsageError) as fault:
        Pairs.read(folder)
    assert "\n" not in str(fault.value)
    return str(fault.value)


def resigned(folder: Path) -> None:
    """Digests that fit the tables as they are."""
    about = json.loads((folder / "pairs.json").read_bytes())
    for name in about["digests"]:
        about["digests"][name] = file_digest(folder / f"{name}.{about['tables']}")
    (folder / "pairs.json").write_text(json.dumps(about))


@pytest.mark.parametrize("style", ["tsv", "parquet"])
@pytest.mark.parametrize("name", ["arcs", "sentences"])
def test_any_cut_is_found(tmp_path: Path, name, style):
    """At a line end, too, where what is left is a table."""
    if style == "parquet":
        pytest.importorskip("pyarrow")
    made(ODD).write(tmp_path, style)
    path = tmp_path / f"{name}.{style}"
    data = path.read_bytes()
    lines = data.splitlines(keepends=True)
    for left in (b"".join(lines[:-1]), b"".join(lines[:1]), data[:-1], data + lines[-1], b""):
        path.write_bytes(left)
        assert refused(tmp_path) == f"{path}: damaged: make the folder again with permtree pairs"


@pytest.mark.parametrize("name", ["arcs", "sentences"])
def test_a_cut_with_a_digest_that_fits(folder, name):
    path = folder / f"{name}.tsv"
    path.write_bytes(b"".join(path.read_bytes().splitlines(keepends=True)[:-1]))
    resigned(folder)
    assert refused(folder) == f"{path}: damaged: make the folder again with permtree pairs"


def test_analyze_says_it_in_one_line(folder):
    path = folder / "arcs.tsv"
    path.write_bytes(path.read_bytes()[:-40])
    done = permtree("analyze", folder, status=2)
    assert done.lines == [f"{path}: damaged: make the folder again with permtree pairs"] and done.out == b""


@pytest.mark.parametrize("earlier", [1, 2])
def test_a_folder_of_an_earlier_version(folder, earlier):
    about = json.loads((folder / "pairs.json").read_bytes())
    (folder / "pairs.json").write_text(json.dumps({**about, "format": earlier}))
    what = "written by an earlier version of permtree: make the folder again with permtree pairs"
    assert refused(folder) == f"{folder / 'pairs.json'}: {what}"


WRONG = {
    "tables": ["../x", "csv", None, 3, ["tsv"], "parquet/../tsv"],
    "names": [None, 3, ["a"], ["a", "a"], ["a", 3], ["a", "b", "c"], ["a", "\x1b[31m"]],
    "convention": [None, 3, ["all"]],
    "faults": [None, 3, "x", {"a": "b"}, {"a": None}, ["a"]],
    "rows": [None, 3, {}, {"arcs": "x"}, {"arcs": 10**30, "sentences": 2}],
    "digests": [None, 3, {}, {"arcs": 3}, ["arcs"]],
}


@pytest.mark.parametrize(
    ("key", "value"), [(key, value) for key, values in WRONG.items() for value in values], ids=repr
)
def test_what_the_folder_says_of_itself(folder, key, value):
    about = json.loads((folder / "pairs.json").read_bytes())
    (folder / "pairs.json").write_text(json.dumps({**about, key: value}))
    assert "damaged" in refused(folder)


def test_links_are_not_followed(folder):
    (folder / "arcs.tsv").rename(folder.parent / "elsewhere")
    (folder / "arcs.tsv").symlink_to(folder.parent / "elsewhere")
    assert refused(folder) == f"{folder / 'arcs.tsv'}: is a link, which is not followed: take it away"
    made(ODD).write(folder)
    assert not (folder / "arcs.tsv").is_symlink()
    assert (folder.parent / "elsewhere").read_bytes() == (folder / "arcs.tsv").read_bytes()
    Pairs.read(folder)


JUNK = [
    "",
    "x",
    "-1",
    "99",
    "1" * 30,
    "nan",
    "n/a",
    "1e400",
    "true",
    "\0",
    '"',
    '""',
    "\t",
    "\n",
    "\r",
    "left",
    "\x1b[2J",
]


def test_mutations_are_refused_in_one_line_or_read(folder):
    """Tables with other cells, and a digest that fits; what is read can be analyzed."""
    draw, read = Random(3), 0
    for name in ("arcs", "sentences"):
        path = folder / f"{name}.tsv"
        data = path.read_text(encoding="utf-8")
        for _ in range(150):
            lines = data.split("\n")
            row = draw.randrange(len(lines) - 1)
            cells = lines[row].split("\t")
            for _ in range(draw.choice([1, 1, 1, 3])):
                cells[draw.randrange(len(cells))] = draw.choice(JUNK)
            lines[row] = "\t".join(cells[: draw.choice([len(cells), len(cells), 3])])
            path.write_text("\n".join(lines), encoding="utf-8", newline="\n")
            resigned(folder)
            try:
                found = Pairs.read(folder)
            except UsageError as fault:
                assert "\n" not in str(fault)
                continue
            read += 1
            if read % 10 == 0:
                analyze(found, 2, 0, 1)
        path.write_text(data, encoding="utf-8", newline="\n")
    assert read
    about = folder / "pairs.json"
    raw = about.read_bytes()
    resigned(folder)
    for _ in range(150):
        start = draw.randrange(len(raw))
        junk = draw.choice([b"", b"\0", b"\xff", b"{", b"[" * 2000, b'"', b"null", b"1e999", b"-1", b"true"])
        about.write_bytes(raw[:start] + junk + raw[start + draw.randrange(20) :])
        try:
            Pairs.read(folder)
        except UsageError as fault:
            assert "\n" not in str(fault)


def test_deep_nesting(folder):
    (folder / "pairs.json").write_bytes(b'{"format": 3, "x": ' + b"[" * 100_000)
    assert "damaged" in refused(folder)
