"""The projective order nearest to the text."""

from random import Random

import definitions as naive
import pytest
from commandline import permtree
from hypothesis import given
from orders import order, orders
from places import SAMPLE
from reordering import conllu, permuted, word
from strategies import forest, random_heads

from permtree import Treebank, permute
from permtree.treebank import heads_of


def assert_nearest(sentences):
    for heads, new in zip(sentences, orders(Treebank.from_heads(sentences), "projectivize"), strict=True):
        possible = naive.projective_orders(heads)
        assert new in possible
        assert naive.squared_displacement(new) == min(map(naive.squared_displacement, possible))


def test_least_displacement_on_all_small_forests():
    assert_nearest(naive.forests_up_to(5))


def test_least_displacement_on_some_forests_of_six_and_seven_words():
    rng = Random(67)
    assert_nearest([random_heads(rng, n, roots) for n in (6, 7) for roots in (1, 1, 2) for _ in range(10)])


@pytest.mark.long
def test_least_displacement_on_all_trees_of_six_words():
    assert_nearest(naive.trees(6))


@given(forest())
def test_projective_sentences_stay(heads):
    if not naive.nonprojective_words(heads):
        assert order(heads, "projectivize") == naive.original(heads)


def test_all_small_projective_sentences_stay():
    sentences = [heads for heads in naive.forests_up_to(5) if not naive.nonprojective_words(heads)]
    assert len(sentences) > 300
    expected = [naive.original(heads) for heads in sentences]
    assert orders(Treebank.from_heads(sentences), "projectivize") == expected


@given(forest())
def test_doing_it_twice_changes_nothing_more(heads):
    once = naive.heads_in(heads, order(heads, "projectivize"))
    assert not naive.nonprojective_words(once)
    assert order(once, "projectivize") == naive.original(once)


def test_a_subtree_that_is_torn_apart_comes_together():
    # 2 and 4 belong together, with 3 (on the root) between them; their mean is just the place of 3.
    assert order([0, 1, 1, 2], "projectivize") in [(1, 2, 4, 3), (1, 3, 2, 4)]
    # The subtree of word 1 also holds 4; its mean is left of the root's place 3.
    assert order([3, 3, 0, 1], "projectivize") == (2, 1, 4, 3)


def test_a_subtree_as_near_on_either_side_stays_on_the_side_of_its_top_word():
    """Its words stand around the head, at a mean that is just the place of the head."""
    assert order([2, 0, 1], "projectivize") == (1, 3, 2)
    assert order([3, 0, 2], "projectivize") == (2, 1, 3)


def words(data: bytes) -> list[bytes]:
    return [line for line in data.splitlines() if not line.startswith(b"# permtree")]


def test_projective_sentences_of_the_sample_stay_to_the_byte():
    """Only the signature and the old numbers in MISC tell that they were permuted."""
    path = SAMPLE / "fluvi-dev.conllu"
    new = permtree("permute", "--mode", "projectivize", path).out
    same = permtree("permute", "--mode", "original", path).out
    before, after, original = (data.split(b"\n\n")[:-1] for data in (path.read_bytes(), new, same))
    projective = [not naive.nonprojective_words(heads) for heads in heads_of(Treebank.read(str(path)))]
    assert len(before) == len(after) == len(original) == len(projective)
    assert any(projective)
    assert not all(projective)
    for stays, a, b in zip(projective, after, original, strict=True):
        assert (words(a) == words(b)) == stays
    assert permtree("invert", stdin=new).out == path.read_bytes()


def test_nothing_that_is_left_is_non_projective():
    treebank = Treebank.read(str(SAMPLE / "fluvi-dev.conllu"))
    assert treebank.nonprojective.any()
    assert not permute(treebank, "projectivize").nonprojective.any()


def test_final_punctuation_that_stays_takes_no_part():
    """The full stop would draw the words it hangs on to the other side of the root."""
    data = conllu(word(1, "a", 3), word(2, "b", 3), word(3, "c", 0), word(4, "d", 1), word(5, ".", 1, upos="PUNCT"), "")
    assert heads_of(permuted(data, "projectivize", punct="keep")) == [[2, 0, 2, 3, 3]]  # b c a d .
    assert heads_of(permuted(data, "projectivize", punct="final")) == [[4, 4, 2, 0, 2]]  # b a d c .
