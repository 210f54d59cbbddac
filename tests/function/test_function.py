"""The function f: against least squares by hand, on simulated studies with a known f, and where nothing can be said."""

from __future__ import annotations

import sys
from dataclasses import asdict

import numpy as np
import pytest
from scipy import stats

import permtree
from permtree import UsageError
from permtree.function import ORDER_PROPERTIES, TREEBANK_PROPERTIES, fit
from permtree.function.between import fit_between
from permtree.function.cells import read_cells, versions_of
from permtree.function.errors import slopes_without
from permtree.function.within import CLASSICAL, CLUSTERED, clustered, fit_within

pytest.importorskip("statsmodels")
pytestmark = pytest.mark.filterwarnings("error")

MEANS = {  # of the four properties of order, roughly as orders have them
    "original": (1.19, 0.27, 0.35, 0.05),
    "optdl": (1.00, 0.59, 0.50, 0.00),
    "rb": (1.17, 0.00, 0.10, 0.00),
    "random": (1.60, 0.60, 0.60, 0.30),
    "majority": (1.25, 0.05, 0.30, 0.04),
}
SPREAD = 0.08
TRUE = np.array([-6.0, -15.0, -5.0, -8.0])
TRUE_OF_TREEBANK = np.array([-0.3, 2.0])


def study(seed, n_treebanks, parsers=("a", "b"), seeds=1, peculiar=1.0, noise=0.3, slopes=0.0, orders=tuple(MEANS)):
    """Rows of a simulated study whose f is TRUE.

    peculiar: the standard deviation of what a version has of its own, whatever the parser; noise: of single rows;
    slopes: of the function of each treebank, as a share of TRUE.
    """
    random = np.random.default_rng(seed)
    rows = []
    for number in range(n_treebanks):
        of_treebank = np.array([random.uniform(10, 25), random.uniform(4, 5.5)])
        level = 80 + 3 * random.normal() + of_treebank @ TRUE_OF_TREEBANK
        own = TRUE * (1 + slopes * random.normal(size=4))
        for order in orders:
            values = np.array(MEANS[order]) + SPREAD * random.random(4)
            score = level + values @ own + peculiar * random.normal()
            for place, parser in enumerate(parsers):
                for run in range(seeds):
                    uas = score + 2 * place + noise * random.normal()
                    names = {"treebank": f"t{number:02}", "order": order, "parser": parser, "seed": run}
                    numbers = dict(zip(ORDER_PROPERTIES, values.tolist(), strict=True))
                    sizes = {"mean_sentence_length": of_treebank[0], "training_words": 10 ** of_treebank[1]}
                    rows.append({**names, "uas": uas, "las": uas - 4, **numbers, **sizes})
    return rows


def one_hot(rows, *keys):
    names = [tuple(row[key] for key in keys) for row in rows]
    return np.array([[name == known for known in sorted(set(names))] for name in names], float)


def column(rows, name):
    return np.array([row[name] for row in rows])


def residual(design, score):
    return score - design @ np.linalg.lstsq(design, score, rcond=None)[0]


def squares(design, score):
    left = residual(design, score)
    return left @ left


def version_rows(rows):
    """The naive version: parser effects by least squares with dummies, taken off, then the mean of each version."""
    versions, parsers = one_hot(rows, "treebank", "order"), one_hot(rows, "parser")
    solution = np.linalg.lstsq(np.hstack([versions, parsers]), column(rows, "uas"), rcond=None)[0]
    effects = solution[versions.shape[1] :] - solution[versions.shape[1] :].mean()
    result = []
    for key in sorted({(row["treebank"], row["order"]) for row in rows}):
        own = [row for row in rows if (row["treebank"], row["order"]) == key]
        left = [row["uas"] - effects[sorted({row["parser"] for row in rows}).index(row["parser"])] for row in own]
        result.append({**own[0], "uas": np.mean(left)})
    return result


