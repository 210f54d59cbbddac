"""Inputs that are no treebank, or hardly one: told in one short line, in time that grows with their size alone.

The sizes are such that time growing with their square would be many minutes.
"""

from __future__ import annotations

import io

import pytest
from speed import first_is_quick

from permtree.conllu.files import _pieces, pieces
from permtree.conllu.scan import read_text, scan
from permtree.errors import DataError
from permtree.treebank import Treebank

WORD = b"%d\tx\t_\tX\t_\t_\t0\troot\t_\t_\n"
OK = b"# sent_id = a\n" + WORD % 1 + b"\n"


def fault(data: bytes) -> DataError:
    with pytest.raises(DataError) as caught:
        read_text(data, "file")
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 200
    return caught.value


@pytest.mark.parametrize(
    ("line", "what"),
    first_is_quick(
        [
            (b"a line of plain text", "columns separated by spaces"),
            (b"a\tb\tc", "3 columns instead of 10"),
            (b"word", "1 column instead of 10"),
            (b"1\tx\t_\tX\t_\t_\t0\troot\t_\t", "empty MISC"),
            (b"x\tx\t_\tX\t_\t_\t0\troot\t_\t_", "ID 'x'"),
            (b"# a\xff", "is not UTF-8"),
            (b"# a\rb", "a carriage return inside a line"),
            (b"# a\0b", "a NUL byte"),
            (b"\xef\xbb\xbf# a", "a byte-order mark inside the file"),
            (b"   ", "a line of white space alone"),
        ],
        3,
    ),
)
def test_many_faults_and_no_blank_line(line, what):
    data = (line + b"\n") * 25_000
    assert what in str(fault(data))
    text, findings = read_text(data, "file", skip_errors=True)
    assert (text.n_sentences, text.n_skipped, len(findings)) == (0, 1, 25_000)


@pytest.mark.parametrize(
    ("word", "code"),
    [
        (b"%d\tx\t_\tX\t_\t_\tx\troot\t_\t_\n", "E130"),
        (b"%d\tx\t_\tX\t_\t_\t99999\troot\t_\t_\n", "E131"),
        (b"%d\tx\t_\tX\t_\t_\t0\troot\tx\t_\n", "E140"),
        (b"%d\tx\t_\tX\t_\t_\t0\troot\t99999:x\t_\n", "E141"),
        (b"%d\tx\t_\tX\t_\t_\t0\troot\t_\t_\n# x\n", "E123"),
        (b"%d\tx\t_\tX\t_\t_\t0\troot\t_\t_\n9-1\tx\t_\tX\t_\t_\t0\troot\t_\t_\n", "E124"),
        (b"%d\tx\t_\tX\t_\t_\t0\troot\t_\t_\n9.9\tx\t_\tX\t_\t_\t0\troot\t_\t_\n", "E125"),
    ],
)
def test_a_sentence_with_many_faults(word, code):
    data = b"# sent_id = a\n" + b"".join(word % number for number in range(1, 20_001)) + b"\n"
    assert fault(data).finding.sentence == "a"
    _, findings = scan(data, "file")
    assert len(findings) >= 19_999
    assert {(finding.code, finding.sentence) for finding in findings} == {(code, "a")}


def test_many_sentences_that_are_no_trees():
    """The name of a sentence is not looked for among all others each time."""
    data = b"".join(b"# sent_id = s%d\n1\tx\t_\tX\t_\t_\t1\tdep\t_\t_\n\n" % number for number in range(20_000))
    kept, findings = Treebank.from_bytes(data).trees_only(skip_errors=True)
    assert kept.n_sentences == 0
    assert [finding.sentence for finding in findings[::10_000]] == ["s0", "s10000"]


class Source(io.RawIOBase):
    """A file that is read in blocks of 1 MB, however much is asked for, and counts what was read."""

    def __init__(self, byte: bytes, size: int):
        self.block, self.left, self.size = byte * (1 << 20), size, size
        self.calls = 0

    def read(self, size: int = -1) -> bytes:
        self.calls += 1
        data = self.block * (size // len(self.block)) + self.block[: size % len(self.block)]
        data = data[: self.left]
        self.left -= len(data)
        return data


def read_all(source: Source) -> list:
    return list(_pieces(source, "file", lambda finding: None, 1 << 20))


@pytest.mark.parametrize("byte", [b"a", b"\r", b"\t", b"#"])
def test_one_endless_line_is_read_in_ever_larger_steps(byte):
    """So that joining what was read to what comes takes time that grows with its size."""
    source = Source(byte, 40 << 20)
    read_all(source)
    assert source.left == 0
    assert source.calls < 12


def test_zeros_are_not_read_to_their_end():
    """As a small compressed file can hold any number of them."""
    source = Source(b"\0", 1 << 40)
    with pytest.raises(DataError, match="^file:1: a NUL byte and no blank line far and wide; this is no CoNLL-U$"):
        read_all(source)
    assert source.size - source.left < 100 << 20


def test_the_line_of_a_zero_is_named_after_sentences(tmp_path):
    path = tmp_path / "file"
    path.write_bytes(OK * 3 + b"# x\n" + b"\0" * (20 << 20))
    with pytest.raises(DataError, match=f"^{path}:11: a NUL byte"):
        list(pieces(str(path), print))


@pytest.mark.parametrize("end", [b"", b"\n", b"x\n", b"\n" + OK])
def test_a_run_of_carriage_returns(tmp_path, end):
    path = tmp_path / "file"
    path.write_bytes(OK + b"\r" * 1_500_000 + end)
    data = b"".join(piece.data for piece in pieces(str(path), lambda finding: None))
    assert data == OK + (b"\r" * 1_500_000 + end if end.startswith(b"x") else end)


def test_blanks_in_a_comment():
    data = b"#" + b" \t" * 1_500_000 + b"sent_id" + b"\t " * 1_500_000 + b"= b\n" + OK
    assert read_text(data, "file")[0].sent_ids == ["b"]


def test_long_names_are_cut_in_messages():
    name = b"x" * 1_500_000
    data = b"# sent_id = " + name + b"\n1\t" + name + b"\t_\tX\t_\t_\t9\troot\t_\t_\n\n"
    assert str(fault(data)).endswith("xx...)")
    no_tree = Treebank.from_bytes(data.replace(b"\t9\t", b"\t1\t"))
    with pytest.raises(DataError) as caught:
        no_tree.trees_only()
    assert len(str(caught.value)) < 200


def test_a_name_ends_where_its_line_ends():
    """A file with carriage returns for newlines is one line, but its first name is not all of it."""
    data = OK.replace(b"\n", b"\r")
    assert fault(data).finding.sentence == "a"
