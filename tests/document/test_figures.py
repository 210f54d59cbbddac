"""Figures: what is drawn is what was given, and can be read."""

from __future__ import annotations

import math
import re
from itertools import combinations
from xml.etree import ElementTree

import pytest
from drawn import SVG
from hypothesis import given
from hypothesis import strategies as st
from small_report import HOSTILE

from permtree.document.axes import number, scale, width
from permtree.document.figures import Interval, Point, Series, intervals, lines, scatter
from permtree.document.formats import one_line
from permtree.document.marks import COLOURS, diverging
from permtree.pictures.grid import legible

VALUES = st.floats(-1e6, 1e6, allow_nan=False).map(lambda value: round(value, 3))
# the paper's Table 1 (DLM ratio, entropy), OptDL in Tables 2 and 3 (entropy, UAS less that of the original)
PAPER = [
    ("Polish", 1.13, 0.34, 0.55, 2),
    ("Italian", 1.13, 0.18, 0.60, -3),
    ("Finnish", 1.16, 0.39, 0.57, 3),
    ("Spanish", 1.14, 0.17, 0.63, -2),
    ("French", 1.14, 0.16, 0.62, -1),
    ("English", 1.17, 0.09, 0.59, 1),
    ("Bulgarian", 1.14, 0.20, 0.60, 0),
    ("Cicero", 1.26, 0.43, 0.58, 6),
    ("Vulgate", 1.17, 0.42, 0.61, 3),
    ("Dutch", 1.23, 0.31, 0.56, 2),
    ("New Testament", 1.20, 0.51, 0.60, 1),
    ("German", 1.24, 0.26, 0.55, 4),
    ("Herodotus", 1.30, 0.58, 0.61, 7),
    ("Persian", 1.33, 0.15, 0.60, -1),
]
POINTS = [Point(name, dlm - 1, before - after, gain) for name, dlm, before, after, gain in PAPER]


def parsed(svg: str) -> ElementTree.Element:
    root = ElementTree.fromstring(svg)
    assert root.get("role") == "img" and root[0].tag == f"{SVG}title" and root[1].tag == f"{SVG}desc"
    assert root[0].text and root[1].text and not list(root.iter(f"{SVG}image"))
    return root


def texts(root: ElementTree.Element, kind: str | None = None) -> list[str]:
    return [text.text or "" for text in root.iter(f"{SVG}text") if kind is None or text.get("class") == kind]


def group(root: ElementTree.Element, kind: str) -> list[ElementTree.Element]:
    return [one for one in root.iter(f"{SVG}g") if one.get("class") == kind]


def middle(mark: ElementTree.Element) -> tuple[float, float]:
    if mark.tag == f"{SVG}circle":
        return float(mark.get("cx", "")), float(mark.get("cy", ""))
    corners = [tuple(map(float, corner.split(","))) for corner in mark.get("points", "").split()]
    xs, ys = zip(*corners, strict=True)
    return (max(xs) + min(xs)) / 2, (max(ys) + min(ys)) / 2


def boxes(root: ElementTree.Element) -> list[tuple[float, float, float, float]]:
    result = []
    for text in root.iter(f"{SVG}text"):
        if text.get("class") == "name":
            left, base = float(text.get("x", "")), float(text.get("y", ""))
            result.append((left, base - 9, left + width(text.text or ""), base + 3))
    return result


def shared_area(one: tuple[float, float, float, float], two: tuple[float, float, float, float]) -> float:
    wide = min(one[2], two[2]) - max(one[0], two[0])
    high = min(one[3], two[3]) - max(one[1], two[1])
    return max(wide, 0) * max(high, 0)


@given(st.lists(VALUES, max_size=6), st.integers(2, 9))
def test_ticks_are_round_and_within(values, about):
    made = scale(values, 0, 100, about)
    assert made.low < min(values, default=0) and made.high > max(values, default=0)
    digits = f"{made.step:e}".split("e")[0].rstrip("0").rstrip(".")
    assert digits in ("1", "2", "5")
    assert 1 <= len(made.ticks) <= about + 1
    for tick in made.ticks:
        assert made.low <= tick <= made.high
        assert float(made.text(tick).replace("−", "-")) == pytest.approx(tick, abs=made.step / 1e6)


@pytest.mark.parametrize(("value", "text"), [(-0.04, "0.0"), (-1.25, "−1.2"), (3, "3.0"), (math.inf, "inf")], ids=str)
def test_numbers(value, text):
    assert number(value, 1) == text


