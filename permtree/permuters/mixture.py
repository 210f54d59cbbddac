"""A dial between the text and any other order: each head takes the one or the other."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..configuration import Settings, setting
from ..errors import UsageError
from ..treebank import Treebank
from ..treebank.arc_types import text_placement
from ..types import Floats
from . import Mode, Request, Rule, permuter


def read_probability(value: Any) -> float:
    """A probability; UsageError for anything else."""
    try:
        probability = float(value)
    except (TypeError, ValueError):
        probability = -1.0
    if not 0 <= probability <= 1:
        raise UsageError(f"--p: a probability from 0 to 1, not {value}")
    return probability


def _read_mode(value: Any) -> Mode:
    if value is None:
        raise UsageError("mode 'mixture' needs --of MODE, such as optdl or optdl:ties=original")
    mode = Mode.read(value)
    if mode.permuter.name == "mixture":
        raise UsageError(
            "--of mixture: both would toss the same coins; name the mode within, with the product of the two p"
        )
    return mode


def _learn(treebank: Treebank, request: Request) -> Rule:
    of = request.config.of
    return of.permuter.learn(treebank, of.request(request))


@dataclass(frozen=True)
class Mixture(Settings):
    """Of what, and how much of it."""

    of: Mode = setting(None, "the other mode, with its options: optdl, optdl:ties=original", read=_read_mode)
    p: float = setting(0.5, "probability of the other mode, from 0 to 1", read=read_probability)


@permuter(
    "mixture",
    gives="placement",
    what="each head and its dependents are arranged as in another mode with probability p, else as in the text, by a "
    "coin a head; a larger p with the same seed changes more heads and leaves none of the changed ones. Projective for "
    "every p: a non-projective sentence gets the arrangement of each head, not its crossing arcs",
    source="a dose-response design",
    random=True,
    config=Mixture,
    learn=_learn,
    learns=lambda config: config.of.permuter.learns(config.of.config),
)
def mixture(treebank: Treebank, request: Request) -> Floats:
    of, p = request.config.of, request.config.p
    other = of.permuter.placement(treebank, of.request(request))
    changed = treebank.random_uniform(request.seed, "mixture") < p
    request.counts["heads arranged as in the other mode"] += int((changed & (treebank.n_dependents > 0)).sum())
    return np.where(changed[np.maximum(treebank.head, 0)], other, text_placement(treebank))
