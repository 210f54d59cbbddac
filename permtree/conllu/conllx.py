"""CoNLL-X beside CoNLL-U. Its columns are the same but for the last two: PHEAD and PDEPREL, where CoNLL-U has DEPS and
MISC. In CoNLL-U they are items of MISC, as they were read: `PHead=3|PDeprel=obj`, without the one that is `_`.

A sentence is known to be CoNLL-X by a number alone in its ninth column: DEPS would have a relation, too.
"""

from __future__ import annotations

import numpy as np

from ..types import Bytes, Ints, Mask
from .spans import UNDERSCORE, TextPool, equals, leading_integers
from .text import DEPS, MISC, Text

_PHEAD, _PDEPREL = b"PHead=", b"PDeprel="
_BAR = ord("|")


def in_conllx(text: Text) -> Mask:
    """Lines of words and empty nodes with PHEAD or PDEPREL in their last columns, in sentences of CoNLL-X; bool [T]."""
    bare = np.zeros(len(text.token_line), bool)
    if text.deps is None:
        return bare
    bare[text.deps.token[(text.deps.rest_length == 0) & (text.deps.node < 0)]] = True
    if not bare.any():
        return bare
    sentence = np.repeat(np.arange(text.n_sentences), np.diff(text.sentence_token))
    known = np.bincount(sentence[bare], minlength=text.n_sentences) > 0
    found = bare | (known[sentence] & is_empty(text, DEPS) & ~is_empty(text, MISC))
    found[text.range_token] = False
    return found


def is_empty(text: Text, column: int) -> Mask:
    """Token lines that have _ in a column: bool [T]."""
    start, length = text.column(column, np.arange(len(text.token_line)))
    return (length == 1) & (text.buffer[start] == UNDERSCORE)


def to_items(text: Text, lines: Mask) -> bytes:
    """The text with PHEAD and PDEPREL of these token lines [T] (see `in_conllx`) as items of MISC; DEPS become `_`."""
    tokens = np.flatnonzero(lines)
    pool = TextPool(text.buffer)
    spans = np.zeros((len(tokens), 6, 2), np.int64)
    spans[:, 0] = pool.add(b"_\t")
    named = []
    for column, name, place in ((DEPS, _PHEAD, 1), (MISC, _PDEPREL, 4)):
        has = ~is_empty(text, column)[tokens]
        spans[:, place] = pool.add(name)
        spans[:, place + 1] = np.stack(text.column(column, tokens), axis=1)
        spans[~has, place : place + 2, 1] = 0
        named.append(has)
    spans[:, 3] = pool.add(b"|")
    spans[:, 3, 1] = named[0] & named[1]
    return _with_last_columns(text, pool, tokens, spans)


def to_columns(text: Text, lines: Mask, emptied: Mask | None = None) -> bytes:
    """The inverse: items of MISC in these token lines [T] (see `with_items`) as PHEAD and PDEPREL; _ in both columns of
    those that are to be emptied."""
    if emptied is not None:
        lines = lines | emptied
    tokens = np.flatnonzero(lines)
    pool = TextPool(text.buffer)
    spans = np.zeros((len(tokens), 3, 2), np.int64)
    empty = pool.add(b"_")
    spans[:, 1] = pool.add(b"\t")
    for place, (start, length) in zip((0, 2), _Items(text, tokens).values, strict=True):
        if emptied is not None:
            length = np.where(emptied[tokens], 0, length)
        spans[:, place, 0] = np.where(length > 0, start, empty[0])
        spans[:, place, 1] = np.where(length > 0, length, empty[1])
    return _with_last_columns(text, pool, tokens, spans)


def with_items(text: Text) -> tuple[Mask, Ints]:
    """Lines of words and empty nodes whose MISC is PHead, PDeprel or both and nothing else, without DEPS: bool [T]; and
    the number in each line's PHead [T], 0 where there is none."""
    items = _Items(text, np.arange(len(text.token_line)))
    found = items.fits & is_empty(text, DEPS)
    found[text.range_token] = False
    return found, items.head


class _Items:
    """PHead and PDeprel at the beginning of the MISC of some token lines [K].

    values: start and length of both, length 0 where there is none; head: the number in PHead, else 0; fits: whether the
    items are all of MISC.
    """

    def __init__(self, text: Text, tokens: Ints):
        begin, length = text.column(MISC, tokens)
        end = begin + length
        has_head = _begins(text.buffer, begin, end, _PHEAD)
        start = np.where(has_head, begin + len(_PHEAD), begin)
        number, digits = leading_integers(text.words, start, end)
        digits[~has_head] = 0
        after = start + digits
        barred = has_head & (after < end) & (text.buffer[np.minimum(after, end - 1)] == _BAR)
        at = after + barred
        has_relation = (barred | ~has_head) & _begins(text.buffer, at, end, _PDEPREL)
        at += len(_PDEPREL)
        self.head = np.where(has_head, number, 0)
        self.values = (start, digits), (at, np.where(has_relation, end - at, 0))
        self.fits = np.where(has_relation, end > at, has_head & (after == end)) & (~has_head | (digits > 0))


def _begins(buffer: Bytes, start: Ints, end: Ints, name: bytes) -> Mask:
    """Which of these spans begin with a name."""
    return equals(buffer, start, np.minimum(end - start, len(name)), name)


def _with_last_columns(text: Text, pool: TextPool, tokens: Ints, spans: np.ndarray) -> bytes:
    """The text with spans [K, M, 2] in the place of DEPS and MISC of some token lines [K]."""
    edges = text.edges[tokens]
    return pool.replaced(edges[:, DEPS] + 1, edges[:, MISC + 1], spans, len(text.buffer)).tobytes()
