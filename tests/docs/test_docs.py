"""What the documentation shows is what happens: its commands and code are run here."""

import subprocess
import sys

import pytest
from pages import ROOT, blocks, run

from permtree import Treebank


def test_first_screen_prints_what_it_shows(pages, tmp_path):
    (tmp_path / "treebanks").symlink_to(ROOT / "treebanks")
    assert len(pages.are_screens("README.md", tmp_path)) >= 4


@pytest.mark.long
def test_pairs_page_prints_what_it_shows(pages, tmp_path):
    (tmp_path / "treebanks").symlink_to(ROOT / "treebanks")
    assert pages.are_screens("docs/pairs.md", tmp_path, silent=True)
    pytest.importorskip("pandas")
    (example,) = blocks("docs/pairs.md", "python")
    done = subprocess.run([sys.executable, "-c", example], cwd=tmp_path, capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.splitlines()[-1].startswith("(")


@pytest.mark.long
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


@pytest.mark.long
def test_parser_example_runs(tmp_path):
    pytest.importorskip("torch")
    (tmp_path / "treebanks").symlink_to(ROOT / "treebanks")
    (example,) = blocks("docs/parsers.md", "python")
    done = subprocess.run([sys.executable, "-c", example], cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert 0 < float(done.stdout) <= 100
    assert Treebank.read(str(tmp_path / "parsed.conllu")).n_sentences == 100


def test_reference_is_made_from_the_cards(pages, tmp_path):
    cards = run("permtree list --format markdown", tmp_path)
    pages.is_page("docs/reference.md", f"# Reference\n\nMade by `permtree list --format markdown`.\n\n{cards}")
