"""Undo a permutation: from what travels in MISC and comments (see `trace`) back to the bytes that were permuted."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from functools import partial
from typing import IO

import numpy as np

from ..conllu.conllx import to_columns, with_items
from ..conllu.edition import Edition, render
from ..conllu.layout import Layout
from ..conllu.scan import read_piece, read_text, shorten
from ..conllu.spans import TextPool
from ..conllu.text import Text
from ..errors import DataError, Finding
from ..kernels.linearize import positions
from ..parallel.pieces import Progress, Warn, all_pieces, no_progress, with_the_same_columns
from ..signature import Signature, argument_of
from ..treebank import Treebank
from ..types import Ints, Mask
from .reorder import surface_of, texts_that_differ
from .trace import (
    AFTER,
    BEFORE,
    HIDING,
    ITEM,
    MARK,
    NO_SPACE,
    PLACE,
    Level,
    Trace,
    with_hidden_items,
    without_id_items,
)

_RANGE = re.compile(rb"([1-9]\d{0,6})-([1-9]\d{0,6})\t((?:[^\t\n]+\t){8,}[^\t\n]+)\Z")
_LEAVING_OUT = {"punct": "exclude", "roots": "skip", "nonprojective": "skip"}


def invert(treebank: Treebank, counts: Counter[str] | None = None) -> Treebank:
    """The treebank from which `treebank` was permuted (its last permutation, if there were several).

    What a policy removed or left out is not there; `counts` says how much, by reason.
    Raises DataError where a sentence was not permuted by permtree, or was edited since.
    """
    if not treebank.is_whole:
        treebank = Treebank.from_text(read_text(treebank.to_bytes(), treebank.name)[0])
    data = inverted_bytes(treebank.text, True, Counter() if counts is None else counts)
    rows = np.lexsort((Trace.of(treebank.text).last_ids, treebank.sentence_of))
    return treebank.in_order(rows, partial(bytes, data), f"{treebank.name} (inverted)")


def _last_levels(trace: Trace) -> list[Level]:
    """What the last permutation of each sentence left in its comments. Raises DataError where there is nothing."""
    text = trace.text
    for sentence, levels in enumerate(trace.by_sentence):
        if not levels:
            line = int(text.line_number[text.block_first[sentence]])
            what = f"no '{MARK}' comment: not permuted by permtree, nothing to invert"
            raise DataError(Finding("E301", text.name, line, what, text.sent_ids[sentence]))
        if levels[-1].damaged:
            raise _damaged(text, sentence, levels[-1].damaged[0])
    return [levels[-1] for levels in trace.by_sentence]


def _damaged(text: Text, sentence: int, line: bytes) -> DataError:
    """A comment of ours that can't be used."""
    what = f"'{shorten(line)}' does not fit the sentence; edited since it was permuted?"
    number = int(text.line_number[text.block_first[sentence]])
    return DataError(Finding("E302", text.name, number, what, text.sent_ids[sentence]))


