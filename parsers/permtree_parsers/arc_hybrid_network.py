"""The transition-based network: arc-hybrid steps scored from the words on top of stack and buffer.

After Kiperwasser & Goldberg (2016). All sentences of a batch step together. A roll-out without gradients finds the
configurations to learn from; one pass with gradients over all of them follows, so that a GPU has something to do.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import TYPE_CHECKING

import torch
from torch import Tensor, nn
from torch.nn import functional

from permtree.neural.batching import Batch

from .arborescence import is_tree
from .arc_hybrid import ArcHybridConfig
from .parser_network import IMPOSSIBLE, ParserNetwork
from .projective import is_projective_tree
from .relations import ParserVocabulary
from .transitions import LEFT, RIGHT, SLOTS, Configurations, projective_order, static_transition

if TYPE_CHECKING:
    from permtree.neural.transformer import Transformer

NO_POSITION = -5  # the head of what is no word


class ArcHybridNetwork(ParserNetwork):
    """One hidden layer over the positions of a configuration; scores of transitions and of relations from it."""

    config: ArcHybridConfig

    def __init__(self, config: ArcHybridConfig, vocabulary: ParserVocabulary, transformer: Transformer | None = None):
        super().__init__(config, vocabulary, transformer)
        self.nothing = nn.Parameter(torch.zeros(self.encoder.size))
        self.first = nn.Linear(self.encoder.size, SLOTS * config.classifier_size, bias=False)
        self.first_bias = nn.Parameter(torch.zeros(config.classifier_size))
        self.dropout = nn.Dropout(config.dropout)
        self.transition = nn.Linear(config.classifier_size, 4 if config.swap else 3)
        self.relation = nn.Linear(config.classifier_size, 2 * self.n_relations)

    def first_layer(self, encoded: Tensor) -> Tensor:
        """What each position adds to the hidden layer in each slot: [B * (n + 1) * SLOTS, size].

        A configuration's hidden layer is then a sum of rows. The last position of a sentence is "nothing there".
        """
        nothing = self.nothing.expand(len(encoded), 1, -1)
        return self.first(torch.cat((encoded, nothing), dim=1)).view(-1, self.config.classifier_size)

    def hidden(self, first_layer: Tensor, rows: Tensor) -> Tensor:
        """The hidden layer of configurations; rows: int64 [K, SLOTS] of the first layer."""
        summed = functional.embedding_bag(rows, first_layer, mode="sum") + self.first_bias
        return self.dropout(torch.tanh(summed))

    def relation_scores(self, hidden: Tensor, to_right: Tensor) -> Tensor:
        """[K, relations] of the arc that LEFT (or, where to_right, RIGHT) makes."""
        both = self.relation(hidden).view(-1, 2, self.n_relations)
        return torch.where(to_right.view(-1, 1), both[:, 1], both[:, 0])

    def loss(self, batch: Batch, epoch: int) -> Tensor:
        first_layer = self.first_layer(self.encode(batch))
        visited = self._roll_out(first_layer.detach(), batch, epoch)
        hidden = self.hidden(first_layer, visited["rows"])
        scores = self.transition(hidden).masked_fill(~visited["legal"], IMPOSSIBLE)
        right = torch.logsumexp(scores.masked_fill(~visited["best"], IMPOSSIBLE), dim=1)
        transitions = (torch.logsumexp(scores, dim=1) - right).sum()
        arcs = visited["relation"] >= 0
        labels = self.relation_scores(hidden[arcs], visited["to_right"][arcs])
        return transitions + functional.cross_entropy(labels, visited["relation"][arcs], reduction="sum")

    def not_learnt(self, batch: Batch) -> tuple[int, str]:
        learnt = is_tree if self.config.swap else is_projective_tree
        count = int((~learnt(batch.columns["head"], batch.length)).sum())
        why = "with several roots" if self.config.swap else "not projective or with several roots"
        return count, f"{why}: learnt as nearly as the transitions allow"

    @torch.no_grad()
    def _roll_out(self, first_layer: Tensor, batch: Batch, epoch: int) -> dict[str, Tensor]:
        """The configurations that training visits, K in all, each with what is right in it.

        rows: int64 [K, SLOTS]; legal, best: bool [K, transitions]; relation: int64 [K] of the gold arc that a best
        transition makes, -1 where none does; to_right: bool [K], whether that is RIGHT.
        """
        state, offset = self._start(batch)
        head, gold_relation = _gold(batch)
        rank = projective_order(head, batch.length) if self.config.swap else None
        steps: list[tuple[Tensor, ...]] = []
        for live in unfinished(state):
            positions, legal = state.positions(), state.legal()
            rows = offset + positions * SLOTS
            if self.config.oracle == "static":
                chosen = static_transition(state, head, rank)
                best = functional.one_hot(chosen, legal.shape[1]).bool()
            else:
                best = state.cheapest(head, rank)
                explorable = state.explorable(head, rank) if self.config.swap else legal
                chosen = self._followed(first_layer, rows, explorable, best, epoch)
            s0, s1, b0 = positions[:, :1], positions[:, 1], positions[:, 3]
            own_head = head.gather(1, s0).squeeze(1)
            to_left, to_right = best[:, LEFT] & own_head.eq(b0), best[:, RIGHT] & own_head.eq(s1)
            relation = gold_relation.gather(1, s0).squeeze(1).where(to_left | to_right, -1)
            steps.append((live, rows, legal, best, relation, to_right))
            state.apply(chosen, torch.zeros_like(chosen), live)
        live, *parts = (torch.cat(part) for part in zip(*steps, strict=True))
        names = ("rows", "legal", "best", "relation", "to_right")
        return {name: part[live] for name, part in zip(names, parts, strict=True)}

    def _followed(self, first_layer: Tensor, rows: Tensor, explorable: Tensor, best: Tensor, epoch: int) -> Tensor:
        """The best transition that the network likes most, or with the probability of exploration just what it likes
        most of what may be explored (Goldberg & Nivre 2013)."""
        scores = self.transition(self.hidden(first_layer, rows)).masked_fill(~explorable, IMPOSSIBLE)
        chosen = scores.masked_fill(~best, IMPOSSIBLE).argmax(dim=1)
        if epoch <= self.config.explore_after or not self.config.exploration:
            return chosen
        explore = torch.empty_like(chosen, dtype=torch.bool).bernoulli_(self.config.exploration)
        return torch.where(explore, scores.argmax(dim=1), chosen)

    def _start(self, batch: Batch) -> tuple[Configurations, Tensor]:
        """The first configurations of a batch; where the first layer of each sentence begins, in rows and slots."""
        width = batch.mask.shape[1]
        state = Configurations(batch.length, width, self.config.swap)
        slots = torch.arange(SLOTS, device=batch.length.device)
        sentences = torch.arange(len(batch.length), device=batch.length.device).unsqueeze(1)
        return state, sentences * (width + 1) * SLOTS + slots

    def parse(self, batch: Batch) -> tuple[Tensor, Tensor]:
        first_layer = self.first_layer(self.encode(batch))
        state, offset = self._start(batch)
        for live in unfinished(state):
            positions = state.positions()
            hidden = self.hidden(first_layer, offset + positions * SLOTS)
            transition = self.transition(hidden).masked_fill(~state.legal(), IMPOSSIBLE).argmax(dim=1)
            to_right = transition.eq(RIGHT)
            scores = self.relation_scores(hidden, to_right)
            relation = self.only_allowed(scores, to_right & positions[:, 1].eq(0)).argmax(dim=1)
            state.apply(transition, relation, live)
        width = batch.mask.shape[1]
        return state.head[:, :width], state.relation[:, :width]


def unfinished(state: Configurations) -> Iterator[Tensor]:
    """Step by step, which sentences are not finished, bool [B], until all are.

    Without swap the number of steps is known beforehand, so that nothing waits for a GPU.
    """
    for step in itertools.count():
        live = ~state.finished()
        if not bool(live.any()) if state.swap else step >= 2 * (state.width - 1):
            return
        yield live


def _gold(batch: Batch) -> tuple[Tensor, Tensor]:
    """Heads and relations with a column for "nothing there": int64 [B, n + 1] each."""
    head = batch.columns["head"].masked_fill(~batch.words, NO_POSITION)
    relation = batch.columns["relation"].masked_fill(~batch.words, -1)
    return functional.pad(head, (0, 1), value=NO_POSITION), functional.pad(relation, (0, 1), value=-1)
