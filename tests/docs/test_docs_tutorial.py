"""The tutorial: its commands run in their order and print what it shows, and what it says of results is so."""

from __future__ import annotations

import re
from html import unescape
from pathlib import Path

import pytest
from pages import ROOT, blocks, run

from permtree import analyze
from permtree.pairing.pairs import Pairs
from permtree.study.results import Results, read_results

PAGE = "docs/tutorial.md"

pytestmark = pytest.mark.long  # it trains parsers


@pytest.fixture(scope="module")
def session(pages, tmp_path_factory) -> Path:
    """The folder in which the whole page was run, its study put together from its pieces."""
    pytest.importorskip("torch")
    pytest.importorskip("statsmodels")
    folder = tmp_path_factory.mktemp("tutorial")
    (folder / "treebanks").symlink_to(ROOT / "treebanks")
    (folder / "free.toml").write_text("\n".join(blocks(PAGE, "toml")), encoding="utf-8")
    pages.are_screens(PAGE, folder)
    return folder


@pytest.fixture(scope="module")
def results(session) -> Results:
    return read_results(session / "free.results")


def test_all_is_computed(results):
    assert not results.missing
    assert len(results.runs) == 2 * 3 * 2


def test_the_finding_is_there(results):
    gain = {
        (treebank, parser): results.score(treebank, "rb", parser) - results.score(treebank, "original", parser)
        for treebank in ("fluvi", "rigan")
        for parser in ("majority-offset", "arc-hybrid")
    }
    assert (int(gain["fluvi", "majority-offset"]), int(gain["rigan", "majority-offset"])) == (21, 4)
    for treebank in ("fluvi", "rigan"):  # "some nine points": another processor may train a little otherwise
        assert gain[treebank, "arc-hybrid"] == pytest.approx(9, abs=1.5)
    cost = results.score("rigan", "original", "majority-offset") - results.score("rigan", "optdl", "majority-offset")
    assert int(cost) == 7
    for place in (("fluvi", "original"), ("rigan", "original"), ("rigan", "rb")):
        assert results.score(*place, "arc-hybrid") < results.score(*place, "majority-offset")
    for treebank in ("fluvi", "rigan"):
        original, right, shortest = (
            results.measured(treebank, order, "arc_direction_entropy") for order in ("original", "rb", "optdl")
        )
        assert right == 0 and shortest > original
        lengths = [results.measured(treebank, order, "dlm_ratio") for order in ("original", "rb")]
        assert lengths[0] == pytest.approx(lengths[1], abs=0.05)


def test_rigan_is_as_the_page_says(session):
    measured = run("permtree measure --format tsv treebanks/rigan-train.conllu", session)
    values = {line.split("\t")[0]: line.split("\t")[1] for line in measured.splitlines()}
    assert round(float(values["dlm_ratio"]), 2) == 1.36
    assert round(float(values["arc_direction_entropy"]), 3) == 0.005


def test_sections_of_the_report_are_called_as_on_the_page(session):
    report = (session / "free.results" / "report.html").read_text(encoding="utf-8")
    titles = [unescape(title) for title in re.findall(r"<h2 [^>]*>(.*?)</h2>", report)]
    page = (ROOT / PAGE).read_text(encoding="utf-8")
    rows = [line.split("|")[1] for line in page.splitlines() if line.startswith("| **")]
    named = [name.removeprefix("Accuracy by ") for row in rows for name in re.findall(r"\*\*(.*?)\*\*", row)]
    assert len(named) > 12
    for name in named:
        assert any(title.removeprefix("Accuracy by ").startswith(name) for title in titles), name


def test_a_page_without_sentences_can_be_made(session):
    run("permtree report --quiet --sentences 0 --resamples 1 free.results -o bare.html", session)
    whole, bare = ((session / name).read_text(encoding="utf-8") for name in ("free.results/report.html", "bare.html"))
    assert "fluvi-test-0026" in whole
    assert "fluvi-test-" not in bare


def test_the_pair_is_as_the_page_says(session):
    found = analyze(Pairs.read(session / "pair"))
    assert {round(own.permutation.p_value, 3) for own in found.scores.values()} == {0.001}
    drawn = run("permtree analyze pair --draw 3 --resamples 1", session)
    assert len(re.findall(r"^fluvi-test-\d+, (?:original|rb): \d+ of \d+ heads right$", drawn, re.MULTILINE)) == 6