@given(st.lists(st.tuples(VALUES, VALUES, st.floats(-20, 20)), min_size=1, max_size=6))
def test_points_stand_where_their_numbers_say(numbers):
    points = [Point(f"p{place}", *three) for place, three in enumerate(numbers)]
    root = parsed(scatter(points, "across", "up", "change"))
    across = scale([point.x for point in points], 76, 596, around=(0.0,))
    upward = scale([point.y for point in points], 440, 20, around=(0.0,))
    for point, drawn in zip(points, group(root, "point"), strict=True):
        x, y = middle(drawn[1])
        assert x == pytest.approx(across.at(point.x), abs=0.2)
        assert y == pytest.approx(upward.at(point.y), abs=1.5)  # the middle of a triangle's box is not its own


def test_ticks_and_points_share_a_scale():
    root = parsed(scatter([Point("a", 0.1, 0.2, 1.0), Point("b", -0.3, 0.0, -1.0)], "x", "y", "z"))
    ticks = {
        float((text.text or "").replace("−", "-")): float(text.get("x", ""))
        for text in root.iter(f"{SVG}text")
        if text.get("y") == "458" and re.fullmatch(r"−?[\d.]+", text.text or "")
    }
    (low, at_low), (high, at_high) = min(ticks.items()), max(ticks.items())
    for point, value in zip(group(root, "point"), (0.1, -0.3), strict=True):
        assert middle(point[1])[0] == pytest.approx(at_low + (value - low) / (high - low) * (at_high - at_low), abs=0.3)


def test_a_gain_points_up_a_loss_down_and_zero_is_round():
    points = [Point("gain", 0, 0, 2.0), Point("loss", 1, 1, -2.0), Point("zero", 2, 2, 0.0), Point("tiny", 3, 3, 0.04)]
    marks = [drawn[1] for drawn in group(parsed(scatter(points, "x", "y", "z")), "point")]

    def corner_at_top(mark):
        ys = [float(corner.split(",")[1]) for corner in mark.get("points").split()]
        return ys.count(min(ys)) == 1

    assert corner_at_top(marks[0]) and not corner_at_top(marks[1])
    assert [mark.tag for mark in marks[2:]] == [f"{SVG}circle"] * 2
    assert marks[2].get("fill") == "#ffffff" and len({mark.get("fill") for mark in marks[:3]}) == 3


def test_the_scale_of_colours_grows_darker_both_ways():
    def grey(share):
        red, green, blue = (int(diverging(share)[start : start + 2], 16) for start in (1, 3, 5))
        return 0.2126 * red + 0.7152 * green + 0.0722 * blue

    assert diverging(0) == "#ffffff" and diverging(5) == diverging(1)
    for way in (-1, 1):
        assert all(grey(way * step / 10) > grey(way * (step + 1) / 10) for step in range(10))
    assert int(diverging(1)[5:], 16) > int(diverging(1)[1:3], 16)  # blue
    assert int(diverging(-1)[5:], 16) < int(diverging(-1)[1:3], 16)  # orange


def test_names_of_the_papers_treebanks_hide_nothing():
    root = parsed(scatter(POINTS, "DLM(T) - DLM(T')", "Entropy(T) - Entropy(T')", "UAS"))
    assert texts(root, "name") == [point.name for point in POINTS]
    for one, two in combinations(boxes(root), 2):
        assert shared_area(one, two) == 0
    for box in boxes(root):
        assert 76 <= box[0] and box[2] <= 596
        for drawn in group(root, "point"):
            x, y = middle(drawn[1])
            assert shared_area(box, (x - 5, y - 5, x + 5, y + 5)) == 0


def test_what_has_no_value_is_named():
    root = parsed(scatter([*POINTS, Point("Greek", math.nan, 0, 1), Point("Gothic", 0, 0, math.inf)], "x", "y", "z"))
    assert len(group(root, "point")) == len(POINTS)
    assert "without a value: Greek, Gothic" in texts(root) and "Greek, Gothic" in (root[1].text or "")
    rows = intervals([Interval("known", 1, 0, 2), Interval("not known", math.nan, 0, 1)], "x")
    assert "n/a" in texts(parsed(rows)) and len(group(parsed(rows), "interval")) == 1


@pytest.mark.parametrize("svg", [scatter([], "x", "y", "z"), lines([], "x", "y"), intervals([], "x")])
def test_figures_of_nothing_are_figures(svg):
    assert "nan" not in svg and parsed(svg) is not None


def hostile_figures() -> list[str]:
    points = [Point(text, place, place, place - 4) for place, text in enumerate(HOSTILE)]
    series = [Series(text, [0, 1], [[place], [place + 1, place + 2]]) for place, text in enumerate(HOSTILE)]
    rows = [Interval(text, place, place - 4, place + 1) for place, text in enumerate(HOSTILE)]
    return [scatter(points, *HOSTILE[:3]), lines(series, *HOSTILE[:2]), intervals(rows, HOSTILE[0])]


