"""Treebanks as numbers, and batches of them, against a loop over words."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from reordering import conllu, word
from small_networks import sample
from strategies import Selection, selections

from permtree.conllu.text import FEATS, FORM, UPOS, XPOS
from permtree.neural.vocabulary import FIRST, LONGEST_WORD, PADDING, ROOT, UNKNOWN, Vocabulary
from permtree.permuting import Permutation, permute_bytes
from permtree.treebank import Treebank, heads_of

torch = pytest.importorskip("torch")

from permtree.neural.batching import Batches, groups  # noqa: E402


def words_of(treebank: Treebank) -> list[list[list[str]]]:
    """The columns of each word, sentence by sentence; of a text that is no selection."""
    sentences = []
    for block in treebank.to_bytes().decode().split("\n\n"):
        rows = [line.split("\t") for line in block.split("\n")]
        sentences.append([row for row in rows if row[0].isdigit()])
    return [rows for rows in sentences if rows]


def codes(known: list[str], values: list[str]) -> list[int]:
    return [FIRST + known.index(value) if value in known else UNKNOWN for value in values]


def items(feats: str) -> list[str]:
    return [] if feats == "_" else feats.split("|")


def without_padding(row: np.ndarray) -> list[int]:
    """The codes of a table's row, whose padding stands at its end."""
    filled = row.tolist()
    n = sum(code != PADDING for code in filled)
    assert not any(filled[n:])
    return filled[:n]


@pytest.fixture(scope="module")
def train() -> Treebank:
    return sample("medol-train", 40)


# -- what training has seen ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("min_frequency", [1, 2, 5, 10**6])
def test_vocabulary(train, min_frequency):
    rows = [row for sentence in words_of(train) for row in sentence]
    lowered = [row[FORM].lower() for row in rows]
    found = Vocabulary.of(train, min_frequency)
    assert found.words == sorted({name for name in lowered if lowered.count(name) >= min_frequency})
    assert found.characters == sorted({character for row in rows for character in row[FORM]})
    assert found.upos == sorted({row[UPOS] for row in rows})
    assert found.xpos == sorted({row[XPOS] for row in rows})
    assert found.feats == sorted({item for row in rows for item in items(row[FEATS])})
    assert (found.vectors, found.vector_size) == ([], 0)


def test_frequency_is_that_of_the_lower_cased_word():
    data = conllu(word(1, "Ab", 0), word(2, "aB", 1), word(3, "c", 1), "")
    assert Vocabulary.of(Treebank.from_bytes(data), 2).words == ["ab"]


def test_the_vocabulary_of_a_selection_is_that_of_its_own_words(train):
    kept = np.arange(train.n_sentences) % 3 == 0
    selection = train.select_sentences(kept)
    assert Vocabulary.of(selection, 2) == Vocabulary.of(written(selection), 2)


def written(selection: Treebank) -> Treebank:
    """A selection of sentences as a text of its own."""
    return Treebank.from_bytes(permute_bytes(selection, Permutation("original"))[0])


# -- a treebank in its terms -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["medol-train", "medol-test", "fluvi-test"])
def test_numbers_of_each_word(train, name):
    """Of the training data, of other sentences, and of another language, most of which is unknown."""
    vocabulary = Vocabulary.of(train, 2)
    treebank = sample(name, 30)
    encoded = vocabulary.encode(treebank)
    sentences = words_of(treebank)
    rows = [row for sentence in sentences for row in sentence]
    assert encoded.n_sentences == len(sentences)
    assert encoded.length.tolist() == [len(sentence) for sentence in sentences]
    assert encoded.start.tolist() == np.cumsum([0, *encoded.length[:-1]]).tolist()
    columns = {key: values.tolist() for key, values in encoded.columns.items()}
    assert columns["word"] == [*codes(vocabulary.words, [row[FORM].lower() for row in rows]), ROOT, PADDING]
    assert columns["upos"] == [*codes(vocabulary.upos, [row[UPOS] for row in rows]), ROOT, PADDING]
    assert columns["xpos"] == [*codes(vocabulary.xpos, [row[XPOS] for row in rows]), ROOT, PADDING]
    if name == "fluvi-test":
        assert UNKNOWN in columns["word"]
    for column, table, parts, known in [
        ("form", "characters", [list(row[FORM]) for row in rows], vocabulary.characters),
        ("feats", "feats", [items(row[FEATS]) for row in rows], vocabulary.feats),
    ]:
        own = encoded.tables[table][encoded.columns[column]]
        expected = [*(codes(known, part) for part in parts), [ROOT], []]
        assert [without_padding(row) for row in own] == expected


def test_what_training_has_not_seen_is_unknown():
    vocabulary = Vocabulary.of(Treebank.from_bytes(conllu("1 ab _ X x A=1|B=2 0 root", "")), 1)
    encoded = vocabulary.encode(Treebank.from_bytes(conllu("1 äb _ Y y A=1|C=2 0 top", "")))
    assert [encoded.columns[name][0] for name in ("word", "upos", "xpos")] == [UNKNOWN] * 3
    assert encoded.tables["characters"][0].tolist() == [UNKNOWN, FIRST + 1]
    assert encoded.tables["feats"][0].tolist() == [FIRST, UNKNOWN]


