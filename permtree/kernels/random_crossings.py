"""The number of crossings of a tree's arcs if its words stand in a random order, all n! orders being equally likely."""

from __future__ import annotations

import numpy as np

from ..types import Floats, Ints
from .trees import Trees


def disjoint_pairs(trees: Trees) -> Ints:
    """Pairs of arcs that share no word, per sentence, int64 [S]: the pairs that can cross.

    Each crosses in 8 of the 24 orders of its four words, so a third of them is expected to cross.
    """
    shapes = _Shapes(trees)
    return _whole((shapes.arcs * (shapes.arcs - 1)) / 2 - shapes.forks)


def variance(trees: Trees) -> Floats:
    """The variance of the number of crossings, per sentence, float64 [S]. Linear in the number of words.

    The sum of the covariances of all pairs (p, q) of disjoint pairs of arcs. It depends on what p and q share (Alemany-
    Puig & Ferrer-i-Cancho 2020, J. Stat. Mech. 023403), thus on how often the shapes that p and q make together are
    found in the tree: these are counted from degrees, which is exact for trees and forests (cycles of four, which the
    authors count too, are not in them). Whole numbers are exact up to 2**53, beyond sentences of 10,000 words.
    """
    s = _Shapes(trees)
    m, d, per = s.arcs, s.degree, s.per_sentence
    a, b = s.ends  # of all arcs
    free = m[s.of_arc] - d[a] - d[b] + 1  # arcs that share no word with an arc
    pairs = per(s.of_arc, free) / 2
    # a path of three arcs x-a-b-y for each choice of a neighbour on both sides
    inner = (d[a] - 1) * (d[b] - 1)
    paths3 = per(s.of_arc, inner)
    # paths of four arcs around their middle word; v's neighbours' further neighbours, two different ones of v
    further = s.around(d - 1)
    paths4 = per(s.of_word, further**2 - s.around((d - 1) ** 2)) / 2
    # forks u-c-w, of two arcs, and an arc apart: all but those at u, c, w
    forks_of = d * (d - 1) / 2
    neighbours = s.around(d)
    touched = (d - 1) * neighbours + forks_of * (d - 2)
    fork_and_arc = per(s.of_word, forks_of * m[s.of_word] - touched)
    # three arcs apart, each pair of which leaves its third; an arc between the two is counted twice as touching them
    three = (per(s.of_arc, free * (m[s.of_arc] + 2)) / 2 - per(s.of_arc, free * (d[a] + d[b])) + paths3) / 3
    # a path of three arcs and an arc apart
    outer = (d[b] - 1) * (neighbours[a] - d[b]) + (d[a] - 1) * (neighbours[b] - d[a])
    path_and_arc = per(s.of_arc, inner * (m[s.of_arc] + 3 - d[a] - d[b]) - outer)
    # two forks apart: all but those that touch u, c or w, each counted once
    at_word = forks_of + further
    touching = (d - 1) * (s.around(at_word) - neighbours) + forks_of * (at_word - 2 * d + 4)
    two_forks = per(s.of_word, forks_of * s.forks[s.of_word] - touching) / 2
    covariances = 2 / 9 * pairs + 1 / 9 * fork_and_arc + 2 / 15 * three
    return covariances - paths4 / 18 - path_and_arc / 45 + two_forks / 45


class _Shapes:
    """Degrees in the trees without direction, and sums over words, neighbours and arcs (float64: whole numbers)."""

    def __init__(self, trees: Trees):
        self.n_words, self.n_sentences = trees.n_words, trees.n_sentences
        rows = np.flatnonzero(trees.head >= 0)
        self.ends = rows, trees.head[rows].astype(np.int64)
        self.of_word, self.of_arc = trees.sentence_of, trees.sentence_of[rows]
        self.degree = (trees.n_dependents + (trees.head >= 0)).astype(np.float64)
        self.arcs = np.bincount(self.of_arc, minlength=trees.n_sentences).astype(np.float64)
        self.forks = self.per_sentence(self.of_word, self.degree * (self.degree - 1) / 2)

    def per_sentence(self, sentence: Ints, values: Floats) -> Floats:
        return np.asarray(np.bincount(sentence, values, self.n_sentences), np.float64)

    def around(self, values: Floats) -> Floats:
        """The sum of a value over the neighbours of each word."""
        word, head = self.ends
        both = np.bincount(head, values[word], self.n_words) + np.bincount(word, values[head], self.n_words)
        return np.asarray(both, np.float64)


def _whole(values: Floats) -> Ints:
    return np.rint(values).astype(np.int64)
