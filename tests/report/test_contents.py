"""What a report says: its cells are the numbers that other commands print for the same files, its notes are true."""

from __future__ import annotations

import gzip
import json
import math
from dataclasses import replace
from pathlib import Path
from statistics import fmean, stdev

import pytest
from commandline import measured, permtree
from made_results import CONVENTIONS, made
from reported_study import ORDERS, reported_study

from permtree.document.document import Claims, Paragraphs, ReportDocument, Table
from permtree.report.analyses import Analyses
from permtree.report.building import report_of
from permtree.report.pair_tables import browser, correlation_table, group_tables, one_word_table, significance_table
from permtree.report.plots import dose_figures, paper_figures
from permtree.report.tables import (
    gain,
    order_of,
    parts_table,
    properties_table,
    scores_table,
    table_1,
    table_2,
    table_3,
)
from permtree.study.results import Results, read_results

RESAMPLES = 20
NAMES = {"fluvi": "fluvi (Fluvi)", "medol": "medol"}


@pytest.fixture(scope="module")
def results() -> Results:
    return read_results(reported_study())


@pytest.fixture(scope="module")
def analyses(results) -> Analyses:
    return Analyses(results, RESAMPLES, 6)


@pytest.fixture(scope="module")
def report(results) -> ReportDocument:
    return report_of(results, RESAMPLES, 4)


def file_of(results: Results, folder: Path, kind: str, part: str, *place: object) -> Path:
    """A file of a cell, unpacked."""
    treebank, order, parser, seed = (*place, None, None)[:4]
    cell = results.cells[kind, treebank, order, parser, seed]
    path = folder / f"{kind}.{part}.{'.'.join(map(str, place))}.conllu"
    path.write_bytes(gzip.decompress((results.folder / cell["folder"] / f"{part}.conllu.gz").read_bytes()))
    return path


def side(results: Results, folder: Path, *place: object) -> list[Path]:
    """Gold and predicted test part."""
    gold = file_of(results, folder, "permute", "test", *place[:2])
    return [gold, file_of(results, folder, "predict", "predicted", *place)]


def row_of(table: Table, *first: object) -> dict[str, object]:
    """The row that begins with these cells, by header."""
    (row,) = (row for row in table.rows if row[: len(first)] == list(first))
    return dict(zip(table.header, row, strict=True))


# -- properties ------------------------------------------------------------------------------------------------------


def test_properties_are_what_measure_prints(results, tmp_path):
    names = ["mean_sentence_length", "dlm_ratio", "arc_direction_entropy", "sibling_order_entropy", "branching_factor"]
    wanted = [argument for name in names for argument in ("--measure", name)]
    shown = {}
    for order in ("original", "short", "lb", "right"):
        said = measured(
            "--profile", "gulordava-merlo-2016", *wanted, file_of(results, tmp_path, "permute", "train", "fluvi", order)
        )
        row = row_of(properties_table(results), "fluvi", order)
        assert [row["kept sentences"], row["kept words"]] == [said["kept_sentences"], said["kept_words"]]
        shown[order] = {name: said["measures"][name]["value"] for name in names} | {"words": said["kept_words"]}
        assert [row[name.replace("_", " ")] for name in names] == [shown[order][name] for name in names]
    first = [cell.split(" (")[0] for cell in list(row_of(table_1(results), NAMES["fluvi"]).values())[1:5]]
    own = shown["original"]
    assert first == [
        f"{own['words'] / 1000:.1f}",
        f"{own['mean_sentence_length']:.1f}",
        f"{own['dlm_ratio']:.2f}",
        f"{own['arc_direction_entropy']:.2f}",
    ]
    second = [cell.split(" (")[0] for cell in list(row_of(table_2(results), NAMES["fluvi"]).values())[1:]]
    assert second == [f"{shown['lb']['dlm_ratio']:.2f}", f"{shown['short']['arc_direction_entropy']:.2f}"]
    assert shown["lb"]["dlm_ratio"] == pytest.approx(shown["right"]["dlm_ratio"])


