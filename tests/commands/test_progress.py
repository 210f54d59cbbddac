"""Long work shows how far it is, where standard error is a terminal, and nowhere else."""

import ast
from pathlib import Path

import pytest
from commandline import permtree, sentence
from terminal import in_terminal

from permtree import __file__ as package

pty = pytest.importorskip("pty", reason="no pseudo-terminals here")


@pytest.mark.parametrize("command", [["permute", "--mode", "lb", "-o", "/dev/null"], ["measure"]], ids=" ".join)
def test_a_bar_in_a_terminal(tmp_path, command):
    path = tmp_path / "a.conllu"
    path.write_bytes(sentence("a", 2, 0))
    name = {"permute": b"lb:"}.get(command[0], b"measure:")
    assert name in in_terminal(*command, str(path))
    assert b"100%" not in in_terminal(*command, "--quiet", str(path))
    assert not any(b"%" in line.encode() for line in permtree(*command, str(path)).lines)


def test_one_module_draws_bars():
    """So that one rule says when they are shown."""
    home = Path(package).parent
    names = {
        path.relative_to(home).as_posix()
        for path in home.rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.ImportFrom) and node.module == "tqdm"
    }
    assert names == {"bars.py"}
