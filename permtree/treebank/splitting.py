"""Split treebanks at random, by sentence or by document, and say what stands on both sides."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..conllu.spans import gather, run_starts
from ..conllu.text import FORM, Text
from ..errors import UsageError
from ..types import Ints, Mask
from .documents import Documents
from .randomness import sentence_keys, uniform


@dataclass
class Split:
    """Parts of a text: the bytes of each, its sentences, and for each pair of parts the sentences (of the later part)
    whose forms also stand in the earlier one, and how many of its documents do, of how many (none if no `# newdoc` says
    where documents begin)."""

    parts: list[bytes]
    sizes: list[int]
    shared: dict[tuple[int, int], list[str]]
    shared_documents: dict[tuple[int, int], tuple[int, int]]


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


def only(text: Text, chosen: Mask) -> bytes:
    """The bytes of some sentences of a text, with what stands before each."""
    return text.written(b"".join(_pieces(text, Documents.of(text), np.flatnonzero(chosen))))


def twins(text: Text, other: Text) -> int:
    """How many sentences of a text have the same forms as a sentence of another one."""
    known = set(_forms(other))
    return sum(words in known for words in _forms(text))


def _pieces(text: Text, documents: Documents, chosen: Ints) -> list[bytes]:
    """Some sentences with what stands before each, and the `# newdoc` and `# newpar` that they need there."""
    pieces = text.sentence_pieces
    ends = text.line_begin(np.minimum(text.block_end + 1, len(text.line_start)))
    begins = np.concatenate([[0], ends])
    result = []
    for i, line in zip(chosen.tolist(), documents.lines_before(chosen), strict=True):
        at = int(documents.insert_at[i] - begins[i])
        result.append(pieces[i][:at] + line + pieces[i][at:] if line else pieces[i])
    return result


def _forms(text: Text) -> list[bytes]:
    """The forms of each sentence."""
    start, length = text.column(FORM)
    forms = gather(text.buffer, start, length + 1).tobytes()
    bounds = np.concatenate([[0], np.cumsum(length + 1)])[text.sentence_start].tolist()
    return [forms[a:b] for a, b in zip(bounds[:-1], bounds[1:], strict=True)]


def split(text: Text, ratio: list[int], seed: int, by: str = "sentence") -> Split:
    """Split a text by "sentence" or by "document".

    What stands before a sentence goes with it, what follows the last one with the last part. A sentence whose
    `# newdoc` or `# newpar` is in another part gets a copy. Raises UsageError where there is no `# newdoc` to split by.
    """
    documents = Documents.of(text)
    if by == "document" and not documents.are_named:
        raise UsageError(f"{text.name}: --by document: no '# newdoc' says where documents begin")
    part = assign_documents(text, documents, ratio, seed) if by == "document" else assign(text, ratio, seed)
    chosen = [_pieces(text, documents, np.flatnonzero(part == k)) for k in range(len(ratio))]
    if text.n_sentences:
        last = int(min(text.block_end[-1] + 1, len(text.line_start)))
        chosen[-1].append(text.data[int(text.line_begin(np.array(last))) :])
    else:
        chosen[-1].append(text.data)
    words = _forms(text)
    shared, shared_documents = {}, {}
    for earlier in range(len(ratio)):
        known = {words[i] for i in np.flatnonzero(part == earlier)}
        for later in range(earlier + 1, len(ratio)):
            if documents.are_named:
                sides = [set(documents.document[part == k].tolist()) for k in (earlier, later)]
                shared_documents[(earlier, later)] = (len(sides[0] & sides[1]), len(sides[1]))
            found = [i for i in np.flatnonzero(part == later).tolist() if words[i] in known]
            shared[(earlier, later)] = [text.sent_ids[i] or f"number {i + 1}" for i in found]
    sizes = np.bincount(part, minlength=len(ratio)).tolist()
    return Split([text.written(b"".join(own)) for own in chosen], sizes, shared, shared_documents)
