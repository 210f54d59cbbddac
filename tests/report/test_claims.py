"""The paper's findings about treebanks, both ways: each verdict on numbers worked out by hand or by scipy."""

from __future__ import annotations

import math
import statistics
from dataclasses import replace

import numpy as np
import pytest
from made_results import CONVENTIONS, ORDERS, made
from places import SHARED
from scipy.stats import pearsonr, spearmanr

from permtree.document.document import Paragraphs
from permtree.function import Function
from permtree.function.within import Coefficient, Within
from permtree.kernels.significance import correlation
from permtree.report.claims import accuracy_claims, property_claims
from permtree.report.function_section import Functions, function_claims, function_sections, functions
from permtree.report.paper import paper, paper_parser, paper_score, paper_value
from permtree.report.verdicts import GROWS, grows, verdict

DLM, ENTROPY, CROSSING = "dlm_ratio", "arc_direction_entropy", "nonprojective_arcs"


def with_values(order: str, **values: list[float]) -> dict[tuple[str, str], dict[str, float]]:
    """Properties of treebanks t0, t1, ... in an order."""
    rows = zip(*values.values(), strict=True)
    return {(f"t{number}", order): dict(zip(values, row, strict=True)) for number, row in enumerate(rows)}


def properties_of(*parts: dict[tuple[str, str], dict[str, float]]) -> dict:
    return {place: values for part in parts for place, values in part.items()}


def claim(number: int, properties: dict, codes: dict[str, str] | None = None, **others):
    names = codes or dict.fromkeys(dict.fromkeys(treebank for treebank, _ in properties), "")
    return property_claims(made(names, properties=properties, **others))[number]


# -- the paper's own figures -----------------------------------------------------------------------------------------


def table_of_the_paper() -> list[dict[str, str]]:
    path = SHARED / "reference" / "gulordava_merlo_2016.tsv"
    if not path.is_file():
        pytest.skip(f"no {path}")
    header, *lines = [line.split("\t") for line in path.read_text(encoding="utf-8").splitlines()]
    return [dict(zip(header, line, strict=True)) for line in lines]


def test_figures_are_those_of_the_reference():
    rows = table_of_the_paper()
    assert list(paper()) == [row["treebank"] for row in rows]
    for row in rows:
        for name, value in row.items():
            if name not in ("treebank", "language"):
                assert paper_value(row["treebank"], name) == float(value)


def test_a_treebank_that_is_not_theirs_has_no_figures():
    assert math.isnan(paper_value("en-ewt", "entropy"))
    assert math.isnan(paper_score("", "biaffine", "lb", "uas"))


@pytest.mark.parametrize(
    ("kind", "mode", "uas", "las"),
    [
        ("arc-hybrid", "lb", 93, 85),
        ("arc-hybrid", "rb", 91, 73),
        ("udpipe", "original", 85, 79),
        ("biaffine", "lb", 93, 83),
        ("supar-crf", "rb", 93, 83),
        ("supar-biaffine", "optdl", 89, 78),
        ("biaffine", "random", None, None),
        ("left", "lb", None, None),
        ("someone-elses", "original", None, None),
    ],
)
def test_which_figure_stands_beside_a_parser(kind, mode, uas, las):
    """Greek New Testament; a parser that is neither transition-based nor graph-based has none beside it."""
    found = [paper_score("grc.NT", kind, mode, score) for score in ("uas", "las")]
    assert found == [uas, las] if uas else all(map(math.isnan, found))
    assert paper_parser("left") == paper_parser("someone-elses") == ""


@pytest.mark.parametrize(
    ("name", "mean", "sd"),
    [("dlm_ratio", "1.19", "0.07"), ("lbrb_dlm_ratio", "1.17", "0.02"), ("entropy", "0.26", "0.13")],
)
def test_means_that_claims_quote(name, mean, sd):
    values = [paper_value(code, name) for code in paper()]
    assert (f"{statistics.fmean(values):.2f}", f"{statistics.stdev(values):.2f}") == (mean, sd)
    quoted = [one.paper for one in property_claims(made())]
    assert any(mean in text and sd in text for text in quoted)


def test_mean_accuracies_that_claims_quote():
    def means(*names: str) -> str:
        return ", ".join(
            f"{statistics.fmean(paper_value(code, f'{name}_uas') for code in paper()):.0f}" for name in names
        )

    malt = means("malt_original", "malt_optdl", "malt_lb", "malt_rb")
    mst = means("mst_original", "mst_optdl", "mst_lbrb", "mst_lbrb")
    easier, entropy_first = accuracy_claims(made())
    assert easier.paper == f"UAS of original, OptDL, LB, RB: {malt} (MaltParser); {mst} (MSTParser)"
    assert f"{malt.removeprefix('85, ')} (MaltParser)" in entropy_first.paper
    assert f"{mst.removeprefix('84, ')} (MSTParser)" in entropy_first.paper


