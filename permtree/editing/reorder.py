"""The one place where words move: columns, heads, DEPS, ranges, empty nodes, spacing and `# text` go along together.

What an order can't carry stays in the sentence under names of our own, so that `invert` can put it back:
MISC `Orig=` (the old id), `OrigSpaceAfter=No` (no space stood here, and the word after was another), and comments
`# permtree =` (the signature), `# permtree_text`, `# permtree_range` (a range whose words were parted),
`# permtree_removed` (ids of words that a policy took out), `# permtree_deps`, `# permtree_end`.
"""

from __future__ import annotations

from collections import Counter

import numpy as np

from ..conllu.edition import Edition, Span, range_places, render
from ..conllu.spans import UNDERSCORE, Pool, gather, run_starts
from ..conllu.text import DEPS, FORM, ID, MISC, Text
from ..kernels.linearize import positions
from ..kernels.trees import reattach
from ..treebank import Treebank
from ..types import Ints, Mask


def reorder(treebank: Treebank, order: Ints, signature: str, counts: Counter[str]) -> bytes:
    """The treebank in another order, as CoNLL-U.

    order: int64 [N] rows of `treebank` (which may be a selection) in their new order, sentence by sentence.
    signature: what made the order; written into every sentence. counts: what was kept, parted or set aside is added.
    """
    text = treebank.text
    rows = treebank.row[order]
    new_place = positions(order)
    first = treebank.sentence_start[treebank.sentence_of]
    head = treebank.head[order]
    head_number = np.where(head >= 0, new_place[np.maximum(head, 0)] - first + 1, 0)
    pool = Pool(text.buffer)

    place, length, together = range_places(text, rows, treebank.sentence_start)
    in_kept_sentence = np.isin(text.sentence_of[text.range_first], treebank.sentence)
    kept_ranges = np.flatnonzero(together)
    dropped_ranges = np.flatnonzero(in_kept_sentence & ~together)
    spacing = _Spacing(treebank, rows, together)
    changed = _changed_sentences(treebank, rows)
    stand_in, removed = _stand_ins(treebank)

    counts["ranges kept"] += len(kept_ranges)
    counts["ranges parted (kept in comments)"] += len(dropped_ranges)
    counts["SpaceAfter=No kept"] += int(spacing.joined.sum())
    counts["SpaceAfter=No set aside (another word follows)"] += spacing.n_hidden
    falls = np.flatnonzero((rows[1:] < rows[:-1]) & (treebank.sentence_of[1:] == treebank.sentence_of[:-1]))
    counts["sentences in another order"] += len(run_starts(treebank.sentence_of[falls]))

    old_number = rows - text.sentence_start[text.sentence_of[rows]] + 1
    edition = Edition(
        text=text,
        pool=pool,
        sentence=treebank.sentence,
        sentence_start=treebank.sentence_start,
        order=rows,
        head=head_number,
        stand_in=stand_in,
        removed=removed,
        range_index=kept_ranges,
        range_place=place[kept_ranges],
        range_length=length[kept_ranges],
        misc_at=spacing.hide_at,
        misc_insert=b"Orig",
        misc_skip=0,
        misc_end=_misc_end(text),
        tail=_orig_items(text, pool, rows, old_number),
        comment_end=text.comment_spans[1][treebank.sentence],
        text_value=_new_texts(treebank, pool, spacing, changed),
        extra=_comments(treebank, pool, signature, changed, dropped_ranges, removed),
        final_newline=text.missing_blank or not text.missing_newline,
    )
    return render(edition)


def _changed_sentences(treebank: Treebank, rows: Ints) -> Mask:
    """Sentences in which a word moved or is gone: bool [S]."""
    text = treebank.text
    begin = text.sentence_start[treebank.sentence]
    whole = text.sentence_start[treebank.sentence + 1] - begin
    moved = rows != begin[treebank.sentence_of] + np.arange(len(rows)) - treebank.sentence_start[treebank.sentence_of]
    count = np.bincount(treebank.sentence_of[moved], minlength=treebank.n_sentences)
    return (count > 0) | (treebank.sentence_length != whole)


