"""CoNLL-U Plus: columns as the first line names them, others than CoNLL-U's kept, and written back to the byte."""

from __future__ import annotations

import random

import numpy as np
import pytest
from commandline import measured, permtree
from places import SAMPLE

from permtree import permute
from permtree.conllu.layout import COLUMN_NAMES, Layout
from permtree.conllu.text import FEATS, FORM, MISC, XPOS
from permtree.editing.annotating import annotated
from permtree.editing.inverting import invert
from permtree.errors import DataError, UsageError
from permtree.study.definition import TreebankEntry
from permtree.study.preparing import _split
from permtree.treebank import Treebank

PLAIN = (SAMPLE / "medol-dev.conllu").read_bytes()
EXTRA = ["PARSEME:MWE", "GLOSS"]
ORDERS = {
    "as CoNLL-U": COLUMN_NAMES,
    "XPOS first": "ID FORM LEMMA XPOS UPOS FEATS HEAD DEPREL DEPS MISC".split(),
    "one more": [*COLUMN_NAMES, *EXTRA[:1]],
    "more among them": ["GLOSS", *COLUMN_NAMES[:8], "PARSEME:MWE", *COLUMN_NAMES[8:]],
    "backwards": [*COLUMN_NAMES, *EXTRA][::-1],
    "without MISC": ["ID", "FORM", "UPOS", "HEAD", "DEPREL", "GLOSS"],
    "MISC alone is missing": COLUMN_NAMES[:-1],
    "few": "DEPREL HEAD ID".split(),
}
every_order = pytest.mark.parametrize("names", ORDERS.values(), ids=ORDERS)


def plus(names: list[str], data: bytes = PLAIN) -> bytes:
    """A plain file with these columns: extra ones hold something else in each line."""
    lines = [f"# global.columns = {' '.join(names)}"]
    for number, line in enumerate(data.decode().splitlines()):
        if line and not line.startswith("#"):
            cells = dict(zip(COLUMN_NAMES, line.split("\t"), strict=True))
            cells.update({name: f"{name.lower()}{number}" for name in EXTRA})
            line = "\t".join(cells[name] for name in names)
        lines.append(line)
    return "\n".join(lines).encode() + b"\n"


@every_order
def test_columns_are_those_that_the_first_line_names(names):
    plain, read = Treebank.from_bytes(PLAIN), Treebank.from_bytes(plus(names))
    for column, name in enumerate(COLUMN_NAMES):
        expected = plain.text.strings(column) if name in names else ["_"] * plain.n_words
        assert read.text.strings(column) == expected
    if "HEAD" in names:
        np.testing.assert_array_equal(read.head, plain.head)
    assert read.sent_ids == plain.sent_ids
    np.testing.assert_array_equal(read.text.line_number, plain.text.line_number + 1)


@every_order
def test_reading_and_writing_gives_the_bytes_back(tmp_path, names):
    data = plus(names)
    assert Treebank.from_bytes(data).to_bytes() == data
    (tmp_path / "a").write_bytes(data)
    (tmp_path / "b").write_bytes(data)
    assert Treebank.read(str(tmp_path / "a"), str(tmp_path / "b")).to_bytes() == data + data
    for cut in (1, 2):
        assert Treebank.from_bytes(data[:-cut]).to_bytes() == data[:-cut]


@every_order
@pytest.mark.parametrize("mode", ["original", "reverse", "random", "optdl"])
def test_permuting_is_that_of_the_plain_file_and_is_undone(names, mode):
    data = plus(names)
    treebank = Treebank.from_bytes(data)
    permuted = permute(treebank, mode)
    first = permuted.to_bytes().split(b"\n", 1)[0].decode().split(" = ")[1].split()
    assert first == (names if "MISC" in names else [*names, "PERMTREE:MISC"])
    assert invert(permuted).to_bytes() == data
    if "UPOS" in names and "DEPREL" in names:
        expected = permute(Treebank.from_bytes(PLAIN), mode)
        assert permuted.text.strings(FORM if "FORM" in names else XPOS) == expected.text.strings(FORM)
        np.testing.assert_array_equal(permuted.head, expected.head)


