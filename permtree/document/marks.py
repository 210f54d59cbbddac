"""Marks of figures: shapes and colours that can be told apart without each other, and what explains them."""

from __future__ import annotations

from xml.etree.ElementTree import Element, SubElement

from ..types import Floats
from .axes import GREY, INK, WHITE, line, number, text, width

# Okabe and Ito (2008), without the yellow, which is too pale for lines
COLOURS = ("#0072B2", "#D55E00", "#000000", "#009E73", "#CC79A7", "#E69F00", "#56B4E9")
DASHES = ("", "7 3", "2 3", "9 3 2 3", "13 4")
MARKERS = ("circle", "square", "up", "diamond", "down", "cross")
_GAIN, _LOSS = (0x00, 0x5A, 0x9C), (0xD0, 0x60, 0x00)  # the ends of the scale of colours: blue and orange
_BAR_WIDTH, _BAR_PARTS, _BAR_PART = 16, 40, 5  # the colour bar, in pixels
# corners around the middle, for a mark of half width 1
_CORNERS = {
    "up": [(0, -1.15), (1.1, 0.8), (-1.1, 0.8)],
    "down": [(0, 1.15), (1.1, -0.8), (-1.1, -0.8)],
    "square": [(-0.85, -0.85), (0.85, -0.85), (0.85, 0.85), (-0.85, 0.85)],
    "diamond": [(0, -1.2), (1.2, 0), (0, 1.2), (-1.2, 0)],
}


def diverging(share: float) -> str:
    """The colour of a value from -1 (orange) over 0 (white) to 1 (blue)."""
    end = _GAIN if share > 0 else _LOSS
    weight = min(abs(share), 1.0)
    return "#" + "".join(f"{round(255 + (channel - 255) * weight):02x}" for channel in end)


def shape_of(value: float, digits: int) -> str:
    """Upward for a gain, downward for a loss, a circle for what is shown as zero."""
    return "circle" if not round(value, digits) else "up" if value > 0 else "down"


def mark(parent: Element, shape: str, x: float, y: float, half: float, fill: str, stroke: str) -> None:
    """A mark around a place. half: half its width, in pixels."""
    look = {"fill": fill, "stroke": stroke, "stroke-width": "1.2"}
    if shape == "circle":
        SubElement(parent, "circle", {"cx": f"{x:g}", "cy": f"{y:g}", "r": f"{half:g}", **look})
    elif shape == "cross":
        for lean in (-half, half):
            line(parent, (x - half, y - lean, x + half, y + lean), stroke, 2)
    else:
        corners = " ".join(f"{round(x + a * half, 1):g},{round(y + b * half, 1):g}" for a, b in _CORNERS[shape])
        SubElement(parent, "polygon", {"points": corners, "stroke-linejoin": "round", **look})


def colour_bar(parent: Element, most: float, left: float, top: float, label: str, digits: int) -> None:
    """The scale of colours from `most` down to its negative, and what the shapes mean."""
    y = top + 8.0
    for words in wrapped(label, 132):
        text(parent, words, left, y, anchor="start")
        y += 16
    y += 4
    for part in range(_BAR_PARTS):
        share = 1 - (2 * part + 1) / _BAR_PARTS
        place = {"x": f"{left:g}", "y": f"{y + part * _BAR_PART:g}", "width": f"{_BAR_WIDTH}", "height": f"{_BAR_PART}"}
        SubElement(parent, "rect", {**place, "fill": diverging(share)})
    high = _BAR_PARTS * _BAR_PART
    box = {
        "x": f"{left:g}",
        "y": f"{y:g}",
        "width": f"{_BAR_WIDTH}",
        "height": f"{high}",
        "fill": "none",
        "stroke": GREY,
    }
    SubElement(parent, "rect", box)
    for share in (1.0, 0.5, 0.0, -0.5, -1.0):
        middle = y + (1 - share) / 2 * high
        line(parent, (left + _BAR_WIDTH, middle, left + _BAR_WIDTH + 4, middle), GREY)
        text(parent, number(share * most, digits, sign=True), left + _BAR_WIDTH + 8, middle, anchor="start")
    y += high + 26
    for shape, words, value in (("up", "gain", 0.5), ("circle", "no change", 0.0), ("down", "loss", -0.5)):
        mark(parent, shape, left + 8, y, 6.5, diverging(value), INK)
        text(parent, words, left + 22, y, anchor="start")
        y += 20


def wrapped(words: str, most: float) -> list[str]:
    """A text in lines of at most `most` pixels, where its spaces allow it."""
    lines: list[str] = []
    for word in words.split():
        if lines and width(f"{lines[-1]} {word}") <= most:
            lines[-1] += f" {word}"
        else:
            lines.append(word)
    return lines


def leader(parent: Element, x: float, y: float, box: Floats) -> None:
    """A thin line from a point to its name, where that stands apart. box: left, top, right, bottom."""
    near_x, near_y = min(max(x, box[0]), box[2]), min(max(y, box[1]), box[3])
    if (near_x - x) ** 2 + (near_y - y) ** 2 > 14**2:
        line(parent, (x, y, near_x, near_y), GREY, 0.7)


def described(what: str, told: list[str], missing: list[str]) -> str:
    """The description of a figure: what it is, its values, what can't be shown."""
    return ". ".join([what, *told] + [f"Not shown, without a value: {', '.join(missing)}"] * bool(missing))


def missing_line(parent: Element, missing: list[str], left: float, y: float) -> None:
    """Below a figure, the names of what has no value."""
    if missing:
        text(parent, f"without a value: {', '.join(missing)}", left, y, anchor="start", fill=GREY)


def legend_mark(parent: Element, place: int, x: float, y: float) -> None:
    """A piece of the line number `place` with its mark in the middle, 36 pixels wide."""
    colour = COLOURS[place % len(COLOURS)]
    line(parent, (x, y, x + 36, y), colour, 1.8, DASHES[place % len(DASHES)])
    mark(parent, MARKERS[place % len(MARKERS)], x + 18, y, 4.5, WHITE, colour)
