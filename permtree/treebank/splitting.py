"""Split treebanks at random, sentence by sentence, and say which sentences stand on both sides."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..conllu.spans import gather
from ..conllu.text import FORM, Text
from ..errors import UsageError
from ..types import Ints, Mask
from .randomness import sentence_keys, uniform


@dataclass
class Split:
    """Parts of a text: the bytes of each, its sentences, and for each pair of parts the sentences (of the later part)
    whose forms also stand in the earlier one."""

    parts: list[bytes]
    sizes: list[int]
    shared: dict[tuple[int, int], list[str]]


def read_ratio(ratio: str) -> list[int]:
    """Whole numbers parted by colons: 9:1, 8:1:1."""
    words = ratio.split(":")
    if len(words) < 2 or not all(word.isdecimal() and 0 < int(word) < 10**6 for word in words):
        raise UsageError(f"--ratio '{ratio}': write two or more whole numbers parted by colons, such as 9:1 or 8:1:1")
    return [int(word) for word in words]


def drawn_order(text: Text, seed: int) -> Ints:
    """The place of each sentence in a random order, int64 [S]: a hash of seed and sentence, so that it does not depend
    on their order in the file."""
    draw = uniform(sentence_keys(text), np.zeros(text.n_sentences, np.int64), seed, "split")
    rank = np.empty(text.n_sentences, np.int64)
    rank[np.lexsort((np.arange(text.n_sentences), draw))] = np.arange(text.n_sentences)
    return rank


def assign(text: Text, ratio: list[int], seed: int) -> Ints:
    """The part of each sentence, int64 [S]. Sizes are as the ratio says, to the sentence; which sentences go where is
    drawn (see `drawn_order`)."""
    bounds = np.round(np.cumsum(ratio) / sum(ratio) * text.n_sentences)
    return np.searchsorted(bounds, drawn_order(text, seed), "right")


def drawn(text: Text, lengths: Ints, seed: int, sentences: int = 0, words: int = 0) -> Mask:
    """Sentences of a text, drawn at random, bool [S]: at most so many, and whole ones of at most so many words.

    0: all. lengths: the words of each sentence that count, int64 [S]; 0: it is not among those to draw from.
    """
    rank = drawn_order(text, seed)
    order = np.argsort(rank)
    order = order[lengths[order] > 0]
    if words:
        order = order[np.cumsum(lengths[order]) <= words]
    chosen = np.zeros(text.n_sentences, bool)
    chosen[order[:sentences] if sentences else order] = True
    return chosen


def only(text: Text, chosen: Mask) -> bytes:
    """The bytes of some sentences of a text, with what stands before each."""
    pieces, _ = _pieces(text)
    return text.written(b"".join(pieces[i] for i in np.flatnonzero(chosen)))


def twins(text: Text, other: Text) -> int:
    """How many sentences of a text have the same forms as a sentence of another one."""
    known = set(_forms(other))
    return sum(words in known for words in _forms(text))


def _pieces(text: Text) -> tuple[list[bytes], bytes]:
    """Each sentence with what stands before it, and what follows the last one."""
    ends = text.line_begin(np.minimum(text.block_end + 1, len(text.line_start)))
    bounds = np.concatenate([[0], ends]).tolist()
    pieces = [text.data[a:b] for a, b in zip(bounds[:-1], bounds[1:], strict=True)]
    if pieces and text.missing_blank:
        pieces[-1] += b"\n"
    return pieces, text.data[bounds[-1] :]


def _forms(text: Text) -> list[bytes]:
    """The forms of each sentence."""
    start, length = text.column(FORM)
    forms = gather(text.buffer, start, length + 1).tobytes()
    bounds = np.concatenate([[0], np.cumsum(length + 1)])[text.sentence_start].tolist()
    return [forms[a:b] for a, b in zip(bounds[:-1], bounds[1:], strict=True)]


def split(text: Text, ratio: list[int], seed: int) -> Split:
    """Split a text. What stands before a sentence goes with it, what follows the last one with the last part."""
    part = assign(text, ratio, seed)
    pieces, rest = _pieces(text)
    chosen = [[pieces[i] for i in np.flatnonzero(part == k)] for k in range(len(ratio))]
    chosen[-1].append(rest)
    words = _forms(text)
    shared = {}
    for earlier in range(len(ratio)):
        known = {words[i] for i in np.flatnonzero(part == earlier)}
        for later in range(earlier + 1, len(ratio)):
            found = [i for i in np.flatnonzero(part == later).tolist() if words[i] in known]
            shared[(earlier, later)] = [text.sent_ids[i] or f"number {i + 1}" for i in found]
    sizes = np.bincount(part, minlength=len(ratio)).tolist()
    return Split([b"".join(own) for own in chosen], sizes, shared)
