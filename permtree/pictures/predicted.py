"""Pictures of a gold sentence and its prediction, one under the other, with the errors marked."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from ..kernels.trees import NO_HEAD, ROOT, Trees
from ..types import Ints
from .picture import OTHER_HEAD, OTHER_RELATION, Join, Picture, Sentence, Word

_NO_TREE = -1  # of a predicted head


def predicted(name: str, sent_id: str, number: int, words: Mapping[str, Any]) -> Picture:
    """Gold above, prediction below.

    name: of what is shown, for captions; number: of the sentence, from 1. words: columns [n] in any order: position
    (from 1), form, upos, head and deprel, predicted_head (-1: none) and predicted_deprel, head_right and label_right,
    by which errors are marked.
    """
    order = np.argsort(words["position"])
    columns = {column: np.asarray(values)[order] for column, values in words.items()}
    gold = _sentence(f"{name} (gold)", sent_id, number, columns, "head", "deprel")
    other = _sentence(f"{name} (predicted)", sent_id, number, columns, "predicted_head", "predicted_deprel")
    joins = []
    for one, two, head_right, label_right in zip(
        gold.words, other.words, columns["head_right"].tolist(), columns["label_right"].tolist(), strict=True
    ):
        mark = OTHER_HEAD if not head_right else "" if label_right else OTHER_RELATION
        sides = [word.head > word.number for word in (one, two) if word.head]
        joins.append(Join(one.number, one.number, 0, False, mark, len(sides) == 2 and sides[0] != sides[1]))
    return Picture(gold, other, tuple(joins))


def _sentence(source: str, sent_id: str, number: int, columns: dict[str, Any], head: str, deprel: str) -> Sentence:
    heads: Ints = columns[head]
    rows = np.where(heads > 0, heads - 1, np.where(heads == 0, ROOT, NO_HEAD))
    trees = Trees(np.array([0, len(rows)]), rows)
    whole = bool((trees.depth >= 0).all())
    crossing = frozenset((np.flatnonzero(trees.nonprojective) + 1).tolist()) if whole else None
    listed = zip(*(columns[name].tolist() for name in ("form", "upos", head, deprel)), strict=True)
    words = [
        Word(place, form, upos, None if own == _NO_TREE else own, relation)
        for place, (form, upos, own, relation) in enumerate(listed, 1)
    ]
    return Sentence(source, sent_id, number, tuple(words), tuple(trees.depth.tolist()), crossing)
