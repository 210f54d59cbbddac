"""`permtree train`, as its users run it."""

from __future__ import annotations

import json
import shutil
import subprocess
import time
from dataclasses import dataclass
from pathlib import Path

import pytest
from commandline import PERMTREE, Done, files_in, permtree
from permtree_parsers.arc_hybrid import ArcHybrid
from permtree_parsers.biaffine import Biaffine
from permtree_parsers.network_parser import NeuralParser
from small_networks import CIRCLE, ODD, UNSEEN, assigned, of_both, sample, trained

import permtree as toolkit
from permtree.treebank import Treebank

torch = pytest.importorskip("torch")
torch.set_num_threads(1)

MODEL = ["log.jsonl", "model.json", "permtree.json", "weights.safetensors"]


@dataclass
class Run:
    """A training from the command line."""

    folder: Path
    arguments: list[str]
    done: Done


def train_arguments(kind: type[NeuralParser], folder: Path, **settings: object) -> list[str]:
    return ["train", kind.name, f"{folder}/train.conllu", "--dev", f"{folder}/dev.conllu", *assigned(kind, **settings)]


@pytest.fixture(scope="module")
def data(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("data")
    (folder / "train.conllu").write_bytes(CIRCLE + sample("fluvi-train", 20).to_bytes() + ODD)
    (folder / "dev.conllu").write_bytes(sample("fluvi-dev", 8).to_bytes() + UNSEEN)
    (folder / "more.toml").write_text("epochs = 3\nhidden = 20\n", encoding="utf-8")
    (folder / "empty.conllu").write_bytes(b"")
    return folder


@pytest.fixture(scope="module")
def runs(data, tmp_path_factory) -> dict[type[NeuralParser], Run]:
    """Both parsers, trained with options of all kinds."""
    found = {}
    for kind, own in ((Biaffine, ["--decode", "projective"]), (ArcHybrid, ["--oracle", "static"])):
        folder = tmp_path_factory.mktemp("models") / kind.name
        options = ["--seed=3", "--device=cpu", "--threads=1", "--preset=full", f"--config={data}/more.toml"]
        settings = [one for one in train_arguments(kind, data) if "epochs=" not in one and "hidden=" not in one]
        arguments = [*settings, *options, *own, "--set", "hidden=16", "--skip-errors"]
        found[kind] = Run(folder, arguments, permtree(*arguments, "-o", folder))
    return found


# -- train -----------------------------------------------------------------------------------------------------------


@of_both
def test_what_is_told_and_written(kind, runs, data):
    run = runs[kind]
    skipped, *lines = run.done.lines
    assert skipped.startswith(f"skipped: {data}/train.conllu:") and "circle" in skipped
    assert [line.partition(":")[0] for line in lines[-4:-1]] == ["epoch 1/3", "epoch 2/3", "epoch 3/3"]
    n_words = Treebank.read(f"{data}/train.conllu").n_words - 3
    assert lines[-1] == f"{run.folder}: {kind.name}, trained on 23 sentences, {n_words} words"
    assert run.done.out == b""
    assert files_in(run.folder) == MODEL
    config = json.loads((run.folder / "model.json").read_bytes())["config"]
    assert (config["epochs"], config["hidden"]) == (3, 16)  # of file and command line
    assert config["layers"] == 1  # of the command line, on top of the preset
    assert (config["decode"] == "projective") if kind is Biaffine else (config["oracle"] == "static")
    entries = [json.loads(line) for line in (run.folder / "log.jsonl").read_bytes().splitlines()]
    assert [entry["epoch"] for entry in entries] == [1, 2, 3]


@of_both
def test_from_python_the_same_model(kind, runs, data, tmp_path: Path):
    """The same bytes; saved and loaded again, too."""
    run = runs[kind]
    train, _ = Treebank.read(f"{data}/train.conllu").trees_only(skip_errors=True)
    about = json.loads((run.folder / "permtree.json").read_bytes())
    dev = Treebank.read(f"{data}/dev.conllu")
    parser = toolkit.train(kind.name, train, dev, seed=3, device="cpu", **about["config"])
    toolkit.save_parser(parser, tmp_path / "model")
    for name in ("weights.safetensors", "model.json", "permtree.json"):
        assert (tmp_path / "model" / name).read_bytes() == (run.folder / name).read_bytes(), name
    loaded = toolkit.load_parser(tmp_path / "model", "cpu")
    assert {**loaded.made_from, "format": about["format"], "digests": about["digests"]} == about
    assert loaded.made_from == parser.made_from
    assert loaded.predict(dev).to_bytes() == parser.predict(dev).to_bytes()


def test_a_parser_of_which_nothing_is_known_can_be_saved_too(tmp_path: Path):
    parser = trained(Biaffine, sample("fluvi-train", 3))
    toolkit.save_parser(parser, tmp_path)
    assert toolkit.load_parser(tmp_path, "cpu").config == parser.config


def test_what_is_trained_already_is_left_alone(runs):
    run = runs[Biaffine]
    before = {path: path.stat().st_mtime_ns for path in run.folder.iterdir()}
    done = permtree(*run.arguments, "-o", run.folder)
    assert done.lines[-1] == f"{run.folder}: trained already, on the same data with the same settings"
    assert {path: path.stat().st_mtime_ns for path in run.folder.iterdir()} == before


def test_overwrite(runs, data, tmp_path: Path):
    """Another parser in a folder with a model: only with --overwrite."""
    folder = tmp_path / "model"
    shutil.copytree(runs[ArcHybrid].folder, folder)
    before = {path.name: path.read_bytes() for path in folder.iterdir()}
    other = ["train", "left", f"{data}/train.conllu", "--skip-errors", "-q", "-o", folder]
    done = permtree(*other, status=2)
    differ = "parser, dev data, settings, seed"
    assert done.lines[-1].startswith(f"{folder} holds a model with other {differ}: name another folder, or add --over")
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == before
    permtree(*other, "--overwrite")
    assert json.loads((folder / "permtree.json").read_bytes())["parser"] == "left"
    assert "weights.safetensors" not in files_in(folder)


# -- what can't be done ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["biafine", "{train}"], "no parser named 'biafine'; did you mean 'biaffine'?"),
        (["biaffine", "{train}", "--preset=smal"], "--preset 'smal'; did you mean 'small'?"),
        (["biaffine", "{train}", "--set=hiden=3"], "unknown key 'hiden'; did you mean 'hidden'?"),
        (["biaffine", "{train}", "--set=hidden=x"], "hidden = 'x' must be a whole number"),
        (["biaffine", "{train}", "--set=hidden"], "--set 'hidden': write KEY=VALUE"),
        (["biaffine", "{train}", "--decode=eisner"], "decode = 'eisner'; known: projective, mst"),
        (["biaffine", "{train}", "--oracle=static"], "--oracle: the parser biaffine has no such setting"),
        (["arc-hybrid", "{train}", "--decode=mst"], "--decode: the parser arc-hybrid has no such setting"),
        (["biaffine", "{train}", "--config={dev}"], "dev.conllu: no TOML: "),
        (["biaffine", "{train}", "--config=none.toml"], "none.toml: No such file"),
        (["biaffine", "{train}", "--seed=-1"], "--seed"),
        (["biaffine", "{train}", "--device=gpu"], "--device"),
        (["biaffine", "{train}", "--threads=0"], "--threads"),
        (["biaffine", "nothing.conllu"], "nothing.conllu: no such file"),
        (["biaffine", "{empty}"], "empty.conllu: no sentences: nothing to learn from"),
        (["biaffine", "{dev}", "--dev={empty}"], "empty.conllu: no sentences: nothing to learn from"),
        (["biaffine", "-", "--dev=-"], "standard input can be read only once"),
    ],
)
def test_train_says_what_can_not_be_done(arguments, message, data, tmp_path: Path):
    names = {name: f"{data}/{name}.conllu" for name in ("train", "dev", "empty")}
    arguments = [argument.format(**names) for argument in arguments]
    done = permtree("train", *arguments, "-o", tmp_path / "model", cwd=tmp_path, status=2)
    *warned, line = done.lines
    is_empty = f"warning: {names['empty']}:1: is empty: no sentence in it"
    assert warned == [is_empty for argument in arguments if argument.endswith(names["empty"])]
    assert message in line
    assert files_in(tmp_path) == []


