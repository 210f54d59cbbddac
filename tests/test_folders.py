"""Folders that permtree writes and reads back: what they hold, and whether it is what was written."""

from __future__ import annotations

import fcntl
import os
from pathlib import Path

import pytest

from permtree.configuration import parse_toml
from permtree.conllu.files import atomic_output
from permtree.errors import UsageError
from permtree.folders import About, file_digests, parse_json

ABOUT = About("about.json", 2, "make it again")


def test_digests_of_all_files_but_of_no_link(tmp_path: Path):
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "b").write_bytes(b"1")
    (tmp_path / "a").write_bytes(b"1")
    found = file_digests(tmp_path)
    assert list(found) == ["a", "in/b"] and found["a"] == found["in/b"]
    (tmp_path / "in" / "b").write_bytes(b"2")
    assert file_digests(tmp_path)["in/b"] != found["in/b"]
    (tmp_path / "link").symlink_to(tmp_path / "in")
    with pytest.raises(UsageError, match="is a link"):
        file_digests(tmp_path)


def test_a_link_is_replaced_not_written_through(tmp_path: Path):
    (tmp_path / "outside").write_bytes(b"mine")
    (tmp_path / "about.json").symlink_to(tmp_path / "outside")
    ABOUT.write(tmp_path, {"a": 1})
    assert (tmp_path / "outside").read_bytes() == b"mine"
    assert ABOUT.read(tmp_path) == {"format": 2, "a": 1}
    assert not (tmp_path / "about.json").is_symlink()


@pytest.mark.parametrize(
    ("data", "says"),
    [
        (None, "no such file"),
        (b"", "damaged: make it again"),
        (b"[" * 100_000, "damaged: make it again"),
        (b'{"format": 1, "x": ' + b"[" * 100_000, "damaged: make it again"),
        (b'{"format": 1, "\xff": 1}', "damaged: make it again"),
        (b"[1]", "damaged: make it again"),
        (b"{}", "damaged: make it again"),
        (b'{"format": true}', "damaged: make it again"),
        (b'{"format": 1' + b"0" * 5000 + b"}", "damaged: make it again"),
        (b'{"format": 3, "permtree": "9.9"}', "written by a later version of permtree (9.9): update permtree"),
        (b'{"format": 1, "parser": 3}', "damaged: make it again"),
    ],
)
def test_what_can_not_be_read_is_one_line(tmp_path: Path, data, says):
    if data is not None:
        (tmp_path / "about.json").write_bytes(data)
    with pytest.raises(UsageError) as fault:
        ABOUT.read(tmp_path, parser=str)
    assert str(fault.value) == f"{tmp_path / 'about.json'}: {says}"


def test_deep_nesting():
    with pytest.raises(ValueError, match="nested too deeply"):
        parse_json(b"[" * 100_000)
    with pytest.raises(ValueError, match="nested too deeply"):
        parse_toml("x=" + "[" * 100_000)


def write(path: Path, data: bytes) -> None:
    with atomic_output(str(path)) as out:
        out.write(data)


def test_what_a_killed_write_left_is_cleared_by_the_next_of_that_name(tmp_path: Path):
    dead, other = tmp_path / ".out.conllu.abcd_123.part", tmp_path / ".else.conllu.abcd_123.part"
    for path in (dead, other):
        path.write_bytes(b"half")
    write(tmp_path / "out.conllu", b"whole")
    assert sorted(path.name for path in tmp_path.iterdir()) == [other.name, "out.conllu"]


def test_a_write_that_goes_on_is_left_alone(tmp_path: Path):
    path = tmp_path / "out"
    with atomic_output(str(path)) as first:
        first.write(b"first")
        write(path, b"second")
    assert path.read_bytes() == b"first"
    assert [one.name for one in tmp_path.iterdir()] == ["out"]


def test_a_half_written_file_that_somebody_holds_is_left_alone(tmp_path: Path):
    held = tmp_path / ".out.abcd_123.part"
    with open(held, "wb") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        write(tmp_path / "out", b"x")
        assert held.exists()


@pytest.mark.parametrize("name", ["n" * 255, "ä" * 127, "n" * 241 + ".gz"], ids=len)
def test_long_names(tmp_path: Path, name):
    try:
        (tmp_path / name).write_bytes(b"")
    except OSError:
        pytest.skip("no such long names here")
    write(tmp_path / name, b"x")
    assert os.listdir(tmp_path) == [name]
