"""`permtree report`: where it writes, in which formats, and what it says where it can't."""

from __future__ import annotations

import json
import re
import shutil
import sys
from pathlib import Path

import pytest
from commandline import Done, files_in, permtree
from reported_study import reported_study

from permtree.document.document import ReportDocument
from permtree.document.formats import FORMATS, rendered_report
from permtree.document.html import html_report
from permtree.report.building import report_of
from permtree.study.results import read_results

FAST = ("--resamples", "5", "--sentences", "2")


@pytest.fixture(scope="module")
def report() -> ReportDocument:
    return report_of(read_results(reported_study()), 5, 2)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A copy of the results."""
    return shutil.copytree(reported_study(), tmp_path / "study.results")


def run(*arguments: str | Path, status: int = 0) -> Done:
    """Run `permtree report`."""
    return permtree("report", *arguments, status=status)


def test_html_lies_in_the_folder(folder, report):
    before = files_in(folder)
    done = permtree("report", folder, *FAST, process=True)
    assert (done.out, done.lines) == (b"", [str(folder / "report.html")])
    assert files_in(folder) == sorted([*before, "report.html"])
    page = (folder / "report.html").read_text(encoding="utf-8")
    assert page == html_report(report)  # to the byte, in another process
    data = re.search(r'<script type="application/json" id="browser-data">(.*?)</script>', page, re.DOTALL)
    labels = {tuple(label[1:]) for label in json.loads(data[1])["labels"]}
    assert labels == {("original", "right"), ("lb", "right")}


@pytest.mark.long
@pytest.mark.parametrize("style", FORMATS)
def test_texts_go_to_standard_output(folder, report, style):
    before = files_in(folder)
    done = run(folder, "--format", style, *FAST)
    assert done.out.decode() == rendered_report(report, style)
    assert (done.lines, files_in(folder)) == ([], before)


def test_output(folder, tmp_path):
    page = tmp_path / "page.html"
    assert run(folder, "-o", page, "--quiet", *FAST).lines == []
    assert run(folder, "-o", "-", *FAST).out == page.read_bytes()
    assert "report.html" not in files_in(folder)
    text = tmp_path / "report.md"
    assert run(folder, "-o", text, "--format", "markdown", *FAST).lines == [str(text)]
    assert text.read_bytes().startswith(b"# Study study\n")


def test_an_output_that_can_not_be_written(folder, tmp_path):
    done = run(folder, "-o", tmp_path / "nowhere" / "page.html", *FAST, status=2)
    assert len(done.lines) == 1 and "nowhere" in done.err


def test_what_is_no_folder_of_results(tmp_path):
    (tmp_path / "file").touch()
    faults = {"nowhere": "no such folder", "": "no results.sqlite in it", "file": "is a file"}
    for name, what in faults.items():
        done = run(tmp_path / name, status=2)
        assert done.lines == [f"{tmp_path / name}: {what}: name a folder of results that `permtree run` wrote"]
    (tmp_path / "results.sqlite").write_bytes(b"no database at all, but long enough to be looked at" * 20)
    done = run(tmp_path, status=2)
    assert len(done.lines) == 1 and "`permtree run` makes it again" in done.err


def test_predictions_that_are_gone(folder):
    """Tables that need no predictions aren't worth a report that looks whole."""
    path = next(folder.glob("cells/**/predicted.conllu.gz"))
    for other in folder.glob("cells/**/predicted.conllu.gz"):
        other.unlink()
    before = files_in(folder)
    done = run(folder, *FAST, status=2)
    assert len(done.lines) == 1
    assert re.fullmatch(r".*predict.*: No such file or directory; `permtree run` computes it again\n", done.err)
    assert files_in(folder) == before and not path.exists()


def test_without_jinja2_there_is_no_page_but_text(folder, monkeypatch):
    monkeypatch.setitem(sys.modules, "jinja2", None)
    before = files_in(folder)
    done = run(folder, *FAST, status=2)
    assert len(done.lines) == 1 and "Jinja2" in done.err and "pip install 'permtree[report]'" in done.err
    assert files_in(folder) == before
    assert run(folder, "--format", "markdown", *FAST).out.startswith(b"# Study")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [(["--resamples", "0"], "--resamples"), (["--sentences", "-1"], "--sentences"), (["--format", "docx"], "--format")],
)
def test_wrong_options(arguments, said):
    done = run("nowhere", *arguments, status=2)
    assert len(done.lines) == 1 and said in done.err
