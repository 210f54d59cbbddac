"""What the choice of sentences does to a value: bootstrap intervals, samples of equal size, learning curves.

A resample is a weight for each sentence: how often it was drawn. Summed statistics of all resamples are one product of
the weights and the statistics of single sentences; so are counts of events, with a sparse matrix of sentences by cells.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from ..errors import UsageError
from ..kernels.bootstrap import LEVEL, bootstrap_weights, check_numbers, interval
from ..types import Floats, Ints
from .collector import Collector, Measurement, Value

REPEATS = 20  # samples of one size
SMALLEST = 50  # sentences at the beginning of a learning curve


class Resampler:
    """The statistics of single sentences, to be scored under any weights."""

    def __init__(self, collector: Collector, kept: Ints | None = None):
        """kept: the numbers of the sentences to look at, in their order (all, if None)."""
        assert collector.single_sentences
        n_sentences = collector.counts["kept_sentences"]
        self.kept = np.arange(n_sentences) if kept is None else kept
        self._scorers = {
            name: statistics.scorer(n_sentences, self.kept) for name, statistics in collector.statistics.items()
        }

    def scores(self, weights: Floats) -> dict[str, Floats]:
        """The values under each row of weights [R, sentences]: [R] by measure."""
        return {name: scorer(weights) for name, scorer in self._scorers.items()}


# -- how sentences are drawn ---------------------------------------------------------------------------------------


def subsample_weights(n_sentences: int, size: int, repeats: int, seed: int) -> Iterator[Floats]:
    """`size` different sentences at a time: [1, n_sentences]."""
    for repeat in range(repeats):
        random = np.random.default_rng([seed, size, repeat])
        weights = np.zeros((1, n_sentences))
        weights[0, random.permutation(n_sentences)[:size]] = 1
        yield weights


def resampled(sentences: Resampler, weights: Iterator[Floats]) -> dict[str, Floats]:
    """The values of all resamples, [R] by measure."""
    parts = [sentences.scores(piece) for piece in weights]
    return {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}


# -- what is said about a measurement ------------------------------------------------------------------------------


def with_intervals(collector: Collector, resamples: int, seed: int = 0, level: float = LEVEL) -> Measurement:
    """The measurement of a collector of single sentences, each value with its bootstrap `interval` over sentences;
    nan for a single sentence, which can't say how sentences differ."""
    check_numbers(resamples, seed)
    result = collector.result()
    if not result.kept_sentences:
        return result
    drawn = resampled(Resampler(collector), bootstrap_weights(result.kept_sentences, resamples, [seed]))
    made = {"ci": f"{level:g}x{resamples}", "seed": seed}
    for measure in collector.measures:
        value = result[measure.name].value
        bounds = interval(value, drawn[measure.name], level) if result.kept_sentences > 1 else (math.nan, math.nan)
        result.scored[measure.name] = Value(value, collector.signature(measure, made), bounds)
    return result


def of_equal_size(collector: Collector, size: int, repeats: int = REPEATS, seed: int = 0) -> Measurement:
    """The mean and standard deviation of each value over samples of `size` sentences, so that treebanks of different
    size can be compared: entropies grow with the sample (Futrell, Mahowald & Gibson 2015, Depling)."""
    result = collector.result()
    _check_repeats(repeats, seed)
    if not 1 <= size <= result.kept_sentences:
        raise UsageError(f"--equal-size {size}: from 1 to the {result.kept_sentences} sentences that are kept")
    weights = subsample_weights(result.kept_sentences, size, repeats, seed)
    drawn = resampled(Resampler(collector), weights)
    made = {"equal-size": f"{size}x{repeats}", "seed": seed}
    for measure in collector.measures:
        mean, deviation = _mean_and_deviation(drawn[measure.name])
        result.scored[measure.name] = Value(mean, collector.signature(measure, made), deviation=deviation)
    return result


def _mean_and_deviation(drawn: Floats) -> tuple[float, float]:
    return float(np.mean(drawn)), float(np.std(drawn, ddof=1)) if len(drawn) > 1 else math.nan


def _check_repeats(repeats: int, seed: int) -> None:
    if repeats < 1:
        raise UsageError("--repeats: a number of samples from 1 on")
    check_numbers(repeats, seed)


@dataclass(frozen=True)
class CurvePoint:
    """Values of samples of one size: by measure the mean and the standard deviation over the repeats."""

    sentences: int
    repeats: int
    values: dict[str, tuple[float, float]]


def learning_curve(collector: Collector, repeats: int = REPEATS, seed: int = 0) -> list[CurvePoint]:
    """The values of samples of 50, 100, 200 ... sentences and of all: whether a treebank is large enough to show a
    property, and how far an estimate still moves with its size."""
    _check_repeats(repeats, seed)
    n_sentences = collector.counts["kept_sentences"]
    sentences = Resampler(collector)
    points = []
    size = SMALLEST
    while n_sentences:
        whole = size >= n_sentences
        size, times = (n_sentences, 1) if whole else (size, repeats)
        drawn = resampled(sentences, subsample_weights(n_sentences, size, times, seed))
        values = {name: _mean_and_deviation(values) for name, values in drawn.items()}
        points.append(CurvePoint(size, times, values))
        if whole:
            break
        size *= 2
    return points