def _stand_ins(treebank: Treebank) -> tuple[Ints, Ints]:
    """The row that stands for each word of the text in DEPS (its nearest kept ancestor, -1: the root), and the rows of
    kept sentences that are gone."""
    text = treebank.text
    if treebank.n_words == text.n_words:
        return np.arange(text.n_words), np.zeros(0, np.int64)
    kept = np.zeros(text.n_words, bool)
    kept[treebank.row] = True
    in_sentence = np.zeros(text.n_sentences, bool)
    in_sentence[treebank.sentence] = True
    removed = ~kept & in_sentence[text.sentence_of]
    parent = np.where(in_sentence[text.sentence_of], text.head, -1)
    nearest = reattach(parent, kept)
    return np.where(kept, np.arange(text.n_words), np.where(removed, nearest, -1)), np.flatnonzero(removed)


class _Spacing:
    """What SpaceAfter=No becomes. A unit of the surface is a word outside ranges, or a range that was kept.

    unit_token: [N] the token line whose FORM is written after this word, -1 inside a kept range but for its last word;
    joined: bool [N] no space follows; hide_at: [T] where "Orig" goes into MISC, -1: nowhere.
    """

    def __init__(self, treebank: Treebank, rows: Ints, together: Mask):
        text = treebank.text
        item_start, level = text.space_items
        in_range = text.range_of[rows]
        in_kept = (in_range >= 0) & np.append(together, False)[in_range]
        is_last = in_kept & (text.range_last[in_range] == rows) if len(together) else in_kept
        range_token = text.range_token[in_range] if len(together) else np.zeros(len(rows), np.int64)
        self.unit_token = np.where(is_last, range_token, np.where(in_kept, -1, text.word_token[rows]))
        last_place = np.zeros(len(rows), bool)
        last_place[treebank.sentence_start[1:] - 1] = True
        next_row = np.append(rows[1:], -1)
        was_last = rows + 1 == text.sentence_start[text.sentence_of[rows] + 1]
        same_next = np.where(last_place, was_last, ~was_last & (next_row == rows + 1))
        unit_level = np.where(self.unit_token >= 0, level[self.unit_token], -1)
        self.joined = (unit_level == 0) & same_next
        hidden = ((unit_level == 0) & ~same_next) | (unit_level > 0)
        self.n_hidden = int(hidden.sum())
        self.hide_at = np.full(len(text.token_line), -1, np.int64)
        tokens = self.unit_token[hidden]
        self.hide_at[tokens] = item_start[tokens]
        self.space = ~self.joined & ~last_place & (self.unit_token >= 0)


def _misc_end(text: Text) -> Ints:
    """Where MISC ends when something is added to it: at its start if it is _ (words only)."""
    end = text.edges[:, MISC + 1].copy()
    words = text.word_token
    empty = words[_misc_is_empty(text, words)]
    end[empty] = text.edges[empty, MISC] + 1
    return end


def _misc_is_empty(text: Text, words: Ints) -> Mask:
    """Which of these token lines have _ for MISC."""
    start, length = text.column(MISC, words)
    return (length == 1) & (text.buffer[start] == UNDERSCORE)


def _orig_items(text: Text, pool: Pool, rows: Ints, old_number: Ints) -> tuple[Ints, Ints]:
    """`Orig=7` or `|Orig=7` and the end of the line, for each word."""
    longest = int(old_number.max(initial=0))
    start, length = pool.add_all([b"|Orig=%d\n" % number for number in range(longest + 1)])
    empty = _misc_is_empty(text, text.word_token[rows])
    return start[old_number] + empty, length[old_number] - empty


