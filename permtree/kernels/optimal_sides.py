"""Among all projective orders of minimal length, the sides of one in which words stand most where they prefer to stand.

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

from ..types import Floats, Ints
from .trees import Trees

LEFT, RIGHT = 0, 1


@dataclass
class _Level:
    """The dependents of all heads of one depth: what doesn't depend on preferences, and room for the choices."""

    heads: Ints  # [H]
    children: Ints  # [C] by head, size (largest first)
    group: Ints  # [C] group of each child: those of equal size under one head
    shared: Ints  # [C'] places in `children` of those that aren't alone in their group
    first: Ints  # [G] place of the first child of each group
    group_head: Ints  # [G] number of its head in `heads`
    steps: list[Ints]  # groups that come first, second ... among those of their head
    closed: Ints  # [G] pairs within the group
    shares_before: Ints  # [G] 1 where the group's first place shares a pair with what stands before
    shares_after: Ints  # [G]
    last_group: Ints  # [H]
    head_begin: Ints  # [H] place of each head's first child


@dataclass
class _Choices:
    """The best choices on one level, kept for the way back down."""

    children: Ints  # [C] the level's, within a group by gain (largest first)
    side_before: Ints  # [G, 2, 2] best side of the first place, given the head's side and the side of the last place
    side_last: Ints  # [H, 2] best side of the last group's last place, given the head's side


class OptimalSides:
    """The choice between optimal orders of the same trees for any preferences; see `best`."""

    def __init__(self, trees: Trees):
        self._n_words = trees.n_words
        parents = [rows[trees.n_dependents[rows] > 0] for rows in trees.levels[:-1]]
        self._levels = [_level(trees, np.sort(heads)) for heads in reversed(parents)]

    def best(self, preference: Ints | Floats) -> Ints:
        """-1 (before the head) or +1 (after it) for each word, int64 [N]; roots get +1.

        preference: [N] whole numbers (so that sums are exact, whatever else is in the treebank), what a word gains by
        standing after its head instead of before it. With magnitudes that grow with subtree size, the sides make an
        optimal order (see `optdl`), and no other optimal order has a larger sum of preferences over the words after
        their head.
        """
        value = np.zeros((self._n_words, 2), np.float64)  # best sum over all words below each word, by its own side
        choices = [_solve(level, preference, value) for level in self._levels]
        side = np.full(self._n_words, RIGHT, np.int64)
        for level, choice in zip(reversed(self._levels), reversed(choices), strict=True):
            _choose(level, choice, side)
        return 2 * side - 1


def _level(trees: Trees, heads: Ints) -> _Level:
    count = trees.n_dependents[heads]
    total = count.sum()
    within_head = np.arange(total) - np.repeat(np.cumsum(count) - count, count)
    children = trees.dependents[np.repeat(trees.first_dependent[heads], count) + within_head]
    head_index = np.repeat(np.arange(len(heads)), count)
    sort = np.lexsort((-trees.subtree_size[children], head_index))
    children = children[sort]
    size = trees.subtree_size[children]
    place = within_head + (trees.head[heads] >= 0)[head_index]

    new_group = (np.diff(head_index, prepend=-1) != 0) | (np.diff(size, prepend=-1) != 0)
    group = np.cumsum(new_group) - 1
    first = np.flatnonzero(new_group)
    members = np.diff(np.append(first, total))
    group_head = head_index[first]
    first_group = np.searchsorted(group_head, np.arange(len(heads)))
    step = np.arange(len(first)) - first_group[group_head]
    shares_before = place[first] % 2
    shares_after = 1 - place[first + members - 1] % 2
    return _Level(
        heads=heads,
        children=children,
        group=group,
        shared=np.flatnonzero(members[group] > 1),
        first=first,
        group_head=group_head,
        steps=[np.flatnonzero(step == number) for number in range(int(step.max()) + 1)],
        closed=(members - shares_before - shares_after) // 2,
        shares_before=shares_before,
        shares_after=shares_after,
        last_group=np.append(first_group[1:], len(first)) - 1,
        head_begin=first[first_group],
    )


def _solve(level: _Level, preference: Ints | Floats, value: Floats) -> _Choices:
    """The best choices for the dependents of a level, given the best sums below these (written for their heads)."""
    children, first = level.children, level.first
    gain = value[children, RIGHT] + preference[children] - value[children, LEFT]
    if len(level.shared):
        sort = level.shared[np.lexsort((-gain[level.shared], level.group[level.shared]))]
        children, gain = children.copy(), gain.copy()
        children[level.shared], gain[level.shared] = level.children[sort], gain[sort]
    summed = np.concatenate([[0.0], np.cumsum(gain)])
    begin = summed[first]
    gained = np.empty((len(first), 2, 2))  # [G, side before, side after]
    for before in (LEFT, RIGHT):
        for after in (LEFT, RIGHT):
            right = level.closed + level.shares_before * before + level.shares_after * after
            gained[:, before, after] = summed[first + right] - begin

    best = np.zeros((len(first), 2, 2))  # [G, side of the head, side after]
    side_before = np.zeros((len(first), 2, 2), np.int64)
    for number, at in enumerate(level.steps):
        if number == 0:
            # place 0 is the head's side, so place 1 lies opposite to the head's own head: on the head's side
            arrived = np.where(level.shares_before[at][:, None, None] > 0, _ONLY_OWN_SIDE, 0.0)
        else:
            arrived = best[at - 1][:, :, ::-1]  # the other side of the pair shared with the group before
        left = arrived[:, :, LEFT, None] + gained[at][:, None, LEFT, :]  # [., head's side, side after]
        right = arrived[:, :, RIGHT, None] + gained[at][:, None, RIGHT, :]
        side_before[at] = right > left
        best[at] = np.maximum(left, right)
    last = best[level.last_group]
    if_left = np.add.reduceat(value[level.children, LEFT], level.head_begin)
    value[level.heads] = last.max(axis=2) + if_left[:, None]
    return _Choices(children, side_before, (last[:, :, RIGHT] > last[:, :, LEFT]).astype(np.int64))


_ONLY_OWN_SIDE = np.array([[0.0, -np.inf], [-np.inf, 0.0]])[None]


def _choose(level: _Level, choices: _Choices, side: Ints) -> None:
    """From the sides of the heads, the sides of their dependents (written into `side`)."""
    after = np.zeros(len(level.first), np.int64)
    head_side = side[level.heads][level.group_head]
    after[level.last_group] = choices.side_last[np.arange(len(level.heads)), side[level.heads]]
    right = np.zeros(len(level.first), np.int64)
    for number in range(len(level.steps) - 1, -1, -1):
        at = level.steps[number]
        before = choices.side_before[at, head_side[at], after[at]]
        right[at] = level.closed[at] + level.shares_before[at] * before + level.shares_after[at] * after[at]
        if number:
            after[at - 1] = 1 - before
    within = np.arange(len(choices.children)) - level.first[level.group]
    side[choices.children] = np.where(within < right[level.group], RIGHT, LEFT)
