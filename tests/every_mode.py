"""All word orders that are registered, each with every choice of its options, for tests that hold for all of them."""

from __future__ import annotations

from itertools import product

import pytest

from permtree.permuters import PERMUTERS

# Options without a list of choices and without a default that works; give one value that small sentences can use.
NEEDED = {("fixed", "sigma"): (3, 1, 2)}


def modes() -> list[tuple[str, dict[str, object]]]:
    """(mode, options) for every permuter and every combination of its listed choices."""
    found = []
    for mode in PERMUTERS.names():
        options = PERMUTERS[mode].options
        values = [option.choices or [NEEDED.get((mode, option.name), option.default)] for option in options]
        for chosen in product(*values):
            found.append((mode, dict(zip((option.name for option in options), chosen, strict=True))))
    return found


def _label(mode: str, options: dict[str, object]) -> str:
    return "-".join([mode, *(value for value in options.values() if isinstance(value, str))])


every_mode = pytest.mark.parametrize(
    ("mode", "options"), [pytest.param(mode, options, id=_label(mode, options)) for mode, options in modes()]
)
