"""The kernels on trees against their naive definitions: all small forests in one batch, and random batches."""

import definitions as naive
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import Selection, as_mask, batches, selections

from permtree.kernels.trees import Trees, reattach
from permtree.treebank import Treebank, heads_of


@pytest.fixture(scope="module")
def small() -> Selection:
    """All trees and forests of up to five words, in one treebank."""
    sentences = [list(heads) for heads in naive.forests_up_to(5)]
    return Selection(Treebank.from_heads(sentences), sentences)


def per_word(sentences, function):
    """function(heads, word) for all words of all sentences."""
    return [function(heads, word) for heads in sentences for word in naive.words_of(heads)]


def check_depth(case: Selection):
    assert case.treebank.depth.tolist() == per_word(case.sentences, naive.depth)


def check_levels(case: Selection):
    depth = np.array(per_word(case.sentences, naive.depth), int)
    levels = case.treebank.levels
    assert [sorted(level.tolist()) for level in levels] == [
        np.flatnonzero(depth == number).tolist() for number in range(depth.max(initial=-1) + 1)
    ]


def check_subtree_size(case: Selection):
    assert case.treebank.subtree_size.tolist() == per_word(case.sentences, lambda h, w: len(naive.subtree(h, w)))


def check_preorder(case: Selection):
    """The words of each subtree hold the numbers from their top word's on, and no others."""
    start = case.treebank.sentence_start.tolist()
    preorder = case.treebank.preorder.tolist()
    for first, heads in zip(start, case.sentences, strict=False):
        for top in naive.words_of(heads):
            below = sorted(preorder[first + word - 1] for word in naive.subtree(heads, top))
            begin = preorder[first + top - 1]
            assert below == list(range(begin, begin + len(below)))
        assert sorted(preorder[first : first + len(heads)]) == list(range(first, first + len(heads)))


def check_nonprojective(case: Selection):
    expected = [word in naive.nonprojective_words(heads) for heads in case.sentences for word in naive.words_of(heads)]
    assert case.treebank.nonprojective.tolist() == expected


def check_dependents(case: Selection):
    treebank = case.treebank
    start = treebank.sentence_start.tolist()
    grouped = [
        first + word - 1
        for first, heads in zip(start, case.sentences, strict=False)
        for head in naive.words_of(heads)
        for word in naive.dependents(heads, head)
    ]
    assert treebank.dependents.tolist() == grouped
    assert treebank.n_dependents.tolist() == per_word(case.sentences, lambda h, w: len(naive.dependents(h, w)))
    assert treebank.n_roots.tolist() == [list(heads).count(0) for heads in case.sentences]


def check_root_rank(case: Selection):
    roots = case.treebank.levels[0].tolist() if case.treebank.levels else []
    ranks = dict(zip(roots, case.treebank.root_rank.tolist(), strict=True))
    start = case.treebank.sentence_start.tolist()
    expected = {}
    for first, heads in zip(start, case.sentences, strict=False):
        expected |= {first + root - 1: rank for rank, root in enumerate(naive.dependents(heads, 0))}
    assert ranks == expected


CHECKS = [
    check_depth,
    check_levels,
    check_subtree_size,
    check_preorder,
    check_nonprojective,
    check_dependents,
    check_root_rank,
]


@pytest.mark.parametrize("check", CHECKS)
def test_all_forests_of_up_to_five_words(check, small):
    check(small)


@pytest.mark.parametrize("check", CHECKS)
@given(case=selections())
def test_random_batches(check, case):
    check(case)


@given(selections())
def test_selecting_words_hangs_each_on_its_nearest_kept_ancestor(case):
    assert heads_of(case.treebank) == case.sentences


@given(batches(), st.data())
def test_reattach(batch, data):
    kept = [set(data.draw(st.lists(st.integers(1, len(heads))))) for heads in batch]
    treebank = Treebank.from_heads(batch)
    new = reattach(treebank.head, as_mask(batch, kept))
    first = treebank.sentence_start[treebank.sentence_of]
    numbers = np.where(new >= 0, new - first + 1, 0)
    expected = [
        naive.nearest_kept(heads, word, words)
        for heads, words in zip(batch, kept, strict=True)
        for word in naive.words_of(heads)
    ]
    assert numbers.tolist() == expected


def test_words_on_a_cycle_have_no_depth():
    treebank = Treebank.from_heads([[0], [2, 1, 1, 0], [0, 1]])
    assert treebank.depth.tolist() == [0, -1, -1, -1, 0, 0, 1]


def test_no_sentence_at_all():
    empty = Trees(np.zeros(1), np.zeros(0))
    assert (empty.n_words, empty.n_sentences, empty.levels) == (0, 0, [])
    assert empty.nonprojective.tolist() == []
    assert empty.preorder.tolist() == []


def test_arrays_are_read_only():
    treebank = Treebank.from_heads([[0, 1]])
    with pytest.raises(ValueError, match="read-only"):
        treebank.head[0] = 1
    with pytest.raises(ValueError, match="read-only"):
        treebank.sentence_start[0] = 1