def naive(rows):
    """Slopes, and all that is said of them, by least squares with dummies for treebanks on versions."""
    rows = version_rows(rows)
    treebanks, score = one_hot(rows, "treebank"), column(rows, "uas")
    columns = np.stack([column(rows, name) for name in ORDER_PROPERTIES], axis=1)
    design = np.hstack([columns, treebanks])
    slopes = np.linalg.lstsq(design, score, rcond=None)[0][:4]
    error, freedom = squares(design, score), len(rows) - design.shape[1]
    deviation = np.sqrt(error / freedom * np.diag(np.linalg.pinv(design.T @ design))[:4])
    found = {"slopes": slopes, "deviation": deviation, "freedom": freedom}
    effects_alone = squares(treebanks, score)
    found["r2"] = 1 - error / effects_alone
    for number in range(4):
        without = squares(np.delete(design, number, axis=1), score)
        statistic = (without - error) / (error / freedom)
        alone = squares(np.hstack([columns[:, [number]], treebanks]), score)
        others = np.delete(design, number, axis=1)
        explained = 1 - squares(others, columns[:, number]) / squares(treebanks, columns[:, number])
        within = (residual(treebanks, columns[:, number]).std(), residual(treebanks, score).std())
        found[ORDER_PROPERTIES[number]] = {
            "standardized": slopes[number] * within[0] / within[1],
            "partial_r2": (without - error) / without,
            "f_p": stats.f.sf(statistic, 1, freedom),
            "alone_r2": 1 - alone / effects_alone,
            "vif": 1 / (1 - explained),
        }
    return found


def values(function):
    return np.array([one.value for one in function.coefficients])


def same_as_naive(function, expected):
    assert values(function) == pytest.approx(expected["slopes"])
    assert function.r2_within == pytest.approx(expected["r2"])
    assert function.within.freedom == expected["freedom"]
    for one in function.coefficients:
        for name, value in expected[one.name].items():
            assert getattr(one, name) == pytest.approx(value, rel=1e-6, abs=1e-12), (one.name, name)


@pytest.mark.parametrize("seed", range(4))
def test_against_least_squares_by_hand(seed):
    rows = study(seed, 4, parsers=("a", "b", "c"))
    function, expected = fit(rows), naive(rows)
    same_as_naive(function, expected)
    assert function.within.intervals == CLASSICAL
    reach = stats.t.ppf(0.975, expected["freedom"]) * expected["deviation"]
    p = 2 * stats.t.sf(np.abs(expected["slopes"]) / expected["deviation"], expected["freedom"])
    for number, one in enumerate(function.coefficients):
        assert (one.low, one.high) == pytest.approx((one.value - reach[number], one.value + reach[number]))
        assert one.p == pytest.approx(p[number])
        assert one.p == pytest.approx(one.f_p)  # of one coefficient, t and F test are the same
    assert (function.cells, function.versions, function.treebanks, function.orders) == (60, 20, 4, 5)
    assert list(function.parsers) == ["a", "b", "c"]
    assert sum(function.parsers.values()) == pytest.approx(0)
    assert function.formula.startswith("uas = treebank + parser ")
    assert f"{abs(one.value):.4g} nonprojective_arcs" in function.formula


def test_same_slopes_as_a_fit_over_cells_with_parser_effects():
    rows = study(1, 5, parsers=("a", "b", "c"))
    columns = np.stack([column(rows, name) for name in ORDER_PROPERTIES], axis=1)
    design = np.hstack([columns, one_hot(rows, "treebank"), one_hot(rows, "parser")])
    assert values(fit(rows)) == pytest.approx(np.linalg.lstsq(design, column(rows, "uas"), rcond=None)[0][:4])


def test_missing_cells():
    whole = study(2, 5, parsers=("a", "b", "c"))
    rows = [row for number, row in enumerate(whole) if number % 7]
    function = fit(rows)
    same_as_naive(function, naive(rows))
    assert any(note.startswith(f"{len(whole) - len(rows)} cells are missing") for note in function.notes)


def test_intervals_by_the_jackknife_over_treebanks():
    rows = study(3, 10)
    function, expected = fit(rows, treebank_properties=()), naive(rows)
    same_as_naive(function, expected)
    assert function.within.intervals == CLUSTERED
    without = [naive([row for row in rows if row["treebank"] != f"t{number:02}"])["slopes"] for number in range(10)]
    deviation = np.sqrt(0.9 * np.sum((np.stack(without) - expected["slopes"]) ** 2, axis=0))
    reach = stats.t.ppf(0.975, 9) * deviation
    assert [one.low for one in function.coefficients] == pytest.approx(expected["slopes"] - reach)
    assert [one.high for one in function.coefficients] == pytest.approx(expected["slopes"] + reach)


