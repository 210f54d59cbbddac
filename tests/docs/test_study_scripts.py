"""Each script of experiments/ that reads results of a study runs on them, in all formats, and says what it should."""

from __future__ import annotations

import runpy
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import pytest
from commandline import files_in
from places import EXPERIMENTS as FOLDER
from reported_study import reported_study
from speed import first_is_quick

from permtree.document.formats import FORMATS


class Said(NamedTuple):
    """What a script wrote."""

    out: str
    err: str


# Of each script: what it must say
SCRIPTS = {
    "table1.py": ["## Table 1: the treebanks in their original order", "1.18 (1.26)"],
    "table2.py": ["## Table 2: the artificial orders", "## All properties", "(0.61)"],
    "table3.py": [
        "## Table 3: UAS/LAS of left",
        "## Table 3: UAS/LAS of mine (majority-offset)",
        "All permuted versions are easier than the original on average (mine).",
        "## How sure the differences are",
    ],
    "length_or_entropy.py": ["In the function f, entropy weighs more than length (UAS).", "Not fitted|points per unit"],
    "shorter_dependencies.py": [
        "UAS(RB) - UAS(original) grows with DL(original) - DL(RB) (left).",
        "## What differences of sentences go with",
        "## Accuracy by arc length",
        "## Accuracy by sentence length",
    ],
    "left_or_right.py": [
        "LAS(LB) - LAS(RB) grows with the branching factor (mine).",
        "One-word dependents of one head get confused",
        "In Spanish RB is easier than LB",
        "## One-word dependents, before and after their head",
    ],
}


@pytest.fixture
def script(capsys, monkeypatch) -> Callable[..., Said]:
    """Run a script in this process, as `python experiments/NAME` does."""

    def run(name: str, *arguments: str | Path, status: int = 0) -> Said:
        monkeypatch.setattr(sys, "argv", [str(FOLDER / name), *map(str, arguments)])
        monkeypatch.syspath_prepend(str(FOLDER))
        found: object = 0
        try:
            runpy.run_path(str(FOLDER / name), run_name="__main__")
        except SystemExit as end:
            found = end.code or 0
        said = Said(*capsys.readouterr())
        assert found == status, said.err
        return said

    return run


def test_all_scripts_are_tested():
    others = {"orders_table.py", "sections.py", "figures.py"}
    assert {path.name for path in FOLDER.glob("*.py")} == {*SCRIPTS, *others}


@pytest.mark.parametrize("name", first_is_quick(list(SCRIPTS), 2))
def test_what_a_script_says(script, name):
    done = script(name, reported_study())
    assert done.err == ""
    title, question = done.out.split("\n\n")[:2]
    assert title == "# Study study"
    assert question == " ".join((FOLDER / name).read_text(encoding="utf-8").split('"""')[1].split("\n\n")[0].split())
    for part in SCRIPTS[name]:
        assert any(one in done.out for one in part.split("|"))
    assert "drawn in the HTML report" not in done.out


@pytest.mark.parametrize(
    ("name", "style"), [("table1.py", style) for style in FORMATS] + [("left_or_right.py", "latex")]
)
def test_formats_of_scripts(script, name, style):
    done = script(name, reported_study(), "--format", style)
    assert {"markdown": "## ", "tsv": "\t", "latex": r"\begin{table}"}[style] in done.out
    assert "Study study" in done.out


def test_figures(script, tmp_path):
    names = ["figure1-left", "figure1-mine", "figure2-left", "figure2-mine", "dose-dose-uas", "dose-dose-las"]
    drawn = script("figures.py", reported_study(), tmp_path / "drawn")
    assert [line.partition(": ")[0] for line in drawn.out.splitlines()] == [
        str(tmp_path / "drawn" / f"{name}.svg") for name in names
    ]
    assert files_in(tmp_path / "drawn") == sorted(f"{name}.svg" for name in names)
    assert all((tmp_path / "drawn" / f"{name}.svg").read_text(encoding="utf-8").startswith("<") for name in names)
    (tmp_path / "file").touch()
    assert len(script("figures.py", reported_study(), tmp_path / "file", status=2).err.splitlines()) == 1
    assert "python experiments/figures.py STUDY.results FOLDER" in script("figures.py", status=2).err


@pytest.mark.parametrize("name", ["table1.py", "left_or_right.py", "figures.py"])
def test_a_folder_without_results(script, name, tmp_path):
    done = script(name, tmp_path, *([tmp_path / "drawn"] if name == "figures.py" else []), status=2)
    assert done.err == f"{tmp_path}: no results.sqlite in it: name a folder of results that `permtree run` wrote\n"
    assert done.out == ""


def test_a_script_as_a_process(script):
    """The same from anywhere, and its help."""
    command = [sys.executable, FOLDER / "table1.py"]
    done = subprocess.run([*command, reported_study()], capture_output=True, text=True, cwd="/", check=True)
    assert (done.stdout, done.stderr) == script("table1.py", reported_study())
    said = script("table1.py", "--help").out
    assert "permtree run STUDY --only measure" in said and "--format" in said
    assert script("table1.py", status=2).err.startswith("usage:")
