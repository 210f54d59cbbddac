"""Heads and relations put on a text: what is written, and that all else stays to the byte."""

from __future__ import annotations

import random
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from places import SAMPLE
from reordering import conllu, word
from rich_sentences import no_shrinking, rich_sentences

from permtree.editing.annotating import annotated, with_deps
from permtree.errors import DataError, UsageError
from permtree.kernels.trees import ROOT
from permtree.treebank import Treebank

NAMES = ["root", "dep", "ÖL:ü", "a:very:long:relation:indeed", "r"]


def drawn(treebank: Treebank, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Any heads inside the sentences, trees or not, and relations."""
    rng = random.Random(seed)
    heads = []
    for first, last in zip(treebank.sentence_start[:-1].tolist(), treebank.sentence_start[1:].tolist(), strict=True):
        heads += [rng.choice([ROOT, *range(first, last)]) for _ in range(first, last)]
    return np.array(heads, np.int64), np.array([rng.randrange(len(NAMES)) for _ in heads], np.int64)


def by_hand(treebank: Treebank, head: np.ndarray, relation: np.ndarray) -> bytes:
    """What `annotated` should write, line by line."""
    first = treebank.sentence_start[:-1][treebank.sentence_of]
    rows = iter(zip(head.tolist(), relation.tolist(), first.tolist(), strict=True))
    lines = treebank.to_bytes().split(b"\n")
    for number, line in enumerate(lines):
        columns = line.split(b"\t")
        if columns[0].isdigit():
            own_head, own_relation, start = next(rows)
            columns[6] = b"0" if own_head == ROOT else b"%d" % (own_head - start + 1)
            columns[7] = NAMES[own_relation].encode()
        if columns[0][:1].isdigit():
            columns[8] = b"_"
        lines[number] = b"\t".join(columns)
    return b"\n".join(lines)


def deps_by_hand(data: bytes) -> int:
    lines = [line.split(b"\t") for line in data.split(b"\n")]
    return sum(columns[0][:1].isdigit() and columns[8] != b"_" for columns in lines)


def check(treebank: Treebank) -> None:
    head, relation = drawn(treebank)
    found = annotated(treebank, head, relation, NAMES)
    assert found.to_bytes() == by_hand(treebank, head, relation)
    assert found.head.tolist() == head.tolist()
    assert found.deprel.decoded() == [NAMES[code] for code in relation.tolist()]
    assert found.sentence_start.tolist() == treebank.sentence_start.tolist()
    assert with_deps(treebank) == deps_by_hand(treebank.to_bytes())
    assert with_deps(found) == 0


def test_small_cases(case_path: Path):
    try:
        treebank = Treebank.read(str(case_path))
    except DataError:
        return  # what can't be read can't be annotated
    check(treebank)


@pytest.mark.parametrize("path", sorted(SAMPLE.glob("*-test.conllu")), ids=lambda path: path.stem)
def test_the_sample(path):
    check(Treebank.read(str(path)))


@no_shrinking
@given(data=rich_sentences())
def test_rich_sentences(data):
    check(Treebank.from_bytes(data))


@pytest.mark.parametrize(
    "data",
    [
        pytest.param(b"", id="nothing"),
        pytest.param(b"# a comment alone\n\n", id="comment"),
        pytest.param(conllu(word(1, "a", 0)), id="no blank line"),
        pytest.param(conllu(word(1, "a", 0)).rstrip(b"\n"), id="no newline"),
        pytest.param(conllu(word(1, "a", 2, "2:dep"), word(2, "b", 0, "0:root")).rstrip(b"\n"), id="DEPS, no newline"),
        pytest.param(conllu("# x", "", word(1, "a", 0), "", "", "# y", ""), id="comments around"),
        pytest.param(conllu(word("0.1", "e", deps="1:x"), word("1-2", "ab"), word(1, "a", 0), word(2, "b", 1), ""),
                     id="node and range"),
        pytest.param(conllu(*(word(k, "w", 0 if k == 1 else 1) for k in range(1, 1235)), ""), id="long numbers"),
    ],
)  # fmt: skip
def test_texts_with_a_twist(data):
    check(Treebank.from_bytes(data))


def test_ranges_and_empty_nodes_keep_all_but_deps():
    data = conllu(
        word("1-2", "ab", misc="SpaceAfter=No"), word(1, "a", 2, "2:x"), word(2, "b", 0, "0:root"),
        "2.1 e lemma X x A=1 _ _ 1:y|2:z MISC:B=2", "",
    )  # fmt: skip
    found = annotated(Treebank.from_bytes(data), np.array([ROOT, 0]), np.array([0, 1]), NAMES)
    assert found.to_bytes() == conllu(
        word("1-2", "ab", misc="SpaceAfter=No"), word(1, "a", 0), word(2, "b", 1),
        "2.1 e lemma X x A=1 _ _ _ MISC:B=2", "",
    )  # fmt: skip
    assert with_deps(Treebank.from_bytes(data)) == 3


def test_the_same_heads_and_relations_change_nothing():
    treebank = Treebank.read(str(SAMPLE / "medol-test.conllu"))
    relation = treebank.deprel
    found = annotated(treebank, treebank.head, relation.codes, relation.vocabulary)
    assert found.to_bytes() == treebank.to_bytes()


def test_the_name_of_the_file_and_its_lines_stay():
    treebank = Treebank.read(str(SAMPLE / "medol-test.conllu"))
    found = annotated(treebank, *drawn(treebank), NAMES)
    assert [found.text.place_of_word(row) for row in (0, 99)] == [treebank.text.place_of_word(row) for row in (0, 99)]


@pytest.mark.parametrize("select", ["select_sentences", "select_words"])
def test_a_selection_is_refused(select):
    whole = Treebank.from_heads([[0], [0, 1]])
    n = {"select_sentences": whole.n_sentences, "select_words": whole.n_words}[select]
    selection = getattr(whole, select)(np.arange(n) > 0)
    with pytest.raises(UsageError, match="selection.*original"):
        annotated(selection, selection.head, selection.deprel.codes, selection.deprel.vocabulary)
