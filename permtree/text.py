"""The text of a treebank as it was read: its bytes, and where every line and column of it lies.

Nothing here is decoded until someone asks. Rows are words (integer ids); a token line is a word, a range (3-4) or an
empty node (3.1). Column spans exclude the tabs and the newline around them.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from .spans import gather
from .types import Bytes, Ints

ID, FORM, LEMMA, UPOS, XPOS, FEATS, HEAD, DEPREL, DEPS, MISC = range(10)


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

    buffer: uint8; every line of it ends in a newline.
    line_number: [L] the number of each line in the file it came from; line_start: [L].
    edges: int64 [T, 11]; column c of token t is buffer[edges[t, c] + 1 : edges[t, c + 1]].
    token_line: [T]; word_token: [N]; sentence_start: [S + 1] in words; sentence_token: [S + 1] in token lines.
    block_first, block_end: [S] lines of a sentence: its first comment (or token), the line after its last token.
    range_token, range_first, range_last: [R] the token line, and the rows of the first and the last word.
    node_token, node_number, node_anchor: [E] the token line, the number after the point, the row of the word that it
    follows, or -1 - sentence for a node before the first word.
    head: int32 [N].
    """

    name: str
    buffer: Bytes
    line_number: Ints
    line_start: Ints
    edges: Ints
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
    missing_newline: bool = False  # the file ended inside its last line
    missing_blank: bool = False  # no blank line after the last sentence
    warnings: list = field(default_factory=list)

    @cached_property
    def data(self) -> bytes:
        return self.buffer.tobytes()

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
        edges = self.edges[self.word_token if tokens is None else tokens, column : column + 2]
        return edges[:, 0] + 1, edges[:, 1] - edges[:, 0] - 1

    def strings(self, column: int) -> list[str]:
        """One column of all words, decoded."""
        start, length = self.column(column)
        data = self.data
        return [data[s : s + n].decode("utf-8") for s, n in zip(start.tolist(), length.tolist(), strict=True)]

    @cached_property
    def comment_spans(self) -> tuple[Ints, Ints]:
        """Start and end of each sentence's comments, int64 [S] each."""
        return self.line_begin(self.block_first), self.line_begin(self.token_line[self.sentence_token[:-1]])

    def comments(self, sentence: int) -> list[bytes]:
        start, end = (int(bound[sentence]) for bound in self.comment_spans)
        return self.data[start:end].split(b"\n")[:-1]

    @cached_property
    def sent_ids(self) -> list[str]:
        """The sent_id of each sentence, empty where it has none."""
        found = [""] * self.n_sentences
        for sentence, value in self._comment_values(b"sent_id"):
            found[sentence] = found[sentence] or self.data[value[0] : value[1]].decode("utf-8").strip()
        return found

    @cached_property
    def text_values(self) -> tuple[Ints, Ints]:
        """Start and end of the value of the first `# text =` of each sentence; start -1 where there is none."""
        start, end = np.full(self.n_sentences, -1, np.int64), np.full(self.n_sentences, -1, np.int64)
        for sentence, value in self._comment_values(b"text"):
            if start[sentence] < 0:
                start[sentence], end[sentence] = value
        return start, end

    def _comment_values(self, name: bytes) -> list[tuple[int, tuple[int, int]]]:
        import re

        start, end = self.comment_spans
        length = end - start
        comments = gather(self.buffer, start, length).tobytes()
        found = [m.span(1) for m in re.finditer(rb"^#[ \t]*" + name + rb"[ \t]*= ?(.*)$", comments, re.MULTILINE)]
        first = np.array([f[0] for f in found], np.int64)
        before = np.cumsum(length) - length
        sentence = np.searchsorted(np.cumsum(length), first, "right")
        shift = start[sentence] - before[sentence] if len(found) else first
        return [(s, (a + d, b + d)) for s, d, (a, b) in zip(sentence.tolist(), shift.tolist(), found, strict=True)]

    @cached_property
    def space_items(self) -> tuple[Ints, Ints]:
        """For every token line, where SpaceAfter=No stands in its MISC and how often it is hidden behind "Orig".

        Returns start [T] (-1: absent) and level [T] (0: plain SpaceAfter=No; 1: OrigSpaceAfter=No ...; -1: absent).
        Only whole items count, and the first of each MISC.
        """
        import re

        item = b"SpaceAfter=No"
        at = np.array([m.start() for m in re.finditer(re.escape(item), self.data)], np.int64)
        start = np.full(len(self.token_line), -1, np.int64)
        level = np.full(len(self.token_line), -1, np.int64)
        if not len(at) or not len(start):
            return start, level
        after = self.buffer[at + len(item)]
        at = at[(after == 124) | (after == 10)]
        token = np.maximum(np.searchsorted(self.edges[:, 0] + 1, at, "right") - 1, 0)
        inside = (at > self.edges[token, MISC]) & (at < self.edges[token, MISC + 1])
        at, token = at[inside], token[inside]
        depth = np.zeros(len(at), np.int64)
        if b"OrigSpaceAfter=No" in self.data:
            for i, place in enumerate(at.tolist()):
                while self.data[place - 4 : place] == b"Orig":
                    place, depth[i] = place - 4, depth[i] + 1
                at[i] = place
        before = self.buffer[at - 1]
        whole = (before == 124) | (before == 9)
        at, token, depth = at[whole][::-1], token[whole][::-1], depth[whole][::-1]  # reversed: the first one wins
        start[token], level[token] = at, depth
        return start, level

    @cached_property
    def range_of(self) -> Ints:
        """The range that each word belongs to, -1 if none; int64 [N]."""
        result = np.full(self.n_words, -1, np.int64)
        count = self.range_last - self.range_first + 1
        rows = np.repeat(self.range_first, count) + np.arange(count.sum()) - np.repeat(np.cumsum(count) - count, count)
        result[rows] = np.repeat(np.arange(len(count)), count)
        return result

    @cached_property
    def sentence_of(self) -> Ints:
        return np.repeat(np.arange(self.n_sentences), np.diff(self.sentence_start))

    def line_of_word(self, row: int) -> int:
        """The number, in its file, of the line of a word."""
        return int(self.line_number[self.token_line[self.word_token[row]]])
