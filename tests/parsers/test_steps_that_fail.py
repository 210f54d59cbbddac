"""Steps of training that go wrong: memory runs out, or the loss grows beyond all numbers."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from permtree_parsers.biaffine import Biaffine
from small_networks import sample, small

from permtree.errors import UsageError
from permtree.parsing import Session
from permtree.treebank import Treebank

torch = pytest.importorskip("torch")

from permtree_parsers.biaffine_network import BiaffineNetwork  # noqa: E402

from permtree.neural.memory import in_memory  # noqa: E402
from permtree.neural.training import Training  # noqa: E402

torch.set_num_threads(1)


@pytest.fixture(scope="module")
def train() -> Treebank:
    return sample("medol-train", 16)


def training_of(network: type[BiaffineNetwork], train: Treebank, session: Session) -> Training:
    """A training, about to begin, of a network of another class than that of the parser; without any dropout."""
    parser = Biaffine.train(train, None, small(Biaffine, dropout=0.0, unknown_dropout=0.0, clip=1e6), 1, "cpu")
    own = network(parser.config, parser.vocabulary)
    own.load_state_dict(parser.model.state_dict())
    return Training(own, parser.encode(train), None, 1, torch.device("cpu"), session, "")


class Diverging(BiaffineNetwork):
    """A network whose loss grows beyond all numbers."""

    def loss(self, batch, epoch):
        return super().loss(batch, epoch) * float("inf")


def test_a_loss_that_is_no_number_any_more_is_an_error(train, tmp_path: Path):
    with pytest.raises(UsageError, match="^epoch 1: the loss is (inf|nan): lower learning_rate or clip$"):
        training_of(Diverging, train, Session(tmp_path)).run()
    assert not [*tmp_path.iterdir()]


@pytest.mark.parametrize("most", [1, 2, 3, 8])
def test_work_is_split_where_memory_runs_out(most):
    done: list[list[int]] = []
    splits = []

    def work(sentences: np.ndarray) -> None:
        if len(sentences) > most:
            raise torch.OutOfMemoryError
        done.append(sentences.tolist())

    in_memory(work, np.arange(8), lambda: splits.append(1))
    assert sum(done, []) == [*range(8)]
    assert max(map(len, done)) <= most
    assert bool(splits) == (most < 8)


def test_one_sentence_that_is_too_long_is_an_error():
    def work(sentences: np.ndarray) -> None:
        raise torch.OutOfMemoryError

    with pytest.raises(torch.OutOfMemoryError):
        in_memory(work, np.arange(4))


class Narrow(BiaffineNetwork):
    """A network whose loss doesn't fit into memory for more than one sentence."""

    def loss(self, batch, epoch):
        if len(batch.length) > 1:
            raise torch.OutOfMemoryError
        return super().loss(batch, epoch)


class _FailsOnTheWayBack(torch.autograd.Function):
    @staticmethod
    def forward(ctx, values):
        ctx.sentences = len(values)
        return values.clone()

    @staticmethod
    def backward(ctx, gradient):
        if ctx.sentences > 1:
            raise torch.OutOfMemoryError
        return gradient


class NarrowOnTheWayBack(BiaffineNetwork):
    """The same, but memory runs out after the gradients of the classifiers are there."""

    def encode(self, batch):
        return _FailsOnTheWayBack.apply(super().encode(batch))


@pytest.mark.parametrize("narrow", [Narrow, NarrowOnTheWayBack])
def test_a_batch_that_is_split_gives_the_same_step(narrow, train):
    told: list[str] = []

    def step(network: type[BiaffineNetwork]) -> dict[str, torch.Tensor]:
        training = training_of(network, train, Session(tell=told.append))
        loss = training._step(np.arange(5), 1)
        gradients = {name: own.grad for name, own in training.network.named_parameters()}
        training._step(np.arange(5, 9), 1)
        return {**gradients, "loss": torch.tensor(loss)}

    whole, split = step(BiaffineNetwork), step(narrow)
    assert [line.partition(":")[0] for line in told] == ["the GPU ran out of memory"]  # once, not at each batch
    for name, values in whole.items():
        torch.testing.assert_close(split[name], values, rtol=1e-3, atol=1e-5, msg=name)
