"""How unlike two orders of the same words are: pairs that change sides, and places that words move."""

from __future__ import annotations

import numpy as np

from ..types import Ints


def swap_distances(sentence_start: Ints, one: Ints, other: Ints) -> Ints:
    """The swap (Kendall) distance of two orders of each sentence, int64 [S].

    Pairs of words whose order differs, which is how many swaps of neighbours lead from one to the other: 0 for the same
    order, n(n-1)/2 for the reverse. sentence_start: [S+1]; one, other: [N], the place of each word in its sentence from
    0. Work grows with words times the logarithm of the longest sentence.
    """
    length = np.diff(sentence_start)
    first = np.repeat(sentence_start[:-1], length)
    moved = np.empty(len(one), np.int64)
    moved[first + one] = other
    greater_before = np.arange(len(moved)) - first - smaller_before(moved, first)
    return np.bincount(np.repeat(np.arange(len(length)), length), greater_before, len(length)).astype(np.int64)


def displacements(sentence_start: Ints, one: Ints, other: Ints) -> Ints:
    """The places that words move, summed over each sentence (Spearman's footrule), int64 [S]: see `swap_distances`."""
    length = np.diff(sentence_start)
    moved = np.abs(other - one)
    return np.bincount(np.repeat(np.arange(len(length)), length), moved, len(length)).astype(np.int64)


def smaller_before(value: Ints, first: Ints) -> Ints:
    """How many smaller values stand before each value in its group, int64 [K].

    Groups follow each other; each holds 0, 1 ... once, in any order. first: [K] where the group begins. Bit by bit from
    the highest on, values are sorted by their higher bits, stably: of values with equal higher bits those with 0 are
    smaller than those with 1.
    """
    count = np.zeros(len(value), np.int64)
    place = np.arange(len(value))  # of each value, where sorted by the bits above
    for bit in reversed(range(int(value.max(initial=0)).bit_length())):
        block = first + ((value >> (bit + 1)) << (bit + 1))  # where the values with these higher bits begin
        is_one = (value >> bit) & 1
        zeros = np.zeros(len(value) + 1, np.int64)
        zeros[place + 1] = 1 - is_one
        zeros = np.cumsum(zeros)
        before = zeros[place] - zeros[block]
        count += is_one * before
        place = np.where(is_one == 1, place + (1 << bit) - before, block + before)
    return count
