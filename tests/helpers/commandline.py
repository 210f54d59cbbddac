"""Run permtree as its users do, as a process of its own; and small treebanks to run it on."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from reordering import conllu, word

PERMTREE = [sys.executable, "-m", "permtree"]


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


def permtree(*arguments: str | Path, stdin: bytes = b"", cwd: Path | None = None, status: int | None = 0) -> Done:
    """Run `permtree` with these arguments to its end; `status` is the exit status that is expected (None: any)."""
    done = subprocess.run([*PERMTREE, *map(str, arguments)], input=stdin, cwd=cwd, capture_output=True)
    result = Done(done.returncode, done.stdout, done.stderr.decode("utf-8"))
    assert status is None or result.status == status, result.err
    assert "Traceback" not in result.err
    return result


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
