"""How far the function is off for a treebank that it hasn't seen: each treebank is left out once and predicted."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ..types import Floats, Ints, Mask
from .between import ENOUGH_TREEBANKS, fit_between
from .cells import Cells, NoFit, means, versions_of
from .within import slopes

LEAST_TREEBANKS = 3


@dataclass(frozen=True)
class ChangeErrors:
    """Mean absolute errors, in points, of the change in accuracy from a treebank's original order to another one.

    function: predicted by the function as fitted to the other treebanks. no_change: by "nothing changes". mean_change:
    by the mean change, in the other treebanks, of the same parser from the original to the same order. All three over
    the same `changes`, one for each (treebank, order, parser) of so many treebanks; `without_peer` more have no such
    mean, since no other treebank has them, and are left out.
    """

    changes: int
    treebanks: int
    function: float
    no_change: float
    mean_change: float
    without_peer: int


@dataclass(frozen=True)
class AccuracyErrors:
    """Mean absolute errors, in points, of accuracy itself: of a treebank that the mixed model hasn't seen.

    function: predicted by the mixed model as fitted to the other treebanks. mean_accuracy: by the mean accuracy, in the
    other treebanks, of the same parser on the same order. Both over the same cells.
    """

    cells: int
    treebanks: int
    function: float
    mean_accuracy: float
    without_peer: int


@dataclass(frozen=True)
class Changes:
    """From the original order to another one, [C]: the cell in the other order, and by how much accuracy changes."""

    cell: Ints
    origin: Ints
    change: Floats


def changes_of(cells: Cells, original: str) -> Changes:
    """All changes for which both orders of a treebank were parsed by the same parser."""
    place = {key: cell for cell, key in enumerate(zip(cells.treebank, cells.order, cells.parser, strict=True))}
    first = cells.orders.index(original) if original in cells.orders else -1
    pairs = [
        (cell, place[treebank, first, parser])
        for (treebank, order, parser), cell in place.items()
        if order != first and (treebank, first, parser) in place
    ]
    cell, origin = np.array(pairs, np.int64).reshape(-1, 2).T
    return Changes(cell, origin, cells.score[cell] - cells.score[origin])


def change_errors(cells: Cells, names: Sequence[str], original: str) -> ChangeErrors:
    """Of the properties `names`, as fitted within treebanks. Raises NoFit."""
    changes = changes_of(cells, original)
    treebanks = np.unique(cells.treebank[changes.cell])
    if len(treebanks) < LEAST_TREEBANKS:
        raise NoFit(f"{len(treebanks)} treebanks with their order '{original}' and others; at least 3 are needed")
    predicted, by_mean = (np.full(len(changes.cell), np.nan) for _ in range(2))
    values = np.stack([cells.values[name] for name in names], axis=1)
    for treebank in treebanks:
        here = cells.treebank[changes.cell] == treebank
        found = slopes_without(cells, treebank, names)
        if found is None:
            raise NoFit(f"without {cells.treebanks[treebank]} the properties can't be told apart")
        predicted[here] = (values[changes.cell[here]] - values[changes.origin[here]]) @ found
        by_mean[here] = mean_of_peers(cells, changes.cell, changes.change, here)
    known = np.isfinite(by_mean)
    if not known.any():
        raise NoFit("no order other than the original was parsed in two treebanks")
    change = changes.change[known]
    guesses = predicted[known], np.zeros(len(change)), by_mean[known]
    function, no_change, mean_change = (float(np.mean(np.abs(guess - change))) for guess in guesses)
    left = len(np.unique(cells.treebank[changes.cell[known]]))
    return ChangeErrors(len(change), left, function, no_change, mean_change, int((~known).sum()))


def slopes_without(cells: Cells, treebank: int, names: Sequence[str]) -> Floats | None:
    """The slopes within the other treebanks, [names]; None where they can't tell them."""
    try:
        return slopes(versions_of(cells.select(cells.treebank != treebank)), names)
    except NoFit:
        return None


def mean_of_peers(cells: Cells, cell: Ints, value: Floats, here: Mask) -> Floats:
    """For each cell[here] the mean value of the other cells of its order and parser; nan where there is none."""
    kind = cells.order[cell] * len(cells.parsers) + cells.parser[cell]
    kinds, group = np.unique(kind[~here], return_inverse=True)
    mean = dict(zip(kinds.tolist(), means(value[~here], group).tolist() if len(kinds) else [], strict=True))
    return np.array([mean.get(one, np.nan) for one in kind[here].tolist()])


def accuracy_errors(cells: Cells, order_names: Sequence[str], treebank_names: Sequence[str]) -> AccuracyErrors:
    """Of the mixed model with these properties. Raises NoFit, also where it can't be fitted without some treebank."""
    everything = np.arange(len(cells))
    predicted, by_mean = (np.full(len(cells), np.nan) for _ in range(2))
    for treebank in np.unique(cells.treebank):
        here = cells.treebank == treebank
        versions = versions_of(cells.select(~here))
        try:
            model, left_out = fit_between(versions, order_names, treebank_names, ENOUGH_TREEBANKS - 1)
        except NoFit as reason:
            raise NoFit(f"without {cells.treebanks[treebank]}: {reason}") from None
        if left_out:
            raise NoFit(f"without {cells.treebanks[treebank]} {', '.join(left_out)} can't be fitted")
        values = np.stack([cells.values[name][here] for name in model.names], axis=1)
        slope = [one.value for one in model.coefficients]
        predicted[here] = model.intercept + values @ slope + versions.parser_effects[cells.parser[here]]
        by_mean[here] = mean_of_peers(cells, everything, cells.score, here)
    known = np.isfinite(by_mean)
    if not known.any():
        raise NoFit("no order was parsed in two treebanks")
    function, mean_accuracy = (float(np.mean(np.abs((guess - cells.score)[known]))) for guess in (predicted, by_mean))
    left = len(np.unique(cells.treebank[known]))
    return AccuracyErrors(int(known.sum()), left, function, mean_accuracy, int((~known).sum()))