def inverted_bytes(text: Text, last_piece: bool, counts: Counter[str]) -> bytes:
    """The bytes that were permuted. last_piece: the text ends where its file ends."""
    trace = Trace.of(text)
    carried = _last_levels(trace)
    old = trace.last_ids
    rows = np.lexsort((old, text.sentence_of))
    _check_ids(text, old, rows, carried)
    _check_texts(text, carried)
    edition = Edition(text, rows, text.head[rows])
    together = edition.ranges[2]
    if not together.all():
        row = int(text.range_first[np.flatnonzero(~together)[0]])
        raise _edited(text, row, "a multiword token over words that did not stand together")
    before, after = np.zeros((2, len(rows)), bool)  # words before and after which a word was removed
    cut = np.zeros(text.n_sentences, bool)
    for sentence, own in enumerate(carried):
        if own.removed:
            cut[sentence] = True
            span = slice(*text.sentence_start[sentence : sentence + 2].tolist())
            in_ranges = _in_ranges(own, old[span])
            before[span] = np.isin(old[span] - 1, list(own.removed)) & ~in_ranges
            after[span] = np.isin(old[span] + 1, list(own.removed)) & ~in_ranges
            counts["words removed by a policy: not restored"] += len(own.removed)
            counts["sentences with removed words: renumbered, # text rebuilt"] += 1
    for signature in map(Signature.parse, dict.fromkeys(own.signature for own in carried)):
        for policy, value in _LEAVING_OUT.items():
            if argument_of(signature.get(policy, ""))[0] == value:
                what = f"{policy}:{signature[policy]}"
                counts[f"permuted with {what}: sentences that it left out are not restored"] += 0
    lost = np.stack([after, after, before, cut[text.sentence_of]])  # what items of each kind told of
    misc_end, edition.tail = without_id_items(text, edition.pool, rows, old)
    edition.edit_misc(misc_end, *_to_restore(trace, lost), skip=len(HIDING))
    edition.comment_end = np.array([own.begin for own in carried], np.int64)
    text_start, text_length = edition.pool.add_all([own.text or b"" for own in carried])
    edition.text_value = text_start, np.where([own.text is not None for own in carried], text_length, -1)
    edition.extra = [edition.pool.add_all([trace.added(sentence) for sentence in range(text.n_sentences)])]
    edition.final_newline = not text.missing_newline
    _restore_lines(edition, carried, old, positions(rows), counts)
    if last_piece and carried and carried[-1].end:
        edition.blank = False
        edition.final_newline = carried[-1].end != b"no newline"
    data = render(edition)
    data = _with_rebuilt_texts(data, text.layout, cut) if cut.any() else data
    from_columns = np.array([own.from_columns for own in carried], bool)
    if from_columns.any():
        data = _with_columns(data, text.layout, from_columns, cut, counts)
    return text.layout.without_misc().written(data, text.has_header)


def _check_ids(text: Text, old: Ints, rows: Ints, carried: list[Level]) -> None:
    """Every word has an old id, no two the same, and with those of removed words they run 1, 2, 3 ..."""
    if (old == 0).any():
        row = int(np.flatnonzero(old == 0)[0])
        raise _edited(text, row, f"MISC does not end in {ITEM}, the word's old id")
    again = (np.diff(old[rows]) == 0) & (np.diff(text.sentence_of[rows]) == 0)
    if again.any():
        raise _edited(
            text, int(rows[np.flatnonzero(again)[0] + 1]), f"an {ITEM} that another word of the sentence has too"
        )

    largest = old[rows[text.sentence_start[1:] - 1]].tolist()
    for sentence, (last, count) in enumerate(zip(largest, np.diff(text.sentence_start).tolist(), strict=True)):
        removed = carried[sentence].removed
        if max(removed | {last}) != count + len(removed) or min(removed | {last}) < 1:
            raise _edited(text, int(text.sentence_start[sentence]), "a word of the original is missing")


def _check_texts(text: Text, carried: list[Level]) -> None:
    """Where a permutation wrote `# text`, from the words, it still agrees with them. It alone tells that the word with
    the largest id is gone: the ids of the others are complete."""
    if all(own.text is None for own in carried):
        return
    for sentence, *_ in texts_that_differ(text):
        if carried[sentence].text is not None:
            what = (
                "# text is not that of the words, as permute wrote it: a word is gone, or a form or # text was edited"
            )
            line = np.searchsorted(text.line_start, text.text_values[0][sentence], "right") - 1
            raise DataError(Finding("E302", text.name, int(text.line_number[line]), what, text.sent_ids[sentence]))


def _edited(text: Text, row: int, what: str) -> DataError:
    name = text.sent_ids[int(text.sentence_of[row])]
    return DataError(Finding("E302", *text.place_of_word(row), f"{what}; edited since it was permuted?", name))


def _to_restore(trace: Trace, lost: Mask) -> tuple[Ints, Ints]:
    """The token lines and places in MISC of the items that are hidden and hold again. lost: bool [kinds, N]."""
    items, place = trace.placed_in(np.arange(trace.text.n_words), trace.text.surface_token)
    holds = (items.level > 0) & ~lost[items.kind, place]
    return items.token[holds], items.start[holds]


def _with_rebuilt_texts(data: bytes, layout: Layout, cut: Mask) -> bytes:
    """The inverse with `# text` made again from its forms, in sentences that lost words."""
    text, _ = read_text(data, "<inverse>", 2, layout=layout.within)
    pool = TextPool(text.buffer)
    start, length = surface_of(text, pool)
    built = pool.joined().tobytes()
    value_start, value_end = text.text_values
    parts, done = [], 0
    for sentence in np.flatnonzero(cut & (value_start >= 0)).tolist():
        parts += [data[done : value_start[sentence]], built[start[sentence] : start[sentence] + length[sentence]]]
        done = int(value_end[sentence])
    return b"".join([*parts, data[done:]])


