"""What a parser's network has to offer, heads and relations batch by batch; those of a whole treebank, and scores."""

from __future__ import annotations

from abc import abstractmethod
from typing import TYPE_CHECKING

import numpy as np
import torch
from torch import Tensor

from permtree.kernels.trees import ROOT
from permtree.neural.batching import Batch, Batches
from permtree.neural.memory import BATCH_WORDS, in_memory
from permtree.neural.network import Network
from permtree.neural.settings import NeuralConfig
from permtree.neural.vocabulary import Encoded
from permtree.parsing import Session
from permtree.types import Ints, Mask

from .relations import ParserVocabulary

if TYPE_CHECKING:
    from permtree.neural.transformer import Transformer

IMPOSSIBLE = -1e9  # a score that nothing else comes near
CHOOSES = "las"  # the score on dev that decides which epoch is best


class ParserNetwork(Network):
    """A network that finds heads and relations; a subclass adds an architecture."""

    allowed: Tensor

    def __init__(self, config: NeuralConfig, vocabulary: ParserVocabulary, transformer: Transformer | None = None):
        super().__init__(config, vocabulary, transformer)
        self.n_relations = len(vocabulary.relations)
        allowed = torch.tensor([vocabulary.of_word, vocabulary.of_root])
        self.register_buffer("allowed", allowed, persistent=False)

    def only_allowed(self, scores: Tensor, is_root: Tensor) -> Tensor:
        """Relation scores without those that training hasn't seen on the root's arc, or on others.

        scores: [..., relations]; is_root: bool [...], whether the word is a root.
        """
        return scores.masked_fill(~self.allowed[is_root.long()], IMPOSSIBLE)

    @abstractmethod
    def parse(self, batch: Batch) -> tuple[Tensor, Tensor]:
        """Heads and relations, int64 [B, n] each; those of the root and of padding are not looked at."""

    def not_learnt(self, batch: Batch) -> tuple[int, str]:
        """How many sentences have heads that `loss` can't learn, and what becomes of them."""
        return 0, ""


def predict(network: ParserNetwork, encoded: Encoded, device: torch.device) -> tuple[Ints, Ints]:
    """Rows of the heads (-1 for a root) and codes of the relations of all words: int64 [N] each."""
    batches = Batches(encoded, device)
    head = np.full(batches.n_words, ROOT, np.int64)
    relation = np.zeros(batches.n_words, np.int64)

    def parse(sentences: Ints) -> None:
        batch = batches.batch(sentences)
        places, labels = (values.cpu().numpy() for values in network.parse(batch))
        words: Mask = batch.words.cpu().numpy()
        rows = encoded.start[sentences][:, None] + np.arange(words.shape[1]) - 1
        heads = np.where(places > 0, encoded.start[sentences][:, None] + places - 1, ROOT)
        head[rows[words]], relation[rows[words]] = heads[words], labels[words]

    network.eval()
    with torch.no_grad():
        for sentences in batches.in_order_of_length(BATCH_WORDS[device.type]):
            in_memory(parse, sentences)
    return head, relation


def scores(network: ParserNetwork, gold: Encoded, device: torch.device) -> dict[str, float]:
    """UAS and LAS in percent over all words, as `permtree evaluate` has them."""
    head, relation = predict(network, gold, device)
    place = gold.of_words("head")
    gold_head = np.where(place > 0, np.repeat(gold.start, gold.length) + place - 1, ROOT)
    right = head == gold_head
    both = right & (relation == gold.of_words("relation"))
    return {"uas": 100 * float(right.mean()), "las": 100 * float(both.mean())}


def tell_not_learnt(network: ParserNetwork, batches: Batches, session: Session) -> None:
    """Say how many training sentences have heads that the network can't learn."""
    total, what = 0, ""
    for sentences in batches.in_order_of_length(network.config.batch_words):
        count, what = network.not_learnt(batches.batch(sentences))
        total += count
    if total:
        session.tell(f"training sentences that are {what}: {total}")