# -- verdicts --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("holds", "said"),
    [
        ((), "can't be said"),
        ((True, True), "came back"),
        ((True, False, None), "did not come back"),
        ((True, None), "can't be said"),
        ((None,), "can't be said"),
        ((False,), "did not come back"),
    ],
)
def test_a_verdict_over_several_treebanks(holds, said):
    assert verdict(*holds) == said


@pytest.mark.parametrize(
    ("x", "y", "theirs", "said"),
    [
        (range(10), [0, 1, 2, 3, 4, 5, 6, 7, 9, 8], 0.4, True),
        (range(10), [9, 8, 7, 6, 5, 4, 3, 2, 0, 1], 0.4, False),
        (range(10), [5, 1, 4, 2, 3, 5, 1, 4, 2, 3], 0.4, None),  # r about 0: with ten items 0.4 is as likely
        (range(200), [5, 1, 4, 2, 3] * 40, 0.4, False),  # with two hundred it is not
        (range(200), [5, 1, 4, 2, 3] * 40, 0.08, None),
        (range(210), [5, 1, 4, 2, 3] * 42, 0.13, None),  # the interval ends at 0.129: the same in two digits
        (range(210), [5, 1, 4, 2, 3] * 42, 0.14, False),
        (range(10), [1] * 10, 0.4, None),
        ([], [], 0.4, None),
        ([1], [2], 0.4, None),
        ([1, 2], [2, 3], 0.4, None),
    ],
)
def test_whether_two_values_grow_together(x, y, theirs, said):
    x, y = np.array(x, float), np.array(y, float)
    assert grows(correlation(x, y, 10), theirs) is said
    if said is not None:
        found = pearsonr(x, y)
        interval = found.confidence_interval(0.95)
        assert said == (found.statistic > 0 and found.pvalue < 0.05)
        assert said or round(interval.high, 2) < theirs


# -- properties over treebanks ---------------------------------------------------------------------------------------

TEN = [1.1, 1.2, 1.3, 1.15, 1.25, 1.12, 1.22, 1.17, 1.27, 1.31]
NOT = [0.2, 0.4, 0.1, 0.3, 0.5, 0.45, 0.15, 0.35, 0.25, 0.3]


def test_no_correlation_of_length_and_entropy_comes_back():
    found = claim(0, with_values("original", dlm_ratio=TEN, arc_direction_entropy=NOT))
    rho = spearmanr(TEN, NOT)
    assert rho.pvalue > 0.1
    assert found.verdict == "came back"
    assert found.ours == f"Spearman {rho.statistic:.2f}, p = {rho.pvalue:.3f}; 10 treebanks"


@pytest.mark.parametrize("values", [TEN[:9], TEN[:5]])
def test_few_treebanks_can_not_show_that_there_is_no_correlation(values):
    found = claim(0, with_values("original", dlm_ratio=values, arc_direction_entropy=NOT[: len(values)]))
    assert found.verdict == "can't be said"
    assert found.ours.startswith("Spearman")


@pytest.mark.parametrize("sign", [1, -1])
def test_a_correlation_of_length_and_entropy(sign):
    found = claim(0, with_values("original", dlm_ratio=TEN[:6], arc_direction_entropy=[sign * one for one in TEN[:6]]))
    assert found.verdict == "did not come back"
    assert found.ours == f"Spearman {sign:.2f}, p = 0.003; 6 treebanks"  # 2 of 720 orders


@pytest.mark.parametrize("number", [0, 1])
@pytest.mark.parametrize("values", [TEN[:4], [1.2] * 10, [math.nan] * 10])
def test_correlations_over_treebanks_that_have_none(number, values):
    given = {DLM: values, ENTROPY: NOT[: len(values)], CROSSING: NOT[: len(values)]}
    found = claim(number, with_values("original", **given))
    assert found.verdict == "can't be said"
    assert found.ours in ("4 treebanks", "10 treebanks", "0 treebanks")


