"""Sides and sibling order as another treebank has them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..errors import UsageError
from ..kernels.keys import Table, combined, counted
from ..treebank import Treebank
from ..treebank.arc_types import (
    after_head,
    arc_keys,
    base_relation_keys,
    column_keys,
    dependent_keys,
    sibling_pairs,
    text_placement,
)
from ..types import Floats, Ints, Mask
from . import Option, Request, Rule, Source, permuter
from .original import in_text_order

BACK_OFF = 0.5  # weight of the more general context: less than one observation, so that it decides ties only


@dataclass(frozen=True)
class Habits:
    """What is counted: words before and after their head, and which of two siblings is nearer, by context from the
    most general to the most specific one."""

    sides: list[Table]
    nearer: list[Table]


def _side_contexts(treebank: Treebank) -> list[Ints]:
    """Keys of all words, uint64 [N] each: nothing, base relation, base relation and tags, full relation and tags."""
    base, tag = base_relation_keys(treebank), column_keys(treebank.upos)
    tags = combined(base, tag[np.maximum(treebank.head, 0)], tag)
    return [np.zeros(treebank.n_words, np.uint64), base, tags, arc_keys(treebank)]


def _pair_contexts(treebank: Treebank, a: Ints, b: Ints, after: Mask) -> list[tuple[Ints, Ints]]:
    """Keys of pairs of siblings, the same for (a, b) and (b, a), uint64 [P], and by which column of the counts a is the
    nearer one, int64 [P] (-1: the context can't tell the two apart). Contexts: side and base relations; side, tag of
    the head, full relations and tags."""
    side = after[a].astype(np.uint64)
    head = column_keys(treebank.upos)[treebank.head[a]]
    contexts = []
    for kind, where in ((base_relation_keys(treebank), side), (dependent_keys(treebank), combined(side, head))):
        low, high = np.minimum(kind[a], kind[b]), np.maximum(kind[a], kind[b])
        column = np.where(kind[a] == kind[b], -1, kind[a] > kind[b])
        contexts.append((combined(where, low, high), column))
    return contexts


def _learn(treebank: Treebank, request: Request) -> Rule:
    arcs = np.flatnonzero(treebank.head >= 0)
    after = after_head(treebank)
    sides = [counted(keys[arcs], after[arcs].astype(np.int64)) for keys in _side_contexts(treebank)]
    near, far = sibling_pairs(treebank, text_placement(treebank))
    contexts = _pair_contexts(treebank, near, far, after)
    nearer = [counted(keys[column >= 0], column[column >= 0]) for keys, column in contexts]
    digest = "".join(table.digest() for table in (sides[-1], nearer[-1]))
    return Rule(Habits(sides, nearer), (("learnt", f"{digest} ({len(arcs)} arcs, {len(near)} pairs of siblings)"),))


def _backed_off(tables: list[Table], contexts: list[tuple[Ints, Ints]]) -> Floats:
    """The probability of a column (0 or 1, one for each key) in the most specific context: at each step the counts, and
    BACK_OFF observations shared out as the more general context has it."""
    probability: Floats = np.full(len(contexts[0][0]), 0.5)
    for table, (keys, column) in zip(tables, contexts, strict=True):
        count = table.at(keys, 0)
        wanted = np.where(column == 1, count[:, 1], count[:, 0])
        backed_off = (wanted + BACK_OFF * probability) / (count.sum(axis=1) + BACK_OFF)
        probability = np.where(column >= 0, backed_off, probability)
    return probability


def _yes_or_no(value: Any) -> bool:
    if isinstance(value, str):
        if value.lower() not in ("true", "yes", "1", "false", "no", "0"):
            raise UsageError(f"deterministic: true or false, not {value}")
        return value.lower() in ("true", "yes", "1")
    return bool(value)


def _treebank(value: Any) -> Source:
    source = Source.read(value)
    if source is None:
        raise UsageError("mode 'like' needs --treebank FILE: the treebank whose order is taken")
    return source


@permuter(
    "like",
    gives="placement",
    what="sides and sibling order drawn with the frequencies that they have in another treebank; with --deterministic "
    "always the most frequent. Contexts: (deprel, head UPOS, dependent UPOS), backing off to the relation without its "
    "subtype, then without tags; for two siblings (side, head UPOS, both relations and UPOS), backing off to side and "
    "relations. Siblings alike in relation and UPOS keep their order",
    source="counts with back-off; siblings from the head outwards, each with probability proportional to the product "
    "of its being nearer than the ones still left",
    random=lambda options: not options["deterministic"],
    options=(
        Option("treebank", None, "the treebank to be like", read=_treebank, is_path=True),
        Option("deterministic", False, "the most frequent side and order instead of draws", read=_yes_or_no),
    ),
    learn=_learn,
)
def like(treebank: Treebank, request: Request) -> Ints:
    habits: Habits = request.rule
    draw = not request.options["deterministic"]
    contexts: list[tuple[Ints, Ints]] = [
        (keys, np.ones(treebank.n_words, np.int64)) for keys in _side_contexts(treebank)
    ]
    threshold = treebank.random_uniform(request.seed, "like/sides") if draw else np.full(treebank.n_words, 0.5)
    after = _backed_off(habits.sides, contexts) > threshold
    unknown = (habits.sides[-1].at(contexts[-1][0], 0).sum(axis=1) == 0) & (treebank.head >= 0)
    request.counts["words whose type of arc the other treebank doesn't have (backed off)"] += int(unknown.sum())
    rank = _outwards(treebank, habits, after, request.seed if draw else None)
    return np.where(after, 1, -1) * _alike_in_text_order(treebank, rank, after)


def _outwards(treebank: Treebank, habits: Habits, after: Mask, seed: int | None) -> Ints:
    """The rank of each word among the siblings on its new side, from the head outwards, int64 [N]; seed None: the
    likeliest at each step instead of a draw.

    A step takes one word from each group of siblings that is left. The chance of a word is the product, over the others
    left, of its being nearer than they.
    """
    rank = np.ones(treebank.n_words, np.int64)
    a, b = sibling_pairs(treebank, in_text_order(treebank, after))
    a_nearer = np.log(_backed_off(habits.nearer, _pair_contexts(treebank, a, b, after)))
    b_nearer = np.log1p(-np.exp(a_nearer))
    score = np.zeros(treebank.n_words)
    np.add.at(score, a, a_nearer)
    np.add.at(score, b, b_nearer)
    group = 2 * treebank.head.astype(np.int64) + after
    left = np.unique(np.concatenate([a, b]))
    number = 1
    while len(left):
        drawn = score[left]
        if seed is not None:  # adding Gumbel noise and taking the largest draws by the softmax of the scores
            drawn = drawn - np.log(-np.log(1 - treebank.random_uniform(seed, f"like/step {number}")[left]))
        sort = np.lexsort((-left, drawn, group[left]))
        last = np.append(np.diff(group[left][sort]) != 0, True)
        taken = left[sort][last]
        rank[taken] = number
        gone = np.zeros(treebank.n_words, bool)
        gone[taken] = True
        np.subtract.at(score, a[gone[b]], a_nearer[gone[b]])
        np.subtract.at(score, b[gone[a]], b_nearer[gone[a]])
        kept = ~(gone[a] | gone[b])
        a, b, a_nearer, b_nearer = a[kept], b[kept], a_nearer[kept], b_nearer[kept]
        left = left[~gone[left]]
        number += 1
    return rank


def _alike_in_text_order(treebank: Treebank, rank: Ints, after: Mask) -> Ints:
    """The ranks, changed among siblings alike in relation and UPOS so that these keep their order in the text."""
    row = np.arange(treebank.n_words)
    kind = dependent_keys(treebank)
    by_rank = np.lexsort((rank, kind, after, treebank.head))
    by_text = np.lexsort((np.where(after, row, -row), kind, after, treebank.head))
    result = np.empty(treebank.n_words, np.int64)
    result[by_text] = rank[by_rank]
    return result
