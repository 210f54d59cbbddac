"""A step of reading: from the IDs of token lines to sentences of words, ranges and empty nodes."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..types import Bytes, Ints
from .faults import Faults, shorten
from .lines import Tokens
from .spans import integers, leading_integers, run_starts
from .text import ID

WORD, RANGE, NODE = 1, 2, 3
MINUS, POINT, ZERO = ord("-"), ord("."), ord("0")


@dataclass(frozen=True)
class Ids:
    """What each token line is. T token lines, N words, S sentences, R ranges, E empty nodes.

    value, second: [T] the numbers of an ID (second: the last word of a range, the number of a node after the point);
    kind: [T] WORD, RANGE or NODE; sentence: [T]; before: [T] words before it in its sentence.
    sentence_token, sentence_start: [S + 1] in token lines, in words; sentence_block: [S]; word_token: [N].
    range_token, range_first, range_last: [R]; node_token, node_number, node_anchor: [E] (see `text.Text`).
    """

    tokens: Tokens
    value: Ints
    second: Ints
    kind: Ints
    sentence: Ints
    before: Ints
    sentence_token: Ints
    sentence_start: Ints
    sentence_block: Ints
    word_token: Ints
    range_token: Ints
    range_first: Ints
    range_last: Ints
    node_token: Ints
    node_number: Ints
    node_anchor: Ints

    @classmethod
    def of(cls, tokens: Tokens, faults: Faults) -> Ids:
        """All token lines with an ID that can be read."""
        lines = tokens.lines
        value, second, kind = read_ids(lines.buffer, lines.words, tokens.edges[:, ID] + 1, tokens.edges[:, ID + 1])
        good = kind > 0
        if not good.all():
            bad = tokens.kept(~good)
            faults.add(
                "E120",
                bad.line,
                lambda i: f"ID '{shown(bad, i, ID)}' is no word (3), multiword token (3-4) or empty node (3.1)",
            )
            faults.unreadable(bad.line)
            tokens, value, second, kind = tokens.kept(good), value[good], second[good], kind[good]
        block = lines.block[tokens.line]
        first = run_starts(block)
        sentence_token = np.append(first, len(block))
        sentence = np.repeat(np.arange(len(first)), np.diff(sentence_token))
        counted = np.concatenate([[0], np.cumsum(kind == WORD)])
        start = counted[sentence_token]
        before = counted[:-1] - start[sentence]
        ranges, nodes = np.flatnonzero(kind == RANGE), np.flatnonzero(kind == NODE)
        base, preceding = start[sentence], before[nodes]
        return cls(
            tokens=tokens,
            value=value,
            second=second,
            kind=kind,
            sentence=sentence,
            before=before,
            sentence_token=sentence_token,
            sentence_start=start,
            sentence_block=block[first],
            word_token=np.flatnonzero(kind == WORD),
            range_token=ranges,
            range_first=base[ranges] + value[ranges] - 1,
            range_last=base[ranges] + second[ranges] - 1,
            node_token=nodes,
            node_number=second[nodes],
            node_anchor=np.where(preceding > 0, base[nodes] + preceding - 1, -1 - sentence[nodes]),
        )

    def check(self, faults: Faults) -> None:
        """Ids that do not follow one another as they should, and comments among them."""
        self._check_words(faults)
        self._check_comments(faults)
        self._check_ranges(faults)
        self._check_nodes(faults)

    @property
    def line(self) -> Ints:
        """[T] The line of each token line."""
        return self.tokens.line

    def _add(self, faults: Faults, code: str, tokens: Ints, what: str) -> None:
        """A fault of some token lines; `{}` in what stands for the ID."""
        faults.add(code, self.line[tokens], lambda i: what.format(shown(self.tokens, int(tokens[i]), ID)))

    def _check_words(self, faults: Faults) -> None:
        due = self.before + 1
        wrong = np.flatnonzero((self.kind == WORD) & (self.value != due))
        wrong = wrong[run_starts(self.sentence[wrong])]
        again = self.value[wrong] == 1
        what = "ids start again at 1; a blank line is missing, or an ID stands twice"
        faults.add("E122", self.line[wrong[again]], what)
        other = wrong[~again]
        faults.add(
            "E121",
            self.line[other],
            lambda i: f"ID {shown(self.tokens, int(other[i]), ID)} where {due[other[i]]} is due; ids run 1, 2, 3 ...",
        )
        wordless = np.flatnonzero(np.diff(self.sentence_start) == 0)
        faults.add("E126", self.line[self.sentence_token[wordless]], "a sentence without words")

    def _check_comments(self, faults: Faults) -> None:
        lines = self.tokens.lines
        comment = np.flatnonzero(lines.is_comment)
        if not len(comment):
            return
        token_line = np.flatnonzero(lines.is_token)
        first_token_line = np.full(int(lines.block[-1]) + 1, len(lines.block))
        first_token_line[lines.block[token_line[::-1]]] = token_line[::-1]
        late = comment[comment > first_token_line[lines.block[comment]]]
        following = np.searchsorted(self.line, late)
        known = np.append(self.line, len(lines.block) - 1)[following]
        starts_again = (following < len(self.line)) & (lines.block[known] == lines.block[late])
        begins = np.append((self.kind == WORD) & (self.value == 1), False)
        starts_again &= begins[following]
        what = "a comment after words; a blank line is missing between two sentences"
        faults.add("E122", late[starts_again], what)
        what = "a comment inside a sentence; comments stand before its first word"
        faults.add("E123", late[~starts_again], what)

    def _check_ranges(self, faults: Faults) -> None:
        token = self.range_token
        first, last = self.value[token], self.second[token]
        length = np.diff(self.sentence_start)
        next_is_word = np.append(self.kind == WORD, False)[token + 1]
        right = next_is_word & (first == self.before[token] + 1) & (last >= first)
        right &= last <= length[self.sentence[token]]
        what = "multiword token {} must stand right before its first word and end inside the sentence"
        self._add(faults, "E124", token[~right], what)
        token, begins, ends = token[right], self.range_first[right], self.range_last[right]
        self._add(faults, "E124", token[1:][begins[1:] <= ends[:-1]], "multiword token {} overlaps the one before")

    def _check_nodes(self, faults: Faults) -> None:
        token, sentence = self.node_token, self.sentence
        follows_node = (self.kind[:-1] == NODE) & (sentence[1:] == sentence[:-1])
        after_node = np.concatenate([[False], follows_node])[token]
        due = np.where(after_node, np.concatenate([[0], self.second])[token] + 1, 1)
        wrong = (self.value[token] != self.before[token]) | (self.node_number != due)
        self._add(faults, "E125", token[wrong], "empty node {} must follow its word, numbered .1, .2 ...")


def shown(tokens: Tokens, token: int, column: int) -> str:
    """A column of a token line, fit for a message."""
    begin, end = int(tokens.edges[token, column]) + 1, int(tokens.edges[token, column + 1])
    return shorten(tokens.lines.data[begin:end])


def read_ids(buffer: Bytes, words: np.ndarray, start: Ints, end: Ints) -> tuple[Ints, Ints, Ints]:
    """Read ids: first number, second number (range end, node number; else 0), kind (0: none of them)."""
    value, digits = leading_integers(words, start, end)
    second = np.zeros(len(start), np.int64)
    plain = (digits > 0) & ((buffer[start] != ZERO) | (digits == 1)) if len(start) else np.zeros(0, bool)
    kind = np.where(plain & (digits == end - start) & (value > 0), WORD, 0)
    special = np.flatnonzero(plain & (digits < end - start))
    sign = buffer[start[special] + digits[special]]
    second[special] = integers(words, start[special] + digits[special] + 1, end[special])
    is_range = (sign == MINUS) & (second[special] > 0) & (value[special] > 0)
    is_node = (sign == POINT) & (second[special] > 0)
    kind[special] = np.where(is_range, RANGE, np.where(is_node, NODE, 0))
    return value, second, kind
