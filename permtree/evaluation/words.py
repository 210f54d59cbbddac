"""Which word of a prediction is which of gold: the same words, or words aligned by their characters (CoNLL 2018)."""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass

import numpy as np

from ..conllu.scan import shorten
from ..conllu.text import FORM
from ..errors import DataError, Finding
from ..treebank import Treebank
from ..types import Ints, Mask
from .sentences import codes_of_words


def check_words(gold: Treebank, pred: Treebank) -> None:
    """DataError at the first word or sentence that the two treebanks don't share."""
    n_sentences = min(gold.n_sentences, pred.n_sentences)
    lengths = gold.sentence_length[:n_sentences], pred.sentence_length[:n_sentences]
    unequal = np.flatnonzero(lengths[0] != lengths[1])
    end = int(gold.sentence_start[n_sentences])  # up to here row i is the same place on both sides
    if len(unequal):
        sentence = int(unequal[0])
        end = int(gold.sentence_start[sentence]) + min(int(length[sentence]) for length in lengths)
    other = np.flatnonzero(codes_of_words(gold, pred)[:end] != gold.column(FORM).codes[:end])
    if len(other):
        row = int(other[0])
        number = row - int(gold.sentence_start[gold.sentence_of[row]]) + 1
        theirs, ours = (_shown(side, row) for side in (pred, gold))
        raise DataError(_differ(pred, row, f"word {number} is '{theirs}', but '{ours}' at {_place(gold, row)}"))
    if len(unequal):
        ours, theirs = (_words(length[sentence]) for length in lengths)
        gold_row, row = (int(side.sentence_start[sentence]) for side in (gold, pred))
        raise DataError(_differ(pred, row, f"a sentence of {theirs}, but of {ours} at {_place(gold, gold_row)}"))
    if gold.n_sentences != pred.n_sentences:
        longer, shorter = (gold, pred) if gold.n_sentences > pred.n_sentences else (pred, gold)
        what = f"this sentence is not in {shorter.text.name}, which ends before it"
        raise DataError(_differ(longer, int(longer.sentence_start[n_sentences]), what))


def _shown(treebank: Treebank, row: int) -> str:
    column = treebank.column(FORM)
    return shorten(column.vocabulary[column.codes[row]].encode())


def _differ(treebank: Treebank, row: int, what: str) -> Finding:
    return treebank.finding(
        "E303",
        row,
        f"{what}; gold and prediction must hold the same sentences and words (--convention conll18 aligns other words)",
    )


def _words(count: int) -> str:
    return f"{count} word{'s' if count != 1 else ''}"


def _place(treebank: Treebank, row: int) -> str:
    return ":".join(map(str, treebank.text.place_of_word(int(treebank.row[row]))))


# -- by characters -----------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Spans:
    """The characters of a treebank's tokens without spaces, and where they stand. begin, end: int64 [N], of the token
    of each word; multiword: bool [N], whether that is a multiword token."""

    characters: str
    begin: Ints
    end: Ints
    multiword: Mask


@dataclass(frozen=True)
class Alignment:
    """row: int64 [N], the row of pred that each word of gold is aligned with, -1 for none.

    sentence: int64 [N of pred], the sentence of gold in which each word of pred begins. same_extent: bool [S], whether
    a sentence of pred spans the same characters as this one of gold; pred_sentences: int64 [S], how many begin in it.
    """

    row: Ints
    sentence: Ints
    same_extent: Mask
    pred_sentences: Ints


def align_by_characters(gold: Treebank, pred: Treebank) -> Alignment:
    """Align the words of two treebanks.

    As the evaluation of the CoNLL 2018 shared task does it (Zeman et al. 2018): words that are tokens of their own are
    aligned where they span the same characters; around multiword tokens, by a longest common subsequence of forms, in
    lower case. Sentences may end elsewhere. Raises DataError where the tokens are not of the same characters.
    """
    sides = _spans(gold), _spans(pred)
    a, b = sides
    if a.characters != b.characters:
        raise DataError(_other_characters(gold, pred, a, b))
    row = _aligned_rows(gold, pred, a, b)
    begins, pred_begins = a.begin[gold.sentence_start[:-1]], b.begin[pred.sentence_start[:-1]]
    sentence = np.searchsorted(begins, b.begin, "right") - 1
    begun = np.searchsorted(begins, pred_begins, "right") - 1
    ends = np.append(begins, len(a.characters)), np.append(pred_begins, len(a.characters))
    extents = [dict.fromkeys(zip(own[:-1].tolist(), own[1:].tolist(), strict=True)) for own in ends]
    same = [extent in extents[1] for extent in extents[0]]
    return Alignment(row, sentence, np.array(same, bool), np.bincount(begun, minlength=gold.n_sentences))


