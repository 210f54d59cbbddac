"""Results as they are read back: properties, scores, predictions of minimal pairs, and what is not there."""

from __future__ import annotations

import json
import math
import shutil
import sqlite3
from pathlib import Path

import numpy as np
import pytest
from studies import ORDERS, TREEBANK, computed, write_study

import permtree as toolkit
from permtree import UsageError
from permtree.pairing.pairs import pairs
from permtree.study.results import read_results
from permtree.treebank import Treebank

TOP = (
    "question = 'Why?'\nprofile = 'gulordava-merlo-2016'\nseeds = [1, 2]\nmeasures = ['omega']\nconvention = 'no-punct'"
)
GONE = "treebanks.gone = { train = 'no.conllu', test = 'no.conllu', optional = true, paper = 'go', language = 'Gone' }"
DOSE = "orders.dose = { mode = 'mixture', of = 'like:treebank=all.conllu', p = [0.25, 1] }"


@pytest.fixture(scope="module")
def study(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("study")
    path = write_study(folder, TOP, f"{TREEBANK}\n{GONE}", f"{ORDERS}\n{DOSE}", "parsers.left = {}")
    _, _, summary = computed(path, folder / "results")
    assert not summary.failed
    return folder


@pytest.fixture(scope="module")
def found(study):
    return read_results(study / "results")


def test_the_study(found, study):
    assert found.study["name"] == "study"
    assert (found.study["question"], found.study["baseline"]) == ("Why?", "original")
    assert found.study["text"] == (study / "study.toml").read_text(encoding="utf-8")
    assert found.study["signature"].startswith(
        "study|treebanks:2|orders:4|parsers:1|seeds:1,2|profile:gulordava-merlo-2016|"
    )
    assert "|convention:no-punct|" in found.study["signature"]
    assert [(row["treebank"], row["language"], row["paper"]) for row in found.treebanks] == [
        ("fluvi", "", ""),
        ("gone", "Gone", "go"),
    ]
    assert found.treebanks[0]["absent"] is None
    assert found.treebanks[1]["absent"] == f"{study}/no.conllu: No such file or directory"
    assert [(row["order"], row["mode"], row["family"], row["dial"]) for row in found.orders] == [
        ("original", "original", "", None),
        ("majority", "majority", "", None),
        ("dose-p=0.25", "mixture", "dose", 0.25),
        ("dose-p=1", "mixture", "dose", 1.0),
    ]
    assert json.loads(found.orders[2]["options"]) == {"of": "like:treebank=all.conllu", "p": 0.25}
    assert [(row["parser"], row["kind"], row["device"]) for row in found.parsers] == [("left", "left", "cpu")]
    assert found.seeds == (1, 2)
    assert found.pairs[0] == ("original", "majority")
    assert found.missing == ()


def test_properties(found, study):
    train = Treebank.read(str(study / "train.conllu"))
    expected = toolkit.measure(train, "dlm_ratio", "omega", "mean_sentence_length", profile="gulordava-merlo-2016")
    for name in expected:
        assert found.measured("fluvi", "original", name) == expected[name].value
    assert found.properties["fluvi", "original"]["kept_sentences"] == expected.kept_sentences
    assert found.measured("fluvi", "majority", "arc_direction_entropy") == 0
    for nothing in (("fluvi", "lb", "omega"), ("gone", "original", "omega"), ("fluvi", "original", "no")):
        assert math.isnan(found.measured(*nothing))


def test_scores(found):
    gold, predicted = found.parsed("fluvi", "original", "left", 2)
    expected = toolkit.evaluate(gold, predicted, "no-punct").values
    (run,) = (run for run in found.runs if (run["order"], run["seed"]) == ("original", 2))
    for name, score in expected.items():
        assert run[name] == score.value
    assert found.scores_by_seed("fluvi", "original", "left", "las") == [expected["las"].value] * 2
    assert found.score("fluvi", "original", "left") == expected["uas"].value
    for nothing in (("gone", "original", "left"), ("fluvi", "lb", "left"), ("fluvi", "original", "right")):
        assert math.isnan(found.score(*nothing))
        assert found.scores_by_seed(*nothing) == []


def test_the_mean_over_seeds(tmp_path: Path):
    path = write_study(tmp_path, "seeds = [1, 2, 3]", orders="orders.original = {}", parsers="parsers.random-tree = {}")
    computed(path, tmp_path / "results")
    found = read_results(tmp_path / "results")
    single = found.scores_by_seed("fluvi", "original", "random-tree", "uas")
    assert len(set(single)) > 1
    assert found.score("fluvi", "original", "random-tree") == pytest.approx(sum(single) / 3, rel=1e-15)


def test_a_pair(found):
    sides = [found.parsed("fluvi", order, "left", 1) for order in ("original", "majority")]
    expected = pairs(*sides[0], *sides[1], names=("original", "majority"), convention="no-punct", punct_tag="PUNCT")
    made = found.pair("fluvi", "left", 1, "original", "majority")
    assert (made.names, made.convention) == (expected.names, expected.convention)
    for ours, theirs in ((made.sentences, expected.sentences), (made.arcs, expected.arcs)):
        assert list(ours) == list(theirs)
        for name in ours:
            np.testing.assert_array_equal(ours[name], theirs[name], err_msg=name)
    for nothing in (
        ("gone", "left", 1, "original", "majority"), ("fluvi", "right", 1, "original", "majority"),
        ("fluvi", "left", 3, "original", "majority"), ("fluvi", "left", 1, "original", "lb"),
    ):  # fmt: skip
        assert found.pair(*nothing) is None


@pytest.mark.parametrize(
    ("convention", "tag", "expected"),
    [
        ("all", "PUNCT", ("all", "PUNCT")),
        ("no-punct", "SYM", ("no-punct", "SYM")),
        ("conll18", "SYM", ("conll18", "PUNCT")),
    ],
    ids=["all", "no-punct", "conll18"],
)
def test_pairs_are_counted_as_scores_are(convention, tag, expected, tmp_path: Path):
    top = f"convention = '{convention}'\npolicies = {{ punct_tag = '{tag}', punct = 'keep' }}"
    computed(write_study(tmp_path, top, parsers="parsers.left = {}"), tmp_path / "results")
    found = read_results(tmp_path / "results")
    made = found.pair("fluvi", "left", 0, "original", "majority")
    sides = [found.parsed("fluvi", order, "left", 0) for order in ("original", "majority")]
    names = ("original", "majority")
    again = pairs(*sides[0], *sides[1], names=names, convention=expected[0], punct_tag=expected[1])
    assert made.convention == again.convention


# -- what is not done ------------------------------------------------------------------------------------------------


def test_a_part_of_a_study(study, tmp_path: Path):
    computed(study / "study.toml", tmp_path, ["*.original.left.1", "predict"])
    found = read_results(tmp_path)
    assert found.properties == {}
    assert len(found.runs) == 1
    assert found.scores_by_seed("fluvi", "original", "left") == [found.runs[0]["uas"]]
    kinds = {(row["kind"], row["order"]) for row in found.missing}
    assert kinds >= {("measure", "original"), ("evaluate", "majority"), ("evaluate", "original")}
    assert found.pair("fluvi", "left", 1, "original", "majority") is not None  # both are predicted


def test_nothing_is_evaluated(study, tmp_path: Path):
    computed(study / "study.toml", tmp_path, ["predict"])
    found = read_results(tmp_path)
    assert found.parsed("fluvi", "original", "left", 1) is not None
    assert found.pair("fluvi", "left", 1, "original", "majority") is None
    assert math.isnan(found.score("fluvi", "original", "left"))


def test_a_score_without_words(tmp_path: Path):
    """Of a test part of which no word counts: empty in the tables, and no number."""
    top = "convention = 'unicode-punct'\npolicies = { punct = 'keep' }"
    path = write_study(tmp_path, top, orders="orders.original = {}", parsers="parsers.left = {}")
    (tmp_path / "test.conllu").write_bytes(b"1\t!\t_\tPUNCT\t_\t_\t0\troot\t_\t_\n\n")
    computed(path, tmp_path / "results")
    found = read_results(tmp_path / "results")
    assert math.isnan(found.runs[0]["uas"]) and math.isnan(found.score("fluvi", "original", "left"))
    rows = [line.split("\t") for line in (tmp_path / "results" / "scores.tsv").read_text(encoding="utf-8").splitlines()]
    assert {row[5] for row in rows[1:]} == {""}


# -- tables ----------------------------------------------------------------------------------------------------------


def test_tables_have_the_numbers_of_the_database(study):
    """To the last digit."""
    database = sqlite3.connect(study / "results" / "results.sqlite")
    for name in ("parts", "properties", "scores"):
        header, *rows = (
            line.split("\t") for line in (study / "results" / f"{name}.tsv").read_text(encoding="utf-8").splitlines()
        )
        columns = [row[1] for row in database.execute(f"PRAGMA table_info({name})")]
        assert header == columns
        stored = database.execute(f"SELECT * FROM {name}").fetchall()
        assert len(rows) == len(stored) > 0
        for row, values in zip(rows, stored, strict=True):
            for text, value in zip(row, values, strict=True):
                assert text == "" if value is None else type(value)(text) == value
                assert not isinstance(value, float) or text == repr(value)
    database.close()


def test_cells_are_where_the_database_says(found, study):
    assert len(found.cells) == 4 * (2 + 2 * 3)
    for row in found.cells.values():
        content = json.loads((study / "results" / row["folder"] / "cell.json").read_bytes())
        assert (content["key"], content["kind"]) == (row["key"], row["kind"])


# -- damage ----------------------------------------------------------------------------------------------------------


def test_no_results(tmp_path: Path):
    with pytest.raises(UsageError) as caught:
        read_results(tmp_path)
    assert str(caught.value) == (
        f"{tmp_path}: no results.sqlite in it: name a folder of results that `permtree run` wrote"
    )


@pytest.mark.parametrize("content", [b"", b"no database, but long enough for one" * 40, b"SQLite format 3\0"])
def test_a_damaged_database(content, tmp_path: Path):
    (tmp_path / "results.sqlite").write_bytes(content)
    with pytest.raises(
        UsageError, match=r"/results\.sqlite: damaged or of another version \(.*\); `permtree run` makes"
    ):
        read_results(tmp_path)


@pytest.mark.parametrize(
    "change",
    ["ALTER TABLE scores ADD COLUMN more", "DELETE FROM study", "DROP TABLE parts"],
    ids=["more", "none", "gone"],
)
def test_a_database_of_another_version(change, study, tmp_path: Path):
    shutil.copy(study / "results" / "results.sqlite", tmp_path)
    database = sqlite3.connect(tmp_path / "results.sqlite")
    database.execute(change)
    database.commit()
    database.close()
    with pytest.raises(UsageError, match=r"/results\.sqlite: damaged or of another version "):
        read_results(tmp_path)


@pytest.mark.parametrize("name", ["test.conllu.gz", "predicted.conllu.gz"])
@pytest.mark.parametrize("how", ["gone", "cut", "changed", "none"])
def test_a_damaged_prediction(how, name, study, tmp_path: Path):
    folder = tmp_path / "results"
    shutil.copytree(study / "results", folder)
    place = ("permute", None, None) if name.startswith("test") else ("predict", "left", 1)
    cell = read_results(folder).cells[place[0], "fluvi", "majority", place[1], place[2]]
    file = folder / cell["folder"] / name
    data = file.read_bytes()
    changes = {"cut": data[:-9], "changed": data[:40] + bytes([data[40] ^ 255]) + data[41:], "none": b"no gzip"}
    file.unlink() if how == "gone" else file.write_bytes(changes[how])
    with pytest.raises(UsageError, match=r"; `permtree run` computes it again$") as caught:
        read_results(folder).pair("fluvi", "left", 1, "original", "majority")
    assert str(caught.value).startswith(f"{file.parent}: ") and "\n" not in str(caught.value)
    assert read_results(folder).pair("fluvi", "left", 1, "original", "dose-p=1") is not None