def test_a_parser_run_twice_is_no_new_evidence():
    rows = study(4, 4, parsers=("a",))
    again = [{**row, "parser": "b", "uas": row["uas"] + 1.5} for row in rows]
    once, twice = fit(rows), fit(rows + again)
    for first, second in zip(once.coefficients, twice.coefficients, strict=True):
        assert list(asdict(first).values())[1:] == pytest.approx(list(asdict(second).values())[1:])
    assert twice.parsers == pytest.approx({"a": -0.75, "b": 0.75})


def test_the_order_of_rows_plays_no_part():
    rows = study(5, 4, seeds=2)
    shuffled = [rows[place] for place in np.random.default_rng(0).permutation(len(rows))]
    assert str(fit(rows)) == str(fit(shuffled))


def test_seeds_are_averaged():
    rows = study(6, 4, seeds=3)[:-1]  # the last cell has a seed less
    merged = {}
    for row in rows:
        merged.setdefault((row["treebank"], row["order"], row["parser"]), []).append(row)
    means = [{**own[0], "uas": np.mean([row["uas"] for row in own])} for own in merged.values()]
    function = fit(rows)
    assert values(function) == pytest.approx(values(fit(means)))
    assert (function.seeds, function.rows, function.cells) == ((2, 3), 119, 40)


def test_las():
    rows = [{**row, "las": 2 * row["uas"]} for row in study(7, 4)]
    assert values(fit(rows, "las")) == pytest.approx(2 * values(fit(rows)))


def covered(fits, truth):
    return np.mean([[one.low <= true <= one.high for one, true in zip(own, truth, strict=True)] for own in fits])


def read(rows, names=ORDER_PROPERTIES):
    return read_cells(rows, "uas", names)[0]


@pytest.mark.long
def test_intervals_hold_the_truth_as_often_as_they_say():
    fits = []
    for seed in range(400):
        cells = read(study([1, seed], 4, parsers=("a", "b", "c")))
        fits.append(fit_within(versions_of(cells), ORDER_PROPERTIES)[0].coefficients)
    assert covered(fits, TRUE) == pytest.approx(0.95, abs=0.015)


@pytest.mark.long
def test_clustered_intervals_hold_the_truth_where_treebanks_have_slopes_of_their_own():
    fits = []
    for seed in range(150):
        cells = read(study([2, seed], 12, parsers=("a",), slopes=0.5))
        within = fit_within(versions_of(cells), ORDER_PROPERTIES)[0]
        within = clustered(within, [slopes_without(cells, treebank, ORDER_PROPERTIES) for treebank in range(12)])
        fits.append(within.coefficients)
    assert covered(fits, TRUE) == pytest.approx(0.95, abs=0.03)


@pytest.mark.long
def test_mixed_model_holds_the_truth():
    rows_of = [study([3, seed], 12, parsers=("a",)) for seed in range(60)]
    names = (*ORDER_PROPERTIES, "mean_sentence_length", "log10_training_words")
    fits = []
    for rows in rows_of:
        rows = [{**row, "log10_training_words": np.log10(row["training_words"])} for row in rows]
        fits.append(fit_between(versions_of(read(rows, names)), names[:4], names[4:])[0].coefficients)
    truth = [*TRUE, *TRUE_OF_TREEBANK]
    assert covered(fits, truth) == pytest.approx(0.95, abs=0.03)
    of_treebanks = [own[4:] for own in fits]
    assert covered(of_treebanks, TRUE_OF_TREEBANK) == pytest.approx(0.95, abs=0.05)


def restricted_likelihood(ratio, design, score, groups):
    """Twice the negative restricted log likelihood of a random intercept, and the slopes, by matrices as they stand."""
    covariance = np.eye(len(score)) + ratio * (groups @ groups.T)
    inverse = np.linalg.inv(covariance)
    information = design.T @ inverse @ design
    slopes = np.linalg.solve(information, design.T @ inverse @ score)
    left = score - design @ slopes
    freedom = len(score) - design.shape[1]
    variance = left @ inverse @ left / freedom
    whole = freedom * np.log(variance) + np.linalg.slogdet(covariance)[1] + np.linalg.slogdet(information)[1]
    return whole, slopes, variance, np.sqrt(variance * np.diag(np.linalg.inv(information)))


