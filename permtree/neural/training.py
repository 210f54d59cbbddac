"""Training of any network: epochs over shuffled batches, the best weights on dev, a checkpoint after each epoch.

What is learnt, and by which score an epoch is the best, is the learner's: see `Dev`.

Each epoch draws from a generator of its own, so that a training that is resumed from a checkpoint draws the same.
"""

from __future__ import annotations

import hashlib
import math
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import torch
from torch import Tensor

from permtree.errors import UsageError
from permtree.parsing import Session
from permtree.types import Ints

from .batching import Batches
from .checkpoints import Checkpoints
from .memory import in_memory
from .network import Network
from .settings import NeuralConfig
from .vocabulary import Encoded


@dataclass
class TrainingState:
    """How far a training is: what a checkpoint keeps beside tensors."""

    epoch: int = 0
    best_epoch: int = 0
    best_score: float = -1.0
    log: list[dict[str, Any]] = field(default_factory=list)


@dataclass(frozen=True)
class Dev:
    """How good a network is on data that it does not learn from.

    scores: gives them by name, from 0 on, higher is better, in the order in which they are shown. chooses: the name of
    the one that decides which epoch is best.
    """

    scores: Callable[[], dict[str, float]]
    chooses: str


class Training:
    """A network in training."""

    def __init__(
        self,
        network: Network,
        train: Encoded,
        dev: Dev | None,
        seed: int,
        device: torch.device,
        session: Session,
        signature: str,
    ):
        self.network = network
        self.config, self.seed, self.device, self.session = network.config, seed, device, session
        self.batches = Batches(train, device)
        self.dev = dev
        self.epochs = epochs_for(self.config, self.batches.n_words)
        self.optimizer = optimizer_of(network)
        self.progress = TrainingState()
        self.best: dict[str, Tensor] = {}
        self.checkpoints = Checkpoints(session.folder, signature)
        self._told_memory = False

    def run(self) -> dict[str, Any]:
        """Train to the end, and leave the best weights in the network; what the model folder says of it."""
        if self.epochs < self.config.epochs:
            why = f"most_words = {self.config.most_words}, 0 for no limit"
            self.session.tell(
                f"{self.epochs} epochs instead of {self.config.epochs} for a treebank of this size ({why})"
            )
        self._resume()
        started, first = time.monotonic(), self.progress.epoch
        while self.progress.epoch < self.epochs and not self._out_of_patience():
            self._epoch()
            done = self.progress.epoch - first
            left = (time.monotonic() - started) / done * (self.epochs - self.progress.epoch)
            self.session.progress(self.progress.epoch, self.epochs, self._line(left))
            self._save()
        self.network.load_state_dict(self.best)
        self.network.eval()
        best = next(entry for entry in self.progress.log if entry["epoch"] == self.progress.best_epoch)
        scores = {f"dev_{name}": value for name, value in self._scores_in(best).items()}
        return {"epochs": self.progress.epoch, "best_epoch": self.progress.best_epoch, **scores}

    def _epoch(self) -> None:
        number = self.progress.epoch + 1
        started = time.monotonic()
        with reproducible(self.seed, number, self.device):
            random = np.random.default_rng([self.seed, number])
            groups = self.batches.shuffled(self.config.batch_words, random)
            self.network.train()
            loss = 0.0
            for place, sentences in enumerate(groups):
                self._set_learning_rate((number - 1 + place / len(groups)) / self.epochs)
                loss += self._step(sentences, number)
        entry: dict[str, Any] = {"epoch": number, "loss": loss / max(self.batches.n_words, 1)}
        if not math.isfinite(loss):
            raise UsageError(f"epoch {number}: the loss is {loss}: lower learning_rate or clip")
        trained = time.monotonic() - started
        if self.dev is not None:
            entry |= self.dev.scores()
        if self.dev is None or entry[self.dev.chooses] > self.progress.best_score:
            self.progress.best_score = entry[self.dev.chooses] if self.dev is not None else -1.0
            self.progress.best_epoch = number
            self.best = _copy(self.network)
        self.progress.epoch = number
        self.progress.log.append({**entry, "seconds": round(trained, 3)})

    def _step(self, sentences: Ints, epoch: int) -> float:
        """One step of the optimizer; the loss, summed over words."""
        words = int(self.batches.encoded.length[sentences].sum())
        total = torch.zeros((), device=self.device)
        gradients: dict[Tensor, Tensor] = {}  # of the parts so far

        def work(part: Ints) -> None:
            nonlocal total
            self.optimizer.zero_grad(set_to_none=True)  # what is there is of a part that failed half-way back
            loss = self.network.loss(self.batches.batch(part), epoch)
            (loss / words).backward()
            total = total + loss.detach()
            for weights in self.network.parameters():
                if weights.grad is not None:
                    before = gradients.get(weights)
                    gradients[weights] = weights.grad if before is None else before.add_(weights.grad)

        in_memory(work, sentences, self._tell_memory)
        for weights in self.network.parameters():
            weights.grad = gradients.get(weights)
        torch.nn.utils.clip_grad_norm_(self.network.parameters(), self.config.clip)
        self.optimizer.step()
        return float(total)

    def _set_learning_rate(self, done: float) -> None:
        share = max(1 - done, self.config.last_learning_rate)
        for group in self.optimizer.param_groups:
            group["lr"] = group["highest"] * share

    def _out_of_patience(self) -> bool:
        waited = self.progress.epoch - self.progress.best_epoch
        return self.dev is not None and self.progress.epoch > 0 and waited >= self.config.patience

    def _line(self, left: float) -> str:
        entry = self.progress.log[-1]
        scores = [f"{name.upper()} {value:.2f}" for name, value in self._scores_in(entry).items()]
        found = f", dev {' '.join(scores)}" if scores else ""
        minutes = f"{left / 60:.0f} min" if left >= 90 else f"{left:.0f} s"
        return f"epoch {entry['epoch']}/{self.epochs}: loss {entry['loss']:.3f}{found}; about {minutes} left"

    @staticmethod
    def _scores_in(entry: dict[str, Any]) -> dict[str, float]:
        """The scores on dev in an entry of the log."""
        return {name: value for name, value in entry.items() if name not in ("epoch", "loss", "seconds")}

    def _tell_memory(self) -> None:
        if not self._told_memory:
            self._told_memory = True
            self.session.tell("the GPU ran out of memory: batches that are too large are split; lower batch_words")

    # -- checkpoints -------------------------------------------------------------------------------------------

    def _save(self) -> None:
        tensors = {"network": self.network.state_dict(), "best": self.best}
        state = self.optimizer.state_dict()["state"]
        tensors["optimizer"] = {f"{i}.{name}": values for i, own in state.items() for name, values in own.items()}
        self.checkpoints.save(tensors, vars(self.progress))

    def _resume(self) -> None:
        found = self.checkpoints.load(self.device)
        if not found:
            return
        tensors, progress = found
        self.progress = TrainingState(**progress)
        self.network.load_state_dict(tensors["network"])
        self.best = tensors["best"]
        state: dict[int, dict[str, Tensor]] = {}
        for name, values in tensors["optimizer"].items():
            number, key = name.split(".", 1)
            state.setdefault(int(number), {})[key] = values
        self.optimizer.load_state_dict({"state": state, "param_groups": self.optimizer.state_dict()["param_groups"]})
        self.session.tell(f"resumed after epoch {self.progress.epoch}")


