"""Batches: sentences of about the same length as one matrix of positions, position 0 the artificial root."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from permtree.types import Ints

from .vocabulary import Encoded


@dataclass(frozen=True)
class Batch:
    """B sentences of up to n positions (words and the root): columns int64 [B, n] each (see `Encoded`), length int64
    [B] in positions, mask bool [B, n] (true where there is a position), tables as in `Encoded`."""

    columns: dict[str, Tensor]
    length: Tensor
    mask: Tensor
    tables: dict[str, Tensor]

    @property
    def words(self) -> Tensor:
        """Which positions are words, bool [B, n]."""
        inside = self.mask.clone()
        inside[:, 0] = False
        return inside


class Batches:
    """An encoded treebank on a device, from which batches are gathered."""

    def __init__(self, encoded: Encoded, device: torch.device):
        self.encoded = encoded
        self.n_words = encoded.n_words
        self.columns = {name: torch.from_numpy(values).to(device) for name, values in encoded.columns.items()}
        self.tables = {name: torch.from_numpy(values).to(device) for name, values in encoded.tables.items()}
        self.device = device

    def batch(self, sentences: Ints) -> Batch:
        """These sentences as one batch."""
        length = self.encoded.length[sentences] + 1
        place = np.arange(int(length.max()))
        rows = self.encoded.start[sentences][:, None] + place - 1
        rows[:, 0] = self.n_words
        inside = place < length[:, None]
        rows[~inside] = self.n_words + 1
        index = torch.from_numpy(rows).to(self.device)
        return Batch(
            columns={name: values[index] for name, values in self.columns.items()},
            length=torch.from_numpy(length).to(self.device),
            mask=torch.from_numpy(inside).to(self.device),
            tables=self.tables,
        )

    def in_order_of_length(self, batch_words: int) -> Iterator[Ints]:
        """Sentences grouped for prediction; sentences without words are in no group."""
        yield from groups(self.encoded.length, np.zeros(self.encoded.n_sentences), batch_words)

    def shuffled(self, batch_words: int, random: np.random.Generator) -> list[Ints]:
        """Sentences grouped for training: about as long as each other, otherwise at random, in random order."""
        noise = random.random(self.encoded.n_sentences) * (1 + self.encoded.length * 0.1)
        found = list(groups(self.encoded.length, noise, batch_words))
        return [found[number] for number in random.permutation(len(found))]


def groups(length: Ints, noise: np.ndarray, batch_words: int) -> Iterator[Ints]:
    """Sentences sorted by length plus noise, cut so that a group has at most `batch_words` words, padding included (or
    one sentence)."""
    order = np.argsort(length + noise, kind="stable")
    order = order[length[order] > 0]
    first, longest = 0, 0
    for last, size in enumerate(length[order].tolist()):
        longest = max(longest, size)
        if last > first and (last + 1 - first) * longest > batch_words:
            yield order[first:last]
            first, longest = last, size
    if first < len(order):
        yield order[first:]
