"""Figures as SVG: self-contained, text as text, the same bytes for the same numbers, readable without colour.

Values that are nan can't be shown; every figure names those it leaves out.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from xml.etree.ElementTree import Element, SubElement

from .axes import (
    GREY,
    INK,
    WHITE,
    Scale,
    canvas,
    frame,
    horizontal_axis,
    line,
    number,
    scale,
    text,
    vertical_axis,
    width,
    written,
)
from .labels import placed
from .marks import (
    COLOURS,
    DASHES,
    MARKERS,
    colour_bar,
    described,
    diverging,
    leader,
    legend_mark,
    mark,
    missing_line,
    shape_of,
)

_LEFT, _TOP, _BOTTOM = 76, 20, 56  # around the field of a figure, in pixels
_MISSING = 22  # the height of the line about what is not shown
_ROW = 28  # the height of a row of intervals
_NAMES = 17  # from one name of a line to the next


@dataclass(frozen=True)
class Point:
    """A treebank in a scatter plot: its place, and the value that its colour and shape tell."""

    name: str
    x: float
    y: float
    value: float


@dataclass(frozen=True)
class Series:
    """A line: for each x, the values of several runs (seeds), of which mean and range are drawn."""

    name: str
    xs: Sequence[float]
    values: Sequence[Sequence[float]]


@dataclass(frozen=True)
class Interval:
    """A value and the interval that it lies in."""

    name: str
    value: float
    low: float
    high: float


@dataclass(frozen=True)
class _Mean:
    x: float
    value: float
    low: float
    high: float


def scatter(points: Sequence[Point], x_label: str, y_label: str, colour_label: str, digits: int = 1) -> str:
    """Points with their names; colour and shape tell a value: blue and upward a gain, orange and downward a loss.

    Both axes show their zero. digits: decimals of the value.
    """
    known = [one for one in points if all(map(math.isfinite, (one.x, one.y, one.value)))]
    missing = [one.name for one in points if one not in known]
    left, top, right, bottom = _LEFT, _TOP, _LEFT + 520, _TOP + 420
    across = scale([one.x for one in known], left, right, around=(0.0,))
    upward = scale([one.y for one in known], bottom, top, around=(0.0,))
    told = [f"{one.name}: {_values(one, digits)}" for one in known]
    what = f"Scatter plot of {len(known)} points; colour and shape: {colour_label}"
    high = bottom + _BOTTOM + _MISSING * bool(missing)
    root = canvas(right + 168, high, f"{y_label} against {x_label}", described(what, told, missing))
    horizontal_axis(root, across, top, bottom, x_label)
    vertical_axis(root, upward, left, right, y_label)
    line(root, (across.at(0), top, across.at(0), bottom), GREY, 1.2)
    line(root, (left, upward.at(0), right, upward.at(0)), GREY, 1.2)
    frame(root, left, top, right, bottom)
    most = max([abs(one.value) for one in known], default=0.0) or 1.0
    _points(root, known, across, upward, most, digits)
    colour_bar(root, most, right + 24, top, colour_label, digits)
    missing_line(root, missing, left, bottom + _BOTTOM)
    return written(root)


def _points(root: Element, points: list[Point], across: Scale, upward: Scale, most: float, digits: int) -> None:
    """most: the size of a value that has the full colour."""
    places = [(across.at(one.x), upward.at(one.y)) for one in points]
    field = (across.start + 2, upward.end + 2, across.end - 2, upward.start - 2)
    boxes = placed(places, [one.name for one in points], field)
    for (x, y), box in zip(places, boxes, strict=True):
        leader(root, x, y, box)
    halo = {"stroke": WHITE, "stroke-width": "3", "paint-order": "stroke", "stroke-linejoin": "round", "class": "name"}
    for one, box in zip(points, boxes, strict=True):
        left, middle = round(float(box[0]), 1), round(float(box[1] + box[3]) / 2, 1)
        text(root, one.name, left, middle, anchor="start").attrib.update(halo)
    for one, (x, y) in zip(points, places, strict=True):
        group = SubElement(root, "g", {"class": "point"})
        SubElement(group, "title").text = f"{one.name}: {_values(one, digits)}"
        mark(group, shape_of(one.value, digits), x, y, 6.5, diverging(one.value / most), INK)


def _values(one: Point, digits: int) -> str:
    return f"{number(one.value, digits, sign=True)} at {number(one.x, 3)}, {number(one.y, 3)}"


def lines(series: Sequence[Series], x_label: str, y_label: str) -> str:
    """Lines of means over runs, with whiskers from the lowest to the highest, and their names at the right."""
    means = [_means(one) for one in series]
    missing = [f"{one.name} ({count} runs)" for one in series if (count := _absent(one))]
    flat = [mean for line_of_means in means for mean in line_of_means]
    left, top, right = _LEFT, _TOP, _LEFT + 480
    bottom = top + max(360, _NAMES * len(series))
    across = scale([mean.x for mean in flat], left, right)
    upward = scale([end for mean in flat for end in (mean.low, mean.high)], bottom, top)
    told = [
        f"{one.name}: " + ", ".join(f"{number(mean.value, 2)} at {mean.x:g}" for mean in line_of_means)
        for one, line_of_means in zip(series, means, strict=True)
    ]
    what = f"{len(series)} lines of means over runs, with whiskers from the lowest to the highest run"
    wide = round(right + 76 + max([width(one.name) for one in series], default=0))
    high = bottom + _BOTTOM + _MISSING * bool(missing)
    root = canvas(wide, high, f"{y_label} against {x_label}", described(what, told, missing))
    horizontal_axis(root, across, top, bottom, x_label)
    vertical_axis(root, upward, left, right, y_label)
    frame(root, left, top, right, bottom)
    for place, (one, line_of_means) in enumerate(zip(series, means, strict=True)):
        _line(root, place, one.name, line_of_means, across, upward)
    _line_names(root, [one.name for one in series], means, upward, right)
    missing_line(root, missing, left, bottom + _BOTTOM)
    return written(root)


def _means(series: Series) -> list[_Mean]:
    """By x, of the runs that have a value."""
    result = []
    for x, values in sorted(zip(series.xs, series.values, strict=True), key=lambda pair: pair[0]):
        known = [value for value in values if math.isfinite(value)]
        if known:
            result.append(_Mean(x, math.fsum(known) / len(known), min(known), max(known)))
    return result


def _absent(series: Series) -> int:
    return sum(not math.isfinite(value) for values in series.values for value in values)


def _line(root: Element, place: int, name: str, means: list[_Mean], across: Scale, upward: Scale) -> None:
    colour = COLOURS[place % len(COLOURS)]
    group = SubElement(root, "g", {"class": "line"})
    ends = " ".join(f"{across.at(mean.x):g},{upward.at(mean.value):g}" for mean in means)
    look = {"fill": "none", "stroke": colour, "stroke-width": "1.8", "stroke-linejoin": "round"}
    dash = DASHES[place % len(DASHES)]
    SubElement(group, "polyline", {"points": ends, **look, **({"stroke-dasharray": dash} if dash else {})})
    for mean in means:
        x, low, high = across.at(mean.x), upward.at(mean.low), upward.at(mean.high)
        spot = SubElement(group, "g", {"class": "mean"})
        spread = f" ({number(mean.low, 2)} to {number(mean.high, 2)})" if mean.low < mean.high else ""
        SubElement(spot, "title").text = f"{name}, {mean.x:g}: {number(mean.value, 2)}{spread}"
        if mean.low < mean.high:
            for whisker in ((x, low, x, high), (x - 4, low, x + 4, low), (x - 4, high, x + 4, high)):
                line(spot, whisker, colour)
        mark(spot, MARKERS[place % len(MARKERS)], x, upward.at(mean.value), 4.5, WHITE, colour)


def _line_names(root: Element, names: list[str], means: list[list[_Mean]], upward: Scale, right: float) -> None:
    """Names in the order of the lines' ends, as near to these as there is room."""
    ends = [upward.at(line_of_means[-1].value) if line_of_means else upward.start for line_of_means in means]
    order = sorted(range(len(names)), key=lambda place: (ends[place], place))
    heights: list[float] = []
    for place in order:
        heights.append(max([ends[place]] + [height + _NAMES for height in heights[-1:]]))
    lowest = upward.start - 6
    for number_of_name in reversed(range(len(heights))):
        heights[number_of_name] = min(heights[number_of_name], lowest)
        lowest = heights[number_of_name] - _NAMES
    for place, height in zip(order, heights, strict=True):
        legend_mark(root, place, right + 14, round(height, 1))
        text(root, names[place], right + 58, round(height, 1), anchor="start").set("class", "name")


