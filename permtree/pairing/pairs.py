"""Minimal pairs arc by arc: two versions of a treebank, with a prediction of each, joined word by word.

A word keeps its identity under permutation (MISC `Orig=`), so an arc of one version is the same arc in the other, and
what a parser does to it can differ through word order alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from ..conllu.text import DEPREL, FORM
from ..errors import Finding, UsageError
from ..evaluation.arcs import Arcs, arcs_of
from ..evaluation.sentences import join_sentences
from ..evaluation.words import check_words
from ..kernels.inversions import displacements, swap_distances
from ..kernels.trees import NO_HEAD, heads_between
from ..treebank import Treebank
from ..treebank.frames import to_arrow, to_pandas
from ..treebank.punctuation import DEFAULT
from ..treebank.versions import trees_in_all
from ..types import Columns, Ints, Mask
from .folder import ABOUT, DAMAGE, read_tables, write_tables
from .joining import Side, join

# The kinds of the columns of both tables, in their order
SENTENCES: dict[str, type] = {
    "sent_id": str,
    **dict.fromkeys(("words", "counted"), int),
    "branching": float,
    **dict.fromkeys(("dl_a", "dl_b", "d_dl"), int),
    **dict.fromkeys(("interveners_a", "interveners_b", "d_interveners", "swaps", "displacement"), int),
    **dict.fromkeys(("uas_a", "uas_b", "las_a", "las_b", "d_uas", "d_las"), float),
}
ARCS: dict[str, type] = {
    **dict.fromkeys(("sentence", "orig"), int),
    **dict.fromkeys(("form", "upos", "deprel"), str),
    "head_orig": int,
    "head_upos": str,
    "leaf": bool,
    **dict.fromkeys(("position_a", "position_b", "head_a", "head_b", "length_a", "length_b"), int),
    **dict.fromkeys(("interveners_a", "interveners_b"), int),
    **dict.fromkeys(("direction_a", "direction_b"), str),
    **dict.fromkeys(("predicted_head_a", "predicted_head_b"), int),
    **dict.fromkeys(("predicted_deprel_a", "predicted_deprel_b"), str),
    **dict.fromkeys(("head_right_a", "head_right_b", "label_right_a", "label_right_b", "counted"), bool),
}


@dataclass(frozen=True, eq=False)
class Pairs:
    """The sentences and arcs of two versions of a treebank, called side a and side b.

    names: what the sides are called. convention: which words count (see `permtree.evaluate`). faults: what is odd about
    the predictions, counted. warnings: lines on what was left out and what may be wrong (of pairs that were just made).

    sentences: a row a sentence, in the order of side a. sent_id; words; counted: words that the convention counts;
    branching: mean out-degree, dependents a word that has any (nan where none has); dl_a, dl_b: dependency length, sum
    of |i-j| over all arcs; d_dl = dl_a - dl_b (positive: b is shorter); interveners_a, interveners_b: intervener
    complexity, sum over all arcs, and d_interveners = a - b; swaps: swap (Kendall) distance of the two orders;
    displacement: places that words move, sum of |position_a - position_b|; uas_a, las_a, uas_b, las_b in percent (nan
    where no word counts); d_uas = uas_b - uas_a, d_las likewise (positive: b is better).

    arcs: a row a word, roots included, sentence by sentence in the order of the original. sentence: row in `sentences`,
    from 0; orig: id in the original; form, upos, deprel: gold; head_orig: the original id of the head, 0 for a root;
    head_upos: "" for a root; leaf: has no dependents. On each side: position, head: places in the sentence from 1, head
    0 for a root; length: |position - head|, 0 for a root; interveners: words strictly between it and its head that are
    heads themselves (Yadav, Mittal & Husain 2022); direction: "left" (the dependent stands before its head), "right" or
    "root"; predicted_head: 0 for a root, -1 where the prediction has none; predicted_deprel; head_right;
    label_right: the relation is right, whatever the head, as the convention compares relations. counted: the convention
    counts the word.
    """

    names: tuple[str, str]
    convention: str
    sentences: Columns = field(repr=False)
    arcs: Columns = field(repr=False)
    faults: dict[str, int] = field(default_factory=dict)
    warnings: tuple[str, ...] = ()

    def write(self, folder: str | Path, format: str = "tsv") -> None:
        """Write sentences and arcs as tables ("tsv" or "parquet") and pairs.json into a folder, made if need be.

        An earlier one in the same folder is replaced. In TSV nan is n/a, and a cell with a quotation mark or a tab in
        it stands in quotation marks, so that pandas reads all rows by its defaults. Raises UsageError for a folder that
        holds anything else, and where pyarrow isn't installed.
        """
        about = {"names": list(self.names), "convention": self.convention, "faults": self.faults}
        write_tables(folder, format, about, {"sentences": (SENTENCES, self.sentences), "arcs": (ARCS, self.arcs)})

    @classmethod
    def read(cls, folder: str | Path) -> Pairs:
        """What `write` wrote. Raises UsageError for a folder that holds no pairs, or damaged ones."""
        about, tables = read_tables(folder, {"sentences": SENTENCES, "arcs": ARCS})
        sentences, arcs = tables["sentences"], tables["arcs"]
        try:
            first, second = about["names"]
            check_names((first, second))
            total, convention, faults = len(sentences["sent_id"]), about["convention"], dict(about["faults"])
            sound = isinstance(convention, str) and all(type(count) is int for count in faults.values())
            sound &= bool((arcs["sentence"] < total).all())
            if not sound or not np.array_equal(np.bincount(arcs["sentence"], minlength=total), sentences["words"]):
                raise ValueError
        except (UsageError, *DAMAGE):
            raise ABOUT.damaged(folder) from None
        sentences["sent_id"] = sentences["sent_id"].tolist()
        return cls((first, second), convention, sentences, arcs, faults)

    def to_pandas(self) -> tuple[Any, Any]:
        """Sentences and arcs as a pandas.DataFrame each; UsageError where pandas isn't installed."""
        return to_pandas(self.sentences), to_pandas(self.arcs)

    def to_arrow(self) -> tuple[Any, Any]:
        """Sentences and arcs as a pyarrow.Table each; UsageError where pyarrow isn't installed."""
        return to_arrow(self.sentences), to_arrow(self.arcs)


