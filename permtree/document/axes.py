"""What all figures share: round ticks, the frame with its labels, text, and how wide a text is."""

from __future__ import annotations

import math
from dataclasses import dataclass
from xml.etree import ElementTree
from xml.etree.ElementTree import Element, SubElement

from ..pictures.grid import columns, legible

FONTS = "system-ui, -apple-system, 'Segoe UI', 'Noto Sans', 'DejaVu Sans', Arial, sans-serif"
INK, GREY, PALE, WHITE = "#1a1a1a", "#555555", "#dddddd", "#ffffff"
SIZE = 12  # of text, in pixels
_CHARACTER = 0.61  # of the size; the widest usual sans-serif fonts take so much on average
_STEPS = (1, 2, 5, 10)


@dataclass(frozen=True)
class Scale:
    """From values between `low` and `high` to pixels between `start` and `end`, with ticks at round numbers."""

    low: float
    high: float
    start: float
    end: float
    step: float

    def at(self, value: float) -> float:
        """The place of a value, in pixels, to a tenth."""
        share = (value - self.low) / (self.high - self.low)
        return round(self.start + share * (self.end - self.start), 1)

    @property
    def ticks(self) -> list[float]:
        """Whole multiples of the step between low and high."""
        first, last = math.ceil(self.low / self.step - 1e-9), math.floor(self.high / self.step + 1e-9)
        return [number * self.step for number in range(first, last + 1)]

    def text(self, value: float) -> str:
        """A tick's value with as many decimals as the step needs."""
        return number(value, max(0, -math.floor(math.log10(self.step) + 1e-9)))


def scale(values: list[float], start: float, end: float, ticks: int = 6, around: tuple[float, ...] = ()) -> Scale:
    """A scale that holds all values with some air around them. ticks: about how many; around: more to be held."""
    held = [*values, *around] or [0.0]
    low, high = min(held), max(held)
    if high - low < 1e-9 * max(1.0, abs(low)):
        low, high = low - 1, high + 1
    air = (high - low) * 0.06
    low, high = low - air, high + air
    rough = (high - low) / ticks
    power = 10.0 ** math.floor(math.log10(rough))
    step = power * next(step for step in _STEPS if step * power >= rough * (1 - 1e-9))
    return Scale(low, high, start, end, step)


def number(value: float, decimals: int, sign: bool = False) -> str:
    """A number with a true minus sign; zero has no sign. sign: also a plus."""
    text = f"{abs(value):.{decimals}f}"
    if not text.strip("0."):
        return text
    return ("−" if value < 0 else "+" if sign else "") + text


def width(text: str, size: float = SIZE) -> float:
    """About how wide a text is, in pixels."""
    return columns(text) * _CHARACTER * size


def canvas(wide: float, high: float, title: str, description: str) -> Element:
    """An empty picture on white, with its name and description for those who can't see it."""
    size = {"viewBox": f"0 0 {wide:g} {high:g}", "width": f"{wide:g}", "height": f"{high:g}"}
    root = Element("svg", {"xmlns": "http://www.w3.org/2000/svg", "role": "img", "font-family": FONTS, **size})
    SubElement(root, "title").text = legible(title)
    SubElement(root, "desc").text = legible(description)
    SubElement(root, "rect", {"width": f"{wide:g}", "height": f"{high:g}", "fill": WHITE})
    return root


def written(root: Element) -> str:
    """The SVG as text, the same bytes for the same picture."""
    ElementTree.indent(root, " ")
    return ElementTree.tostring(root, encoding="unicode") + "\n"


def text(parent: Element, words: str, x: float, y: float, anchor: str = "middle", **look: str) -> Element:
    """A text whose small letters are centred on the height `y`. look: SVG attributes, with `_` for `-`."""
    attributes = {
        "font-size": str(SIZE),
        "fill": INK,
        **{name.replace("_", "-"): value for name, value in look.items()},
    }
    size = float(attributes["font-size"])
    place = {"x": f"{x:g}", "y": f"{round(y + size * 0.33, 1):g}", "text-anchor": anchor}
    element = SubElement(parent, "text", {**place, **attributes})
    element.text = legible(" ".join(words.split()))
    return element


def line(
    parent: Element, ends: tuple[float, float, float, float], colour: str, thick: float = 1.0, dash: str = ""
) -> None:
    """A straight line. ends: x and y of its start, x and y of its end."""
    attributes = {name: f"{round(end, 1):g}" for name, end in zip(("x1", "y1", "x2", "y2"), ends, strict=True)}
    attributes |= {"stroke": colour, "stroke-width": f"{thick:g}"}
    SubElement(parent, "line", attributes | ({"stroke-dasharray": dash} if dash else {}))


def horizontal_axis(parent: Element, scale: Scale, top: float, bottom: float, label: str) -> None:
    """Ticks, pale lines, their numbers and the label below."""
    for tick in scale.ticks:
        x = scale.at(tick)
        line(parent, (x, top, x, bottom), PALE)
        line(parent, (x, bottom, x, bottom + 4), GREY)
        text(parent, scale.text(tick), x, bottom + 14)
    text(parent, label, (scale.start + scale.end) / 2, bottom + 36, font_size="13")


def vertical_axis(parent: Element, scale: Scale, left: float, right: float, label: str) -> None:
    """Ticks, pale lines, their numbers and the label at the left, upright."""
    for tick in scale.ticks:
        y = scale.at(tick)
        line(parent, (left, y, right, y), PALE)
        line(parent, (left - 4, y, left, y), GREY)
        text(parent, scale.text(tick), left - 8, y, anchor="end")
    x, middle = left - 48, (scale.start + scale.end) / 2
    text(parent, label, x, middle, font_size="13", transform=f"rotate(-90 {x:g} {middle:g})")


def frame(parent: Element, left: float, top: float, right: float, bottom: float) -> None:
    """The rectangle around the field of a figure."""
    place = {"x": f"{left:g}", "y": f"{top:g}", "width": f"{right - left:g}", "height": f"{bottom - top:g}"}
    SubElement(parent, "rect", {**place, "fill": "none", "stroke": GREY, "stroke-width": "1"})
