"""Draw a sentence, or two versions of one, as text: arcs of box characters over words in a row, or beside words that
stand one a line.
"""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Sequence

from ..errors import UsageError
from .grid import DOWN, UP, Canvas, columns, from_left, isolated, legible, right_to_left, straight_lines
from .layout import PLACES, Bar, WordRow, head_bars, rows_in_step
from .picture import Picture, Sentence

LAYOUTS = ("auto", "horizontal", "vertical")
_ROOMS = ((2, 2), (1, 0))  # gap between words, and what is left of a line beside its label: the first that fits
_LEAN = 12  # columns to which lines between two versions may lean for each row that they are high
_HIGHEST = 8


def draw_text(picture: Picture, width: int = 100, layout: str = "auto") -> str:
    """The drawing, in lines that end in newlines.

    picture: from `permtree.pictures.picture.picture`; width: columns of the terminal; layout: "horizontal" (words in a
    row, arcs above, those of the second version below), "vertical" (one word a line, arcs on the left) or "auto":
    horizontal if the width allows it. Raises UsageError for another layout.
    """
    if layout not in LAYOUTS:
        raise UsageError(f"no layout named '{layout}': {', '.join(LAYOUTS)}")
    summaries = [_wrapped(sentence.summary, width) for sentence in picture.sentences]
    pair_summary = _wrapped(picture.summary, width)
    drawn = None if layout == "vertical" else _horizontal(picture, width if layout == "auto" else None)
    if drawn is not None:
        lines = [*summaries[0], "", *drawn]
        if len(summaries) > 1:
            lines += ["", *summaries[1], *pair_summary]
    else:
        lines = []
        for number, summary in enumerate(summaries):
            lines += [*summary, "", *_vertical(picture, number), ""]
        lines = lines + pair_summary if pair_summary else lines[:-1]
    if right_to_left(word.form for sentence in picture.sentences for word in sentence.words):
        lines = [from_left(line) if line else "" for line in lines]
    return "".join(line + "\n" for line in lines)


def _wrapped(line: str, width: int) -> list[str]:
    return textwrap.wrap(legible(line), width, break_long_words=False, break_on_hyphens=False)


def _bars(
    canvas: Canvas, bars: Sequence[Bar], roots: Sequence[int], spacing: int, at: Callable[[int], int], arrow: str
) -> int:
    """Draw the lines over words in a row; returns the canvas's row for the words.

    spacing: rows for each level; at: the column of a place. The line of a root comes from the top row.
    """
    base = 1 + spacing * max((bar.level for bar in bars), default=0)
    for bar in bars:
        row = base - bar.level * spacing
        ends = [at(place) for place in bar.places]
        canvas.line((row, min(ends)), (row, max(ends)))
        for end in ends:
            canvas.line((row, end), (base, end))
        canvas.connect((base, ends[0]), DOWN)
        for end in ends[1:]:
            canvas.text((base, end), arrow)
    for word in roots:
        end = at(PLACES * word + 1)
        canvas.line((0, end), (base, end))
        canvas.connect((0, end), UP)
        canvas.text((base, end), arrow)
    return base + 1


# -- words in a row ----------------------------------------------------------------------------------------------------


