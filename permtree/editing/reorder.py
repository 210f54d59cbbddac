"""The one place where words move: columns, heads, DEPS, ranges, empty nodes, spacing and `# text` go along together.

What an order can't carry stays in the sentence as marks of our own (see `trace`), so that `invert` can put it back.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

import numpy as np

from ..conllu.conllx import in_conllx, to_items
from ..conllu.edition import Edition, render
from ..conllu.scan import rewritten
from ..conllu.spans import TextPool, gather, run_starts
from ..conllu.text import FORM, Text
from ..kernels.trees import reattach
from ..treebank import Treebank
from ..types import Ints, Mask
from .trace import HIDING, NO_SPACE, Trace, comments, id_items, misc_end

KEPT_IN_MISC = "words whose PHEAD and PDEPREL are kept in MISC, as they were read"


def reorder(treebank: Treebank, order: Ints, signature: str, counts: Counter[str] | None = None) -> bytes:
    """The treebank in another order, as CoNLL-U.

    order: int64 [N] rows of `treebank` (which may be a selection) in their new order, sentence by sentence.
    signature: what made the order; written into every sentence. counts: what `moved` counts is added.
    """
    in_misc: Counter[str] = Counter()
    treebank, from_columns = _in_conllu(treebank, in_misc)
    text = treebank.text
    moves = _Moves(treebank, order)
    if counts is not None:
        counts.update(moves.counts())
        counts.update(in_misc)
    edition = moves.edition
    if len(edition.removed):
        edition.stand_in = _nearest_kept(edition)
    edition.edit_misc(misc_end(text), *moves.spacing.hidden, insert=HIDING)
    edition.tail = id_items(text, edition.pool, edition.order)
    edition.text_value = _new_texts(treebank, edition.pool, moves.spacing, moves.changed)
    edition.extra = comments(edition, signature, moves.changed, moves.separated_ranges, from_columns)
    return text.layout.with_misc().written(render(edition), text.has_header)


def moved(treebank: Treebank, order: Ints) -> Counter[str]:
    """What `reorder` keeps, separates and sets aside, counted."""
    counts = _Moves(treebank, order).counts()
    _in_conllu(treebank, counts)
    return counts


def _in_conllu(treebank: Treebank, counts: Counter[str]) -> tuple[Treebank, Ints]:
    """The treebank with CoNLL-X's last columns as items of MISC, which are counted; sentences of the text with some."""
    text = treebank.text
    lines = in_conllx(text)
    if not lines.any():
        return treebank, np.zeros(0, np.int64)
    counts[KEPT_IN_MISC] += int(lines[text.word_token[treebank.row]].sum())
    found = np.unique(np.searchsorted(text.sentence_token, np.flatnonzero(lines), "right") - 1)
    text = rewritten(text, to_items(text, lines))
    treebank = Treebank(text, treebank.sentence_start, treebank.head, treebank.row, treebank.sentence)
    return treebank, found[np.isin(found, treebank.sentence)]


class _Moves:
    """Where words, ranges and spaces of a treebank go in an order."""

    def __init__(self, treebank: Treebank, order: Ints):
        text, head = treebank.text, treebank.head[order]
        self.treebank = treebank
        rows = treebank.row[order]
        self.edition = Edition(text, rows, np.where(head >= 0, treebank.row[head], -1), treebank.sentence)
        together = self.edition.ranges[2]
        in_kept_sentence = np.isin(text.sentence_of[text.range_first], treebank.sentence)
        self.separated_ranges = np.flatnonzero(in_kept_sentence & ~together)
        self.changed = _changed_sentences(treebank, rows)
        self.spacing = _Spacing(treebank, rows, together, self.changed)

    def counts(self) -> Counter[str]:
        """What is kept, separated and set aside."""
        rows, sentence_of, spacing = self.edition.order, self.treebank.sentence_of, self.spacing
        falls = np.flatnonzero((rows[1:] < rows[:-1]) & (sentence_of[1:] == sentence_of[:-1]))
        counts = Counter(
            {
                "multiword tokens kept": int(self.edition.ranges[2].sum()),
                "multiword tokens separated (kept in comments)": len(self.separated_ranges),
                "SpaceAfter=No kept": int(spacing.joined.sum()),
                "SpaceAfter=No set aside (another word follows)": spacing.n_no_space_hidden,
                "sentences in another order": len(run_starts(sentence_of[falls])),
            }
        )
        if others := len(spacing.hidden[0]) - spacing.n_no_space_hidden:
            counts["SpacesAfter, TokenRange and the like set aside (the text is another)"] = others
        return counts


def _changed_sentences(treebank: Treebank, rows: Ints) -> Mask:
    """Sentences in which a word moved or is gone: bool [S]."""
    text = treebank.text
    begin = text.sentence_start[treebank.sentence]
    whole = text.sentence_start[treebank.sentence + 1] - begin
    moved = rows != begin[treebank.sentence_of] + np.arange(len(rows)) - treebank.sentence_start[treebank.sentence_of]
    count = np.bincount(treebank.sentence_of[moved], minlength=treebank.n_sentences)
    return (count > 0) | (treebank.sentence_length != whole)


