"""Training: the same from the same, whatever happens in between; when it stops; what it keeps and tells."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from permtree_parsers.biaffine import Biaffine
from permtree_parsers.network_parser import NeuralParser
from small_networks import KINDS, of_both, sample, small, trained
from speed import first_is_quick

from permtree.errors import UsageError
from permtree.parsing import Session
from permtree.parsing.models import CHECKPOINT, LOG, STARTED, begin
from permtree.treebank import Treebank

torch = pytest.importorskip("torch")

from permtree_parsers.parser_network import scores  # noqa: E402

torch.set_num_threads(1)


@pytest.fixture(scope="module")
def train() -> Treebank:
    return sample("medol-train", 16)


@pytest.fixture(scope="module")
def dev() -> Treebank:
    return sample("medol-test", 8)


def saved(parser: NeuralParser, folder: Path) -> dict[str, bytes]:
    """The files of a parser's folder."""
    folder.mkdir()
    parser.save(folder)
    return {path.name: path.read_bytes() for path in folder.iterdir()}


# -- the same from the same ------------------------------------------------------------------------------------------


@of_both
def test_seeds_and_nothing_else_decide(kind, train, dev, tmp_path: Path):
    first = saved(trained(kind, train, dev, 1), tmp_path / "1")
    torch.manual_seed(77)
    np.random.seed(77)
    random.seed(77)
    torch.rand(5)
    assert saved(trained(kind, train, dev, 1), tmp_path / "2") == first
    other = saved(trained(kind, train, dev, 2), tmp_path / "3")
    assert other["weights.safetensors"] != first["weights.safetensors"]


@of_both
def test_generators_and_threads_are_left_as_they_were(kind, train, dev):
    before = torch.get_rng_state(), np.random.get_state()[1].tolist(), random.getstate()
    torch.set_num_threads(2)
    within: list[int] = []
    session = Session(progress=lambda *step: within.append(torch.get_num_threads()))
    kind.train(train, dev, small(kind, threads=1), 1, "cpu", session).predict(dev)
    n_threads = torch.get_num_threads()
    torch.set_num_threads(1)
    after = torch.get_rng_state(), np.random.get_state()[1].tolist(), random.getstate()
    assert after[0].equal(before[0]) and after[1:] == before[1:]
    assert (n_threads, within) == (2, [1, 1])
    assert torch.is_grad_enabled()


# -- stopped and resumed ----------------------------------------------------------------------------------------


class Stop(Exception):
    """What stops a training in these tests."""


def stop_in(epoch: int):
    """Called after each epoch, before its checkpoint is written."""

    def progress(done: int, total: int, line: str) -> None:
        if done == epoch:
            raise Stop

    return progress


@pytest.mark.parametrize(
    ("with_dev", "options"),
    first_is_quick([(True, {}), (False, {"weight_decay": 0.01, "characters": "lstm"})]),
    ids=["dev", "no dev"],
)
@pytest.mark.parametrize("kind", first_is_quick(KINDS), ids=lambda kind: kind.name)
def test_a_training_that_was_stopped_goes_on_as_if_it_had_not_been(kind, with_dev, options, train, dev, tmp_path):
    config = small(kind, epochs=4, **options)
    held_out = dev if with_dev else None
    whole = saved(kind.train(train, held_out, config, 1, "cpu"), tmp_path / "whole")
    folder = tmp_path / "stopped"
    folder.mkdir()
    for epoch in (1, 2, 4):  # in the first epoch, after one that was finished, and in the last
        with pytest.raises(Stop):
            kind.train(train, held_out, config, 1, "cpu", Session(folder, progress=stop_in(epoch)))
    told: list[str] = []
    parser = kind.train(train, held_out, config, 1, "cpu", Session(folder, told.append))
    assert told[-1] == "resumed after epoch 3"
    assert saved(parser, tmp_path / "resumed") == whole
    # between the last checkpoint and the model nothing is left to be done but to save it
    again = kind.train(train, held_out, config, 1, "cpu", Session(folder, progress=stop_in(4)))
    assert saved(again, tmp_path / "again") == whole


def test_checkpoint_and_log(train, dev, tmp_path: Path):
    Biaffine.train(train, dev, small(Biaffine, epochs=3), 1, "cpu", Session(tmp_path))
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted([CHECKPOINT, LOG])
    entries = [json.loads(line) for line in (tmp_path / LOG).read_text(encoding="utf-8").splitlines()]
    assert [entry["epoch"] for entry in entries] == [1, 2, 3]
    assert all(set(entry) == {"epoch", "loss", "uas", "las", "seconds"} for entry in entries)
    assert entries[2]["loss"] < entries[0]["loss"]


@pytest.mark.parametrize(
    "other",
    [{"seed": 2}, {"hidden": 25}, {"epochs": 3}, {"train": "dev"}, {"dev": None}],
    ids=lambda other: next(iter(other)),
)
def test_a_checkpoint_of_another_training_is_refused(other, train, dev, tmp_path: Path):
    Biaffine.train(train, dev, small(Biaffine), 1, "cpu", Session(tmp_path))
    settings = {name: value for name, value in other.items() if name in ("hidden", "epochs")}
    data = dev if "train" in other else train
    with pytest.raises(UsageError, match="other data or settings: name another folder") as caught:
        held_out = other.get("dev", dev)
        Biaffine.train(data, held_out, small(Biaffine, **settings), other.get("seed", 1), "cpu", Session(tmp_path))
    assert str(caught.value).startswith(str(tmp_path)) and "\n" not in str(caught.value)


