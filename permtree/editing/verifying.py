"""Is B the same treebank as A in another order? Shown by undoing both permutations, or by comparing unordered trees."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field, replace

import numpy as np

from ..conllu.scan import read_text
from ..conllu.text import DEPREL, FEATS, FORM, MISC, Text
from ..errors import DataError, Finding
from ..treebank import Treebank
from ..treebank.versions import trees_in_all, with_own_text
from .inverting import inverted_bytes
from .trace import Trace, joint_ids, tells_of_place

_UNORDERED = "unordered trees; DEPS, multiword tokens and empty nodes not compared"


@dataclass
class Verdict:
    """What `verify` found: `failure` is empty for a minimal pair, else it names the first sentence and the reason.

    skipped: sentences that are no tree, left out; dropped: how many of the other side went with what was left out."""

    failure: str
    sentences: int = 0
    reordered: int = 0
    method: str = ""
    skipped: list[Finding] = field(default_factory=list)
    dropped: int = 0

    @property
    def is_pair(self) -> bool:
        return not self.failure


def verify(first: Treebank, second: Treebank, skip_errors: bool = False) -> Verdict:
    """Compare two treebanks sentence by sentence: same words, same trees, order aside.

    Where permtree permuted one of them or both, the permutations are undone and all token lines must agree to the byte.
    Else the trees are compared without their order: forms, lemmas, tags, features, relations, MISC but for what
    tells of a place in the text.
    Raises DataError for a sentence that is no tree; with skip_errors it is left out on both sides.
    """
    if skip_errors:
        (first, second), skipped, dropped = trees_in_all((first, second))
        return replace(_verified(with_own_text(first), with_own_text(second)), skipped=skipped, dropped=dropped)
    for treebank in (first, second):
        treebank.trees_only()
    return _verified(first, second)


def _verified(first: Treebank, second: Treebank) -> Verdict:
    a, b = first.text, second.text
    if failure := _names_differ(a, b):
        return Verdict(failure)
    reordered = _reordered(a, b)
    levels = [int(Trace.of(text).levels.min()) if text.n_sentences else 0 for text in (a, b)]
    if not any(levels):
        return Verdict(_unordered_difference(first, second), a.n_sentences, reordered, _UNORDERED)
    texts = [a, b]
    try:
        while True:
            deeper = 0 if levels[0] > levels[1] else 1
            if levels[0] == levels[1]:
                failure = _lines_differ(*texts)
                if not failure or levels[0] == 0:
                    return Verdict(failure, a.n_sentences, reordered, "permutations undone, token lines equal")
                texts[0], levels[0] = _undone(texts[0]), levels[0] - 1
                deeper = 1
            texts[deeper], levels[deeper] = _undone(texts[deeper]), levels[deeper] - 1
    except DataError as error:
        return Verdict(str(error))


def _undone(text: Text) -> Text:
    return read_text(inverted_bytes(text, True, Counter()), text.name)[0]


def _name(text: Text, sentence: int) -> str:
    name = text.sent_ids[sentence] or f"number {sentence + 1}"
    return f"{text.name}:{int(text.line_number[text.block_first[sentence]])}: sentence {name}"


def _names_differ(a: Text, b: Text) -> str:
    for i, (x, y) in enumerate(zip(a.sent_ids, b.sent_ids, strict=False)):
        if x != y:
            return f"{_name(a, i)}: in its place {b.name} has {y or 'a sentence without sent_id'}"
    longer, shorter = (a, b) if a.n_sentences > b.n_sentences else (b, a)
    if a.n_sentences != b.n_sentences:
        return f"{_name(longer, shorter.n_sentences)}: not in {shorter.name}, which ends before it"
    return ""


def _reordered(a: Text, b: Text) -> int:
    """How many sentences have their words in another order: by their ids, or by FORM to FEATS, where nothing tells
    ids."""
    n = a.n_sentences
    ids = joint_ids(Trace.of(a), Trace.of(b), zip(range(n), range(n), strict=True))
    found = 0
    for i, (x, y) in enumerate(zip(_word_sequences(a), _word_sequences(b), strict=True)):
        own = [side[slice(*text.sentence_start[i : i + 2].tolist())] for side, text in zip(ids, (a, b), strict=True)]
        found += x != y or not np.array_equal(own[0], own[1])
    return found


def _word_sequences(text: Text) -> list[bytes]:
    """FORM to FEATS of all words of each sentence, in order."""
    from ..conllu.spans import gather

    edges = text.edges[text.word_token]
    length = edges[:, FEATS + 1] - edges[:, FORM]
    data = gather(text.buffer, edges[:, FORM], length).tobytes()
    bounds = np.concatenate([[0], np.cumsum(length)])[text.sentence_start].tolist()
    return [data[a:b] for a, b in zip(bounds[:-1], bounds[1:], strict=True)]


def _lines_differ(a: Text, b: Text) -> str:
    """The first difference between the token lines of two texts with the same sentences."""
    for i in range(a.n_sentences):
        lines_a, lines_b = _token_lines(a, i), _token_lines(b, i)
        if lines_a == lines_b:
            continue
        for x, y in zip(lines_a, lines_b, strict=False):
            if x != y:
                cells = zip(a.layout.inner, x.split(b"\t"), y.split(b"\t"), strict=True)
                column, left, right = next((n, v, w) for n, v, w in cells if v != w)
                word = x.split(b"\t")[0].decode()
                pair = f"{left.decode()} and {right.decode()}"
                return f"{_name(a, i)}: {column} of word {word} (original ids) differs: {pair}"
        return f"{_name(a, i)}: {len(lines_a)} token lines against {len(lines_b)}"
    return ""


def _token_lines(text: Text, sentence: int) -> list[bytes]:
    begin = int(text.comment_spans[1][sentence])
    end = int(text.line_begin(text.block_end[sentence]))
    return text.data[begin:end].split(b"\n")[:-1]


def _unordered_difference(first: Treebank, second: Treebank) -> str:
    """Compare each sentence as a set of unordered labelled trees, numbered from the leaves up."""
    numbers: dict[tuple, int] = {}
    shapes = [_sentence_shapes(treebank, numbers) for treebank in (first, second)]
    for i, (x, y) in enumerate(zip(*shapes, strict=True)):
        if x != y:
            return f"{_name(first.text, i)}: other words or another tree in {second.text.name}"
    return ""


def _sentence_shapes(treebank: Treebank, numbers: dict[tuple, int]) -> list[list[int]]:
    text = treebank.text
    edges = text.edges[text.word_token]
    below: list[list[int]] = [[] for _ in range(treebank.n_words)]
    roots: list[list[int]] = [[] for _ in range(treebank.n_sentences)]
    heads, sentence_of = treebank.head.tolist(), treebank.sentence_of.tolist()
    for level in reversed(treebank.levels):
        for row in level.tolist():
            e = edges[row].tolist()
            items = text.data[e[MISC] + 1 : e[MISC + 1]].split(b"|")
            misc = tuple(item for item in items if item != b"_" and not tells_of_place(item))
            label = (text.data[e[FORM] : e[FEATS + 1]], text.data[e[DEPREL] : e[DEPREL + 1]], misc)
            number = numbers.setdefault((label, tuple(sorted(below[row]))), len(numbers))
            (below[heads[row]] if heads[row] >= 0 else roots[sentence_of[row]]).append(number)
    return [sorted(own) for own in roots]