def surface_texts(text: Text, sentence_start: Ints, unit_token: Ints, space: Mask, pool: Pool) -> tuple[Ints, Ints]:
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


def surface_of(text: Text, pool: Pool) -> tuple[Ints, Ints]:
    """The text of each sentence of a text as it stands, from its forms, ranges and SpaceAfter: spans in `pool`."""
    _, level = text.space_items
    unit = text.surface_token
    space = (unit >= 0) & (level[np.maximum(unit, 0)] != 0)
    space[text.sentence_start[1:] - 1] = False
    return surface_texts(text, text.sentence_start, unit, space, pool)


def _new_texts(treebank: Treebank, pool: Pool, spacing: _Spacing, changed: Mask) -> tuple[Ints, Ints]:
    start, length = surface_texts(treebank.text, treebank.sentence_start, spacing.unit_token, spacing.space, pool)
    return start, np.where(changed, length, -1)


def _comments(
    treebank: Treebank, pool: Pool, signature: str, changed: Mask, dropped_ranges: Ints, removed: Ints
) -> list[Span]:
    """Our own comment lines of each sentence, as spans one after the other."""
    text = treebank.text
    data = text.data
    lines = [b""] * treebank.n_sentences
    here = {sentence: i for i, sentence in enumerate(treebank.sentence.tolist())}
    for i in dropped_ranges.tolist():
        token = text.range_token[i]
        line = data[int(text.edges[token, 0]) + 1 : int(text.edges[token, 10])]
        lines[here[int(text.sentence_of[text.range_first[i]])]] += b"# permtree_range = %s\n" % line
    sentence_of = text.sentence_of[removed]
    for sentence in sentence_of[run_starts(sentence_of)].tolist():
        gone = removed[sentence_of == sentence] - text.sentence_start[sentence] + 1
        lines[here[sentence]] += b"# permtree_removed = %s\n" % b",".join(b"%d" % number for number in gone.tolist())
    for token in unsorted_deps(text).tolist():
        sentence = int(np.searchsorted(text.sentence_token, token, "right")) - 1
        if sentence in here:
            (id_start, deps_start), (id_end, deps_end) = text.edges[token, [ID, DEPS]] + 1, text.edges[token, [1, 9]]
            pair = (data[id_start:id_end], data[deps_start:deps_end])
            lines[here[sentence]] += b"# permtree_deps = %s %s\n" % pair
    if text.missing_blank and text.n_sentences - 1 in here:
        what = b"no newline" if text.missing_newline else b"no blank line"
        lines[here[text.n_sentences - 1]] += b"# permtree_end = %s\n" % what
    changed = changed & (text.text_values[0][treebank.sentence] >= 0)
    start, end = (bound[treebank.sentence] for bound in text.text_values)
    mark, name, newline = (
        pool.add(part) for part in (b"# permtree = %s\n" % signature.encode(), b"# permtree_text = ", b"\n")
    )
    return [
        mark,
        (name[0], np.where(changed, name[1], 0)),
        (start, np.where(changed, end - start, 0)),
        (newline[0], changed.astype(np.int64)),
        pool.add_all(lines),
    ]


def unsorted_deps(text: Text) -> Ints:
    """Token lines whose DEPS are not sorted by head, so that sorting can't give them back."""
    if text.deps is None:
        return np.zeros(0, np.int64)
    items = text.deps
    node = np.maximum(items.node, 0)
    if len(text.node_anchor):
        word = np.where(items.node >= 0, np.maximum(text.node_anchor[node], -1), items.word)
        number = np.where(items.node >= 0, text.node_number[node], 0)
    else:
        word, number = items.word, np.zeros(len(items.word), np.int64)
    falls = (word[1:] < word[:-1]) | ((word[1:] == word[:-1]) & (number[1:] < number[:-1]))
    tokens = items.token[1:][falls & (items.token[1:] == items.token[:-1])]
    return tokens[run_starts(tokens)]
