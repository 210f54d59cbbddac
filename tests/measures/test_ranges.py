"""No value is outside of the range that its card states, in any small tree and in labelled random ones."""

from __future__ import annotations

import math
import re
from random import Random

import pytest
from definitions import as_file, crossings, forests_up_to, labelled
from strategies import random_heads

from permtree import Treebank, measure
from permtree.kernels.entropy import ESTIMATORS
from permtree.measures import MEASURES

BOUNDS = re.compile(r"(?P<low>\d+)? ?(?:\([^)]*\) )?(?:to (?P<high>\d+|log 2|dl_min_total)|and more)")
OF_ITS_OWN = {"relation_order_entropy"}  # its bound hangs on what the treebank has
ALL_WORDS = {"profile": "lal", "roots": "keep", "unit": "nats"}


def bounds(name: str, values) -> tuple[float, float]:
    found = BOUNDS.match(MEASURES[name].range)
    if found is None:
        assert MEASURES[name].range.startswith("any")
        return -math.inf, math.inf
    highest = {None: math.inf, "log 2": math.log(2), "dl_min_total": values["dl_min_total"]}
    high = highest[found["high"]] if found["high"] in highest else float(found["high"])
    return float(found["low"] or -math.inf), high


def check(treebank: Treebank, length: str = "distance", estimator: str = "plugin") -> None:
    names = MEASURES.names()
    asked = {**ALL_WORDS, "length": length, "estimator": estimator}
    result = measure(treebank, *names, by="sentence", **asked)
    pooled = {name: value.value for name, value in result.items()}
    for values in (pooled, *(values for _, _, values in result.groups)):
        for name in set(names) - OF_ITS_OWN:
            low, high = bounds(name, values)
            if not math.isnan(values[name]):
                assert low - 1e-12 <= values[name] <= high + 1e-12, (name, values[name], MEASURES[name].range)


@pytest.mark.parametrize("length", ["distance", "span+root"])
def test_small_forests_without_crossing_arcs(length):
    """A crossing arc may beat the projective minimum, as two cards say."""
    check(Treebank.from_heads([heads for heads in forests_up_to(4) if not crossings(heads)]), length)


@pytest.mark.parametrize("estimator", ESTIMATORS)
def test_labelled_treebanks(estimator):
    rng = Random(4)
    trees = [random_heads(rng, rng.randint(1, 9), 1) for _ in range(30)]
    sentences = [labelled(rng, heads, ("a", "b"), ("X", "Y")) for heads in trees]
    check(Treebank.from_bytes(as_file(sentences)), estimator=estimator)