def test_figures_of_the_paper_in_brackets(results):
    """Cicero's letters, in the paper's tables: 35 thousand words, 11.6 a sentence, 1.26 and 0.42; 1.15 and 0.61."""

    def in_brackets(table: Table, name: str) -> list[str]:
        return [cell.partition(" (")[2].rstrip(")") for cell in list(row_of(table, name).values())[1:5]]

    assert in_brackets(table_1(results), NAMES["fluvi"]) == ["35.0", "11.6", "1.26", "0.42"]
    assert in_brackets(table_2(results), NAMES["fluvi"]) == ["1.15", "0.61"]
    assert in_brackets(table_1(results), "medol") == [""] * 4
    assert "In brackets those of Gulordava & Merlo (2016)." in table_1(results).note


def test_figures_of_the_paper_that_were_taken_otherwise_say_so():
    properties = {("f", "original"): {"dlm_ratio": 1.2, "arc_direction_entropy": 0.3}}
    bits = ("arc_direction_entropy|unit:bits|estimator:plugin", "dlm_ratio|length:distance")
    said = "In brackets those of Gulordava & Merlo (2016)"
    table = table_1(made({"f": "fr"}, properties=properties, conventions=bits))
    assert table.note.endswith(f"DLM ratio of distances. {said}: entropy in nats, DLM ratio of spans.")
    assert table_1(made({"f": "fr"}, properties=properties)).note.endswith(f"each root. {said}.")
    assert "nats" not in table_1(made({"f": ""}, properties=properties, conventions=bits)).note


def test_trailing_zeros_of_the_paper_stay():
    properties = {("f", "lb"): {"dlm_ratio": 1.201}}
    assert table_2(made({"f": "fr"}, properties=properties)).rows == [["f", "1.20 (1.20)", "n/a (0.62)"]]


def test_a_code_that_the_paper_has_not():
    properties = {("f", "original"): {"dlm_ratio": 1.2}}
    table = table_1(made({"f": "fr_gsd"}, properties=properties))
    assert table.rows == [["f", "n/a", "n/a", "1.20", "n/a", "n/a", "n/a"]]
    assert "The paper has no treebank fr_gsd; its codes are pl, it, fi, " in table.note
    assert "In brackets" not in table.note


@pytest.mark.parametrize(
    ("conventions", "said"),
    [
        (
            CONVENTIONS,
            "entropy in nats over (relation, head UPOS, dependent UPOS); DLM ratio of spans and one more word",
        ),
        (
            (
                "arc_direction_entropy|unit:bits|estimator:nsb|punct:strip|roots:keep",
                "dlm_ratio|length:distance|punct:strip",
                "uas|convention:all",
            ),
            "entropy in bits over (relation, head UPOS, dependent UPOS), estimator nsb; DLM ratio of distances.",
        ),
        (
            ("arc_direction_entropy|unit:nats|estimator:plugin|context:deprel+head|root_arcs:True|punct:strip",),
            "entropy in nats over (relation, head UPOS), the roots' arcs among them.",
        ),
        (("dlm_ratio|length:span|punct:strip", "uas|convention:all"), "Of the training part: DLM ratio of spans."),
    ],
)
def test_notes_say_how_properties_were_taken(conventions, said):
    properties = {("one", "original"): {"dlm_ratio": 1.2}, ("one", "lb"): {"dlm_ratio": 1.2}}
    results = made(properties=properties, conventions=conventions)
    assert said in table_1(results).note
    assert said in table_2(results).note


def test_table_1_is_of_the_original_order_whatever_the_baseline():
    orders = {"short": ("optdl", {}), "text": ("original", {})}
    properties = {("one", "short"): {"dlm_ratio": 1.0}, ("one", "text"): {"dlm_ratio": 1.3}}
    assert table_1(made(orders=orders, properties=properties)).rows[0][3] == "1.30"
    without = {"short": ("optdl", {})}
    assert table_1(made(orders=without, properties=properties)).rows == []


def test_table_2_takes_either_of_the_orders_that_mirror_each_other():
    def length(**values: float) -> list[list[str]]:
        properties = {("one", order): {"dlm_ratio": value} for order, value in values.items()}
        return [row[1:] for row in table_2(made(properties=properties)).rows]

    assert length(lb=1.2, rb=1.2) == length(lb=1.2) == length(rb=1.2) == [["1.20", "n/a"]]
    assert length(original=1.2) == []


