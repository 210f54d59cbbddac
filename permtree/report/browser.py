"""Minimal pairs to look at: from joined predictions to what the page draws."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..document.document import PairedWord, PairOfSentences
from ..pairing.pairs import Pairs


def pair_of_sentences(pairs: Pairs, sentence: int, label: str) -> PairOfSentences:
    """One minimal pair, to be drawn. sentence: a row of `pairs.sentences`, from 0; label: which pair of runs it is of.

    Raises IndexError for a row that is not there.
    """
    own = pairs.sentences
    if not 0 <= sentence < len(own["sent_id"]):
        raise IndexError(f"sentence {sentence} of {len(own['sent_id'])}")
    start, end = np.searchsorted(np.asarray(pairs.arcs["sentence"]), [sentence, sentence + 1])
    columns = {name: list(column[int(start) : int(end)]) for name, column in pairs.arcs.items()}
    words = [_word({name: column[row] for name, column in columns.items()}) for row in range(int(end - start))]
    return PairOfSentences(
        label,
        str(own["sent_id"][sentence]),
        (pairs.names[0], pairs.names[1]),
        (int(own["dl_a"][sentence]), int(own["dl_b"][sentence])),
        (float(own["uas_a"][sentence]), float(own["uas_b"][sentence])),
        (float(own["las_a"][sentence]), float(own["las_b"][sentence])),
        words,
    )


def _word(arc: dict[str, Any]) -> PairedWord:
    def both(name: str) -> tuple[Any, Any]:
        return arc[f"{name}_a"], arc[f"{name}_b"]

    def numbers(name: str) -> tuple[int, int]:
        a, b = both(name)
        return int(a), int(b)

    def truths(name: str) -> tuple[bool, bool]:
        a, b = both(name)
        return bool(a), bool(b)

    predicted_a, predicted_b = both("predicted_deprel")
    return PairedWord(
        int(arc["orig"]),
        str(arc["form"]),
        str(arc["upos"]),
        str(arc["deprel"]),
        numbers("position"),
        numbers("head"),
        numbers("predicted_head"),
        (str(predicted_a), str(predicted_b)),
        truths("head_right"),
        truths("label_right"),
        bool(arc["counted"]),
    )
