"""The folder of a study's results: a folder for each cell that is done, written beside its place first and checked.

cells/KIND/LABEL-KEY/ holds a cell's files and cell.json, which has its value and a hash of everything. What can't be
read back as it was written is as good as not done. All else in the folder is made from the cells.
"""

from __future__ import annotations

import fcntl
import hashlib
import json
import math
import os
import re
import shutil
import socket
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

from ..errors import UsageError
from .cells import KINDS, Cell
from .computing import Outcome

CELL = "cell.json"
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
        """The files of a cell that is done, by name."""
        folder = self._known[cell.key]
        names = json.loads((folder / CELL).read_bytes())["files"]
        return {name: (folder / name).read_bytes() for name in names}

    def put(self, cell: Cell, outcome: Outcome) -> None:
        """Store what a cell gave. Raises OSError; then nothing of it is there."""
        place = self.folder / "cells" / cell.kind / f"{cell.label}-{cell.key}"
        beside = place.with_name(place.name + PART)
        try:
            shutil.rmtree(beside, ignore_errors=True)
            for name, data in outcome.files.items():
                _write(beside / name, data)
            files = {name: _digest(data) for name, data in outcome.files.items()}
            inputs = {name: one.key for name, one in cell.inputs.items()}
            about = {"kind": cell.kind, "place": cell.place, "key": cell.key, "parameters": cell.parameters}
            content = _plain({**about, "inputs": inputs, "files": files, "value": outcome.value})
            content["digest"] = _digest(_canonical(content))
            _write(beside / CELL, _canonical(content) + b"\n")
            shutil.rmtree(place, ignore_errors=True)
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
            shutil.rmtree(path, ignore_errors=True)
        self._known = dict(self._found(""))  # another run may have ended since
        for key, path in list(self._known.items()):
            if self._value(key) is None:
                self.damaged.append(f"{path.parent.name} {path.name.rpartition('-')[0]}")
                del self._known[key]
                shutil.rmtree(path, ignore_errors=True)

    def log(self, entry: Mapping[str, Any]) -> None:
        """Add a line to the log, which says when what took how long; nothing reads it."""
        with open(self.folder / "log.jsonl", "a", encoding="utf-8") as out:
            out.write(json.dumps({"time": datetime.now(timezone.utc).isoformat(timespec="seconds"), **entry}) + "\n")

    def put_trace(self, cell: Cell, trace: str) -> Path | None:
        """Keep the trace of a failure; its file, if it could be written."""
        path = self.folder / "failed" / f"{cell.kind}.{cell.label}.txt"
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(trace, encoding="utf-8")
        except OSError:
            return None
        return path

    def scratch(self, cell: Cell) -> Path:
        """Where a training keeps what it can go on from."""
        return self.folder / "training" / cell.key

    def drop_scratch(self, cell: Cell) -> None:
        """What a training that is done doesn't need any more."""
        shutil.rmtree(self.scratch(cell), ignore_errors=True)

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Have the folder, which is made if need be, to oneself. UsageError where another run has it."""
        self.folder.mkdir(parents=True, exist_ok=True)
        with open(self.folder / "lock", "a+", encoding="utf-8") as lock:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                lock.seek(0)
                who = lock.read().strip() or "another process"
                raise UsageError(f"{self.folder}: {who} is at work here; wait for it, or name another folder") from None
            lock.seek(0)
            lock.truncate()
            lock.write(f"process {os.getpid()} on {socket.gethostname()}\n")
            lock.flush()
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
            folder = self._known[key]
            try:
                content = json.loads((folder / CELL).read_bytes())
                digest = content.pop("digest")
                sound = content["key"] == key and digest == _digest(_canonical(content))
                if sound and all(_digest((folder / n).read_bytes()) == d for n, d in content["files"].items()):
                    self._values[key] = content["value"]
            except (OSError, ValueError, KeyError, TypeError, AttributeError):
                pass  # damaged
        return self._values.get(key)


def _write(path: Path, data: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
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
