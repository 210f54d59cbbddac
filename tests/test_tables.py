"""How numbers are shown in tables and as JSON."""

from __future__ import annotations

import json
import math

import pytest

from permtree.tables import PValue, as_json, rendered


@pytest.mark.parametrize(
    ("p", "shown"),
    [
        (1.0, "1.0000"),
        (0.001, "0.0010"),
        (0.00099, "9.9e-04"),
        (1e-41, "1.0e-41"),
        (0.0, "< 1e-300"),
        (math.nan, "n/a"),
    ],
)
def test_a_small_p_is_never_shown_as_nothing(p, shown):
    assert rendered(["p"], [[PValue(p)]], "table").split("\n")[2].strip() == shown
    assert rendered(["p"], [[PValue(p)]], "markdown").split("\n")[2].strip("| ") == shown
    cell = rendered(["p"], [[PValue(p)]], "tsv").split("\n")[1]
    assert cell == ("n/a" if math.isnan(p) else repr(p))


def test_p_values_stand_at_the_right_whatever_their_size():
    for p in (0.5, 0.0):
        assert rendered(["p of a test"], [[PValue(p)]], "table").split("\n")[2].startswith(" ")


def test_json_has_null_for_nan_wherever_it_stands():
    content = {"a": math.nan, "b": [1, (math.nan, "nan")], 3: {"c": 0.5}}
    assert json.loads(as_json(content)) == {"a": None, "b": [1, [None, "nan"]], "3": {"c": 0.5}}
