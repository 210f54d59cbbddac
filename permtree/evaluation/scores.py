"""How well predicted heads and relations agree with gold ones: in scores, apart by group, two predictions side by side.

Scores are sums over words or sentences that are right, so resamples of sentences are weights on their rows.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from .._version import __version__
from ..errors import UsageError
from ..kernels.bootstrap import LEVEL, bootstrap_weights, check_numbers, interval
from ..kernels.significance import McNemar as McNemar
from ..kernels.significance import mcnemar
from ..kernels.trees import ROOT
from ..registry import suggestion
from ..signature import Signature
from ..treebank import Treebank
from ..treebank.punctuation import DEFAULT
from ..types import Floats, Ints, Mask
from .arcs import Arcs, arcs_of
from .sentences import Joined

GROUPINGS = ("deprel", "length", "direction", "sentence-length", "root-distance")
SCORES = ("uas", "las", "label_accuracy", "exact_match_heads", "exact_match")
TESTED = ("uas", "las")  # by McNemar's test
RESAMPLES = 1000
# The columns after those of the scores: words and sentences of gold, then those of the prediction
_WORDS, _SENTENCES, _PRED_WORDS, _PRED_SENTENCES = range(len(SCORES), len(SCORES) + 4)
_OF = [_WORDS, _WORDS, _WORDS, _SENTENCES, _SENTENCES]  # what each score is a share of
_OF_PREDICTED = [_PRED_WORDS, _PRED_WORDS, _PRED_WORDS, _PRED_SENTENCES, _PRED_SENTENCES]


@dataclass(frozen=True)
class Score:
    """A score in percent (nan without words), what it is of, and its bootstrap interval, if one was asked for.

    right words or sentences of `of` in gold and `of_predicted` in the prediction; value: F1, the share of their mean,
    which is the share of words where both have the same."""

    value: float
    right: int
    of: int
    of_predicted: int
    signature: str
    interval: tuple[float, float] | None = None


@dataclass(frozen=True)
class Evaluation:
    """The scores of a prediction.

    values: by the names of `SCORES`. words, sentences: those that count (a sentence counts if one of its words does).
    left_out, removed: sentences and words that don't, by reason.
    groups: a row a group of `by`: its label, its gold arcs, and scores in percent by name. confusion: (gold relation,
    predicted relation, words), the most frequent first, of words with two different ones. without_head, not_trees,
    unfound, joined: see `Arcs`. predicted_words: of the prediction, where words are aligned by characters.
    """

    values: dict[str, Score]
    words: int
    sentences: int
    left_out: dict[str, int]
    removed: dict[str, int]
    without_head: int
    not_trees: int
    predicted_words: int
    joined: Joined
    unfound: str = ""
    by: str | None = None
    groups: list[tuple[Any, int, dict[str, float]]] = field(default_factory=list)
    confusion: list[tuple[str, str, int]] = field(default_factory=list)


@dataclass(frozen=True)
class Contrast:
    """A score of two predictions in percent, the second less the first, the paired bootstrap interval of that, and for
    `TESTED` scores McNemar's test."""

    first: float
    second: float
    difference: float
    interval: tuple[float, float]
    test: McNemar | None
    signature: str


@dataclass(frozen=True)
class Contrasts:
    """Two predictions of one gold treebank. values: by the names of `SCORES`; sides: the evaluation of each."""

    values: dict[str, Contrast]
    sides: tuple[Evaluation, Evaluation]


def evaluate(
    gold: Treebank,
    pred: Treebank,
    convention: str = "all",
    ci: int | None = None,
    seed: int = 0,
    *,
    by: str | None = None,
    punct_tag: str | Sequence[str] = DEFAULT,
    missing: str = "error",
    skip_errors: bool = False,
) -> Evaluation:
    """Score a prediction: evaluate(gold, pred).values["las"].value is the labelled attachment score in percent.

    convention: "all" (every word counts), "no-punct" (not those whose gold tag is one of punct_tag: tags, or sets of
    them, see `permtree.treebank.punctuation`), "conll18" (every word, relations without subtypes, as in the CoNLL 2018
    shared task; words that differ are aligned by their characters, and scores are F1), "unicode-punct" (not those of
    Unicode punctuation alone, as in SuPar). by: "deprel", "length", "direction", "sentence-length" or "root-distance"
    also gives a row a group. ci: resamples for a bootstrap interval
    of each score, drawn over sentences with `seed`. missing: what becomes of sentences that are on one side alone:
    "error", "wrong" (those of gold count as wrong, others are left out), "skip" (left out). skip_errors: leave out
    sentences of gold that are no trees.
    Raises UsageError for unknown names; DataError where the words differ or gold is no tree.
    """
    if by is not None and by not in GROUPINGS:
        raise UsageError(f"--by '{by}'{suggestion(by, list(GROUPINGS))}")
    if ci is not None:
        check_numbers(ci, seed)
    return evaluate_arcs(arcs_of(gold, pred, convention, punct_tag, missing, skip_errors), by, ci, seed)


