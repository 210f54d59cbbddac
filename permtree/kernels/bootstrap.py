"""Bootstrap over sentences: how often each is drawn, and the interval that the drawn values give."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ..errors import UsageError
from ..types import Floats

PIECE = 1 << 21  # weights made at a time
LEVEL = 0.95  # of intervals


def bootstrap_weights(
    n_sentences: int, resamples: int, seed: list[int], in_pieces_for: int | None = None
) -> Iterator[Floats]:
    """As many sentences as there are, drawn with replacement, piece by piece: [piece, n_sentences].

    in_pieces_for: make pieces as for so many sentences, so that two treebanks have pieces of one size.
    """
    random = np.random.default_rng(seed)
    step = max(1, PIECE // max(in_pieces_for or n_sentences, 1))
    for first in range(0, resamples, step):
        rows = min(step, resamples - first)
        drawn = random.integers(0, max(n_sentences, 1), (rows, n_sentences))
        drawn += np.arange(rows)[:, None] * n_sentences
        weights = np.bincount(drawn.ravel(), minlength=rows * n_sentences)
        yield weights.reshape(rows, n_sentences).astype(np.float64)


def check_numbers(resamples: int, seed: int) -> None:
    """UsageError for numbers that resampling can't do with."""
    if resamples < 1:
        raise UsageError("--ci: a number of resamples from 1 on, such as 1000")
    if seed < 0:
        raise UsageError("--seed: a whole number from 0 on")


def interval(value: float, drawn: Floats, level: float = LEVEL) -> tuple[float, float]:
    """The recentred percentile interval of the bootstrap: that of Efron & Tibshirani (1993, chapter 13), moved so that
    the mean of the resamples falls on the value; nan if a resample has no value.

    Resamples hold fewer different sentences than the whole, so entropies of resamples are lower than its entropy;
    without the move their interval could lie below the value itself. It says how far the value depends on which
    sentences were drawn, and nothing of the bias of an estimator at this size.
    """
    deviations = drawn - drawn[0]  # so that equal resamples have a mean without rounding: an interval of one point
    low, high = value + np.quantile(deviations, [(1 - level) / 2, (1 + level) / 2]) - np.mean(deviations)
    return float(low), float(high)