@of_both
def test_a_training_sentence_that_is_no_tree(kind, data, tmp_path: Path):
    done = permtree(*train_arguments(kind, data), "-o", tmp_path / "model", status=3)
    (line,) = done.lines
    assert line == f"{data}/train.conllu:2: not a tree: words 1, 2 head each other in a circle (sentence circle)"
    assert files_in(tmp_path) == []


@pytest.mark.parametrize("more", [[], ["--overwrite"]], ids=["", "overwrite"])
@pytest.mark.parametrize("inside", [None, "thesis.tex", "log.jsonl"])
def test_where_something_else_is_nothing_is_written(inside, more, data, tmp_path: Path):
    path = mine = tmp_path / "model"
    if inside:
        path.mkdir()
        mine = path / inside
    mine.write_text("mine", encoding="utf-8")
    done = permtree(*train_arguments(Biaffine, data), "--skip-errors", *more, "-o", path, status=2)
    what = "holds something else than a model: name a new folder" if inside else "not a folder"
    assert done.lines[-1] == f"{path}: {what}"
    assert mine.read_text(encoding="utf-8") == "mine"
    assert not inside or files_in(path) == [inside]


# -- killed ----------------------------------------------------------------------------------------------------------


@pytest.mark.long
@of_both
def test_killed_and_run_again(kind, data, tmp_path: Path):
    arguments = [*train_arguments(kind, data, epochs=40), "--skip-errors", "--seed=5", "--device=cpu"]
    permtree(*arguments, "-o", tmp_path / "whole")
    folder = tmp_path / "killed"
    log = folder / "log.jsonl"
    process = subprocess.Popen([*PERMTREE, *arguments, "-o", folder], stderr=subprocess.DEVNULL)
    while process.poll() is None and not (log.exists() and log.read_bytes().count(b"\n") >= 2):
        time.sleep(0.01)
    assert process.poll() is None
    process.kill()
    process.wait()
    done = permtree("parse", folder, stdin=ODD, status=2)
    assert done.lines == [f"{folder}: a training that was not finished"]
    done = permtree(*train_arguments(kind, data, epochs=39), "--skip-errors", "-o", folder, status=2)
    assert "holds a training with other settings, seed:" in done.lines[-1]
    done = permtree(*arguments, "-o", folder)
    goes_on = next(line for line in done.lines if line.startswith("resumed after epoch "))
    assert 2 <= int(goes_on.split()[-1]) < 40
    assert files_in(folder) == MODEL
    for name in set(MODEL) - {"log.jsonl"}:
        assert (folder / name).read_bytes() == (tmp_path / "whole" / name).read_bytes(), name
    losses = [[json.loads(line)["loss"] for line in (one / "log.jsonl").read_bytes().splitlines()]
              for one in (folder, tmp_path / "whole")]  # fmt: skip
    assert losses[0] == losses[1] and len(losses[0]) == 40
