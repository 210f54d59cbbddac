"""Projective trees: the best one, and the sum over all of them, from one inside chart (Eisner 1996, 2000).

Scores, positions and lengths are those of `arborescence`; a tree has exactly one word that hangs on position 0, and no
arcs that cross, the root's own arc counted.

The chart is filled for all spans of one width at a time, with maxima for the best tree and with log-sum-exp for the
sum. The way back through the same chart says what share each arc has in the result: all or nothing in the best tree,
its marginal probability in the sum.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.autograd.function import once_differentiable

from .arborescence import FORBIDDEN, best_heads, inside, is_tree, possible_arcs


def project(scores: Tensor, length: Tensor, longest: int | None = None) -> Tensor:
    """The heads of the best projective tree of each sentence: int64 [B, n], 0 for the root and for padding.

    scores: float [B, n, n]; length: int64 [B]. Arcs of minus infinity are avoided wherever there is a tree without
    them. Equally good trees are chosen from in a fixed way. Sums are kept in the type of the scores (float32 at
    least), relative to the best head of each word.

    longest: sentences of more words (3 or more) are decoded in parts, see `_in_parts`: a projective tree in the square
    of the length, though not always the best one. None: there is no such limit.
    """
    heads = best_heads(scores, length)
    rest = ~is_projective_tree(heads, length)
    long = rest & (length - 1 > longest) if longest is not None else torch.zeros_like(rest)
    for row in torch.nonzero(long).flatten().tolist():
        size = int(length[row])
        heads[row, :size] = _in_parts(scores.detach()[row, :size, :size], heads[row, :size], longest or size)
    exact = torch.nonzero(rest & ~long).flatten()
    if len(exact):
        length = length[exact]
        most = int(length.max())
        relative, _ = _relative(scores.detach()[exact, :most, :most], length)
        relative = relative.nan_to_num(FORBIDDEN).clamp(max=-FORBIDDEN)  # a tree comes out whatever goes in
        chart = _inside(relative, length, BEST)
        heads[exact, :most] = _outside(chart, length, BEST).argmax(2)
    return heads


def _in_parts(scores: Tensor, guess: Tensor, longest: int) -> Tensor:
    """The heads of a projective tree of one sentence, int64 [n], from the best trees of parts of up to `longest` words.

    scores: [n, n]; guess: int64 [n], the best head of each word. A part ends where few guessed arcs go over its end;
    for its top, all heads outside stand for one. Then the tops of all parts get the best projective tree over them, and
    in it each one the best head that keeps it projective.
    """
    scores = scores.nan_to_num(FORBIDDEN).clamp(FORBIDDEN, -FORBIDDEN)
    heads, tops = torch.zeros_like(guess), [0]
    for begin, end in _parts(guess.cpu().numpy(), longest):
        own = torch.zeros_like(scores[: end - begin + 1, : end - begin + 1])
        own[1:, 1:] = scores[begin:end, begin:end]
        own[1:, 0] = torch.cat((scores[begin:end, :begin], scores[begin:end, end:]), 1).amax(1)
        found = project(own.unsqueeze(0), guess.new_tensor([len(own)]))[0, 1:]
        heads[begin:end] = found + begin - 1
        tops.append(begin + int((found == 0).nonzero()))
    over = torch.tensor(tops, device=guess.device)
    heads[over] = over[project(scores[over][:, over].unsqueeze(0), guess.new_tensor([len(over)]), longest)[0]]
    head = heads.cpu().numpy()
    for top in tops[1:]:
        if head[top]:
            among = _possible_heads(head, top)
            head[top] = among[int(scores[top, torch.tensor(among, device=guess.device)].argmax())]
    return torch.from_numpy(head).to(guess.device)


def _parts(guess: NDArray[np.int64], longest: int) -> list[tuple[int, int]]:
    """Where parts begin and end: of `longest` words at most, and of half as many at least, but for the last one."""
    n = len(guess)
    word = np.flatnonzero(guess)
    change = np.bincount(np.minimum(word, guess[word]), minlength=n) - np.bincount(
        np.maximum(word, guess[word]), minlength=n
    )
    over = np.cumsum(change)  # arcs over the gap after each word
    begins = [1]
    while n - begins[-1] > longest:
        first, last = begins[-1] + (longest + 1) // 2 - 1, begins[-1] + longest - 1
        begins.append(last + 1 - int(over[first : last + 1][::-1].argmin()))
    return list(zip(begins, [*begins[1:], n], strict=True))


def _possible_heads(head: NDArray[np.int64], word: int) -> list[int]:
    """The words that a word of a projective tree could hang on, all else as it is: what its subtree stands beside and
    what that hangs on, out to the ends of the innermost arc over the subtree."""
    below, ancestor = np.arange(len(head)) == word, head
    for _ in range(len(head).bit_length()):
        below, ancestor = below | below[ancestor], ancestor[ancestor]
    first, last = np.flatnonzero(below)[[0, -1]].tolist()
    position = np.arange(1, len(head))
    low, high = np.minimum(position, head[1:]), np.maximum(position, head[1:])
    over = (low < first) & (high > last)
    least, most = int(low[over].max(initial=0)), int(high[over].min(initial=len(head) - 1))
    found: list[int] = []
    for place in (first - 1, last + 1):
        while 0 < place and least <= place <= most:
            found.append(place)
            place = int(head[place])
    return found


def log_partition(scores: Tensor, length: Tensor) -> Tensor:
    """The logarithm of the sum over projective trees of exp(sum of the scores of their arcs): float [B].

    scores: float [B, n, n]; length: int64 [B]. Differentiable once by the scores. Arcs of minus infinity are in no
    tree; where no tree is left, the result is minus infinity.
    """
    relative, best = _relative(scores, length)
    total: Tensor = _LogPartition.apply(relative, length)
    return torch.where(total < FORBIDDEN / 2, -math.inf, total + best.sum(1))


def tree_loss(scores: Tensor, head: Tensor, length: Tensor) -> Tensor:
    """The negative log probability of trees among all projective trees: float [B], 0 or more. head: int64 [B, n].

    Meaningful only where the tree is one of those; leave out the sentences that are not by `is_projective_tree`.
    """
    relative, _ = _relative(scores, length)
    words = inside(length, scores.shape[1])
    words[:, 0] = False
    head = torch.where(words, head, 0).clamp(0, scores.shape[1] - 1)
    own = relative.gather(2, head.unsqueeze(2)).squeeze(2)
    total: Tensor = _LogPartition.apply(relative, length)
    return total - torch.where(words, own, 0.0).sum(1)


def marginals(scores: Tensor, length: Tensor) -> Tensor:
    """The probability of each arc [dependent, head] under the distribution over projective trees: float [B, n, n].

    scores: float [B, n, n]; length: int64 [B]. The sum over heads is 1 for each word, 0 for the root and for padding,
    and 0 where arcs of minus infinity leave no tree. This is the gradient of `log_partition`, not differentiable again.
    """
    relative, _ = _relative(scores.detach(), length)
    chart = _inside(relative, length, SUM)
    hopeless = _of_sentences(chart, length) < FORBIDDEN / 2
    return _outside(chart, length, SUM).masked_fill(hopeless[:, None, None], 0.0)


def is_projective_tree(head: Tensor, length: Tensor) -> Tensor:
    """Whether heads form a tree with one root in which no arcs cross, the root's arc included: bool [B].

    head: int64 [B, n]; length: int64 [B].
    """
    n = head.shape[1]
    words = inside(length, n)
    words[:, 0] = False
    position = torch.arange(n, device=head.device)
    # positions that are no words have arcs to themselves, which cross none
    head = torch.where(words, head, position)
    start, end = torch.minimum(head, position), torch.maximum(head, position)
    begins_inside = (start.unsqueeze(2) < start.unsqueeze(1)) & (start.unsqueeze(1) < end.unsqueeze(2))
    crossing = begins_inside & (end.unsqueeze(2) < end.unsqueeze(1))
    return is_tree(head, length) & ~crossing.flatten(1).any(1)


# -- the chart -------------------------------------------------------------------------------------------------------


def _relative(scores: Tensor, length: Tensor) -> tuple[Tensor, Tensor]:
    """Scores relative to the best head of each word, 0 where there can be no arc: [B, n, n]; and the best ones: [B, n].

    Every tree loses the same sum by this, and the sums in the chart stay small, which keeps them precise.
    """
    if scores.dtype in (torch.float16, torch.bfloat16):
        scores = scores.float()
    possible = possible_arcs(length, scores.shape[1])
    best = scores.detach().masked_fill(~possible, -math.inf).amax(2)
    best = torch.where(best.isfinite(), best, 0.0)
    relative = torch.where(possible, scores - best.unsqueeze(2), 0.0)
    return relative.clamp(min=FORBIDDEN), best


class _LogPartition(torch.autograd.Function):
    """The logarithm of the sum over all trees; its gradient by the scores is the marginal probability of each arc."""

    @staticmethod
    def forward(ctx: Any, scores: Tensor, length: Tensor) -> Tensor:
        chart = _inside(scores, length, SUM)
        if ctx.needs_input_grad[0]:
            ctx.save_for_backward(_outside(chart, length, SUM))
        return _of_sentences(chart, length)

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, gradient: Tensor) -> tuple[Tensor, None]:
        (arcs,) = ctx.saved_tensors
        return gradient[:, None, None] * arcs, None


class _Chart:
    """The items of all spans of positions, in tables [B, n, n] by one end of the span and its width.

    A span from i to j is complete to the right when i heads all of it, to the left when j does. An arc's item spans its
    two ends: what lies between belongs to either, and the dependent has nothing on its far side as yet.

    All ways to split the spans of one width w are two plain slices [B, n-w, w]: the first parts by their start, the
    second parts by their end. Tables by end hold widths in falling order, since a longer first part leaves a shorter
    second one.
    """

    def __init__(self, like: Tensor):
        batch, self.n = like.shape[:2]
        tables = like.new_zeros(6, batch, self.n, self.n)
        self.right_by_start, self.right_by_end, self.left_by_start, self.left_by_end = tables[:4].unbind()
        self.right_arc_by_start, self.left_arc_by_end = tables[4:].unbind()

    def right(self, width: int) -> tuple[Tensor, Tensor]:
        """The two places of the spans complete to the right, [B, n-width] each."""
        return self._by_start(self.right_by_start, width), self._by_end(self.right_by_end, width)

    def left(self, width: int) -> tuple[Tensor, Tensor]:
        """The two places of the spans complete to the left."""
        return self._by_start(self.left_by_start, width), self._by_end(self.left_by_end, width)

    def right_arc(self, width: int) -> Tensor:
        """The arcs from the start of a span to its end."""
        return self._by_start(self.right_arc_by_start, width)

    def left_arc(self, width: int) -> Tensor:
        """The arcs from the end of a span to its start."""
        return self._by_end(self.left_arc_by_end, width)

    def _by_start(self, table: Tensor, width: int) -> Tensor:
        return table[:, : self.n - width, width]

    def _by_end(self, table: Tensor, width: int) -> Tensor:
        return table[:, width:, self.n - 1 - width]

    def parts_of_arc(self, width: int) -> tuple[Tensor, Tensor]:
        """What an arc's span is made of: i to k complete to the right, k+1 to j to the left."""
        n = self.n
        return self.right_by_start[:, : n - width, :width], self.left_by_end[:, width:, n - width :]

    def parts_of_right(self, width: int) -> tuple[Tensor, Tensor]:
        """What a span complete to the right is made of: the arc from i to k, k to j complete to the right."""
        n = self.n
        return self.right_arc_by_start[:, : n - width, 1 : width + 1], self.right_by_end[:, width:, n - width :]

    def parts_of_left(self, width: int) -> tuple[Tensor, Tensor]:
        """What a span complete to the left is made of: i to k complete to the left, the arc from j to k."""
        n = self.n
        return self.left_by_start[:, : n - width, :width], self.left_arc_by_end[:, width:, n - 1 - width : n - 1]