def pairs(
    gold_a: Treebank,
    pred_a: Treebank,
    gold_b: Treebank,
    pred_b: Treebank,
    convention: str = "all",
    *,
    punct_tag: str | Sequence[str] = DEFAULT,
    names: tuple[str, str] = ("a", "b"),
    skip_errors: bool = False,
) -> Pairs:
    """Join two versions of a treebank, such as an original and its permutation, each with its prediction.

    Sentences are joined by sent_id, or by number where a sentence has none or two have the same; words by the id that
    they had in the original. convention, punct_tag: see `permtree.evaluate`. skip_errors: leave out sentences that are
    no tree in one of the gold sides. Raises DataError where a prediction has
    other words than its gold side, or where the gold sides are no minimal pair: the same sentences, words (form, UPOS)
    and arcs (head, relation); UsageError for an unknown convention or names that can't be told apart.
    """
    check_names(names)
    skipped: list[Finding] = []
    golds, preds, n_dropped = [gold_a, gold_b], [pred_a, pred_b], 0
    if skip_errors:
        joined = [join_sentences(*side, skip_errors=True) for side in zip(golds, preds, strict=True)]
        skipped = [finding for own in joined for finding in own.skipped]
        golds, _, n_dropped = trees_in_all([own.gold for own in joined])
        n_dropped += sum(own.dropped for own in joined)
        preds = [join_sentences(*side, skip_errors=True).pred for side in zip(golds, preds, strict=True)]
    predicted = [arcs_of(*side, convention, punct_tag) for side in zip(golds, preds, strict=True)]
    for compared in predicted:
        check_words(compared.gold, compared.pred)
    a, b, sent_ids = join(predicted[0].gold, predicted[1].gold)
    arcs = _arcs(a, predicted[0])
    for side, own, compared in (("a", a, predicted[0]), ("b", b, predicted[1])):
        arcs |= {f"{name}_{side}": values for name, values in _of_side(own, compared).items()}
    arcs = {name: arcs[name] for name in ARCS}
    faults = {}
    for name, compared in zip(names, predicted, strict=True):
        faults[f"{name}: words without HEAD, scored as wrong"] = compared.without_head
        faults[f"{name}: sentences that are no tree, scored as they are"] = compared.not_trees
    found = {what: count for what, count in faults.items() if count}
    warnings = [f"skipped: {finding}" for finding in skipped]
    warnings += [f"sentences of the four files left out with these: {n_dropped}"] if n_dropped else []
    warnings += [f"warning: {predicted[0].unfound}"] if predicted[0].unfound else []
    return Pairs(names, predicted[0].convention, _sentences(sent_ids, arcs), arcs, found, tuple(warnings))


