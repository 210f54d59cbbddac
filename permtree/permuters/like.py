"""Sides and sibling order as another treebank has them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..configuration import Settings, setting
from ..errors import UsageError
from ..kernels.keys import Lookup, combined, counted
from ..kernels.logarithm import in_steps, logarithm
from ..treebank import Treebank
from ..treebank.arc_types import (
    after_head,
    arc_keys,
    base_relation_keys,
    changes,
    column_keys,
    dependent_keys,
    paired_kinds,
    text_placement,
)
from ..types import Floats, Ints, Mask
from . import Request, Rule, Source, permuter

STEPS = 2.0**36  # of logarithms of chances, in a nat: sums of whole steps are exact, in whatever order
EQUAL = 2**16  # steps; chances that differ by less than one in a million count as equal
BACK_OFF = 0.5  # weight of the more general context: less than one observation, so that it decides ties only


@dataclass(frozen=True)
class Habits:
    """What is counted: words before and after their head, and which of two siblings is nearer, by context from the
    most general to the most specific one."""

    sides: list[Lookup]
    nearer: list[Lookup]


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
    near, far, times = paired_kinds(treebank, text_placement(treebank), dependent_keys(treebank))
    contexts = _pair_contexts(treebank, near, far, after)
    nearer = [counted(keys[column >= 0], column[column >= 0], times=times[column >= 0]) for keys, column in contexts]
    digest = "".join(table.digest() for table in (sides[-1], nearer[-1]))
    return Rule(Habits(sides, nearer), (("learnt", f"{digest} ({len(arcs)} arcs, {times.sum()} pairs of siblings)"),))


def _backed_off(tables: list[Lookup], contexts: list[tuple[Ints, Ints]]) -> Floats:
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


@dataclass(frozen=True)
class Like(Settings):
    """Like what, and whether by draws."""

    treebank: Source = setting(None, "the treebank to be like", read=_treebank, is_path=True)
    deterministic: bool = setting(False, "the most frequent side and order instead of draws", read=_yes_or_no)


@permuter(
    "like",
    gives="placement",
    what="sides and sibling order drawn with the frequencies that they have in another treebank; with --deterministic "
    "always the most frequent, and what is equally frequent as in the text. Contexts: (deprel, head UPOS, dependent "
    "UPOS), backing off to the relation without its subtype, then without tags; for two siblings (side, head UPOS, "
    "both relations and UPOS), backing off to side and relations. Siblings alike in relation and UPOS keep their "
    "order. Time grows with words times kinds (relation and UPOS) of siblings",
    source="counts with back-off; siblings from the head outwards, each with probability proportional to the product "
    "of its being nearer than the ones still left",
    random=lambda config: not config.deterministic,
    config=Like,
    learn=_learn,
)
def like(treebank: Treebank, request: Request) -> Ints:
    habits: Habits = request.rule
    draw = not request.config.deterministic
    contexts: list[tuple[Ints, Ints]] = [
        (keys, np.ones(treebank.n_words, np.int64)) for keys in _side_contexts(treebank)
    ]
    threshold = treebank.random_uniform(request.seed, "like/sides") if draw else np.full(treebank.n_words, 0.5)
    after = _backed_off(habits.sides, contexts) > threshold
    unknown = (habits.sides[-1].at(contexts[-1][0], 0).sum(axis=1) == 0) & (treebank.head >= 0)
    request.counts["words whose type of arc the other treebank doesn't have (backed off)"] += int(unknown.sum())
    return np.where(after, 1, -1) * _outwards(treebank, habits, after, request.seed if draw else None)


def _outwards(treebank: Treebank, habits: Habits, after: Mask, seed: int | None) -> Ints:
    """The rank of each word among the siblings on its new side, from the head outwards, int64 [N]; seed None: the
    likeliest at each step instead of a draw, and of equally likely ones that which is nearer if all keep their order.

    A step takes one word from each group of siblings that is left. The chance of a word is the product, over the others
    left, of its being nearer than they: the same for all words of a kind (deprel, UPOS), which keep their order.
    """
    rank = np.ones(treebank.n_words, np.int64)
    kinds = _Kinds.of(treebank, habits, after)
    number = 1
    while len(kinds.next):
        if seed is None:
            rank[kinds.take(kinds.score, EQUAL)] = number
        else:  # adding Gumbel noise and taking the largest draws by the softmax of the scores
            uniform = treebank.random_uniform(seed, f"like/step {number}", kinds.row[kinds.next])
            noise = logarithm(-logarithm(1 - np.maximum(uniform, 2.0**-53)))
            rank[kinds.take(kinds.score / STEPS + logarithm(kinds.left) - noise)] = number
        number += 1
    return rank


@dataclass
class _Kinds:
    """Words of one kind in one group of siblings, an entry for each [E], group by group; those of groups of two or more
    words that are left."""

    row: Ints  # all words, kind by kind, from the head outwards if all keep their order
    place: Ints  # grows with that order, for all words of a group
    next: Ints  # [E] place in `row` of the next word of the kind
    left: Ints  # [E] how many words of the kind are left
    score: Ints  # [E] logarithm of the chance of each of them, in STEPS
    group: Ints  # [E]
    number: Ints  # [E] number of the kind among the kinds of its group
    nearer: Ints  # logarithms of the chance to be nearer, by kind and other kind of a group, in STEPS
    begin: Ints  # [E] where the chances of the kind begin in `nearer`

    @classmethod
    def of(cls, treebank: Treebank, habits: Habits, after: Mask) -> _Kinds:
        row, kind = treebank.dependents, dependent_keys(treebank)
        group = 2 * treebank.head[row].astype(np.int64) + after[row]
        several = np.bincount(group, minlength=1)[group] > 1
        row, group = row[several], group[several]
        place = np.where(after[row], row, -row)
        sort = np.lexsort((place, kind[row], group))
        row, place, group = row[sort], place[sort], group[sort]
        new_group = changes(group)
        first = np.flatnonzero(new_group | changes(kind[row]))
        left = np.diff(np.append(first, len(row)))
        group = np.cumsum(new_group)[first] - 1
        size = np.bincount(group)
        width, group_begin = size[group], (np.cumsum(size) - size)[group]
        begin = np.cumsum(width) - width
        one = np.repeat(np.arange(len(first)), width)
        other = group_begin[one] + np.arange(len(one)) - begin[one]
        chance = _backed_off(habits.nearer, _pair_contexts(treebank, row[first[one]], row[first[other]], after))
        nearer = in_steps(chance, STEPS)
        others = left[other] - (one == other)
        score = np.add.reduceat(others * nearer, begin) if len(begin) else begin
        return cls(row, place, first, left, score, group, np.arange(len(first)) - group_begin, nearer, begin)

    def take(self, drawn: Floats | Ints, equal: int = 0) -> Ints:
        """Take the next word of the kind with the largest number from each group; returns the rows. drawn: [E]; equal:
        how much less counts as the largest too."""
        new_group = changes(self.group)
        starts, of_group = np.flatnonzero(new_group), np.cumsum(new_group) - 1
        largest = drawn >= np.maximum.reduceat(drawn, starts)[of_group] - equal
        place = self.place[self.next]
        nearest = np.minimum.reduceat(np.where(largest, place, np.iinfo(np.int64).max), starts)
        taken = np.flatnonzero(largest & (place == nearest[of_group]))
        rows = self.row[self.next[taken]]
        self.score = self.score - self.nearer[self.begin + self.number[taken][of_group]]
        self.next[taken] += 1
        self.left[taken] -= 1
        kept = self.left > 0
        for name in ("next", "left", "score", "group", "number", "begin"):
            setattr(self, name, getattr(self, name)[kept])
        return rows
