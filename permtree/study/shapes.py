"""What values of cells and rows of tables look like. All that is read back is held against it, whoever wrote it."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any

from ..evaluation.scores import SCORES
from ..folders import parse_json
from .definition import PARTS
from .preparing import COUNTS

KINDS = ("permute", "measure", "train", "predict", "evaluate")
Shape = Callable[[Any], bool]


def text(value: Any) -> bool:
    """A string."""
    return isinstance(value, str)


def whole(value: Any) -> bool:
    """A whole number from 0 on, of those that fit into a column of a table."""
    return type(value) is int and 0 <= value < 2**63


def number(value: Any) -> bool:
    """A number that is finite."""
    return type(value) in (int, float) and math.isfinite(value)


def settings(value: Any) -> bool:
    """A JSON object, as a string."""
    try:
        return isinstance(value, str) and isinstance(parse_json(value.encode("utf-8")), dict)
    except ValueError:
        return False


def one_of(*values: str) -> Shape:
    """One of these strings."""
    return lambda value: isinstance(value, str) and value in values


def maybe(shape: Shape) -> Shape:
    """Of a shape, or nothing (None)."""
    return lambda value: value is None or shape(value)


def listed(*shapes: Shape) -> Shape:
    """A list with one item of each shape."""
    return lambda value: isinstance(value, list) and len(value) == len(shapes) and all(map(_fits, shapes, value))


def texts(value: Any) -> bool:
    """A list of strings."""
    return isinstance(value, list) and all(map(text, value))


def by_name(shape: Shape) -> Shape:
    """An object whose values are all of a shape."""
    return lambda value: isinstance(value, dict) and all(map(shape, value.values()))


def with_keys(shapes: Mapping[str, Shape]) -> Shape:
    """An object with these keys, each of its shape, and no others."""
    return lambda value: (
        isinstance(value, dict)
        and value.keys() == shapes.keys()
        and all(shape(value[key]) for key, shape in shapes.items())
    )


def _fits(shape: Shape, value: Any) -> bool:
    return shape(value)


# -- cells -----------------------------------------------------------------------------------------------------------

_COUNTS = ("sentences", "words")
_MEASURED = {"left_out": by_name(whole), "removed": by_name(whole)}
_PART = {**dict.fromkeys((*_COUNTS, *COUNTS), whole), **_MEASURED, "report": texts}
_VALUES: Mapping[str, Shape] = {
    "permute": with_keys({"signature": text, "parts": by_name(with_keys(_PART))}),
    "measure": with_keys(
        {
            "measures": by_name(listed(maybe(number), text)),
            **dict.fromkeys((*_COUNTS, "kept_sentences", "kept_words"), whole),
            **_MEASURED,
        }
    ),
    "train": with_keys({}),
    "predict": with_keys({}),
    "evaluate": with_keys(
        {
            "scores": with_keys(dict.fromkeys(SCORES, listed(maybe(number), whole, whole, text))),
            **dict.fromkeys((*_COUNTS, "without_head", "not_trees"), whole),
        }
    ),
}


def is_value(kind: str, value: Any, parameters: Mapping[str, Any]) -> bool:
    """Whether something can be the value of a cell of a kind with these parameters."""
    if not _VALUES[kind](value):
        return False
    if kind == "measure":
        return set(parameters["measures"]) <= value["measures"].keys()
    return kind != "permute" or bool(value["parts"]) and value["parts"].keys() <= set(PARTS)


# -- tables ----------------------------------------------------------------------------------------------------------

_OF_ORDER = {"treebank": text, "word_order": text}
_OF_RUN = {**_OF_ORDER, "parser": text, "seed": whole}
TABLES: Mapping[str, Mapping[str, Shape]] = {
    "study": dict.fromkeys(("name", "question", "signature", "baseline", "text"), text),
    "treebanks": {
        "treebank": text, "language": text, "paper": text, "absent": maybe(text), "parts": text, "note": text
    },
    "orders": {
        "word_order": text, "mode": text, "options": settings, "seed": whole, "family": text, "dial": maybe(number)
    },
    "parsers": {"parser": text, "kind": text, "config": settings, "device": text},
    "seeds": {"seed": whole},
    "pairs": {"a": text, "b": text},
    "cells": {
        "kind": one_of(*KINDS), **_OF_ORDER, "parser": maybe(text), "seed": maybe(whole), "key": text,
        "folder": maybe(text),
    },
    "parts": {**_OF_ORDER, "part": one_of(*PARTS), "sentences": whole, "words": whole, **dict.fromkeys(COUNTS, whole),
              "report": text},
    "properties": {**_OF_ORDER, "measure": text, "value": maybe(number), "signature": text},
    "scores": {
        **_OF_RUN, "score": one_of(*SCORES), "value": maybe(number), "right": whole, "of": whole, "signature": text
    },
    "contents": {"name": text, "rows": whole, "digest": text},
}  # fmt: skip
CONTENTS = "contents"  # of all other tables: how many rows, and a digest of them
