"""`permtree parse`, as its users run it; models that can't be used."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable
from pathlib import Path

import pytest
from commandline import permtree
from parsing import same_but_for_trees, trees_with_one_root
from permtree_parsers.arc_hybrid import ArcHybrid
from permtree_parsers.biaffine import Biaffine
from permtree_parsers.network_parser import NeuralParser
from reordering import conllu, word
from small_networks import CIRCLE, KINDS, ODD, UNSEEN, sample, trained

import permtree as toolkit
from permtree.treebank import Treebank

torch = pytest.importorskip("torch")
torch.set_num_threads(1)

Change = Callable[[Path], object]


@pytest.fixture(scope="module")
def models(tmp_path_factory) -> dict[type[NeuralParser], Path]:
    """The folders of both parsers."""
    train = Treebank.from_bytes(sample("fluvi-train", 20).to_bytes() + ODD)
    found = {kind: tmp_path_factory.mktemp("models") / kind.name for kind in KINDS}
    for kind, folder in found.items():
        toolkit.save_parser(trained(kind, train), folder)
    return found


RICH = conllu(
    "# sent_id = r", word("1-2", "ab", misc="SpaceAfter=No"), word(1, "a", 2, "2:x"), word(2, "b", 0, "0:root"),
    word("2.1", "e", deps="2:y"), "",
)  # fmt: skip


def test_from_standard_input_to_standard_output(models):
    text = sample("fluvi-test", 5).to_bytes() + UNSEEN + ODD + CIRCLE + RICH + conllu(word(1, "no", "_"), "")[:-1]
    done = permtree("parse", models[ArcHybrid], "--threads=1", stdin=text)
    assert trees_with_one_root(Treebank.from_bytes(done.out))
    assert same_but_for_trees(text, done.out)
    expected = toolkit.load_parser(models[ArcHybrid], "cpu").predict(Treebank.from_bytes(text))
    assert done.out == expected.to_bytes()
    assert done.lines == [
        f"{expected.n_sentences} sentences, {expected.n_words} words parsed by arc-hybrid",
        "DEPS emptied, since they belonged to other heads: 3 lines",
    ]


def test_to_a_file_with_another_decoder(models, tmp_path: Path):
    """An untrained decoder for crossing arcs finds some; nothing is told of DEPS where there were none."""
    text = sample("fluvi-test", 60)
    text.write(str(tmp_path / "in.conllu"))
    path = tmp_path / "out.conllu.gz"
    done = permtree("parse", models[Biaffine], tmp_path / "in.conllu", "--decode=mst", "-o", path)
    assert (done.out, len(done.lines)) == (b"", 1)
    found = Treebank.from_bytes(gzip.decompress(path.read_bytes()))
    assert trees_with_one_root(found) and found.nonprojective.any()
    assert not toolkit.load_parser(models[Biaffine], "cpu").predict(text).nonprojective.any()


def copied(folder: Path, target: Path) -> Path:
    target.mkdir()
    for path in folder.iterdir():
        (target / path.name).write_bytes(path.read_bytes())
    return target


def changed(name: str, **values: object) -> Change:
    """A file of JSON with other values."""

    def change(folder: Path) -> None:
        content = json.loads((folder / name).read_bytes())
        (folder / name).write_text(json.dumps({**content, **values}), encoding="utf-8")

    return change


def cut(name: str, size: int) -> Change:
    return lambda folder: (folder / name).write_bytes((folder / name).read_bytes()[:size])


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda folder: (folder / "permtree.json").unlink(), "{}: no model"),
        (cut("permtree.json", 20), "{}/permtree.json: damaged: train the model again"),
        (changed("permtree.json", format="x"), "{}/permtree.json: "),
        (changed("permtree.json", parser=3), "{}/permtree.json: damaged"),
        (changed("permtree.json", parser="biafine"), "no parser named 'biafine'"),
        (changed("permtree.json", parser="arc-hybrid"), "{}/model.json: a model of the parser 'biaffine'"),
        (changed("permtree.json", format=99, permtree="9.9"), "{}/permtree.json: written by a later version"),
        (changed("model.json", format=99), "{}/model.json: damaged: "),
        (cut("model.json", 100), "{}/model.json: damaged: "),
        (lambda folder: (folder / "model.json").unlink(), "{}/model.json: damaged: "),
    ],
)  # fmt: skip
def test_a_damaged_model(change, message, models, tmp_path: Path):
    folder = copied(models[Biaffine], tmp_path / "model")
    change(folder)
    done = permtree("parse", folder, stdin=ODD, status=2)
    (line,) = done.lines
    assert line.startswith(message.format(folder))
    assert done.out == b""


@pytest.mark.parametrize(
    "change",
    [
        changed("model.json", vocabulary={}),
        changed("model.json", config={"hidden": 25}),
        changed("model.json", config={"hiden": 25}),
        changed("model.json", config=[]),
        lambda folder: (folder / "weights.safetensors").unlink(),
        cut("weights.safetensors", 0),
        cut("weights.safetensors", 1000),
    ],
)
def test_a_model_whose_files_do_not_fit(change, models, tmp_path: Path):
    folder = copied(models[Biaffine], tmp_path / "model")
    change(folder)
    with pytest.raises(toolkit.UsageError) as caught:
        toolkit.load_parser(folder, "cpu")
    assert str(caught.value).startswith(str(folder)) and "\n" not in str(caught.value)


@pytest.mark.parametrize("name", ["nothing", "file", "empty"])
def test_what_is_no_model(name, tmp_path: Path):
    (tmp_path / "file").touch()
    (tmp_path / "empty").mkdir()
    done = permtree("parse", tmp_path / name, stdin=ODD, status=2)
    (line,) = done.lines
    assert line.startswith(str(tmp_path / name))


def test_a_decoder_that_the_parser_does_not_have(tmp_path: Path):
    toolkit.save_parser(toolkit.train("left", Treebank.from_bytes(ODD)), tmp_path)
    done = permtree("parse", tmp_path, "--decode=mst", stdin=ODD, status=2)
    (line,) = done.lines
    assert line == "--decode: the parser left has no such setting"