class Semiring(NamedTuple):
    """How the chart chooses among the ways to split a span."""

    # of the values of the two parts [B, spans, splits], the values of the spans [B, spans]
    total: Callable[[Tensor, Tensor], Tensor]
    # hand the shares of the spans [B, spans] on to their parts: the values of the two parts, the spans' shares, and the
    # shares of the two parts, which are added to
    share: Callable[[Tensor, Tensor, Tensor, Tensor, Tensor], None]


def _largest(first: Tensor, second: Tensor) -> Tensor:
    return (first + second).amax(2)


def _share_with_largest(first: Tensor, second: Tensor, shares: Tensor, to_first: Tensor, to_second: Tensor) -> None:
    """The spans of a tree, all of one kind and width, have no more than their ends in common. So they are few, and only
    theirs are looked at among all spans: their shares are 1, those of others 0."""
    spans, width = first.shape[1:]
    sentence = torch.arange(len(first), device=first.device).unsqueeze(1)
    span = shares.topk((spans - 1) // width + 1).indices
    split = (first[sentence, span] + second[sentence, span]).argmax(2)  # the first of equal ones
    to_first[sentence, span, split] += shares[sentence, span]
    to_second[sentence, span, split] += shares[sentence, span]


def _sum(first: Tensor, second: Tensor) -> Tensor:
    return (first + second).logsumexp(2)


def _share_by_weight(first: Tensor, second: Tensor, shares: Tensor, to_first: Tensor, to_second: Tensor) -> None:
    value = first + second
    weight = (value - value.amax(2, keepdim=True)).exp_()  # on many short rows faster than softmax
    weight *= (shares / weight.sum(2)).unsqueeze(2)
    to_first += weight
    to_second += weight


BEST = Semiring(_largest, _share_with_largest)
SUM = Semiring(_sum, _share_by_weight)


def _inside(scores: Tensor, length: Tensor, semiring: Semiring) -> _Chart:
    """The values of all spans, from narrow to wide. scores: [B, n, n], all finite (or the sentence has no result)."""
    chart = _Chart(scores)
    for width in range(1, chart.n):
        between = semiring.total(*chart.parts_of_arc(width))
        chart.right_arc(width).copy_(between + scores.diagonal(-width, 1, 2))
        chart.left_arc(width).copy_(between + scores.diagonal(width, 1, 2))
        right = semiring.total(*chart.parts_of_right(width))
        left = semiring.total(*chart.parts_of_left(width))
        for place in chart.right(width):
            place.copy_(right)
        for place in chart.left(width):
            place.copy_(left)
        # The root has one dependent: it is through with its own only where the sentence ends.
        chart.right(width)[0][:, 0].masked_fill_(length != width + 1, -math.inf)
    return chart


def _of_sentences(chart: _Chart, length: Tensor) -> Tensor:
    """The value of each whole sentence, [B]."""
    return chart.right_by_start[:, 0].gather(1, length.unsqueeze(1) - 1).squeeze(1)


def _outside(chart: _Chart, length: Tensor, semiring: Semiring) -> Tensor:
    """The share of each arc [dependent, head] in the value of its sentence: [B, n, n]. From wide spans to narrow."""
    shares = _Chart(chart.right_by_start)
    shares.right_by_start[:, 0].scatter_(1, length.unsqueeze(1) - 1, 1.0)
    arcs = torch.zeros_like(chart.right_by_start)
    for width in range(chart.n - 1, 0, -1):
        right, left = torch.add(*shares.right(width)), torch.add(*shares.left(width))
        semiring.share(*chart.parts_of_right(width), right, *shares.parts_of_right(width))
        semiring.share(*chart.parts_of_left(width), left, *shares.parts_of_left(width))
        right_arc, left_arc = shares.right_arc(width), shares.left_arc(width)
        arcs.diagonal(-width, 1, 2).copy_(right_arc)
        arcs.diagonal(width, 1, 2).copy_(left_arc)
        semiring.share(*chart.parts_of_arc(width), right_arc + left_arc, *shares.parts_of_arc(width))
    return arcs
