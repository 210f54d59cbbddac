"""The parser of UDPipe 1: what goes in, what comes back, what it says, and that a saved one is the same."""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path

import numpy as np
import pytest
from commandline import sentence
from hypothesis import given, settings
from parsing import same_but_for_trees, trees_with_one_root
from permtree_parsers.folder import MODEL as DESCRIPTION
from permtree_parsers.udpipe import MODEL, UDPipe, UDPipeConfig
from places import SAMPLE
from reordering import conllu, word
from rich_sentences import rich_sentences

from permtree.errors import UsageError
from permtree.parsing import Session
from permtree.treebank import Treebank, heads_of

pytest.importorskip("ufal.udpipe")

TINY = UDPipeConfig(iterations=1, hidden_layer=16, structured_interval=0, transition_oracle="static")


def some(name: str, n_sentences: int) -> Treebank:
    """The first sentences of a file of the sample."""
    treebank = Treebank.read(str(SAMPLE / name))
    return treebank.select_sentences(np.arange(treebank.n_sentences) < n_sentences)


@pytest.fixture(scope="module")
def train() -> Treebank:
    return some("fluvi-train.conllu", 60)


@pytest.fixture(scope="module")
def test() -> Treebank:
    return Treebank.read(str(SAMPLE / "fluvi-test.conllu"))


@pytest.fixture(scope="module")
def parser(train) -> UDPipe:
    return UDPipe.train(train, None, TINY)


def saved(parser: UDPipe, folder: Path) -> dict[str, bytes]:
    folder.mkdir(exist_ok=True)
    parser.save(folder)
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def test_the_same_after_loading(parser, test, tmp_path):
    files = saved(parser, tmp_path)
    assert set(files) == {"model.json", MODEL}
    found = parser.predict(test)
    assert trees_with_one_root(found)
    assert same_but_for_trees(test.to_bytes(), found.to_bytes())
    again = UDPipe.load(tmp_path)
    assert again.predict(test).to_bytes() == found.to_bytes()
    assert saved(again, tmp_path / "again") == files


@pytest.mark.long
def test_seeds(parser, train, tmp_path):
    files = [saved(UDPipe.train(train, None, TINY, seed), tmp_path / str(n)) for n, seed in enumerate([0, 1, 1])]
    assert files[0] == saved(parser, tmp_path / "parser")
    assert files[1] == files[2] != files[0]


def test_heads_and_relations_of_the_input_are_not_looked_at(parser, test):
    once = parser.predict(test)
    assert once.to_bytes() != test.to_bytes()
    assert parser.predict(once).to_bytes() == once.to_bytes()


@given(text=rich_sentences())
@settings(max_examples=15)
def test_ranges_empty_nodes_and_all_else_stay(parser, text):
    found = parser.predict(Treebank.from_bytes(text))
    assert trees_with_one_root(found)
    assert same_but_for_trees(text, found.to_bytes())


def odd() -> bytes:
    """Sentences of what a reader may stumble over, without trees."""
    long = "".join(f"{number}\tw\t_\tNOUN\t_\t_\t_\t_\t_\t_\n" for number in range(1, 301))
    forms = ["a b", "#", "_", "\u00a0", "x" * 5000, "~", "\U0001f600", "<pad>"]
    words = "".join(f"{n}\t{form}\ta b\tNO TAG\t_\tA=b c\t_\t_\t_\t_\n" for n, form in enumerate(forms, 1))
    return f"{long}\n{words}\n1\t#\t_\t~\t~\t~\t_\t_\t_\t_\n\n".encode()


def test_odd_words_unseen_tags_long_sentences_and_no_sentences(parser):
    found = parser.predict(Treebank.from_bytes(odd()))
    assert found.n_words == 309
    assert trees_with_one_root(found)
    assert same_but_for_trees(odd(), found.to_bytes())
    assert parser.predict(Treebank.from_bytes(b"")).to_bytes() == b""


def test_other_relations_of_roots_and_roots_relation_elsewhere():
    lines = [word(1, "a", 2), word(2, "b", 0), word(3, "c", 2)]
    text = conllu(*lines, "").replace(b"root", b"pred").replace(b"dep", b"root") * 20
    text += sentence("other", 0, 1)
    told: list[str] = []
    found = UDPipe.train(Treebank.from_bytes(text), None, TINY, session=Session(tell=told.append))
    assert found.predict(Treebank.from_bytes(text)).deprel.decoded()[:3] == ["root", "pred", "root"]
    assert told == ["udpipe: of 21 roots 1 are not 'pred'; it calls all roots 'pred'"]


def test_relations_with_spaces_come_back():
    text = conllu(word(1, "a", 0), word(2, "b", 1), "").replace(b"dep", b"a b") * 20
    parser = UDPipe.train(Treebank.from_bytes(text), None, TINY)
    assert parser.predict(Treebank.from_bytes(text)).deprel.decoded()[:2] == ["root", "a b"]


