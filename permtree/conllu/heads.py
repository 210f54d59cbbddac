"""The last steps of reading: HEAD, and DEPS taken apart into heads and relations."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..kernels.trees import NO_HEAD, ROOT
from ..types import Bytes, Ints, Mask
from .faults import Faults
from .ids import POINT, RANGE, ZERO, Ids, shown
from .spans import UNDERSCORE, eight_bytes, gather, integers, leading_integers, run_starts
from .text import DEPS, HEAD, Deps

COLON, PIPE, TAB = ord(":"), ord("|"), 9


@dataclass(frozen=True)
class Heads:
    """The number in each word's HEAD [N], -1 where there is none; `is_empty`: [N] where HEAD is _."""

    ids: Ids
    value: Ints
    is_empty: Mask

    @classmethod
    def of(cls, ids: Ids) -> Heads:
        lines, edges = ids.tokens.lines, ids.tokens.edges[ids.word_token]
        start, end = edges[:, HEAD] + 1, edges[:, HEAD + 1]
        value = integers(lines.words, start, end)
        return cls(ids, value, (value < 0) & (end - start == 1) & (lines.buffer[start] == UNDERSCORE))

    @property
    def row(self) -> Ints:
        """The row of each word's head; int32 [N]."""
        ids = self.ids
        first = ids.sentence_start[ids.sentence[ids.word_token]]
        row = np.where(self.value > 0, first + self.value - 1, ROOT)
        return np.where(self.value < 0, NO_HEAD, row).astype(np.int32)

    def check(self, faults: Faults) -> None:
        """HEADs that are no number, and those beyond the sentence."""
        ids, value = self.ids, self.value
        token = ids.word_token
        bad = token[(value < 0) & ~self.is_empty]
        faults.add(
            "E130",
            ids.line[bad],
            lambda i: f"HEAD '{shown(ids.tokens, int(bad[i]), HEAD)}' is no number of a word, 0 or _",
        )
        length = np.diff(ids.sentence_start)[ids.sentence[token]]
        beyond = np.flatnonzero(value > length)

        def what(i: int) -> str:
            size = length[beyond[i]]
            return f"HEAD {value[beyond[i]]} in a sentence of {size} word{'s' if size > 1 else ''}"

        faults.add("E131", ids.line[token[beyond]], what)


@dataclass(frozen=True)
class Items:
    """DEPS split at its bars. K items of all words and empty nodes whose DEPS is not _.

    token: [K] token line; major, minor: [K] the head's numbers, minor 0 unless `is_node` [K]; rest_start, rest_length:
    [K] what follows the head, in the buffer; is_right: [K] whether it is head:relation, or a number alone in its
    column (in CoNLL-X the column is PHEAD: `is_bare` [K]).
    """

    token: Ints
    major: Ints
    minor: Ints
    is_node: Mask
    rest_start: Ints
    rest_length: Ints
    is_right: Mask
    is_bare: Mask

    @classmethod
    def of(cls, ids: Ids) -> Items | None:
        """None where no line has DEPS."""
        buffer, edges = ids.tokens.lines.buffer, ids.tokens.edges
        start, end = edges[:, DEPS] + 1, edges[:, DEPS + 1]
        owner = np.flatnonzero((ids.kind != RANGE) & ((end - start > 1) | (buffer[start] != UNDERSCORE)))
        if not len(owner):
            return None
        length = end[owner] - start[owner] + 1  # with the tab, which ends the last item
        compact = gather(buffer, start[owner], length)
        stop = np.flatnonzero((compact == PIPE) | (compact == TAB))
        begin = np.concatenate([[0], stop[:-1] + 1])
        ends_field = compact[stop] == TAB
        field = np.cumsum(ends_field) - ends_field
        shift = start[owner] - (np.cumsum(length) - length)
        major, minor, is_node, after, is_number = _numbers(compact, begin, stop)
        is_bare = (after == stop) & ends_field & np.concatenate([[True], ends_field[:-1]])
        has_relation = (compact[after] == COLON) & (stop - after > 1)
        return cls(
            token=owner[field],
            major=major,
            minor=minor,
            is_node=is_node,
            rest_start=after + shift[field],
            rest_length=stop - after,
            is_right=is_number & (has_relation | is_bare),
            is_bare=is_bare,
        )


def _numbers(compact: Bytes, begin: Ints, stop: Ints) -> tuple[Ints, Ints, Mask, Ints, Mask]:
    """The head that each item begins with: both numbers, whether it is an empty node, where it ends, if it is one."""
    words = eight_bytes(compact)
    major, digits = leading_integers(words, begin, stop)
    after = begin + digits
    is_node = compact[after] == POINT
    minor, minor_digits = np.zeros_like(major), np.zeros_like(digits)
    if is_node.any():
        minor[is_node], minor_digits[is_node] = leading_integers(words, after[is_node] + 1, stop[is_node])
        minor_digits[is_node & (compact[np.minimum(after + 1, len(compact) - 1)] == ZERO)] = 0  # .0 or .01
        after = after + np.where(is_node, 1 + minor_digits, 0)
    is_number = (digits > 0) & (~is_node | (minor_digits > 0)) & ~((compact[begin] == ZERO) & (digits > 1))
    return major, minor, is_node, after, is_number


def deps_of(ids: Ids, faults: Faults) -> Deps | None:
    """All heads in DEPS with the words and nodes that they name."""
    items = Items.of(ids)
    if items is None:
        return None
    token, major, is_node = items.token, items.major, items.is_node
    bad = token[~items.is_right]
    bad = bad[run_starts(bad)]
    faults.add(
        "E140",
        ids.line[bad],
        lambda i: f"DEPS '{shown(ids.tokens, int(bad[i]), DEPS)}' is no list of head:relation, separated by |",
    )
    sentence = ids.sentence[token]
    word = np.where(major > 0, ids.sentence_start[sentence] + major - 1, -1)
    known = major <= np.diff(ids.sentence_start)[sentence]
    node = np.full(len(token), -1, np.int64)
    if is_node.any():
        anchor = np.where(major > 0, word, -1 - sentence)
        node[is_node] = _find_nodes(ids, anchor[is_node], items.minor[is_node])
        word[is_node] = -2
        known[is_node] &= node[is_node] >= 0
    lost = np.flatnonzero(items.is_right & ~known)

    def what(i: int) -> str:
        item = lost[i]
        ref = f"{major[item]}.{items.minor[item]}" if is_node[item] else str(major[item])
        return f"DEPS head {ref} does not stand in the sentence"

    faults.add("E141", ids.line[token[lost]], what)
    return Deps(token, word, node, items.rest_start, items.rest_length)


def _find_nodes(ids: Ids, anchor: Ints, number: Ints) -> Ints:
    """Index of the empty node with this anchor and number, -1 where there is none."""
    keys = zip(ids.node_anchor.tolist(), ids.node_number.tolist(), strict=True)
    known = {key: i for i, key in enumerate(keys)}
    pairs = zip(anchor.tolist(), number.tolist(), strict=True)
    return np.array([known.get(pair, -1) for pair in pairs], np.int64)