def test_mixed_model_against_restricted_likelihood_by_hand():
    from scipy.optimize import minimize_scalar

    rows = study(8, 9)
    averaged = version_rows(rows)
    score, groups = column(averaged, "uas"), one_hot(averaged, "treebank")
    names = [*ORDER_PROPERTIES, "mean_sentence_length", "training_words"]
    design = np.stack([np.ones(len(score)), *(column(averaged, name) for name in names)], axis=1)
    design[:, -1] = np.log10(design[:, -1])
    best = minimize_scalar(lambda log: restricted_likelihood(np.exp(log), design, score, groups)[0], bounds=(-5, 8))
    _, slopes, variance, deviation = restricted_likelihood(np.exp(best.x), design, score, groups)
    between = fit(rows).between
    assert between.names == [*ORDER_PROPERTIES, "mean_sentence_length", "log10_training_words"]
    assert between.intercept == pytest.approx(slopes[0], rel=1e-3)
    assert [one.value for one in between.coefficients] == pytest.approx(slopes[1:], rel=1e-3)
    assert between.error == pytest.approx(np.sqrt(variance), rel=1e-3)
    assert between.between == pytest.approx(np.sqrt(variance * np.exp(best.x)), rel=1e-3)
    freedom = [len(score) - 9 - 4] * 4 + [9 - 1 - 2] * 2
    low = slopes[1:] - stats.t.ppf(0.975, freedom) * deviation[1:]
    assert [one.low for one in between.coefficients] == pytest.approx(low, rel=2e-3)


def test_errors_of_changes_in_treebanks_left_out_by_a_plain_loop():
    rows = [row for number, row in enumerate(study(9, 5, seeds=2)) if number not in (14, 15, 33, 34, 35)]
    rows.append({**rows[0], "order": "only here"})
    cells = {}
    for row in rows:
        cells.setdefault((row["treebank"], row["order"], row["parser"]), []).append(row)
    cells = {key: {**own[0], "uas": np.mean([row["uas"] for row in own])} for key, own in cells.items()}
    changes = {
        (treebank, order, parser): row["uas"] - cells[treebank, "original", parser]["uas"]
        for (treebank, order, parser), row in cells.items()
        if order != "original" and (treebank, "original", parser) in cells
    }
    errors, without_peer = [], 0
    for (treebank, order, parser), change in changes.items():
        peers = [other for key, other in changes.items() if key[0] != treebank and key[1:] == (order, parser)]
        if not peers:
            without_peer += 1
            continue
        slopes = naive([row for key, row in cells.items() if key[0] != treebank])["slopes"]
        origin = cells[treebank, "original", parser]
        here = cells[treebank, order, parser]
        guess = sum(b * (here[name] - origin[name]) for b, name in zip(slopes, ORDER_PROPERTIES, strict=True))
        errors.append((abs(guess - change), abs(change), abs(np.mean(peers) - change)))
    found = fit(rows).change_errors
    assert (found.changes, found.treebanks, found.without_peer) == (len(errors), 5, without_peer)
    assert without_peer == 1
    assert (found.function, found.no_change, found.mean_change) == pytest.approx(np.mean(errors, axis=0))


@pytest.mark.long
def test_errors_of_accuracy_in_treebanks_left_out():
    rows = study(10, 9)
    function = fit(rows)
    errors = []
    for number in range(9):
        others = [row for row in rows if row["treebank"] != f"t{number:02}"]
        left = [row for row in rows if row["treebank"] == f"t{number:02}"]
        prepared = [{**row, "log10": np.log10(row["training_words"])} for row in others]
        names = (*ORDER_PROPERTIES, "mean_sentence_length", "log10")
        model = fit_between(versions_of(read(prepared, names)), names[:4], names[4:], least=8)[0]
        effects = fit(others).parsers
        for row in left:
            effect = effects[row["parser"]]
            x = [*(row[name] for name in names[:5]), np.log10(row["training_words"])]
            guess = model.intercept + sum(one.value * v for one, v in zip(model.coefficients, x, strict=True)) + effect
            alike = [o["uas"] for o in others if (o["order"], o["parser"]) == (row["order"], row["parser"])]
            errors.append((abs(guess - row["uas"]), abs(np.mean(alike) - row["uas"])))
    found = function.accuracy_errors
    assert (found.cells, found.treebanks, found.without_peer) == (90, 9, 0)
    assert (found.function, found.mean_accuracy) == pytest.approx(np.mean(errors, axis=0))


@pytest.mark.long
def test_without_noise_the_function_is_found_exactly():
    function = fit(study(11, 4, peculiar=0, noise=0))
    assert values(function) == pytest.approx(TRUE)
    assert function.r2_within == 1
    assert all(
        (one.low, one.high, one.p, one.f_p) == (one.value, one.value, None, None) for one in function.coefficients
    )
    assert function.change_errors.function == pytest.approx(0, abs=1e-9)
    assert any("exactly" in note for note in function.notes)
    many = fit(study(11, 12, peculiar=0, noise=0))
    assert values(many) == pytest.approx(TRUE)
    assert many.within.deviation == 0


