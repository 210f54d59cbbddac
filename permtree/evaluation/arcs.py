"""Gold and predicted treebanks arc by arc: which words belong together, and which heads and relations agree.

Once each word of gold has its row of the prediction, all else is comparing arrays.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ..conllu.text import FORM
from ..errors import UsageError
from ..kernels.trees import NO_HEAD
from ..registry import suggestion
from ..signature import with_argument
from ..treebank import Column, Treebank
from ..treebank.punctuation import DEFAULT, chosen_tags, is_punct, none_found, spelled, unmarked
from ..types import Ints, Mask
from .sentences import Joined, join_sentences, same_words
from .words import Alignment, align_by_characters, check_words, same_characters

_NOT_ALIGNED = -3  # a head that no word of gold is aligned with

CONVENTIONS = ("all", "no-punct", "conll18", "unicode-punct")


@dataclass(frozen=True)
class Arcs:
    """Gold and predicted arcs of the same words. Arrays are [N], a row a word of the gold treebank, unless said.

    gold: the sentences that are scored; pred: those of the prediction. row: int64, the row in pred of each word, -1 for
    none. counted: bool, the words that the convention counts; head_right, relation_right: bool; relation, predicted:
    the gold and the predicted relation, numbers into `names` (as the convention compares them), -1 for none.
    extra_relation, extra_sentence: int64 [U], of words of pred that are aligned with none: their relation, and the
    sentence of gold in which they begin. pred_sentences: int64 [S], the sentences of pred that begin in each of gold;
    same_extent: bool [S], whether one of them is of the same characters.
    convention: its name for signatures. without_head: predicted words whose HEAD is `_`; not_trees: predicted sentences
    that have all their heads and yet are no tree. Both count as they are: a wrong head is a wrong head. unfound: a
    warning where a convention that leaves punctuation out finds none, though some words look like it. joined: which
    sentences were joined, and what was left out.
    """

    gold: Treebank
    pred: Treebank
    row: Ints
    counted: Mask
    head_right: Mask
    relation_right: Mask
    relation: Ints
    predicted: Ints
    extra_relation: Ints
    extra_sentence: Ints
    pred_sentences: Ints
    same_extent: Mask
    names: list[str]
    convention: str
    without_head: int
    not_trees: int
    unfound: str
    joined: Joined


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


def arcs_of(
    gold: Treebank,
    pred: Treebank,
    convention: str = "all",
    punct_tag: str | Sequence[str] = DEFAULT,
    missing: str = "error",
    skip_errors: bool = False,
) -> Arcs:
    """Align two treebanks word by word and compare their arcs. missing, skip_errors: see `join_sentences`."""
    punct_tag = check_convention(convention, punct_tag)
    joined, aligned = _aligned(gold, pred, convention, missing, skip_errors)
    gold, pred, row = joined.gold, joined.pred, aligned.row
    names, relation, of_pred = _relations(gold, pred, subtypes=convention != "conll18")
    counted: Mask = np.ones(gold.n_words, bool)
    named, unfound = convention, ""
    if convention == "no-punct":
        counted = ~is_punct(gold, punct_tag)
        named = with_argument(convention, spelled(punct_tag))
        if counted.all() and (looks := unmarked(gold)):
            unfound = none_found("--convention no-punct", punct_tag, looks)
    elif convention == "unicode-punct":
        counted = ~_unicode_punctuation(gold.column(FORM))
    no_head = pred.head == NO_HEAD
    lost = np.bincount(pred.sentence_of[pred.depth < 0], minlength=pred.n_sentences) > 0
    lost &= np.bincount(pred.sentence_of[no_head], minlength=pred.n_sentences) == 0
    has = row >= 0
    back = np.full(pred.n_words + 1, _NOT_ALIGNED, np.int64)  # the row in gold; the last for what has no head there
    back[row[has]] = np.flatnonzero(has)
    theirs = np.full(gold.n_words, _NOT_ALIGNED, np.int64)
    head = pred.head[row[has]]
    theirs[has] = np.where(head >= 0, back[head], head)
    predicted = np.full(gold.n_words, -1, np.int64)
    predicted[has] = of_pred[row[has]]
    extra = np.setdiff1d(np.arange(pred.n_words), row)
    return Arcs(
        gold=gold,
        pred=pred,
        row=row,
        counted=counted,
        head_right=theirs == gold.head,
        relation_right=relation == predicted,
        relation=relation,
        predicted=predicted,
        extra_relation=of_pred[extra],
        extra_sentence=aligned.sentence[extra],
        pred_sentences=aligned.pred_sentences,
        same_extent=aligned.same_extent,
        names=names,
        convention=named,
        without_head=int(no_head.sum()),
        not_trees=int(lost.sum()),
        unfound=unfound,
        joined=joined,
    )


def _aligned(
    gold: Treebank, pred: Treebank, convention: str, missing: str, skip_errors: bool
) -> tuple[Joined, Alignment]:
    """The sentences that belong together, and the words."""
    joined = None
    if convention == "conll18":
        trees, skipped = gold.trees_only(skip_errors)
        if set(trees.sent_ids) != set(pred.sent_ids) and same_characters(trees, pred):
            joined = Joined(trees, pred, np.ones(trees.n_sentences, bool), skipped=skipped)
    joined = joined or join_sentences(gold, pred, missing, skip_errors)
    gold, has = joined.gold, joined.has
    own = gold.select_sentences(has)
    if convention == "conll18" and not same_words(own, joined.pred):
        found = align_by_characters(own, joined.pred)
    else:
        check_words(own, joined.pred)
        sentences = np.arange(own.n_sentences)
        one = np.ones(own.n_sentences, np.int64)
        found = Alignment(np.arange(own.n_words), sentences[own.sentence_of], one > 0, one)
    if has.all():
        return joined, found
    row: Ints = np.full(gold.n_words, -1, np.int64)
    row[has[gold.sentence_of]] = found.row
    pred_sentences, same_extent = np.ones(gold.n_sentences, np.int64), np.ones(gold.n_sentences, bool)
    pred_sentences[has], same_extent[has] = found.pred_sentences, found.same_extent
    return joined, Alignment(row, np.flatnonzero(has)[found.sentence], same_extent, pred_sentences)


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