@every_order
def test_permuted_twice_and_undone_one_by_one(names):
    data = plus(names)
    once = permute(Treebank.from_bytes(data), "reverse")
    twice = permute(once, "random", seed=3)
    thrice = permute(twice, "optdl")
    assert invert(thrice).to_bytes() == twice.to_bytes()
    assert invert(twice).to_bytes() == once.to_bytes()
    assert invert(once).to_bytes() == data


@pytest.mark.parametrize("order", ["backwards", "without MISC"])
def test_by_the_command_line_with_several_processes(tmp_path, order):
    """The columns are those of the file in all its pieces."""
    blocks = PLAIN.split(b"\n\n")[:-1]
    copies = (1 << 20) // len(PLAIN) + 1
    data = plus(ORDERS[order], b"".join(block + b"\n\n" for block in blocks * copies))
    (tmp_path / "f").write_bytes(data)
    permtree("permute", "--mode", "reverse", "--jobs", "2", tmp_path / "f", "-o", tmp_path / "p")
    permtree("invert", tmp_path / "p", "-o", tmp_path / "i")
    assert (tmp_path / "i").read_bytes() == data
    assert (tmp_path / "p").read_bytes().count(b"# global.columns") == 1


def test_extra_columns_go_with_their_word_with_ranges_and_empty_nodes():
    data = (
        b"# global.columns = ID FORM X HEAD DEPREL DEPS MISC Y\n"
        b"# sent_id = a\n"
        b"1-2\tab\tx12\t_\t_\t_\t_\ty12\n"
        b"1\ta\tx1\t2\tdep\t2:dep\t_\ty1\n"
        b"2\tb\tx2\t0\troot\t0:root\tSpaceAfter=No\ty2\n"
        b"2.1\te\tx21\t_\t_\t2:dep\t_\ty21\n"
        b"3\tc\tx3\t2\tdep\t2:dep\tA=1\ty3\n\n"
    )
    treebank = Treebank.from_bytes(data)
    assert treebank.text.strings(FEATS) == ["_"] * 3
    permuted = permute(treebank, "reverse")
    lines = [line for line in permuted.to_bytes().splitlines() if line[:1].isdigit()]
    assert lines == [
        b"1\tc\tx3\t2\tdep\t2:dep\tA=1|Orig=3\ty3",
        b"2\tb\tx2\t0\troot\t0:root\tOrigSpaceAfter=No|Orig=2\ty2",
        b"2.1\te\tx21\t_\t_\t2:dep\t_\ty21",
        b"3\ta\tx1\t2\tdep\t2:dep\tOrig=1\ty1",
    ]
    assert invert(permuted).to_bytes() == data
    assert permuted.text.strings(MISC)[2] == "Orig=1"


def test_files_with_the_same_columns_in_another_order_measure_alike(tmp_path):
    found = measured("--measure", "dlm_ratio", "--measure", "arc_direction_entropy", stdin=plus(ORDERS["backwards"]))
    assert found == measured("--measure", "dlm_ratio", "--measure", "arc_direction_entropy", stdin=PLAIN)


def test_what_a_parser_adds_gets_columns():
    data = plus(["ID", "FORM", "GLOSS"])
    treebank = Treebank.from_bytes(data)
    gold = Treebank.from_bytes(PLAIN)
    parsed = annotated(treebank, gold.head, gold.deprel.codes, gold.deprel.vocabulary)
    assert parsed.to_bytes().startswith(b"# global.columns = ID FORM GLOSS HEAD DEPREL\n")
    np.testing.assert_array_equal(parsed.head, gold.head)
    again = Treebank.from_bytes(parsed.to_bytes())
    assert again.deprel.decoded() == gold.deprel.decoded()


