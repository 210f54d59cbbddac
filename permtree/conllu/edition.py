"""Write an edition of a text: its lines in another order, renumbered. All bytes are gathered in one pass.

Each output line is a row of spans into one buffer (the text that was read, and a pool of new pieces such as numbers).
Nothing is decided here: `reorder` and `invert` say what moves, what is kept and what is added.
"""

from __future__ import annotations

from functools import cached_property

import numpy as np

from ..types import Ints, Mask
from .spans import TextPool, gather
from .text import DEPREL, DEPS, FORM, HEAD, MISC, Deps, Text

Span = tuple[Ints | int, Ints | int]  # start and length of one piece of each line, in the joint buffer


class Edition:
    """A text in another order, renumbered, with nothing else changed at first; what is set afterwards changes it.

    N output words, S output sentences, T token lines of the text; spans are (start, length) in `pool`.

    sentence_start: int64 [S + 1], in output words. stand_in: [words of the text] the row that stands for each word in
    DEPS, -1 for the root: at first each word for itself. misc: [T] spans of the MISC of each token line, but for its
    tail; tail: [N] spans to end each word's line with. comment_end: [S] where the sentence's comments end in the
    buffer. text_value: [S] spans of the new value of `# text`; length -1 leaves the old one. extra: spans of further
    comment lines, one after the other, each for all sentences [S]. lines: (output place, bytes) of further lines to put
    before the word at that place. deps: token -> bytes that replace its DEPS. blank: whether a blank line ends the last
    sentence; final_newline: whether the last line ends with a newline.
    """

    def __init__(self, text: Text, order: Ints, head: Ints, sentence: Ints | None = None):
        """order: [N] text rows in output order; head: [N] text row of the head, -1 for a root; sentence: [S] text
        sentences that are written (None: all). Rows of these that are not in the order are removed."""
        self.text, self.order, self.head = text, order, head
        self.sentence = np.arange(text.n_sentences) if sentence is None else sentence
        count = np.bincount(text.sentence_of[order], minlength=text.n_sentences)[self.sentence]
        self.sentence_start = np.concatenate([[0], np.cumsum(count)])
        self.stand_in = np.arange(text.n_words)
        self.pool = TextPool(text.buffer)
        self.misc: tuple[Ints, Ints] = (text.edges[:, MISC] + 1, text.edges[:, MISC + 1] - text.edges[:, MISC] - 1)
        self.tail: Span = self.pool.add(b"\n")
        self.comment_end = text.comment_spans[1][self.sentence]
        self.text_value: tuple[Ints, Ints] = (np.zeros_like(self.sentence), np.full_like(self.sentence, -1))
        self.extra: list[Span] = []
        self.lines: list[tuple[int, bytes]] = []
        self.deps: dict[int, bytes] = {}
        self.blank = True
        self.final_newline = text.missing_blank or not text.missing_newline

    @cached_property
    def removed(self) -> Ints:
        """Rows of words that are gone from sentences that are written."""
        return np.flatnonzero(~self.is_kept & self.is_written)

    @cached_property
    def is_kept(self) -> Mask:
        """Words of the text that are in the order."""
        kept = np.zeros(self.text.n_words, bool)
        kept[self.order] = True
        return kept

    @cached_property
    def is_written(self) -> Mask:
        """Words of sentences that are written."""
        written = np.zeros(self.text.n_sentences, bool)
        written[self.sentence] = True
        return written[self.text.sentence_of]

    @cached_property
    def ranges(self) -> tuple[Ints, Ints, Mask]:
        """Where each range of the text stands in this order: output place of its first word, its length, and whether
        its words are still adjacent and in order (false too where a word is missing). Those that are, are written."""
        text, order = self.text, self.order
        place = np.full(text.n_words, -1, np.int64)
        place[order] = np.arange(len(order))
        first = place[text.range_first]
        length = text.range_last - text.range_first + 1
        together = first >= 0
        # a word and the one after it, both in the range, must be neighbours in the order
        member = text.range_of >= 0
        inner = np.flatnonzero(member[:-1] & (text.range_of[:-1] == text.range_of[1:]))
        broken = (place[inner] < 0) | (place[inner + 1] != place[inner] + 1)
        together[text.range_of[inner[broken]]] = False
        return first, length, together

    def edit_misc(self, end: Ints, token: Ints, at: Ints, insert: bytes = b"", skip: int = 0) -> None:
        """Change the MISC of token lines, before it ends in `tail`.

        end: [T] where each ends in the buffer; token, at: [K], ascending, the token line and place of each edit, where
        `insert` is put in and `skip` bytes are left out.
        """
        start = self.text.edges[:, MISC] + 1
        length = end - start
        if len(token):
            first = np.diff(token, prepend=-1) != 0
            last = np.append(first[1:], True)
            since = np.where(first, start[token], np.roll(at, 1) + skip)
            inserted = self.pool.add(insert)
            starts = np.stack([since, np.full(len(at), inserted[0]), at + skip], axis=1)
            rest = np.where(last, end[token] - at - skip, 0)
            lengths = np.stack([at - since, np.full(len(at), inserted[1]), rest], axis=1)
            written, _ = self.pool.add(gather(self.pool.joined(), starts.ravel(), lengths.ravel()))
            bounds = np.append(np.concatenate([[0], np.cumsum(lengths.sum(axis=1))])[:-1][first], lengths.sum())
            start[token[first]], length[token[first]] = written + bounds[:-1], np.diff(bounds)
        self.misc = start, length


