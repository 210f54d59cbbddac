"""What the choice of sentences does to a value: bootstrap intervals, samples of equal size, learning curves.

A resample is a weight for each sentence: how often it was drawn. Summed statistics of all resamples are one product of
the weights and the statistics of single sentences; so are counts of events, with a sparse matrix of sentences by cells.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from functools import cache

import numpy as np

from ..errors import UsageError
from ..kernels.bootstrap import LEVEL, bootstrap_weights, check_numbers, interval
from ..kernels.jackknife import jackknifed, without_a_group
from ..measures import Measure
from ..types import Floats, Ints
from .collector import Collector, Measurement, Value
from .sums import corrected_estimator

REPEATS = 20  # samples of one size
SMALLEST = 50  # sentences at the beginning of a learning curve


class Resampler:
    """The statistics of single sentences, to be scored under any weights."""

    def __init__(self, collector: Collector, kept: Ints | None = None):
        """kept: the numbers of the sentences to look at, in their order (all, if None)."""
        assert collector.single_sentences
        n_sentences = collector.counts["kept_sentences"]
        self.kept = np.arange(n_sentences) if kept is None else kept
        self._scorer = cache(
            lambda name, corrected: collector.statistics[name].scorer(n_sentences, self.kept, corrected)
        )
        self._names = list(collector.statistics)

    def scores(self, weights: Floats, names: Collection[str] | None = None) -> dict[str, Floats]:
        """The values under each row of weights [R, sentences]: [R] by measure (of all measures, if None)."""
        return {name: self._scorer(name, False)(weights) for name in (self._names if names is None else names)}

    def corrected(self, name: str, without: Floats) -> tuple[float, Floats]:
        """An entropy by `corrected_estimator`: of all, and without each group of sentences (see `without_a_group`)."""
        score = self._scorer(name, True)
        return float(score(np.ones((1, len(self.kept))))[0]), score(without)


# -- how sentences are drawn ---------------------------------------------------------------------------------------


def subsample_weights(n_sentences: int, size: int, repeats: int, seed: int) -> Iterator[Floats]:
    """`size` different sentences at a time: [1, n_sentences]."""
    for repeat in range(repeats):
        random = np.random.default_rng([seed, size, repeat])
        weights = np.zeros((1, n_sentences))
        weights[0, random.permutation(n_sentences)[:size]] = 1
        yield weights


def resampled(
    sentences: Resampler, weights: Iterator[Floats], names: Collection[str] | None = None
) -> dict[str, Floats]:
    """The values of all resamples, [R] by measure."""
    parts = [sentences.scores(piece, names) for piece in weights]
    return {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}


# -- what is said about a measurement ------------------------------------------------------------------------------


def with_intervals(collector: Collector, resamples: int, seed: int = 0, level: float = LEVEL) -> Measurement:
    """The measurement of a collector of single sentences, each value with an interval of what it is in the population
    that the sentences are drawn from; nan for a single sentence, which can't say how sentences differ.

    Of entropies, `entropy_interval`; of all else, the bootstrap `interval` over sentences.
    """
    check_numbers(resamples, seed)
    result = collector.result()
    n_sentences = result.kept_sentences
    if not n_sentences:
        return result
    sentences = Resampler(collector)
    of_sums = [measure.name for measure in collector.measures if not measure.of_events]
    drawn = resampled(sentences, bootstrap_weights(n_sentences, resamples, [seed]), of_sums) if of_sums else {}
    for measure in collector.measures:
        value, bounds = result[measure.name].value, (math.nan, math.nan)
        if n_sentences > 1 and measure.of_events:
            bounds = entropy_interval(sentences, measure.name, seed, level)
        elif n_sentences > 1:
            bounds = interval(value, drawn[measure.name], level)
        made = interval_facts(collector, measure, resamples, seed, level)
        result.scored[measure.name] = Value(value, collector.signature(measure, made), bounds)
    return result


def entropy_interval(sentences: Resampler, name: str, seed: int, level: float = LEVEL) -> tuple[float, float]:
    """Where the population's entropy is held to be: the jackknife over sentences of `corrected_estimator`.

    The entropy of a sample is too low, more so the smaller it is, and resamples of it are lower still: the bootstrap
    interval of a plug-in entropy misses the population's most of the time (docs/conventions.md). So the interval may
    lie above the value, which is that of the sample. It does not go below 0.
    """
    without = without_a_group(len(sentences.kept), [seed])
    low, high = jackknifed(*sentences.corrected(name, without)).interval(level)
    return (low, high) if math.isnan(low) else (max(low, 0.0), max(high, 0.0))


def interval_facts(
    collector: Collector, measure: Measure, resamples: int, seed: int, level: float
) -> dict[str, object]:
    """What a signature says of the interval of a measure."""
    if not measure.of_events:
        return {"ci": f"{level:g}x{resamples}", "seed": seed}
    estimator = corrected_estimator(collector.profile.conventions_of(measure))
    return {"ci": f"{level:g}", "by": f"jackknife of {estimator}", "seed": seed}


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
