"""The first steps of reading: lines, then token lines and their columns."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

import numpy as np

from ..types import Bytes, Ints, Mask
from .faults import Faults
from .layout import COLUMN_NAMES, HEADER, PLAIN, Layout, named_by
from .spans import BYTE_ORDER_MARK, eight_bytes

TAB, NEWLINE, HASH = 9, 10, 35
_MARK = np.uint64(int.from_bytes(BYTE_ORDER_MARK, "little"))


@dataclass(frozen=True)
class Lines:
    """A piece of a file as lines. L lines; a blank line belongs to the block that it ends.

    delimiter: all tabs and newlines; newline: which of them are newlines [L]; start, end: [L] where each line begins,
    and its newline; number: [L] in the file; block: [L]; is_comment, is_token, is_blank: [L].
    """

    data: bytes
    buffer: Bytes
    words: np.ndarray
    delimiter: Ints
    newline: Ints
    start: Ints
    end: Ints
    number: Ints
    block: Ints
    is_blank: Mask
    is_comment: Mask
    is_token: Mask

    @classmethod
    def of(cls, data: bytes, number: Ints | int) -> Lines:
        """data: all its lines end in a newline; number: of the first line, or of each."""
        buffer: Bytes = np.frombuffer(data, np.uint8)
        words = eight_bytes(buffer)
        delimiter = np.flatnonzero(buffer - np.uint8(TAB) < 2)  # TAB or NEWLINE, its neighbour
        newline = np.flatnonzero(buffer[delimiter] == NEWLINE)
        end = delimiter[newline]
        start = np.concatenate([[0], end + 1])[: len(end)]
        is_blank = end == start
        block = np.cumsum(is_blank) - is_blank
        is_comment = (buffer[start] == HASH) & ~is_blank
        marked = words[start] & np.uint64(0xFFFFFF) == _MARK
        is_token = ~(is_blank | is_comment | marked)
        if isinstance(number, int):
            number = np.arange(number, number + len(start))
        return cls(data, buffer, words, delimiter, newline, start, end, number, block, is_blank, is_comment, is_token)

    def faults(self, name: str, first_only: bool) -> Faults:
        """Faults of these lines, none so far."""
        return Faults(name, self.data, self.start, self.number, self.block, first_only)

    def check(self, faults: Faults, layout: Layout) -> None:
        """Bytes that no line may hold, and other columns than those of the file."""
        self._check_encoding(faults)
        for byte, code, what in (
            (b"\0", "E101", "a NUL byte (is the file UTF-16?); convert the file to UTF-8, for example with iconv"),
            (b"\r", "E102", "a carriage return inside a line; end lines with a newline"),
        ):
            if byte in self.data:
                faults.add(code, np.flatnonzero(np.maximum.reduceat(self.buffer == byte[0], self.start)), what)
        marked = np.flatnonzero(~(self.is_blank | self.is_comment | self.is_token))
        faults.add("E103", marked, "a byte-order mark inside the file (joined from several?); remove it")
        faults.unreadable(marked)
        if b"global.columns" in self.data:
            other = [line for line in np.flatnonzero(self.is_comment).tolist() if self._names_others(line, layout)]
            what = "# global.columns names other columns than the file has; only its first line may name them"
            faults.add("E105", np.array(other, np.int64), what)

    def _names_others(self, line: int, layout: Layout) -> bool:
        found = HEADER.fullmatch(self.data, int(self.start[line]), int(self.end[line]))
        return found is not None and Layout(named_by(found)).own != layout.own

    def _check_encoding(self, faults: Faults) -> None:
        utf16 = " (is the file UTF-16?)" if self.data[:2] in (b"\xff\xfe", b"\xfe\xff") else ""
        lines, found, begin = [], [], 0
        while begin < len(self.data):  # in whole lines, so that plain ASCII, which is most, need not be decoded
            end = self.data.find(b"\n", begin + (1 << 15)) + 1 or len(self.data)
            part = self.data[begin:end]
            try:
                if not part.isascii():
                    part.decode("utf-8")
                begin = end
            except UnicodeDecodeError as fault:
                at = begin + fault.start
                lines.append(int(np.searchsorted(self.start, at, "right")) - 1)
                found.append(self.data[at])
                begin = int(self.end[lines[-1]]) + 1  # one finding a line
        advice = "convert the file, for example with iconv"
        faults.add("E101", np.array(lines, np.int64), lambda i: f"byte 0x{found[i]:02x} is not UTF-8{utf16}; {advice}")


@dataclass(frozen=True)
class Tokens:
    """Token lines with the right number of columns. T token lines.

    line: [T]; edges: int64 [T, 11], column c of token t is buffer[edges[t, c] + 1 : edges[t, c + 1]], but FEATS ends
    at feats_end [T], with columns that CoNLL-U doesn't have behind it.
    """

    lines: Lines
    line: Ints
    edges: Ints
    feats_end: Ints

    @classmethod
    def of(cls, lines: Lines, layout: Layout, faults: Faults) -> Tokens:
        """All token lines that can be read, their columns in the order of `layout.inner`."""
        line, columns = _columns(lines, layout.width)
        kept = _checked_columns(lines, layout, faults, line, columns)
        if not layout.is_inner:
            data = layout.arranged(lines.buffer, lines.start[line], columns, lines.end[line]).tobytes()
            lines = replace(Lines.of(data, lines.number), is_token=lines.is_token)
            readable = np.zeros(len(lines.start), bool)
            readable[line] = True
            line, columns = _columns(replace(lines, is_token=readable), len(layout.inner))
        if not kept.all():
            line, columns = line[kept], columns[kept]
        return cls(lines, line, *_inner_edges(columns))

    @property
    def start(self) -> Ints:
        """[T] Where the ID begins."""
        return self.edges[:, 0] + 1

    def kept(self, kept: Mask) -> Tokens:
        """Some of them."""
        return replace(self, line=self.line[kept], edges=self.edges[kept], feats_end=self.feats_end[kept])


def _columns(lines: Lines, width: int) -> tuple[Ints, Ints]:
    """The token lines with so many columns, and the edges of these columns [T, width + 1]."""
    tabs = np.diff(lines.newline, prepend=-1) - 1
    right = lines.is_token & (tabs == width - 1)
    line = np.flatnonzero(right)
    edges = np.empty((len(line), width + 1), np.int64)
    edges[:, 0] = lines.start[line] - 1
    edges[:, 1:] = lines.delimiter[np.repeat(right, tabs + 1)].reshape(-1, width)
    return line, edges


def _inner_edges(columns: Ints) -> tuple[Ints, Ints]:
    """Edges of the ten columns, and the ends of FEATS, from those of all columns in their inner order."""
    extra = columns.shape[1] - len(COLUMN_NAMES) - 1
    if not extra:
        return columns, columns[:, 6]
    return np.concatenate([columns[:, :6], columns[:, 6 + extra :]], axis=1), columns[:, 6]


def _checked_columns(lines: Lines, layout: Layout, faults: Faults, line: Ints, columns: Ints) -> Mask:
    """Which of the token lines with the right number of columns have something in each: bool [T]."""
    is_right = np.zeros(len(lines.start), bool)
    is_right[line] = True
    wrong = np.flatnonzero(lines.is_token & ~is_right)
    if len(wrong):
        _tell_wrong_columns(lines, layout, faults, wrong)
        faults.unreadable(wrong)
    empty = columns[:, 1:] - columns[:, :-1] == 1
    if not empty.any():
        return np.ones(len(line), bool)
    token, column = np.nonzero(empty)
    names = layout.names
    faults.add("E111", line[token], lambda i: f"empty {names[column[i]]}; write _ where there is no value")
    faults.unreadable(line[token])
    return ~empty.any(axis=1)


def _tell_wrong_columns(lines: Lines, layout: Layout, faults: Faults, wrong: Ints) -> None:
    def content(line: int) -> bytes:
        return lines.data[int(lines.start[line]) : int(lines.end[line])]

    white = np.array([not content(line).strip() for line in wrong.tolist()], bool)
    faults.add("E104", wrong[white], "a line of white space alone; a blank line must be empty")
    other = wrong[~white]
    count = np.diff(lines.newline, prepend=-1)[other]

    def what(i: int) -> str:
        if count[i] == 1 and re.search(rb"\S\s+\S", content(int(other[i]))[:1000]):
            width = "ten" if layout == PLAIN else str(layout.width)
            return f"columns separated by spaces; CoNLL-U separates its {width} columns with tabs"
        due = f"{layout.width}, which # global.columns names" if layout.header else f"{layout.width}"
        return f"{count[i]} column{'s' if count[i] > 1 else ''} instead of {due}"

    faults.add("E110", other, what)
