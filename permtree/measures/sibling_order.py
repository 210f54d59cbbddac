"""How free dependents of one head are in their order, given what they are."""

from __future__ import annotations

import numpy as np

from ..kernels.keys import combined, mix
from ..treebank import Treebank
from ..treebank.arc_types import column_keys, dependent_keys, paired_kinds, text_placement
from ..types import Floats
from . import ENTROPY, Conventions, Events, measure


@measure(
    "sibling_order_entropy",
    kind="sentence-events",
    what="H(which is nearer to the head | head UPOS, side, the two unordered types), over all pairs of dependents of "
    "one head on one side whose types (deprel, UPOS) differ; every pair weighs the same. Pairs of one type say nothing "
    "and don't count. Time grows with words times types of siblings, memory with pairs of types",
    unit="nats or bits, as named",
    range="0 (any order fixed by head UPOS, relation and UPOS) to log 2 (0.693 nats, 1 bit); what an --estimator gives "
    "beyond it is cut off",
    source="after Futrell, Mahowald & Gibson (2015), Depling, for certain sisters, and the entropies of pairs of "
    "Levshina (2019), Linguistic Typology 23(3); here over all pairs, docs/orders.md",
    uses=ENTROPY,
)
def sibling_order_entropy(treebank: Treebank, conventions: Conventions) -> Events:
    kind = dependent_keys(treebank)
    near, far, times = paired_kinds(treebank, text_placement(treebank), kind)
    different = kind[near] != kind[far]
    near, far, times = near[different], far[different], times[different]
    head = treebank.head[near]
    low, high = np.minimum(kind[near], kind[far]), np.maximum(kind[near], kind[far])
    context = combined(column_keys(treebank.upos)[head], (near > head).astype(np.uint64), low, high)
    return Events(near, context, kind[near] > kind[far], times=times)


@measure(
    "relation_order_entropy",
    kind="sentence-events",
    what="H(order of a head and its dependents | head UPOS, the unordered (deprel, UPOS) of the dependents); every "
    "head with a dependent weighs the same. Most sets of dependents are rare, so the plug-in estimate is far too low "
    "on any treebank: compare at equal size, and with another --estimator",
    unit="nats or bits a head, as named",
    range="0 to the mean of log((k+1)!/(m1! m2! ...)), k dependents of which m are alike; what an --estimator gives "
    "beyond it is cut off",
    source="after Futrell, Mahowald & Gibson (2015), Depling: relation order entropy",
    uses=ENTROPY,
)
def relation_order_entropy(treebank: Treebank, conventions: Conventions) -> Events:
    children = treebank.dependents
    heads = treebank.head[children]
    kind = dependent_keys(treebank)[children]
    place = np.arange(len(children)) - treebank.first_dependent[heads] + (children > heads)  # the head has one too
    ordered, unordered = np.zeros((2, treebank.n_words), np.uint64)
    np.add.at(ordered, heads, mix(combined(kind, place.astype(np.uint64))))
    np.add.at(unordered, heads, mix(kind))
    rows = np.flatnonzero(treebank.n_dependents > 0)
    context = combined(column_keys(treebank.upos)[rows], unordered[rows])
    return Events(rows, context, ordered[rows], _orders(treebank, kind)[rows])


def _orders(treebank: Treebank, kind: np.ndarray) -> Floats:
    """How many different orders each head and its dependents have, float64 [N]; kind: of the `dependents`."""
    from scipy.special import gammaln

    heads = treebank.head[treebank.dependents]
    sort = np.lexsort((kind, heads))
    begins = np.append(True, (np.diff(heads[sort]) != 0) | (kind[sort][1:] != kind[sort][:-1]))[: len(sort)]
    first = np.maximum.accumulate(np.where(begins, np.arange(len(sort)), 0)) if len(sort) else sort
    alike = np.bincount(heads[sort], np.log(np.arange(len(sort)) - first + 1), treebank.n_words)  # sums to log m!
    with np.errstate(over="ignore"):
        return np.round(np.exp(gammaln(treebank.n_dependents + 2) - alike))
