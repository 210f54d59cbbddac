"""Pretrained word vectors: files in text form, and their words in a network."""

from __future__ import annotations

import bz2
import gzip
from pathlib import Path

import numpy as np
import pytest
from permtree_parsers.biaffine import Biaffine
from reordering import conllu, word
from small_networks import of_both, sample, trained

from permtree.conllu.text import FORM
from permtree.errors import UsageError
from permtree.neural.vectors import read_vectors
from permtree.neural.vocabulary import FIRST, PADDING, ROOT, UNKNOWN
from permtree.treebank import Treebank

torch = pytest.importorskip("torch")

from permtree.neural.batching import Batches  # noqa: E402

torch.set_num_threads(1)
LINES = [b"the 1 2.5 -3", b"\xc3\x84pfel 4e-1 5 6", b"of 7 8 9"]
WORDS, VALUES = ["the", "Äpfel", "of"], [[1, 2.5, -3], [0.4, 5, 6], [7, 8, 9]]


def written(folder: Path, data: bytes, name: str = "a.vec") -> str:
    path = folder / name
    path.write_bytes(data)
    return str(path)


# -- files -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "data",
    [
        pytest.param(b"\n".join(LINES) + b"\n", id="GloVe"),
        pytest.param(b"\n".join(LINES), id="no last newline"),
        pytest.param(b"\n".join([b"3 3", *LINES]) + b"\n", id="word2vec"),
        pytest.param(b" \n".join([b"3 3", *LINES]) + b" \n", id="fastText"),
        pytest.param(b"\r\n".join(LINES), id="carriage returns"),
        pytest.param(b"\n".join([*LINES, b"the 0 0 0"]), id="a word twice"),
        pytest.param(b"\n".join(line.replace(b" ", b"\t") for line in LINES), id="tabs"),
        pytest.param(gzip.compress(b"\n".join(LINES)), id="gz"),
        pytest.param(bz2.compress(b"\n".join([b"3 3", *LINES])), id="bz2"),
    ],
)
def test_formats(tmp_path: Path, data):
    words, vectors = read_vectors(written(tmp_path, data), 100)
    assert words == WORDS
    assert vectors.dtype == np.float32
    np.testing.assert_allclose(vectors, VALUES, rtol=1e-6)


@pytest.mark.parametrize("header", [[], [b"3 3"]], ids=["no header", "header"])
@pytest.mark.parametrize("most", [1, 2, 3, 4])
def test_the_first_ones(tmp_path: Path, most, header):
    words, vectors = read_vectors(written(tmp_path, b"\n".join([*header, *LINES])), most)
    assert words == WORDS[:most]
    np.testing.assert_allclose(vectors, VALUES[:most], rtol=1e-6)


def test_what_comes_after_the_first_ones_is_not_read(tmp_path: Path):
    words, _ = read_vectors(written(tmp_path, b"\n".join([*LINES, b"broken"])), 3)
    assert words == WORDS


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", ": no word vectors"),
        (b"3 3\n", ": no word vectors"),
        (b"a 1 2\nb 3\n", ":2: 1 numbers; every line must have 2 numbers"),
        (b"a 1 2\nb 3 4 5\n", ":2: 3 numbers; every line must have 2 numbers"),
        (b"2 2\na 1 2\nb 3\n", ":3: 1 numbers; every line must have 2 numbers"),
        (b"a 1 2\nb 3 x\n", ":2: no word vector: "),
        (b"a 1 nan\n", ":1: no word vector: "),
        (b"a 1 2\nb 1e999 2\n", ":2: no word vector: "),
        (b"a 1 2\n\xff 3 4\n", ":2: no word vector: "),
        (b"alone\n", ":1: 0 numbers; every line must have numbers after the word"),
        (b"a 1 2\n\nb 3 4\n", ":2: 0 numbers; every line must have 2 numbers"),
        (gzip.compress(b"a 1 2\n" * 1000, mtime=0)[:-20], ": damaged file: "),
        (b"\x00\x01\x02", ":1: 0 numbers"),
        (b"new york 1 2\n", ":1: no word vector: "),  # that there are two numbers is not yet known
    ],
)
def test_faults(tmp_path: Path, data, message):
    path = written(tmp_path, data)
    with pytest.raises(UsageError) as caught:
        read_vectors(path, 5000)
    assert str(caught.value).startswith(path + message)
    assert "\n" not in str(caught.value)


