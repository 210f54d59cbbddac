"""The arc-hybrid transition system and its oracles, for all sentences of a batch at once.

Kuhlmann, Gómez-Rodríguez & Satta (2011), ACL; with SWAP de Lhoneux, Stymne & Nivre (2017), IWPT. A configuration is a
stack, whose top words are s0, s1, s2, and a buffer, which begins with b0:

    SHIFT   b0 goes onto the stack
    LEFT    b0 becomes the head of s0, which leaves the stack
    RIGHT   s1 becomes the head of s0, which leaves the stack
    SWAP    s0 goes back into the buffer, right behind b0, if it stands before b0 in the sentence

The artificial root is position 0 and lies at the bottom of the stack. It takes a dependent only when the buffer is
empty, which is the last word standing: every sentence ends as a tree with a single root.

A batch of B sentences is one tensor for each part of a configuration. A step is a fixed number of tensor operations:
there is no loop over sentences or words, and nothing waits for the device.
"""

from __future__ import annotations

import numpy as np
import torch
from torch import Tensor

from permtree.kernels.linearize import linearize, positions
from permtree.kernels.trees import ROOT, Trees
from permtree.types import Ints

SHIFT, LEFT, RIGHT, SWAP = 0, 1, 2, 3
STAY = 4  # what a sentence that isn't live does
SLOTS = 9  # columns of Configurations.positions
NONE = -1  # the head and the relation of a word that has none yet

# What each of SHIFT, LEFT, RIGHT, SWAP and STAY does: how far the top of the stack and the front of the buffer move,
# and whether the word that it moves (b0 for SHIFT, else s0) is in the buffer and on the stack afterwards.
MOVES = ((1, 1), (-1, 0), (-1, 0), (-1, -1), (0, 0))
PLACES = ((False, True), (False, False), (False, False), (True, False), (False, True))
BOTTOM = 2  # the column of the stack where the root is; s1 and s2 of a stack with nothing else are the columns before


