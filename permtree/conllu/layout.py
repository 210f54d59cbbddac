"""The columns of a file: the ten of CoNLL-U, or those that the first line of a CoNLL-U Plus file names.

Within permtree every token line has one layout: ID to FEATS, then the columns that CoNLL-U doesn't have, then HEAD to
MISC; a column of CoNLL-U that the file lacks is `_`. So what is between FEATS and HEAD goes with its word wherever
that goes. Files keep their own columns in their own order: `Layout.arranged` leads in, `Layout.written` leads out.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

import numpy as np

from ..errors import DataError, Finding
from ..types import Bytes, Ints
from .spans import TextPool

COLUMN_NAMES = "ID FORM LEMMA UPOS XPOS FEATS HEAD DEPREL DEPS MISC".split()
_BEFORE = 6  # columns of CoNLL-U that stand before those that it doesn't have
HEADER = re.compile(rb"#[ \t]*global\.columns[ \t]*=[ \t]*(.*)")
# A MISC that a permutation added to a file without one; the number of permutations that need it, if more than one
_ADDED_MISC = re.compile(r"PERMTREE:MISC([2-9]|[1-9]\d+)?")


@dataclass(frozen=True)
class Layout:
    """Columns by name in the order of a file, and the line that named them (empty: none, the ten of CoNLL-U)."""

    names: tuple[str, ...] = tuple(COLUMN_NAMES)
    header: bytes = b""

    @property
    def width(self) -> int:
        """Columns of a token line of the file."""
        return len(self.names)

    @property
    def own(self) -> list[str]:
        """The columns that do not come from a permutation, in the order that the first line names them."""
        found = HEADER.fullmatch(self.header.rstrip(b"\n"))
        return [name for name in (named_by(found) if found else self.names) if not _ADDED_MISC.fullmatch(name)]

    @property
    def extra(self) -> list[str]:
        """The columns that CoNLL-U doesn't have."""
        return [name for name in self.names if name not in COLUMN_NAMES and not _ADDED_MISC.fullmatch(name)]

    @property
    def inner(self) -> list[str]:
        """All columns in the order that they have within permtree."""
        return COLUMN_NAMES[:_BEFORE] + self.extra + COLUMN_NAMES[_BEFORE:]

    @property
    def is_inner(self) -> bool:
        """Whether the file has the order that columns have within permtree, and none is missing."""
        return list(self.names) == self.inner

    @property
    def within(self) -> Layout:
        """The layout of the same lines within permtree."""
        return replace(self, names=tuple(self.inner))

    def place(self, name: str) -> int:
        """Which column of the file has this name, -1 if none has."""
        own = [COLUMN_NAMES[-1] if _ADDED_MISC.fullmatch(name) else name for name in self.names]
        return own.index(name) if name in own else -1

    def with_columns(self, *names: str) -> Layout:
        """With these columns of CoNLL-U, each at the end if the file doesn't have it."""
        return self._with([*self.names, *(name for name in names if self.place(name) < 0)])

    def with_misc(self) -> Layout:
        """With a MISC for what a permutation leaves behind, which `without_misc` takes away again."""
        place = self.place("MISC")
        added = _ADDED_MISC.fullmatch(self.names[place]) if place >= 0 else None
        if place >= 0 and not added:
            return self
        count = int(added[1] or 1) + 1 if added else 1
        return self._with([*self.names[: place if added else None], f"PERMTREE:MISC{count if count > 1 else ''}"])

    def without_misc(self) -> Layout:
        """As it was before the last permutation."""
        added = _ADDED_MISC.fullmatch(self.names[-1])
        if not added:
            return self
        count = int(added[1] or 1) - 1
        return self._with([*self.names[:-1], *([f"PERMTREE:MISC{count if count > 1 else ''}"] if count else [])])

    def _with(self, names: list[str]) -> Layout:
        kept = [name for name in self.names if name in names]
        if names == list(self.names):
            return self
        line = self.header.rstrip(b"\n")
        for name in reversed([name for name in self.names if name not in kept]):
            line = line[: line.rindex(name.encode())].rstrip(b" \t")
        line += b"".join(b" " + name.encode() for name in names[len(kept) :])
        return replace(self, names=tuple(names), header=line + b"\n")

    def arranged(self, buffer: Bytes, begin: Ints, edges: Ints, line_end: Ints) -> Bytes:
        """The bytes of a piece of a file with all its token lines in the order of `inner`.

        begin: [T] where each token line begins; edges: [T, width + 1], before and after each column; line_end: [T].
        """
        pool = TextPool(buffer)
        tab, empty = pool.add(b"\t")[0], pool.add(b"_")[0]
        places = [self.place(name) for name in self.inner]
        spans = np.empty((len(edges), 2 * len(places), 2), np.int64)
        spans[:, 1::2] = tab, 1
        for column, place in enumerate(places):
            spans[:, 2 * column] = (empty, 1)
            if place >= 0:
                spans[:, 2 * column, 0] = edges[:, place] + 1
                spans[:, 2 * column, 1] = edges[:, place + 1] - edges[:, place] - 1
        return pool.replaced(begin, line_end, spans[:, :-1], len(buffer))  # without the last tab

    def written(self, data: bytes, with_header: bool) -> bytes:
        """Lines in the order of `inner`, as the file has them; with_header: they are the first of the file."""
        if not self.is_inner:
            data = self._outward(data)
        return self.header + data if with_header else data

    def _outward(self, data: bytes) -> bytes:
        buffer: Bytes = np.frombuffer(data + b"\n", np.uint8)
        delimiters = np.flatnonzero((buffer == 9) | (buffer == 10))
        newlines = np.flatnonzero(buffer[delimiters] == 10)
        end = delimiters[newlines]
        begin = np.concatenate([[0], end[:-1] + 1])
        is_token = (buffer[begin] != 10) & (buffer[begin] != 35)
        inner = self.inner
        inside = np.repeat(is_token, np.diff(newlines, prepend=-1))
        begin, end = begin[is_token], end[is_token]
        edges = np.column_stack([begin - 1, delimiters[inside].reshape(-1, len(inner))])
        pool = TextPool(buffer)
        tab = pool.add(b"\t")[0]
        spans = np.empty((len(edges), 2 * self.width, 2), np.int64)
        spans[:, 1::2] = tab, 1
        for column, name in enumerate(self.names):
            place = inner.index("MISC" if _ADDED_MISC.fullmatch(name) else name)
            spans[:, 2 * column, 0] = edges[:, place] + 1
            spans[:, 2 * column, 1] = edges[:, place + 1] - edges[:, place] - 1
        return pool.replaced(begin, end, spans[:, :-1], len(data)).tobytes()


PLAIN = Layout()


def named_by(found: re.Match[bytes]) -> tuple[str, ...]:
    """The columns in a match of `HEADER`."""
    return tuple(found[1].decode("utf-8", "replace").split())


def layout_of(data: bytes, name: str) -> Layout | None:
    """The layout that the first line of a file names; None: it names none. Raises DataError where it can't be used."""
    if not data.startswith(b"#"):
        return None
    line = data[: data.find(b"\n") + 1 or len(data)]
    found = HEADER.fullmatch(line.rstrip(b"\n"))
    if not found:
        return None
    names = named_by(found)
    what = ""
    if "ID" not in names:
        what = "# global.columns names no ID; the columns of CoNLL-U are " + " ".join(COLUMN_NAMES)
    elif len(set(names)) < len(names) or sum(bool(_ADDED_MISC.fullmatch(name)) or name == "MISC" for name in names) > 1:
        twice = next((name for name in names if names.count(name) > 1), "MISC")
        what = f"# global.columns names {twice} twice"
    elif not line.endswith(b"\n"):
        line += b"\n"
    if what:
        raise DataError(Finding("E105", name, 1, what))
    return Layout(names, line)
