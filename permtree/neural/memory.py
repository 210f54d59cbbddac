"""Batches as large as the memory of a device allows."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import torch

from permtree.types import Ints

BATCH_WORDS = {"cpu": 1000, "cuda": 20000}  # small batches hold little padding, large ones keep a GPU busy


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