def test_one_treebank():
    function = fit(study(12, 1))
    assert function.within is None
    assert function.reason.startswith("too few: 5 versions")
    assert function.coefficients == ()
    assert (function.formula, function.r2_within, function.between) == ("", None, None)
    only = fit(study(12, 1), order_properties=["dlm_ratio"])
    assert [one.name for one in only.coefficients] == ["dlm_ratio"]
    assert only.within.freedom == 3
    assert only.change_errors is None and any("at least 3" in note for note in only.notes)


def test_one_order():
    function = fit(study(13, 12, orders=("original",)))
    assert function.reason == function.reason_between == "no treebank has two orders"


def test_two_treebanks_in_two_orders():
    function = fit(study(14, 2, orders=("original", "rb")))
    assert function.reason.startswith("too few: 4 versions")
    assert "only 2 coefficients" in function.left_out["sibling_order_entropy"]
    assert "only 2 coefficients" in function.left_out["nonprojective_arcs"]


def test_treebanks_in_one_order_are_named_and_change_nothing():
    rows = study(15, 4)
    alone = [{**row, "treebank": "lonely"} for row in rows if (row["treebank"], row["order"]) == ("t00", "original")]
    function = fit(rows + alone)
    assert function.coefficients == fit(rows).coefficients
    assert any(note.endswith(": lonely") for note in function.notes)


def test_properties_that_do_not_vary_are_left_out_with_the_reason():
    rows = [{**row, "nonprojective_arcs": 0.0} for row in study(16, 4)]
    for row in rows:
        row["sibling_order_entropy"] = int(row["treebank"][1:]) / 10
    function = fit(rows)
    assert [one.name for one in function.coefficients] == ["dlm_ratio", "arc_direction_entropy"]
    assert function.left_out["nonprojective_arcs"] == "has the same value everywhere"
    assert "does not differ between the orders" in function.left_out["sibling_order_entropy"]
    assert set(function.left_out) == {*ORDER_PROPERTIES[2:], "mean_sentence_length", "log10_training_words"}
    assert all(
        "8 on; these are 4" in function.left_out[name] for name in ("mean_sentence_length", "log10_training_words")
    )


def test_collinear_properties_are_left_out_with_the_reason():
    rows = study(17, 9)
    for row in rows:
        row["nonprojective_arcs"] = 2 * row["dlm_ratio"] - row["arc_direction_entropy"] + int(row["treebank"][1:])
        row["training_words"] = 10 ** (row["mean_sentence_length"] / 10)
    function = fit(rows)
    assert "determined by dlm_ratio, arc_direction_entropy" in function.left_out["nonprojective_arcs"]
    assert "mean_sentence_length" in function.left_out["log10_training_words"]
    assert function.between.names == [*ORDER_PROPERTIES[:3], "mean_sentence_length"]


def test_nearly_collinear_properties_stay_and_are_named():
    rows = study(18, 4)
    random = np.random.default_rng(0)
    for version in range(0, len(rows), 2):
        value = rows[version]["dlm_ratio"] + 0.001 * random.normal()
        rows[version]["nonprojective_arcs"] = rows[version + 1]["nonprojective_arcs"] = value
    function = fit(rows)
    same_as_naive(function, naive(rows))
    assert min(function.coefficients[0].vif, function.coefficients[3].vif) > 1000
    assert any("VIF" in note and "nonprojective_arcs" in note for note in function.notes)


def test_a_property_that_no_row_has_is_left_out_and_a_row_without_one_too():
    rows = [{**row, "sibling_order_entropy": None} for row in study(19, 4)]
    for row in rows:
        del row["mean_sentence_length"]
    rows[3]["uas"] = None
    rows[8]["uas"] = float("nan")
    rows[11]["dlm_ratio"] = float("nan")
    function = fit(rows)
    assert (
        function.left_out["sibling_order_entropy"] == function.left_out["mean_sentence_length"] == "no row has a value"
    )
    assert (function.rows, function.rows_left_out, function.cells) == (40, 3, 37)
    assert function.notes[0].startswith("3 of 40 rows left out")
    kept = [row for number, row in enumerate(rows) if number not in (3, 8, 11)]
    assert function.coefficients == fit(kept).coefficients


