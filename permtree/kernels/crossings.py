"""Arcs that cross, and subtrees with gaps. Arcs that share a word don't cross; a root has no arc. All need trees."""

from __future__ import annotations

import numpy as np

from ..types import Ints, Mask
from .inversions import smaller_before
from .trees import Trees, arc_ends, range_extremes


def crossings(trees: Trees) -> Ints:
    """Pairs of arcs that cross, per sentence, int64 [S]. Work: words times the logarithm of the longest sentence."""
    rows, low, high = arc_ends(trees)
    sentence = trees.sentence_of[rows]
    crossed = _crossed_at_the_right(low, high, sentence, trees.n_sentences, trees.n_words)
    return np.bincount(sentence, crossed, trees.n_sentences).astype(np.int64)


def crossings_of_arcs(trees: Trees) -> Ints:
    """How many arcs cross each word's own, int64 [N]. Work grows as that of `crossings`."""
    rows, low, high = arc_ends(trees)
    sentence, last = trees.sentence_of[rows], trees.n_words - 1
    count = np.zeros(trees.n_words, np.int64)
    count[rows] = _crossed_at_the_right(low, high, sentence, trees.n_sentences, trees.n_words)
    mirrored = trees.n_sentences - 1 - sentence
    count[rows] += _crossed_at_the_right(last - high, last - low, mirrored, trees.n_sentences, trees.n_words)
    return count


def one_endpoint(trees: Trees) -> Mask:
    """Which words hang on a 1-endpoint-crossing arc, bool [N]: all arcs that cross it, if any, have a word in common.

    Pitler, Kannan & Marcus (2013). One arc that crosses is found through the farthest neighbours of the words under the
    arc; the word in common must be one of its two ends, so their arcs that cross are counted.
    """
    result = trees.head >= 0
    count = crossings_of_arcs(trees)
    rows = np.flatnonzero(count)
    if not len(rows):
        return result
    heads = trees.head[rows].astype(np.int64)
    low, high, count = np.minimum(rows, heads), np.maximum(rows, heads), count[rows]
    all_rows, a, c = arc_ends(trees)
    words = np.arange(trees.n_words)
    nearest, farthest = words.copy(), words.copy()  # the first and the last neighbour of each word, or itself
    np.minimum.at(nearest, c, a)
    np.maximum.at(farthest, a, c)
    width = np.int64(trees.n_words)
    first, _ = range_extremes(nearest * width + words, low + 1, high)
    _, last = range_extremes(farthest * width + words, low + 1, high)
    to_left = first // width < low
    inside = np.where(to_left, first, last) % width
    outside = np.where(to_left, first, last) // width
    neighbours = np.sort(np.concatenate([a * width + c, c * width + a]))  # of each word, in the order of the text

    def between(word: Ints, begin: Ints, end: Ints) -> Ints:
        """How many neighbours of a word stand in begin ... end-1."""
        return np.searchsorted(neighbours, word * width + end) - np.searchsorted(neighbours, word * width + begin)

    degree = trees.n_dependents + (trees.head >= 0)
    of_inside = degree[inside] - between(inside, low, high + 1)
    of_outside = between(outside, low + 1, high)
    result[rows] = (of_inside == count) | (of_outside == count)
    return result


def gap_degrees(trees: Trees) -> Ints:
    """The gap degree of each word, int64 [N]: the gaps in its subtree as it stands in the sentence, 0 for one block.

    Of two neighbours, the word where the paths to their root meet and all above it have both in their subtree. So a
    subtree of n words with p such pairs stands in n - p blocks. Kuhlmann & Nivre (2006).
    """
    n = trees.n_words
    if not n:
        return np.zeros(0, np.int64)
    right = np.flatnonzero(np.append(False, trees.sentence_of[1:] == trees.sentence_of[:-1]))
    at = trees.preorder
    by_preorder = np.empty(n, np.int64)
    by_preorder[at] = np.arange(n)
    key = trees.depth[by_preorder].astype(np.int64) * n + by_preorder
    begin, end = np.minimum(at[right - 1], at[right]), np.maximum(at[right - 1], at[right])
    shallowest, _ = range_extremes(key, begin + 1, end + 1)  # it hangs on the word where the paths meet
    meet = trees.head[shallowest % n]
    meet = meet[meet >= 0]  # else in the trees of two roots
    pairs = np.append(0, np.cumsum(np.bincount(at[meet], minlength=n)))
    return trees.subtree_size - (pairs[at + trees.subtree_size] - pairs[at]) - 1


def _crossed_at_the_right(low: Ints, high: Ints, sentence: Ints, n_sentences: int, n_words: int) -> Ints:
    """How many arcs begin under each arc and end behind it, int64 [arcs].

    An arc from a to c > a is crossed at its right end by the arcs that begin between a and c, less those that end there
    too.
    """
    sort = np.lexsort((high, low))
    low, high, sentence = low[sort], high[sort], sentence[sort]
    begun = np.cumsum(np.bincount(low, minlength=n_words))  # arcs that begin at a word or before it
    ended = np.cumsum(np.bincount(high, minlength=n_words))
    arcs = np.bincount(sentence, minlength=n_sentences)
    first = (np.cumsum(arcs) - arcs)[sentence]
    by_end = np.empty(len(high), np.int64)
    by_end[np.argsort(high, kind="stable")] = np.arange(len(high))
    within = ended[high] - first - 1 - smaller_before(by_end - first, first)  # those that begin after a, end up to c
    crossed = np.empty(len(high), np.int64)
    crossed[sort] = begun[high - 1] - begun[low] - within
    return crossed