_COLUMNS = 9  # spans of one output line


class _Rows:
    """Output lines collected in any order, each with a key that says where it goes. All spans lie in `pool`."""

    def __init__(self, pool: TextPool) -> None:
        self._pool = pool
        self.keys: list[Ints] = []
        self.starts: list[Ints] = []
        self.lengths: list[Ints] = []

    def add(self, key: Ints, *spans: Span) -> None:
        narrow = np.int32 if self._pool.size < 2**31 else np.int64  # half the memory to sort
        start = np.zeros((len(key), _COLUMNS), narrow)
        length = np.zeros((len(key), _COLUMNS), narrow)
        for column, (begin, size) in enumerate(spans):
            start[:, column] = begin
            length[:, column] = size
        self.keys.append(key)
        self.starts.append(start)
        self.lengths.append(length)

    def gathered(self) -> np.ndarray:
        sort = np.argsort(np.concatenate(self.keys), kind="stable")
        start = np.concatenate(self.starts)[sort].ravel()
        length = np.concatenate(self.lengths)[sort].ravel()
        return gather(self._pool.joined(), start, length)


class _Slots:
    """Where lines go: each word has slots around it, in this order, and lines are sorted by the number of their slot.

    gap: what stands between sentences; header: comments; node: empty nodes before the first word, then the line of a
    range, the word, the empty nodes after it, and the blank line that ends a sentence.
    """

    gap, header, node = 0, 1, 2

    def __init__(self, most_nodes: int):
        """most_nodes: how many empty nodes stand in one place, at most."""
        self.range = self.node + most_nodes
        self.word = self.range + 1
        self.end = self.word + most_nodes + 1
        self._width = self.end + 1

    def key(self, place: Ints, slot: Ints | int) -> Ints:
        """The key of a slot around the words at these output places."""
        return place * self._width + slot


