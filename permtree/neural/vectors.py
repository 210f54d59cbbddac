"""Pretrained word vectors from a file in text form (word2vec, GloVe, fastText): a word and its numbers a line."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from permtree.conllu.files import open_input
from permtree.errors import UsageError
from permtree.types import Floats


def read_vectors(path: str, most: int) -> tuple[list[str], Floats]:
    """The words of the first `most` vectors in their order, each once, and the vectors: float32 [words, size].

    A first line with two numbers (how many, how long) is passed over. Raises UsageError, with the number of the line,
    for anything that is no vector or of another length.
    """
    words: dict[str, int] = {}
    rows: list[Any] = []
    size = 0
    for number, line in _lines(path):
        if len(rows) == most:
            break
        parts = line.split()
        if number == 1 and len(parts) == 2 and all(part.isdigit() for part in parts):
            continue
        size = size or len(parts) - 1
        # a word may have blanks in it: the numbers are what stands at the end
        n_word = max(len(parts) - size, 1)
        if n_word > 1 and _is_number(parts[n_word - 1]):
            n_word = 1
        if len(parts) - n_word != size or not size:
            wanted = f"{size} numbers" if size else "numbers after the word"
            found = max(len(parts) - n_word, 0)
            raise UsageError(f"{path}:{number}: {found} numbers; every line must have {wanted}")
        try:
            name = b" ".join(parts[:n_word]).decode("utf-8")
            vector = np.array(parts[n_word:], "S").astype(np.float32)
        except ValueError as fault:
            raise UsageError(f"{path}:{number}: no word vector: {fault}") from None
        if not np.isfinite(vector).all():
            raise UsageError(f"{path}:{number}: no word vector: not a finite number")
        if name not in words:
            words[name] = len(rows)
            rows.append(vector)
    if not rows:
        raise UsageError(f"{path}: no word vectors")
    return list(words), np.stack(rows)


def _is_number(text: bytes) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def _lines(path: str) -> Iterator[tuple[int, bytes]]:
    """The lines of a file with their numbers, from 1."""
    with open_input(path) as source:
        try:
            yield from enumerate(source, 1)
        except Exception as fault:  # gzip, zlib and lzma raise errors of their own kinds
            raise UsageError(f"{path}: damaged file: {fault}") from None