def test_length_and_crossing_arcs():
    crossing = [one - 1 for one in TEN]
    assert claim(1, with_values("original", dlm_ratio=TEN, nonprojective_arcs=crossing)).verdict == "came back"
    fallen = claim(1, with_values("original", dlm_ratio=TEN, nonprojective_arcs=[-one for one in TEN]))
    assert (fallen.verdict, fallen.ours) == (
        "did not come back",
        "Pearson's r = -1.00 [-1.00, -1.00], p < 0.001; 10 treebanks",
    )
    found = pearsonr(TEN[:5], NOT[:5])
    weak = claim(1, with_values("original", dlm_ratio=TEN[:5], nonprojective_arcs=NOT[:5]))
    assert weak.verdict == "can't be said"
    low, high = found.confidence_interval(0.95)
    said = f"r = {found.statistic:.2f} [{low:.2f}, {high:.2f}], p = {found.pvalue:.3f}"
    assert weak.ours == f"Pearson's {said}; 5 treebanks"
    assert GROWS in weak.note


def test_correlations_are_of_the_original_order_alone():
    orders = {"shortest": ("optdl", {}), "text": ("original", {})}
    values = with_values("shortest", dlm_ratio=TEN, arc_direction_entropy=TEN)
    assert claim(0, values, orders=orders).verdict == "can't be said"
    values |= with_values("text", dlm_ratio=TEN, arc_direction_entropy=NOT)
    assert claim(0, values, orders=orders).verdict == "came back"


@pytest.mark.parametrize(
    ("original", "lb", "rb", "said"),
    [
        ([1.1, 1.3], [1.18, 1.2], [1.18, 1.2], "came back"),
        ([1.1, 1.3], [1.3, 1.32], [1.3, 1.32], "did not come back"),  # 0.11 of 0.2 apart
        ([1.1, 1.3], [1.09, 1.13], [1.09, 1.13], "came back"),  # 0.09
        ([1.19, 1.21], [1.1, 1.3], [1.1, 1.3], "did not come back"),  # sd
        ([1.1, 1.3], [1.18, 1.2], [math.nan, math.nan], "came back"),
        ([1.1, 1.3], [math.nan, math.nan], [1.18, 1.2], "came back"),
        ([1.1, 1.3], [1.18, math.nan], [1.18, math.nan], "can't be said"),
    ],
)
def test_length_of_branching_orders(original, lb, rb, said):
    parts = zip(("original", "lb", "rb"), (original, lb, rb), strict=True)
    found = claim(2, properties_of(*(with_values(name, dlm_ratio=values) for name, values in parts)))
    assert found.verdict == said


def test_lengths_stand_beside_those_of_the_same_treebanks():
    """A treebank of theirs in which not all is measured counts neither here nor there."""
    properties = properties_of(
        with_values("original", dlm_ratio=[1.1, 1.3, 1.2]), with_values("rb", dlm_ratio=[1.18, 1.2, math.nan])
    )
    found = claim(2, properties, {"t0": "la.V", "t1": "la.C", "t2": "fa"})
    assert found.ours == "originals 1.20 (sd 0.14), LB and RB 1.19 (sd 0.01); 2 treebanks"
    theirs = [(1.17 + 1.26) / 2, (1.18 + 1.15) / 2]
    assert found.paper.endswith(f"; {theirs[0]:.2f} and {theirs[1]:.2f} over la.V, la.C")


@pytest.mark.parametrize(
    ("optdl", "said"), [([0.6, 0.5], "came back"), ([0.6, 0.2], "did not come back"), ([], "can't be said")]
)
def test_entropy_of_the_optimal_order(optdl, said):
    properties = properties_of(
        with_values("original", arc_direction_entropy=[0.2, 0.3]), with_values("optdl", arc_direction_entropy=optdl)
    )
    found = claim(3, properties)
    assert found.verdict == said
    if len(optdl) == 2:
        mean, sd = statistics.fmean(optdl), statistics.stdev(optdl)
        assert found.ours == f"OptDL {mean:.2f} nats (sd {sd:.2f}), original 0.25 nats (sd 0.07); 2 treebanks"


def test_entropy_in_another_unit_says_so():
    properties = properties_of(
        with_values("original", arc_direction_entropy=[0.2]), with_values("optdl", arc_direction_entropy=[0.6])
    )
    bits = [one.replace("unit:nats", "unit:bits") for one in CONVENTIONS]
    found = claim(3, properties, conventions=tuple(bits))
    assert found.ours == "OptDL 0.60 bits, original 0.20 bits; 1 treebank"
    assert "0.59 nats" in found.paper


# -- accuracy by order -----------------------------------------------------------------------------------------------


def scored(**by_order: list[float]) -> dict[tuple[str, str, str], list[float]]:
    """UAS of treebanks t0, t1, ... by order, one seed."""
    rows = ((order, number, uas) for order, own in by_order.items() for number, uas in enumerate(own))
    return {(f"t{number}", order, "p"): [uas] for order, number, uas in rows}