def test_all_text_is_escaped_and_the_bytes_are_the_same():
    assert hostile_figures() == hostile_figures()
    for svg in hostile_figures():
        root = parsed(svg)
        assert sorted(texts(root, "name")) == sorted(legible(one_line(text)) for text in HOSTILE)
        assert {one.tag.removeprefix(SVG) for one in root.iter()} <= {
            *("svg", "title", "desc", "rect", "line", "text", "g", "circle", "polygon", "polyline")
        }
        assert not [name for one in root.iter() for name in one.keys() if name in ("id", "style", "href")]


@given(st.lists(st.lists(st.floats(50, 100), min_size=1, max_size=4), min_size=1, max_size=5))
def test_lines_show_means_and_ranges(values):
    xs = [place / 4 for place in range(len(values))]
    root = parsed(lines([Series("a", xs, values)], "p", "UAS"))
    flat = [value for runs in values for value in runs]
    upward = scale([min(flat), max(flat)], 380, 20)
    for runs, spot in zip(values, group(root, "mean"), strict=True):
        mean = sum(runs) / len(runs)
        assert number(mean, 2) in (spot[0].text or "")
        assert middle(spot[-1])[1] == pytest.approx(upward.at(mean), abs=0.2)
        whiskers = spot[1:-1]
        assert len(whiskers) == (3 if min(runs) < max(runs) else 0)
        if len(whiskers):
            ends = sorted(float(whiskers[0].get(name, "")) for name in ("y1", "y2"))
            assert ends == pytest.approx([upward.at(max(runs)), upward.at(min(runs))], abs=0.11)


def test_lines_leave_out_runs_without_a_value_and_say_so():
    root = parsed(
        lines([Series("a", [0, 1], [[80.0, math.nan], [math.nan]]), Series("b", [1, 0], [[1], [2]])], "p", "UAS")
    )
    first, second = (line.findall(f"{SVG}g") for line in group(root, "line"))
    assert len(first) == 1 and len(second) == 2
    assert "without a value: a (2 runs)" in texts(root)
    ends = [tuple(map(float, end.split(","))) for end in group(root, "line")[1][0].get("points", "").split()]
    assert ends == sorted(ends)  # from left to right, whatever the order they come in


def test_lines_can_be_told_apart_without_colour():
    series = [Series(f"s{place}", [0, 1], [[place], [place]]) for place in range(30)]
    root = parsed(lines(series, "p", "UAS"))
    looks = set()
    for line in group(root, "line"):
        mark = line.findall(f"{SVG}g")[0][-1]
        corners = len(mark.get("points", "").split())
        turned = [round(float(c.split(",")[1]) - middle(mark)[1]) for c in mark.get("points", "").split()]
        looks.add((line[0].get("stroke-dasharray"), mark.tag, corners, tuple(turned)))
    assert len(looks) == 30
    tops = sorted(box[1] for box in boxes(root))
    assert all(later - earlier >= 12 for earlier, later in zip(tops, tops[1:], strict=False))
    assert len(set(COLOURS)) == len(COLOURS)


def test_an_interval_that_holds_zero_has_an_open_dot():
    rows = [Interval("above", 2, 1, 3), Interval("around", 0.5, -1, 2), Interval("below", -2, -3, -0.1)]
    root = parsed(intervals(rows, "points of UAS"))
    fills = [next(drawn.iter(f"{SVG}circle")).get("fill") for drawn in group(root, "interval")]
    assert fills[1] == "#ffffff" and fills[0] == fills[2] != "#ffffff"
    across = scale([end for row in rows for end in (row.low, row.value, row.high)], *field(root), around=(0.0,))
    for row, drawn in zip(rows, group(root, "interval"), strict=True):
        assert middle(next(drawn.iter(f"{SVG}circle")))[0] == pytest.approx(across.at(row.value), abs=0.2)
        line = drawn[1]
        assert [float(line.get(name, "")) for name in ("x1", "x2")] == [across.at(row.low), across.at(row.high)]
    assert "2.00 [1.00, 3.00]" in texts(root) and texts(root, "name") == ["above", "around", "below"]


def field(root: ElementTree.Element) -> tuple[float, float]:
    """Left and right of the frame."""
    frame = next(one for one in root.iter(f"{SVG}rect") if one.get("fill") == "none")
    left = float(frame.get("x", ""))
    return left, left + float(frame.get("width", ""))
