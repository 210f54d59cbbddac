"""Which sentence of a prediction is which of gold: by sent_id, or by number where that says nothing."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from ..conllu.text import FORM
from ..errors import DataError, Finding, UsageError
from ..registry import suggestion
from ..treebank import Treebank
from ..types import Ints, Mask

MISSING = ("error", "wrong", "skip")  # what becomes of sentences that are on one side alone


@dataclass(frozen=True)
class Joined:
    """Sentences that are scored. gold: S of them; pred: those of the prediction that belong to them, in their order.

    has: bool [S], whether a sentence of gold has one (all have, unless missing ones are to be scored as wrong).
    findings: sentences that are on one side alone, and what becomes of them. skipped: sentences of gold that are no
    trees, left out. dropped: sentences of both sides that went with what was left out of the other side.
    """

    gold: Treebank
    pred: Treebank
    has: Mask
    findings: list[Finding] = field(default_factory=list)
    skipped: list[Finding] = field(default_factory=list)
    dropped: int = 0


def check_missing(missing: str) -> None:
    """UsageError for an unknown way with sentences that are on one side alone."""
    if missing not in MISSING:
        raise UsageError(f"--missing '{missing}'{suggestion(missing, list(MISSING))}")


def join_sentences(gold: Treebank, pred: Treebank, missing: str = "error", skip_errors: bool = False) -> Joined:
    """Join two treebanks sentence by sentence.

    By sent_id where each sentence of both sides has one of its own and these are the same on both, or the sentences by
    number are not; else by number. missing: of MISSING. skip_errors: leave out sentences of gold that are no trees, and
    on each side what belongs to a sentence of the text that was left out of the other. Raises DataError for the
    first sentence of gold that is no tree, or that is on one side alone.
    """
    check_missing(missing)
    gold, skipped = gold.trees_only(skip_errors)
    total = [side.text.n_sentences + side.text.n_skipped for side in (gold, pred)]
    left_out = [total[0] - gold.n_sentences, total[1] - pred.n_sentences] if skip_errors else [0, 0]
    keys = gold.sent_ids, pred.sent_ids
    named = all("" not in own and len(set(own)) == len(own) for own in keys)
    if not named or (set(keys[0]).isdisjoint(keys[1]) and any(keys)):
        if not any(left_out):
            return Joined(gold, pred, np.ones(gold.n_sentences, bool))
        numbers = [side.text.number[side.sentence].tolist() for side in (gold, pred)]
        if total[0] != total[1]:
            return Joined(gold, pred, np.ones(gold.n_sentences, bool), skipped=skipped)
        keys = numbers[0], numbers[1]
    elif keys[0] == keys[1] or (set(keys[0]) != set(keys[1]) and not any(left_out) and same_words(gold, pred)):
        return Joined(gold, pred, np.ones(gold.n_sentences, bool), skipped=skipped)
    place = {key: number for number, key in enumerate(keys[1])}
    partner = np.array([place.get(key, -1) for key in keys[0]], np.int64)
    has: Mask = partner >= 0
    lone = np.flatnonzero(~has), np.setdiff1d(np.arange(pred.n_sentences), partner)
    findings, dropped = [], 0
    for here, there, numbers_here, n_left_out in (
        (gold, pred, lone[0], left_out[1]),
        (pred, gold, lone[1], left_out[0]),
    ):
        if len(numbers_here) <= n_left_out:  # what was left out of the other side explains them
            dropped += len(numbers_here)
        else:
            findings += _told(here, there, numbers_here, missing if here is gold else f"{missing}, pred")
    if findings and missing == "error":
        raise DataError(findings[0])
    if missing != "wrong" or len(lone[0]) <= left_out[1]:
        gold, partner = gold.select_sentences(has), partner[has]
        has = np.ones(gold.n_sentences, bool)
    return Joined(gold, pred.sentences_in_order(partner[partner >= 0]), has, findings, skipped, dropped)


_BECOMES = {
    "error": "`permtree evaluate --missing wrong|skip` scores its words as wrong or leaves it out",
    "wrong": "its words are scored as wrong",
    "skip": "left out",
    "error, pred": "`permtree evaluate --missing wrong|skip` leaves it out",
    "wrong, pred": "left out",
    "skip, pred": "left out",
}


def _told(here: Treebank, there: Treebank, sentences: Ints, becomes: str) -> list[Finding]:
    what = f"this sentence is not in {there.text.name}; {_BECOMES[becomes]}"
    return [here.finding("E303", int(here.sentence_start[number]), what) for number in sentences.tolist()]


def same_words(gold: Treebank, pred: Treebank) -> bool:
    """Whether both have the same words in the same sentences, by number."""
    if not np.array_equal(gold.sentence_start, pred.sentence_start):
        return False
    return bool((codes_of_words(gold, pred) == gold.column(FORM).codes).all())


def codes_of_words(gold: Treebank, pred: Treebank) -> Ints:
    """The forms of a prediction as codes of gold's forms, -1 for one that gold hasn't; int64 [N of pred]."""
    forms = gold.column(FORM), pred.column(FORM)
    code = {form: number for number, form in enumerate(forms[0].vocabulary)}
    known = np.array([code.get(form, -1) for form in forms[1].vocabulary], np.int64)
    return known[forms[1].codes] if len(known) else np.zeros(0, np.int64)