def verdicts(**by_order: list[float]) -> list[str]:
    return [
        one.verdict for one in accuracy_claims(made(["t0", "t1"], parsers={"p": "left"}, scores=scored(**by_order)))
    ]


def test_accuracy_claims_both_ways():
    both = {"lb": [90, 92], "rb": [91, 90]}
    assert verdicts(original=[85, 80], optdl=[84, 86], **both) == ["came back", "came back"]
    assert verdicts(original=[85, 86], optdl=[84, 86], **both) == ["did not come back", "came back"]
    assert verdicts(original=[85, 80], optdl=[91, 91], **both) == ["came back", "did not come back"]
    assert verdicts(original=[85, 80], optdl=[84, 81], **both) == [
        "did not come back",
        "came back",
    ]  # equal is not above
    assert verdicts(original=[85], **both) == ["can't be said", "can't be said"]
    assert verdicts(optdl=[84], **both) == ["can't be said", "came back"]


def test_accuracy_claims_take_treebanks_with_all_orders_alone():
    scores = scored(original=[80, 99], optdl=[81], lb=[82, 10], rb=[83, 10])
    first, second = accuracy_claims(made(["t0", "t1"], parsers={"p": "biaffine"}, scores=scores))
    assert (
        first.ours
        == "UAS of original 80.0, OptDL 81.0 (higher in 1 of 1), LB 82.0 (higher in 1 of 1), RB 83.0 (higher in 1 of 1)"
    )
    assert first.text.endswith("(p).")
    assert second.ours == "UAS of OptDL 81.0, LB 82.0 (higher in 1 of 1), RB 83.0 (higher in 1 of 1)"


def test_accuracy_claims_know_orders_by_their_mode():
    orders = {
        "text": ("original", {}),
        "short": ("optdl", {"ties": "alternate"}),  # a default, given
        "odd": ("lb", {"siblings": "original"}),
        "left": ("lb", {}),
        "right": ("rb", {}),
    }
    by_order = {"text": [80.0], "short": [81.0], "odd": [1.0], "left": [85.0], "right": [86.0]}
    found = accuracy_claims(made(["t0"], orders=orders, parsers={"p": "left"}, scores=scored(**by_order)))
    assert [one.verdict for one in found] == ["came back", "came back"]
    assert "LB 85.0" in found[0].ours
    without = {name: own for name, own in orders.items() if name != "short"}
    missing = accuracy_claims(made(["t0"], orders=without, parsers={"p": "left"}, scores=scored(**by_order)))
    assert [(one.verdict, one.ours) for one in missing] == [
        ("can't be said", "no treebank with original, OptDL, LB, RB"),
        ("can't be said", "no treebank with OptDL, LB, RB"),
    ]


def test_accuracy_claims_take_the_seeds_that_all_orders_have():
    scores = {("one", order, "biaffine"): [80.0, 100.0] for order in ("original", "optdl", "rb")}
    scores["one", "lb", "biaffine"] = [81.0]
    assert [claim.ours for claim in accuracy_claims(made(scores=scores))] == [
        "UAS of original 80.0, OptDL 80.0 (higher in 0 of 1), LB 81.0 (higher in 1 of 1), RB 80.0 (higher in 0 of 1)",
        "UAS of OptDL 80.0, LB 81.0 (higher in 1 of 1), RB 80.0 (higher in 0 of 1)",
    ]


def test_accuracy_claims_take_the_mean_over_seeds():
    scores = {("one", order, "biaffine"): [80 + rise, 82 + rise] for rise, order in enumerate(ORDERS)}
    assert accuracy_claims(made(scores=scores))[0].ours.startswith("UAS of original 81.0, OptDL 82.0 (")


# -- the function f --------------------------------------------------------------------------------------------------


def weighed(entropy: tuple[float, float, float], length: tuple[float, float, float], vif: float = 2.0):
    """The claim's verdict; of each property the standardized coefficient with its interval."""

    def coefficient(name: str, values: tuple[float, float, float]) -> Coefficient:
        value, low, high = (10 * one for one in values)
        return Coefficient(name, value, low, high, 0.1, values[0], vif=vif)

    both = coefficient(DLM, length), coefficient(ENTROPY, entropy)
    found = Function("uas", 8, 0, 8, 2, 4, 8, within=Within([DLM, ENTROPY], both, 0.9, 1.0, 5, "classical, t"))
    return function_claims(Functions({"uas": found}, "", "original"))