def check_names(names: tuple[str, str]) -> None:
    """UsageError for names of sides that can't be told apart or shown."""
    if len(names) != 2 or names[0] == names[1] or not all(name and name.isprintable() for name in names):
        raise UsageError("--names: two different names of printable characters, such as original optdl")


# -- the tables --------------------------------------------------------------------------------------------------------


def _texts(values: list[str]) -> Any:
    """An array of texts, of dtype object."""
    found = np.empty(len(values), object)
    found[:] = values
    return found


def _arcs(side: Side, compared: Arcs) -> Columns:
    """The columns of the arcs that both sides share, from one of them."""
    rows, gold = side.rows, side.gold
    head = gold.head[rows]
    upos = gold.upos
    tags = _texts([*upos.vocabulary, ""])
    return {
        "sentence": side.sentence,
        "orig": side.ids[rows],
        "form": _decoded(gold, FORM, rows),
        "upos": tags[upos.codes[rows]],
        "deprel": _decoded(gold, DEPREL, rows),
        "head_orig": side.head_ids,
        "head_upos": tags[np.where(head >= 0, upos.codes[np.maximum(head, 0)], -1)],
        "leaf": gold.n_dependents[rows] == 0,
        "counted": compared.counted[rows],
    }


def _of_side(side: Side, compared: Arcs) -> Columns:
    """The columns of the arcs that each side has for itself."""
    rows, gold, pred = side.rows, side.gold, compared.pred
    position = rows - gold.sentence_start[gold.sentence_of[rows]] + 1
    head = gold.head_number[rows]
    distance = np.where(head > 0, position - head, 0)
    return {
        "position": position,
        "head": head,
        "length": np.abs(distance),
        "interveners": heads_between(gold)[rows],
        "direction": _texts(["root", "right", "left"])[np.sign(distance)],
        "predicted_head": np.where(pred.head == NO_HEAD, -1, pred.head_number)[compared.row[rows]],
        "predicted_deprel": _decoded(pred, DEPREL, compared.row[rows]),
        "head_right": compared.head_right[rows],
        "label_right": compared.relation_right[rows],
    }


def _decoded(treebank: Treebank, column: int, rows: Ints) -> Any:
    interned = treebank.column(column)
    return _texts(interned.vocabulary)[interned.codes[rows]]


def _sentences(sent_ids: list[str], arcs: Columns) -> Columns:
    """A row a sentence, summed from the arcs."""
    total = len(sent_ids)

    def summed(values: Ints | Mask) -> Ints:
        return np.bincount(arcs["sentence"], values, total).astype(np.int64)

    def share(part: Ints, whole: Ints, factor: int) -> Any:
        with np.errstate(invalid="ignore"):
            return factor * part / np.where(whole == 0, np.nan, whole)

    counted = summed(arcs["counted"])
    columns: Columns = {
        "sent_id": sent_ids,
        "words": summed(np.ones(len(arcs["orig"]), np.int64)),
        "counted": counted,
        "branching": share(summed(arcs["head_orig"] > 0), summed(~arcs["leaf"]), 1),
    }
    right: dict[str, Ints] = {}
    for side in ("a", "b"):
        columns[f"dl_{side}"] = summed(arcs[f"length_{side}"])
        columns[f"interveners_{side}"] = summed(arcs[f"interveners_{side}"])
        heads = arcs["counted"] & arcs[f"head_right_{side}"]
        right[f"uas_{side}"], right[f"las_{side}"] = summed(heads), summed(heads & arcs[f"label_right_{side}"])
    for name in ("dl", "interveners"):
        columns[f"d_{name}"] = columns[f"{name}_a"] - columns[f"{name}_b"]
    orders = np.append(0, np.cumsum(columns["words"])), arcs["position_a"] - 1, arcs["position_b"] - 1
    columns["swaps"], columns["displacement"] = swap_distances(*orders), displacements(*orders)
    columns |= {name: share(number, counted, 100) for name, number in right.items()}
    for score in ("uas", "las"):  # from whole numbers, so that equal differences are equal to the bit
        columns[f"d_{score}"] = share(right[f"{score}_b"] - right[f"{score}_a"], counted, 100)
    return {name: columns[name] for name in SENTENCES}