@pytest.mark.parametrize("n", [LONGEST_WORD, LONGEST_WORD + 1, 500])
def test_of_long_words_the_ends_are_read(n):
    form = "".join(chr(ord("a") + place % 26) for place in range(n))
    treebank = Treebank.from_bytes(conllu(word(1, form, 0), ""))
    vocabulary = Vocabulary.of(treebank, 1)
    half = LONGEST_WORD // 2
    own = vocabulary.encode(treebank).tables["characters"][0]
    assert without_padding(own) == codes(vocabulary.characters, list(form[:half] + form[-half:]))


def test_a_selection_of_sentences_is_encoded_as_if_it_had_been_written(train):
    kept = np.arange(train.n_sentences) % 3 == 1
    selection = train.select_sentences(kept)
    vocabulary = Vocabulary.of(train, 2)
    ours, theirs = vocabulary.encode(selection), vocabulary.encode(written(selection))
    assert ours.start.tolist() == theirs.start.tolist()
    for name, values in ours.columns.items():
        if name in ("form", "feats"):
            table = "characters" if name == "form" else "feats"
            rows = zip(ours.tables[table][values], theirs.tables[table][theirs.columns[name]], strict=True)
            assert all(without_padding(own) == without_padding(other) for own, other in rows)
        else:
            assert values.tolist() == theirs.columns[name].tolist(), name


@pytest.mark.parametrize("sentences", [[], [[0]]])
def test_nothing_or_one_word(train, sentences):
    encoded = Vocabulary.of(train, 1).encode(Treebank.from_heads(sentences))
    assert {len(values) for values in encoded.columns.values()} == {len(sentences) + 2}
    assert [*Batches(encoded, torch.device("cpu")).in_order_of_length(10)] == [0] * len(sentences)


# -- batches ---------------------------------------------------------------------------------------------------------


def check_batch(treebank: Treebank, sentences: list[int]) -> None:
    """Each position of a batch against the heads of its sentence and the columns of its words."""
    vocabulary = Vocabulary.of(treebank, 1)
    encoded = vocabulary.encode(treebank)
    batch = Batches(encoded, torch.device("cpu")).batch(np.array(sentences))
    heads = heads_of(treebank)
    longest = max(len(heads[number]) for number in sentences)
    assert batch.mask.shape == (len(sentences), longest + 1)
    for place, number in enumerate(sentences):
        n, start = len(heads[number]), int(encoded.start[number])
        padding = longest - n
        assert int(batch.length[place]) == n + 1
        assert batch.mask[place].tolist() == [True] * (n + 1) + [False] * padding
        assert batch.words[place].tolist() == [False] + [True] * n + [False] * padding
        for name, values in encoded.columns.items():
            own = [values[-2], *values[start : start + n], *[values[-1]] * padding]
            assert batch.columns[name][place].tolist() == own


@pytest.mark.parametrize("sentences", [[3], [0, 1, 2], [7, 2, 5, 2]])
def test_batches(train, sentences):
    check_batch(train, sentences)


@given(selection=selections(), data=st.data())
def test_batches_of_selections(selection: Selection, data):
    """Words were taken out, of some sentences all."""
    number = st.integers(0, selection.treebank.n_sentences - 1)
    check_batch(selection.treebank, data.draw(st.lists(number, min_size=1, max_size=4)))


lengths = st.lists(st.integers(0, 30), max_size=30).map(lambda values: np.array(values, np.int64))


@given(length=lengths, batch_words=st.integers(1, 80), seed=st.integers(0, 5))
def test_groups_hold_each_sentence_with_words_once(length, batch_words, seed):
    noise = np.random.default_rng(seed).random(len(length)) * length
    found = [*groups(length, noise, batch_words)]
    assert sorted(np.concatenate([[], *found]).tolist()) == np.flatnonzero(length).tolist()
    for group in found:
        assert len(group) == 1 or len(group) * length[group].max() <= batch_words
    ranks = [(length + noise)[group] for group in found]
    assert all(first.max() <= second.min() for first, second in zip(ranks[:-1], ranks[1:], strict=True))


def test_training_batches_depend_on_the_generator_alone(train):
    batches = Batches(Vocabulary.of(train, 1).encode(train), torch.device("cpu"))

    def drawn(seed: int) -> list[list[int]]:
        return [group.tolist() for group in batches.shuffled(60, np.random.default_rng(seed))]

    assert drawn(1) == drawn(1) != drawn(2)
    assert sorted(sum(drawn(1), [])) == [*range(train.n_sentences)]
    lengths_in_order = [int(batches.encoded.length[group[0]]) for group in drawn(1)]
    assert lengths_in_order != sorted(lengths_in_order)