class Configurations:
    """The configurations of B sentences, which start with the root on the stack and all words in the buffer.

    length: int64 [B], the positions of each sentence, the root at position 0 counted; its device is used for all.
    width: the largest length. Position `width` means "nothing there".
    swap: whether there is a transition SWAP, and with it non-projective trees.

    head, relation: int64 [B, width + 1] of each position, NONE as long as it has none; what is in column `width` means
    nothing. s0, s1, s2, b0: int64 [B], `width` where there is none. A sentence of n words is finished after 2 n
    transitions, and 2 more for each SWAP; no pair of words is swapped twice.
    """

    def __init__(self, length: Tensor, width: int, swap: bool = False):
        device, n_sentences = length.device, len(length)
        self.length = length
        self.width = width
        self.swap = swap
        self.n_transitions = 4 if swap else 3
        self.head = torch.full((n_sentences, width + 1), NONE, device=device)
        self.relation = torch.full_like(self.head, NONE)
        self._position = torch.arange(width + 1, device=device)
        self._moves = torch.tensor(MOVES, device=device)
        self._places = torch.tensor(PLACES, device=device)
        # The latest dependents to the left of each position, then those to the right: [B, 2 (width + 1)].
        self._outermost = torch.full((n_sentences, 2 * (width + 1)), width, device=device)
        # Where words are, bool [B, 2, width + 1]: whether in the buffer; whether on the stack.
        in_buffer = (self._position > 0) & (self._position < length.unsqueeze(1))
        self._where = torch.stack((in_buffer, (self._position == 0).expand_as(in_buffer)), dim=1)
        # Stack and buffer as arrays, and the columns of the top of the one and the front of the other, [B, 1] each.
        self._stack = torch.full((n_sentences, BOTTOM + width + 1), width, device=device)
        self._stack[:, BOTTOM] = 0
        self._buffer = torch.where(in_buffer, self._position, width)
        self._top = torch.full((n_sentences, 1), BOTTOM, device=device)
        self._front = torch.ones_like(self._top)
        self._is_swap = torch.arange(self.n_transitions, device=device) == SWAP
        self._below = torch.arange(3, device=device)
        self._look()

    def _look(self) -> None:
        """Take s0, s1, s2 and b0, int64 [B], from stack and buffer, and s0 and b0 as one [B, 2]."""
        tops = self._stack.gather(1, self._top - self._below)
        front = self._buffer.gather(1, self._front)
        self._tops = torch.cat((tops, front), dim=1)
        self.s0, self.s1, self.s2, self.b0 = self._tops.unbind(1)
        self._ends = self._tops[:, ::3]

    def positions(self) -> Tensor:
        """The words that a classifier looks at, int64 [B, SLOTS], `width` where there is none.

        s0, s1, s2, b0; the latest dependents to the left and to the right of s0, the same of s1; the latest dependent
        to the left of b0. Without SWAP the latest is the outermost.
        """
        right = self.width + 1
        around = torch.stack((self.s0, self.s0 + right, self.s1, self.s1 + right, self.b0), dim=1)
        return torch.cat((self._tops, self._outermost.gather(1, around)), dim=1)

    def finished(self) -> Tensor:
        """Whether the buffer is empty and nothing but the root is on the stack, bool [B]."""
        return self.s0.eq(0) & self.b0.eq(self.width)

    def legal(self) -> Tensor:
        """Which transitions may be taken, bool [B, n_transitions]; at least one in every sentence.

        In a finished sentence that is SHIFT, so that a softmax over what is legal is defined; it can't be taken.
        """
        word, more = self.s0.ne(0), self.b0.ne(self.width)
        left = word & more
        right = word & (self.s1.ne(0) | ~more)
        shift = more | ~word
        if self.swap:
            return torch.stack((shift, left, right, left & (self.s0 < self.b0)), dim=1)
        return torch.stack((shift, left, right), dim=1)

    def apply(self, transition: Tensor, relation: Tensor, live: Tensor) -> None:
        """Take one transition, which has to be legal, in each live sentence; the others stay as they are.

        transition, relation: int64 [B], the relation of the arc that LEFT or RIGHT makes; live: bool [B].
        """
        transition = torch.where(live, transition, STAY)
        shift, right = transition.eq(SHIFT), transition.eq(RIGHT)
        attach = right | transition.eq(LEFT)
        dependent = torch.where(attach, self.s0, self.width).unsqueeze(1)  # without an arc, column `width` is written
        head = torch.where(right, self.s1, self.b0)
        side = torch.where(right, head + (self.width + 1), head)
        self.head.scatter_(1, dependent, head.unsqueeze(1))
        self.relation.scatter_(1, dependent, relation.unsqueeze(1))
        self._outermost.scatter_(1, torch.where(attach, side, self.width).unsqueeze(1), dependent)

        moved = torch.where(shift, self.b0, self.s0).view(-1, 1, 1).expand(-1, 2, 1)
        self._where.scatter_(2, moved, self._places[transition].unsqueeze(2))
        # What is above the top of the stack and before the front of the buffer is free: it may be written in any case.
        b0 = self.b0.unsqueeze(1)
        self._stack.scatter_(1, self._top + 1, b0)
        if self.swap:
            behind = torch.where(transition.eq(SWAP), self.s0, self.b0).unsqueeze(1)
            self._buffer.scatter_(1, self._front, behind)
            self._buffer.scatter_(1, self._front - 1, b0)
        moves = self._moves[transition]
        self._top += moves[:, :1]
        self._front += moves[:, 1:]
        self._look()

    def cost(self, head: Tensor, rank: Tensor | None = None) -> Tensor:
        """Gold arcs that each transition puts out of reach, int64 [B, n_transitions]; it means something where legal.

        head: int64 [B, width + 1], the gold head of each position, a negative number where there is none.
        rank: int64 [B, width + 1] from `projective_order`, for SWAP; computed again in each call when it isn't given.

        Without SWAP this is the dynamic oracle of Goldberg & Nivre (2013), TACL. It is exact for projective trees with
        one root: that the root waits for the last word changes nothing in it. Only where s0 lies alone on the root may
        RIGHT be free but not legal; then s0 has no head and no dependents in the buffer, so that LEFT is free, or, if
        s0 is the gold root, SHIFT, as b0 has neither its head nor dependents on the stack below s0. For other trees
        the arcs that are counted as within reach, one by one, may not be so together.

        With SWAP it is the static-dynamic oracle of de Lhoneux, Stymne & Nivre (2017). Where s0 comes after b0 in the
        projective order SWAP is free and nothing else is; elsewhere SWAP costs 1. A word that has to be swapped later
        is shifted for free. All else is dynamic. Followed from the start it rebuilds every tree with one root. After
        any transitions that are `explorable` one is still free, and the costs taken add up to the wrong heads.
        """
        gold = head.gather(1, self._ends).clamp_min(0)
        head_of_s0, head_of_b0 = gold.unbind(1)
        # The arcs between s0 and the buffer, and those between b0 and the stack.
        dependents = head.unsqueeze(1) == self._ends.unsqueeze(2)
        of_s0, of_b0 = (dependents & self._where).sum(2).unbind(1)
        has_head = self._where.gather(2, gold.unsqueeze(2)).squeeze(2)
        s0_has_head, b0_has_head = has_head.unbind(1)
        shift = of_b0 + (b0_has_head & head_of_b0.ne(self.s0))
        if not self.swap:
            left = of_s0 + ((s0_has_head & head_of_s0.ne(self.b0)) | head_of_s0.eq(self.s1))
            return torch.stack((shift, left, of_s0 + s0_has_head), dim=1)

        rank = projective_order(head, self.length) if rank is None else rank
        # A word that will be swapped comes back into the buffer: arcs between it and the stack below are within reach.
        s0_returns, b0_returns = self._returns(rank).unbind(1)
        of_s0 = of_s0 + ((dependents[:, 0] & self._where[:, 1]).sum(1) * s0_returns)
        s0_has_head = s0_has_head | (self._where[:, 1].gather(1, gold[:, :1]).squeeze(1) & s0_returns)
        left = of_s0 + ((s0_has_head & head_of_s0.ne(self.b0)) | head_of_s0.eq(self.s1))
        right = of_s0 + (s0_has_head & head_of_s0.ne(self.s1))
        must = self._out_of_order(rank).long()
        return torch.stack((shift * ~b0_returns + must, left + must, right + must, 1 - must), dim=1)

    def _out_of_order(self, rank: Tensor) -> Tensor:
        """Whether s0 and b0 have to be swapped, and can be, bool [B]."""
        of_s0, of_b0 = rank.gather(1, self._ends).unbind(1)
        return (of_s0 > of_b0) & (self.s0 < self.b0) & self.s0.ne(0) & self.b0.ne(self.width)

    def _returns(self, rank: Tensor) -> Tensor:
        """Whether s0 and b0 have to be swapped with a word further on in the buffer, bool [B, 2]."""
        earlier = rank.unsqueeze(1) < rank.gather(1, self._ends).unsqueeze(2)
        further = self._position > self._ends.unsqueeze(2)
        return (earlier & further & self._where[:, :1]).any(2)

    def unattached(self) -> Tensor:
        """Which positions are in the buffer or on the stack, bool [B, width + 1]."""
        return self._where.any(1)

    def explorable(self, head: Tensor, rank: Tensor | None = None) -> Tensor:
        """The legal transitions that training may follow though they are not the cheapest, bool [B, n_transitions].

        Without SWAP all of them. With SWAP the oracle is static in this, and knows no good way on from a wrong swap or
        from one left out: where SWAP is right it is the only one, elsewhere it is out. Arguments as for `cost`.
        """
        allowed = self.legal()
        if self.swap:
            rank = projective_order(head, self.length) if rank is None else rank
            must = self._out_of_order(rank).unsqueeze(1)
            allowed = allowed & (must == self._is_swap)
        return allowed

    def cheapest(self, head: Tensor, rank: Tensor | None = None) -> Tensor:
        """The legal transitions of least cost, bool [B, n_transitions]; arguments as for `cost`."""
        cost = self.cost(head, rank).masked_fill(~self.legal(), 2 * self.width + 2)
        return cost == cost.amin(dim=1, keepdim=True)


