"""Files in: pieces of whole sentences whatever the read size, any compression; files out: whole or not at all."""

from __future__ import annotations

import bz2
import gzip
import lzma
import os

import pytest
from commandline import permtree

from permtree.conllu.files import atomic_output, pieces
from permtree.errors import DataError, Finding, UsageError
from permtree.treebank import Treebank

LINE = b"%d\tx\t_\tX\t_\t_\t0\troot\t_\t_\n"
ONE = LINE % 1
PLAIN = {
    "usual": b"# a\n" + ONE + b"\n# b\n" + ONE + LINE % 2 + b"\n" + ONE + b"\n",
    "empty": b"",
    "newlines alone": b"\n\n\n\n\n",
    "several blank lines": ONE + b"\n\n\n\n" + ONE + b"\n\n\n",
    "blank lines first": b"\n\n" + ONE + b"\n" + ONE + b"\n",
    "no final blank line": ONE + b"\n" + ONE,
    "no final newline": ONE + b"\n" + ONE[:-1],
    "comments after all": ONE + b"\n# x",
}
SIZES = [*range(1, 12), 37, 1 << 20, 0]


def written(tmp_path, data: bytes, name: str = "f.conllu") -> str:
    (tmp_path / name).write_bytes(data)
    return str(tmp_path / name)


def no_warning(finding):
    assert finding.code == "W105"


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("data", PLAIN.values(), ids=PLAIN.keys())
def test_pieces_join_to_the_file(tmp_path, data, size):
    found = list(pieces(written(tmp_path, data), no_warning, size))
    assert b"".join(piece.data for piece in found) == data
    assert [piece.last for piece in found] == [False] * (len(found) - 1) + [True]
    before = 0
    for piece in found:
        assert piece.first_line == before + 1
        before += piece.data.count(b"\n")
        assert piece.last or piece.data.endswith(b"\n\n")


@pytest.mark.parametrize("size", SIZES[:-1])
def test_pieces_are_small_when_sentences_are(tmp_path, size):
    data = (ONE + b"\n") * 50
    found = list(pieces(written(tmp_path, data), no_warning, size))
    assert max(len(piece.data) for piece in found) <= size + 2 * len(ONE + b"\n")


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("data", PLAIN.values(), ids=PLAIN.keys())
def test_carriage_returns_at_line_ends_are_dropped_with_one_warning(tmp_path, data, size):
    warnings = []
    path = written(tmp_path, data.replace(b"\n", b"\r\n"))
    found = list(pieces(path, warnings.append, size))
    assert b"".join(piece.data for piece in found) == data
    assert [warning.code for warning in warnings if warning.code != "W105"] == ["W102"] * (b"\n" in data)


@pytest.mark.parametrize("size", SIZES)
def test_carriage_returns_of_all_kinds(tmp_path, size):
    """Doubled ones and one at the very end go; one inside a line stays, for the reader to refuse."""
    path = written(tmp_path, b"a\r\r\nb\rc\r\n\r\nd\r\n\r\ne\r")
    found = list(pieces(path, lambda finding: None, size))
    assert b"".join(piece.data for piece in found) == b"a\nb\rc\n\nd\n\ne"


@pytest.mark.parametrize("size", SIZES)
def test_a_byte_order_mark_is_dropped_with_a_warning(tmp_path, size):
    warnings = []
    path = written(tmp_path, b"\xef\xbb\xbf" + PLAIN["usual"])
    found = list(pieces(path, warnings.append, size))
    assert b"".join(piece.data for piece in found) == PLAIN["usual"]
    assert [(warning.code, warning.line) for warning in warnings] == [("W101", 1)]


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("compress", [gzip.compress, lzma.compress, bz2.compress])
def test_compressed_files_are_told_by_their_first_bytes(tmp_path, compress, size):
    path = written(tmp_path, compress(PLAIN["usual"]), "no-telling-name")
    assert b"".join(piece.data for piece in pieces(path, no_warning, size)) == PLAIN["usual"]


