"""All word orders that are registered, each with every choice of its options, for tests that hold for all of them."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from itertools import product

import pytest
from places import SAMPLE

from permtree.permuters import PERMUTERS, Rule, source_among
from permtree.permuting import Permutation
from permtree.treebank import Treebank

# Options without a list of choices and without a default that works; give one value that small sentences can use.
NEEDED = {
    ("fixed", "sigma"): (3, 1, 2),
    ("grammar", "weights"): {
        "default": 1,
        "relations": {"nsubj": -2, "det": -1, "obj": 2},
        "heads": {"NOUN": {"det": 3}},
    },
    ("like", "treebank"): str(SAMPLE / "medol-dev.conllu"),
    ("mixture", "of"): "optdl:ties=original",
    ("match", "dlm"): 1.0,
    ("match", "entropy"): 0.3,
    ("match", "tolerance"): 100.0,  # whatever the treebank, something is reached
}

Which = Callable[[str, dict[str, object]], bool]  # of (mode, options)


def modes() -> list[tuple[str, dict[str, object]]]:
    """(mode, options) for every permuter and every combination of its listed choices."""
    found = []
    for mode in PERMUTERS.names():
        options = PERMUTERS[mode].options
        values = [one.metadata["choices"] or [NEEDED.get((mode, name), one.default)] for name, one in options.items()]
        for chosen in product(*values):
            found.append((mode, dict(zip(options, chosen, strict=True))))
    return found


LEARN_FROM = Treebank.from_heads([[2, 0, 2, 3], [0, 1, 2], [3, 3, 0]])
_RULES: dict[tuple, Rule | None] = {}


def learnt_once(self: Permutation, treebank: Treebank, skip_errors: bool = False) -> Permutation:
    """In place of `Permutation.learnt`: what is learnt from `LEARN_FROM` is always the same, and learnt once."""
    source = source_among(self.config)
    if source is None or source._of is not LEARN_FROM:
        return _learnt(self, treebank, skip_errors)
    key = (self.mode, self.seed, self.policies, re.sub(r"Source object at \w+", "", repr(self.config)))
    if key not in _RULES:
        _RULES[key] = _learnt(self, treebank, skip_errors).rule
    return replace(self, rule=_RULES[key])


_learnt = Permutation.learnt


def _learns(mode: str, options: dict[str, object]) -> bool:
    """Whether a mode first learns from a whole treebank."""
    return PERMUTERS[mode].learns(PERMUTERS[mode].configured(options))


def learning_elsewhere(mode: str, options: dict[str, object]) -> dict[str, object]:
    """The options with which a mode learns from a small treebank: fast, and a sentence stands for itself."""
    own = "learn-from" in options and _learns(mode, options)
    return {**options, "learn-from": LEARN_FROM} if own else options


def _label(mode: str, options: dict[str, object]) -> str:
    return "-".join([mode, *(value for value in options.values() if isinstance(value, str))])


def _each(found: list[tuple[str, dict[str, object]]], long: Which | None = None) -> pytest.MarkDecorator:
    named = []
    for mode, options in found:
        marks = [pytest.mark.long] if long is not None and long(mode, options) else []
        named.append(pytest.param(mode, options, id=_label(mode, options), marks=marks))
    return pytest.mark.parametrize(("mode", "options"), named)


every_mode = _each(modes())
every_mode_that_learns_is_long = _each(modes(), long=_learns)
# The same, but what learns has learnt already: for tests of what becomes of words, however their order came about.
QUICK = [(mode, learning_elsewhere(mode, options)) for mode, options in modes()]
every_quick_mode = _each(QUICK)
# For tests of what is the same code whatever the order is: all modes, but in the quick suite one of each kind.
OF_EACH_KIND = ("rb", "random", "match", "original")
every_kind_of_mode = _each(QUICK, long=lambda mode, options: mode not in OF_EACH_KIND)
