"""Pretrained word vectors from a file in text form (word2vec, GloVe, fastText): a word and its numbers a line."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from permtree.errors import UsageError
from permtree.files import open_input
from permtree.types import Floats


def read_vectors(path: str, most: int) -> tuple[list[str], Floats]:
    """The words of the first `most` vectors in their order, each once, and the vectors: float32 [words, size].

    A first line with two numbers (how many, how long) is passed over. Raises UsageError, with the number of the line,
    for anything that is no vector or of another length.
    """
    words: dict[str, int] = {}
    rows: list[Any] = []
    for number, line in _lines(path):
        if len(rows) == most:
            break
        word, _, rest = line.rstrip().partition(b" ")
        values = np.array(rest.split(), dtype="S")
        if number == 1 and len(values) == 1:
            continue
        try:
            name, vector = word.decode("utf-8"), values.astype(np.float32)
        except ValueError as fault:
            raise UsageError(f"{path}:{number}: no word vector: {fault}") from None
        if not len(vector) or (rows and len(vector) != len(rows[0])):
            wanted = f"{len(rows[0])} numbers" if rows else "numbers after the word"
            raise UsageError(f"{path}:{number}: {len(vector)} numbers; every line must have {wanted}")
        if not np.isfinite(vector).all():
            raise UsageError(f"{path}:{number}: no word vector: not a finite number")
        if name not in words:
            words[name] = len(rows)
            rows.append(vector)
    if not rows:
        raise UsageError(f"{path}: no word vectors")
    return list(words), np.stack(rows)


def _lines(path: str) -> Iterator[tuple[int, bytes]]:
    """The lines of a file with their numbers, from 1."""
    with open_input(path) as source:
        try:
            yield from enumerate(source, 1)
        except Exception as fault:  # gzip, zlib and lzma raise errors of their own kinds
            raise UsageError(f"{path}: damaged file: {fault}") from None
