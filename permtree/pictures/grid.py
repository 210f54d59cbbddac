"""Text as a grid of cells: box-drawing lines by the directions that a cell connects, lines of Braille dots, and
words in as many columns as a terminal gives them.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Iterable

from wcwidth import wcswidth

from ..legible import legible as legible

UP, RIGHT, DOWN, LEFT = 1, 2, 4, 8
_BOXES = " ╵╶└╷│┌├╴┘─┴┐┤┬┼"  # by the sum of the directions that they connect
_DOTS = ((0x01, 0x08), (0x02, 0x10), (0x04, 0x20), (0x40, 0x80))  # of a Braille pattern, by row and column
_BRAILLE = 0x2800
_ISOLATE, _END_OF_ISOLATE, _LEFT_TO_RIGHT = "\u2068", "\u2069", "\u200e"

Position = tuple[int, int]  # row, column


def columns(text: str) -> int:
    """Columns of a terminal that a text takes: combining marks none, East Asian wide characters two."""
    return max(wcswidth(text), 0)


def right_to_left(texts: Iterable[str]) -> bool:
    """Whether a text holds characters that are written from right to left."""
    return any(unicodedata.bidirectional(char) in ("R", "AL", "AN") for text in texts for char in text)


def isolated(text: str) -> str:
    """A text that keeps its own direction and its place, whatever stands beside it."""
    return _ISOLATE + text + _END_OF_ISOLATE


def from_left(line: str) -> str:
    """A line that runs from left to right, whatever stands in it."""
    return _LEFT_TO_RIGHT + line


class Canvas:
    """Cells with lines through them, and texts that start at a cell and lie over lines."""

    def __init__(self) -> None:
        self._lines: dict[Position, int] = {}
        self._texts: dict[Position, str] = {}

    def connect(self, cell: Position, directions: int) -> None:
        """Lines from the middle of a cell to some of its sides."""
        self._lines[cell] = self._lines.get(cell, 0) | directions

    def line(self, one: Position, two: Position) -> None:
        """A line between two cells of one row or one column."""
        (top, left), (bottom, right) = sorted((one, two))
        for row in range(top, bottom):
            self.connect((row, left), DOWN)
            self.connect((row + 1, left), UP)
        for column in range(left, right):
            self.connect((top, column), RIGHT)
            self.connect((top, column + 1), LEFT)

    def text(self, cell: Position, text: str) -> None:
        if text:
            self._texts[cell] = text

    def transposed(self) -> Canvas:
        """Rows for columns. Texts start at the cells that theirs become, and still run to the right."""
        return self._mapped(lambda row, column: (column, row), {UP: LEFT, LEFT: UP, DOWN: RIGHT, RIGHT: DOWN})

    def upside_down(self, height: int) -> Canvas:
        """The first of `height` rows becomes the last."""
        return self._mapped(lambda row, column: (height - 1 - row, column), {UP: DOWN, DOWN: UP})

    def _mapped(self, move: Callable[[int, int], Position], turn: dict[int, int]) -> Canvas:
        result = Canvas()
        for cell, directions in self._lines.items():
            sides = (side for side in (UP, RIGHT, DOWN, LEFT) if directions & side)
            result._lines[move(*cell)] = sum(turn.get(side, side) for side in sides)
        result._texts = {move(*cell): text for cell, text in self._texts.items()}
        return result

    def rows(self, height: int) -> list[str]:
        """The first rows as text, without blanks at their ends."""
        cells: list[dict[int, str]] = [{} for _ in range(height)]
        for (row, column), directions in self._lines.items():
            cells[row][column] = _BOXES[directions]
        for (row, column), text in self._texts.items():
            cells[row][column] = text
        return [_joined(row) for row in cells]


def _joined(cells: dict[int, str]) -> str:
    line, end = [], 0
    for column in sorted(cells):
        if column >= end:  # else a text lies over it
            line.append(" " * (column - end) + cells[column])
            end = column + columns(cells[column])
    return "".join(line)


def straight_lines(ends: Iterable[tuple[int, int]], height: int) -> list[str]:
    """Rows of Braille patterns with lines from columns of the row above to columns of the row below."""
    dots: dict[Position, int] = {}
    last = 4 * height - 1  # a character has four rows of two dots
    for above, below in ends:
        steps = max(last, 2 * abs(above - below))
        for step in range(steps + 1):
            y = round(last * step / steps)
            x = 2 * above + 1 + round(2 * (below - above) * step / steps)
            cell = y // 4, x // 2
            dots[cell] = dots.get(cell, 0) | _DOTS[y % 4][x % 2]
    rows: list[dict[int, str]] = [{} for _ in range(height)]
    for (row, column), pattern in dots.items():
        rows[row][column] = chr(_BRAILLE + pattern)
    return [_joined(row) for row in rows]
