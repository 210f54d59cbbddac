"""Kernels on trees: the heads of a whole treebank as one array, worked on level by level from the roots.

No recursion and no loop over sentences or words: a step handles all words of one depth at once.
"""

from __future__ import annotations

from functools import cached_property

import numpy as np

from ..types import Ints, Mask

ROOT = -1  # the head of a root
NO_HEAD = -2  # HEAD is "_": no tree is annotated


class Trees:
    """The trees of S sentences and N words.

    sentence_start: int64 [S+1], first row of each sentence, sentence_start[-1] == N; sentences may be empty.
    head: int32 [N], row of the head, ROOT for a root, NO_HEAD for a word without annotation.
    """

    def __init__(self, sentence_start: Ints, head: Ints):
        self.sentence_start = np.asarray(sentence_start, np.int64)
        self.head = np.asarray(head, np.int32)
        self.sentence_start.flags.writeable = False
        self.head.flags.writeable = False

    @property
    def n_words(self) -> int:
        return len(self.head)

    @property
    def n_sentences(self) -> int:
        return len(self.sentence_start) - 1

    @cached_property
    def sentence_length(self) -> Ints:
        """Words of each sentence, int64 [S]."""
        return np.diff(self.sentence_start)

    @cached_property
    def sentence_of(self) -> Ints:
        """The sentence of each word, int32 [N]."""
        return np.repeat(np.arange(self.n_sentences, dtype=np.int32), self.sentence_length)

    @cached_property
    def head_number(self) -> Ints:
        """The number of each word's head in its sentence, from 1; 0 for a root and without annotation; int64 [N]."""
        first = self.sentence_start[:-1][self.sentence_of]
        return np.where(self.head >= 0, self.head - first + 1, 0)

    @cached_property
    def dependents(self) -> Ints:
        """Rows of all words that have a head, grouped by head, in sentence order within a group: int64 [arcs]."""
        rows = np.flatnonzero(self.head >= 0)
        return rows[np.argsort(self.head[rows], kind="stable")]

    @cached_property
    def n_dependents(self) -> Ints:
        """Dependents of each word, int64 [N]."""
        return np.bincount(self.head[self.head >= 0], minlength=self.n_words)

    @cached_property
    def first_dependent(self) -> Ints:
        """Where each word's group starts in `dependents`, int64 [N]."""
        return np.cumsum(self.n_dependents) - self.n_dependents

    @cached_property
    def levels(self) -> list[Ints]:
        """Rows of all words of depth 0 (roots), 1, 2 ...; words that no root reaches are in none."""
        levels = []
        front = np.flatnonzero(self.head == ROOT)
        while len(front):
            levels.append(front)
            parents = front[self.n_dependents[front] > 0]
            count = self.n_dependents[parents]
            within = np.arange(count.sum()) - np.repeat(np.cumsum(count) - count, count)
            front = self.dependents[np.repeat(self.first_dependent[parents], count) + within]
        return levels

    @cached_property
    def depth(self) -> Ints:
        """Arcs between each word and its root, int32 [N]; -1 where no root reaches the word."""
        depth = np.full(self.n_words, -1, np.int32)
        for number, level in enumerate(self.levels):
            depth[level] = number
        return depth

    @cached_property
    def subtree_size(self) -> Ints:
        """Words of the subtree of each word, itself counted, int64 [N]."""
        size = np.ones(self.n_words, np.int64)
        for level in reversed(self.levels[1:]):
            np.add.at(size, self.head[level], size[level])
        return size

    @cached_property
    def root_rank(self) -> Ints:
        """For each root its number among the roots of its sentence (0, 1 ...); int64, one per word of levels[0]."""
        roots = self.levels[0] if self.levels else np.zeros(0, np.int64)
        before = np.searchsorted(roots, self.sentence_start[self.sentence_of[roots]])
        return np.arange(len(roots)) - before

    @cached_property
    def n_roots(self) -> Ints:
        """Roots of each sentence, int64 [S]."""
        return np.bincount(self.sentence_of[self.head == ROOT], minlength=self.n_sentences)

    def propagate(self, start: Ints, step: Ints) -> Ints:
        """Sums along the paths from the roots: value[root] = start, value[word] = value[its head] + step[word].

        start: one value per root, in the order of `levels[0]`; step: [N].
        """
        value = np.zeros(self.n_words, np.int64)
        if self.levels:
            value[self.levels[0]] = start
        for level in self.levels[1:]:
            value[level] = value[self.head[level]] + step[level]
        return value

    @cached_property
    def preorder(self) -> Ints:
        """A number for each word such that the subtree of v holds exactly preorder[v] ... + subtree_size[v] - 1.

        Numbers run over the whole treebank, sentence after sentence.
        """
        children = self.dependents
        size = self.subtree_size[children]
        before = np.cumsum(size) - size
        first = self.first_dependent[self.head[children]] if len(children) else children
        offset = np.zeros(self.n_words, np.int64)
        offset[children] = 1 + before - before[first]
        return self.propagate(self.root_begin, offset)

    @cached_property
    def root_begin(self) -> Ints:
        """Where each root's block begins when roots' trees stand one after the other, in the order of the roots."""
        roots = self.levels[0] if self.levels else np.zeros(0, np.int64)
        size = self.subtree_size[roots]
        before = np.cumsum(size) - size
        sentence = self.sentence_of[roots]
        first_root = np.arange(len(roots)) - self.root_rank
        return self.sentence_start[sentence] + before - before[first_root]

    @cached_property
    def nonprojective(self) -> Mask:
        """Which words hang on a non-projective arc: a word between them and their head isn't below the head; bool [N].

        Needs trees (no cycles). The first and last preorder number between the two ends come from a sparse table.
        """
        rows = np.flatnonzero(self.head >= 0)
        heads = self.head[rows].astype(np.int64)
        low, high = np.minimum(rows, heads) + 1, np.maximum(rows, heads)  # words strictly between: low ... high-1
        result = np.zeros(self.n_words, bool)
        wide = high > low
        rows, heads, low, high = rows[wide], heads[wide], low[wide], high[wide]
        lowest, highest = range_extremes(self.preorder, low, high)
        begin = self.preorder[heads]
        result[rows] = (lowest < begin) | (highest >= begin + self.subtree_size[heads])
        return result