@pytest.mark.parametrize("rows", [[], [{**row, "uas": None} for row in study(20, 2)]], ids=["none", "no score"])
def test_no_rows(rows):
    function = fit(rows)
    assert function.reason and function.coefficients == ()
    assert function.rows_left_out == len(rows)


def test_orders_measured_on_other_sentences_are_named():
    rows = study(28, 4)
    assert not any("other sentences" in note for note in fit(rows).notes)
    rows[4]["mean_sentence_length"] *= 1.05
    (note,) = [note for note in fit(rows).notes if "other sentences" in note]
    assert note.startswith("mean_sentence_length differs between the orders of t00:")


def test_accuracy_that_does_not_differ():
    function = fit([{**row, "uas": 80.0 + int(row["treebank"][1:])} for row in study(21, 4)])
    assert function.reason == "accuracy does not differ between the orders of a treebank"


def test_parsers_that_share_nothing_are_not_fitted_together():
    rows = [row for row in study(22, 4) if (row["parser"] == "a") == (row["order"] in ("original", "rb"))]
    assert "fit them apart" in fit(rows).reason


def test_treebanks_that_do_not_differ_besides_their_properties():
    rows = study(23, 10, parsers=("a",))
    random = np.random.default_rng(23)
    for row in rows:
        row["uas"] = 80 + 5 * row["dlm_ratio"] + 0.1 * row["mean_sentence_length"] + random.normal()
    function = fit(rows)
    assert function.between is None or function.between.between < 0.6
    assert function.between or function.reason_between


def test_two_rows_of_one_seed_are_an_error():
    rows = study(24, 3)
    with pytest.raises(UsageError, match="two rows for t00 original a with seed 0: give each seed once"):
        fit([*rows, rows[0]])


def test_unknown_score():
    with pytest.raises(UsageError, match="score 'clas'; known: uas, las"):
        fit([], "clas")


def test_without_statsmodels(monkeypatch):
    monkeypatch.setitem(sys.modules, "statsmodels", None)
    with pytest.raises(UsageError, match=r"pip install 'permtree\[report\]'"):
        fit(study(25, 3))


def test_nothing_is_written(capfd):
    for n_treebanks in (1, 2, 9):
        fit(study(26, n_treebanks))
    assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize("extra", [(), (20,)], ids=["all", "one treebank apart"])
def test_units(extra):
    """A property in other units: the slope follows, and nothing else moves."""
    rows = study(27, 10 if extra else 4)
    scaled = [{**row, "dlm_ratio": 1000 * row["dlm_ratio"] - 7} for row in rows]
    first, second = fit(rows, treebank_properties=()), fit(scaled, treebank_properties=())
    assert second.coefficients[0].value == pytest.approx(first.coefficients[0].value / 1000)
    assert second.coefficients[0].p == pytest.approx(first.coefficients[0].p)
    assert second.change_errors.function == pytest.approx(first.change_errors.function)


def measured_rows(treebanks):
    """Rows of a small real study: two baselines on four orders."""
    for name, (train, test) in treebanks.items():
        for mode in ("original", "optdl", "rb", "random"):
            versions = [permtree.permute(part, mode) for part in (train, test)]
            measures = (*ORDER_PROPERTIES, "mean_sentence_length")
            properties = {
                key: value.value for key, value in permtree.measure(versions[0], *measures, profile="lal").items()
            }
            for parser in ("left", "majority-offset"):
                found = permtree.evaluate(versions[1], permtree.train(parser, versions[0]).predict(versions[1])).values
                scores = {"uas": found["uas"].value, "las": found["las"].value}
                names = {"treebank": name, "order": mode, "parser": parser, "seed": 0}
                yield {**names, **scores, **properties, "training_words": versions[0].n_words}


@pytest.mark.long
def test_real_treebanks(shared):
    folder = shared / "treebanks"
    treebanks = {
        name: [permtree.Treebank.read(str(folder / name / f"{name}-ud-{part}.conllu")) for part in ("dev", "test")]
        for name in ("tr_imst", "fr_sequoia", "nl_alpino")
    }
    rows = list(measured_rows(treebanks))
    function = fit(rows)
    same_as_naive(function, naive(rows))
    assert set(function.left_out) == {"log10_training_words", *TREEBANK_PROPERTIES} - {"training_words"}
    assert function.change_errors.changes == 18
