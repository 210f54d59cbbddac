"""supar's parsers: what goes in and comes back, that nothing of supar shows outside, that a saved one is the same."""

from __future__ import annotations

import functools
import json
import logging
import random
import sys
import warnings
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from commandline import sentence
from hypothesis import given, settings
from parsing import same_but_for_trees, trees_with_one_root
from permtree_parsers.folder import MODEL
from permtree_parsers.supar_adapter import SuparBiaffine, SuparConfig, SuparCRF, SuparParser
from places import SAMPLE
from reordering import conllu, word
from rich_sentences import rich_sentences
from speed import first_is_quick

from permtree.errors import UsageError
from permtree.parsing import Session
from permtree.treebank import Treebank, heads_of

torch = pytest.importorskip("torch")
pytest.importorskip("supar")

KINDS = [SuparBiaffine, SuparCRF]
of_both_kinds = pytest.mark.parametrize("kind", first_is_quick(KINDS), ids=lambda kind: kind.name)
SMALL = {"n_embed": 8, "n_feat_embed": 8, "n_char_embed": 8, "n_char_hidden": 8}
SMALL |= {"threads": 1, "n_lstm_hidden": 8, "n_lstm_layers": 1, "n_arc_mlp": 8, "n_rel_mlp": 8, "batch_size": 200}


def tiny(**other: object) -> SuparConfig:
    """A config that trains in a moment."""
    return SuparConfig(**{**SMALL, "epochs": 1, **other})


def some(name: str, n_sentences: int) -> Treebank:
    """The first sentences of a file of the sample."""
    treebank = Treebank.read(str(SAMPLE / name))
    return treebank.select_sentences(np.arange(treebank.n_sentences) < n_sentences)


@pytest.fixture(scope="module")
def train() -> Treebank:
    return some("fluvi-train.conllu", 30)


@pytest.fixture(scope="module")
def test() -> Treebank:
    return Treebank.read(str(SAMPLE / "fluvi-test.conllu"))


@pytest.fixture(scope="module")
def parsers(train) -> Callable[[type[SuparParser]], SuparParser]:
    """A trained parser of a kind; each is trained when a test first asks for it."""
    return functools.cache(lambda kind: kind.train(train, None, tiny(), device="cpu"))


def saved(parser: SuparParser, folder: Path) -> dict[str, bytes]:
    folder.mkdir(exist_ok=True)
    parser.save(folder)
    return {path.name: path.read_bytes() for path in folder.iterdir()}


@of_both_kinds
def test_the_same_after_loading(kind, parsers, test, tmp_path):
    files = saved(parsers(kind), tmp_path)
    assert set(files) == {"model.json", "weights.safetensors"}
    assert not any(data.startswith((b"\x80", b"PK")) for data in files.values())  # how pickles and torch's files begin
    found = parsers(kind).predict(test)
    assert trees_with_one_root(found)
    assert not found.nonprojective.any()
    assert same_but_for_trees(test.to_bytes(), found.to_bytes())
    again = kind.load(tmp_path, "cpu")
    assert again.predict(test).to_bytes() == found.to_bytes()
    assert saved(again, tmp_path / "again") == files


@pytest.mark.long
@of_both_kinds
def test_seeds(kind, parsers, train, tmp_path):
    same = saved(kind.train(train, None, tiny(), device="cpu"), tmp_path / "same")
    assert same == saved(parsers(kind), tmp_path / "parser")
    assert same != saved(kind.train(train, None, tiny(), seed=1, device="cpu"), tmp_path / "other")


@of_both_kinds
def test_heads_and_relations_of_the_input_are_not_looked_at(kind, parsers, test):
    once = parsers(kind).predict(test)
    assert once.to_bytes() != test.to_bytes()
    assert parsers(kind).predict(once).to_bytes() == once.to_bytes()


@of_both_kinds
@given(text=rich_sentences())
@settings(max_examples=5)
def test_ranges_empty_nodes_and_all_else_stay(kind, parsers, text):
    found = parsers(kind).predict(Treebank.from_bytes(text))
    assert trees_with_one_root(found)
    assert same_but_for_trees(text, found.to_bytes())