def range_extremes(value: Ints, low: Ints, high: Ints) -> tuple[Ints, Ints]:
    """Minimum and maximum of value[low:high] for each pair with low < high."""
    exponent = np.frexp(high - low)[1] - 1  # largest power of two that fits
    lowest, highest = np.empty(len(low), np.int64), np.empty(len(low), np.int64)
    minimum, maximum = value, value
    for power in range(int(exponent.max(initial=-1)) + 1):
        width = 1 << power
        if power:
            half = width >> 1
            minimum = np.minimum(minimum[:-half], minimum[half:])
            maximum = np.maximum(maximum[:-half], maximum[half:])
        at = np.flatnonzero(exponent == power)
        left, right = low[at], high[at] - width
        lowest[at] = np.minimum(minimum[left], minimum[right])
        highest[at] = np.maximum(maximum[left], maximum[right])
    return lowest, highest


def reattach(head: Ints, kept: Mask) -> Ints:
    """Heads of all words when only the `kept` ones may be heads: the nearest kept ancestor, or ROOT if there is none.

    Needs trees. head: [N] rows; returns int32 [N], still rows of the same treebank.
    """
    new = head.astype(np.int32, copy=True)
    while True:
        lost = np.flatnonzero((new >= 0) & ~kept[np.maximum(new, 0)])
        if not len(lost):
            return new
        new[lost] = new[new[lost]]


def arc_ends(trees: Trees) -> tuple[Ints, Ints, Ints]:
    """The words that have a head, and of each of their arcs the first word and the last; int64 [arcs]."""
    rows = np.flatnonzero(trees.head >= 0)
    heads = trees.head[rows].astype(np.int64)
    return rows, np.minimum(rows, heads), np.maximum(rows, heads)


def heads_between(trees: Trees) -> Ints:
    """How many words strictly between each word and its head have a dependent, int64 [N]; 0 for roots."""
    before = np.append(0, np.cumsum(trees.n_dependents > 0))  # heads before each row
    rows, low, high = arc_ends(trees)
    count = np.zeros(trees.n_words, np.int64)
    count[rows] = before[high] - before[low + 1]
    return count
