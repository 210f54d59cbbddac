"""How a treebank is taken apart into groups of sentences or of arcs, each of which is measured by itself."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..treebank import Treebank
from ..treebank.arc_types import text_placement
from ..types import Ints

DEFAULT_MEASURES = ("mean_sentence_length", "dlm_ratio", "arc_direction_entropy")
Groups = tuple[list[Any], Ints]  # labels, and the place in them of each sentence [S], or of each word [N] (of its arc)


@dataclass(frozen=True)
class Grouping:
    """A way to take a treebank apart.

    groups: of a treebank, the name of its file, and the number of sentences read before it. what: it groups by.
    default: measures where none is named. of_arcs: arcs are grouped, so that a sentence may be of several groups.
    order: the sort key of (label, size, values by measure); None: groups stay in the order of their first appearance.
    """

    groups: Callable[[Treebank, str, int], Groups]
    what: str = ""
    default: tuple[str, ...] = DEFAULT_MEASURES
    of_arcs: bool = False
    order: Callable[[tuple[Any, int, Any]], Any] | None = None


def _together(treebank: Treebank, file: str, before: int) -> Groups:
    return [""], np.zeros(treebank.n_sentences, np.int64)


def _by_file(treebank: Treebank, file: str, before: int) -> Groups:
    return [file], np.zeros(treebank.n_sentences, np.int64)


def _by_sentence(treebank: Treebank, file: str, before: int) -> Groups:
    numbers = (before + treebank.numbers).tolist()
    return list(zip(numbers, treebank.sent_ids, strict=True)), np.arange(treebank.n_sentences)


def _by_length(treebank: Treebank, file: str, before: int) -> Groups:
    lengths, code = np.unique(treebank.sentence_length, return_inverse=True)
    return lengths.tolist(), code


def _by_deprel(treebank: Treebank, file: str, before: int) -> Groups:
    return treebank.deprel.vocabulary, treebank.deprel.codes


def _by_displacement(treebank: Treebank, file: str, before: int) -> Groups:
    values, code = np.unique(text_placement(treebank), return_inverse=True)
    return values.tolist(), code


TOGETHER = Grouping(_together)
GROUPINGS = {
    "sentence": Grouping(_by_sentence, "sentence"),
    "deprel": Grouping(
        _by_deprel,
        "relation",
        ("mdd", "head_final", "arc_direction_entropy"),
        of_arcs=True,
        order=lambda group: (-group[1], group[0]),
    ),
    "length": Grouping(_by_length, "length", order=lambda group: group[0]),
    "file": Grouping(_by_file, "file"),
    "displacement": Grouping(_by_displacement, "displacement", (), of_arcs=True, order=lambda group: group[0]),
}
