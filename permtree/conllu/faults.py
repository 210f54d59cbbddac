"""What is wrong with a piece of a file, gathered for whole arrays of lines at once: time grows with its size alone."""

from __future__ import annotations

import re
from collections.abc import Callable

import numpy as np

from ..errors import Finding, shortened
from ..types import Ints, Mask

# faults that may only seem to be there because a line of the sentence could not be read
_CONSEQUENCES = {"E121", "E122", "E123", "E124", "E125", "E126", "E131", "E141"}
_SENT_ID = re.compile(rb"^#[ \t]*sent_id[ \t]*=[ \t]*([^\r\n]*)", re.MULTILINE)


class Faults:
    """Faults of a piece, by line; a block is what stands between two blank lines.

    bad, incomplete: [B] blocks with a fault, and blocks of which a line could not be read. first_only: keep only the
    first finding, for a reader that stops there.
    """

    def __init__(self, name: str, data: bytes, line_start: Ints, number: Ints, block: Ints, first_only: bool):
        self._name = name
        self._data = data
        self._line_start = line_start
        self._number = number
        self._block = block
        self._block_line = np.flatnonzero(np.diff(block, prepend=-1))
        self._first_only = first_only
        self._sentences: dict[int, str] = {}
        self.bad: Mask = np.zeros(len(self._block_line), bool)
        self.incomplete: Mask = np.zeros(len(self._block_line), bool)
        self._findings: list[Finding] = []

    def add(self, code: str, lines: Ints, what: str | Callable[[int], str]) -> None:
        """The same kind of fault in some lines [K]; what: the message, or the message of the i-th of them."""
        if not len(lines):
            return
        index = np.arange(len(lines))
        if code in _CONSEQUENCES:  # the line that could not be read explains it
            index = index[~self.incomplete[self._block[lines]]]
        self.bad[self._block[lines[index]]] = True
        if self._first_only and len(index):
            first = index[np.argmin(lines[index])]
            if self._findings and self._findings[0].line <= self._number[lines[first]]:
                return
            index = np.array([first])
            self._findings.clear()
        for i in index.tolist():
            line = int(lines[i])
            message = what if isinstance(what, str) else what(i)
            number, block = int(self._number[line]), int(self._block[line])
            self._findings.append(Finding(code, self._name, number, message, self._sentence(block)))

    def unreadable(self, lines: Ints) -> None:
        """These lines could not be read, so that other faults of their blocks may follow from that."""
        self.incomplete[self._block[lines]] = True

    def sorted(self) -> list[Finding]:
        """All findings by line."""
        return sorted(self._findings, key=lambda finding: finding.line)

    def _sentence(self, block: int) -> str:
        """The sent_id of a block, looked for once."""
        if block not in self._sentences:
            bounds = self._block_line[block : block + 2]
            begin = int(self._line_start[bounds[0]])
            end = int(self._line_start[bounds[1]]) if len(bounds) > 1 else len(self._data)
            found = _SENT_ID.search(self._data, begin, end)
            self._sentences[block] = found[1].decode("utf-8", "replace").strip() if found else ""
        return self._sentences[block]


def shorten(content: bytes, limit: int = 40) -> str:
    """A piece of the input, fit for a message: decoded, on one line, not too long."""
    return shortened(content[: 4 * limit].decode("utf-8", "backslashreplace"), limit)
