"""Jackknife over sentences: what a value loses when a group of them is left out, its bias and its standard error.

Quenouille (1956), Biometrika 43: bias; Tukey (1958), Annals of Mathematical Statistics 29: standard error, and an
interval by Student's t. For entropies: Zahl (1977), Ecology 58.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from ..types import Floats

MOST_GROUPS = 100


class Jackknifed(NamedTuple):
    """A value without its bias to the first order, its standard error and the degrees of freedom of that."""

    value: float
    error: float
    freedom: float

    def less(self, other: Jackknifed) -> Jackknifed:
        """The difference to one of other sentences (Welch 1947, Biometrika 34, for the degrees of freedom)."""
        squares = self.error**2, other.error**2
        parts = squares[0] ** 2 / self.freedom + squares[1] ** 2 / other.freedom
        freedom = sum(squares) ** 2 / parts if parts else min(self.freedom, other.freedom)
        return Jackknifed(self.value - other.value, math.sqrt(sum(squares)), freedom)

    def interval(self, level: float) -> tuple[float, float]:
        """Where the population's value is held to be; nan where a value is missing."""
        from scipy.special import stdtrit

        half = float(stdtrit(self.freedom, (1 + level) / 2)) * self.error
        return self.value - half, self.value + half


def without_a_group(n_sentences: int, seed: list[int]) -> Floats:
    """The weights of all sentences but those of one group, each group once: [groups, n_sentences].

    Each sentence is a group, or, of more than `MOST_GROUPS`, they are dealt out to so many groups at random.
    """
    groups = min(n_sentences, MOST_GROUPS)
    weights = np.ones((groups, n_sentences))
    weights[np.arange(n_sentences) % max(groups, 1), np.random.default_rng(seed).permutation(n_sentences)] = 0
    return weights


def jackknifed(value: float, without: Floats) -> Jackknifed:
    """From the value of the whole and those without one group of sentences each, [groups] (two or more)."""
    groups = len(without)
    deviations = without - value  # so that equal values give no rounding: an interval of one point
    mean = float(np.mean(deviations))
    error = math.sqrt((groups - 1) / groups * float(np.sum((deviations - mean) ** 2)))
    return Jackknifed(value - (groups - 1) * mean, error, groups - 1)
