"""The minimal pairs of a study, joined and analyzed once each, however many tables and claims ask for them."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache, lru_cache
from typing import NamedTuple

from ..pairing.analyzing import MOST, RESAMPLES, Analysis, analyze
from ..pairing.pairs import Pairs
from ..study.results import Results

ONE_SEED = "Test part, the first seed that both sides have."
_PAIRS = 8  # kept at a time: the arcs of a whole study may be too much


class Place(NamedTuple):
    """Which pair: a treebank, a parser, and the orders on sides a and b."""

    treebank: str
    parser: str
    a: str
    b: str

    def __str__(self) -> str:
        return f"{self.treebank}, {self.parser}: {self.a} → {self.b}"


class Analyses:
    """Pairs of a study and their analyses, each with the first seed of which both sides are done.

    resamples: of intervals and tests; most: sentences of gain and of loss that are kept of each pair.
    """

    def __init__(self, results: Results, resamples: int = RESAMPLES, most: int = MOST):
        self.results, self.resamples = results, resamples
        self._pair = lru_cache(_PAIRS)(self._joined)
        self._is_done = cache(lambda place: self._pair(place) is not None)
        self._analysis = cache(lambda place: analyze(self.pair(place), resamples, most=most))

    def places(self) -> Iterator[Place]:
        """The pairs that the study names and that are done."""
        for treebank in self.results.treebanks:
            for parser in self.results.parsers:
                for a, b in self.results.pairs:
                    place = Place(treebank["treebank"], parser["parser"], a, b)
                    if self._is_done(place):
                        yield place

    def of_orders(self, parser: str, a: str | None, b: str | None) -> list[Place]:
        """The pairs of two orders, a treebank each, that are done; none for an order that the study lacks (None)."""
        if a is None or b is None:
            return []
        places = [Place(row["treebank"], parser, a, b) for row in self.results.treebanks]
        return [place for place in places if self._is_done(place)]

    def pair(self, place: Place) -> Pairs:
        """The arcs of a pair that is done."""
        pair = self._pair(place)
        assert pair is not None, place
        return pair

    def analysis(self, place: Place) -> Analysis:
        """The analysis of a pair that is done."""
        return self._analysis(place)

    def _joined(self, place: Place) -> Pairs | None:
        for seed in self.results.seeds:
            pair = self.results.pair(place.treebank, place.parser, seed, place.a, place.b)
            if pair is not None:
                return pair
        return None
