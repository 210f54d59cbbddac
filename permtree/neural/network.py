"""What a network has to offer so that it can be trained: a loss, batch by batch."""

from __future__ import annotations

from abc import abstractmethod
from typing import TYPE_CHECKING

from torch import Tensor, nn

from .batching import Batch
from .layers import Encoder, Features
from .settings import NeuralConfig
from .vocabulary import Vocabulary

if TYPE_CHECKING:
    from .transformer import Transformer


class Network(nn.Module):
    """Features and encoder; a subclass adds what is learnt with them."""

    def __init__(self, config: NeuralConfig, vocabulary: Vocabulary, transformer: Transformer | None = None):
        super().__init__()
        self.config = config
        self.features = Features(config, vocabulary, transformer)
        self.encoder = Encoder(self.features.size, config.hidden, config.layers, config.dropout)

    def encode(self, batch: Batch) -> Tensor:
        """Each position in its sentence: float32 [B, n, encoder.size]."""
        return self.encoder(self.features(batch), batch.length)

    @abstractmethod
    def loss(self, batch: Batch, epoch: int) -> Tensor:
        """The loss of a batch, summed over its words. epoch: from 1, in training."""