@pytest.mark.parametrize(
    ("entropy", "length", "vif", "said"),
    [
        ((-0.9, -1.2, -0.6), (-0.4, -0.6, -0.2), 2, "came back"),
        ((-0.9, -1.2, -0.6), (0.4, 0.2, 0.6), 2, "came back"),
        ((-0.9, -1.2, -0.6), (-0.7, -0.9, -0.5), 2, "can't be said"),
        ((-0.9, -1.2, -0.6), (-0.4, -0.6, -0.2), 10.5, "can't be said"),
        ((-0.9, -2.0, 0.2), (-0.1, -0.2, 0.0), 2, "can't be said"),
        ((-0.3, -0.5, -0.1), (-0.8, -1.0, -0.6), 2, "did not come back"),
        ((0.9, 0.6, 1.2), (-0.4, -0.6, -0.2), 2, "did not come back"),
        ((0.1, -0.6, 0.8), (-0.4, -0.6, -0.05), 2, "can't be said"),
    ],
)
def test_whether_entropy_weighs_more_than_length(entropy, length, vif, said):
    uas, las = weighed(entropy, length, vif)
    assert uas.verdict == said
    shown = f"entropy {entropy[0]:.2f} [{entropy[1]:.2f}, {entropy[2]:.2f}], VIF {vif:.1f}, DLM ratio {length[0]:.2f} "
    assert uas.ours.startswith(shown)
    assert (las.verdict, las.ours) == ("can't be said", "no fit of both")


def study_of_f(entropy: float, length: float):
    """Eight treebanks in four orders, the accuracy of which follows from two properties, and a little noise."""
    random = np.random.default_rng([1])
    properties, scores = {}, {}
    for number in range(8):
        for order in ORDERS:
            values = {DLM: random.uniform(1, 1.4), ENTROPY: random.uniform(0, 0.7), "mean_sentence_length": 9 + number}
            properties[f"t{number}", order] = {**values, "kept_words": 1000 * (number + 1)}
            uas = 90 + number + entropy * values[ENTROPY] + length * values[DLM] + random.normal(0, 0.3)
            scores[f"t{number}", order, "biaffine"] = [uas]
    return made([f"t{number}" for number in range(8)], properties=properties, scores=scores)


@pytest.mark.long
@pytest.mark.parametrize(("entropy", "length", "said"), [(-20, -5, "came back"), (-2, -40, "did not come back")])
def test_the_function_of_a_study(entropy, length, said):
    pytest.importorskip("statsmodels")
    fitted = functions(study_of_f(entropy, length))
    assert [one.verdict for one in function_claims(fitted)] == [said, said]
    sections = {section.name: section for section in function_sections(fitted)}
    rows = {row[0]: row for row in sections["function-uas-within"].rows}
    assert rows[ENTROPY][1] == pytest.approx(entropy, abs=1)
    assert rows[DLM][1] == pytest.approx(length, abs=2)
    plot = sections["function-uas-within-plot"]
    behind = {row[0]: row[1:] for row in plot.table.rows}
    assert behind[ENTROPY][0] == rows[ENTROPY][5]
    assert behind[ENTROPY][1] < behind[ENTROPY][0] < behind[ENTROPY][2]
    text = " ".join(sections["function-uas"].paragraphs)
    assert ("function-uas-between" in sections) != ("No fit between treebanks" in text)
    assert "32 cells (treebank, order, parser) of 8 treebanks; 32 rows, 0 left out." in text
    assert "changes from the order original" in text


@pytest.mark.long
def test_changes_that_no_other_treebank_has_are_counted():
    pytest.importorskip("statsmodels")
    study = study_of_f(-20, -5)
    values = {**study.properties["t0", "original"], DLM: 1.1, ENTROPY: 0.2}
    alone = {"treebank": "t0", "order": "alone", "parser": "biaffine", "seed": 1, "uas": 85.0, "las": 75.0}
    for further, said in (((), False), ((alone,), True)):
        properties = {**study.properties, ("t0", "alone"): values}
        results = replace(study, properties=properties, runs=(*study.runs, *further))
        text = function_sections(functions(results))[0]
        assert isinstance(text, Paragraphs)
        line = next(line for line in text.paragraphs if "changes from the order original" in line)
        assert line.endswith(" Left out, since no other treebank has this order and parser: 1.") == said


def test_a_study_that_is_too_small_for_f():
    pytest.importorskip("statsmodels")
    fitted = functions(made(scores={("one", "original", "biaffine"): [80.0]}))
    assert {one.verdict for one in function_claims(fitted)} == {"can't be said"}
    uas, las = function_sections(fitted)
    assert any("Not fitted" in line for line in uas.paragraphs) and las.name == "function-las"
