"""What holds for every word order, whatever it is: words stay in their sentence, and the tree stays the same tree."""

import definitions as naive
import pytest
from every_mode import every_mode, every_quick_mode
from hypothesis import given
from orders import orders
from strategies import batches, selections

from permtree.editing.trace import Trace
from permtree.errors import UsageError
from permtree.permuters import PERMUTERS
from permtree.permuting import Permutation, permute_bytes
from permtree.treebank import Treebank, heads_of


def assert_permutations(treebank, mode, options):
    lengths = treebank.sentence_length.tolist()
    for seed in (0, 7):
        for order, length in zip(orders(treebank, mode, seed, **options), lengths, strict=True):
            assert sorted(order) == list(range(1, length + 1))


@every_mode
def test_words_stay_in_their_sentence_on_all_small_forests(mode, options):
    assert_permutations(Treebank.from_heads(naive.forests_up_to(5)), mode, options)


@every_quick_mode
@given(case=selections())
def test_words_stay_in_their_sentence_in_random_batches(mode, options, case):
    assert_permutations(case.treebank, mode, options)


def assert_same_trees(sentences, mode, options):
    """Through the file: the new heads, traced back by the old ids in MISC, are the old heads."""
    data, _ = permute_bytes(Treebank.from_heads(sentences), Permutation(mode, 3, config=options))
    permuted = Treebank.from_bytes(data)
    old = Trace.of(permuted.text).last_ids.tolist()
    start = permuted.sentence_start.tolist()
    for begin, before, after in zip(start, sentences, heads_of(permuted), strict=False):
        old_number = {0: 0} | {new: old[begin + new - 1] for new in naive.words_of(after)}
        traced = {old_number[word]: old_number[head] for word, head in enumerate(after, 1)}
        assert traced == dict(enumerate(before, 1))


@every_quick_mode
def test_the_tree_stays_the_same_on_all_small_forests(mode, options):
    assert_same_trees(naive.forests_up_to(5), mode, options)


@every_quick_mode
@given(sentences=batches())
def test_the_tree_stays_the_same_in_random_batches(mode, options, sentences):
    assert_same_trees(sentences, mode, options)


@every_mode
def test_placements_give_projective_orders(mode, options):
    if PERMUTERS[mode].gives == "placement":
        sentences = naive.trees_up_to(5)
        for heads, order in zip(sentences, orders(Treebank.from_heads(sentences), mode, 1, **options), strict=True):
            assert naive.is_projective(heads, order)


@every_quick_mode
def test_several_roots_keep_their_order_and_their_trees_apart(mode, options):
    if PERMUTERS[mode].gives == "placement":
        heads = [2, 0, 2, 5, 0, 0, 6]
        new = orders(Treebank.from_heads([heads]), mode, 1, **options)[0]
        assert sorted(new[:3]) == [1, 2, 3]
        assert sorted(new[3:5]) == [4, 5]
        assert sorted(new[5:]) == [6, 7]


@every_mode
def test_a_treebank_without_sentences(mode, options):
    assert orders(Treebank.from_bytes(b""), mode, **options) == []
    data, report = permute_bytes(Treebank.from_bytes(b""), Permutation(mode, config=options))
    assert data == b""
    assert report.counts["sentences written"] == 0


@pytest.mark.parametrize("mode", PERMUTERS.names())
def test_every_permuter_has_a_card(mode):
    card = PERMUTERS[mode]
    assert card.name == mode
    assert card.what
    assert card.source
    assert card.gives in ("placement", "order")


def test_an_unknown_mode_names_the_way_out():
    with pytest.raises(UsageError, match="did you mean 'optdl'"):
        PERMUTERS["optld"]
    with pytest.raises(UsageError, match="mode 'rb' has no option 'ties'"):
        Permutation("rb", config={"ties": "random"})
    with pytest.raises(UsageError, match="did you mean 'original'"):
        Permutation("optdl", config={"ties": "orignal"})
    with pytest.raises(UsageError, match="--seed"):
        Permutation("random", -1)
