"""The function f of a study in a report: its coefficients, what each property adds, and how far it can be trusted."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

from ..document.document import CellValue, Claim, ClaimVerdict, Figure, Paragraphs, Section, Table
from ..document.figures import Interval, intervals
from ..errors import UsageError
from ..function import HIGH_VIF, ORDER_PROPERTIES, Function, fit
from ..function.within import Coefficient
from ..study.results import Results
from .notes import DLM, ENTROPY
from .verdicts import verdict

TITLE = "The function f: accuracy from properties of word order"


def function_rows(results: Results) -> list[dict[str, Any]]:
    """A row for each treebank, order, parser and seed, as `permtree.function.fit` takes them."""
    rows = []
    for run in results.runs:
        place = run["treebank"], run["order"]
        measured = results.properties.get(place, {})
        names = (*ORDER_PROPERTIES, "mean_sentence_length")
        properties = {name: measured.get(name) for name in names}
        rows.append({**run, **properties, "training_words": measured.get("kept_words")})
    return rows


class Functions(NamedTuple):
    """The fits of a study by score, uas and las, or why there are none; base: the order from which changes are told."""

    found: dict[str, Function]
    reason: str
    base: str


def functions(results: Results) -> Functions:
    """Fit f for UAS and for LAS."""
    rows, base = function_rows(results), results.study["baseline"]
    try:
        return Functions({score: fit(rows, score, original=base) for score in ("uas", "las")}, "", base)
    except UsageError as error:
        return Functions({}, str(error), base)


def function_claims(functions: Functions) -> list[Claim]:
    """That entropy weighs more than length, for UAS and for LAS."""
    text = "In the function f, entropy weighs more than length"
    theirs = "f is left open; LB and RB, without entropy, gain more UAS than OptDL, of minimal length"
    note = (
        "Coefficients in standard deviations, with 95% intervals, within treebanks. Came back: entropy's is negative, "
        "and its whole interval is farther from 0 than the DLM ratio's coefficient. Did not: the DLM ratio's interval "
        "is farther from 0 than entropy's coefficient, or entropy's interval lies above 0. Can't be said: neither, no "
        f"fit of both, or a VIF above {HIGH_VIF:g}."
    )
    return [
        Claim(f"{text} ({score.upper()}).", theirs, *_weighed(functions.found.get(score)), note)
        for score in ("uas", "las")
    ]


def _weighed(found: Function | None) -> tuple[str, ClaimVerdict]:
    coefficients = {one.name: one for one in found.coefficients} if found else {}
    if found is None or not {DLM, ENTROPY} <= set(coefficients):
        return "no fit of both", verdict(None)
    entropy, length = coefficients[ENTROPY], coefficients[DLM]
    ours = f"entropy {_weight(entropy)}, DLM ratio {_weight(length)}; {found.treebanks} treebanks"
    if max(entropy.vif or math.inf, length.vif or math.inf) > HIGH_VIF:
        return ours, verdict(None)
    if entropy.value < 0 and abs(length.standardized) < _at_least(entropy):
        return ours, verdict(True)
    easier = entropy.value > 0 and _at_least(entropy) > 0
    return ours, verdict(False if easier or abs(entropy.standardized) < _at_least(length) else None)


def _at_least(one: Coefficient) -> float:
    """The least size of a standardized coefficient within its interval."""
    low, high = (_scaled(one, value) for value in (one.low, one.high))
    return min(abs(low), abs(high)) if low * high > 0 else 0.0


def _weight(one: Coefficient) -> str:
    low, high = (_scaled(one, value) for value in (one.low, one.high))
    vif = "n/a" if one.vif is None else f"{one.vif:.1f}"
    return f"{one.standardized:.2f} [{low:.2f}, {high:.2f}], VIF {vif}"


def function_sections(functions: Functions) -> list[Section]:
    """A text, a table and a figure for UAS and for LAS."""
    if functions.reason:
        return [Paragraphs("function", TITLE, [functions.reason])]
    sections: list[Section] = []
    for score, found in functions.found.items():
        title = f"{TITLE} ({score.upper()})"
        sections.append(Paragraphs(f"function-{score}", title, _paragraphs(found, functions.base)))
        for name, fitted in (("within", found.within), ("between", found.between)):
            if fitted is not None:
                sections += _coefficients(f"function-{score}-{name}", f"{title}, {name} treebanks", fitted.coefficients)
    return sections


def _paragraphs(found: Function, base: str) -> list[str]:
    cells = f"{found.cells} cells (treebank, order, parser) of {found.treebanks} treebanks"
    lines = [f"{cells}; {found.rows} rows, {found.rows_left_out} left out."]
    if found.within:
        fitted = f"{found.formula}. R² within treebanks: {found.within.r2:.3f}."
        lines.append(f"{fitted} Intervals: {found.within.intervals}.")
    else:
        lines.append(f"Not fitted: {found.reason}.")
    if not found.between:
        lines.append(f"No fit between treebanks: {found.reason_between}.")
    lines += [f"Left out: {name}: {why}." for name, why in found.left_out.items()]
    return lines + _errors(found, base) + [f"Note: {note}." for note in found.notes]


def _errors(found: Function, base: str) -> list[str]:
    """How far predictions for a treebank that was left out of the fit are off."""
    lines = []
    if change := found.change_errors:
        lines.append(
            f"Leaving one treebank out, {change.changes} changes from the order {base} are predicted with a mean "
            f"absolute error of {change.function:.2f} points by f, {change.no_change:.2f} by no change at all, and "
            f"{change.mean_change:.2f} by the mean change of the same order in the other treebanks."
            f"{_without_peer(change.without_peer)}"
        )
    if accuracy := found.accuracy_errors:
        lines.append(
            f"Leaving one treebank out, {accuracy.cells} accuracies are predicted with a mean absolute error of "
            f"{accuracy.function:.2f} points by the fit between treebanks, and {accuracy.mean_accuracy:.2f} by the "
            f"mean of the other treebanks.{_without_peer(accuracy.without_peer)}"
        )
    return lines


def _without_peer(count: int) -> str:
    return f" Left out, since no other treebank has this order and parser: {count}." if count else ""


def _coefficients(name: str, title: str, found: tuple[Coefficient, ...]) -> list[Section]:
    header = ["property", "points per unit", "low", "high", "p", "standardized"]
    header += ["partial R²", "p of F", "R² alone", "VIF"]
    rows: list[list[CellValue]] = []
    for one in found:
        adds = [one.partial_r2, one.f_p, one.alone_r2, one.vif]
        rows.append([one.name, one.value, one.low, one.high, one.p, one.standardized, *adds])
    note = (
        "Points of accuracy for one unit of the property, the others being equal, with 95% interval. partial R²: of "
        "the error that is left without the property, the share that it takes away. VIF: 1 if the others say nothing "
        "of it."
    )
    shares = [Interval(one.name, *(_scaled(one, value) for value in (one.value, one.low, one.high))) for one in found]
    label = "standard deviations of accuracy per standard deviation of the property"
    behind: list[list[CellValue]] = [[one.name, one.value, one.low, one.high] for one in shares]
    numbers = Table(f"{name}-plot-data", title, ["property", "standardized", "low", "high"], behind, digits=3)
    below = "The coefficients of the table, standardized, with 95% intervals. Open dot: the interval holds 0."
    figure = Figure(f"{name}-plot", f"{title}, standardized", intervals(shares, label), below, numbers)
    return [Table(name, title, header, rows, note, digits=3), figure]


def _scaled(one: Coefficient, value: float | None) -> float:
    """A value in the unit of the standardized coefficient; nan where there is none."""
    return math.nan if value is None or not one.value else value * one.standardized / one.value