def render(edition: Edition) -> bytes:
    """The bytes of an edition."""
    text, pool, order = edition.text, edition.pool, edition.order
    n_words = len(order)
    place_in_sentence = np.arange(n_words) - np.repeat(edition.sentence_start[:-1], np.diff(edition.sentence_start)) + 1
    number_of_row = np.zeros(text.n_words + 1, np.int64)  # the last entry serves row -1, the root: 0
    number_of_row[order] = place_in_sentence
    nodes = _Nodes(edition, number_of_row)
    longest = int(place_in_sentence.max(initial=0))
    numbers = pool.numbers(longest)
    slots = _Slots(int(nodes.minor.max(initial=0)))

    rows = _Rows(pool)
    deps = _Deps(edition, nodes, number_of_row, numbers)
    token = text.word_token[order]
    number = (numbers[0][place_in_sentence], numbers[1][place_in_sentence])
    head_number = number_of_row[edition.head]
    head = (numbers[0][head_number], numbers[1][head_number])
    rows.add(slots.key(np.arange(n_words), slots.word), number, *_columns(edition, token, head, deps), edition.tail)

    _add_ranges(edition, rows, slots)
    _add_nodes(edition, rows, nodes, slots, deps)
    _add_frame(edition, rows, slots)
    if edition.lines:
        start, length = pool.add_all([line for _, line in edition.lines])
        places = np.array([place for place, _ in edition.lines])
        rows.add(slots.key(places, slots.range), (start, length))
    data = rows.gathered()
    if not edition.final_newline:
        data = data[:-1]
    return data.tobytes()


def _columns(edition: Edition, token: Ints, head: tuple[Ints, Ints] | None, deps: _Deps) -> list[tuple]:
    """The spans of a token line from its second column to its MISC, given the span of its HEAD (None: as it was)."""
    edges = edition.text.edges[token]
    spans: list[tuple] = [(edges[:, FORM], edges[:, HEAD] + 1 - edges[:, FORM])]
    spans.append(head if head is not None else (edges[:, HEAD] + 1, edges[:, HEAD + 1] - edges[:, HEAD] - 1))
    if deps.changed:
        spans.append((edges[:, DEPREL], edges[:, DEPREL + 1] + 1 - edges[:, DEPREL]))
        spans += [(deps.head_start[token], deps.head_length[token]), (deps.start[token], deps.length[token])]
        rest: Span = (edges[:, MISC], 1)
    else:
        rest = (edges[:, DEPREL], edges[:, MISC] + 1 - edges[:, DEPREL])
    return [*spans, rest, (edition.misc[0][token], edition.misc[1][token])]


