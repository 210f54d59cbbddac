"""Arc-direction entropy of treebanks made by hand, whose entropy is known."""

from __future__ import annotations

import math
from collections.abc import Iterable

import pytest
from commandline import measured
from definitions import arcs
from hypothesis import given
from hypothesis import strategies as st
from naive_measures import entropy
from reordering import conllu
from strategies import batches

from permtree import Treebank, measure

LOG2 = math.log(2)


def two_words(relation: str, head_tag: str, tag: str, dependent_first: bool) -> bytes:
    """A root and one dependent."""
    root, dependent = f"_ {head_tag} _ _ 0 root", f"_ {tag} _ _ {2 if dependent_first else 1} {relation}"
    pair = [dependent, root] if dependent_first else [root, dependent]
    return conllu(*(f"{number} w {columns}" for number, columns in enumerate(pair, 1)), "")


def treebank(*counts: tuple[str, str, str, int, int]) -> bytes:
    """(relation, head tag, dependent tag, how often the dependent stands left, how often right)."""
    return b"".join(
        two_words(relation, head_tag, tag, True) * left + two_words(relation, head_tag, tag, False) * right
        for relation, head_tag, tag, left, right in counts
    )


def nats(*shares: float) -> float:
    return -sum(share * math.log(share) for share in shares)


KNOWN = {
    "one side only": (treebank(("obj", "VERB", "NOUN", 0, 7)), 0),
    "each type on its own side": (treebank(("obj", "VERB", "NOUN", 0, 7), ("nsubj", "VERB", "NOUN", 3, 0)), 0),
    "half and half": (treebank(("obj", "VERB", "NOUN", 4, 4)), LOG2),
    "one in four": (treebank(("obj", "VERB", "NOUN", 1, 3)), nats(1 / 4, 3 / 4)),
    "weighted by frequency": (treebank(("obj", "VERB", "NOUN", 1, 1), ("nsubj", "VERB", "NOUN", 6, 0)), LOG2 / 4),
    "relations are apart": (treebank(("obj", "VERB", "NOUN", 1, 0), ("nsubj", "VERB", "NOUN", 0, 1)), 0),
    "subtypes are apart": (treebank(("nmod", "NOUN", "NOUN", 1, 0), ("nmod:poss", "NOUN", "NOUN", 0, 1)), 0),
    "tags of heads are apart": (treebank(("obj", "VERB", "NOUN", 1, 0), ("obj", "AUX", "NOUN", 0, 1)), 0),
    "tags of dependents are apart": (treebank(("obj", "VERB", "NOUN", 1, 0), ("obj", "VERB", "PRON", 0, 1)), 0),
    "all types alike": (treebank(("a", "X", "X", 2, 2), ("b", "X", "X", 3, 3), ("a", "X", "Y", 1, 1)), LOG2),
}


@pytest.mark.parametrize(("data", "expected"), KNOWN.values(), ids=KNOWN.keys())
def test_known_entropy_in_both_units(data, expected):
    for unit, scale in (("nats", 1), ("bits", 1 / LOG2)):
        value = measure(Treebank.from_bytes(data), "arc_direction_entropy", unit=unit)["arc_direction_entropy"]
        assert value.value == pytest.approx(expected * scale, abs=1e-15)
        assert f"|unit:{unit}|" in value.signature


@pytest.mark.parametrize(("data", "expected"), KNOWN.values(), ids=KNOWN.keys())
def test_order_of_sentences_does_not_show(data, expected):
    turned = b"\n\n".join(reversed(data.strip().split(b"\n\n"))) + b"\n\n"
    one, other = (measure(Treebank.from_bytes(each), "arc_direction_entropy") for each in (data, turned))
    assert one["arc_direction_entropy"].value == other["arc_direction_entropy"].value


def test_units_on_the_command_line():
    data, expected = KNOWN["one in four"]
    for arguments, scale in (([], 1), (["--unit", "bits"], 1 / LOG2), (["--profile", "futrell-2015"], 1 / LOG2)):
        result = measured("--measure", "arc_direction_entropy", *arguments, stdin=data)
        assert result["measures"]["arc_direction_entropy"]["value"] == pytest.approx(expected * scale)


def test_a_root_has_no_direction():
    roots = conllu("1 a _ X _ _ 0 root", "") * 5
    assert math.isnan(measure(Treebank.from_bytes(roots), "arc_direction_entropy")["arc_direction_entropy"].value)


def tagged(batch: Iterable[list[int]], tags: str) -> tuple[bytes, list[tuple[object, bool]]]:
    """Sentences with the tags given in turn, and the (type, side) of each of their arcs."""
    lines, seen = [], []
    for heads in batch:
        tag = [tags[(number + head) % len(tags)] for number, head in enumerate(heads)]
        relation = [f"r{head % 3}" for head in heads]
        lines += [f"{n} w _ {tag[n - 1]} _ _ {head} {relation[n - 1]}" for n, head in enumerate(heads, 1)] + [""]
        seen += [((relation[d - 1], tag[h - 1], tag[d - 1]), d > h) for h, d in arcs(heads)]
    return conllu(*lines), seen


@given(batches(), st.text("ABC", min_size=1, max_size=7))
def test_random_treebanks(batch, tags):
    data, seen = tagged(batch, tags)
    result = measure(Treebank.from_bytes(data), "arc_direction_entropy", roots="keep", punct="keep")
    expected = entropy(seen)
    assert result["arc_direction_entropy"].value == pytest.approx(expected, abs=1e-14, nan_ok=True)
