"""The least length of trees over all orders of their words, projective or not, exactly.

Shiloach (1979), SIAM Journal on Computing 8(1), with the corrections of Esteban & Ferrer-i-Cancho (2017), SIAM Journal
on Computing 46(3). A free tree is looked at from a centroid. Either its largest subtree stands beside all the rest,
or 2p of the next largest stand around the rest in pairs, the largest outermost. Both are made of smaller trees that
are free or anchored: an anchored tree has one arc more, from its root to the outside of one end of it.

Trees of the same shape cost the same, and small ones recur: each shape of a whole treebank is worked out once.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

import numpy as np

from ..types import Ints
from .trees import Trees

Tree = tuple[int, bool]  # a shape, and whether it is anchored
Option = tuple[int, list[tuple[Tree, int]]]  # a way to order a tree: its own arcs, and how often it has which parts
Runs = tuple[tuple[int, int], ...]  # shapes of subtrees and how many there are of each, largest first


def minimal_unrestricted_lengths(trees: Trees) -> Ints:
    """The least summed length (adjacent words: 1) over all orders of each sentence, int64 [S].

    The trees of several roots stand one after the other, which no other order beats. Time grows nearly as the words
    do in chains, stars and random trees; Shiloach's bound is n^2.2 for a sentence of n words.
    """
    shapes = _Shapes()
    shape_of = np.zeros(trees.n_words, np.int64)
    subtrees: dict[int, list[int]] = {}
    heads = trees.head.tolist()
    for level in reversed(trees.levels):
        found = []
        for row in level.tolist():
            shape = shapes.of(subtrees.pop(row, ()))
            found.append(shape)
            if heads[row] >= 0:
                subtrees.setdefault(heads[row], []).append(shape)
        shape_of[level] = found
    roots = trees.levels[0] if trees.levels else np.zeros(0, np.int64)
    least = np.array([shapes.least((shape, False)) for shape in shape_of[roots].tolist()], np.int64)
    total = np.zeros(trees.n_sentences, np.int64)
    np.add.at(total, trees.sentence_of[roots], least)
    return total


class _Shapes:
    """Rooted trees whose subtrees have no order, as numbers: the same number for the same shape.

    runs: [shapes] the subtrees of the root; size: [shapes] words.
    """

    def __init__(self) -> None:
        self.runs: list[Runs] = []
        self.size: list[int] = []
        self._by_list: dict[tuple[int, ...], int] = {}
        self._by_runs: dict[Runs, int] = {}
        self._least: dict[Tree, int] = {}

    def of(self, subtrees: Iterable[int]) -> int:
        """The shape of a word with these subtrees."""
        listed = tuple(sorted(subtrees))
        number = self._by_list.get(listed)
        if number is None:
            number = self._by_list[listed] = self._of_counts(Counter(listed))
        return number

    def _of_counts(self, counts: dict[int, int]) -> int:
        return self._of_runs(tuple(sorted(counts.items(), key=lambda run: (-self.size[run[0]], run[0]))))

    def _of_runs(self, runs: Runs) -> int:
        number = self._by_runs.get(runs)
        if number is None:
            number = self._by_runs[runs] = len(self.runs)
            self.runs.append(runs)
            self.size.append(1 + sum(self.size[shape] * times for shape, times in runs))
        return number

    def _without_largest(self, shape: int) -> int:
        """A tree less one largest subtree."""
        (largest, times), *others = self.runs[shape]
        return self._of_runs(((largest, times - 1), *others) if times > 1 else tuple(others))

    def least(self, tree: Tree) -> int:
        """The least length of a tree (of an anchored one with its outer arc as far as the end of the tree)."""
        known = self._least
        waiting: list[tuple[Tree, list[Option] | None]] = [(tree, None)]
        while waiting:  # without recursion: a chain of words is as deep as it is long
            current, options = waiting.pop()
            if options is not None:  # all its parts are known by now
                known[current] = min(own + sum(known[part] * times for part, times in parts) for own, parts in options)
            elif current not in known:
                options = self._options(*current)
                waiting.append((current, options))
                waiting.extend((part, None) for _, parts in options for part, _ in parts if part not in known)
        return known[tree]

    def _options(self, shape: int, anchored: bool) -> list[Option]:
        """The ways one of which orders a tree at least length."""
        if self.size[shape] == 1:
            return [(0, [])]
        if not anchored:
            centred = self._at_centroid(shape)
            if centred != shape:
                return [(0, [((centred, False), 1)])]
        largest, rest = self.runs[shape][0][0], self._without_largest(shape)
        beside = self.size[rest] if anchored else 1
        options: list[Option] = [(beside, [((largest, True), 1), ((rest, not anchored), 1)])]
        pairs = self._pairs_around(shape, anchored)
        return [*options, self._around(shape, anchored, pairs)] if pairs else options

    def _pairs_around(self, shape: int, anchored: bool) -> int:
        """How many pairs of subtrees stand around the largest one and the rest, if that can be shorter; else 0.

        In an anchored tree the outer arc takes the place of the largest of them.
        """
        largest = self.size[self.runs[shape][0][0]]
        rest = self.size[shape] - largest  # without the subtrees up to `number`
        number = pairs = 0
        for run, (subtree, times) in enumerate(self.runs[shape]):
            size, members = self.size[subtree], times - (run == 0)
            # of equal ones the last that closes a pair has least left within, so it passes if any of them does
            back = (number + members + anchored) % 2
            within = rest - size * (members - back)
            if members > back and size > (largest + 2) // 2 + (within + 2) // 2:
                pairs = (number + members - back + anchored) // 2
            number, rest = number + members, rest - size * members
        return pairs

    def _around(self, shape: int, anchored: bool, pairs: int) -> Option:
        """Subtrees in pairs around the largest one and the rest: 2p of them, of an anchored tree one less."""
        outer: list[tuple[Tree, int]] = []
        inner = Counter({self.runs[shape][0][0]: 1})
        wanted, passed, number = 2 * pairs - anchored, 0, int(anchored)
        for run, (subtree, times) in enumerate(self.runs[shape]):
            members = times - (run == 0)
            taken = min(members, wanted)
            if taken:
                outer.append(((subtree, True), taken))
                # the arcs of those further out on a side pass over it; the first of all is outermost
                passed += self.size[subtree] * (_halves(number + taken) - _halves(number))
            if members > taken:
                inner[subtree] += members - taken
            number, wanted = number + taken, wanted - taken
        core = self._of_counts(inner)
        return passed + pairs * (self.size[core] + 1) - anchored, [*outer, ((core, False), 1)]

    def _at_centroid(self, shape: int) -> int:
        """The same tree seen from a word whose subtrees hold half of the words at most."""
        while self.runs[shape]:
            largest = self.runs[shape][0][0]
            if 2 * self.size[largest] <= self.size[shape]:
                break
            counts = Counter(dict(self.runs[largest]))
            counts[self._without_largest(shape)] += 1
            shape = self._of_counts(counts)
        return shape


def _halves(number: int) -> int:
    """The sum of n // 2 over all n below a number."""
    return (number - 1) ** 2 // 4
