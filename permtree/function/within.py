"""Accuracy from properties of word order within treebanks: least squares, with an effect for each treebank."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ..types import Floats, Ints
from .cells import NoFit, Versions, less_means

LEVEL = 0.95  # of intervals
ENOUGH_CLUSTERS = 10  # treebanks, for intervals that allow for each treebank having a function of its own
CONSTANT = 1e-9  # a property that differs less than this, of its size, does not differ
SINGULAR = 1e-6  # of a property's variation, what others must leave of it; else they determine it (VIF of a million)
EXACT = 1e-22  # squared residuals, of the squared scores, that are rounding
CLUSTERED = "clustered by treebank (jackknife), t"
CLASSICAL = "classical, t"


@dataclass(frozen=True)
class Coefficient:
    """What a property does to accuracy, the other properties being equal.

    value: points of accuracy for one unit of the property; low, high: its 95% interval; p: of the value 0.
    standardized: standard deviations of accuracy for one standard deviation of the property (within treebanks, where
    there are treebank effects). partial_r2: of the squared error that is left without the property, the share that it
    takes away; f_p: p of its (classical) F test. alone_r2: R squared within treebanks of this property alone. vif: the
    variance inflation factor, 1 if the other properties say nothing of this one. None: not defined.
    """

    name: str
    value: float
    low: float | None
    high: float | None
    p: float | None
    standardized: float
    partial_r2: float | None = None
    f_p: float | None = None
    alone_r2: float | None = None
    vif: float | None = None


@dataclass(frozen=True)
class Within:
    """A fit within treebanks: names of the properties, their slopes, and all that is said of them.

    deviation: of the residuals, in points; freedom: degrees of freedom that are left for them.
    """

    names: list[str]
    coefficients: tuple[Coefficient, ...]
    r2: float
    deviation: float
    freedom: int
    intervals: str

    @property
    def slopes(self) -> Floats:
        """[names]"""
        return np.array([coefficient.value for coefficient in self.coefficients])


def independent(columns: Floats, whole: Floats, names: Sequence[str], room: int) -> tuple[list[str], dict[str, str]]:
    """The names of columns [V, names] that differ and aren't determined by those before them, and why others aren't.

    columns: what effects (or the mean) leave of `whole`; room: how many columns at most can differ independently.
    """
    chosen: list[int] = []
    left_out = {}
    for number, name in enumerate(names):
        column, size = columns[:, number], float(np.abs(whole[:, number]).max(initial=0))
        if float(np.ptp(whole[:, number])) <= CONSTANT * size:
            left_out[name] = "has the same value everywhere"
        elif float(np.abs(column).max()) <= CONSTANT * size:
            left_out[name] = "does not differ between the orders of a treebank, so that the treebanks determine it"
        elif len(chosen) == room:
            left_out[name] = f"only {room} coefficients can be told apart in so few treebanks and orders"
        elif _rest(column, columns[:, chosen]) < SINGULAR:
            before = ", ".join(names[other] for other in chosen)
            left_out[name] = f"is determined by {before} in these treebanks and orders"
        else:
            chosen.append(number)
    return [names[number] for number in chosen], left_out


def _rest(column: Floats, others: Floats) -> float:
    """The share of a column's squares that others don't explain."""
    if not others.shape[1]:
        return 1.0
    others = others / np.linalg.norm(others, axis=0)
    rest = column - others @ np.linalg.lstsq(others, column, rcond=None)[0]
    return float(rest @ rest / (column @ column))


def fit_within(versions: Versions, names: Sequence[str]) -> tuple[Within, dict[str, str]]:
    """Fit the properties that can be told apart; also returns why others are left out. Raises NoFit."""
    n_versions, n_treebanks = len(versions.score), len(np.unique(versions.treebank))
    room = n_versions - n_treebanks
    if not room:
        raise NoFit("no treebank has two orders")
    whole = versions.matrix(names)
    group = np.unique(versions.treebank, return_inverse=True)[1]
    kept, left_out = independent(less_means(whole, group), whole, names, room)
    score = less_means(versions.score, group)
    if not kept:
        raise NoFit("no property of order can be fitted (see left_out)", left_out)
    if room - len(kept) < 1:
        needed = f"{n_treebanks} treebank effects and {len(kept)} properties, and one more to see an error"
        raise NoFit(f"too few: {n_versions} versions (treebank x order) for {needed}", left_out)
    if float(score @ score) <= EXACT * float(versions.score @ versions.score):
        raise NoFit("accuracy does not differ between the orders of a treebank", left_out)
    return _least_squares(score, less_means(versions.matrix(kept), group), group, kept, versions.score), left_out


def slopes(versions: Versions, names: Sequence[str]) -> Floats | None:
    """The slopes alone, [names]; None where these versions can't tell all of them."""
    group = np.unique(versions.treebank, return_inverse=True)[1]
    whole = versions.matrix(names)
    columns = less_means(whole, group)
    if independent(columns, whole, names, len(names))[0] != list(names):
        return None
    size = np.linalg.norm(columns, axis=0)
    return np.linalg.lstsq(columns / size, less_means(versions.score, group), rcond=None)[0] / size


