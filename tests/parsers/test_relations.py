"""Heads and relations as numbers, against a loop over words."""

from __future__ import annotations

import numpy as np
import pytest
from reordering import conllu, word
from small_networks import sample

from permtree.neural.vocabulary import Vocabulary
from permtree.treebank import Treebank, heads_of

pytest.importorskip("torch")

from permtree_parsers.relations import UNSEEN, ParserVocabulary


@pytest.fixture(scope="module")
def train() -> Treebank:
    return sample("medol-train", 40)


def rows_of(treebank: Treebank) -> list[tuple[int, str]]:
    """Head and relation of each word, of a text that is no selection."""
    rows = [line.split("\t") for line in treebank.to_bytes().decode().split("\n")]
    return [(int(row[6]), row[7]) for row in rows if row[0].isdigit()]


def test_what_training_has_seen(train):
    rows, found = rows_of(train), ParserVocabulary.of(train, 2)
    assert found.relations == sorted({relation for _, relation in rows})
    assert found.of_root == [(0, name) in rows for name in found.relations]
    assert found.of_word == [any(head and name == own for head, own in rows) for name in found.relations]
    symbols = vars(Vocabulary.of(train, 2))
    assert {name: value for name, value in vars(found).items() if name in symbols} == symbols


@pytest.mark.parametrize("name", ["medol-train", "medol-test", "fluvi-test"])
def test_heads_and_relations(train, name):
    vocabulary, treebank = ParserVocabulary.of(train, 2), sample(name, 30)
    rows, encoded = rows_of(treebank), vocabulary.encode(treebank)
    codes = {relation: code for code, relation in enumerate(vocabulary.relations)}
    assert encoded.columns["head"].tolist() == [*(head for head, _ in rows), 0, 0]
    expected = [*(codes.get(relation, UNSEEN) for _, relation in rows), UNSEEN, UNSEEN]
    assert encoded.columns["relation"].tolist() == expected
    plain = Vocabulary.of(train, 2).encode(treebank)
    assert encoded.columns.keys() - plain.columns.keys() == {"head", "relation"}
    assert all(np.array_equal(encoded.columns[column], values) for column, values in plain.columns.items())


def test_a_relation_that_training_has_not_seen():
    vocabulary = ParserVocabulary.of(Treebank.from_bytes(conllu("1 ab _ X x A=1|B=2 0 root", "")), 1)
    encoded = vocabulary.encode(Treebank.from_bytes(conllu("1 ab _ X x A=1|B=2 0 top", "")))
    assert encoded.columns["relation"][0] == UNSEEN


def test_words_without_heads_can_be_encoded():
    data = conllu(word(1, "a"), word(2, "b"), "")
    vocabulary = ParserVocabulary.of(Treebank.from_heads([[0, 1]]), 1)
    assert vocabulary.encode(Treebank.from_bytes(data)).columns["head"].tolist() == [0, 0, 0, 0]


def test_a_selection_is_in_terms_of_its_own_sentences(train):
    selection = train.select_sentences(np.arange(train.n_sentences) % 3 == 1)
    encoded = ParserVocabulary.of(train, 2).encode(selection)
    assert encoded.of_words("head").tolist() == [head for heads in heads_of(selection) for head in heads]
