"""What a network has to offer so that it can be trained and asked: a loss and heads with relations, batch by batch."""

from __future__ import annotations

from abc import abstractmethod
from typing import TYPE_CHECKING

import torch
from torch import Tensor, nn

from .batching import Batch
from .layers import Encoder, Features
from .settings import NeuralConfig
from .vocabulary import Vocabulary

if TYPE_CHECKING:
    from .transformer import Transformer

IMPOSSIBLE = -1e9  # a score that nothing else comes near


class Network(nn.Module):
    """Features and encoder; a subclass adds an architecture."""

    allowed: Tensor

    def __init__(self, config: NeuralConfig, vocabulary: Vocabulary, transformer: Transformer | None = None):
        super().__init__()
        self.config = config
        self.features = Features(config, vocabulary, transformer)
        self.encoder = Encoder(self.features.size, config.hidden, config.layers, config.dropout)
        self.n_relations = len(vocabulary.relations)
        allowed = torch.tensor([vocabulary.of_word, vocabulary.of_root])
        self.register_buffer("allowed", allowed, persistent=False)

    def encode(self, batch: Batch) -> Tensor:
        """Each position in its sentence: float32 [B, n, encoder.size]."""
        return self.encoder(self.features(batch), batch.length)

    def only_allowed(self, scores: Tensor, is_root: Tensor) -> Tensor:
        """Relation scores without those that training hasn't seen on the root's arc, or on others.

        scores: [..., relations]; is_root: bool [...], whether the word is a root.
        """
        return scores.masked_fill(~self.allowed[is_root.long()], IMPOSSIBLE)

    @abstractmethod
    def loss(self, batch: Batch, epoch: int) -> Tensor:
        """The loss of a batch, summed over its words. epoch: from 1, in training."""

    @abstractmethod
    def parse(self, batch: Batch) -> tuple[Tensor, Tensor]:
        """Heads and relations, int64 [B, n] each; those of the root and of padding are not looked at."""

    def not_learnt(self, batch: Batch) -> tuple[int, str]:
        """How many sentences have heads that `loss` can't learn, and what becomes of them."""
        return 0, ""
