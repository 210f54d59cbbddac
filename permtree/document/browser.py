"""Minimal pairs as data that the script of a page draws."""

from __future__ import annotations

import json
import math
from typing import Any

from ..pictures.grid import legible
from .document import PairedWord, PairOfSentences

_HEAD_RIGHT, _LABEL_RIGHT, _COUNTED = 1, 2, 4  # flags of a word on a side, as the page knows them
_SIDES = ("a", "b")


def embedded(pairs: list[PairOfSentences]) -> str:
    """All pairs as JSON that can stand in a script element of a page: no `<`, no line separators, no nan.

    Labels, tags and relations are numbers in lists of their own. Of a sentence: l label, i sent_id, d dependency
    lengths, u UAS, s LAS, n original numbers, f forms, t tags, r relations; of each side (a, b): p places, h heads,
    x predicted heads, q predicted relations, e flags (1 head right, 2 relation right, 4 counted).
    """
    labels, tags, relations = _Numbers(), _Numbers(), _Numbers()
    data = [
        {
            "l": labels[pair.label, pair.sides[0], pair.sides[1]],
            "i": legible(pair.sent_id),
            "d": pair.lengths,
            "u": [_or_null(score) for score in pair.uas],
            "s": [_or_null(score) for score in pair.las],
            "n": [word.number for word in pair.words],
            "f": [legible(word.form) for word in pair.words],
            "t": [tags[word.upos] for word in pair.words],
            "r": [relations[word.deprel] for word in pair.words],
            **{name: _side(pair.words, side, relations) for side, name in enumerate(_SIDES)},
        }
        for pair in pairs
    ]
    shown_labels = [[legible(part) for part in label] for label in labels]
    page = {"labels": shown_labels, "tags": list(map(legible, tags)), "relations": list(map(legible, relations))}
    text = json.dumps({**page, "pairs": data}, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    for character in "<>&\u2028\u2029":
        text = text.replace(character, f"\\u{ord(character):04x}")
    return text


def _side(words: list[PairedWord], side: int, relations: _Numbers) -> dict[str, list[int]]:
    return {
        "p": [word.places[side] for word in words],
        "h": [word.heads[side] for word in words],
        "x": [word.predicted_heads[side] for word in words],
        "q": [relations[word.predicted_deprels[side]] for word in words],
        "e": [
            _HEAD_RIGHT * word.heads_right[side] | _LABEL_RIGHT * word.labels_right[side] | _COUNTED * word.counted
            for word in words
        ],
    }


def _or_null(score: float) -> float | None:
    return None if math.isnan(score) else score


class _Numbers(dict[Any, int]):
    """Numbers of keys in the order in which they are first asked for."""

    def __missing__(self, key: Any) -> int:
        self[key] = len(self)
        return self[key]
