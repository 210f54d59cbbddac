"""How much of a tree a projective tree with one root can have: the ceiling of projective parsers."""

from __future__ import annotations

import numpy as np

from ..types import Ints, Mask
from .trees import ROOT, Trees

CELLS = 1 << 20  # of a table of all sentences that are worked on together
SHORT = 1 << 13  # words of a sentence whose counts, and sums of two, fit 16 bits


def projective_ceiling(trees: Trees) -> Ints:
    """The most words that can have their own head in a projective tree with one root, int64 [S].

    A root keeps its head where the other tree has the same root. Needs trees; sentences may have several roots.

    Arcs can stand together in such a tree if and only if no two of them (1) cross, (2) join g to h and h to d with g
    strictly between h and d, (3) are a root's and one that covers it, (4) are both roots': what remains of a tree after
    (1) and (2) has a root that none of its own arcs covers, so that it can hang on a neighbour. So the ceiling is a
    largest independent set, found as in circle graphs (Supowit 1987, IEEE TCAD 6(1)): arcs by their right end, inner
    ones first. For words i and j, within[j, i] is the best that the words from i to j can have among themselves, and
    headless[j, i] the same without the arc from i's head. Time and memory grow with the square of the length of
    the sentences that aren't projective; the others are done at once.
    """
    ceiling = trees.sentence_length.astype(np.int64)
    odd = np.bincount(trees.sentence_of, trees.nonprojective, trees.n_sentences) > 0
    hard = np.flatnonzero(odd | ((trees.n_roots != 1) & (trees.sentence_length > 0)))
    hard = hard[np.argsort(trees.sentence_length[hard], kind="stable")]
    while len(hard):
        longest = trees.sentence_length[hard[-1]]
        chosen, hard = np.split(hard[::-1], [max(1, CELLS // longest**2)])
        hard = hard[::-1]
        ceiling[chosen] = _of_batch(trees, chosen)
    return ceiling


def _of_batch(trees: Trees, chosen: Ints) -> Ints:
    """The ceiling of some sentences, the longest first."""
    length = trees.sentence_length[chosen]
    sentence = np.repeat(np.arange(len(chosen)), length)
    word = np.arange(length.sum()) - np.repeat(np.cumsum(length) - length, length)
    rows = trees.sentence_start[chosen][sentence] + word
    head = np.where(trees.head[rows] == ROOT, ROOT, trees.head_number[rows] - 1)
    within = _best_within(length, sentence, word, head)
    batch = np.arange(len(chosen))
    best = within[batch, length - 1, 0].astype(np.int64)
    roots = head == ROOT
    of, root = sentence[roots], word[roots]
    np.maximum.at(best, of, 1 + within[of, root, 0].astype(np.int64) + within[of, length[of] - 1, root])
    return best


def _best_within(length: Ints, sentence: Ints, word: Ints, head: Ints) -> Ints:
    """[B, j, i]: the most arcs that words i to j of a sentence can keep among themselves; less than 0 for i > j."""
    widest = int(length[0])
    kind = np.int16 if widest < SHORT else np.int32
    never = kind(np.iinfo(kind).min // 4)  # less than any count taken from it, also when two are added
    steps = _steps(sentence, word, head)
    within = np.full((len(length), widest, widest), never, kind)
    within[:, 0, 0] = 0
    headless = within.copy()
    column, bare = within[:, 0].copy(), headless[:, 0].copy()  # at the right end j that a sentence is at
    unled = column.copy()  # as column, without the arc from j's head
    for left, right, from_right, first in steps:
        batch = np.flatnonzero(right >= 0)
        left, right, from_right, first = (own[batch] for own in (left, right, from_right, first))
        own, own_bare, own_unled = column[batch], bare[batch], unled[batch]
        at = np.arange(len(batch))
        own[at, right] = own_bare[at, right] = 0
        own_unled = np.where(first[:, None], own, own_unled)
        inner = np.where(from_right, own_unled[at, left], own_bare[at, left])
        gain = np.where(left >= 0, inner + kind(1), never)[:, None]
        kept = own_bare[at, left]
        with_arc = within[batch, left] + gain
        np.maximum(own, with_arc, out=own)
        np.maximum(own_bare, headless[batch, left] + gain, out=own_bare)
        own_bare[at[from_right], left[from_right]] = kept[from_right]
        own_unled = np.where(from_right[:, None], np.maximum(own_unled, with_arc), own_unled)
        column[batch], bare[batch], unled[batch] = own, own_bare, own_unled
        within[batch, right], headless[batch, right] = own, own_bare
    return within


def _steps(sentence: Ints, word: Ints, head: Ints) -> zip[tuple[Ints, Ints, Mask, Mask]]:
    """What is done one after the other, for all sentences of a batch at once.

    Of each step, [B]: left and right, the ends of an arc (left -1: there is none to this right end; right -1: the
    sentence is done); whether the head is at the right; whether it is the first step of a right end.
    """
    n_sentences = int(sentence[-1]) + 1
    has_arc = head >= 0
    left, right = np.minimum(word, head)[has_arc], np.maximum(word, head)[has_arc]
    of, from_right = sentence[has_arc], (head > word)[has_arc]
    widest = int(word.max()) + 1
    bare = (word > 0) & (
        np.bincount(of * widest + right, minlength=n_sentences * widest)[sentence * widest + word] == 0
    )
    of, right = np.concatenate([of, sentence[bare]]), np.concatenate([right, word[bare]])
    left = np.concatenate([left, np.full(bare.sum(), -1)])
    from_right = np.concatenate([from_right, np.zeros(bare.sum(), bool)])
    sort = np.lexsort((-left, right, of))
    left, right, of, from_right = left[sort], right[sort], of[sort], from_right[sort]
    count = np.bincount(of, minlength=n_sentences)
    step = np.arange(len(of)) - (np.cumsum(count) - count)[of]
    first = np.append(True, (right[1:] != right[:-1]) | (of[1:] != of[:-1]))[: len(of)]

    def table(values: Ints | Mask, fill: int) -> Ints:
        made = np.full((int(count.max(initial=0)), n_sentences), fill, values.dtype)
        made[step, of] = values
        return made

    return zip(table(left, -1), table(right, -1), table(from_right, 0), table(first, 0), strict=True)