def test_a_damaged_checkpoint_is_refused(train, tmp_path: Path):
    Biaffine.train(train, None, small(Biaffine), 1, "cpu", Session(tmp_path))
    whole = (tmp_path / CHECKPOINT).read_bytes()
    for data in (whole[:-100], b"", b"x" * 100):
        (tmp_path / CHECKPOINT).write_bytes(data)
        with pytest.raises(UsageError, match=f"{CHECKPOINT}: damaged .*remove it"):
            Biaffine.train(train, None, small(Biaffine), 1, "cpu", Session(tmp_path))


@pytest.mark.parametrize("left", [[], [CHECKPOINT], [f".{CHECKPOINT}.x.part"], [CHECKPOINT, f".{LOG}.x.part"]], ids=str)
def test_a_folder_in_which_a_training_was_killed_while_it_wrote_is_one_to_go_on_with(left, tmp_path: Path):
    wanted = {"format": 1, "parser": "biaffine", "seed": 1}
    assert not begin(tmp_path, wanted, overwrite=False)
    for name in left:
        (tmp_path / name).write_bytes(b"")
    assert not begin(tmp_path, wanted, overwrite=False)
    kept = [name for name in left if name == CHECKPOINT]
    assert sorted(path.name for path in tmp_path.iterdir()) == [*kept, STARTED.name]
    with pytest.raises(UsageError, match="holds a training with other seed: name another folder, or add --overwrite"):
        begin(tmp_path, {**wanted, "seed": 2}, overwrite=False)
    assert not begin(tmp_path, {**wanted, "seed": 2}, overwrite=True)
    assert [path.name for path in tmp_path.iterdir()] == [STARTED.name]


# -- when it stops ---------------------------------------------------------------------------------------------------


def epochs(tmp_path: Path, train: Treebank, dev: Treebank | None, **options: Any) -> tuple[list[dict], NeuralParser]:
    parser = Biaffine.train(train, dev, small(Biaffine, **options), 1, "cpu", Session(tmp_path))
    return [json.loads(line) for line in (tmp_path / LOG).read_bytes().splitlines()], parser


@pytest.mark.parametrize("patience", [1, 3])
def test_patience(patience, train, dev, tmp_path: Path):
    """The least that a learning rate can be: nothing gets better after the first epoch."""
    entries, parser = epochs(tmp_path, train, dev, epochs=9, patience=patience, learning_rate=1e-9)
    assert len(entries) == parser.history["epochs"] == 1 + patience
    assert parser.history["best_epoch"] == 1
    assert (parser.history["dev_uas"], parser.history["dev_las"]) == (entries[0]["uas"], entries[0]["las"])


def test_without_dev_all_epochs_are_done_and_the_last_one_is_taken(train, tmp_path: Path):
    entries, parser = epochs(tmp_path, train, None, epochs=4, patience=1)
    assert len(entries) == parser.history["epochs"] == parser.history["best_epoch"] == 4
    assert not {"uas", "las", "dev_uas", "dev_las"} & {*entries[0], *parser.history}


def test_the_best_epoch_is_taken(train, dev, tmp_path: Path):
    """So fast that it gets worse again."""
    entries, parser = epochs(tmp_path, train, dev, epochs=12, learning_rate=0.1, batch_words=60)
    best = max(entries, key=lambda entry: (entry["las"], -entry["epoch"]))
    assert parser.history["best_epoch"] == best["epoch"] < 12
    assert scores(parser.model, parser.encode(dev), parser.device) == {"uas": best["uas"], "las": best["las"]}


def test_no_words_to_learn_from_or_to_choose_by(train):
    nothing = Treebank.from_bytes(b"")
    with pytest.raises(UsageError, match="no words to train on"):
        trained(Biaffine, nothing)
    with pytest.raises(UsageError, match="no words in the dev set"):
        trained(Biaffine, train, nothing)


@pytest.mark.parametrize(
    ("most", "least", "wanted"), [(0, 1, 6), (1, 1, 1), (1, 2, 2), (4, 2, 4), (99, 1, 6), (1, 9, 6)]
)
def test_the_larger_the_treebank_the_fewer_epochs(most, least, wanted, train, tmp_path: Path):
    """most_words is given in passes over this treebank here."""
    options = {"epochs": 6, "least_epochs": least, "most_words": most * train.n_words}
    entries, parser = epochs(tmp_path, train, None, **options)
    assert len(entries) == parser.history["epochs"] == wanted


# -- what it tells ---------------------------------------------------------------------------------------------------


@of_both
def test_a_line_for_each_epoch(kind, train, dev):
    told: list[tuple[int, int, str]] = []
    kind.train(train, dev, small(kind), 1, "cpu", Session(progress=lambda *step: told.append(step)))
    assert [step[:2] for step in told] == [(1, 2), (2, 2)]
    assert told[0][2].startswith("epoch 1/2: loss ") and "dev UAS" in told[0][2] and told[0][2].endswith(" left")
