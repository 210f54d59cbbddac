"""Gold and predicted treebanks arc by arc: the same sentences, the same words, and which heads and relations agree.

Aligned, row i is the same word on both sides; all else is comparing arrays.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ..conllu.scan import shorten
from ..conllu.text import FORM
from ..errors import DataError, Finding, UsageError
from ..kernels.trees import NO_HEAD
from ..registry import suggestion
from ..signature import with_argument
from ..treebank import Column, Treebank
from ..treebank.punctuation import DEFAULT, chosen_tags, is_punct, none_found, spelled, unmarked
from ..types import Ints, Mask

CONVENTIONS = ("all", "no-punct", "conll18", "unicode-punct")


@dataclass(frozen=True)
class Arcs:
    """Gold and predicted arcs of the same words. Arrays are [N], a row a word of the gold treebank.

    counted: bool, the words that the convention counts; head_right, relation_right: bool; relation, predicted: the gold
    and the predicted relation, numbers into `names` (as the convention compares them). convention: its name for
    signatures. without_head: predicted words whose HEAD is `_`; not_trees: predicted sentences that have all their
    heads and yet are no tree. Both count as they are: a wrong head is a wrong head. unfound: a warning where a
    convention that leaves punctuation out finds none, though some words look like it.
    """

    gold: Treebank
    counted: Mask
    head_right: Mask
    relation_right: Mask
    relation: Ints
    predicted: Ints
    names: list[str]
    convention: str
    without_head: int
    not_trees: int
    unfound: str = ""


def check_convention(convention: str, punct_tag: str | Sequence[str] = DEFAULT) -> str:
    """The choice of tags of punctuation; UsageError for an unknown convention, or for what can't be a tag."""
    if convention not in CONVENTIONS:
        raise UsageError(f"--convention '{convention}'{suggestion(convention, list(CONVENTIONS))}")
    return chosen_tags(punct_tag)


def tags_given(convention: str, punct_tag: Sequence[str]) -> str:
    """The choice that --punct-tag makes, PUNCT without it; UsageError where the convention has no use for it."""
    if punct_tag and convention in CONVENTIONS and convention != "no-punct":
        raise UsageError("--punct-tag goes with --convention no-punct")
    return check_convention(convention, punct_tag or DEFAULT)


def arcs_of(gold: Treebank, pred: Treebank, convention: str = "all", punct_tag: str | Sequence[str] = DEFAULT) -> Arcs:
    """Align two treebanks word by word and compare their arcs."""
    punct_tag = check_convention(convention, punct_tag)
    gold.trees_only()
    _check_words(gold, pred)
    names, relation, predicted = _relations(gold, pred, subtypes=convention != "conll18")
    counted: Mask = np.ones(gold.n_words, bool)
    named, unfound = convention, ""
    if convention == "no-punct":
        counted = ~is_punct(gold, punct_tag)
        named = with_argument(convention, spelled(punct_tag))
        if counted.all() and (looks := unmarked(gold)):
            unfound = none_found("--convention no-punct", punct_tag, looks)
    elif convention == "unicode-punct":
        counted = ~_unicode_punctuation(gold.column(FORM))
    missing = pred.head == NO_HEAD
    lost = np.bincount(pred.sentence_of[pred.depth < 0], minlength=pred.n_sentences) > 0
    lost &= np.bincount(pred.sentence_of[missing], minlength=pred.n_sentences) == 0
    return Arcs(
        gold=gold,
        counted=counted,
        head_right=gold.head == pred.head,
        relation_right=relation == predicted,
        relation=relation,
        predicted=predicted,
        names=names,
        convention=named,
        without_head=int(missing.sum()),
        not_trees=int(lost.sum()),
        unfound=unfound,
    )


def _check_words(gold: Treebank, pred: Treebank) -> None:
    """DataError at the first word or sentence that the two treebanks don't share."""
    n_sentences = min(gold.n_sentences, pred.n_sentences)
    lengths = gold.sentence_length[:n_sentences], pred.sentence_length[:n_sentences]
    unequal = np.flatnonzero(lengths[0] != lengths[1])
    end = int(gold.sentence_start[n_sentences])  # up to here row i is the same place on both sides
    if len(unequal):
        sentence = int(unequal[0])
        end = int(gold.sentence_start[sentence]) + min(int(length[sentence]) for length in lengths)
    forms = gold.column(FORM), pred.column(FORM)
    code = {form: number for number, form in enumerate(forms[0].vocabulary)}
    known = np.array([code.get(form, -1) for form in forms[1].vocabulary], np.int64)
    other = np.flatnonzero(known[forms[1].codes[:end]] != forms[0].codes[:end]) if end else np.zeros(0, np.int64)
    if len(other):
        row = int(other[0])
        number = row - int(gold.sentence_start[gold.sentence_of[row]]) + 1
        theirs, ours = (shorten(column.vocabulary[column.codes[row]].encode()) for column in (forms[1], forms[0]))
        raise DataError(_differ(pred, row, f"word {number} is '{theirs}', but '{ours}' at {_place(gold, row)}"))
    if len(unequal):
        ours, theirs = (_words(length[sentence]) for length in lengths)
        gold_row, row = (int(side.sentence_start[sentence]) for side in (gold, pred))
        raise DataError(_differ(pred, row, f"a sentence of {theirs}, but of {ours} at {_place(gold, gold_row)}"))
    if gold.n_sentences != pred.n_sentences:
        longer, shorter = (gold, pred) if gold.n_sentences > pred.n_sentences else (pred, gold)
        what = f"this sentence is not in {shorter.text.name}, which ends before it"
        raise DataError(_differ(longer, int(longer.sentence_start[n_sentences]), what))


def _differ(treebank: Treebank, row: int, what: str) -> Finding:
    return treebank.finding("E303", row, f"{what}; gold and prediction must hold the same sentences and words")


def _words(count: int) -> str:
    return f"{count} word{'s' if count != 1 else ''}"


def _place(treebank: Treebank, row: int) -> str:
    return ":".join(map(str, treebank.text.place_of_word(int(treebank.row[row]))))


def _relations(gold: Treebank, pred: Treebank, subtypes: bool) -> tuple[list[str], Ints, Ints]:
    """The relations of both sides, sorted, and which of them each word has in gold and predicted, int64 [N]."""
    columns = gold.deprel, pred.deprel
    shown = [[name if subtypes else name.split(":")[0] for name in column.vocabulary] for column in columns]
    names = sorted({*shown[0], *shown[1]})
    number = {name: i for i, name in enumerate(names)}
    relation, predicted = (
        np.array([number[name] for name in own], np.int64)[column.codes] if own else np.zeros(0, np.int64)
        for own, column in zip(shown, columns, strict=True)
    )
    return names, relation, predicted


def _unicode_punctuation(forms: Column) -> Mask:
    """Words of which every character has a Unicode category P..., bool [N]."""
    of_form = [all(unicodedata.category(c).startswith("P") for c in form) for form in forms.vocabulary]
    return np.array(of_form, bool)[forms.codes]
