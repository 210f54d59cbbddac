"""Right- and left-branching orders."""

import definitions as naive
from hypothesis import given
from orders import order, orders
from strategies import forest, tree

from permtree.treebank import Treebank


def right_branching(heads):
    """Every dependent after its head, shorter subtrees nearer, equal sizes in original order."""
    keys = [0] * len(heads)
    for head in naive.words_of(heads):
        group = naive.dependents(heads, head)
        group.sort(key=lambda word: (len(naive.subtree(heads, word)), word))
        for rank, word in enumerate(group, 1):
            keys[word - 1] = rank
    return naive.linearize(heads, keys)


def test_rb_on_all_small_forests():
    sentences = naive.forests_up_to(5)
    assert orders(Treebank.from_heads(sentences), "rb") == [right_branching(heads) for heads in sentences]


@given(forest())
def test_rb_on_random_forests(heads):
    assert order(heads, "rb") == right_branching(heads)


@given(tree())
def test_lb_mirrors_rb_word_by_word(heads):
    assert order(heads, "lb") == order(heads, "rb")[::-1]


def test_lb_mirrors_rb_on_all_small_trees():
    treebank = Treebank.from_heads(naive.trees_up_to(5))
    assert [new[::-1] for new in orders(treebank, "lb")] == orders(treebank, "rb")


def test_lb_mirrors_each_tree_of_several_roots_by_itself():
    heads = [0, 1, 1, 0, 4]
    assert order(heads, "rb") == (1, 2, 3, 4, 5)
    assert order(heads, "lb") == (3, 2, 1, 5, 4)


def test_shorter_subtrees_stand_nearer():
    # Word 2 has three words below and itself, word 6 has one, word 8 none.
    heads = [0, 1, 2, 2, 2, 1, 6, 1]
    assert order(heads, "rb") == (1, 8, 6, 7, 2, 3, 4, 5)
    assert order(heads, "lb") == (5, 4, 3, 2, 7, 6, 8, 1)


def test_equal_sizes_keep_their_original_order():
    assert order([3, 3, 0, 3], "rb") == (3, 1, 2, 4)
