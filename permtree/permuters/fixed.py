"""One permutation by position, the same for every sentence of its length."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from ..configuration import Settings, setting
from ..errors import UsageError
from ..treebank import Treebank
from ..types import Ints
from . import Request, permuter


def read_sigma(value: str | Sequence[int] | None) -> tuple[int, ...]:
    """A permutation of 1 ... n, from a file of numbers separated by white space or from a sequence."""
    if value is None:
        raise UsageError("mode 'fixed' needs --sigma FILE: the old positions in their new order, such as '2 3 1'")
    if isinstance(value, (str, Path)):
        try:
            words = Path(value).read_bytes().decode("ascii", "replace").split()
        except OSError as fault:
            raise UsageError(f"{value}: {fault.strerror}") from None
        if not all(word.isdecimal() for word in words):
            raise UsageError(f"{value}: only whole numbers separated by white space are allowed")
        sigma = tuple(int(word) for word in words)
    else:
        if not all(isinstance(number, (int, np.integer)) for number in value):
            raise UsageError("sigma: a sequence of whole numbers")
        sigma = tuple(int(number) for number in value)
    if not sigma:
        raise UsageError("--sigma: no numbers; write the old positions in their new order, such as '2 3 1'")
    if sorted(sigma) != list(range(1, len(sigma) + 1)):
        raise UsageError(f"--sigma: each of 1 ... {len(sigma)} must stand in it once")
    return sigma


@dataclass(frozen=True)
class Fixed(Settings):
    """The permutation."""

    sigma: tuple[int, ...] = setting(
        None, "file with one permutation: old positions in their new order", read=read_sigma, is_path=True
    )


@permuter(
    "fixed",
    gives="order",
    what="the k-th word of the new order is the word at the k-th number of sigma; sentences of other lengths stay",
    source="controlled experiments with one known permutation",
    config=Fixed,
)
def fixed(treebank: Treebank, request: Request) -> Ints:
    sigma = np.array(request.config.sigma) - 1
    order = np.arange(treebank.n_words)
    fits = treebank.sentence_length == len(sigma)
    begin = treebank.sentence_start[:-1][fits]
    order[begin[:, None] + np.arange(len(sigma))] = begin[:, None] + sigma
    request.counts["sentences passed over by --sigma (other length)"] += int((~fits).sum())
    return order
