"""Naive definitions for decoders: all trees and their scores, and scores drawn at random. Needs torch.

Scores are [dependent, head] and trees hold position 0, the root, first.
"""

from __future__ import annotations

import math
from functools import cache

import definitions as naive
import torch


@cache
def all_trees(n, projective):
    """All trees of n words, [trees, n+1], position 0 first."""
    chosen = [t for t in naive.trees(n) if not projective or naive.is_projective(t, naive.original(t))]
    return torch.tensor([(0, *heads) for heads in chosen])


def score(scores, heads):
    """Sum of the scores of the arcs of trees [..., n+1]: [...]. Scores of several sentences give several such sums."""
    words = torch.arange(1, heads.shape[-1])
    return scores[..., words, heads[..., 1:]].sum(-1)


def own_score(scores, heads):
    """The score of one tree per sentence: [B, n+1] to [B]."""
    return scores.gather(2, heads.unsqueeze(2))[:, 1:, 0].sum(1)


def best_split_tree(scores):
    """The best score of any tree, found by splitting the set of its words: a subtree is its top and one child's subtree
    taken off, again and again. For sizes that enumeration doesn't reach."""
    n = len(scores) - 1
    value = scores.tolist()

    @cache
    def subtree(top, words):
        rest = words & ~(1 << top)
        if not rest:
            return 0.0
        lowest = rest & -rest  # the child's subtree that is taken off holds this word, so that it is found once
        found, part = -math.inf, rest
        while part:
            if part & lowest:
                children = [word for word in range(1, n + 1) if part >> word & 1]
                child = max(value[word][top] + subtree(word, part) for word in children)
                found = max(found, child + subtree(top, words & ~part))
            part = (part - 1) & rest
        return found

    everything = (1 << (n + 1)) - 2
    return max(value[word][0] + subtree(word, everything) for word in range(1, n + 1))


def random_scores(*shape, seed=0, scale=1.0):
    generator = torch.Generator().manual_seed(seed)
    return torch.randn(*shape, generator=generator, dtype=torch.float64) * scale


def sentence(n, seed=0, scale=1.0):
    """A batch of one sentence of n words."""
    return random_scores(1, n + 1, n + 1, seed=seed, scale=scale), torch.tensor([n + 1])


def garbage(scores, length, value):
    """The same scores with a value in padding, in the root's own row and on the diagonal."""
    scores = scores.clone()
    scores[:, 0] = value
    scores.diagonal(0, 1, 2).fill_(value)
    for row, size in zip(scores, length.tolist(), strict=True):
        row[size:], row[:, size:] = value, value
    return scores
