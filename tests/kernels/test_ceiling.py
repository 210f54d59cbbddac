"""The ceiling of projective parsers: against all projective trees, and against the parser that finds the best one."""

from random import Random

import definitions as naive
import numpy as np
import pytest
from strategies import random_heads

from permtree.kernels import ceiling
from permtree.kernels.ceiling import projective_ceiling
from permtree.kernels.trees import Trees
from permtree.treebank import Treebank


@pytest.mark.parametrize("n", [1, 2, 3, 4, 5, pytest.param(6, marks=pytest.mark.long)])
def test_each_forest_against_all_projective_trees(n):
    forests, projective = np.array(naive.forests(n)), np.array(naive.projective_trees(n))
    best = [(heads == projective).sum(axis=1).max() for heads in forests]
    assert projective_ceiling(Treebank.from_heads(forests.tolist())).tolist() == best


def drawn(longest: int, count: int) -> list[list[int]]:
    rng = Random(longest)
    return [random_heads(rng, rng.randint(1, longest), rng.choice([1, 1, 2, 3])) for _ in range(count)]


def test_longer_forests_against_a_parser_with_their_arcs_as_scores():
    torch = pytest.importorskip("torch")
    projective = pytest.importorskip("permtree_parsers.projective")
    sentences = drawn(25, 60)
    length = torch.tensor([len(heads) + 1 for heads in sentences])
    scores = torch.zeros(len(sentences), int(length.max()), int(length.max()))
    for row, heads in enumerate(sentences):
        scores[row, range(1, len(heads) + 1), heads] = 1
    found = projective.project(scores, length)[:, 1:].tolist()
    right = [sum(a == b for a, b in zip(heads, own, strict=False)) for heads, own in zip(sentences, found, strict=True)]
    assert projective_ceiling(Treebank.from_heads(sentences)).tolist() == right


@pytest.mark.parametrize("cells", [1, 500, 20_000])
def test_size_of_batches_changes_nothing(monkeypatch, cells):
    treebank = Treebank.from_heads(drawn(30, 40))
    expected = projective_ceiling(treebank).tolist()
    monkeypatch.setattr(ceiling, "CELLS", cells)
    assert projective_ceiling(treebank).tolist() == expected


def test_sentences_may_be_empty():
    trees = Trees([0, 0, 4, 4], [2, 3, -1, 0])
    assert projective_ceiling(trees).tolist() == [0, 2, 0]
    assert projective_ceiling(Trees(np.zeros(1), np.zeros(0))).tolist() == []


def test_two_roots_cost_one_word():
    assert projective_ceiling(Treebank.from_heads([[0, 0], [0, 1, 0, 3]])).tolist() == [1, 3]