def test_a_file_that_is_not_there(tmp_path: Path):
    written(tmp_path, b"\n".join(LINES))
    with pytest.raises(UsageError, match="no such file; did you mean .*a.vec"):
        read_vectors(str(tmp_path / "a.vek"), 10)


# -- in a network ----------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def train() -> Treebank:
    return sample("medol-train", 10)


@pytest.fixture(scope="module")
def some_vectors(train, tmp_path_factory) -> tuple[str, dict[str, list[float]]]:
    """Vectors of every other word of the training data, and of one that it doesn't have."""
    random = np.random.default_rng(1)
    names = [*sorted(set(train.text.strings(FORM)))[::2], "Never"]
    values = {name: [round(float(value), 3) for value in random.normal(size=5)] for name in names}
    text = "\n".join(" ".join([name, *map(str, own)]) for name, own in values.items())
    return written(tmp_path_factory.mktemp("vectors"), text.encode()), values


@of_both
def test_training_does_not_change_them_and_a_saved_parser_has_them(kind, train, some_vectors, tmp_path: Path):
    path, values = some_vectors
    parser = trained(kind, train, vectors=path, weight_decay=0.1)
    assert parser.vocabulary.vectors == list(values)
    table = parser.model.features.vectors.weight
    np.testing.assert_allclose(table[FIRST:].numpy(), np.array(list(values.values())), rtol=1e-6)
    assert not table[:FIRST].any()
    parser.save(tmp_path)
    expected = parser.predict(train).to_bytes()
    moved = Path(path).rename(path + ".moved")  # a model needs nothing beside its folder
    assert kind.load(tmp_path, "cpu").predict(train).to_bytes() == expected
    moved.rename(path)


def test_most_vectors_is_a_setting(train, some_vectors):
    path, values = some_vectors
    parser = trained(Biaffine, train, vectors=path, most_vectors=3)
    assert parser.vocabulary.vectors == list(values)[:3]


def test_which_vector_a_word_has(train, some_vectors):
    """That of the form as it is written, else of the lower-cased form, else none."""
    path, values = some_vectors
    parser = trained(Biaffine, train, vectors=path, epochs=1)
    known = next(name for name in values if name.islower())
    text = conllu(
        *(word(place, form, place - 1) for place, form in enumerate([known, known.upper(), "Never", "never"], 1))
    )
    encoded = parser.encode(Treebank.from_bytes(text))
    own = FIRST + list(values).index(known)
    assert encoded.columns["vector"].tolist() == [own, own, FIRST + len(values) - 1, UNKNOWN, ROOT, PADDING]


@of_both
def test_they_are_looked_at(kind, train, some_vectors):
    """Words that are unknown in all else, told apart by their vectors."""
    path, values = some_vectors
    nothing = {"upos": False, "feats": False, "characters": "none", "min_frequency": 10**6}
    parser = trained(kind, train, vectors=path, epochs=1, **nothing)
    assert parser.vocabulary.words == []
    names = [*values][:2]
    text = Treebank.from_bytes(
        conllu(*(word(place, form, place - 1) for place, form in enumerate([*names, "x", "y"], 1)))
    )
    batch = Batches(parser.encode(text), torch.device("cpu")).batch(np.array([0]))
    found = parser.model.features(batch)[0, 1:]
    assert len(torch.unique(found, dim=0)) == 3
    np.testing.assert_allclose(found[:2, -5:].detach().numpy(), [values[name] for name in names], rtol=1e-6)


def test_words_with_blanks_in_them(tmp_path: Path):
    """As in large files of GloVe; the size is that of the first line."""
    words, vectors = read_vectors(written(tmp_path, b"a 1 2\n. . . 3 4\nnew york 5 6\n"), 9)
    assert words == ["a", ". . .", "new york"]
    assert vectors.tolist() == [[1, 2], [3, 4], [5, 6]]