@pytest.mark.parametrize(
    ("orders", "found"),
    [
        ({"a": ("optdl", {})}, "a"),
        ({"a": ("optdl", {"ties": "alternate"})}, "a"),
        ({"a": ("optdl", {"ties": "random"})}, None),
        ({"a": ("optdl", {"ties": "random"}), "b": ("optdl", {}), "c": ("optdl", {})}, "b"),
        ({"optdl": ("mixture", {"of": "optdl", "p": 1})}, None),
        ({"optdl": ("lb", {})}, None),
    ],
)
def test_an_order_is_known_by_its_mode_and_defaults(orders, found):
    assert order_of(made(orders=orders), "optdl") == found


# -- scores ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("treebank", "parser"), [("fluvi", "mine"), ("medol", "left")])
def test_scores_are_what_evaluate_prints(results, tmp_path, treebank, parser):
    shown = {}
    for order in ("original", "lb"):
        gold, predicted = side(results, tmp_path, treebank, order, parser, 1)
        said = json.loads(permtree("evaluate", "--format", "json", gold, predicted).out)["scores"]
        shown[order] = [said[name]["value"] for name in ("uas", "las")]
        row = row_of(scores_table(results), treebank, parser, order)
        assert [row["UAS"], row["LAS"], row["seeds"]] == [*shown[order], 1]
        assert row["ΔUAS"] == pytest.approx(shown[order][0] - shown["original"][0])
        assert row["ΔLAS"] == pytest.approx(shown[order][1] - shown["original"][1])
        cell = row_of(table_3(results, parser), NAMES[treebank])[order]
        assert cell == f"{shown[order][0]:.1f}/{shown[order][1]:.1f}"


def test_table_3_names_orders_and_parsers(results):
    table = table_3(results, "mine")
    assert table.title == "Table 3: UAS/LAS of mine (majority-offset)"
    assert table_3(results, "left").title == "Table 3: UAS/LAS of left"
    orders = ["original", "short (optdl)", "lb", "right (rb)", "dose-p=0 (mixture)", "dose-p=1 (mixture)"]
    assert table.header == ["treebank", *orders]
    assert [row[0] for row in table.rows] == [*NAMES.values(), "mean of the 2 that have all orders"]
    assert table.note == (
        "UAS/LAS in percent of the test part; all words count. Final punctuation stays at the end in all orders, and "
        "counts. Seed 1. Not here: gone."
    )


@pytest.mark.parametrize(
    ("kind", "cells", "name"),
    [
        ("arc-hybrid", ["(67/59)", "(79/67)", "(88/76)", "(87/76)"], "MaltParser in Table 2"),
        ("biaffine", ["(68/54)", "(84/67)", "(89/72)", "(89/72)"], "MSTParser in Table 3"),
    ],
)
def test_figures_of_the_paper_beside_a_parser(kind, cells, name):
    """Those of Cicero's letters; orders under other names; an order with options has none."""
    orders = {
        "text": ("original", {}),
        "short": ("optdl", {}),
        "left": ("lb", {}),
        "right": ("rb", {}),
        "odd": ("rb", {"siblings": "original"}),
    }
    scores = {("c", order, "mine"): [80.0] for order in orders}
    table = table_3(made({"c": "la.C"}, orders, {"mine": kind}, scores=scores), "mine")
    assert table.rows == [["c", *(f"80.0/70.0 {cell}" for cell in cells), "80.0/70.0"]]
    assert f"In brackets {name} of Gulordava & Merlo (2016)." in table.note  # by the paper's own numbers
    plain = table_3(made({"c": "la.C"}, orders, {"mine": "left"}, scores=scores), "mine")
    assert plain.rows == [["c", *["80.0/70.0"] * 5]]
    assert "In brackets" not in plain.note


def test_means_over_treebanks_are_of_those_with_all_orders():
    own = {"a": [80, 81, 82, 83], "b": [60, 71, 82, 93], "c": [10, 10]}
    scores = {
        (name, order, "biaffine"): [uas]
        for name, values in own.items()
        for order, uas in zip(("original", "optdl", "lb", "rb"), values, strict=False)
    }
    missing = ({"kind": "evaluate", "treebank": "c", "order": "lb", "parser": "biaffine", "seed": 1},)
    table = table_3(made(["a", "b", "c", "d"], scores=scores, missing=missing), "biaffine")
    means = [f"{fmean(pair):.1f}/{fmean(pair) - 10:.1f}" for pair in zip(own["a"], own["b"], strict=True)]
    assert table.rows[2] == ["c", "10.0/0.0", "10.0/0.0", "n/a", "n/a"]
    assert table.rows[3] == ["mean of the 2 that have all orders", *means]
    assert len(table.rows) == 4  # d was never run
    assert "Seed 1, as far as they are done." in table.note


