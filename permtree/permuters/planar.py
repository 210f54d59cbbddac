"""The planar optimum: no two arcs cross, but an arc may pass over the root."""

import numpy as np

from ..kernels.linearize import linearize, positions
from ..kernels.optimal import alternating_placement
from ..kernels.trees import ROOT, Trees
from ..treebank import Treebank
from ..types import Ints
from . import Request, permuter


@permuter(
    "planar",
    gives="order",
    what="minimal total dependency length among all planar orders: the optdl order of the tree hung from its centroid. "
    "No two arcs cross. What can be crossed is the line from the root up: the report counts the sentences in which an "
    "arc passes over the root, the only ones that aren't projective",
    source="Iordanskii (1987); Hochberg & Stallmann (2003); Alemany-Puig, Esteban & Ferrer-i-Cancho (2022), "
    "Information Processing Letters 174",
)
def planar(treebank: Treebank, request: Request) -> Ints:
    if not treebank.levels:
        return np.arange(treebank.n_words)
    hung = hung_from_centroids(treebank)
    place = positions(linearize(hung, alternating_placement(hung)))
    order = np.lexsort((place, _tree_of(treebank)))
    request.counts["sentences with an arc over the root (planar, not projective)"] += _over_root(treebank, order)
    return order


def _tree_of(trees: Trees) -> Ints:
    """The row of the root of each word's tree, int64 [N]."""
    return trees.propagate(trees.levels[0], np.zeros(trees.n_words, np.int64))


def hung_from_centroids(trees: Trees) -> Trees:
    """The same trees with a centroid as the root of each: the word nearest to the root below which more than half of
    the tree's words are not in one subtree."""
    tree = _tree_of(trees)
    # Words with more than half of the tree in their subtree are a path from the root; the last one is a centroid.
    heavy = np.flatnonzero(2 * trees.subtree_size > trees.subtree_size[tree])
    heavy = heavy[np.argsort(trees.depth[heavy], kind="stable")]
    centroid = np.zeros(trees.n_words, np.int64)
    centroid[tree[heavy]] = heavy  # the deepest of each tree is written last
    last = centroid[tree[heavy]] == heavy
    head = trees.head.astype(np.int64)
    below = heavy[trees.depth[heavy] > 0]
    head[trees.head[below]] = below  # every arc of that path turns round
    head[heavy[last]] = ROOT
    return Trees(trees.sentence_start, head)


def _over_root(treebank: Treebank, order: Ints) -> int:
    """Sentences in which an arc passes over the root of its tree."""
    place = positions(order)
    rows = np.flatnonzero(treebank.head >= 0)
    root = place[_tree_of(treebank)[rows]]
    ends = np.sort(np.stack([place[rows], place[treebank.head[rows]]]), axis=0)
    over = (ends[0] < root) & (root < ends[1])
    return len(np.unique(treebank.sentence_of[rows[over]]))
