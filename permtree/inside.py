"""Folders that are read back may come from anybody: what they name stays inside them, and no link leads out of them.

All that takes a name of a file from another file (a cell, a model, a table, a list of downloads) asks here.
"""

from __future__ import annotations

import os
import shutil
import stat
from pathlib import Path
from typing import Any, BinaryIO

from .errors import UsageError

MOST = 1 << 26  # bytes of a JSON file that says what a folder holds


def inside(folder: str | Path, name: Any) -> Path:
    """The path of what a file calls `name` (parts are separated by /), within a folder.

    Raises UsageError for a name that is no text, that leads out of the folder or has characters that no name of ours
    has, and where a link stands at the path or on the way to it (the folder itself may be one).
    """
    if not isinstance(name, str) or not _is_plain(name):
        raise UsageError(f"{folder}: damaged or not to be trusted: it names {str(name)[:80]!r}, which is not inside it")
    path = Path(folder)
    for part in name.split("/"):
        path = path / part
        _refuse_link(path)
    return path


def _refuse_link(path: Path) -> None:
    if path.is_symlink():
        raise UsageError(f"{path}: is a link, which is not followed: take it away")


def _is_plain(name: str) -> bool:
    """Whether a name has no way out: on Windows a drive, a stream or a backslash is one, too."""
    parts = name.split("/")
    return name.isprintable() and not set(name) & set('\\:"<>|*?') and all(part.strip(". ") for part in parts)


def open_inside(folder: str | Path, name: Any, size: int | None = None, most: int = MOST) -> BinaryIO:
    """Open a plain file within a folder (see `inside`) for reading, after a look at its size.

    size: the bytes that it must have; None: `most` at most. Raises UsageError for a file of another size, a device or
    a pipe, and OSError where it can't be opened.
    """
    path = inside(folder, name)
    # a pipe that nobody writes to would wait for ever
    flags = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
    source = open(path, "rb", opener=lambda path, _: os.open(path, flags))
    found = os.fstat(source.fileno())
    if stat.S_ISREG(found.st_mode) and (found.st_size == size if size is not None else found.st_size <= most):
        return source
    source.close()
    if not stat.S_ISREG(found.st_mode):
        raise UsageError(f"{path}: not a plain file")
    raise UsageError(f"{path}: damaged: {found.st_size} bytes instead of {size if size is not None else most}")


def read_inside(folder: str | Path, name: Any, size: int | None = None, most: int = MOST) -> bytes:
    """The content of a plain file within a folder, whose size is looked at before it is read (see `open_inside`)."""
    with open_inside(folder, name, size, most) as source:
        return source.read(size if size is not None else most)


def make_folder(path: Path) -> None:
    """Make a folder and those above it. UsageError where a link stands in its place."""
    _refuse_link(path)
    path.mkdir(parents=True, exist_ok=True)


def remove(path: Path) -> None:
    """Take away a file, a link (never what it points to) or a folder with all in it, if there is any."""
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)


def remove_link(path: Path) -> None:
    """Make sure that what is added to a file of ours is added to no other: a link in its place is taken away."""
    try:
        found = path.lstat()
    except FileNotFoundError:
        return
    if stat.S_ISLNK(found.st_mode) or stat.S_ISREG(found.st_mode) and found.st_nlink > 1:
        path.unlink()
