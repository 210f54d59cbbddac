"""Names that come from a file stay inside their folder, and no link leads out of it."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from permtree import UsageError
from permtree.inside import inside, make_folder, read_inside, remove, remove_link

OUTSIDE = [
    "", ".", "..", "/etc/passwd", "../x", "a/../../x", "a/..", "a//b", "a/", "/a", "a/./b", "a\\..\\b", "C:x", "a\0b",
    "x:y", "a\nb", "\x1b[2J", "a/ /b", "a/. ./b", None, 3, ["a"], {"a": 1}, True, b"a", "con|x",
]  # fmt: skip


@pytest.mark.parametrize("name", OUTSIDE, ids=ascii)
def test_what_leads_out(tmp_path: Path, name):
    for act in (inside, read_inside):
        with pytest.raises(UsageError, match="not inside it"):
            act(tmp_path, name)


@pytest.mark.parametrize("name", ["a", "a/b", "la_x+y=0.5.rb-0f/cell.json", ".hidden", "..a", "a..", "ä b", "a" * 200])
def test_what_stays_inside(tmp_path: Path, name):
    path = inside(tmp_path, name)
    assert path == tmp_path / name and tmp_path in path.parents
    make_folder(path.parent)
    path.write_bytes(b"1234")
    assert read_inside(tmp_path, name) == read_inside(tmp_path, name, 4) == b"1234"


def test_a_long_name_does_not_fill_the_screen(tmp_path: Path):
    with pytest.raises(UsageError) as error:
        inside(tmp_path, "../" * 10**6)
    assert len(str(error.value)) < 200 + len(str(tmp_path))


@pytest.mark.parametrize("target", ["victim", "nothing", "folder"])
def test_links_are_not_followed(tmp_path: Path, target):
    ours = tmp_path / "ours"
    (ours / "sub").mkdir(parents=True)
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder" / "x").write_bytes(b"mine")
    (tmp_path / "victim").write_bytes(b"mine")
    (ours / "sub" / "link").symlink_to(tmp_path / target)
    for name in ("sub/link", "sub/link/x"):
        with pytest.raises(UsageError, match="sub/link: is a link"):
            read_inside(ours, name)
    with pytest.raises(UsageError, match="is a link"):
        make_folder(ours / "sub" / "link")
    remove(ours / "sub" / "link")
    assert os.listdir(ours / "sub") == []
    remove(ours)
    assert (tmp_path / "folder" / "x").read_bytes() == (tmp_path / "victim").read_bytes() == b"mine"


def test_the_folder_itself_may_be_a_link(tmp_path: Path):
    (tmp_path / "real").mkdir()
    (tmp_path / "real" / "a").write_bytes(b"1")
    (tmp_path / "link").symlink_to("real")
    assert read_inside(tmp_path / "link", "a") == b"1"


def test_sizes_are_looked_at_first(tmp_path: Path):
    with open(tmp_path / "sparse", "wb") as out:
        out.truncate(1 << 40)  # more than any memory
    for arguments in ((), (17,)):
        with pytest.raises(UsageError, match=str(1 << 40)):
            read_inside(tmp_path, "sparse", *arguments)
    (tmp_path / "cut").write_bytes(b"123")
    with pytest.raises(UsageError, match="3 bytes instead of 4"):
        read_inside(tmp_path, "cut", 4)


def test_no_pipe_is_waited_for(tmp_path: Path):
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(UsageError, match="not a plain file"):
        read_inside(tmp_path, "pipe")
    (tmp_path / "folder").mkdir()
    with pytest.raises((UsageError, OSError)):
        read_inside(tmp_path, "folder")


@pytest.mark.parametrize("how", [os.symlink, os.link], ids=["symbolic", "hard"])
def test_what_is_added_goes_to_no_other_file(tmp_path: Path, how):
    (tmp_path / "victim").write_bytes(b"mine")
    how(tmp_path / "victim", tmp_path / "log")
    remove_link(tmp_path / "log")
    assert not (tmp_path / "log").exists() and (tmp_path / "victim").read_bytes() == b"mine"
    (tmp_path / "log").write_bytes(b"ours")
    remove_link(tmp_path / "log")
    remove_link(tmp_path / "none")
    assert (tmp_path / "log").read_bytes() == b"ours"
