"""Orders that look at positions only: original, reverse, and one fixed permutation."""

import definitions as naive
import pytest
from orders import order, orders

from permtree.errors import UsageError
from permtree.permuters import PERMUTERS, Request
from permtree.permuters.fixed import read_sigma
from permtree.permuting import order_of
from permtree.treebank import Treebank


def test_original_changes_nothing():
    sentences = naive.forests_up_to(4)
    assert orders(Treebank.from_heads(sentences), "original") == [naive.original(heads) for heads in sentences]


def test_reverse_reads_every_sentence_from_its_end():
    sentences = naive.forests_up_to(4)
    expected = [naive.original(heads)[::-1] for heads in sentences]
    assert orders(Treebank.from_heads(sentences), "reverse") == expected


def test_fixed_takes_the_kth_word_from_the_kth_number():
    assert order([0, 1, 1, 1], "fixed", sigma=(2, 4, 1, 3)) == (2, 4, 1, 3)


def test_fixed_leaves_sentences_of_other_lengths_and_counts_them():
    treebank = Treebank.from_heads([[0, 1], [0, 1, 1], [0], [2, 0, 2]])
    request = Request(0, PERMUTERS["fixed"].configured({"sigma": (3, 1, 2)}))
    assert order_of(treebank, PERMUTERS["fixed"], request).tolist() == [0, 1, 4, 2, 3, 5, 8, 6, 7]
    assert request.counts["sentences passed over by --sigma (other length)"] == 2


def test_sigma_is_read_from_a_file_of_numbers_parted_by_white_space(tmp_path):
    path = tmp_path / "sigma"
    path.write_text("2 3\n1\t4\n")
    assert read_sigma(str(path)) == read_sigma(path) == (2, 3, 1, 4)


@pytest.mark.parametrize("content", ["", "0 1 2", "1 2 4", "1 1 2", "1 2 x", "1 -2", "1.0 2", "2 3", "1,2", "²", "1 ²"])
def test_a_file_that_holds_no_permutation_is_refused(tmp_path, content):
    path = tmp_path / "sigma"
    path.write_text(content, encoding="utf-8")
    with pytest.raises(UsageError):
        read_sigma(str(path))


def test_a_file_that_is_not_utf8_is_refused(tmp_path):
    path = tmp_path / "sigma"
    path.write_bytes(b"1 2 \xff")
    with pytest.raises(UsageError):
        read_sigma(str(path))


@pytest.mark.parametrize("value", [(), (0, 1), (1, 3), (1, 1)])
def test_a_sequence_that_is_no_permutation_is_refused(value):
    with pytest.raises(UsageError, match="--sigma"):
        read_sigma(value)


def test_sigma_must_be_given():
    with pytest.raises(UsageError, match="--sigma FILE"):
        order([0, 1], "fixed")


def test_a_missing_file_is_named(tmp_path):
    with pytest.raises(UsageError, match="nowhere"):
        read_sigma(str(tmp_path / "nowhere"))