def _least_squares(score: Floats, columns: Floats, group: Ints, names: list[str], whole: Floats) -> Within:
    """score [V] and columns [V, K] are what treebank effects leave; whole: the scores themselves."""
    from statsmodels.regression.linear_model import OLS

    freedom = len(score) - int(group.max()) - 1 - len(names)
    size = np.sqrt(np.mean(columns**2, axis=0))
    fitted = OLS(score, columns / size).fit()
    error = float(fitted.ssr)
    exact = error <= EXACT * float(whole @ whole)
    value = fitted.params / size
    inverse = np.diag(np.asarray(fitted.normalized_cov_params))
    deviation = np.zeros(len(names)) if exact else np.sqrt(error / freedom * inverse) / size
    added = fitted.params**2 / inverse  # squared error without each property, less the error with it
    coefficients = _with_intervals(
        [
            Coefficient(
                name,
                float(value[number]),
                None,
                None,
                None,
                float(fitted.params[number] / np.sqrt(np.mean(score**2))),
                partial_r2=None if exact else float(added[number] / (added[number] + error)),
                f_p=None if exact else _f_p(float(added[number] / (error / freedom)), freedom),
                alone_r2=float(np.corrcoef(columns[:, number], score)[0, 1] ** 2),
                vif=float(inverse[number] * len(score)),
            )
            for number, name in enumerate(names)
        ],
        deviation,
        freedom,
        exact,
    )
    r2 = 1.0 if exact else 1 - error / float(score @ score)
    spread = 0.0 if exact else float(np.sqrt(error / freedom))
    return Within(names, coefficients, r2, spread, freedom, CLASSICAL)


def _f_p(statistic: float, freedom: int) -> float:
    from scipy.stats import f

    return float(f.sf(statistic, 1, freedom))


def _with_intervals(
    coefficients: Sequence[Coefficient], deviation: Floats, freedom: int, exact: bool = False
) -> tuple[Coefficient, ...]:
    """The same with t intervals and p; exact: values without error have an interval of one point and no p."""
    found = []
    for coefficient, spread in zip(coefficients, deviation.tolist(), strict=True):
        low, high, p = t_interval(coefficient.value, spread, freedom)
        found.append(replace(coefficient, low=low, high=high, p=None if exact else p))
    return tuple(found)


def t_interval(value: float, deviation: float, freedom: int) -> tuple[float, float, float | None]:
    """The 95% interval of a value by Student's t, and p of the value 0."""
    from scipy.stats import t

    reach = float(t.ppf((1 + LEVEL) / 2, freedom)) * deviation
    p = float(2 * t.sf(abs(value) / deviation, freedom)) if deviation else None
    return value - reach, value + reach, p


def clustered(fit: Within, without: Sequence[Floats | None]) -> Within:
    """The same fit with intervals that hold also if errors within a treebank go together, as they do where treebanks
    have slopes of their own: deviations by the jackknife over treebanks, and t.

    without: the slopes without each treebank in turn. Usual cluster-robust deviations are too small with few clusters;
    the jackknife's (CV3 of MacKinnon, Nielsen & Webb 2023, Journal of Applied Econometrics 38(5)) are not. The same
    fit, if a treebank can't be left out or the fit is exact.
    """
    known = [slope for slope in without if slope is not None]
    if len(known) < len(without) or fit.deviation == 0:
        return fit
    moved = np.stack(known) - fit.slopes
    deviation = np.sqrt((len(known) - 1) / len(known) * np.sum(moved**2, axis=0))
    found: Any = _with_intervals(fit.coefficients, deviation, len(known) - 1)
    return replace(fit, coefficients=found, intervals=CLUSTERED)
