"""Arcs of minimal pairs apart by what they are: scores by group, relations that are confused, one-word dependents."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..evaluation.scores import percent
from ..types import Columns, Ints, Mask
from .pairs import Pairs

SIDES, SCORES = ("a", "b"), ("uas", "las")
# The least length of each bin, words
BINS: dict[str, Sequence[int]] = {"arc length": (1, 2, 3, 4, 5, 6, 11, 21), "sentence length": (1, 6, 11, 21, 31, 41)}


@dataclass(frozen=True)
class Group:
    """The arcs of a group on each side, and their scores in percent (nan without arcs), b less a in d_uas and d_las."""

    label: str
    arcs_a: int
    arcs_b: int
    uas_a: float
    uas_b: float
    d_uas: float
    las_a: float
    las_b: float
    d_las: float


@dataclass(frozen=True)
class Confusion:
    """A gold relation, another one that was predicted, the words of each side to which that happened, and b less a."""

    gold: str
    predicted: str
    words_a: int
    words_b: int
    difference: int


@dataclass(frozen=True)
class OneWord:
    """One-word dependents that stand `place` ("before", "after") their head: how many on each side, and with what share
    of wrong heads and of wrong relations, in percent."""

    place: str
    words_a: int
    words_b: int
    wrong_heads_a: float
    wrong_heads_b: float
    wrong_labels_a: float
    wrong_labels_b: float


# -- groups of arcs ----------------------------------------------------------------------------------------------------


def groups_of(
    pairs: Pairs, right: dict[str, Mask], relations: Relations, bins: Mapping[str, Sequence[int]]
) -> dict[str, list[Group]]:
    """Arcs that count, apart by relation (gold), arc length and direction (each side by its own), sentence length.

    right: words that count and are right, by "uas_a" ..., bool [N] each. bins: the least length of each bin.
    """
    arcs = pairs.arcs
    by_relation = _groups(pairs, right, relations.names, relations.gold, relations.gold)
    directions = ["root", "left", "right"]
    direction = [_numbered(arcs[f"direction_{side}"], directions) for side in SIDES]
    lengths = [_binned(arcs[f"length_{side}"], bins["arc length"]) for side in SIDES]
    words = _binned(pairs.sentences["words"][arcs["sentence"]], bins["sentence length"])
    return {
        "relation": sorted(by_relation, key=lambda group: (-group.arcs_a, group.label)),
        "arc length": _groups(pairs, right, ["root", *_labels(bins["arc length"])], *lengths),
        "direction": _groups(pairs, right, directions, *direction),
        "sentence length": _groups(pairs, right, ["0", *_labels(bins["sentence length"])], words, words),
    }


def _numbered(texts: Any, known: list[str]) -> Ints:
    """Which of the known texts each is, int64 [N]."""
    numbers = np.zeros(len(texts), np.int64)
    for number, text in enumerate(known):
        numbers[texts == text] = number
    return numbers


def _binned(lengths: Ints, least: Sequence[int]) -> Ints:
    """The bin of each length, from 1; 0 for length 0."""
    return np.searchsorted(np.asarray(least), lengths, "right")


def _labels(least: Sequence[int]) -> list[str]:
    """What bins are called: 1, 2-5, 6+."""
    last = [following - 1 for following in least[1:]]
    named = [str(low) if low == high else f"{low}-{high}" for low, high in zip(least, last, strict=False)]
    return [*named, f"{least[-1]}+"]


def _groups(pairs: Pairs, right: dict[str, Mask], labels: list[str], a: Ints, b: Ints) -> list[Group]:
    """Groups that have arcs; a, b: int64 [N], the label of each word's arc on either side."""
    counted = pairs.arcs["counted"]
    size, scores = {}, {}
    for side, number in (("a", a), ("b", b)):
        size[side] = np.bincount(number[counted], minlength=len(labels)).tolist()
        for score in SCORES:
            name = f"{score}_{side}"
            found = np.bincount(number[right[name]], minlength=len(labels)).tolist()
            scores[name] = [percent(part, whole) for part, whole in zip(found, size[side], strict=True)]
    groups = []
    for i, label in enumerate(labels):
        if size["a"][i] or size["b"][i]:
            own = {name: values[i] for name, values in scores.items()}
            own |= {f"d_{score}": own[f"{score}_b"] - own[f"{score}_a"] for score in SCORES}
            groups.append(Group(label=label, arcs_a=size["a"][i], arcs_b=size["b"][i], **own))
    return groups


# -- relations that are confused ---------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Relations:
    """Relations as the convention compares them, sorted, and the number of each word's: int64 [N].

    gold; predicted: by side, "a" and "b".
    """

    names: list[str]
    gold: Ints
    predicted: dict[str, Ints]


def relations_of(pairs: Pairs) -> Relations:
    """The relations of all arcs."""
    columns = [pairs.arcs[name].tolist() for name in ("deprel", "predicted_deprel_a", "predicted_deprel_b")]
    full = sorted(set().union(*columns))
    shown = [name.split(":")[0] for name in full] if pairs.convention == "conll18" else full
    names = sorted(set(shown))
    number = {name: i for i, name in enumerate(names)}
    code = {name: number[own] for name, own in zip(full, shown, strict=True)}
    gold, a, b = (np.fromiter(map(code.__getitem__, column), np.int64, len(column)) for column in columns)
    return Relations(names, gold, {"a": a, "b": b})


def confusions(pairs: Pairs, relations: Relations, words: Mask) -> list[Confusion]:
    """Pairs of different gold and predicted relations of some words, bool [N]; the largest difference first."""
    width = max(len(relations.names), 1)
    counts: list[dict[int, int]] = []
    for side in SIDES:
        wrong = words & ~pairs.arcs[f"label_right_{side}"]
        numbers, found = np.unique(relations.gold[wrong] * width + relations.predicted[side][wrong], return_counts=True)
        counts.append(dict(zip(numbers.tolist(), found.tolist(), strict=True)))
    rows = []
    for pair in {**counts[0], **counts[1]}:
        first, second = (own.get(pair, 0) for own in counts)
        gold, predicted = relations.names[pair // width], relations.names[pair % width]
        rows.append(Confusion(gold, predicted, first, second, second - first))
    return sorted(rows, key=lambda row: (-abs(row.difference), -row.words_a - row.words_b, row.gold, row.predicted))


def one_word_dependents(arcs: Columns) -> Mask:
    """Words that count, have no dependents, and share their head with another such word; bool [N]."""
    alone = arcs["leaf"] & arcs["counted"] & (arcs["head_orig"] > 0)
    rows = np.flatnonzero(alone)
    width = int(arcs["head_orig"].max(initial=0)) + 1
    heads, number = np.unique(arcs["sentence"][rows] * width + arcs["head_orig"][rows], return_inverse=True)
    several = np.bincount(number, minlength=len(heads)) > 1
    result = np.zeros(len(alone), bool)
    result[rows] = several[number]
    return result


def standing(arcs: Columns, together: Mask, place: str) -> OneWord:
    """Of the one-word dependents, those that stand before or after their head on each side."""
    values: dict[str, Any] = {}
    for side in SIDES:
        own = together & (arcs[f"direction_{side}"] == {"before": "left", "after": "right"}[place])
        count = int(own.sum())
        values[f"words_{side}"] = count
        for what, column in (("heads", "head_right"), ("labels", "label_right")):
            values[f"wrong_{what}_{side}"] = percent(int((own & ~arcs[f"{column}_{side}"]).sum()), count)
    return OneWord(place, **values)
