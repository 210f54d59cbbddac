"""Heads and relations of a whole treebank from a network, batch by batch."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

import numpy as np
import torch

from permtree.kernels.trees import ROOT
from permtree.types import Ints, Mask

from .batching import Batches
from .network import Network
from .vocabulary import Encoded

BATCH_WORDS = {"cpu": 1000, "cuda": 20000}  # small batches hold little padding, large ones keep a GPU busy

T = TypeVar("T")


def predict(network: Network, encoded: Encoded, device: torch.device) -> tuple[Ints, Ints]:
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


def in_memory(work: Callable[[Ints], object], sentences: Ints, split: Callable[[], None] = lambda: None) -> None:
    """Do work on sentences at once, or where a GPU runs out of memory on each half of them; `split` is told so."""
    try:
        work(sentences)
        return
    except torch.OutOfMemoryError:
        if len(sentences) == 1:
            raise
    torch.cuda.empty_cache()
    split()
    for half in np.array_split(sentences, 2):
        in_memory(work, half, split)