def epochs_for(config: NeuralConfig, n_words: int) -> int:
    """How many epochs a treebank of this size is trained for: fewer the larger it is, within the settings' bounds."""
    if not config.most_words:
        return config.epochs
    return min(config.epochs, max(config.least_epochs, round(config.most_words / max(n_words, 1))))


def optimizer_of(network: Network) -> torch.optim.Optimizer:
    """Adam with decoupled weight decay; a transformer has a learning rate of its own. Fused: one pass over a weight."""
    config = network.config
    groups: dict[float, list[Tensor]] = {config.learning_rate: [], config.transformer_learning_rate: []}
    for name, weights in network.named_parameters():
        in_transformer = name.startswith("features.transformer.")
        groups[config.transformer_learning_rate if in_transformer else config.learning_rate].append(weights)
    grouped = [{"params": weights, "lr": rate, "highest": rate} for rate, weights in groups.items() if weights]
    return torch.optim.AdamW(grouped, betas=(0.9, 0.9), eps=1e-12, weight_decay=config.weight_decay, fused=True)


def _copy(network: Network) -> dict[str, Tensor]:
    return {name: values.detach().clone() for name, values in network.state_dict().items()}


@contextmanager
def reproducible(seed: int, epoch: int, device: torch.device) -> Iterator[None]:
    """Draws that depend on seed and epoch alone; torch's own generators are as before afterwards."""
    drawn = hashlib.blake2b(f"{seed}/{epoch}".encode(), digest_size=8).digest()
    devices = [torch.cuda.current_device()] if device.type == "cuda" else []
    with torch.random.fork_rng(devices):
        number = int.from_bytes(drawn, "little") >> 1
        torch.default_generator.manual_seed(number)
        if devices:
            torch.cuda.manual_seed(number)
        yield