def _aligned_rows(gold: Treebank, pred: Treebank, a: _Spans, b: _Spans) -> Ints:
    row: Ints = np.full(gold.n_words, -1, np.int64)
    sides = a, b
    single = [np.flatnonzero(~side.multiword) for side in sides]
    width = len(a.characters) + 1
    keys = [side.begin[rows] * width + side.end[rows] for side, rows in zip(sides, single, strict=True)]
    _, own, theirs = np.intersect1d(keys[0], keys[1], assume_unique=True, return_indices=True)
    row[single[0][own]] = single[1][theirs]
    around = _spans_around_multiwords(a, b)
    taken: Mask = np.zeros(pred.n_words, bool)
    for first, last, pred_first, pred_last in around:
        row[first:last] = -1
        taken[pred_first:pred_last] = True
    row[(row >= 0) & taken[row]] = -1
    forms = [_lower_forms(*side) for side in ((gold, a), (pred, b))] if around else [[], []]
    for first, last, pred_first, pred_last in around:
        for i, j in _common(forms[0][first:last], forms[1][pred_first:pred_last]):
            row[first + i] = pred_first + j
    return row


def same_characters(gold: Treebank, pred: Treebank) -> bool:
    """Whether the tokens of two treebanks are of the same characters, spaces aside."""
    return _spans(gold).characters == _spans(pred).characters


def _spans(treebank: Treebank) -> _Spans:
    text = treebank.text
    forms = treebank.column(FORM)
    tokens = np.array([_without_spaces(form) for form in forms.vocabulary], object)[forms.codes].tolist()
    multiword: Mask = np.zeros(treebank.n_words, bool)
    first_of = np.arange(treebank.n_words)
    if len(text.range_token):
        start, length = text.column(FORM, text.range_token)
        at = np.full(text.n_words, -1, np.int64)
        at[treebank.row] = np.arange(treebank.n_words)
        for number, (first, last) in enumerate(zip(text.range_first.tolist(), text.range_last.tolist(), strict=True)):
            rows = at[first : last + 1]
            if rows[0] < 0 or not np.array_equal(rows, rows[0] + np.arange(len(rows))):
                continue  # its words are no longer one after the other
            form = text.data[start[number] : start[number] + length[number]].decode("utf-8")
            tokens[rows[0] : rows[-1] + 1] = [_without_spaces(form)] + [""] * (len(rows) - 1)
            multiword[rows], first_of[rows] = True, rows[0]
    size = np.array([len(token) for token in tokens], np.int64)
    end = np.cumsum(size)
    begin = (end - size)[first_of]
    return _Spans("".join(tokens), begin, begin + size[first_of], multiword)


def _without_spaces(form: str) -> str:
    return "".join(c for c in form if unicodedata.category(c) != "Zs")


def _lower_forms(treebank: Treebank, spans: _Spans) -> list[str]:
    """As the shared task compares them: of tokens of one word, without spaces."""
    pairs = zip(treebank.column(FORM).decoded(), spans.multiword.tolist(), strict=True)
    return [(form if keep else _without_spaces(form)).lower() for form, keep in pairs]