@pytest.mark.parametrize("compress", [gzip.compress, lzma.compress, bz2.compress])
@pytest.mark.parametrize("damage", [lambda data: data[:-12], lambda data: data[:15] + b"xxxx" + data[19:]])
def test_a_damaged_compressed_file_is_a_data_error(tmp_path, compress, damage):
    path = written(tmp_path, damage(compress(PLAIN["usual"])))
    with pytest.raises(DataError) as caught:
        list(pieces(path, no_warning))
    assert caught.value.finding.code == "E100"


@pytest.mark.parametrize("compress", [gzip.compress, lzma.compress, bz2.compress])
@pytest.mark.parametrize("size", [1, 1 << 20])
def test_streams_one_after_the_other_are_one_file(tmp_path, compress, size):
    """As `cat a.xz b.xz` joins them; zeros may fill up the end."""
    path = written(tmp_path, compress(ONE + b"\n") + compress(b"") + compress(ONE + b"\n") + b"\0" * 512)
    assert b"".join(piece.data for piece in pieces(path, no_warning, size)) == (ONE + b"\n") * 2


@pytest.mark.parametrize("compress", [gzip.compress, lzma.compress, bz2.compress])
@pytest.mark.parametrize(
    "damage",
    [
        lambda data: data[:-12],
        lambda data: data[:3],
        lambda data: data[:15] + b"xxxx" + data[19:],
        lambda data: b"x" + data,
        lambda data: data[:1] + b"x" + data[2:],
        lambda data: b"plain text",
        lambda data: data + b"x",
    ],
)
@pytest.mark.parametrize("size", [1, 1 << 20])
def test_a_damaged_second_stream_is_a_data_error(tmp_path, compress, damage, size):
    path = written(tmp_path, compress(PLAIN["usual"]) + damage(compress(PLAIN["usual"])))
    with pytest.raises(DataError) as caught:
        list(pieces(path, no_warning, size))
    assert caught.value.finding.code == "E100"


def test_a_missing_file_names_a_similar_one(tmp_path):
    written(tmp_path, b"", "train.conllu")
    with pytest.raises(UsageError, match="did you mean .*train.conllu"):
        list(pieces(str(tmp_path / "tran.conllu"), no_warning))


def test_an_address_is_no_file():
    with pytest.raises(UsageError, match=r"https://x\.org/a\.conllu: is an address.*permtree fetch --url"):
        list(pieces("https://x.org/a.conllu", print))


@pytest.mark.parametrize(
    ("start", "message"),
    [
        (b"PK\x03\x04", "a zip archive, which is not read; unpack it"),
        (b"7z\xbc\xaf\x27\x1c", "a 7z archive, which is not read; unpack it"),
        (b"Rar!\x1a\x07", "a rar archive, which is not read; unpack it"),
        (b"\x28\xb5\x2f\xfd", "packed with zstd, which is not read; unpack it with `zstd -d`"),
    ],
)
def test_what_is_packed_in_another_way_is_named(tmp_path, start, message):
    (tmp_path / "x").write_bytes(start + b"\0\1" * 50)
    with pytest.raises(DataError, match=message):
        list(pieces(str(tmp_path / "x"), print))


@pytest.mark.parametrize(
    ("data", "message"), [(b"", "is empty: no sentence in it"), (b"\n# a\n\n", "no sentence in it")]
)
def test_a_file_without_a_sentence_is_one_warning(tmp_path, data, message):
    (tmp_path / "x").write_bytes(data)
    found: list[Finding] = []
    assert b"".join(piece.data for piece in pieces(str(tmp_path / "x"), found.append)) == data
    assert [(finding.code, finding.what) for finding in found] == [("W105", message)]


@pytest.mark.parametrize("command", [("measure",), ("permute", "-q", "--mode", "reverse"), ("invert", "-q")])
def test_empty_standard_input_is_told(command):
    assert permtree(*command).lines == ["warning: <stdin>:1: is empty: no sentence in it"]


def test_a_folder_is_no_file(tmp_path):
    with pytest.raises(UsageError):
        list(pieces(str(tmp_path), no_warning))


