"""The graph-based network: every position scored as the head of every word (Dozat & Manning 2017)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import torch
from torch import Tensor, nn
from torch.nn import functional

from permtree.neural.batching import Batch
from permtree.neural.layers import SharedDropout

from .arborescence import possible_arcs, spanning_trees
from .biaffine import BiaffineConfig
from .parser_network import IMPOSSIBLE, ParserNetwork
from .projective import is_projective_tree, project, tree_loss
from .relations import ParserVocabulary

if TYPE_CHECKING:
    from permtree.neural.transformer import Transformer


class BiaffineNetwork(ParserNetwork):
    """Biaffine scores of heads; scores of relations at the heads in question alone.

    A relation's score is linear in the two words' representations and in their product, number by number: a biaffine
    form with a diagonal matrix. A full matrix for each relation is no better on small treebanks, and takes most of the
    time where relations are many.
    """

    config: BiaffineConfig

    def __init__(self, config: BiaffineConfig, vocabulary: ParserVocabulary, transformer: Transformer | None = None):
        super().__init__(config, vocabulary, transformer)
        self.arc_dependent, self.arc_head = (self._reduced(config.arc_size) for _ in range(2))
        self.relation_dependent, self.relation_head = (self._reduced(config.relation_size) for _ in range(2))
        self.arc_weight = nn.Parameter(torch.zeros(config.arc_size + 1, config.arc_size))
        nn.init.normal_(self.arc_weight, std=0.3 / config.arc_size**0.5)  # from zero, learning would begin slowly
        self.relation = nn.Linear(3 * config.relation_size, self.n_relations)

    def _reduced(self, size: int) -> nn.Module:
        return nn.Sequential(nn.Linear(self.encoder.size, size), nn.LeakyReLU(0.1), SharedDropout(self.config.dropout))

    def head_scores(self, encoded: Tensor, batch: Batch) -> Tensor:
        """[B, n, n]: the score of position h as head of position d at [b, d, h]."""
        scores = _with_one(self.arc_dependent(encoded)) @ self.arc_weight @ self.arc_head(encoded).transpose(1, 2)
        return scores.masked_fill(~possible_arcs(batch.length, scores.shape[1]), IMPOSSIBLE)

    def relation_scores(self, encoded: Tensor, head: Tensor) -> Tensor:
        """[B, n, relations]: of each position hanging on the given head."""
        dependent, heads = self.relation_dependent(encoded), self.relation_head(encoded)
        heads = heads.gather(1, head.unsqueeze(2).expand(-1, -1, heads.shape[2]))
        return self.relation(torch.cat((dependent * heads, dependent, heads), dim=2))

    def loss(self, batch: Batch, epoch: int) -> Tensor:
        encoded = self.encode(batch)
        head, relation, words = batch.columns["head"], batch.columns["relation"], batch.words
        scores = self.head_scores(encoded, batch)
        if self.config.loss == "crf":
            tree = self._learnt(batch)
            arcs = tree_loss(scores[tree], head[tree], batch.length[tree]).sum()
        else:
            arcs = functional.cross_entropy(scores[words], head[words], reduction="sum")
        labels = functional.cross_entropy(self.relation_scores(encoded, head)[words], relation[words], reduction="sum")
        return arcs + labels

    def not_learnt(self, batch: Batch) -> tuple[int, str]:
        if self.config.loss != "crf":
            return 0, ""
        count = int((~self._learnt(batch)).sum())
        what = f"not projective, with several roots, or longer than {self.config.longest} words"
        return count, f"{what}: left out of the loss over trees"

    def _learnt(self, batch: Batch) -> Tensor:
        """Sentences that the loss over trees learns from, bool [B]."""
        return is_projective_tree(batch.columns["head"], batch.length) & (batch.length - 1 <= self.config.longest)

    def parse(self, batch: Batch) -> tuple[Tensor, Tensor]:
        encoded = self.encode(batch)
        scores = self.head_scores(encoded, batch)
        if self.config.decode == "projective":
            head = project(scores, batch.length, self.config.longest)
        else:
            head = spanning_trees(scores, batch.length)
        relations = self.only_allowed(self.relation_scores(encoded, head), head.eq(0))
        return head, relations.argmax(dim=2)


def _with_one(values: Tensor) -> Tensor:
    """A constant beside the features of each position, so that a product has a bias."""
    return torch.cat((values, torch.ones_like(values[..., :1])), dim=-1)
