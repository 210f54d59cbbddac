"""Split treebanks at random, by sentence or by document, and say what stands on both sides."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np

from ..conllu.spans import gather, run_starts
from ..conllu.text import FORM, Text
from ..errors import UsageError
from ..types import Bytes, Ints, Mask
from .documents import Documents, pieces_of
from .randomness import sentence_keys, uniform

if TYPE_CHECKING:
    from . import Treebank


BY = ("sentence", "document")  # what stays together


@dataclass(frozen=True)
class Split:
    """A text in parts, which are written when that is asked for. part: [S], the number of each sentence's part, of
    so many."""

    text: Text
    documents: Documents
    part: Ints
    n_parts: int

    @property
    def sizes(self) -> list[int]:
        """The sentences of each part."""
        return np.bincount(self.part, minlength=self.n_parts).tolist()

    def written(self, number: int) -> bytes:
        """The bytes of a part. What stands before a sentence goes with it, what follows the last one with the last
        part. A sentence whose `# newdoc` or `# newpar` is in another part gets a copy."""
        text = self.text
        chosen = pieces_of(text, self.documents, np.flatnonzero(self.part == number))
        if number == self.n_parts - 1:
            last = min(int(text.block_end[-1]) + 1, len(text.line_start)) if text.n_sentences else 0
            chosen.append(text.data[int(text.line_begin(np.array(last))) :] if text.n_sentences else text.data)
        return text.written(b"".join(chosen))

    @property
    def pairs(self) -> list[tuple[int, int]]:
        """Pairs of parts, the earlier one first."""
        return list(combinations(range(self.n_parts), 2))

    @cached_property
    def shared(self) -> dict[tuple[int, int], list[str]]:
        """For each pair of parts the sentences (of the later part) whose forms also stand in the earlier one."""
        words, text = _forms(self.text), self.text
        own = [np.flatnonzero(self.part == number).tolist() for number in range(self.n_parts)]
        known = [{words[i] for i in sentences} for sentences in own]
        return {
            (a, b): [text.sent_ids[i] or f"number {i + 1}" for i in own[b] if words[i] in known[a]]
            for a, b in self.pairs
        }

    @cached_property
    def shared_documents(self) -> dict[tuple[int, int], tuple[int, int]]:
        """For each pair of parts, how many documents of the later one also stand in the earlier one, of how many; none
        if no `# newdoc` says where documents begin."""
        if not self.documents.are_named:
            return {}
        sides = [set(self.documents.document[self.part == number].tolist()) for number in range(self.n_parts)]
        return {(a, b): (len(sides[a] & sides[b]), len(sides[b])) for a, b in self.pairs}


def read_ratio(ratio: str) -> list[int]:
    """Whole numbers separated by colons: 9:1, 8:1:1."""
    words = ratio.split(":")
    if len(words) < 2 or not all(word.isdecimal() and 0 < int(word) < 10**6 for word in words):
        raise UsageError(
            f"--ratio '{ratio}': write two or more whole numbers separated by colons, such as 9:1 or 8:1:1"
        )
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


def assign_documents(text: Text, documents: Documents, ratio: list[int], seed: int) -> Ints:
    """The same with all sentences of a document in one part, int64 [S]: sizes in sentences are as near to the ratio as
    whole documents, in the order of their draw, allow. The draw is that of a document's first sentence."""
    first = run_starts(documents.document)
    keys = sentence_keys(text)[first] if len(first) else sentence_keys(text)
    draw = uniform(keys, np.zeros(len(first), np.int64), seed, "split")
    order = np.lexsort((np.arange(len(first)), draw))
    size = np.bincount(documents.document, minlength=len(first))[order]
    middle = np.cumsum(size) - size / 2
    part = np.empty(len(first), np.int64)
    part[order] = np.searchsorted(np.cumsum(ratio) / sum(ratio) * text.n_sentences, middle, "right")
    return part[documents.document]


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


def twins(treebank: Treebank, other: Treebank) -> int:
    """How many sentences of a treebank have the same forms as a sentence of another one."""
    known = set(_forms_of(other))
    return sum(words in known for words in _forms_of(treebank))


def _forms_of(treebank: Treebank) -> list[bytes]:
    """The forms of each sentence, from the column alone: a view is not written for it."""
    column = treebank.column(FORM)
    words = [f"{word}\t".encode() for word in column.vocabulary]
    length = np.array([len(word) for word in words], np.int64)
    buffer = np.frombuffer(b"".join(words), np.uint8)
    return _per_sentence(buffer, (np.cumsum(length) - length)[column.codes], length[column.codes], treebank)


def _forms(text: Text) -> list[bytes]:
    """The forms of each sentence."""
    start, length = text.column(FORM)
    return _per_sentence(text.buffer, start, length + 1, text)


def _per_sentence(buffer: Bytes, start: Ints, length: Ints, of: Text | Treebank) -> list[bytes]:
    forms = gather(buffer, start, length).tobytes()
    bounds = np.concatenate([[0], np.cumsum(length)])[of.sentence_start].tolist()
    return [forms[a:b] for a, b in zip(bounds[:-1], bounds[1:], strict=True)]


def split(text: Text, ratio: list[int], seed: int, by: str = "sentence") -> Split:
    """Split a text by "sentence" or by "document". Raises UsageError where there is no `# newdoc` to split by."""
    documents = Documents.of(text)
    if by == "document" and not documents.are_named:
        raise UsageError(f"{text.name}: can't be split by document: no '# newdoc' says where documents begin")
    part = assign_documents(text, documents, ratio, seed) if by == "document" else assign(text, ratio, seed)
    return Split(text, documents, part, len(ratio))