def test_several_seeds():
    """Means and sample deviations; a change is that of the seeds that both orders have."""
    scores = {("one", "original", "biaffine"): [80, 84, 100], ("one", "lb", "biaffine"): [90, 93]}
    results = made(scores=scores)
    assert "Mean over seeds 1, 2, 3." in table_3(results, "biaffine").note
    row = row_of(scores_table(results), "one", "biaffine", "lb")
    assert [row["seeds"], row["UAS"], row["sd of UAS"]] == [2, 91.5, stdev([90, 93])]
    assert row["ΔUAS"] == row["ΔLAS"] == fmean([90 - 80, 93 - 84])
    assert gain(results, "one", "biaffine", "original", "lb", "uas") == 9.5
    assert math.isnan(gain(results, "one", "biaffine", "original", "rb", "uas"))
    assert row_of(table_3(results, "biaffine"), "one")["lb"] == "91.5/81.5"
    assert math.isnan(row_of(scores_table(made(scores={("one", "lb", "biaffine"): [90]})), "one")["sd of UAS"])
    nothing = scores_table(made(scores={("one", "lb", "biaffine"): [math.nan, math.nan]}))  # no word counted
    assert math.isnan(row_of(nothing, "one")["UAS"]) and math.isnan(row_of(nothing, "one")["sd of UAS"])


def test_signatures_stand_below_the_tables_that_they_are_of(results):
    assert "uas|convention:all|permtree:" in scores_table(results).note
    note = properties_table(results).note
    assert "dlm_ratio|length:span+root|punct:exclude|roots:skip|permtree:" in note
    assert "convention:" not in note and "kept" not in note


def test_parts_are_told_as_permute_told_them(results, tmp_path):
    row = row_of(parts_table(results), "fluvi", "lb", "test")
    text = file_of(results, tmp_path, "permute", "test", "fluvi", "lb").read_text(encoding="utf-8")
    words = [line for line in text.splitlines() if line.split("\t")[0].isdigit()]
    assert [row["sentences"], row["words"]] == [text.count("# sent_id"), len(words)]
    assert row["report of the permutation"].startswith("read 30 sentences, 263 words; wrote 26 sentences")
    assert len(parts_table(results).rows) == 2 * len(ORDERS) * 2


# -- figures ---------------------------------------------------------------------------------------------------------


def test_figures_hold_what_the_axes_say(results):
    figures = {figure.name: figure for figure in paper_figures(results)}
    assert list(figures) == ["figure1-left", "figure1-mine", "figure2-left", "figure2-mine"]
    for name, order in (("figure1-mine", "short"), ("figure2-mine", "right")):
        figure = figures[name]
        table = properties_table(results)
        for treebank, x, y, value in figure.table.rows:
            first, second = row_of(table, treebank, "original"), row_of(table, treebank, order)
            assert x == first["dlm ratio"] - second["dlm ratio"]
            assert y == first["arc direction entropy"] - second["arc direction entropy"]
            scores = [row_of(scores_table(results), treebank, "mine", one)["UAS"] for one in (order, "original")]
            assert value == pytest.approx(scores[0] - scores[1])
        assert figure.note.startswith(f"T: original; T': {order}; mine. UAS of the test part. Of the training part: ")
        assert [row[0] for row in figure.table.rows] == ["fluvi", "medol"]
        assert "fluvi" in figure.svg and "gone" not in figure.svg


def test_no_figures_without_what_they_show(results):
    assert paper_figures(replace(results, orders=results.orders[1:])) == []  # no original
    assert paper_figures(replace(results, runs=())) == []
    assert paper_figures(replace(results, properties={})) == []
    assert dose_figures(replace(results, runs=())) == []


