"""What both networks share: words as numbers from their features, and an LSTM that reads the sentence both ways."""

from __future__ import annotations

from typing import TYPE_CHECKING

import torch
from torch import Tensor, nn

from permtree.types import Floats

from .batching import Batch
from .settings import NeuralConfig
from .vocabulary import FIRST, PADDING, UNKNOWN, Vocabulary

if TYPE_CHECKING:
    from .transformer import Transformer

UNTRAINED_UNKNOWN = ("tags", "feats", "characters")  # parts of `Features`


class SharedDropout(nn.Module):
    """Dropout with one mask for all positions of a sentence (Gal & Ghahramani 2016); input [B, n, size]."""

    def __init__(self, rate: float):
        super().__init__()
        self.rate = rate

    def forward(self, values: Tensor) -> Tensor:
        if not self.training or not self.rate:
            return values
        kept = torch.empty_like(values[:, :1]).bernoulli_(1 - self.rate) / (1 - self.rate)
        return values * kept


class Characters(nn.Module):
    """Features of a word from its characters: a convolution with a maximum over places, or an LSTM's last states."""

    def __init__(self, how: str, n_characters: int, size: int, features: int):
        super().__init__()
        self.how = how
        self.embedding = nn.Embedding(FIRST + n_characters, size, padding_idx=PADDING)
        if how == "cnn":
            self.convolution = nn.Conv1d(size, features, kernel_size=3, padding=1)
        else:
            self.forward_lstm = nn.LSTM(size, features - features // 2, batch_first=True)
            self.backward_lstm = nn.LSTM(size, features // 2, batch_first=True)

    def forward(self, codes: Tensor) -> Tensor:
        """codes: int64 [K, longest], padded at the end; returns [K, features]."""
        length = codes.ne(PADDING).sum(dim=1)
        codes = codes[:, : max(int(length.max()), 1)]
        values = self.embedding(codes)
        if self.how == "cnn":
            found = self.convolution(values.transpose(1, 2))
            return found.masked_fill(codes.eq(PADDING).unsqueeze(1), -1e4).amax(dim=2).relu()
        last = (length - 1).clamp_min(0).view(-1, 1, 1)
        ends = []
        for lstm, inputs in ((self.forward_lstm, values), (self.backward_lstm, reversed_sentences(values, length))):
            states = lstm(inputs)[0]
            ends.append(states.gather(1, last.expand(-1, 1, states.shape[2])).squeeze(1))
        return torch.cat(ends, dim=1)


class Features(nn.Module):
    """Each position as one vector: word, tags and characters side by side. `size`: its length."""

    def __init__(self, config: NeuralConfig, vocabulary: Vocabulary, transformer: Transformer | None):
        super().__init__()
        self.config = config
        self.word = nn.Embedding(FIRST + len(vocabulary.words), config.word_size, padding_idx=PADDING)
        self.size = config.word_size
        self.tags = nn.ModuleDict()
        for name in ("upos", "xpos"):
            if getattr(config, name):
                known = getattr(vocabulary, name)
                self.tags[name] = nn.Embedding(FIRST + len(known), config.tag_size, padding_idx=PADDING)
                self.size += config.tag_size
        if config.feats:
            self.feats = nn.EmbeddingBag(
                FIRST + len(vocabulary.feats), config.tag_size, mode="sum", padding_idx=PADDING
            )
            self.size += config.tag_size
        if config.characters != "none":
            self.characters = Characters(
                config.characters, len(vocabulary.characters), config.character_size, config.character_features
            )
            self.size += config.character_features
        if vocabulary.vectors:
            self.vectors = nn.Embedding(FIRST + len(vocabulary.vectors), vocabulary.vector_size, padding_idx=PADDING)
            self.vectors.requires_grad_(False)
            self.size += vocabulary.vector_size
        self.transformer = transformer
        if transformer is not None:
            transformer.requires_grad_(config.fine_tune)
            self.size += transformer.size
        self.dropout = nn.Dropout(config.dropout)
        # an unknown tag or character adds nothing: training never meets one, so that nothing would be learnt for it
        for name, module in self.named_modules():
            if isinstance(module, (nn.Embedding, nn.EmbeddingBag)) and name.split(".")[0] in UNTRAINED_UNKNOWN:
                with torch.no_grad():
                    module.weight[UNKNOWN] = 0

    def train(self, mode: bool = True) -> Features:
        """A transformer that isn't trained stays as it predicts, without dropout."""
        super().train(mode)
        if self.transformer is not None and not self.config.fine_tune:
            self.transformer.eval()
        return self

    def fill_vectors(self, vectors: Floats) -> None:
        """Pretrained vectors, float32 [words, size]; words without one get zeros."""
        with torch.no_grad():
            self.vectors.weight.zero_()
            self.vectors.weight[FIRST:] = torch.from_numpy(vectors)

    def forward(self, batch: Batch) -> Tensor:
        """[B, n, size]."""
        word = batch.columns["word"]
        if self.training and self.config.unknown_dropout:
            dropped = torch.empty_like(word, dtype=torch.bool).bernoulli_(self.config.unknown_dropout)
            word = torch.where(dropped & word.ge(FIRST), UNKNOWN, word)
        parts = [self.word(word)]
        parts += [embedding(batch.columns[name]) for name, embedding in self.tags.items()]
        if self.config.feats:
            parts.append(self._distinct(batch.columns["feats"], batch.tables["feats"], self.feats))
        if self.config.characters != "none":
            parts.append(self._distinct(batch.columns["form"], batch.tables["characters"], self.characters))
        if "vector" in batch.columns:
            parts.append(self.vectors(batch.columns["vector"]))
        if self.transformer is not None:
            pieces = batch.tables["pieces"][batch.columns["form"]]
            half = pieces.is_cuda and self.config.precision == "bfloat16"
            with torch.autocast(pieces.device.type, torch.bfloat16, enabled=half):
                parts.append(self.transformer(pieces).float())
        return self.dropout(torch.cat(parts, dim=2))

    @staticmethod
    def _distinct(rows: Tensor, table: Tensor, module: nn.Module) -> Tensor:
        """What a module makes of the table rows of a batch, each distinct one once: [B, n, features]."""
        distinct, number = torch.unique(rows, return_inverse=True)
        return nn.functional.embedding(number, module(table[distinct]))


class Encoder(nn.Module):
    """An LSTM over the sentence in both directions, several layers deep. `size`: of what comes out.

    Each direction is an LSTM of its own over sentences that begin at the first column, so that padding stands behind
    all words in both directions and changes nothing, and no packing is needed.
    """

    def __init__(self, inputs: int, hidden: int, layers: int, dropout: float):
        super().__init__()
        self.size = 2 * hidden
        sizes = [inputs] + [self.size] * (layers - 1)
        self.forward_layers = nn.ModuleList(nn.LSTM(size, hidden, batch_first=True) for size in sizes)
        self.backward_layers = nn.ModuleList(nn.LSTM(size, hidden, batch_first=True) for size in sizes)
        self.dropout = SharedDropout(dropout)

    def forward(self, values: Tensor, length: Tensor) -> Tensor:
        """values: [B, n, inputs]; length: int64 [B] in positions; returns [B, n, size]."""
        for forward_lstm, backward_lstm in zip(self.forward_layers, self.backward_layers, strict=True):
            ahead = forward_lstm(values)[0]
            back = reversed_sentences(backward_lstm(reversed_sentences(values, length))[0], length)
            values = self.dropout(torch.cat((ahead, back), dim=2))
        return values


def reversed_sentences(values: Tensor, length: Tensor) -> Tensor:
    """Each sentence of [B, n, size] from its last position to its first; padding stays where it is."""
    place = torch.arange(values.shape[1], device=values.device)
    mirrored = length.unsqueeze(1) - 1 - place
    index = torch.where(mirrored >= 0, mirrored, place)
    return values.gather(1, index.unsqueeze(2).expand(-1, -1, values.shape[2]))
