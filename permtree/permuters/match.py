"""A treebank with a chosen DLM ratio and a chosen arc-direction entropy."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product
from typing import Any

from ..configuration import Settings, setting
from ..errors import UsageError
from ..treebank import Treebank
from ..types import Floats
from . import Request, Rule, Source, learn_from, permuter
from .dials import LENGTH_END, DialRows, Dials, Properties, grid_of, learn_rows

Pair = tuple[float, float]
GRID = 16  # places of the dial for length that the search begins with
HALVINGS = 9  # of an interval or a step
ENOUGH = 0.001  # nearer than this need no search come, however large the tolerance


@dataclass(frozen=True)
class Setting:
    """Where the two dials stand."""

    rows: DialRows
    length: float
    entropy: float


def _number(name: str, least: float) -> Any:
    def read(value: Any) -> float:
        if value is None:
            raise UsageError(
                f"mode 'match' needs --dlm X and --entropy Y; no --{name}. `permtree region FILE` prints what can be "
                "reached"
            )
        try:
            number = float(value)
        except (TypeError, ValueError):
            number = float("nan")
        if not number >= least or number == float("inf"):
            raise UsageError(f"--{name}: a number from {least:g} on, not {value}")
        return number

    return read


def _learn(treebank: Treebank, request: Request) -> Rule:
    asked = (request.config.dlm, request.config.entropy)
    tolerance = request.config.tolerance
    rows = learn_rows(treebank, request.seed)
    dials, properties = Dials(treebank, rows, request.seed), Properties(treebank)
    setting, reached = nearest(dials, properties, asked, min(tolerance / 10, ENOUGH))
    facts = (
        ("reached", f"DLM ratio {reached[0]:.4f}, entropy {reached[1]:.4f} nats"),
        ("dials", f"length {setting[0]:.5f}, entropy {setting[1]:.5f}"),
    )
    if _distance(reached, asked) > tolerance:
        raise UsageError(
            f"DLM ratio {asked[0]:g} with entropy {asked[1]:g} can't be reached: the nearest is DLM ratio "
            f"{reached[0]:.4f} with entropy {reached[1]:.4f} nats. `permtree region FILE` prints what can be; a larger "
            "--tolerance takes what is near"
        )
    return Rule(Setting(rows, *setting), facts)


def _distance(reached: Pair, asked: Pair) -> float:
    return max(abs(reached[0] - asked[0]), abs(reached[1] - asked[1]))


class _Search:
    """Settings of the dials that were tried, and what each gave."""

    def __init__(self, dials: Dials, properties: Properties, asked: Pair, enough: float):
        self._dials = dials
        self._properties = properties
        self.asked = asked
        self.enough = enough
        self.reached: dict[Pair, Pair] = {}
        self.best: Pair = (0.0, 0.0)
        self.at(self.best)

    def at(self, place: Pair) -> Pair:
        """What a setting gives; beyond the ends of the dials, what the nearest end gives."""
        place = (min(max(place[0], 0.0), LENGTH_END), min(max(place[1], 0.0), 1.0))
        if place not in self.reached:
            self.reached[place] = self._properties.of(self._dials.placement(*place))
            if self.distance(place) < self.distance(self.best):
                self.best = place
        return self.reached[place]

    def distance(self, place: Pair) -> float:
        return _distance(self.at(place), self.asked)

    @property
    def done(self) -> bool:
        return self.distance(self.best) <= self.enough

    def with_entropy(self, length: float) -> float:
        """Turn the dial for entropy until the entropy is as asked, at one length: the DLM ratio that comes of it."""
        low, high = 0.0, 1.0
        if self.at((length, low))[1] >= self.asked[1]:
            return self.at((length, low))[0]
        if self.at((length, high))[1] <= self.asked[1]:
            return self.at((length, high))[0]
        for _ in range(HALVINGS):
            middle = (low + high) / 2
            if self.at((length, middle))[1] < self.asked[1]:
                low = middle
            else:
                high = middle
        nearer = min((low, high), key=lambda entropy: abs(self.at((length, entropy))[1] - self.asked[1]))
        return self.at((length, nearer))[0]

    def between(self, low: float, high: float, low_is_short: bool) -> None:
        """Halve an interval of lengths at whose ends the DLM ratio is shorter and longer than asked."""
        for _ in range(HALVINGS):
            if self.done:
                return
            middle = (low + high) / 2
            if (self.with_entropy(middle) < self.asked[0]) == low_is_short:
                low = middle
            else:
                high = middle

    def refine(self, step: float) -> None:
        """From the best setting to its best neighbour until there is none, then with half the step."""
        for _ in range(HALVINGS):
            here = None
            while here != self.best and not self.done:
                here = self.best
                for a, b in product((-1, 0, 1), repeat=2):
                    self.at((here[0] + a * step, here[1] + b * step))
            step /= 2


def nearest(dials: Dials, properties: Properties, asked: Pair, enough: float = 0.0) -> tuple[Pair, Pair]:
    """The setting of the dials that comes nearest to a pair, and what it gives; the search ends early where either is
    off by no more than `enough`.

    At one place of the first dial the entropy rises with the second, so halving finds where it is as asked; what DLM
    ratio that gives is looked up all along the first dial, and wherever it passes the one that was asked, halving finds
    the place. Small steps around the best come last: in a small treebank both properties jump with every coin.
    """
    search = _Search(dials, properties, asked, enough)
    lengths = grid_of(LENGTH_END, GRID)
    short = []
    for length in lengths:
        short.append(search.with_entropy(length) < asked[0])
        if search.done:
            break
    for low, high, before, after in zip(lengths, lengths[1:], short, short[1:], strict=False):
        if before != after:
            search.between(low, high, before)
    search.refine(LENGTH_END / GRID)
    return search.best, search.reached[search.best]


@dataclass(frozen=True)
class Match(Settings):
    """What is asked for, and how nearly."""

    dlm: float = setting(None, "the DLM ratio (spans and one for each root)", read=_number("dlm", 1))
    entropy: float = setting(None, "the arc-direction entropy, nats", read=_number("entropy", 0))
    tolerance: float = setting(0.005, "how far either may be from what was asked", read=_number("tolerance", 0))
    learn_from: Source | None = learn_from()


@permuter(
    "match",
    gives="placement",
    what="a DLM ratio and an arc-direction entropy of your choice, by the two dials that docs/orders.md describes; "
    "what was reached is printed and stands in the signature. Pairs that aren't reached within --tolerance are "
    "refused. Time: some hundred passes over all trees, a step for each level: linear in words, but a minute and more "
    "for one chain of 12,500 words",
    source="a factorial design of length and entropy",
    random=True,
    config=Match,
    learn=_learn,
)
def match(treebank: Treebank, request: Request) -> Floats:
    setting: Setting = request.rule
    return Dials(treebank, setting.rows, request.seed).placement(setting.length, setting.entropy)
