"""What the documentation shows is what happens: its commands and code are run here."""

import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from permtree import Treebank
from permtree.linearize import linearize
from permtree.permuters import PERMUTERS, Request

ROOT = Path(__file__).parents[1]


def blocks(page: str, language: str) -> list[str]:
    """The code blocks of a page in one language."""
    return re.findall(rf"```{language}\n(.*?)```", (ROOT / page).read_text(encoding="utf-8"), re.DOTALL)


def run(command: str, folder: Path) -> str:
    """The standard output of a command line in which `permtree` is this project's."""
    shell = f'permtree() {{ "{sys.executable}" -m permtree "$@"; }}\n{command}'
    done = subprocess.run(["bash", "-c", shell], cwd=folder, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_first_screen_prints_what_it_shows(tmp_path):
    (tmp_path / "treebanks").symlink_to(ROOT / "treebanks")
    (screen,) = blocks("README.md", "console")
    steps = re.findall(r"^\$ (.*)\n((?:(?!\$ ).*\n)*)", screen, re.MULTILINE)
    assert len(steps) >= 4
    for command, shown in steps:
        assert run(command, tmp_path) == shown, command


def test_python_example_runs(tmp_path):
    (tmp_path / "treebanks").symlink_to(ROOT / "treebanks")
    (example,) = blocks("README.md", "python")
    done = subprocess.run([sys.executable, "-c", example], cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    first, second = done.stdout.splitlines()
    value, signature = first.split()
    assert float(value) >= 1
    assert signature.startswith("mdd|length:distance|punct:keep|roots:skip|sents:100|permtree:")
    assert float(second.split()[0]) < 0
    assert Treebank.read(str(tmp_path / "shortest.conllu")).n_sentences == 100
    assert (tmp_path / "pair.svg").read_text(encoding="utf-8").startswith("<svg")


def test_parser_example_runs(tmp_path):
    pytest.importorskip("torch")
    (tmp_path / "treebanks").symlink_to(ROOT / "treebanks")
    (example,) = blocks("docs/parsers.md", "python")
    done = subprocess.run([sys.executable, "-c", example], cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert 0 < float(done.stdout) <= 100
    assert Treebank.read(str(tmp_path / "parsed.conllu")).n_sentences == 100


def test_contributed_word_order_works():
    (example,) = blocks("CONTRIBUTING.md", "python")
    example = re.sub(r"from \.\.(\w)", r"from permtree.\1", example).replace("from . ", "from permtree.permuters ")
    try:
        exec(example, {})
        mode = PERMUTERS["verb-last"]
        treebank = Treebank.read(str(ROOT / "treebanks" / "rigan-test.conllu"))
        order = linearize(treebank, mode.function(treebank, Request(0, {})))
        position = np.argsort(order)
        below_verb = (treebank.head >= 0) & (treebank.upos.codes[treebank.head] == treebank.upos.code("VERB"))
        assert below_verb.any()
        assert (position[below_verb] < position[treebank.head[below_verb]]).all()
    finally:
        PERMUTERS._entries.pop("verb-last", None)


def test_reference_is_made_from_the_cards(tmp_path):
    cards = run("permtree list --format markdown", tmp_path)
    page = (ROOT / "docs" / "reference.md").read_text(encoding="utf-8")
    assert page == f"# Reference\n\nMade by `permtree list --format markdown`.\n\n{cards}"
