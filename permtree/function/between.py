"""Accuracy from properties of treebanks too: a mixed model in which treebanks are draws from a population."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from .cells import NoFit, Versions, less_means
from .within import Coefficient, independent, t_interval

ENOUGH_TREEBANKS = 8  # for a variance between treebanks to be told
OF_ZERO = 1e-6  # a variance between treebanks that small, of the residual one, lies on the bound of what it can be


@dataclass(frozen=True)
class Between:
    """A fit over all treebanks: accuracy = intercept + properties + treebank (a normal draw) + error.

    between, error: standard deviations in points, of the draws for treebanks and of the residuals.
    """

    intercept: float
    names: list[str]
    coefficients: tuple[Coefficient, ...]
    between: float
    error: float


def fit_between(
    versions: Versions, order_names: Sequence[str], treebank_names: Sequence[str], least: int = ENOUGH_TREEBANKS
) -> tuple[Between, dict[str, str]]:
    """Fit properties of order, and those of treebanks that can be told apart; also returns why others are left out.

    Raises NoFit where there are too few treebanks or the fit does not converge.
    """
    n_treebanks = len(np.unique(versions.treebank))
    if n_treebanks < least:
        raise NoFit(f"treebanks are compared with each other from {least} on; these are {n_treebanks}")
    names = [*order_names, *treebank_names]
    whole = versions.matrix(names)
    together = np.zeros(len(whole), np.int64)
    kept, left_out = independent(less_means(whole, together), whole, names, len(names))
    of_treebanks = [name for name in kept if name in treebank_names]
    # as usual where groups are few: what differs between treebanks is judged by their number, what differs within
    # them by the number of versions (Pinheiro & Bates 2000, Mixed-Effects Models in S and S-PLUS, section 2.4.2)
    freedom = {name: len(whole) - n_treebanks - len(kept) + len(of_treebanks) for name in kept}
    freedom |= {name: n_treebanks - 1 - len(of_treebanks) for name in of_treebanks}
    if min(freedom.values(), default=0) < 1:
        raise NoFit(f"too few: {len(whole)} versions of {n_treebanks} treebanks for {len(kept)} properties", left_out)
    return _mixed(versions, kept, freedom), left_out


def _mixed(versions: Versions, names: list[str], freedom: dict[str, int]) -> Between:
    from statsmodels.regression.mixed_linear_model import MixedLM

    columns = versions.matrix(names)
    center, size = columns.mean(axis=0), columns.std(axis=0)
    spread = float(versions.score.std())
    if not spread:
        raise NoFit("accuracy does not differ")
    design = np.column_stack([np.ones(len(columns)), (columns - center) / size])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # whether it converged is looked at below
        try:
            fitted = MixedLM(versions.score / spread, design, versions.treebank).fit(reml=True)
        except (np.linalg.LinAlgError, ValueError):
            raise NoFit("the mixed model can't be fitted to these cells") from None
        values, deviations = np.asarray(fitted.fe_params) * spread, np.asarray(fitted.bse_fe) * spread
        variances = float(np.asarray(fitted.cov_re)[0, 0]), float(fitted.scale)
        usable = bool(fitted.converged) and bool(np.isfinite([*values, *deviations, *variances]).all())
    if not usable or min(deviations) <= 0 or variances[1] <= 0:
        raise NoFit("the mixed model did not converge")
    coefficients = []
    for number, name in enumerate(names):
        value, deviation = float(values[number + 1] / size[number]), float(deviations[number + 1] / size[number])
        low, high, p = t_interval(value, deviation, freedom[name])
        coefficients.append(Coefficient(name, value, low, high, p, value * float(size[number]) / spread))
    intercept = float(values[0]) - float(center @ [one.value for one in coefficients])
    ratio = variances[0] / variances[1]
    between = 0.0 if ratio < OF_ZERO else float(np.sqrt(variances[0])) * spread
    return Between(intercept, names, tuple(coefficients), between, float(np.sqrt(variances[1])) * spread)