def test_figures_name_treebanks_that_lack_something(results):
    runs = tuple(run for run in results.runs if run["treebank"] != "medol")
    figure = paper_figures(replace(results, runs=runs))[0]
    assert math.isnan(figure.table.rows[1][3])
    assert "medol" in figure.svg


def test_a_dial(results):
    uas, las = dose_figures(results)
    assert (uas.name, las.name) == ("dose-dose-uas", "dose-dose-las")
    assert (uas.title, las.title) == ("UAS by p of dose", "LAS by p of dose")
    assert uas.table.header == ["treebank", "parser", "p", "seeds", "UAS", "DLM ratio", "entropy, nats"]
    assert len(uas.table.rows) == len(NAMES) * 2 * 2
    for treebank, parser, dial, seeds, value, *_ in uas.table.rows:
        assert seeds == 1
        assert value == row_of(scores_table(results), treebank, parser, f"dose-p={dial:g}")["UAS"]


def test_a_dial_is_drawn_by_its_value():
    orders = {f"x-p={p}": ("mixture", {"of": "optdl", "p": p}) for p in ("0.5", "0", "1")}
    scores = {("one", order, "biaffine"): [80 + number] for number, order in enumerate(orders)}
    results = made(orders=orders, scores=scores)
    rows = tuple({**row, "family": "x", "dial": float(row["order"].partition("=")[2])} for row in results.orders)
    other = {**rows[0], "order": "x-of=a", "dial": None}
    uas, _ = dose_figures(replace(results, orders=(*rows, other)))
    assert [row[2:5] for row in uas.table.rows] == [[0.0, 1, 81], [0.5, 1, 80], [1.0, 1, 82]]


# -- minimal pairs ---------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def analyzed(results, tmp_path_factory) -> dict:
    """What `permtree pairs` and `permtree analyze` say of fluvi, mine, original against right."""
    folder = tmp_path_factory.mktemp("pairs")
    files = [
        *side(results, folder, "fluvi", "original", "mine", 1),
        *side(results, folder, "fluvi", "right", "mine", 1),
    ]
    permtree("pairs", *files, "--names", "original", "right", "-o", folder / "pairs")
    said = permtree("analyze", "--format", "json", "--resamples", str(RESAMPLES), folder / "pairs")
    return json.loads(said.out)


PLACE = ("fluvi", "mine", "original", "right")


def test_tests_are_what_analyze_prints(analyses, analyzed):
    table = significance_table(analyses)
    for score in ("uas", "las"):
        said, row = analyzed["scores"][score], row_of(table, *PLACE, score.upper())
        assert [row["a, %"], row["b, %"], row["b - a"]] == [said["a"], said["b"], said["difference"]]
        assert [row["low"], row["high"]] == said["interval"]
        p_values = [said[name]["p_value"] for name in ("permutation", "mcnemar", "paired_t")]
        assert [row["p permutation"], row["p McNemar"], row["p t test"]] == p_values
    assert f"with {RESAMPLES} resamples p is {1 / (RESAMPLES + 1):.4f} or more" in table.note


def test_correlations_are_what_analyze_prints(analyses, analyzed):
    names = {"d_uas~d_dl": "ΔUAS ~ ΔDL", "d_las~branching": "ΔLAS ~ branching"}
    for key, name in names.items():
        said, row = analyzed["correlations"][key], row_of(correlation_table(analyses), *PLACE, name)
        assert [row["n"], row["r"], row["p of r"], row["rho"], row["p of rho"]] == [
            said[column] for column in ("n", "pearson", "pearson_p", "spearman", "spearman_p")
        ]
        assert [row["r low"], row["r high"]] == said["pearson_interval"]
        assert [row["rho low"], row["rho high"]] == said["spearman_interval"]


def test_groups_are_what_analyze_prints(analyses, analyzed):
    tables = {table.name: table for table in group_tables(analyses)}
    assert list(tables) == ["by-relation", "by-arc-length", "by-direction", "by-sentence-length"]
    for name in ("arc length", "direction", "sentence length"):
        rows = [row[4:] for row in tables[f"by-{name.replace(' ', '-')}"].rows if row[:4] == list(PLACE)]
        columns = ("label", "arcs_a", "arcs_b", "uas_a", "uas_b", "d_uas", "las_a", "las_b", "d_las")
        expected = [[group[column] for column in columns] for group in analyzed["groups"][name]]
        assert [[None if cell != cell else cell for cell in row] for row in rows] == expected
    relations = [row for row in tables["by-relation"].rows if row[:4] == list(PLACE)]
    assert len(relations) == min(15, len(analyzed["groups"]["relation"]))
    assert [row[5] for row in relations] == sorted((row[5] for row in relations), reverse=True)
    assert "left: the dependent stands before its head. Final punctuation stays" in tables["by-direction"].note


