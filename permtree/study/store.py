"""The folder of a study's results: a folder for each cell that is done, written beside its place first and checked.

cells/KIND/LABEL-KEY/ holds a cell's files and cell.json, which has its value, the size and a hash of each file, and a
hash of all that. What can't be read back as it was written is as good as not done: a folder of results may come from
anybody, so names stay inside it, sizes are looked at before anything is read, and no link is followed. All else in the
folder is made from the cells.
"""

from __future__ import annotations

import hashlib
import json
import math
import os
import re
import shutil
import socket
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from datetime import datetime, timezone
from functools import partial
from pathlib import Path
from typing import Any

from ..errors import UsageError
from ..inside import inside, make_folder, open_inside, read_inside, remove, remove_link
from .cells import Cell, key_of
from .computing import Outcome
from .shapes import KINDS, by_name, is_value, listed, text, whole

CELL = "cell.json"
LOG, LOCK, HOLDER = "log.jsonl", "lock", "lock.holder"
PART = ".part"
_NAMED = re.compile(r".+-([0-9a-f]{24})")  # what folders of cells are called; nothing else is ours


class Store:
    """The cells of a results folder. damaged: names of folders that `clean` found damaged and took away."""

    def __init__(self, folder: str | Path):
        self.folder = Path(folder)
        self.damaged: list[str] = []
        self._values: dict[str, Mapping[str, Any]] = {}
        if self.folder.exists() and not self.folder.is_dir():
            raise UsageError(f"{self.folder}: not a folder; name another one with -o")
        for name in ("cells", "failed", "training", *(f"cells/{kind}" for kind in KINDS)):
            inside(self.folder, name)  # no links
        self._known = dict(self._found(""))

    def has(self, cell: Cell) -> bool:
        """Whether a cell is done, and stands as it was written."""
        return self._value(cell.key) is not None

    def value(self, cell: Cell) -> Mapping[str, Any]:
        """The value of a cell that is done."""
        value = self._value(cell.key)
        assert value is not None, cell
        return value

    def path(self, cell: Cell) -> Path:
        """The folder of a cell that is done."""
        return self._known[cell.key]

    def files(self, cell: Cell) -> dict[str, bytes]:
        """The files of a cell that is done, by name. UsageError where they are no longer what they were."""
        return files_of(self._known[cell.key], cell.key)

    def put(self, cell: Cell, outcome: Outcome) -> None:
        """Store what a cell gave. Raises OSError; then nothing of it is there."""
        place = self.folder / "cells" / cell.kind / f"{cell.label}-{cell.key}"
        beside = place.with_name(place.name + PART)
        try:
            remove(beside)
            make_folder(beside)
            for name, data in outcome.files.items():
                _write(inside(beside, name), data)
            files = {name: [len(data), _digest(data)] for name, data in outcome.files.items()}
            inputs = {name: one.key for name, one in cell.inputs.items()}
            about = {"kind": cell.kind, "place": cell.place, "key": cell.key, "parameters": cell.parameters}
            content = _plain({**about, "inputs": inputs, "files": files, "value": outcome.value})
            content["digest"] = _digest(_canonical(content))
            _write(beside / CELL, _canonical(content) + b"\n")
            remove(place)
            os.rename(beside, place)
        except BaseException:
            shutil.rmtree(beside, ignore_errors=True)
            raise
        self._known[cell.key] = place
        self._values[cell.key] = json.loads(_canonical(content["value"]))  # as it will be read
        (self.folder / "failed" / f"{cell.kind}.{cell.label}.txt").unlink(missing_ok=True)

    def clean(self) -> None:
        """Take away what is damaged or half-written. Only for who holds the lock."""
        for _, path in list(self._found(PART)):
            remove(path)
        self._known = dict(self._found(""))  # another run may have ended since
        for key, path in list(self._known.items()):
            if self._value(key) is None:
                self.damaged.append(f"{path.parent.name} {path.name.rpartition('-')[0]}")
                del self._known[key]
                remove(path)

    def log(self, entry: Mapping[str, Any]) -> None:
        """Add a line to the log, which says when what took how long; nothing reads it."""
        path = self.folder / LOG
        remove_link(path)
        with open(path, "a", encoding="utf-8") as out:
            out.write(json.dumps({"time": datetime.now(timezone.utc).isoformat(timespec="seconds"), **entry}) + "\n")

    def put_trace(self, cell: Cell, trace: str) -> Path | None:
        """Keep the trace of a failure; its file, if it could be written."""
        path = self.folder / "failed" / f"{cell.kind}.{cell.label}.txt"
        try:
            make_folder(path.parent)
            remove_link(path)
            path.write_text(trace, encoding="utf-8")
        except OSError:
            return None
        return path

    def scratch(self, cell: Cell) -> Path:
        """Where a training keeps what it can be resumed from. UsageError where that is a link."""
        return inside(self.folder, f"training/{cell.key}")

    def drop_scratch(self, cell: Cell) -> None:
        """What a training that is done doesn't need any more."""
        with suppress(OSError):
            remove(self.scratch(cell))

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Have the folder, which is made if need be, to oneself. UsageError where another run has it."""
        from filelock import FileLock, Timeout

        self.folder.mkdir(parents=True, exist_ok=True)
        lock, holder = inside(self.folder, LOCK), self.folder / HOLDER
        try:
            held = FileLock(lock).acquire(blocking=False)
        except Timeout:
            who = _first_line(self.folder) or "another process"
            raise UsageError(f"{self.folder}: {who} is at work here; wait for it, or name another folder") from None
        with held:
            remove_link(holder)
            holder.write_text(f"process {os.getpid()} on {socket.gethostname()}\n", encoding="utf-8")
            yield

    def _found(self, ending: str) -> Iterator[tuple[str, Path]]:
        """The keys and folders of cells, of names with an ending."""
        for kind in KINDS:
            for path in sorted((self.folder / "cells" / kind).glob(f"*{ending}")):
                name = _NAMED.fullmatch(path.name.removesuffix(ending))
                if name:
                    yield name[1], path

    def _value(self, key: str) -> Mapping[str, Any] | None:
        """The value of a cell, if all of it stands as it was written."""
        if key not in self._values and key in self._known:
            content = _content(self._known[key], key)
            if content is not None and all(map(partial(_stands, self._known[key]), content["files"].items())):
                self._values[key] = content["value"]
        return self._values.get(key)


def files_of(folder: Path, key: str, *names: str) -> dict[str, bytes]:
    """Files in the folder of a cell with this key, by name, or all. UsageError where they aren't as they were
    written."""
    content = _content(folder, key)
    if content is None:
        raise UsageError(f"{folder / CELL}: not as it was written")
    found = {}
    for name in names or content["files"]:
        size, digest = content["files"].get(name, (0, ""))
        found[name] = read_inside(folder, name, size)
        if _digest(found[name]) != digest:
            raise UsageError(f"{folder / name}: not as it was written")
    return found


def _content(folder: Path, key: str) -> Mapping[str, Any] | None:
    """What cell.json says; None where it doesn't stand as it was written, or isn't of a cell with this key."""
    try:
        content = json.loads(read_inside(folder, CELL))
        digest = content.pop("digest")
        kind, parameters, files = content["kind"], content["parameters"], content["files"]
        sound = (
            digest == _digest(_canonical(content))
            and key == content["key"] == key_of(kind, parameters, content["inputs"])
            and is_value(kind, content["value"], parameters)
            and by_name(listed(whole, text))(files)
        )
        return content if sound else None
    except (OSError, ValueError, LookupError, TypeError, AttributeError, RecursionError, UsageError):
        return None


def _stands(folder: Path, file: tuple[str, tuple[int, str]]) -> bool:
    """Whether a file of a cell is as its cell.json says."""
    name, (size, digest) = file
    whole_file = hashlib.blake2b(digest_size=16)
    try:
        with open_inside(folder, name, size) as source:
            while block := source.read(1 << 20):
                whole_file.update(block)
    except (OSError, UsageError):
        return False
    return whole_file.hexdigest() == digest


def _first_line(folder: Path) -> str:
    """Who has the lock, as far as that can be read."""
    try:
        lines = read_inside(folder, HOLDER, most=1000).decode("utf-8").splitlines()
    except (OSError, ValueError, UsageError):
        return ""
    return lines[0] if lines and lines[0].isprintable() else ""


def _write(path: Path, data: bytes) -> None:
    make_folder(path.parent)
    with open(path, "wb") as out:
        out.write(data)
        out.flush()
        os.fsync(out.fileno())  # a rename that survives a crash must not come before its data


def _canonical(content: Any) -> bytes:
    return json.dumps(content, sort_keys=True, ensure_ascii=False, indent=1).encode("utf-8")


def _digest(data: bytes) -> str:
    return hashlib.blake2b(data, digest_size=16).hexdigest()


def _plain(value: Any) -> Any:
    """Tuples as lists, numbers that JSON lacks as None, as they come back from a file."""
    if isinstance(value, Mapping):
        return {str(name): _plain(one) for name, one in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(one) for one in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value
