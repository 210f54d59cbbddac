"""The reference values: small trees exactly, real treebanks to six decimals through the command line."""

from __future__ import annotations

import csv
from fractions import Fraction

import pytest
from commandline import measured, permtree
from definitions import n_optimal_orders, n_projective_orders

from permtree import Treebank, measure, permute

LAL = {"dl_total": "D", "dl_min_total": "Dmin_projective", "dl_min_unrestricted": "Dmin", "crossings": "crossings"}
EXPECTED = {"dl_expected_projective": "E_projective", "dl_expected": "E_any"}
UNKNOWN = "."
PAPER = ("--profile", "gulordava-merlo-2016")

TREEBANKS = ["de_gsd", "tr_imst"]
TREEBANKS += [
    pytest.param(name, marks=pytest.mark.long) for name in ("fr_sequoia", "la_cicero", "la_vulgate", "en_ewt")
]


def table(path) -> dict[str, dict[str, str]]:
    with open(path, encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file, delimiter="\t"))
    return {next(iter(row.values())): row for row in rows}


@pytest.fixture(scope="module")
def small_trees(shared):
    return table(shared / "reference" / "trees.tsv")


def heads_of(row) -> list[int]:
    return [int(head) for head in row["heads"].split()]


def test_small_trees(small_trees):
    """Sums of integers are equal; expectations are thirds and sixths, and equal the nearest floating-point number."""
    assert len(small_trees) == 14
    for name, row in small_trees.items():
        result = measure(Treebank.from_heads([heads_of(row)]), *LAL, *EXPECTED, profile="lal")
        for measure_name, column in (LAL | EXPECTED).items():
            if row[column] != UNKNOWN:
                assert result[measure_name].value == float(Fraction(row[column])), (name, measure_name)


def test_small_trees_number_of_orders(small_trees):
    for name, row in small_trees.items():
        assert n_projective_orders(heads_of(row)) == int(row["n_projective_orders"]), name
        if len(heads_of(row)) < 10:
            result = measure(Treebank.from_heads([heads_of(row)]), "optimal_orders_log2", profile="lal")
            assert round(2 ** result["optimal_orders_log2"].value) == n_optimal_orders(heads_of(row)), name


@pytest.mark.parametrize(("kind", "least_of"), [("omega", "Dmin"), ("omega_pooled", "Dmin_projective")])
def test_small_trees_omega(small_trees, kind, least_of):
    for name, row in small_trees.items():
        if row[least_of] == UNKNOWN:
            continue
        expected, observed, least = (Fraction(row[column]) for column in ("E_any", "D", least_of))
        value = measure(Treebank.from_heads([heads_of(row)]), kind, profile="lal")[kind].value
        if expected == least:
            assert value != value, name  # nan
        else:
            assert value == pytest.approx(float((expected - observed) / (expected - least)), rel=1e-14), name


def test_small_trees_pooled(small_trees):
    rows = [row for row in small_trees.values() if UNKNOWN not in (row["Dmin_projective"], row["Dmin"])]
    result = measure(Treebank.from_heads(map(heads_of, rows)), *LAL, "omega", "omega_pooled", profile="lal")
    for name, column in LAL.items():
        assert result[name].value == sum(int(row[column]) for row in rows)
    expected, observed, least = (
        sum(Fraction(row[column]) for row in rows) for column in ("E_any", "D", "Dmin_projective")
    )
    assert result["omega_pooled"].value == pytest.approx(float((expected - observed) / (expected - least)), rel=1e-14)
    single = [[Fraction(row[column]) for column in ("E_any", "D", "Dmin")] for row in rows if len(heads_of(row)) > 2]
    mean = sum((expected - observed) / (expected - least) for expected, observed, least in single) / len(single)
    assert result["omega"].value == pytest.approx(float(mean), rel=1e-14)


@pytest.mark.parametrize("name", TREEBANKS)
def test_real_treebanks(shared, name):
    row = table(shared / "reference" / "measures.tsv")[name]
    path = shared / "treebanks" / name / row["file"]

    def shown(result, measure_name="dlm_ratio"):
        return f"{result['measures'][measure_name]['value']:.6f}"

    default = measured(*PAPER, path)
    for count in ("sentences", "words", "kept_sentences", "kept_words"):
        assert default[count] == int(row[count])
    assert shown(default) == row["dlm_ratio"]
    assert shown(default, "arc_direction_entropy") == row["entropy_nats"]
    assert shown(measured(*PAPER, "--length", "span", path)) == row["dlm_ratio_span"]
    assert shown(measured(*PAPER, "--length", "distance", path)) == row["dlm_ratio_distance"]
    branching = permtree("permute", "--mode", "rb", *PAPER, path).out
    assert shown(measured(*PAPER, stdin=branching)) == row["lbrb_dlm_ratio"]
    totals = measured("--profile", "lal", "--measure", "dl_total", "--measure", "dl_min_total", path)
    assert totals["measures"]["dl_total"]["value"] == int(row["D_total_all_words"])
    assert totals["measures"]["dl_min_total"]["value"] == int(row["Dmin_total_all_words"])


@pytest.mark.parametrize(("name", "longest", "percent"), [("la_cicero", 60, 91.5), ("la_vulgate", 1000, 97.0)])
def test_ceiling_of_projective_parsers(shared, name, longest, percent):
    """Of texts for which another program found it; of any projective order it is 100."""
    treebank = Treebank.read(shared / "treebanks" / name / f"{name}.test.conll")
    some = treebank.select_sentences(treebank.sentence_length <= longest)
    assert round(measure(some, "projective_ceiling", profile="lal")["projective_ceiling"].value, 1) == percent
    for mode in ("projectivize", "rb", "optdl"):
        assert measure(permute(some, mode), "projective_ceiling", profile="lal")["projective_ceiling"].value == 100
