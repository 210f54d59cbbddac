"""Another package adds a mode and a measure by entry points, and they are found wherever ours are."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest
from commandline import sentence

MODULE = '''
"""A mode and a measure of another package."""

from dataclasses import dataclass

import numpy as np

from permtree.configuration import Settings, setting
from permtree.measures import measure, total
from permtree.permuters import permuter


@dataclass(frozen=True)
class ByLength(Settings):
    longest: str = setting("last", "where the longest word stands", choices=("first", "last"))


@permuter(
    "by-length",
    gives="order",
    what="words by the number of their characters",
    source="nobody",
    config=ByLength,
)
def by_length(treebank, request):
    size = np.array([len(form) for form in treebank.column(1).decoded()])
    size = size if request.config.longest == "last" else -size
    return np.lexsort((size, treebank.sentence_of))


@measure("words_squared", kind="sentence", score=total, what="n times n", unit="n", range="0 and more", source="me")
def words_squared(treebank, conventions):
    return treebank.sentence_length[:, None] ** 2
'''
POINTS = """[permtree.modes]
by-length = plugged_in
broken = plugged_in_wrong
absent = plugged_in

[permtree.measures]
words_squared = plugged_in
"""
STUDY = """
folder = "."
measures = ["words_squared"]
[treebanks.a]
train = "a"
test = "a"
[orders.original]
[orders.by-length]
longest = "first"
[orders.half]
mode = "mixture"
of = "by-length:longest=first"
[parsers.majority-offset]
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A folder with a package that is installed as pip would, a treebank and a study."""
    made = tmp_path_factory.mktemp("plugged")
    (made / "site").mkdir()
    (made / "site" / "plugged_in.py").write_text(MODULE)
    (made / "site" / "plugged_in_wrong.py").write_text("import nothing_of_this_name\n")
    info = made / "site" / "plugged_in-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: plugged-in\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(POINTS)
    (made / "a").write_bytes(sentence("long", 2, 0, 2).replace(b"long2", b"longest") + sentence("b", 0, 1, 1, 1))
    (made / "study.toml").write_text(STUDY)
    return made


def run(folder, *arguments: str, status: int = 0) -> tuple[str, str]:
    environment = {**os.environ, "PYTHONPATH": str(folder / "site")}
    done = subprocess.run(
        [sys.executable, "-m", "permtree", *arguments], cwd=folder, env=environment, capture_output=True, text=True
    )
    assert done.returncode == status, done.stderr
    assert "Traceback" not in done.stderr
    return done.stdout, done.stderr


def forms(text: str) -> list[str]:
    return [line.split("\t")[1] for line in text.splitlines() if "\t" in line]


def test_a_mode_of_another_package(folder):
    out, _ = run(folder, "permute", "--mode", "by-length", "--longest", "first", "a")
    assert forms(out)[:3] == ["longest", "long1", "long3"]
    assert "# permtree = by-length|longest:first|punct:keep|" in out
    assert "--longest LONGEST" in run(folder, "permute", "--help")[0]
    within, _ = run(folder, "permute", "--mode", "mixture", "--of", "by-length:longest=first", "--p", "1", "a")
    assert "mixture|of:by-length:longest=first|" in within
    assert run(folder, "permute", "--mode", "optdl", "a")[0]  # as ever
    assert (
        "no such option '--longest'"
        in run(folder, "permute", "--mode", "optdl", "--longest", "first", "a", status=2)[1].lower()
    )


def test_a_measure_of_another_package(folder):
    out, _ = run(folder, "measure", "--measure", "words_squared", "--format", "tsv", "a")
    assert f"words_squared\t{9 + 16}.0\twords_squared|punct:strip|" in out
    assert "words_squared" in run(folder, "measure", "--all", "a")[0]


def test_cards_of_another_package(folder):
    out, _ = run(folder, "list")
    for card in ("by-length", "words_squared"):
        assert f"\n{card}\n  what: " in out
    assert "--longest: where the longest word stands [last]" in out


def test_what_can_not_be_loaded_is_told_and_harms_nothing_else(folder):
    out, _ = run(folder, "list", "modes")
    assert "\nbroken\n  can't be loaded: ModuleNotFoundError: No module named 'nothing_of_this_name'\n" in out
    assert "\nabsent\n  can't be loaded: ImportError: plugged_in registers no mode of this name\n" in out
    for name, fault in (("broken", "No module named 'nothing_of_this_name'"), ("absent", "registers no mode")):
        _, err = run(folder, "permute", "--mode", name, "a", status=2)
        assert err.startswith(f"the mode '{name}' of another package can't be loaded: ")
        assert fault in err
        assert err.count("\n") == 1


def test_a_study_with_a_mode_and_a_measure_of_another_package(folder):
    run(folder, "run", "study.toml", "-o", "results")
    rows = [line.split("\t") for line in (folder / "results" / "properties.tsv").read_text().splitlines()]
    squared = [row for row in rows if "words_squared" in row]
    assert len(squared) == 3
    assert all("25.0" in row for row in squared)
