"""Where the names of points go, so that they hide neither each other nor the points."""

from __future__ import annotations

import numpy as np

from ..types import Floats
from .axes import SIZE, width

_ROUNDS = 6
_NEAR, _STEPS = 9.0, (0.0, 9.0, 20.0, 34.0, 50.0, 70.0)  # pixels from a point to its name
_SIDES = [(1.0, 0.0), (-1.0, 0.0), (0.0, -1.0), (0.0, 1.0), (1.0, -1.0), (1.0, 1.0), (-1.0, -1.0), (-1.0, 1.0)]


def placed(points: list[tuple[float, float]], names: list[str], field: tuple[float, float, float, float]) -> Floats:
    """The box of each name, [n, 4]: left, top, right, bottom, in pixels. field: the box that they should stay in.

    Each name takes the place that hides least while the others stay, for a few rounds; near places come first.
    """
    marks = np.array([[x - 6, y - 6, x + 6, y + 6] for x, y in points]).reshape(-1, 4)
    choices = [_choices(x, y, width(name)) for (x, y), name in zip(points, names, strict=True)]
    boxes = np.array([choice[0] for choice in choices]).reshape(-1, 4)
    prices = [_outside(choice, field) * 50 + np.repeat(range(len(_STEPS)), len(_SIDES)) * 6 for choice in choices]
    order = np.tile(np.arange(len(_SIDES)) * 0.5, len(_STEPS))
    for _ in range(_ROUNDS):
        before = boxes.copy()
        for number, choice in enumerate(choices):
            others = np.arange(len(points)) != number
            hidden = _overlap(choice, boxes[others]) + _overlap(choice, marks)
            boxes[number] = choice[np.argmin(hidden + prices[number] + order)]
        if np.array_equal(before, boxes):
            break
    return boxes


def _choices(x: float, y: float, wide: float) -> Floats:
    """Boxes around a point [choices, 4], from near to far."""
    high = SIZE + 2.0
    result = []
    for step in _STEPS:
        for right, down in _SIDES:
            far = _NEAR + step if not (right and down) else (_NEAR - 3 + step)
            left = x + right * far - (wide / 2 if not right else wide if right < 0 else 0)
            top = y + down * (far + (0 if right else high / 2)) - high / 2
            result.append([left, top, left + wide, top + high])
    return np.array(result)


def _outside(boxes: Floats, field: tuple[float, float, float, float]) -> Floats:
    """Pixels that boxes stand out of the field, [choices]."""
    left, top, right, bottom = field
    sides = [left - boxes[:, 0], top - boxes[:, 1], boxes[:, 2] - right, boxes[:, 3] - bottom]
    return np.sum(np.maximum(sides, 0), axis=0)


def _overlap(boxes: Floats, others: Floats) -> Floats:
    """Area that each box shares with all others together, [choices]."""
    wide = np.minimum(boxes[:, None, 2], others[:, 2]) - np.maximum(boxes[:, None, 0], others[:, 0])
    high = np.minimum(boxes[:, None, 3], others[:, 3]) - np.maximum(boxes[:, None, 1], others[:, 1])
    return (np.maximum(wide, 0) * np.maximum(high, 0)).sum(axis=1)