def contrast(
    gold: Treebank,
    first: Treebank,
    second: Treebank,
    convention: str = "all",
    ci: int = RESAMPLES,
    seed: int = 0,
    *,
    punct_tag: str | Sequence[str] = DEFAULT,
    missing: str = "error",
    skip_errors: bool = False,
) -> Contrasts:
    """Put two predictions side by side: both scores, their difference, its interval and McNemar's test.

    Resamples draw the same sentences for both. The other arguments and errors are those of `evaluate`.
    """
    check_numbers(ci, seed)
    sides = [arcs_of(gold, pred, convention, punct_tag, missing, skip_errors) for pred in (first, second)]
    if not np.array_equal(sides[0].gold.row, sides[1].gold.row):
        raise UsageError(
            "the two predictions lack different sentences: --missing wrong scores all of them on both sides"
        )
    evaluations = [evaluate_arcs(arcs) for arcs in sides]
    tables = [_by_sentence(arcs) for arcs in sides]
    a_drawn, b_drawn = _drawn(tables, ci, seed)
    values = {}
    for column, name in enumerate(SCORES):
        a, b = (evaluation.values[name].value for evaluation in evaluations)
        bounds = (math.nan, math.nan)
        if len(tables[0]) > 1:
            bounds = interval(b - a, b_drawn[:, column] - a_drawn[:, column])
        test = mcnemar(*(_right(arcs)[name] & arcs.counted for arcs in sides)) if name in TESTED else None
        made = {"compared": "paired", "ci": f"{LEVEL:g}x{ci}", "seed": seed}
        signature = _signature(name, sides[0], len(tables[0]), made)
        values[name] = Contrast(a, b, b - a, bounds, test, signature)
    return Contrasts(values, (evaluations[0], evaluations[1]))


def evaluate_arcs(arcs: Arcs, by: str | None = None, ci: int | None = None, seed: int = 0) -> Evaluation:
    """Score what is aligned already; arguments as in `evaluate`."""
    table = _by_sentence(arcs)
    totals = table.sum(axis=0)
    drawn = _drawn([table], ci, seed)[0] if ci and len(table) > 1 else None
    made = {"ci": f"{LEVEL:g}x{ci}", "seed": seed} if ci else {}
    values = {}
    for column, (name, value) in enumerate(zip(SCORES, _percent(totals).tolist(), strict=True)):
        bounds = (math.nan, math.nan) if ci else None
        if drawn is not None:
            bounds = interval(value, drawn[:, column])
        signature = _signature(name, arcs, len(table), made)
        right, of, of_predicted = (int(totals[place]) for place in (column, _OF[column], _OF_PREDICTED[column]))
        values[name] = Score(value, right, of, of_predicted, signature, bounds)
    n_words = int(totals[_WORDS])
    return Evaluation(
        values=values,
        words=n_words,
        sentences=len(table),
        left_out=_without_zero("punctuation alone", arcs.gold.n_sentences - len(table)),
        removed=_without_zero("punctuation", arcs.gold.n_words - n_words),
        without_head=arcs.without_head,
        not_trees=arcs.not_trees,
        predicted_words=int(totals[_PRED_WORDS]),
        joined=arcs.joined,
        unfound=arcs.unfound,
        by=by,
        groups=_groups(arcs, by) if by else [],
        confusion=_confusion(arcs),
    )


# -- scores --------------------------------------------------------------------------------------------------------


def _right(arcs: Arcs) -> dict[str, Mask]:
    """Which words each score of words has right, bool [N] each."""
    return {
        "uas": arcs.head_right,
        "las": arcs.head_right & arcs.relation_right,
        "label_accuracy": arcs.relation_right,
    }


def _by_sentence(arcs: Arcs) -> Floats:
    """For each sentence that counts: what it adds to each of `SCORES`, its words that count, 1, and the words and
    sentences of the prediction that begin in it (of a missing one: as in gold)."""
    n_sentences, of = arcs.gold.n_sentences, arcs.gold.sentence_of

    def count(mask: Mask) -> Ints:
        return np.bincount(of[arcs.counted & mask], minlength=n_sentences)

    words, *right = (count(mask) for mask in (arcs.counted, *_right(arcs).values()))
    predicted = count(arcs.row >= 0) + np.bincount(arcs.extra_sentence, minlength=n_sentences)
    predicted = np.where(arcs.joined.has, predicted, words)
    whole = arcs.same_extent & (words == predicted)
    exact = [(own == words) & whole for own in right[:2]]
    table = np.stack([*right, *exact, words, np.ones_like(words), predicted, arcs.pred_sentences], axis=1)
    return table[words > 0].astype(np.float64)


