"""`permtree list`: a card for every mode, measure, profile and parser."""

from __future__ import annotations

import pytest
from commandline import permtree

from permtree.configuration import described
from permtree.measures import MEASURES
from permtree.parsing import parser_class, parser_names
from permtree.permuters import PERMUTERS
from permtree.profiles import PROFILES

KINDS = {
    "modes": PERMUTERS.names(),
    "measures": MEASURES.names(),
    "profiles": list(PROFILES),
    "parsers": parser_names(),
}


@pytest.mark.parametrize("kind", KINDS)
def test_one_kind(kind):
    out = permtree("list", kind).out.decode()
    titles = [line for line in out.splitlines()[1:] if line and not line.startswith(" ")]
    assert titles == KINDS[kind]


def test_all_kinds():
    assert permtree("list").out == b"".join(permtree("list", kind).out for kind in KINDS)


def test_every_card_is_filled_in():
    for name in PERMUTERS.names():
        card = PERMUTERS[name]
        assert card.name == name
        assert card.what
        assert card.source
        assert all(one.metadata["about"] for one in card.options.values())
    for name in MEASURES.names():
        measure = MEASURES[name]
        assert measure.name == name
        assert all([measure.what, measure.unit, measure.range, measure.empty, measure.source])
    for name in parser_names():
        parser = parser_class(name)
        assert parser.name == name
        assert parser.what and parser.source
        assert all(what for _, what in described(parser.Config))


def test_markdown():
    out = permtree("list", "--format", "markdown").out.decode()
    for kind, names in KINDS.items():
        assert f"## {kind}\n" in out
        for name in names:
            assert f"### `{name}`\n" in out