@pytest.mark.parametrize(
    ("header", "line", "what"),
    [
        ("FORM HEAD", 1, "names no ID"),
        ("", 1, "names no ID"),
        ("ID FORM FORM", 1, "names FORM twice"),
        ("ID MISC PERMTREE:MISC", 1, "names MISC twice"),
        ("ID FORM", 2, "10 columns instead of 2, which # global.columns names"),
        (" ".join([*COLUMN_NAMES, "X"]), 2, "10 columns instead of 11, which # global.columns names"),
    ],
)
def test_what_is_wrong_with_columns_is_told(tmp_path, header, line, what):
    data = f"# global.columns = {header}\n".encode() + b"1\tx\t_\tX\t_\t_\t0\troot\t_\t_\n\n"
    with pytest.raises(DataError) as caught:
        Treebank.from_bytes(data, "file")
    assert str(caught.value).startswith(f"file:{line}: ")
    assert what in str(caught.value)
    done = permtree("check", stdin=data, status=1)
    assert what in done.out.decode()


def test_columns_are_named_once():
    other = plus(COLUMN_NAMES) + plus(ORDERS["XPOS first"])
    with pytest.raises(DataError, match="names other columns than the file has; only its first line may name them"):
        Treebank.from_bytes(other)
    with pytest.raises(DataError, match="names other columns"):
        Treebank.from_bytes(PLAIN + plus(ORDERS["XPOS first"]))
    for twice in (PLAIN + plus(COLUMN_NAMES), plus(ORDERS["backwards"]) * 2):
        assert Treebank.from_bytes(twice).to_bytes() == twice


def test_files_with_other_columns_are_not_joined(tmp_path):
    for name in ("XPOS first", "one more"):
        (tmp_path / name).write_bytes(plus(ORDERS[name]))
    paths = [tmp_path / "XPOS first", tmp_path / "one more"]
    for command in (["permute", "--mode", "reverse"], ["invert"]):
        done = permtree(*command, *paths, status=3 if command == ["invert"] else 2)
        assert done.out == b""
    with pytest.raises(UsageError, match="one more has other columns than .*XPOS first: these"):
        Treebank.read(*map(str, paths))


def test_through_the_object_model():
    (block, *_) = Treebank.from_bytes(plus(ORDERS["backwards"])).to_conllu()
    assert block[0]["gloss"].startswith("gloss")
    assert block[0]["form"] == Treebank.from_bytes(PLAIN).text.strings(FORM)[0]


def test_layouts_lead_in_and_out():
    """Any lines, with any columns: what is written is what was arranged."""
    rng = random.Random(1)
    for _ in range(50):
        names = rng.sample([*COLUMN_NAMES, "A", "B", "C"], rng.randint(1, 13))
        names = list(dict.fromkeys(["ID", *names]))
        rng.shuffle(names)
        lines = [f"# global.columns = {' '.join(names)}"]
        for number in range(1, rng.randint(2, 5)):
            lines += ["# c"] * rng.randint(0, 1) if number == 1 else []
            own = {name: rng.choice("abc_") for name in names} | {"ID": str(number)}
            own |= {"HEAD": "0"} if "HEAD" in names else {}
            own |= {"DEPS": "0:x"} if "DEPS" in names else {}
            lines.append("\t".join(own[name] for name in names))
        data = ("\n".join(lines) + "\n" * rng.randint(0, 3)).encode()
        assert Treebank.from_bytes(data).to_bytes() == data


def test_layout_of_misc_counts_permutations():
    own = Layout(("ID", "X"), b"# global.columns = ID X\n")
    layouts = [own]
    for _ in range(11):
        layouts.append(layouts[-1].with_misc())
    assert layouts[11].header == b"# global.columns = ID X PERMTREE:MISC11\n"
    for before, after in zip(layouts[:-1], layouts[1:], strict=True):
        assert after.without_misc() == before


def test_a_study_splits_a_file_with_columns_of_its_own():
    data = b"# global.columns = ID FORM HEAD DEPREL\n" + b"1\ta\t0\troot\n\n" * 4
    parts = _split(Treebank.from_bytes(data, "x"), {"train": 1, "dev": 1}, TreebankEntry())
    assert {name: (part.n_sentences, part.to_bytes().count(b"global")) for name, part in parts.items()} == {
        "train": (2, 1),
        "dev": (2, 1),
    }