def _other_characters(gold: Treebank, pred: Treebank, a: _Spans, b: _Spans) -> Finding:
    shorter = min(len(a.characters), len(b.characters))
    parts = [np.frombuffer(side.characters[:shorter].encode("utf-32-le"), np.uint32) for side in (a, b)]
    unlike = np.flatnonzero(parts[0] != parts[1])
    at = int(unlike[0]) if len(unlike) else shorter
    rows = [min(int(np.searchsorted(side.end, at, "right")), max(len(side.end) - 1, 0)) for side in (a, b)]
    if not pred.n_words or not gold.n_words:
        here = gold if gold.n_words else pred
        return here.finding("E303", 0, f"this sentence is not in {(pred if here is gold else gold).text.name}")
    ours, theirs = (
        shorten(side.characters[side.begin[row] : side.end[row]].encode())
        for side, row in zip((a, b), rows, strict=True)
    )
    what = f"'{theirs}' where {_place(gold, rows[0])} has '{ours}': other characters, so words can't be aligned"
    return pred.finding("E303", rows[1], what)


def _spans_around_multiwords(a: _Spans, b: _Spans) -> list[tuple[int, int, int, int]]:
    """Words around multiword tokens that are aligned together: first and last row + 1 in gold, then in pred.

    The shared task's script goes from word to word with two pointers. Away from multiword tokens these are known
    without a step: a pointer that arrives at one has left all words before it behind, and the other what lies before.
    """
    sides = (_Pointer(a), _Pointer(b))
    g, p = sides
    found = []
    i = j = 0
    while i < g.n and j < p.n:
        if not (g.multiword[i] or p.multiword[j]):
            next_i, next_j = g.next_multiword[i], p.next_multiword[j]
            at_j = max(j, p.after(g, next_i - 1, equal=False))
            if at_j < next_j:
                i, j = next_i, at_j
            else:
                i, j = max(i, g.after(p, next_j - 1, equal=True)), next_j
            continue
        end = (g if g.multiword[i] else p).end[i if g.multiword[i] else j]
        if g.multiword[i]:
            j += not p.multiword[j] and p.begin[j] < g.begin[i]
        else:
            i += not g.multiword[i] and g.begin[i] < p.begin[j]
        first, pred_first = i, j
        while not (g.beyond(i, end) and p.beyond(j, end)):
            if i < g.n and (j >= p.n or g.begin[i] <= p.begin[j]):
                end = g.extended(i, end)
                i += 1
            else:
                end = p.extended(j, end)
                j += 1
        found.append((first, i, pred_first, j))
    return found


class _Pointer:
    """The words of a side as plain lists, and what a pointer into them asks."""

    def __init__(self, spans: _Spans):
        self.n = len(spans.begin)
        self.begin, self.end, self.multiword = spans.begin.tolist(), spans.end.tolist(), spans.multiword.tolist()
        self.begins = spans.begin
        places = np.where(spans.multiword, np.arange(self.n), self.n)
        self.next_multiword = np.minimum.accumulate(places[::-1])[::-1].tolist()

    def after(self, other: _Pointer, last: int, equal: bool) -> int:
        """Where this pointer stands when the other one has just left its word `last`: before the first word that begins
        no earlier (`equal`: that begins later), or behind it where both are of the same characters."""
        if last < 0:
            return 0
        place = int(np.searchsorted(self.begins, other.begin[last], "right" if equal else "left"))
        same = place < self.n and (self.begin[place], self.end[place]) == (other.begin[last], other.end[last])
        return place + (same and not self.multiword[place])

    def beyond(self, row: int, end: int) -> bool:
        if row >= self.n:
            return True
        return self.begin[row] >= end if self.multiword[row] else self.end[row] > end

    def extended(self, row: int, end: int) -> int:
        return max(end, self.end[row]) if self.multiword[row] else end


def _common(a: list[str], b: list[str]) -> list[tuple[int, int]]:
    """A longest common subsequence of forms: places in a and b."""
    table = np.zeros((len(a) + 1, len(b) + 1), np.int64).tolist()
    for i in reversed(range(len(a))):
        for j in reversed(range(len(b))):
            longer = 1 + table[i + 1][j + 1] if a[i] == b[j] else 0
            table[i][j] = max(longer, table[i + 1][j], table[i][j + 1])
    found = []
    i = j = 0
    while i < len(a) and j < len(b):
        if a[i] == b[j]:
            found.append((i, j))
            i, j = i + 1, j + 1
        elif table[i][j] == table[i + 1][j]:
            i += 1
        else:
            j += 1
    return found
