"""The scripts in experiments/ run on the sample and say what the documentation says of them."""

from __future__ import annotations

import subprocess
import sys

import pytest
from places import ROOT

from permtree.permuters import PERMUTERS


@pytest.fixture(scope="module")
def orders() -> dict[str, list[list[float]]]:
    """By mode, for each treebank: DLM ratio, arc-direction entropy, sibling-order entropy."""
    files = [f"{name}={ROOT}/treebanks/{name}-dev.conllu" for name in ("medol", "fluvi")]
    command = [sys.executable, str(ROOT / "experiments" / "orders_table.py"), *files]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in done.stdout.splitlines()[2:]]
    return {
        row[0].strip("`"): [[float(number) for number in cell.split(" / ")] for cell in row[1:] if " / " in cell]
        for row in rows
    }


@pytest.mark.long
def test_every_mode_is_in_the_table(orders):
    assert {order.split()[0] for order in orders} == set(PERMUTERS.names()) - {"fixed"}


@pytest.mark.long
def test_one_property_moves_at_a_time(orders):
    for place in (0, 1):
        shortest = {order: values[place] for order, values in orders.items() if order.startswith("optdl")}
        assert {length for length, _, _ in shortest.values()} == {1.0}
        entropies = {order: entropy for order, (_, entropy, _) in shortest.items()}
        assert min(entropies, key=entropies.__getitem__) == "optdl --ties min-entropy"
        assert max(entropies, key=entropies.__getitem__) == "optdl --ties max-entropy"
        assert entropies["optdl --ties max-entropy"] - entropies["optdl --ties min-entropy"] > 0.1
        lengths = [orders[f"rb --siblings {siblings}"][place] for siblings in ("shortest-nearest", "longest-nearest")]
        assert lengths[0][0] < lengths[1][0]
        assert {lengths[0][1], lengths[1][1]} == {0.0}
        projective = ("optdl", "rb", "lb", "maxdl", "majority", "grammar", "random-projective", "fong-berwick")
        found = {order: values[place][0] for order, values in orders.items() if order.split()[0] in projective}
        assert max(found, key=found.__getitem__) == "maxdl"


@pytest.mark.long
def test_a_grammar_fixes_sides_and_siblings(orders):
    for _, entropy, siblings in orders["grammar --weights grammar_sov.toml"]:
        assert (entropy, siblings) == (0.0, 0.0)


@pytest.mark.long
def test_dials_come_where_they_were_sent(orders):
    for order, values in orders.items():
        if order.startswith("match"):
            _, _, dlm, _, entropy = order.split()
            for length, found, _ in values:
                assert abs(length - float(dlm)) <= 0.0056
                assert abs(found - float(entropy)) <= 0.0056