def test_what_is_left_out_or_learnt_in_part_is_told():
    several = sentence("several", 0, 0, 1)
    crossed = sentence("crossed", 3, 4, 0, 3)
    text = several + crossed + sentence("plain", 0, 1)
    told: list[str] = []
    UDPipe.train(Treebank.from_bytes(text), None, TINY, session=Session(tell=told.append))
    assert len(told) == 2
    assert "1 of 3 sentences, with several roots" in told[0]
    assert "1 of 2 training sentences are not projective" in told[1]


def test_progress_comes_through_the_session_and_nowhere_else(train, test, capfd):
    dev, lines = some("fluvi-dev.conllu", 10), []
    config = UDPipeConfig(iterations=2, hidden_layer=16, structured_interval=0, transition_oracle="static")
    UDPipe.train(train, dev, config, session=Session(progress=lambda *step: lines.append(step))).predict(test)
    assert [step[:2] for step in lines] == [(1, 2), (2, 2), (2, 2)]
    assert "heldout" in lines[0][2]
    assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize(
    ("text", "settings", "says"),
    [
        (sentence("one", 0), {}, "deprel different from 'root'"),
        (sentence("several", 0, 0), {}, "no training sentence with exactly one root"),
        (sentence("s", 0, 1), {"transition_system": "swap", "transition_oracle": "static"}, "Cannot create transition"),
        (sentence("s", 0, 1), {f"embedding_{kind}": 0 for kind in ("form", "upostag", "feats")}, "nothing to parse by"),
    ],
)
def test_trainings_that_cant_be(text, settings, says):
    with pytest.raises(UsageError, match=says) as fault:
        UDPipe.train(Treebank.from_bytes(text), None, UDPipeConfig(**settings))
    assert "\n" not in str(fault.value)


@pytest.mark.long
@pytest.mark.parametrize("system", ["projective", "swap", "link2"])
def test_all_systems_give_trees(system, train, test):
    found = UDPipe.train(train, None, UDPipeConfig(system, iterations=1, hidden_layer=16)).predict(test)
    assert trees_with_one_root(found)
    assert system != "projective" or not found.nonprojective.any()


def test_what_can_be_learnt_is_learnt():
    text = b"".join(sentence(f"s{number}", 2, 0, 2, 3) for number in range(50))
    parser = UDPipe.train(Treebank.from_bytes(text), None, UDPipeConfig(iterations=3, hidden_layer=20))
    assert heads_of(parser.predict(Treebank.from_bytes(text)))[0] == [2, 0, 2, 3]


def test_folders_that_cant_be_read(parser, tmp_path):
    saved(parser, tmp_path)
    path, model = tmp_path / "model.json", tmp_path / MODEL
    content, data = json.loads(path.read_text(encoding="utf-8")), model.read_bytes()
    for damage, says in [
        ({**content, "format": DESCRIPTION.format + 1}, "later version"),
        ({**content, "relations": 3}, "damaged"),
        ({**content, "config": {"no such": 1}}, "unknown key"),
    ]:
        path.write_text(json.dumps(damage), encoding="utf-8")
        with pytest.raises(UsageError, match=says):
            UDPipe.load(tmp_path)
    path.write_text(json.dumps(content), encoding="utf-8")
    for wrong in (data[:-1], b"", data[:500] + b"?" + data[501:]):
        model.write_bytes(wrong)
        with pytest.raises(UsageError, match="damaged"):
            UDPipe.load(tmp_path)
    model.unlink()
    with pytest.raises(UsageError, match="No such file"):
        UDPipe.load(tmp_path)


def test_without_the_library(parser, test, monkeypatch):
    monkeypatch.setitem(sys.modules, "ufal", None)
    with pytest.raises(UsageError, match=r"permtree\[udpipe\]"):
        parser.predict(test)


def test_a_training_that_is_interrupted_ends(train):
    def interrupt(*step: object) -> None:
        raise KeyboardInterrupt

    before = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        UDPipe.train(train, None, UDPipeConfig(iterations=100000, hidden_layer=16), session=Session(progress=interrupt))
    assert time.monotonic() - before < 60


@pytest.mark.long
def test_far_better_than_chance(shared):
    folder = shared / "treebanks" / "en_ewt_1k"
    train, dev = (Treebank.read(str(folder / f"{part}.conllu")) for part in ("train", "dev"))
    train = train.select_sentences(np.arange(train.n_sentences) < 300)
    found = UDPipe.train(train, None, UDPipeConfig(**UDPipe.presets["quick"])).predict(dev)
    assert (found.head == dev.head).mean() > 0.65