def _with_columns(data: bytes, layout: Layout, chosen: Mask, cut: Mask, counts: Counter[str]) -> bytes:
    """The inverse with CoNLL-X's last columns where they were, but in sentences that lost words: their numbers are of
    words that other numbers have now."""
    text, _ = read_text(data, "<inverse>", 2, layout=layout.within)
    lines = with_items(text)[0]
    here = np.repeat(chosen, np.diff(text.sentence_token))
    lost = np.repeat(cut, np.diff(text.sentence_token))
    if (lines & here & lost).any():
        counts["words of sentences with removed words: PHEAD and PDEPREL stay in MISC"] += int(
            (lines & here & lost).sum()
        )
    data = to_columns(text, lines & here & ~lost)
    return data[:-1] if text.missing_newline else data


def _in_ranges(own: Level, old: Ints) -> Mask:
    """Words of separated ranges: what their own MISC says of spaces does not show in the text."""
    inside = np.zeros(len(old), bool)
    for line in own.ranges:
        found = _RANGE.match(line)
        if found:
            inside |= (old >= int(found[1])) & (old <= int(found[2]))
    return inside


def _restore_lines(edition: Edition, carried: list[Level], old: Ints, place: Ints, counts: Counter[str]) -> None:
    """Put back ranges that were separated, and DEPS that were not sorted."""
    text = edition.text
    for sentence, own in enumerate(carried):
        if not (own.ranges or own.deps):
            continue
        begin, end = text.sentence_start[sentence : sentence + 2].tolist()
        row_of = dict(zip(old[begin:end].tolist(), range(begin, end), strict=True))
        taken = np.zeros(end - begin, bool)  # words, by their old places, that are in a range
        taken[place[begin:end][text.range_of[begin:end] >= 0] - begin] = True
        for line in own.ranges:
            found = _RANGE.match(line)
            if not found or int(found[1]) > int(found[2]):
                raise _damaged(text, sentence, line)
            first, last, rest = int(found[1]), int(found[2]), found[3]
            if not all(number in row_of for number in range(first, last + 1)):
                counts["multiword tokens with removed words: not restored"] += 1
                continue
            if own.removed:  # as for a range that was kept
                after = {NO_SPACE, AFTER} if last + 1 in own.removed else set()
                before = {BEFORE} if first - 1 in own.removed else set()
                rest = with_hidden_items(rest, {PLACE} | before | after)
            at = int(place[row_of[first]])
            number = at - begin + 1
            span = slice(number - 1, number + last - first)
            if taken[span].any():  # by a range that was not there when the sentence was permuted
                raise _damaged(text, sentence, line)
            taken[span] = True
            edition.lines.append((at, b"%d-%d\t%s\n" % (number, number + last - first, rest)))
        if own.removed:
            continue
        for line in own.deps:
            parts = re.fullmatch(rb"(\d{1,7})(?:\.(\d{1,7}))? (\S.*)", line)
            token = None
            if parts:
                row = row_of.get(int(parts[1]), None if parts[1] != b"0" else -1)
                token = None if row is None else _token(text, sentence, row, int(parts[2] or 0))
            if not parts or token is None:
                raise _damaged(text, sentence, line)
            edition.deps[token] = parts[3]


def _token(text: Text, sentence: int, row: int, node: int) -> int | None:
    """The token line of a word, or of an empty node after it (row -1: before the first word); None: there is none."""
    if not node:
        return int(text.word_token[row]) if row >= 0 else None
    anchor = -1 - sentence if row < 0 else row
    found = np.flatnonzero((text.node_anchor == anchor) & (text.node_number == node))
    return int(text.node_token[found[0]]) if len(found) else None


def invert_files(paths: Iterable[str], out: IO[bytes], warn: Warn, progress: Progress = no_progress) -> Counter[str]:
    """Undo a permutation, file by file into one output; counts of what can't be restored."""
    counts: Counter[str] = Counter()
    read = with_the_same_columns(all_pieces(paths, warn))
    for piece in progress(read, lambda piece: len(piece.data)):
        text, _ = read_piece(piece)
        counts["sentences"] += text.n_sentences
        out.write(inverted_bytes(text, piece.last, counts))
    return counts
