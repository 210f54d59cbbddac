"""The reference of studies names all keys, tables and files there are, and its example and its query work."""

from __future__ import annotations

import re
import sqlite3
from dataclasses import fields
from typing import Any

import pytest
from pages import ROOT, blocks
from studies import computed, results_in, write_study

from permtree.configuration import parse_toml
from permtree.profiles import KINDS as KINDS_OF_SETTINGS
from permtree.report.paper import paper
from permtree.study import reading
from permtree.study.definition import TreebankEntry
from permtree.study.exporting import DATABASE
from permtree.study.reading import read_study
from permtree.study.shapes import KINDS, TABLES

PAGE = "docs/studies.md"
STUDIES = sorted(path for path in (ROOT / "experiments").glob("*.toml") if path.name != "grammar_sov.toml")
SCRIPTS = sorted((ROOT / "experiments").glob("*.py"))


def section(title: str) -> str:
    """What stands under a heading, up to the next one."""
    text = (ROOT / PAGE).read_text(encoding="utf-8")
    (found,) = re.findall(rf"^#+ {re.escape(title)}\n(.*?)(?=^##)", text + "\n##", re.DOTALL | re.MULTILINE)
    return found


def rows(text: str) -> list[list[str]]:
    """The rows of all tables in a text, without headers."""
    cells = [[cell.strip() for cell in line.strip("|").split("|")] for line in text.splitlines() if line[:1] == "|"]
    return [row for row, after in zip(cells, [*cells[1:], [""]], strict=True) if "---" not in row[0] + after[0]]


def quoted(text: str) -> list[str]:
    """What stands between backticks."""
    return re.findall(r"`([^`]+)`", text)


def defaults(text: str) -> dict[str, str]:
    """By key, what the second column of a table of keys says."""
    return {key: row[1] for row in rows(text) for key in quoted(row[0])}


@pytest.mark.parametrize(
    ("title", "kind"),
    [("The file", "_Top"), ("`[treebanks.NAME]`", "TreebankEntry"), ("`[parsers.NAME]`", "_Parser")],
    ids=["top", "treebanks", "parsers"],
)
def test_every_key_with_its_default(title, kind):
    listed = defaults(section(title))
    known: dict[str, Any] = {one.name: one.default for one in fields(getattr(reading, kind))}
    beside = {"pairs"} if kind == "_Top" else {"settings"} if kind == "_Parser" else set()
    assert set(listed) == set(known) | beside
    known |= {"measures": ()} if kind == "_Top" else {}  # those that are always measured are named in words
    for key, default in known.items():
        if listed[key] in ("none", "the name"):
            assert not default
        else:
            value = parse_toml(f"key = {listed[key].strip('`')}")["key"]
            assert (tuple(value) if isinstance(value, list) else value) == default, key


def test_every_policy_and_key_of_orders():
    policies = section("The file").partition("`[policies]`")[2]
    assert {one.name for kind in KINDS_OF_SETTINGS for one in fields(kind)} <= set(quoted(policies))
    assert {"mode", "seed"} <= set(quoted(section("`[orders.NAME]`")))


def test_measures_that_are_always_there():
    (row,) = [row for row in rows(section("The file")) if row[0] == "`measures`"]
    assert tuple(quoted(row[2])) == reading.PROPERTIES


def test_every_code_of_the_paper():
    (row,) = [row for row in rows(section("`[treebanks.NAME]`")) if row[0] == "`paper`"]
    assert set(quoted(row[2])) == set(paper())


def test_the_example_is_a_study(tmp_path):
    path = tmp_path / "example.toml"
    (example,) = blocks(PAGE, "toml")
    path.write_text(example, encoding="utf-8")
    study = read_study(path)
    assert [name for name in study.orders if name.startswith("dose")][:2] == ["dose-p=0", "dose-p=0.25"]
    assert study.orders["dose-p=0.25"].dial == 0.25
    assert study.parsers["small-steps"].config.swap
    assert study.profile.policies.punct == "strip"
    assert isinstance(study.treebanks["herodotus"], TreebankEntry)


def test_every_kind_of_cell():
    assert tuple(row[0] for row in rows(section("Cells"))) == KINDS


def test_tables_and_columns():
    found = {}
    for row in rows(section("The results folder")):
        (name, *others), columns = quoted(row[0]), quoted(row[1])
        if not others and name in TABLES:
            found[name] = columns
    assert found == {name: list(columns) for name, columns in TABLES.items()}


def test_every_file_of_a_results_folder(tmp_path):
    computed(write_study(tmp_path / "study"), tmp_path / "study.results")
    known = {name for row in rows(section("The results folder")) for cell in row for name in quoted(cell)}
    made = {path.relative_to(tmp_path / "study.results").as_posix() for path in tmp_path.glob("study.results/*")}
    assert made - {"cells"} <= {name.removesuffix("/") for name in known}
    for name in results_in(tmp_path / "study.results"):
        if name.startswith("cells/"):
            kind, label, file = name.split("/")[1:4]
            place = "TREEBANK.ORDER.PARSER.SEED" if label.count(".") == 3 else "TREEBANK.ORDER"
            assert f"cells/{kind}/{place}-HASH/" in known
            assert file in known | {"permtree.json", "model.json"}  # as `permtree train` writes them


def test_the_query(tmp_path):
    path = write_study(tmp_path / "study", "seeds = [1, 2]")
    computed(path, tmp_path / "results")
    (query,) = blocks(PAGE, "sql")
    database = sqlite3.connect(tmp_path / "results" / DATABASE)
    gains = {row[:3]: row[3] for row in database.execute(query)}
    scores = {
        row[:4]: row[4]
        for row in database.execute("SELECT treebank, parser, word_order, seed, value FROM scores WHERE score = 'uas'")
    }
    database.close()
    expected = {}
    for parser in ("left", "random-tree"):
        changes = [scores["fluvi", parser, "majority", s] - scores["fluvi", parser, "original", s] for s in (1, 2)]
        expected["fluvi", parser, "majority"] = pytest.approx(sum(changes) / 2, abs=0.051)
    assert gains == expected


@pytest.mark.parametrize("path", STUDIES, ids=lambda path: path.stem)
def test_studies_that_come_with_permtree(path):
    study = read_study(path)
    assert study.question
    named = [name for row in rows(section("Studies and scripts that come with permtree")) for name in quoted(row[0])]
    assert f"experiments/{path.name}" in named
    codes = {entry.paper for entry in study.treebanks.values() if entry.paper}
    assert codes <= set(paper())


@pytest.mark.parametrize("path", SCRIPTS, ids=lambda path: path.stem)
def test_scripts_that_come_with_permtree(path):
    assert path.name in section("Studies and scripts that come with permtree")