def intervals(rows: Sequence[Interval], label: str, digits: int = 2) -> str:
    """A dot with its interval a row, in the order given, and a line at zero; open where the interval holds zero."""
    known = [all(map(math.isfinite, (one.value, one.low, one.high))) for one in rows]
    shown = [one for one, finite in zip(rows, known, strict=True) if finite]
    missing = [one.name for one, finite in zip(rows, known, strict=True) if not finite]
    left, top = round(max([width(one.name) for one in rows], default=40)) + 30, _TOP
    right, bottom = left + 420, top + _ROW * max(len(rows), 1) + 8
    across = scale([end for one in shown for end in (one.low, one.value, one.high)], left, right, around=(0.0,))
    told = [f"{one.name}: {_interval(one, digits)}" for one in shown]
    what = f"{len(shown)} values with their intervals; an open dot where the interval holds zero"
    root = canvas(right + 176, bottom + _BOTTOM, label, described(what, told, missing))
    horizontal_axis(root, across, top, bottom, label)
    line(root, (across.at(0), top, across.at(0), bottom), INK, 1.2)
    frame(root, left, top, right, bottom)
    for place, one in enumerate(rows):
        y = top + _ROW * place + 18
        text(root, one.name, left - 12, y, anchor="end").set("class", "name")
        words = _interval(one, digits) if known[place] else "n/a"
        text(root, words, right + 12, y, anchor="start", font_size="11", fill=GREY)
        if known[place]:
            _interval_line(root, one, across, y, words)
    return written(root)


def _interval_line(root: Element, one: Interval, across: Scale, y: float, words: str) -> None:
    group = SubElement(root, "g", {"class": "interval"})
    SubElement(group, "title").text = f"{one.name}: {words}"
    low, high = across.at(one.low), across.at(one.high)
    for ends in ((low, y, high, y), (low, y - 5, low, y + 5), (high, y - 5, high, y + 5)):
        line(group, ends, COLOURS[0], 2)
    holds_zero = one.low <= 0 <= one.high
    mark(group, "circle", across.at(one.value), y, 5, WHITE if holds_zero else COLOURS[0], COLOURS[0])


def _interval(one: Interval, digits: int) -> str:
    return f"{number(one.value, digits)} [{number(one.low, digits)}, {number(one.high, digits)}]"