def _percent(totals: Floats) -> Floats:
    """Scores from sums of `_by_sentence`, [..., len(SCORES)]; nan without words."""
    with np.errstate(invalid="ignore"):
        return 200 * totals[..., : len(SCORES)] / (totals[..., _OF] + totals[..., _OF_PREDICTED])


def _drawn(tables: list[Floats], resamples: int, seed: int) -> list[Floats]:
    """The scores of each table under the same resamples of sentences, [resamples, len(SCORES)] each."""
    pieces: list[list[Floats]] = [[] for _ in tables]
    for weights in bootstrap_weights(len(tables[0]), resamples, [seed]):
        for scored, table in zip(pieces, tables, strict=True):
            scored.append(_percent(weights @ table))
    return [np.concatenate(scored) for scored in pieces]


def _without_zero(what: str, count: int) -> dict[str, int]:
    return {what: count} if count else {}


def _signature(name: str, arcs: Arcs, sentences: int, made: Mapping[str, object]) -> str:
    of = {"sents": sentences, "permtree": __version__}
    return str(Signature(name, {"convention": arcs.convention, **made, **of}))


# -- groups --------------------------------------------------------------------------------------------------------


def _groups(arcs: Arcs, by: str) -> list[tuple[Any, int, dict[str, float]]]:
    labels, number = _GROUPED[by](arcs)
    counted, right = arcs.counted, _right(arcs)

    def count(mask: Mask, of: Ints) -> list[int]:
        return np.bincount(of[counted & mask], minlength=len(labels)).tolist()

    size, heads, both = (count(mask, number) for mask in (counted, right["uas"], right["las"]))
    predicted = size
    if by == "deprel":
        aligned = arcs.predicted[counted & (arcs.predicted >= 0)]
        predicted = np.bincount(np.append(aligned, arcs.extra_relation), minlength=len(labels)).tolist()
    groups = []
    for label, n, uas, las, own in zip(labels, size, heads, both, predicted, strict=True):
        if not n and not own:
            continue
        row = {"uas": percent(uas, n), "las": percent(las, n)}
        if by == "deprel":
            row |= {"precision": percent(las, own), "recall": percent(las, n), "f1": percent(2 * las, n + own)}
        groups.append((label, n, row))
    return sorted(groups, key=lambda group: (-group[1], group[0])) if by == "deprel" else groups


def percent(part: int, whole: int) -> float:
    """A share in percent, nan of nothing."""
    return 100 * part / whole if whole else math.nan


def _numbered(values: Ints) -> tuple[list[Any], Ints]:
    """Labels in ascending order, and the number of the label of each word."""
    labels, number = np.unique(values, return_inverse=True)
    return labels.tolist(), number


def _distance(arcs: Arcs) -> Ints:
    """The place of each word less that of its gold head, 0 for a root; int64 [N]."""
    head = arcs.gold.head
    return np.where(head == ROOT, 0, np.arange(len(head)) - head)


def _of_length(arcs: Arcs) -> tuple[list[Any], Ints]:
    labels, number = _numbered(np.abs(_distance(arcs)))
    return ["root" if label == 0 else label for label in labels], number  # the root's arc has no length


# The labels of each grouping, and the number of the label of each word
_GROUPED: dict[str, Callable[[Arcs], tuple[list[Any], Ints]]] = {
    "deprel": lambda arcs: (arcs.names, arcs.relation),
    "length": _of_length,
    "direction": lambda arcs: (["left", "right", "root"], np.array([2, 1, 0])[np.sign(_distance(arcs))]),
    "sentence-length": lambda arcs: _numbered(arcs.gold.sentence_length[arcs.gold.sentence_of]),
    "root-distance": lambda arcs: _numbered(arcs.gold.depth),
}


def _confusion(arcs: Arcs) -> list[tuple[str, str, int]]:
    wrong = arcs.counted & ~arcs.relation_right & (arcs.predicted >= 0)
    width = max(len(arcs.names), 1)
    pairs, counts = np.unique(arcs.relation[wrong] * width + arcs.predicted[wrong], return_counts=True)
    found = zip((pairs // width).tolist(), (pairs % width).tolist(), counts.tolist(), strict=True)
    rows = [(arcs.names[gold], arcs.names[predicted], count) for gold, predicted, count in found]
    return sorted(rows, key=lambda row: (-row[2], row[0], row[1]))
