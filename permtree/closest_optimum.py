"""Among all projective orders of minimal length, the sides of one in which most words keep their side of the head.

Dynamic programming from the leaves up, for all words of one depth at once. Sort a word's dependents by subtree size,
largest first; the optimal orders are those in which places (0, 1), (2, 3) ... lie on opposite sides, where place 0 of a
word with a head is its head's own side (so its largest dependent, place 1, lies away from it) and a root's largest
dependent has place 0. Dependents of equal size can take each other's places. So each group of equal sizes must put half
of its closed pairs on each side, and shares a pair with the group before or after it where a pair spans both: a chain
with two states (the side of the place that a pair shares) per group.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from .trees import Trees
from .types import Floats, Ints

LEFT, RIGHT = 0, 1


@dataclass
class _Level:
    """The choices of the dependents of all heads of one depth, kept for the way back down."""

    children: Ints  # [C] by head, size (largest first), gain (largest first)
    group: Ints  # [C] group of each child
    within: Ints  # [C] number of the child in its group
    heads: Ints  # [H]
    last_group: Ints  # [H]
    step: Ints  # [G] number of the group among those of its head
    closed: Ints  # [G] pairs within the group
    shares_before: Ints  # [G] 1 where the group's first place shares a pair with what stands before
    shares_after: Ints  # [G]
    side_before: Ints  # [G, 2, 2] best side of the first place, given the head's side and the side of the last place
    side_last: Ints  # [H, 2] best side of the last group's last place, given the head's side


def sides_closest_to_original(trees: Trees) -> Ints:
    """-1 (before the head) or +1 (after it) for each word, int64 [N]; roots get +1.

    With magnitudes that grow with subtree size, these sides make an optimal order (see `optdl`), and no other optimal
    order keeps more words on the side that they are on in `trees`.
    """
    kept = np.zeros((trees.n_words, 2), np.float64)  # most words below each word that keep their side, by its own side
    was_right = np.arange(trees.n_words) > trees.head
    levels = []
    for rows in reversed(trees.levels[:-1]):
        heads = rows[trees.n_dependents[rows] > 0]
        levels.append(_solve(trees, np.sort(heads), was_right, kept))
    side = np.full(trees.n_words, RIGHT, np.int64)
    for level in reversed(levels):
        _choose(level, side)
    return 2 * side - 1


def _solve(trees: Trees, heads: Ints, was_right: np.ndarray, kept: Floats) -> _Level:
    count = trees.n_dependents[heads]
    total = count.sum()
    within_head = np.arange(total) - np.repeat(np.cumsum(count) - count, count)
    children = trees.dependents[np.repeat(trees.first_dependent[heads], count) + within_head]
    head_index = np.repeat(np.arange(len(heads)), count)
    if_left = kept[children, LEFT] + ~was_right[children]
    gain = kept[children, RIGHT] + was_right[children] - if_left
    size = trees.subtree_size[children]
    sort = np.lexsort((-gain, -size, head_index))
    children, gain, size = children[sort], gain[sort], size[sort]
    place = within_head + (trees.head[heads] >= 0)[head_index]

    new_group = (np.diff(head_index, prepend=-1) != 0) | (np.diff(size, prepend=-1) != 0)
    group = np.cumsum(new_group) - 1
    first = np.flatnonzero(new_group)
    members = np.diff(np.append(first, total))
    group_head = head_index[first]
    step = np.arange(len(first)) - np.searchsorted(group_head, np.arange(len(heads)))[group_head]
    shares_before = place[first] % 2
    shares_after = 1 - place[first + members - 1] % 2
    closed = (members - shares_before - shares_after) // 2

    summed = np.concatenate([[0.0], np.cumsum(gain)])
    side = np.arange(2)
    right = closed[:, None, None] + shares_before[:, None, None] * side[:, None] + shares_after[:, None, None] * side
    value = summed[first[:, None, None] + right] - summed[first][:, None, None]  # [G, side before, side after]

    best = np.zeros((len(first), 2, 2))  # [G, side of the head, side after]
    side_before = np.zeros((len(first), 2, 2), np.int64)
    for number in range(int(step.max()) + 1):
        at = np.flatnonzero(step == number)
        if number == 0:
            # place 0 is the head's side, so place 1 lies opposite to the head's own head: on the head's side
            arrived = np.where(side[:, None] == side[None, :], 0.0, -np.inf)[None]
            arrived = np.where(shares_before[at][:, None, None] > 0, arrived, 0.0)
        else:
            arrived = best[at - 1][:, :, ::-1]  # the other side of the pair shared with the group before
        options = arrived[:, :, :, None] + value[at][:, None, :, :]  # [., head's side, side before, side after]
        side_before[at] = options.argmax(axis=2)
        best[at] = options.max(axis=2)
    last_group = np.append(np.flatnonzero(np.diff(group_head)), len(first) - 1)
    kept[heads] = best[last_group].max(axis=2) + np.bincount(head_index, if_left, len(heads))[:, None]
    side_last = best[last_group].argmax(axis=2)
    within = np.arange(total) - first[group]
    return _Level(
        children, group, within, heads, last_group, step, closed, shares_before, shares_after, side_before, side_last
    )


def _choose(level: _Level, side: Ints) -> None:
    """From the sides of the heads, the sides of their dependents (written into `side`)."""
    after = np.zeros(len(level.step), np.int64)
    head_side = np.zeros(len(level.step), np.int64)
    groups_of_head = np.diff(np.append(-1, level.last_group))
    head_side[:] = np.repeat(side[level.heads], groups_of_head)
    after[level.last_group] = level.side_last[np.arange(len(level.heads)), side[level.heads]]
    right = np.zeros(len(level.step), np.int64)
    for number in range(int(level.step.max()), -1, -1):
        at = np.flatnonzero(level.step == number)
        before = level.side_before[at, head_side[at], after[at]]
        right[at] = level.closed[at] + level.shares_before[at] * before + level.shares_after[at] * after[at]
        if number:
            after[at - 1] = 1 - before
    side[level.children] = np.where(level.within < right[level.group], RIGHT, LEFT)
