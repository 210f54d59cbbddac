"""What a dependent and its siblings are, as keys: relations and tags of a word, its head, and its neighbours.

Siblings here are dependents of one head on the same side of it. Keys are the same in every treebank
(`permtree.kernels.keys`).
"""

from __future__ import annotations

import numpy as np

from ..kernels.keys import combined, name_keys
from ..kernels.trees import Trees
from ..types import Floats, Ints, Mask
from . import Column, Treebank


def column_keys(column: Column) -> Ints:
    """The key of each word's value in a column, uint64 [N]."""
    if not column.vocabulary:
        return np.zeros(0, np.uint64)
    return name_keys(column.vocabulary)[column.codes]


def base_relation_keys(treebank: Treebank) -> Ints:
    """The key of each word's relation without its subtype (`nmod` for `nmod:poss`), uint64 [N]."""
    names = [name.split(":")[0] for name in treebank.deprel.vocabulary]
    return name_keys(names)[treebank.deprel.codes] if names else np.zeros(0, np.uint64)


# What the type of an arc may be: its full deprel, with the UPOS of its head and of its dependent or without.
ARC_TYPES = ("deprel+head+dependent", "deprel+head", "deprel+dependent", "deprel")


def arc_keys(treebank: Treebank, kind: str = ARC_TYPES[0]) -> Ints:
    """The type of each word's arc, of a kind of ARC_TYPES, uint64 [N]; roots have one of no arc."""
    tag = column_keys(treebank.upos)
    parts = {
        "deprel": column_keys(treebank.deprel),
        "head": tag[np.maximum(treebank.head, 0)],
        "dependent": tag,
    }
    return combined(*(parts[name] for name in kind.split("+")))


def dependent_keys(treebank: Treebank) -> Ints:
    """What each word is as a dependent, (full deprel, UPOS), uint64 [N]."""
    return combined(column_keys(treebank.deprel), column_keys(treebank.upos))


def after_head(trees: Trees) -> Mask:
    """Which words stand after their head, bool [N]; roots do."""
    return np.arange(trees.n_words) > trees.head


def text_placement(trees: Trees) -> Ints:
    """The placement (see `permtree.kernels.linearize`) that head and dependents have in the text, int64 [N]."""
    return np.arange(trees.n_words) - trees.head


def paired_kinds(trees: Trees, placement: Ints | Floats, kind: Ints) -> tuple[Ints, Ints, Ints]:
    """All pairs of dependents of one head on one side of it, by their kinds: a row of the kind of the nearer one, a row
    of the kind of the farther one (both among these dependents), and how many pairs there are of the two; int64 [P].

    kind: uint64 [N]. A word is looked at once for each kind on its side of its head, so work grows with words times
    kinds, memory with pairs of kinds.
    """
    children = trees.dependents
    group = 2 * trees.head[children].astype(np.int64) + (placement[children] > 0)
    several = np.bincount(group, minlength=1)[group] > 1
    children, group = children[several], group[several]
    by_kind = np.lexsort((kind[children], group))
    new_group = changes(group[by_kind])
    new_entry = new_group | changes(kind[children][by_kind])
    first_entry = np.flatnonzero(new_entry)  # an entry is a kind in a group
    entry = np.empty(len(children), np.int64)
    entry[by_kind] = np.cumsum(new_entry) - 1
    group_of_entry = np.cumsum(new_group)[first_entry] - 1
    kinds = np.bincount(group_of_entry)  # in each group
    begin = np.cumsum(kinds) - kinds
    width = kinds[group_of_entry]
    column = np.cumsum(width) - width  # where the pairs of each farther entry begin
    counts = np.zeros(int(width.sum()), np.int64)

    outwards = np.lexsort((np.abs(placement[children]), group))
    entry = entry[outwards]
    number = 0
    while len(entry):  # the kind of that number in each group as the nearer one
        of_kind = entry - begin[group_of_entry[entry]] == number
        before = np.cumsum(of_kind) - of_kind
        starts = changes(group_of_entry[entry])
        before = before - before[starts][np.cumsum(starts) - 1]
        np.add.at(counts, column[entry] + number, before)
        number += 1
        entry = entry[kinds[group_of_entry[entry]] > number]
    row = children[by_kind][first_entry]
    far = np.repeat(np.arange(len(first_entry)), width)
    near = begin[group_of_entry[far]] + np.arange(len(far)) - column[far]
    some = counts > 0
    return row[near[some]], row[far[some]], counts[some]


def changes(values: Ints) -> Mask:
    """Where a run of equal values begins, bool [K]."""
    return np.append(True, values[1:] != values[:-1])[: len(values)]
