"""Trees of any shape: the best head of each word, whether heads form a tree, and the maximum spanning arborescence.

In all decoders `scores[d, h]` is the score of position h as the head of position d. Position 0 is an artificial root;
the words stand from 1 on. A sentence's length counts its positions, root and words (2 or more); what a batch holds at
or beyond it has no influence. A tree has exactly one word that hangs on position 0. Tensors are on one device.

The maximum spanning arborescence is found after Chu and Liu (1965) and Edmonds (1967) in O(n^2), by growing one path
from dependent to head and contracting each cycle that closes on it (Gabow, Galil, Spencer and Tarjan 1986).
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

# Stands for a score of minus infinity: so low that it is avoided wherever that is possible, and still a number.
FORBIDDEN = -1e30


def inside(length: Tensor, n: int) -> Tensor:
    """Which of n positions belong to the sentence, its root included: bool [B, n]."""
    return torch.arange(n, device=length.device) < length.unsqueeze(1)


def possible_arcs(length: Tensor, n: int) -> Tensor:
    """Which arcs [dependent, head] a tree may have: between two positions of the sentence, from a word to another
    position. bool [B, n, n]"""
    within = inside(length, n)
    words = within.clone()
    words[:, 0] = False
    itself = torch.eye(n, dtype=torch.bool, device=length.device)
    return words.unsqueeze(2) & within.unsqueeze(1) & ~itself


def best_heads(scores: Tensor, length: Tensor) -> Tensor:
    """Each word's best head, whether or not the heads form a tree: int64 [B, n], 0 for the root and for padding.

    scores: [B, n, n]; length: int64 [B]. No word is its own head. Of equally good heads the first is taken.
    """
    return scores.detach().masked_fill(~possible_arcs(length, scores.shape[1]), -math.inf).argmax(2)


def is_tree(head: Tensor, length: Tensor) -> Tensor:
    """Whether exactly one word hangs on the root and all others on it in the end: bool [B]. head: int64 [B, n].

    Every position jumps to its head's head until the jumps are longer than any path.
    """
    n = head.shape[1]
    words = inside(length, n)
    words[:, 0] = False
    known = ((head >= 0) & (head < length.unsqueeze(1))) | ~words
    ancestor = torch.where(words & known, head, 0)
    one_root = (words & (head == 0)).sum(1) == 1
    for _ in range(n.bit_length()):
        ancestor = ancestor.gather(1, ancestor)
    return one_root & known.all(1) & (ancestor == 0).all(1)


def spanning_trees(scores: Tensor, length: Tensor) -> Tensor:
    """The heads of the best tree of each sentence, crossing arcs allowed: int64 [B, n], 0 for the root and for padding.

    scores: float [B, n, n]; length: int64 [B]. Where the best heads of all words form a tree, no tree is better;
    only the other sentences go through `spanning_tree`, one by one on the CPU.
    """
    heads = best_heads(scores, length)
    rest = torch.nonzero(~is_tree(heads, length)).flatten()
    left, sizes = scores.detach()[rest].cpu().double().numpy(), length[rest].tolist()
    found = np.zeros(left.shape[:2], np.int64)
    for row, size in enumerate(sizes):
        found[row, :size] = spanning_tree(left[row, :size, :size])
    heads[rest] = torch.from_numpy(found).to(heads.device)
    return heads


def spanning_tree(scores: NDArray[np.float64]) -> NDArray[np.int64]:
    """The heads of the best tree of one sentence, crossing arcs allowed: int64 [n], 0 for the root.

    scores: float64 [n, n], n of 2 or more. Arcs of minus infinity are avoided wherever there is a tree without them.
    Equally good arcs are chosen from in a fixed way.

    The root takes no part until all words are contracted into one: then its best arc is chosen, once. So it has one
    dependent exactly, and no large constant has to be added to its arcs, which would cost precision (Zmigrod, Vieira
    and Cotterell 2020 describe why the best root alone would not do).
    """
    words = _Contraction(scores)
    path = [1]
    while not words.complete(path[-1]):
        head = words.choose_head(path[-1])
        if head in path:
            cycle = path[path.index(head) :]
            path[-len(cycle) :] = [words.contract(cycle)]
        else:
            path.append(head)
    return words.expand(path[-1])


class _Contraction:
    """A graph of nodes: the words, 1 to n-1, and the cycles contracted so far, numbered from n on."""

    def __init__(self, scores: NDArray[np.float64]):
        n = len(scores)
        self.n = n
        # What each node would gain by each position as its head, and which of its words would then hang on that. A
        # contracted cycle takes the row of its first node.
        self.gain: NDArray[np.float64] = np.clip(np.nan_to_num(scores, nan=FORBIDDEN), FORBIDDEN, -FORBIDDEN)
        np.fill_diagonal(self.gain, -np.inf)
        self.word = np.repeat(np.arange(n)[:, None], n, axis=1)
        self.row = list(range(n))
        self.within: list[NDArray[Any]] = [np.array([position]) for position in range(n)]  # words of each node
        self.node_of = np.arange(n)  # the outermost node that each word is in
        self.parent = [0] * n  # the cycle that each node was contracted into
        self.choice = [(0, 0)] * n  # the chosen arc of each node: dependent, head

    def complete(self, node: int) -> bool:
        return len(self.within[node]) == self.n - 1

    def choose_head(self, node: int) -> int:
        """Choose a node's best arc from another word, and count its other arcs relative to that. The head's node."""
        row = self.row[node]
        head = 1 + int(self.gain[row, 1:].argmax())
        self.choice[node] = int(self.word[row, head]), head
        self.gain[row] -= self.gain[row, head]
        return int(self.node_of[head])

    def contract(self, cycle: list[int]) -> int:
        """A node in place of those of a cycle. Each arc into it counts what it gains over the arc that it replaces."""
        rows = [self.row[node] for node in cycle]
        members = np.concatenate([self.within[node] for node in cycle])
        best = self.gain[rows].argmax(0)
        positions = np.arange(self.n)
        chosen = np.array(rows)[best]
        self.gain[rows[0]], self.word[rows[0]] = self.gain[chosen, positions], self.word[chosen, positions]
        self.gain[rows[0], members] = -np.inf
        new = len(self.row)
        self.row.append(rows[0])
        self.within.append(members)
        self.node_of[members] = new
        for node in cycle:
            self.parent[node] = new
        self.parent.append(0)
        self.choice.append((0, 0))
        return new

    def expand(self, top: int) -> NDArray[np.int64]:
        """The heads of all positions, when the root's best arc enters the node that holds all words."""
        self.choice[top] = int(self.word[self.row[top], 0]), 0
        heads = np.zeros(self.n, np.int64)
        entered = [False] * len(self.row)
        for node in range(top, 0, -1):
            if not entered[node]:
                # this arc enters the node, and in it all nodes that its dependent is in: there it replaces theirs
                dependent, heads[dependent] = self.choice[node]
                while dependent != node:
                    entered[dependent] = True
                    dependent = self.parent[dependent]
        return heads