def _horizontal(picture: Picture, width: int | None) -> list[str] | None:
    """The lines of a horizontal drawing, None where it would be wider than `width` (None: any width will do)."""
    least = max(sum(columns(legible(word.form)) + 1 for word in own.words) - 1 for own in picture.sentences)
    if width is not None and least > width:
        return None
    for gap, spare in _ROOMS:
        rows = [_row(sentence, gap, spare) for sentence in picture.sentences]
        if picture.same_order:
            rows_in_step(*rows)
        if width is None or max(row.width for row in rows) <= width:
            break
    else:
        return None
    canvas, height = _over_words(picture.first, rows[0], picture.marks[0], "▼")
    lines = canvas.rows(height)
    if picture.second is not None:
        joins = [
            (rows[0].centre(one - 1), rows[1].centre(two - 1)) for one, two in (join.ids for join in picture.joins)
        ]
        lean = max(abs(above - below) for above, below in joins)
        lines += straight_lines(joins, min(1 + -(-lean // _LEAN), _HIGHEST))
        canvas, height = _over_words(picture.second, rows[1], picture.marks[1], "▲")
        lines += canvas.upside_down(height).rows(height)
    return lines


def _row(sentence: Sentence, gap: int, spare: int) -> WordRow:
    widths = [max(columns(legible(word.form)), 1) for word in sentence.words]
    labels = [columns(legible(word.deprel)) + spare for word in sentence.words]
    return WordRow(sentence, widths, labels, gap, step=2, tight=1)


def _over_words(sentence: Sentence, row: WordRow, marks: dict[int, str], arrow: str) -> tuple[Canvas, int]:
    """Arcs, words and below them their marks; and how many rows that are."""
    canvas = Canvas()
    base = _bars(canvas, row.bars, row.roots, 1, row.at, arrow)
    isolate = right_to_left(word.form for word in sentence.words)
    for word, own in enumerate(sentence.words):
        form = legible(own.form)
        at = row.start[word] + (row.slot[word] - columns(form)) // 2
        canvas.text((base, at), isolated(form) if isolate else form)
        canvas.text((base + 1, row.centre(word)), marks.get(own.number, ""))
    for bar in row.bars:
        left, right = (row.at(place) for place in row.stretch(bar))
        label = legible(sentence.words[bar.dependents[0]].deprel)
        canvas.text((base - 1 - bar.level, (left + right + 1 - columns(label)) // 2), label)
    for word in row.roots:
        label = legible(sentence.words[word].deprel)
        canvas.text((0, row.at(PLACES * word + 1) - columns(label) // 2), label)
    return canvas, base + 1 + bool(marks)


# -- one word a line ---------------------------------------------------------------------------------------------------


def _vertical(picture: Picture, side: int) -> list[str]:
    """The lines of one sentence; those of the second (side 1) say where its words stand in the first."""
    sentence = picture.sentences[side]
    canvas = Canvas()
    base = _bars(canvas, head_bars(sentence), sentence.roots, 2, lambda place: place // PLACES, "►")
    header, *table = _table(picture, side)
    for word, line in enumerate(table):
        canvas.text((base, word), line)
    return [" " * base + header, *canvas.transposed().rows(len(table))]


def _table(picture: Picture, side: int) -> list[str]:
    """A line with the names of the columns, and one for each word."""
    sentence = picture.sentences[side]
    isolate = right_to_left(word.form for word in sentence.words)
    forms = [legible(word.form) for word in sentence.words]
    heads = ["_" if word.head is None else str(word.head) for word in sentence.words]
    table = [
        ["id", *(str(word.number) for word in sentence.words)],
        ["form", *([isolated(form) for form in forms] if isolate else forms)],
        ["UPOS", *(legible(word.upos) for word in sentence.words)],
        ["head", *heads],
        ["deprel", *(legible(word.deprel) for word in sentence.words)],
    ]
    if side:
        join_of = {join.second: join for join in picture.joins}
        joins = [join_of.get(word.number) for word in sentence.words]
        table.append(["was", *(str(join.first) if join else "-" for join in joins)])
        table.append(["moved", *(f"{join.moved:+d}" if join and join.moved else "" for join in joins)])
    if any(picture.marks):
        table.append(["", *(picture.marks[side].get(word.number, "") for word in sentence.words)])
    right = [name in ("id", "head", "was", "moved") for name, *_ in table]
    widths = [max(map(columns, cells)) for cells in table]
    lines = []
    for cells in zip(*table, strict=True):
        line = ""
        for cell, width, to_right in zip(cells, widths, right, strict=True):
            space = " " * (width - columns(cell))
            line += f"  {space}{cell}" if to_right else f"  {cell}{space}"
        lines.append(line.rstrip())
    return lines