def _nearest_kept(edition: Edition) -> Ints:
    """What stands for each word of the text in DEPS where words are gone: its nearest kept ancestor, -1: the root."""
    nearest = reattach(np.where(edition.is_written, edition.text.head, -1), edition.is_kept)
    return np.where(edition.is_kept, np.arange(edition.text.n_words), np.where(edition.is_written, nearest, -1))


class _Spacing:
    """What becomes of SpaceAfter=No and all else that tells of a place in the text. A unit of the surface is a word
    outside ranges, or a range that was kept.

    unit_token: [N] the token line whose FORM is written after this word, -1 inside a kept range but for its last word;
    joined: bool [N] no space follows; hidden: token line and place in MISC of the items before whose name "Orig" goes.
    """

    def __init__(self, treebank: Treebank, rows: Ints, together: Mask, changed: Mask):
        """changed: bool [S], sentences in which a word moved or is gone."""
        text = treebank.text
        trace = Trace.of(text)
        in_range = text.range_of[rows]
        in_kept = (in_range >= 0) & np.append(together, False)[in_range]
        is_last = in_kept & (text.range_last[in_range] == rows) if len(together) else in_kept
        range_token = text.range_token[in_range] if len(together) else np.zeros(len(rows), np.int64)
        self.unit_token = np.where(is_last, range_token, np.where(in_kept, -1, text.word_token[rows]))
        first_place, last_place = np.zeros(len(rows), bool), np.zeros(len(rows), bool)
        first_place[treebank.sentence_start[:-1]] = True
        last_place[treebank.sentence_start[1:] - 1] = True
        was_first = rows == text.sentence_start[text.sentence_of[rows]]
        was_last = rows + 1 == text.sentence_start[text.sentence_of[rows] + 1]
        follows = np.append(rows[1:] == rows[:-1] + 1, False)  # the next word is the one that followed before
        same_next = np.where(last_place, was_last, ~was_last & follows)
        same_before = np.where(first_place, was_first, ~was_first & np.roll(follows, 1))
        self.joined = (self.unit_token >= 0) & trace.no_space[self.unit_token] & same_next
        self.space = ~self.joined & ~last_place & (self.unit_token >= 0)
        items, place = trace.placed_in(rows, self.unit_token)
        holds = np.stack([same_next, same_next, same_before, ~changed[treebank.sentence_of]])
        hide = (items.level > 0) | ~holds[items.kind, place]
        self.hidden = items.token[hide], items.start[hide]
        self.n_no_space_hidden = int((items.kind[hide] == NO_SPACE).sum())


def surface_texts(text: Text, sentence_start: Ints, unit_token: Ints, space: Mask, pool: TextPool) -> tuple[Ints, Ints]:
    """The text of each sentence, start and length in `pool`: the forms of its units, with a space where one follows.

    unit_token: [N] token line of the unit that ends at each word, -1 where none does; space: bool [N].
    """
    blank, _ = pool.add(b" ")
    unit = unit_token >= 0
    start, length = text.column(FORM, np.maximum(unit_token, 0))
    starts = np.stack([start, np.full(len(start), blank)], axis=1)
    lengths = np.stack([np.where(unit, length, 0), space.astype(np.int64)], axis=1)
    written, _ = pool.add(gather(pool.joined(), starts.ravel(), lengths.ravel()))
    until = np.concatenate([[0], np.cumsum(lengths.sum(axis=1))])[sentence_start]
    return written + until[:-1], np.diff(until)


def surface_of(text: Text, pool: TextPool) -> tuple[Ints, Ints]:
    """The text of each sentence of a text as it stands, from its forms, multiword tokens and SpaceAfter: spans in
    `pool`."""
    unit = text.surface_token
    space = (unit >= 0) & ~Trace.of(text).no_space[unit]
    space[text.sentence_start[1:] - 1] = False
    return surface_texts(text, text.sentence_start, unit, space, pool)


def texts_that_differ(text: Text) -> Iterator[tuple[int, bytes, bytes]]:
    """Sentences whose `# text` is not what their forms, multiword tokens and SpaceAfter give: what these
    give, and what it is."""
    pool = TextPool(text.buffer)
    bounds = [bound.tolist() for bound in (*surface_of(text, pool), *text.text_values)]
    built = pool.joined().tobytes()
    for sentence, (start, length, begin, end) in enumerate(zip(*bounds, strict=True)):
        if begin >= 0 and built[start : start + length] != text.data[begin:end]:
            yield sentence, built[start : start + length], text.data[begin:end]


def _new_texts(treebank: Treebank, pool: TextPool, spacing: _Spacing, changed: Mask) -> tuple[Ints, Ints]:
    start, length = surface_texts(treebank.text, treebank.sentence_start, spacing.unit_token, spacing.space, pool)
    return start, np.where(changed, length, -1)
