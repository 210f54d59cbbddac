"""Signatures print and parse, whatever is in them; nobody else takes them apart."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from permtree.signature import Signature, argument_of, with_argument

ROOT = Path(__file__).parents[1]
hostile = st.text(alphabet=st.sampled_from("ab|:()=\\ \t\n\r\x00\x1b\x7f\u2028é\U0001f600_")) | st.text(max_size=5)
values = hostile | st.integers() | st.none() | st.booleans()


@given(hostile, st.lists(st.tuples(hostile, values), max_size=5))
def test_a_signature_prints_and_parses(name, parts):
    made = Signature(name, parts)
    line = str(made)
    assert Signature.parse(line) == made
    assert dict(Signature.parse(line)) == dict(made)
    assert line.isprintable()
    assert line.count("|") == sum(value is not None for _, value in parts)
    assert set(made) == set(Signature("", [(key, "") for key, value in parts if value is not None]))


@given(hostile)
def test_any_line_is_a_signature(line):
    found = Signature.parse(line)
    assert Signature.parse(str(found)) == found
    if line.isprintable():
        assert str(found) == line


def test_parts_are_read_by_name():
    line = "optdl|ties:alternate|seed:0|punct:strip(SYM)|of:like:x.conllu|odd|permtree:0.1.0"
    found = Signature.parse(line)
    assert str(found) == line
    assert (found.name, found["ties"], found["of"], found["odd"]) == ("optdl", "alternate", "like:x.conllu", "")
    assert argument_of(found["punct"]) == ("strip", "SYM")
    assert found.get("convention") is None
    assert list(found) == ["ties", "seed", "punct", "of", "odd", "permtree"]
    assert str(found.without("seed", "of")) == "optdl|ties:alternate|punct:strip(SYM)|odd|permtree:0.1.0"
    assert (
        str(Signature("las", {"convention": "all", "ci": None}).with_parts({"sents": 20}))
        == "las|convention:all|sents:20"
    )
    assert found == Signature.parse(line)
    assert hash(found) == hash(Signature.parse(line))
    assert found != found.without("seed")


@pytest.mark.parametrize(("value", "argument"), [("no-punct", "SYM"), ("strip", ""), ("a", "(b)")])
def test_values_with_arguments(value, argument):
    assert argument_of(with_argument(value, argument)) == (value, argument)


@pytest.mark.parametrize("value", ["a(", "a)", "(", "a(b)c"])
def test_brackets_that_are_no_argument(value):
    assert argument_of(value) == (value, "")


def test_nobody_else_knows_the_spelling():
    """Else a bar is split at only for FEATS; the marks of a permuted file stand in one module."""
    code = {
        path.relative_to(ROOT).as_posix(): path.read_text(encoding="utf-8") for path in ROOT.glob("permtree/**/*.py")
    }
    assert [name for name, text in code.items() if "# permtree" in text] == ["permtree/editing/trace.py"]
    assert [name for name, text in code.items() if "OrigSpace" in text] == ["permtree/editing/trace.py"]
    splitting = [name for name, text in code.items() if 'split("|")' in text or 'removeprefix("convention' in text]
    of_feats = {"permtree/neural/vocabulary.py", "permtree/parsing/tags.py"}
    assert set(splitting) - of_feats == {"permtree/signature.py"}
