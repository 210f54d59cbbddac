"""What word order did to parsing: tests, correlations, groups of arcs and confusions, from minimal pairs of arcs."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from .._version import __version__
from ..errors import UsageError
from ..evaluation.scores import percent
from ..kernels.bootstrap import LEVEL, bootstrap_weights, check_numbers, interval
from ..kernels.significance import (
    Correlation,
    McNemar,
    PairedT,
    PermutationTest,
    correlation,
    mcnemar,
    paired_t,
    permutation_test,
)
from ..signature import Signature
from ..tables import without_nan
from ..types import Ints, Mask
from .groups import (
    BINS,
    SCORES,
    SIDES,
    Confusion,
    Group,
    OneWord,
    confusions,
    groups_of,
    one_word_dependents,
    relations_of,
    standing,
)
from .pairs import Pairs

RESAMPLES, MOST = 1000, 10
# The columns of sentences that are correlated
CORRELATED = (("d_uas", "d_dl"), ("d_las", "d_dl"), ("d_uas", "branching"), ("d_las", "branching"))


@dataclass(frozen=True)
class Compared:
    """A score of both sides in percent, b less a, and how sure that is.

    interval: 95%, paired bootstrap over sentences; nan for a single one. permutation: sides of whole sentences swapped.
    mcnemar: over words. paired_t: over the scores of sentences, each sentence counting once, however long.
    """

    a: float
    b: float
    difference: float
    interval: tuple[float, float]
    permutation: PermutationTest
    mcnemar: McNemar
    paired_t: PairedT


@dataclass(frozen=True)
class Extreme:
    """A sentence: its row in `Pairs.sentences`, and how many of its words that count each side has attached rightly."""

    sentence: int
    sent_id: str
    words: int
    counted: int
    right_a: int
    right_b: int
    difference: int
    dl_a: int
    dl_b: int
    d_dl: int


@dataclass(frozen=True)
class Analysis:
    """All that `analyze` finds. names: of sides a and b; faults: see `Pairs`.

    sentences, words: that count by the convention. scores: by "uas" and "las". correlations: by the names of two
    columns of `Pairs.sentences`, over sentences. groups: "relation" (gold), "arc length" and "direction" (each side by
    its own), "sentence length". confusions: the largest difference first, of all words, and of one-word dependents:
    words without dependents that share their head with another such word (both counting). one_word: these, by where
    they stand. gains, losses: sentences in which b has most words more, or fewer, attached rightly than a. signature:
    how the numbers were made.
    """

    names: tuple[str, str]
    sentences: int
    words: int
    scores: dict[str, Compared]
    correlations: dict[tuple[str, str], Correlation]
    groups: dict[str, list[Group]]
    confusions: list[Confusion]
    one_word_confusions: list[Confusion]
    one_word: list[OneWord]
    gains: list[Extreme]
    losses: list[Extreme]
    faults: dict[str, int]
    signature: str

    def as_json(self) -> dict[str, Any]:
        """For a JSON file: nan, which JSON has not, becomes null; a pair of correlated columns "d_uas~d_dl"."""
        content = {**asdict(self), "correlations": {"~".join(key): asdict(v) for key, v in self.correlations.items()}}
        return without_nan(content)


def analyze(
    pairs: Pairs,
    resamples: int = RESAMPLES,
    seed: int = 0,
    most: int = MOST,
    by_bins: Mapping[str, Sequence[int]] = BINS,
) -> Analysis:
    """Analyze minimal pairs: analyze(permtree.pairs(gold_a, pred_a, gold_b, pred_b)).

    resamples, seed: of bootstrap intervals and permutation tests. most: gains and losses that are kept. by_bins: for
    "arc length" and "sentence length" the least length of each bin, ascending from 1. Raises UsageError for numbers
    that can't be used.
    """
    if resamples < 1:
        raise UsageError("--resamples: a whole number from 1 on, such as 1000")
    check_numbers(resamples, seed)
    if most < 0:
        raise UsageError("--most: a whole number from 0 on")
    bins = {**BINS, **by_bins}
    for name, least in bins.items():
        if name not in BINS or not least or least[0] != 1 or any(np.diff(least) <= 0):
            raise UsageError(f"bins '{name}': the least lengths of bins, ascending from 1, of {' or '.join(BINS)}")
    sentences, arcs = pairs.sentences, pairs.arcs
    right = _right(pairs)
    table = _by_sentence(pairs, right)
    relations = relations_of(pairs)
    together = one_word_dependents(arcs)
    gains, losses = _extremes(pairs, table, most)
    counting = table["words"] > 0
    made = {"convention": pairs.convention, "ci": f"{LEVEL:g}x{resamples}", "permuted": resamples, "seed": seed}
    of = {"sents": int(counting.sum()), "permtree": __version__}
    return Analysis(
        names=pairs.names,
        sentences=int(counting.sum()),
        words=int(table["words"].sum()),
        scores=_scores(pairs, right, {name: own[counting] for name, own in table.items()}, resamples, seed),
        correlations={(y, x): correlation(sentences[x], sentences[y], resamples, seed) for y, x in CORRELATED},
        groups=groups_of(pairs, right, relations, bins),
        confusions=confusions(pairs, relations, arcs["counted"]),
        one_word_confusions=confusions(pairs, relations, together),
        one_word=[standing(arcs, together, place) for place in ("before", "after")],
        gains=gains,
        losses=losses,
        faults=pairs.faults,
        signature=str(Signature("pairs", {**made, **of})),
    )


# -- scores ------------------------------------------------------------------------------------------------------------


def _right(pairs: Pairs) -> dict[str, Mask]:
    """Words that count and are right, by score and side: "uas_a" ..., bool [N] each."""
    arcs = pairs.arcs
    found = {}
    for side in SIDES:
        found[f"uas_{side}"] = arcs["counted"] & arcs[f"head_right_{side}"]
        found[f"las_{side}"] = found[f"uas_{side}"] & arcs[f"label_right_{side}"]
    return found


def _by_sentence(pairs: Pairs, right: dict[str, Mask]) -> dict[str, Ints]:
    """Words of each sentence that count, and that are right, int64 [S] each."""
    of, total = pairs.arcs["sentence"], len(pairs.sentences["words"])
    masks = {"words": pairs.arcs["counted"], **right}
    return {name: np.bincount(of[mask], minlength=total) for name, mask in masks.items()}


def _scores(
    pairs: Pairs, right: dict[str, Mask], table: dict[str, Ints], resamples: int, seed: int
) -> dict[str, Compared]:
    """table: of the sentences that count."""
    words = table["words"]
    gains = np.stack([words, *(table[f"{score}_b"] - table[f"{score}_a"] for score in SCORES)], axis=1)
    drawn = [weights @ gains.astype(np.float64) for weights in bootstrap_weights(len(words), resamples, [seed])]
    totals = np.concatenate(drawn) if len(words) else np.zeros((0, 3))
    found = {}
    for column, score in enumerate(SCORES, 1):
        first, second = table[f"{score}_a"], table[f"{score}_b"]
        a, b = (percent(int(own.sum()), int(words.sum())) for own in (first, second))
        difference = percent(int(gains[:, column].sum()), int(words.sum()))
        bounds = (math.nan, math.nan)
        if len(words) > 1:  # a single sentence does not say how sentences differ
            bounds = interval(difference, 100 * totals[:, column] / totals[:, 0])
        found[score] = Compared(
            a=a,
            b=b,
            difference=difference,
            interval=bounds,
            permutation=permutation_test(first, second, words, resamples, seed),
            mcnemar=mcnemar(right[f"{score}_a"], right[f"{score}_b"]),
            paired_t=paired_t(pairs.sentences[f"{score}_a"], pairs.sentences[f"{score}_b"]),
        )
    return found


# -- sentences ---------------------------------------------------------------------------------------------------------


def _extremes(pairs: Pairs, table: dict[str, Ints], most: int) -> tuple[list[Extreme], list[Extreme]]:
    """The sentences that gain and those that lose most; of two alike, the earlier one first."""
    difference = table["uas_b"] - table["uas_a"]
    found = []
    for sign in (1, -1):
        ranked = np.argsort(-sign * difference, kind="stable")
        rows = [row for row in ranked[:most].tolist() if sign * difference[row] > 0]
        found.append([_extreme(pairs, table, row) for row in rows])
    return found[0], found[1]


def _extreme(pairs: Pairs, table: dict[str, Ints], row: int) -> Extreme:
    own = {name: int(pairs.sentences[name][row]) for name in ("words", "counted", "dl_a", "dl_b", "d_dl")}
    right = {f"right_{side}": int(table[f"uas_{side}"][row]) for side in SIDES}
    return Extreme(
        sentence=row,
        sent_id=pairs.sentences["sent_id"][row],
        difference=right["right_b"] - right["right_a"],
        **own,
        **right,
    )