def test_one_word_dependents_are_what_analyze_prints(analyses, analyzed):
    for said in analyzed["one_word"]:
        row = row_of(one_word_table(analyses), *PLACE, f"{said['place']} it")
        assert [row["words a"], row["words b"]] == [said["words_a"], said["words_b"]]
        shown = [row[f"wrong {what} {one}, %"] for what in ("heads", "relations") for one in "ab"]
        expected = [said[f"wrong_{what}_{one}"] for what in ("heads", "labels") for one in "ab"]
        assert [None if cell != cell else cell for cell in shown] == expected


def test_the_browser_holds_what_gains_and_loses_most(analyses, results):
    found = browser(analyses, 5)
    own = [pair for pair in found.pairs if pair.label == "fluvi, mine: original → right"]
    changes = [round((pair.uas[1] - pair.uas[0]) * len(pair.words)) for pair in own]
    assert changes and all(changes) and sum(change > 0 for change in changes) <= 3
    assert sum(change < 0 for change in changes) <= 2
    whole = len(results.pairs) * 2 * (26 + 27)
    assert found.note.startswith(f"{len(found.pairs)} of {whole} pairs of sentences")
    assert browser(analyses, 0).pairs == []


# -- the whole report ------------------------------------------------------------------------------------------------


def test_sections_of_a_report(report, results):
    assert (report.title, report.question) == ("Study study", "What does a report say?")
    assert report.signature == results.study["signature"]
    names = [section.name for section in report.sections]
    assert names[:6] == ["absent", "claims", "table1", "table2", "table3-left", "table3-mine"]
    assert names[-4:] == ["browser", "scores", "properties", "parts"]
    assert len(set(names)) == len(names)
    assert "missing" not in names
    absent = report.sections[0]
    assert isinstance(absent, Paragraphs) and absent.paragraphs[0].startswith("gone: ")
    claims = report.sections[1]
    assert isinstance(claims, Claims) and len(claims.rows) == 4 + 2 * 2 + 2 + 5 * 2
    assert all(claim.note and claim.ours and claim.paper for claim in claims.rows)


def test_cells_that_are_not_done_are_named(results):
    missing = {"kind": "train", "treebank": "fluvi", "order": "lb", "parser": "mine", "seed": 2}
    waiting = {"kind": "measure", "treebank": "fluvi", "order": "lb", "parser": None, "seed": None}
    report = report_of(replace(results, missing=(missing, waiting), cells={}), RESAMPLES, 0)
    table = next(section for section in report.sections if section.name == "missing")
    assert table.rows == [["train", "fluvi", "lb", "mine", 2], ["measure", "fluvi", "lb", None, None]]


def test_a_study_of_which_nothing_is_done():
    missing = ({"kind": "permute", "treebank": "one", "order": "lb", "parser": None, "seed": None},)
    report = report_of(made(missing=missing, conventions=()), RESAMPLES, 4)
    claims = next(section for section in report.sections if isinstance(section, Claims))
    assert {claim.verdict for claim in claims.rows} == {"can't be said"}
    assert [section.name for section in report.sections if isinstance(section, Table)] == ["missing"]


def test_a_study_that_is_measured_alone(results):
    report = report_of(replace(results, runs=(), cells={}), RESAMPLES, 4)
    names = [section.name for section in report.sections]
    assert {"table1", "table2", "properties", "parts"} <= set(names)
    assert not [name for name in names if name.startswith(("table3", "figure", "dose", "browser", "significance"))]
    verdicts = {claim.text: claim.verdict for claim in report.sections[1].rows}
    assert verdicts["OptDL has a higher arc-direction entropy than the original."] == "came back"
    assert list(verdicts.values()).count("can't be said") >= len(verdicts) - 2
