"""How numbers are shown in tables."""

from __future__ import annotations

import math

import pytest

from permtree.tables import p_shown


@pytest.mark.parametrize(
    ("p", "shown"),
    [(1.0, 1.0), (0.001, 0.001), (0.00099, "9.9e-04"), (1e-41, "1.0e-41"), (0.0, "< 1e-300")],
)
def test_a_small_p_is_never_shown_as_nothing(p, shown):
    assert p_shown(p, "table") == p_shown(p, "markdown") == shown
    assert p_shown(p, "tsv") == p


def test_p_of_nothing_is_nan():
    assert math.isnan(float(p_shown(math.nan, "table")))
