"""The pages of the documentation: their blocks of code, and their commands as a shell runs them.

`pytest --renew` writes into the pages what their commands print now, instead of comparing.
"""

from __future__ import annotations

import difflib
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


class Pages:
    """Holds pages against what happens; or renews them."""

    def __init__(self, renew: bool):
        self._renew = renew

    def are_screens(self, page: str, folder: Path, silent: bool = False) -> list[str]:
        """Run the commands of all console blocks of a page in a folder: each prints what is shown, and nothing on
        standard error if `silent`. The commands."""
        commands: list[str] = []

        def executed(block: re.Match[str]) -> str:
            shown = steps(block[1])
            assert "".join(f"$ {command}\n{output}" for command, output in shown) == block[1]
            commands.extend(command for command, _ in shown)
            printed = [(command, run(command, folder, silent)) for command, _ in shown]
            return "```console\n" + "".join(f"$ {command}\n{output}" for command, output in printed) + "```"

        text = (ROOT / page).read_text(encoding="utf-8")
        self.is_page(page, re.sub(r"```console\n(.*?)```", executed, text, flags=re.DOTALL))
        return commands

    def is_page(self, page: str, text: str) -> None:
        """A page is this text."""
        if self._renew:
            (ROOT / page).write_text(text, encoding="utf-8")
        shown = (ROOT / page).read_text(encoding="utf-8")
        changes = difflib.unified_diff(shown.splitlines(), text.splitlines(), page, "what happens", lineterm="")
        assert shown == text, "`make renew` writes this into the page:\n" + "\n".join(changes)


def run(command: str, folder: Path, silent: bool = False, **environment: str) -> str:
    """The standard output of a command line in which `permtree` is this project's, or the copy of it in the folder."""
    shell = f'permtree() {{ "{sys.executable}" -m permtree "$@"; }}\nset -o pipefail\n{command}'
    done = subprocess.run(
        ["bash", "-c", shell], cwd=folder, capture_output=True, text=True, env={**os.environ, **environment}
    )
    assert done.returncode == 0, done.stderr
    assert not (silent and done.stderr), done.stderr
    return done.stdout
