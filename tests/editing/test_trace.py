"""What permuted files carry: whatever `Orig=` a file had before, all who ask which word is which get one answer."""

from __future__ import annotations

from random import Random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from reordering import conllu, permuted, word
from rich_sentences import no_shrinking
from strategies import generators, random_heads

from permtree import Treebank, invert, pairs, verify
from permtree.conllu.text import LEMMA
from permtree.editing.trace import Trace, joint_ids
from permtree.pictures.picture import find, pair

MODES = ["reverse", "rb", "random", "optdl", "original"]
SHARES = [0, 0.5, 1]  # of words that have a stranger's item


def strangers_file(rng: Random, share: float) -> bytes:
    """Sentences of words that all have the same form (LEMMA tells them apart), with an `Orig=` of a stranger's."""
    lines = []
    for number in range(rng.randrange(1, 4)):
        n = rng.randrange(1, 7)
        ids = rng.choice([range(1, n + 1), range(n, 0, -1), [rng.randrange(1, n + 3) for _ in range(n)]])
        lines.append(f"# sent_id = s{number}")
        for place, (head, own) in enumerate(zip(random_heads(rng, n), ids, strict=True), 1):
            item = rng.choice([f"Orig={own}", f"A=1|Orig={own}", f"Orig={own}|SpaceAfter=No", f"Orig={own}|Orig=1"])
            misc = item if rng.random() < share else rng.choice(["_", "SpaceAfter=No"])
            lines.append(word(place, "a", head, misc=misc).replace(" a _ ", f" a w{place} "))
        lines.append("")
    return conllu(*lines)


@no_shrinking
@given(generators(), st.sampled_from(SHARES), st.integers(0, 2), st.integers(0, 2))
def test_all_agree_on_which_word_is_which(rng, share, first, second):
    data = strangers_file(rng, share)
    sides = []
    for level in (first, second):
        versions = [data]
        for _ in range(level):
            versions.append(permuted(versions[-1], rng.choice(MODES), rng.randrange(9)).to_bytes())
        sides.append(Treebank.from_bytes(versions[-1], "side"))
        for before, after in zip(versions[:-1], versions[1:], strict=True):
            assert invert(Treebank.from_bytes(after)).to_bytes() == before
    lemmas = [side.column(LEMMA).decoded() for side in sides]
    joined = pairs(sides[0], sides[0], sides[1], sides[1])
    start = sides[0].sentence_start[joined.arcs["sentence"]]
    places = [(start + joined.arcs[f"position_{side}"] - 1).tolist() for side in "ab"]
    assert [lemmas[0][place] for place in places[0]] == [lemmas[1][place] for place in places[1]]
    if first or second or not share:  # else an Orig= on every word may be an id whose comments were lost
        assert [f"w{own}" for own in joined.arcs["orig"].tolist()] == [lemmas[0][place] for place in places[0]]
    verdict = verify(*sides)
    assert verdict.is_pair, verdict.failure
    moved = 0
    for number in range(sides[0].n_sentences):
        shown = pair(*(find([side], number + 1) for side in sides))
        begin, end = sides[0].sentence_start[number : number + 2].tolist()
        own = [side[begin:end] for side in lemmas]
        assert [own[0][join.first - 1] for join in shown.joins] == [own[1][join.second - 1] for join in shown.joins]
        assert len(shown.joins) == end - begin
        moved += own[0] != own[1]
    assert verdict.reordered == moved


def test_levels_and_signatures():
    data = conllu(
        "# sent_id = a", word(1, "a", 2), word(2, "b", 0), "", "# x", "# permtree = none", "", word(1, "c", 0), ""
    )
    twice = permuted(permuted(data, "reverse").to_bytes(), "random", 4, punct="final").to_bytes()
    edited = twice.replace(b"# sent_id = a\n", b"# sent_id = a\n# text = # permtree = x\n")
    trace = Trace.of(Treebank.from_bytes(edited).text)
    assert trace.levels.tolist() == [2, 2]
    assert [made.name for made in trace.signatures(0)] == ["reverse", "random"]
    assert [made["punct"] for made in trace.all_signatures()] == ["keep", "final"]
    assert sorted(trace.oldest_ids[:2].tolist()) == sorted(trace.last_ids[:2].tolist()) == [1, 2]
    assert Trace.of(Treebank.from_bytes(data).text).levels.tolist() == [0, 0]


@pytest.mark.parametrize("misc", ["SpaceAfter=No|Orig={}|X=1", "A=b|Orig={}|Z"])
def test_sorted_by_another_tool(misc):
    """Items after ours: `invert` can't be exact any more, but the words are known."""
    lines = permuted(conllu(word(1, "a", 2), word(2, "b", 0), ""), "reverse").to_bytes().decode()
    for number in (1, 2):
        lines = lines.replace(f"\tOrig={number}\n", "\t" + misc.format(number) + "\n")
    assert Trace.of(Treebank.from_bytes(lines.encode()).text).oldest_ids.tolist() == [2, 1]


def test_an_item_with_a_leading_zero_is_none_of_ours():
    data = conllu("# permtree = x", word(1, "a", 0, misc="Orig=01"), "")
    trace = Trace.of(Treebank.from_bytes(data).text)
    assert trace.last_ids.tolist() == trace.oldest_ids.tolist() == [0]


def test_two_originals_whose_items_tell_nothing():
    text = Treebank.from_bytes(conllu(word(1, "a", 0, misc="Orig=3"), word(2, "b", 1, misc="Orig=3"), "")).text
    for ids in joint_ids(Trace.of(text), Trace.of(text), [(0, 0)]):
        assert np.array_equal(ids, [1, 2])