class _Deps:
    """DEPS of all token lines with renewed heads, sorted by head: two spans [T] one after the other.

    Where DEPS has one item they are the new number and the relation that was read; where it has more, all is written
    to the pool first.
    """

    def __init__(self, edition: Edition, nodes: _Nodes, number_of_row: Ints, numbers: tuple[Ints, Ints]):
        text, pool = edition.text, edition.pool
        self.nodes = nodes
        self.changed = text.deps is not None or bool(edition.deps)
        if not self.changed:
            return
        edges = text.edges
        self.head_start, self.head_length = np.zeros(len(edges), np.int64), np.zeros(len(edges), np.int64)
        self.start, self.length = edges[:, DEPS] + 1, edges[:, DEPS + 1] - edges[:, DEPS] - 1
        if text.deps is not None:
            self._renumber(edition, text.deps, number_of_row, numbers)
            if len(edition.removed):
                self._reattach(edition, text.deps, number_of_row)
        if edition.deps:
            tokens = np.fromiter(edition.deps, np.int64)
            self.start[tokens], self.length[tokens] = pool.add_all(list(edition.deps.values()))
            self.head_length[tokens] = 0

    def _renumber(self, edition: Edition, items: Deps, number_of_row: Ints, numbers: tuple[Ints, Ints]) -> None:
        stand_in = np.append(edition.stand_in, [-1, -1])  # rows -1 and -2: the root, and no word at all
        many = np.bincount(items.token, minlength=len(self.start))[items.token] > 1
        several = many | (items.node >= 0)
        one = np.flatnonzero(~several)
        number, token = number_of_row[stand_in[items.word[one]]], items.token[one]
        self.head_start[token], self.head_length[token] = numbers[0][number], numbers[1][number]
        self.start[token], self.length[token] = items.rest_start[one], items.rest_length[one]
        if several.any():
            self._write(edition, items, np.flatnonzero(several), number_of_row, numbers)

    def _write(
        self, edition: Edition, items: Deps, chosen: Ints, number_of_row: Ints, numbers: tuple[Ints, Ints]
    ) -> None:
        pool = edition.pool
        stand_in = np.append(edition.stand_in, [-1, -1])
        major = number_of_row[stand_in[items.word[chosen]]]
        minor = np.zeros(len(chosen), np.int64)
        minor_start, minor_length = np.zeros(len(chosen), np.int64), np.zeros(len(chosen), np.int64)
        is_node = items.node[chosen] >= 0
        if is_node.any():
            node = items.node[chosen][is_node]
            major[is_node], minor[is_node] = self.nodes.major[node], self.nodes.minor[node]
            texts = pool.add_all([b".%d" % number for number in minor[is_node].tolist()])
            minor_start[is_node], minor_length[is_node] = texts
        token = items.token[chosen]
        sort = np.lexsort((minor, major, token))
        token, rest = token[sort], chosen[sort]
        bar, _ = pool.add(b"|")
        last = np.diff(token, append=-1) != 0
        bars = np.full(len(sort), bar)
        start = np.stack([numbers[0][major[sort]], minor_start[sort], items.rest_start[rest], bars], axis=1)
        length = np.stack([numbers[1][major[sort]], minor_length[sort], items.rest_length[rest], ~last], axis=1)
        written, _ = pool.add(gather(pool.joined(), start.ravel(), length.ravel()))
        total = np.bincount(token, length.sum(axis=1), len(self.start)).astype(np.int64)
        has = np.flatnonzero(total)
        self.start[has] = (written + np.cumsum(total) - total)[has]
        self.length[has] = total[has]

    def _reattach(self, edition: Edition, items: Deps, number_of_row: Ints) -> None:
        """DEPS with a removed head: the nearest kept ancestor instead, but not the word itself; nothing twice."""
        text = edition.text
        is_removed = np.zeros(text.n_words + 2, bool)  # two more for rows -1 and -2
        is_removed[edition.removed] = True
        row_of_token = np.full(len(self.start), -1, np.int64)
        row_of_token[text.word_token] = np.arange(text.n_words)
        head_of_row = np.zeros(text.n_words + 1, np.int64)
        head_of_row[edition.order] = number_of_row[edition.head]
        affected = np.unique(items.token[is_removed[items.word]])
        texts = []
        for token in affected.tolist():
            own = int(row_of_token[token])
            found = set()
            for item in range(*np.searchsorted(items.token, [token, token + 1]).tolist()):
                node, word = int(items.node[item]), int(items.word[item])
                if node >= 0:
                    key = (int(self.nodes.major[node]), int(self.nodes.minor[node]))
                elif word < 0:
                    key = (0, 0)
                else:
                    stands = int(edition.stand_in[word])
                    to_itself = is_removed[word] and stands == own
                    key = (int(head_of_row[own] if to_itself else number_of_row[stands]), 0)
                begin = int(items.rest_start[item])
                found.add((*key, text.data[begin : begin + int(items.rest_length[item])]))
            parts = [b"%d%s%s" % (a, b".%d" % b if b else b"", rest) for a, b, rest in sorted(found)]
            texts.append(b"|".join(parts))
        self.start[affected], self.length[affected] = edition.pool.add_all(texts)
        self.head_length[affected] = 0


class _Nodes:
    """The new ids of all empty nodes, major.minor: each follows its word (or the one that stands for it), numbered
    again where nodes of several words come together."""

    def __init__(self, edition: Edition, number_of_row: Ints):
        text = edition.text
        anchor = text.node_anchor
        row = np.where(anchor >= 0, np.append(edition.stand_in, -1)[anchor], -1)
        self.major = np.where(row >= 0, number_of_row[row], 0)
        self.minor = text.node_number
        if len(edition.removed):
            group = np.where(row >= 0, row, -1 - self.sentence(text))
            sort = np.argsort(group, kind="stable")
            begins = np.flatnonzero(np.diff(group[sort], prepend=np.iinfo(np.int64).min))
            sizes = np.diff(np.append(begins, len(sort)))
            self.minor = np.empty(len(sort), np.int64)
            self.minor[sort] = 1 + np.arange(len(sort)) - np.repeat(begins, sizes)

    @staticmethod
    def sentence(text: Text) -> Ints:
        """The text sentence of each node."""
        anchor = text.node_anchor
        if not text.n_words:
            return anchor
        return np.where(anchor >= 0, text.sentence_of[np.maximum(anchor, 0)], -1 - anchor)


