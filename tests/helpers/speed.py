"""What the quick suite leaves to the long one: all but the first of some values."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest


def first_is_quick(values: Sequence[Any], quick: int = 1) -> list[Any]:
    """Values for `pytest.mark.parametrize` (tuples: of several arguments); tests with those after the first `quick` are
    long."""
    rest = [value if isinstance(value, tuple) else (value,) for value in values[quick:]]
    return [*values[:quick], *(pytest.param(*value, marks=pytest.mark.long) for value in rest)]