def static_transition(configurations: Configurations, head: Tensor, rank: Tensor | None = None) -> Tensor:
    """The next transition of the one canonical derivation, int64 [B]; head and rank as for `Configurations.cost`.

    LEFT or RIGHT as soon as it makes a gold arc and s0 has all its dependents, else SWAP if s0 comes after b0 in the
    projective order, else SHIFT. Where SHIFT isn't one of the cheapest transitions (in a non-projective tree without
    SWAP, or after a wrong transition) it is the first of those.
    """
    state = configurations
    if state.swap and rank is None:
        rank = projective_order(head, state.length)
    legal = state.legal()
    waiting = (head.eq(state.s0.unsqueeze(1)) & state.unattached()).any(1)
    head_of_s0 = head.gather(1, state.s0.unsqueeze(1)).squeeze(1)
    left = legal[:, LEFT] & head_of_s0.eq(state.b0) & ~waiting
    right = legal[:, RIGHT] & head_of_s0.eq(state.s1) & ~waiting
    other = state.cheapest(head, rank).long().argmax(dim=1)  # SWAP where it has to be, else SHIFT if it is among them
    return torch.where(left, LEFT, torch.where(right, RIGHT, other))


def projective_order(head: Tensor, length: Tensor) -> Tensor:
    """The place of each position when the gold tree is read in order, the dependents of a word on their side of it.

    Projective trees keep their order. head: int64 [B, width + 1], the gold head of each position; what is below 1
    counts as a root. length: int64 [B], positions of each sentence, the root counted. Returns int64 [B, width + 1] on
    the device of `head`: 0 for the root and for padding, 1, 2 ... for words. Takes its time, and waits for the device:
    make it once for each batch, or once for a treebank (`projective_ranks`). Raises ValueError for heads in a cycle.
    """
    heads, n_words = head.cpu().numpy(), length.cpu().numpy() - 1
    place = np.arange(heads.shape[1])
    words = (place > 0) & (place <= n_words[:, None])
    start = np.concatenate(([0], np.cumsum(n_words)))
    own = heads[words]
    trees = Trees(start, np.where(own > 0, own - 1 + np.repeat(start[:-1], n_words), ROOT))
    rank = np.zeros(heads.shape, np.int64)
    rank[words] = projective_ranks(trees)
    return torch.from_numpy(rank).to(head.device)


def projective_ranks(trees: Trees) -> Ints:
    """The same for the words of a treebank: int64 [N], from 1 in each sentence."""
    if (trees.depth < 0).any():
        raise ValueError("the heads of a sentence are in a cycle, so no order makes it projective")
    distance = np.arange(trees.n_words) - trees.head
    position = positions(linearize(trees, distance))
    return position - trees.sentence_start[trees.sentence_of] + 1
