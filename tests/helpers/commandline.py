"""Run permtree as its users do, in this process or as one of its own; and small treebanks to run it on."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from reordering import conllu, word

from permtree.cli import run

PERMTREE = [sys.executable, "-m", "permtree"]
EMPTY = "warning: <stdin>:1: is empty: no sentence in it\n"  # what is told of standard input without a byte


@dataclass
class Done:
    """How a process ended, and what it wrote."""

    status: int
    out: bytes
    err: str

    @property
    def lines(self) -> list[str]:
        """The lines on standard error."""
        return self.err.splitlines()


def permtree(
    *arguments: str | Path,
    stdin: bytes = b"",
    cwd: Path | None = None,
    status: int | None = 0,
    process: bool = False,
) -> Done:
    """Run `permtree` with these arguments to its end; `status` is the exit status that is expected (None: any).

    process: as a process of its own, for what concerns a process as a whole; else in this one, which is much faster.
    """
    if process:
        done = subprocess.run([*PERMTREE, *map(str, arguments)], input=stdin, cwd=cwd, capture_output=True)
        result = Done(done.returncode, done.stdout, done.stderr.decode("utf-8"))
    else:
        result = _here([str(argument) for argument in arguments], stdin, cwd)
    assert status is None or result.status == status, result.err
    assert "Traceback" not in result.err
    return result


def _here(arguments: list[str], stdin: bytes, cwd: Path | None) -> Done:
    out, err = io.BytesIO(), io.BytesIO()
    with _as_in_a_new_process(cwd) as warned:
        status = run(arguments, io.BytesIO(stdin), out, err)
    told = [warnings.formatwarning(one.message, one.category, one.filename, one.lineno) for one in warned]
    return Done(status, out.getvalue(), err.getvalue().decode("utf-8") + "".join(told))


@contextmanager
def _as_in_a_new_process(cwd: Path | None) -> Iterator[list[warnings.WarningMessage]]:
    """In another folder; Python's warnings are those that a user would see, and what a command sets ends with it."""
    folder, environment = os.getcwd(), dict(os.environ)
    try:
        with warnings.catch_warnings(record=True) as warned:
            warnings.resetwarnings()
            for category in (DeprecationWarning, PendingDeprecationWarning, ImportWarning, ResourceWarning):
                warnings.simplefilter("ignore", category)
            if cwd is not None:
                os.chdir(cwd)
            yield warned
    finally:
        os.chdir(folder)
        if os.environ != environment:
            os.environ.clear()
            os.environ.update(environment)


def measured(*arguments: str | Path, stdin: bytes = b"") -> dict[str, Any]:
    """What `permtree measure --format json` says."""
    return json.loads(permtree("measure", "--format", "json", *arguments, stdin=stdin).out)


def files_in(folder: Path) -> list[str]:
    """Everything in a folder, hidden files too."""
    return sorted(os.listdir(folder))


def sentence(name: str, *heads: int) -> bytes:
    """A sentence with an id and the given heads; its words are named after it and their place."""
    lines = [word(number, f"{name}{number}", head) for number, head in enumerate(heads, 1)]
    return conllu(f"# sent_id = {name}", *lines, "")


def big(n_sentences: int = 16000) -> bytes:
    """More sentences than permtree handles in one piece."""
    return b"".join(sentence(f"s{number}", 2, 0, 2, 3) for number in range(n_sentences))