def _add_ranges(edition: Edition, rows: _Rows, slots: _Slots) -> None:
    place, words, together = edition.ranges
    kept = np.flatnonzero(together)
    if not len(kept):
        return
    place = place[kept]
    sentence = np.searchsorted(edition.sentence_start, place, "right") - 1
    first = place - edition.sentence_start[sentence] + 1
    last = first + words[kept] - 1
    ids = edition.pool.add_all([b"%d-%d" % pair for pair in zip(first.tolist(), last.tolist(), strict=True)])
    token = edition.text.range_token[kept]
    newline = edition.pool.add(b"\n")
    edges = edition.text.edges[token]
    form_to_deps = (edges[:, FORM], edges[:, MISC] + 1 - edges[:, FORM])
    misc = (edition.misc[0][token], edition.misc[1][token])
    rows.add(slots.key(place, slots.range), ids, form_to_deps, misc, newline)


def _add_nodes(edition: Edition, rows: _Rows, nodes: _Nodes, slots: _Slots, deps: _Deps) -> None:
    """Empty nodes follow their word, and those before the first word stay first."""
    text = edition.text
    kept_sentence = np.full(text.n_sentences, -1, np.int64)
    kept_sentence[edition.sentence] = np.arange(len(edition.sentence))
    sentence = kept_sentence[nodes.sentence(text)]
    node = np.flatnonzero(sentence >= 0)
    if not len(node):
        return
    major, minor = nodes.major[node], nodes.minor[node]
    place = edition.sentence_start[sentence[node]] + np.maximum(major - 1, 0)
    key = slots.key(place, np.where(major > 0, slots.word, slots.node - 1) + minor)  # minor counts from 1
    ids = edition.pool.add_all([b"%d.%d" % pair for pair in zip(major.tolist(), minor.tolist(), strict=True)])
    newline = edition.pool.add(b"\n")
    rows.add(key, ids, *_columns(edition, text.node_token[node], None, deps), newline)


def _add_frame(edition: Edition, rows: _Rows, slots: _Slots) -> None:
    """Comments before each sentence, the blank line after it, and what stands between sentences."""
    text, pool = edition.text, edition.pool
    start = text.comment_spans[0][edition.sentence]
    value_start, value_end = (bound[edition.sentence] for bound in text.text_values)
    new_value = (value_start >= 0) & (edition.text_value[1] >= 0)
    before = np.where(new_value, value_start, edition.comment_end)
    begin = edition.sentence_start[:-1]
    rows.add(
        slots.key(begin, slots.header),
        (start, before - start),
        (edition.text_value[0], np.where(new_value, edition.text_value[1], 0)),
        (value_end, np.where(new_value, edition.comment_end - value_end, 0)),
        *edition.extra,
    )
    newline = pool.add(b"\n")
    ends = edition.sentence_start[1:]
    with_blank = np.full(len(ends), 1, np.int64)
    if not edition.blank and len(ends):
        with_blank[-1] = 0
    rows.add(slots.key(ends - 1, slots.end), (newline[0], with_blank))
    # Lines that belong to no sentence: blank lines and blocks of comments.
    block_end = text.line_begin(np.minimum(text.block_end + 1, len(text.line_start)))
    gap_start = np.concatenate([[0], block_end])
    gap_end = np.append(text.comment_spans[0], len(text.buffer))
    filled = np.flatnonzero(gap_end > gap_start)
    following = np.searchsorted(edition.sentence, filled)
    place = np.append(begin, len(edition.order))[following]
    rows.add(slots.key(place, slots.gap), (gap_start[filled], (gap_end - gap_start)[filled]))