def test_several_files_are_read_as_one(tmp_path):
    """The first doesn't end in a blank line: its last sentence must not run into the next file."""
    first, second = written(tmp_path, ONE, "a"), written(tmp_path, ONE + b"\n", "b")
    treebank = Treebank.read(first, second)
    assert treebank.n_sentences == 2
    assert treebank.to_bytes() == ONE + b"\n" + ONE + b"\n"


def test_several_files_of_which_one_has_no_final_newline(tmp_path):
    first, second = written(tmp_path, ONE[:-1], "a"), written(tmp_path, ONE + b"\n", "b")
    assert Treebank.read(first, second).to_bytes() == ONE + b"\n" + ONE + b"\n"


def test_several_files_of_which_one_ends_in_a_comment(tmp_path):
    """A comment at the end of one file belongs to no sentence of the next."""
    first, second = written(tmp_path, ONE + b"\n# end", "a"), written(tmp_path, b"# sent_id = b\n" + ONE + b"\n", "b")
    treebank = Treebank.read(first, second)
    assert treebank.n_sentences == 2
    start, end = (int(bound[1]) for bound in treebank.text.comment_spans)
    assert treebank.text.data[start:end] == b"# sent_id = b\n"


@pytest.mark.parametrize("name", ["f.conllu", "f.conllu.gz", "f.conllu.xz", "f.conllu.bz2"])
def test_write_then_read(tmp_path, name):
    path = str(tmp_path / name)
    Treebank.from_bytes(PLAIN["usual"]).write(path)
    assert Treebank.read(path).to_bytes() == PLAIN["usual"]
    assert os.listdir(tmp_path) == [name]


def test_the_same_data_gives_the_same_compressed_bytes(tmp_path):
    for name in ("a.gz", "b.gz"):
        Treebank.from_bytes(PLAIN["usual"]).write(str(tmp_path / name))
    assert (tmp_path / "a.gz").read_bytes() == (tmp_path / "b.gz").read_bytes()


def test_nothing_is_left_when_writing_fails(tmp_path):
    path = written(tmp_path, b"old")
    with pytest.raises(ZeroDivisionError), atomic_output(path) as out:
        out.write(b"new")
        1 / 0  # noqa: B018
    assert (tmp_path / "f.conllu").read_bytes() == b"old"
    assert os.listdir(tmp_path) == ["f.conllu"]


def test_an_overwritten_file_keeps_its_mode(tmp_path):
    path = written(tmp_path, b"old")
    os.chmod(path, 0o640)
    with atomic_output(path) as out:
        out.write(b"new")
    assert os.stat(path).st_mode & 0o777 == 0o640


def test_a_link_is_followed(tmp_path):
    written(tmp_path, b"old", "target")
    (tmp_path / "link").symlink_to("target")
    with atomic_output(str(tmp_path / "link")) as out:
        out.write(b"new")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "target").read_bytes() == b"new"


@pytest.mark.parametrize("target", ["target", "nothing", "folder", "/dev/null"])
def test_a_link_in_a_folder_of_ours_is_replaced(tmp_path, target):
    written(tmp_path, b"old", "target")
    (tmp_path / "folder").mkdir()
    (tmp_path / "link").symlink_to(target)
    with atomic_output(str(tmp_path / "link"), follow=False) as out:
        out.write(b"new")
    assert not (tmp_path / "link").is_symlink()
    assert (tmp_path / "link").read_bytes() == b"new"
    assert (tmp_path / "target").read_bytes() == b"old"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["folder", "link", "target"]


def test_a_folder_that_is_not_there_becomes_no_file(tmp_path):
    with pytest.raises(UsageError, match="no such folder"), atomic_output(f"{tmp_path}/nofolder/"):
        pass
    assert list(tmp_path.iterdir()) == []


def test_where_nothing_can_be_written(tmp_path):
    with pytest.raises(UsageError), atomic_output(str(tmp_path / "missing" / "f")):
        pass
    with pytest.raises(UsageError), atomic_output(str(tmp_path)):
        pass
