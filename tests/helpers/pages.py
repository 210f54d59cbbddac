"""The pages of the documentation: their blocks of code, and their commands as a shell runs them."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

from places import ROOT


def blocks(page: str, language: str) -> list[str]:
    """The code blocks of a page in one language."""
    return re.findall(rf"```{language}\n(.*?)```", (ROOT / page).read_text(encoding="utf-8"), re.DOTALL)


def files_shown(page: str) -> dict[str, str]:
    """The files that a page shows whole: a code block below a line that is a file's name."""
    text = (ROOT / page).read_text(encoding="utf-8")
    return dict(re.findall(r"^`([\w./]+)`:\n\n```\w+\n(.*?)```", text, re.DOTALL | re.MULTILINE))


def steps(screen: str) -> list[tuple[str, str]]:
    """The commands of a console block, each with what it shows."""
    return re.findall(r"^\$ (.*)\n((?:(?!\$ ).*\n)*)", screen, re.MULTILINE)


def run(command: str, folder: Path, **environment: str) -> str:
    """The standard output of a command line in which `permtree` is this project's, or the copy of it in the folder."""
    shell = f'permtree() {{ "{sys.executable}" -m permtree "$@"; }}\nset -o pipefail\n{command}'
    done = subprocess.run(
        ["bash", "-c", shell], cwd=folder, capture_output=True, text=True, env={**os.environ, **environment}
    )
    assert done.returncode == 0, done.stderr
    return done.stdout
