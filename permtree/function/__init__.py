"""The function f: how accuracy follows from properties of word order, fitted over all cells of a study.

The paper leaves f open. Properties that differ between the orders of one treebank are judged within treebanks: each
treebank has an effect of its own, so that nothing in which treebanks differ (size, annotation, genre) can pass for an
effect of order. Properties that an order doesn't change (sentence length, size) are then part of those effects; only a
comparison between treebanks can tell them, and only if there are many.

What is observed is a version, (treebank, order): its accuracy is the mean over its parsers and their seeds, each less
the parser's own effect. In a study without gaps that gives the same coefficients as a fit over single cells with
effects of parsers. But parsers of one version share whatever is peculiar to it; intervals that took each of them for a
new observation would be too narrow.

No cell tells whether an order has an effect of its own besides these properties. `change_errors` does: if the mean
change of the same order in other treebanks predicts better than f, f has missed something.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from ..errors import UsageError, missing_library
from .between import Between, fit_between
from .cells import Cells, NoFit, given, less_means, means, read_cells, versions_of
from .errors import AccuracyErrors, ChangeErrors, accuracy_errors, change_errors, slopes_without
from .within import CLASSICAL, ENOUGH_CLUSTERS, Coefficient, Within, clustered, fit_within

ORDER_PROPERTIES = ("dlm_ratio", "arc_direction_entropy", "sibling_order_entropy", "nonprojective_arcs")
TREEBANK_PROPERTIES = ("mean_sentence_length", "training_words")
LOGARITHM = {"training_words": "log10_training_words"}  # the property as it is fitted
SAME = 0.01  # by how much, of its size, a property of a treebank may differ from order to order
FEW = 10  # degrees of freedom
HIGH_VIF = 10.0


@dataclass(frozen=True)
class Function:
    """What a study says of f.

    score: uas or las. within, between: the fits, None where `reason`, `reason_between` say why there is none. left_out:
    why by property, of those that the fit within treebanks lacks (and the one between them too, if it is made).
    change_errors, accuracy_errors: see there; None where `notes` say why. parsers: what each parser's accuracy is above
    that of the average parser. seeds: the fewest and most seeds of a cell. rows_left_out: rows whose score or property
    is no number. notes: what a reader must know, a sentence each.
    """

    score: str
    rows: int
    rows_left_out: int
    cells: int
    treebanks: int
    orders: int
    versions: int
    seeds: tuple[int, int] = (0, 0)
    parsers: dict[str, float] = field(default_factory=dict)
    within: Within | None = None
    reason: str = ""
    between: Between | None = None
    reason_between: str = ""
    left_out: dict[str, str] = field(default_factory=dict)
    change_errors: ChangeErrors | None = None
    accuracy_errors: AccuracyErrors | None = None
    notes: tuple[str, ...] = ()

    @property
    def coefficients(self) -> tuple[Coefficient, ...]:
        """Of the fit within treebanks."""
        return self.within.coefficients if self.within else ()

    @property
    def r2_within(self) -> float | None:
        """The share of the variance between the orders of a treebank that f explains."""
        return self.within.r2 if self.within else None

    @property
    def formula(self) -> str:
        """The fit within treebanks as a line of text, empty if there is none."""
        if not self.within:
            return ""
        terms = [f"{'-' if one.value < 0 else '+'} {abs(one.value):.4g} {one.name}" for one in self.coefficients]
        return " ".join([f"{self.score} = treebank + parser", *terms])


def fit(
    rows: Iterable[Mapping[str, Any]],
    score: str = "uas",
    order_properties: Iterable[str] = ORDER_PROPERTIES,
    treebank_properties: Iterable[str] = TREEBANK_PROPERTIES,
    original: str = "original",
) -> Function:
    """Fit f to the rows of a study.

    rows: one for each treebank, order, parser and seed, with these four keys (seed may be missing), uas and las in
    percent, and the properties of the training part; training_words is taken as its logarithm to base 10. Properties
    that no row has are left out, and so are rows in which a score or another property is missing. original: the name of
    the order from which changes are predicted.

    Raises UsageError for a score other than uas and las, for two rows of one seed, and where statsmodels isn't
    installed. What can't be fitted is no error: the result says why.
    """
    if score not in ("uas", "las"):
        raise UsageError(f"score '{score}'; known: uas, las")
    try:
        import statsmodels.regression.linear_model  # noqa: F401
    except ImportError:
        raise missing_library("the function f", "statsmodels", "report") from None
    rows = [_with_logarithms(row) for row in rows]
    of_order, of_treebank = list(order_properties), [LOGARITHM.get(name, name) for name in treebank_properties]
    left_out = {name: "no row has a value" for name in [*of_order, *of_treebank] if not given(rows, name)}
    of_order, of_treebank = ([name for name in names if name not in left_out] for names in (of_order, of_treebank))
    cells, rows_left_out = read_cells(rows, score, [*of_order, *of_treebank])
    result = _described(score, len(rows), rows_left_out, cells, of_treebank)
    cells = _same_for_a_treebank(cells, of_treebank)
    if not len(cells):
        why = "no rows" if not rows else "no row with a score and all properties"
        return replace(result, reason=why, reason_between=why, left_out=left_out)
    return _fitted(result, cells, of_order, of_treebank, left_out, original)


def _with_logarithms(row: Mapping[str, Any]) -> Mapping[str, Any]:
    found = dict(row)
    for name, logarithm in LOGARITHM.items():
        value = found.get(name)
        found[logarithm] = float(np.log10(value)) if value is not None and value > 0 else None
    return found


def _same_for_a_treebank(cells: Cells, names: list[str]) -> Cells:
    """Properties of treebanks as their mean over its cells."""
    group = np.unique(cells.treebank, return_inverse=True)[1]
    same = {name: means(cells.values[name], group)[group] for name in names}
    return replace(cells, values={**cells.values, **same})


def _described(score: str, n_rows: int, rows_left_out: int, cells: Cells, of_treebank: list[str]) -> Function:
    versions = len({*zip(cells.treebank.tolist(), cells.order.tolist(), strict=True)})
    seeds = (int(cells.seeds.min()), int(cells.seeds.max())) if len(cells) else (0, 0)
    sizes = len(cells), len(cells.treebanks), len(cells.orders), versions
    notes = [f"{rows_left_out} of {n_rows} rows left out: a score or property is missing"] if rows_left_out else []
    for name in of_treebank:
        apart = np.abs(less_means(cells.values[name], cells.treebank)) > SAME * np.abs(cells.values[name])
        if apart.any():
            names = ", ".join(cells.treebanks[number] for number in np.unique(cells.treebank[apart]))
            why = "properties were measured on other sentences or words, and orders can't be compared by them"
            notes.append(f"{name} differs between the orders of {names}: {why}")
    return Function(score, n_rows, rows_left_out, *sizes, seeds, notes=tuple(notes))


def _fitted(
    result: Function, cells: Cells, of_order: list[str], of_treebank: list[str], left_out: dict[str, str], original: str
) -> Function:
    notes = list(result.notes)
    try:
        versions = versions_of(cells)
        parsers = dict(zip(cells.parsers, versions.parser_effects.tolist(), strict=True))
        result = replace(result, parsers=parsers)
        within, why = _within(cells, of_order, notes)
        left_out |= why
    except NoFit as reason:
        left_out |= reason.left_out
        return replace(result, reason=str(reason), reason_between=str(reason), left_out=left_out, notes=tuple(notes))
    result = replace(result, within=within)
    try:
        result = replace(result, change_errors=change_errors(cells, within.names, original))
    except NoFit as reason:
        notes.append(f"no error of changes in treebanks left out: {reason}")
    try:
        between, why = fit_between(versions, within.names, of_treebank)
        left_out |= why
    except NoFit as reason:
        left_out |= {name: f"an order does not change it, and {reason}" for name in of_treebank}
        return replace(result, reason_between=str(reason), left_out=left_out, notes=tuple(notes))
    if not between.between:
        notes.append("between treebanks: no variance of treebanks is left beside what the properties explain")
    try:
        fitted = [name for name in of_treebank if name in between.names]
        result = replace(result, accuracy_errors=accuracy_errors(cells, within.names, fitted))
    except NoFit as reason:
        notes.append(f"no error of accuracy in treebanks left out: {reason}")
    return replace(result, between=between, left_out=left_out, notes=tuple(notes))


def _within(cells: Cells, names: list[str], notes: list[str]) -> tuple[Within, dict[str, str]]:
    """The fit within treebanks that have several orders, with the intervals that their number allows."""
    code = cells.treebank * len(cells.orders) + cells.order
    n_orders = np.bincount(np.unique(code) // len(cells.orders), minlength=len(cells.treebanks))
    alone = [cells.treebanks[number] for number in np.flatnonzero(n_orders == 1)]
    if alone:
        notes.append(f"in one order only, so that they say nothing of order: {', '.join(alone)}")
    inside = cells.select(n_orders[cells.treebank] > 1)
    if not len(inside):
        raise NoFit("no treebank has two orders")
    within, left_out = fit_within(versions_of(inside), names)
    treebanks = np.unique(inside.treebank)
    if len(treebanks) >= ENOUGH_CLUSTERS:
        within = clustered(within, [slopes_without(inside, treebank, within.names) for treebank in treebanks])
        if within.intervals == CLASSICAL and within.deviation:
            notes.append("intervals are classical: without some treebank the properties can't be told apart")
    notes += _cautions(within, inside)
    return within, left_out


def _cautions(within: Within, cells: Cells) -> list[str]:
    found = []
    if within.deviation == 0:
        found.append("the properties give the accuracies exactly: there is no error to test against")
    if within.intervals == CLASSICAL and within.freedom < FEW:
        found.append(f"degrees of freedom: only {within.freedom}, so that intervals rest on errors being normal")
    high = [one.name for one in within.coefficients if one.vif is not None and one.vif > HIGH_VIF]
    if high:
        found.append(f"collinear, so that their effects can hardly be told apart (VIF above 10): {', '.join(high)}")
    versions = np.unique(cells.treebank * len(cells.orders) + cells.order)
    gaps = len(versions) * len(np.unique(cells.parser)) - len(cells)
    if gaps:
        found.append(f"{gaps} cells are missing: not every order of every treebank has every parser")
    return found
