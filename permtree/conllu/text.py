"""The text of a treebank as it was read: its bytes, and where every line and column of it lies.

Nothing here is decoded until someone asks. Rows are words (integer ids); a token line is a word, a range (3-4) or an
empty node (3.1). Column spans exclude the tabs and the newline around them.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ..types import Bytes, Ints
from .layout import PLAIN, Layout
from .spans import equals

ID, FORM, LEMMA, UPOS, XPOS, FEATS, HEAD, DEPREL, DEPS, MISC = range(10)

_BLANKS = re.compile(rb"[ \t]*")


@dataclass
class Deps:
    """All heads in DEPS, item by item in file order. Words and empty nodes only.

    token: index of the token line; word: row of the head, -1 for 0 (the root), -2 where an empty node is the head;
    node: index of the empty node, -1 if the head is none; rest_start, rest_length: what follows the head (":nsubj").
    """

    token: Ints
    word: Ints
    node: Ints
    rest_start: Ints
    rest_length: Ints


@dataclass
class Text:
    """Bytes and their layout. T token lines, N words, S sentences, R ranges, E empty nodes.

    buffer: uint8; every line of it ends in a newline. words: its `spans.eight_bytes`.
    line_number: [L] the number of each line in the file it came from; line_start: [L].
    edges: int64 [T, 11]; column c of token t is buffer[edges[t, c] + 1 : edges[t, c + 1]], but for FEATS, which ends at
    feats_end [T]: columns that CoNLL-U doesn't have stand between FEATS and HEAD (see `layout`).
    token_line: [T]; word_token: [N]; sentence_start: [S + 1] in words; sentence_token: [S + 1] in token lines.
    block_first, block_end: [S] lines of a sentence: its first comment (or token), the line after its last token.
    range_token, range_first, range_last: [R] the token line, and the rows of the first and the last word.
    node_token, node_number, node_anchor: [E] the token line, the number after the point, the row of the word that it
    follows, or -1 - sentence for a node before the first word.
    head: int32 [N].
    number: [S] the number of each sentence in what was read, from 1; n_skipped: sentences left out for faults.
    """

    name: str
    buffer: Bytes
    words: np.ndarray
    line_number: Ints
    line_start: Ints
    edges: Ints
    feats_end: Ints
    token_line: Ints
    word_token: Ints
    sentence_start: Ints
    sentence_token: Ints
    block_first: Ints
    block_end: Ints
    range_token: Ints
    range_first: Ints
    range_last: Ints
    node_token: Ints
    node_number: Ints
    node_anchor: Ints
    head: Ints
    deps: Deps | None
    number: Ints
    n_skipped: int
    layout: Layout = PLAIN  # the columns of the file
    has_header: bool = False  # the file's first line named its columns; it is not in the buffer
    sources: tuple[tuple[int, str], ...] = ()  # of a text joined from several: the first line of each, and its name
    missing_newline: bool = False  # the file ended inside its last line
    missing_blank: bool = False  # no blank line after the last sentence

    @cached_property
    def data(self) -> bytes:
        return self.buffer.tobytes()

    def written(self, lines: bytes | None = None) -> bytes:
        """Lines (all of them by default) as the file has them, after the line that names its columns, if any."""
        return self.layout.written(self.data if lines is None else lines, self.has_header)

    @property
    def n_words(self) -> int:
        return len(self.word_token)

    @property
    def n_sentences(self) -> int:
        return len(self.sentence_start) - 1

    def line_begin(self, line: Ints) -> Ints:
        """First byte of a line; the end of the buffer for the line after the last."""
        starts = np.append(self.line_start, len(self.buffer))
        return starts[line]

    def column(self, column: int, tokens: Ints | None = None) -> tuple[Ints, Ints]:
        """Start and length of a column, for the given token lines (all words by default)."""
        tokens = self.word_token if tokens is None else tokens
        start = self.edges[tokens, column] + 1
        end = self.feats_end[tokens] if column == FEATS else self.edges[tokens, column + 1]
        return start, end - start

    def strings(self, column: int) -> list[str]:
        """One column of all words, decoded."""
        start, length = self.column(column)
        data = self.data
        return [data[s : s + n].decode("utf-8") for s, n in zip(start.tolist(), length.tolist(), strict=True)]

    @property
    def sentence_pieces(self) -> list[bytes]:
        """The lines of each sentence, with what stands before it and the blank line that ends it."""
        ends = self.line_begin(np.minimum(self.block_end + 1, len(self.line_start)))
        bounds = np.concatenate([[0], ends]).tolist()
        data = self.data
        pieces = [data[a:b] for a, b in zip(bounds[:-1], bounds[1:], strict=True)]
        if pieces and self.missing_blank:
            pieces[-1] += b"\n"
        return pieces

    @cached_property
    def comment_spans(self) -> tuple[Ints, Ints]:
        """Start and end of each sentence's comments, int64 [S] each."""
        return self.line_begin(self.block_first), self.line_begin(self.token_line[self.sentence_token[:-1]])

    @cached_property
    def sent_ids(self) -> list[str]:
        """The sent_id of each sentence, empty where it has none."""
        starts, ends = (bound.tolist() for bound in self._comment_values(b"sent_id"))
        data = self.data
        return [data[a:b].decode("utf-8").strip() if a >= 0 else "" for a, b in zip(starts, ends, strict=True)]

    @cached_property
    def text_values(self) -> tuple[Ints, Ints]:
        """Start and end of the value of the first `# text =` of each sentence; -1 where there is none."""
        return self._comment_values(b"text")

    def _comment_values(self, name: bytes) -> tuple[Ints, Ints]:
        """Start and end of the value of the first comment `# name = value` of each sentence, int64 [S]; else -1."""
        count = self.token_line[self.sentence_token[:-1]] - self.block_first
        sentence = np.repeat(np.arange(self.n_sentences), count)
        lines = self.block_first[sentence] + np.arange(len(sentence)) - np.repeat(np.cumsum(count) - count, count)
        begin, end = self.line_begin(lines), self.line_begin(lines + 1) - 1
        at = self._past_blanks(begin + 1)
        fits = np.flatnonzero(equals(self.buffer, at, np.minimum(end - at, len(name)), name))
        at = self._past_blanks(at[fits] + len(name))
        signed = self.buffer[at] == ord("=")
        fits, at = fits[signed][::-1], at[signed][::-1] + 1  # reversed: the first one stays
        at += self.buffer[at] == ord(" ")
        start, stop = np.full(self.n_sentences, -1, np.int64), np.full(self.n_sentences, -1, np.int64)
        start[sentence[fits]], stop[sentence[fits]] = at, end[fits]
        return start, stop

    def _past_blanks(self, at: Ints) -> Ints:
        """Each place, moved on past spaces and tabs."""
        at = at.copy()
        for _ in range(4):
            blank = np.flatnonzero((self.buffer[at] == ord(" ")) | (self.buffer[at] == ord("\t")))
            if not len(blank):
                return at
            at[blank] += 1
        for i in blank.tolist():  # few have more than one or two
            at[i] = _BLANKS.match(self.data, int(at[i])).end()  # type: ignore[union-attr]
        return at

    @cached_property
    def range_of(self) -> Ints:
        """The range that each word belongs to, -1 if none; int64 [N]."""
        result = np.full(self.n_words, -1, np.int64)
        count = self.range_last - self.range_first + 1
        rows = np.repeat(self.range_first, count) + np.arange(count.sum()) - np.repeat(np.cumsum(count) - count, count)
        result[rows] = np.repeat(np.arange(len(count)), count)
        return result

    @cached_property
    def surface_token(self) -> Ints:
        """The token line whose FORM the surface text shows at each word: the word, or at its last word the range; -1
        at the other words of a range; int64 [N]."""
        if not len(self.range_token):
            return self.word_token
        inside = self.range_of >= 0
        ends = inside & (self.range_last[self.range_of] == np.arange(self.n_words))
        return np.where(ends, self.range_token[self.range_of], np.where(inside, -1, self.word_token))

    @cached_property
    def sentence_of(self) -> Ints:
        return np.repeat(np.arange(self.n_sentences), np.diff(self.sentence_start))

    def place_of_word(self, row: int) -> tuple[str, int]:
        """The file that a word was read from, and the number of its line there."""
        line = int(self.token_line[self.word_token[row]])
        name = next((name for first, name in reversed(self.sources) if first <= line), self.name)
        return name, int(self.line_number[line])