def odd() -> bytes:
    """Sentences of what a reader may stumble over, without trees; supar's own symbols among them."""
    long = "".join(f"{number}\tw\t_\tNOUN\t_\t_\t_\t_\t_\t_\n" for number in range(1, 301))
    forms = ["a b", "#", "_", "\u00a0", "x" * 5000, "\U0001f600", "<pad>", "<PAD>", "<bos>", "<unk>"]
    words = "".join(f"{n}\t{form}\ta b\tNO TAG\t_\tA=b c\t_\t_\t_\t_\n" for n, form in enumerate(forms, 1))
    return f"{long}\n{words}\n1\t<pad>\t_\t<bos>\t_\t_\t_\t_\t_\t_\n\n".encode()


@pytest.mark.long
@of_both_kinds
def test_odd_words_unseen_tags_long_sentences_and_no_sentences(kind, parsers):
    found = parsers(kind).predict(Treebank.from_bytes(odd()))
    assert found.n_words == 311
    assert trees_with_one_root(found)
    assert same_but_for_trees(odd(), found.to_bytes())
    assert "<bos>" not in found.deprel.vocabulary
    assert parsers(kind).predict(Treebank.from_bytes(b"")).to_bytes() == b""


@of_both_kinds
def test_words_like_supars_symbols_in_training(kind):
    text = conllu(word(1, "<pad>", 2), word(2, "<bos>", 0), word(3, "<unk>", 2), "") * 3
    found = kind.train(Treebank.from_bytes(text), None, tiny(), device="cpu").predict(Treebank.from_bytes(text))
    assert trees_with_one_root(found)


@pytest.mark.long
@of_both_kinds
@pytest.mark.parametrize("feat", [("tag",), ("char",)])
def test_single_features_and_trees_that_may_cross(kind, feat, train, test, tmp_path):
    parser = kind.train(train, None, tiny(feat=feat, proj=False), device="cpu")
    found = parser.predict(test)
    assert trees_with_one_root(found)
    assert found.nonprojective.any()  # as good as untrained
    saved(parser, tmp_path)
    assert kind.load(tmp_path, "cpu").predict(test).to_bytes() == found.to_bytes()


CROSSED = sentence("crossed", 3, 4, 0, 3) + sentence("several", 0, 0, 1) + sentence("plain", 0, 1, 2)


@pytest.mark.parametrize(
    ("kind", "proj", "left_out"),
    [
        (SuparBiaffine, True, []),
        (SuparCRF, True, ["2 of 3 sentences (1 not projective, 1 with several roots)"]),
        (SuparCRF, False, ["1 of 3 sentences (0 not projective, 1 with several roots)"]),
    ],
)
def test_what_is_left_out_is_told(kind, proj, left_out):
    told: list[str] = []
    treebank = Treebank.from_bytes(CROSSED)
    kind.train(treebank, treebank, tiny(proj=proj), device="cpu", session=Session(tell=told.append))
    assert told == [f"{kind.name}: left out of training: {line}" for line in left_out]


def test_training_without_dev_is_told(train):
    told: list[str] = []
    SuparBiaffine.train(train, None, tiny(), device="cpu", session=Session(tell=told.append))
    assert [line for line in told if "no dev data" in line] == told != []


@of_both_kinds
def test_nothing_to_train_on(kind):
    with pytest.raises(UsageError, match="no sentence to train on"):
        kind.train(Treebank.from_bytes(b""), None, tiny())


def test_crf_has_nothing_to_train_on_where_all_sentences_cross():
    with pytest.raises(UsageError, match="no sentence to train on"):
        SuparCRF.train(Treebank.from_bytes(sentence("crossed", 3, 4, 0, 3)), None, tiny())


@pytest.mark.parametrize(
    ("wrong", "says"),
    [({"feat": ()}, "name one or both"), ({"feat": ("bert",)}, "name one or both"), ({"n_char_hidden": 7}, "even")],
)
def test_settings_that_cant_be(wrong, says, train):
    with pytest.raises(UsageError, match=says):
        SuparBiaffine.train(train, None, tiny(**wrong))


def test_devices(train):
    with pytest.raises(UsageError, match="--device 'gpu'"):
        SuparBiaffine.train(train, None, tiny(), device="gpu")
    if not torch.cuda.is_available():
        with pytest.raises(UsageError, match="no GPU"):
            SuparBiaffine.train(train, None, tiny(), device="cuda")


def surroundings() -> list[object]:
    """What supar could change about the process."""
    loggers = [logging.getLogger(name) for name in (None, "supar")]
    state = [(list(logger.handlers), logger.level) for logger in loggers]
    generators = [torch.get_rng_state().tolist(), random.getstate(), np.random.get_state()[1].tolist()]
    return [state, generators, torch.get_num_threads(), sys.getrecursionlimit(), list(warnings.filters)]


@of_both_kinds
def test_nothing_of_supar_shows(kind, train, test, tmp_path, capfd, monkeypatch):
    monkeypatch.setattr(logging.getLogger(), "handlers", [])  # supar sets up logging where nobody has
    steps: list[tuple[int, int, str]] = []
    before = surroundings()
    session = Session(progress=lambda *step: steps.append(step))
    parser = kind.train(train, train, tiny(epochs=2), device="cpu", session=session)
    parser.predict(test)
    saved(parser, tmp_path)
    kind.load(tmp_path, "cpu")
    assert surroundings() == before
    assert capfd.readouterr() == ("", "")
    assert [step[:2] for step in steps] == [(1, 2), (2, 2)]
    assert "dev UAS" in steps[0][2]


@of_both_kinds
def test_what_can_be_learnt_is_learnt(kind):
    text = b"".join(sentence(f"s{number}", 2, 0, 2, 3) for number in range(20))
    treebank = Treebank.from_bytes(text)
    config = tiny(epochs=30, lr=0.02, embed_dropout=0.0, encoder_dropout=0.0, mlp_dropout=0.0)
    parser = kind.train(treebank, treebank, config, device="cpu")
    assert heads_of(parser.predict(treebank))[0] == [2, 0, 2, 3]


def test_folders_that_cant_be_read(parsers, tmp_path):
    saved(parsers(SuparBiaffine), tmp_path)
    path, weights = tmp_path / "model.json", tmp_path / "weights.safetensors"
    content, data = json.loads(path.read_text(encoding="utf-8")), weights.read_bytes()
    names = content["vocabularies"]
    for damage, says in [
        ({"format": MODEL.format + 1}, "later version"),
        ({"parser": "supar-crf"}, "a model of the parser 'supar-crf'"),
        ({"config": {**content["config"], "n_arc_mlp": 9}}, "damaged"),
        ({"config": {**content["config"], "n_char_hidden": "8"}}, "must be a whole number"),
        ({"vocabularies": {**names, "words": names["words"][:-1]}}, "damaged"),
        ({"vocabularies": {"words": names["words"]}}, "damaged"),
    ]:
        path.write_text(json.dumps({**content, **damage}), encoding="utf-8")
        with pytest.raises(UsageError, match=says) as fault:
            SuparBiaffine.load(tmp_path, "cpu")
        assert "\n" not in str(fault.value)
    path.write_text(json.dumps(content), encoding="utf-8")
    for wrong in (data[:-1], b"", b"?" * 100):
        weights.write_bytes(wrong)
        with pytest.raises(UsageError, match="damaged"):
            SuparBiaffine.load(tmp_path, "cpu")
    weights.unlink()
    with pytest.raises(UsageError, match="No such file"):
        SuparBiaffine.load(tmp_path, "cpu")


def test_without_the_library(train, monkeypatch):
    monkeypatch.setitem(sys.modules, "supar", None)
    monkeypatch.delitem(sys.modules, "permtree_parsers.supar_internals")
    monkeypatch.delattr("permtree_parsers.supar_internals")
    with pytest.raises(UsageError, match=r"permtree\[supar\]"):
        SuparBiaffine.train(train, None, tiny())


@pytest.mark.long
@of_both_kinds
def test_far_better_than_chance(kind, test):
    train, dev = Treebank.read(str(SAMPLE / "fluvi-train.conllu")), Treebank.read(str(SAMPLE / "fluvi-dev.conllu"))
    config = SuparConfig(**{**kind.presets["small"], "epochs": 5, "n_lstm_hidden": 50, "threads": 1})
    found = kind.train(train, dev, config, device="cpu").predict(test)
    assert (found.head == test.head).mean() > 0.6
