"""What stays in place and what moves as one block: final punctuation and ranges."""

from collections import Counter

import numpy as np
from every_mode import every_quick_mode
from hypothesis import given
from hypothesis import strategies as st
from reordering import conllu, permuted, word
from rich_sentences import no_shrinking, rich_sentences

from permtree.permuters import PERMUTERS, Request
from permtree.permuting import Permutation, arrange, permute
from permtree.treebank import Treebank
from permtree.treebank.policies import final_run, is_punct, range_blocks


def forms(treebank: Treebank) -> list[str]:
    return treebank.text.strings(1)


FINAL = conllu(
    word(1, "a", 0),
    word(2, ",", 1, upos="PUNCT"),
    word(3, "b", 1),
    word(4, "!", 1, upos="PUNCT"),
    word(5, "?", 4, upos="PUNCT"),
    "",
)


@every_quick_mode
def test_final_punctuation_stays_at_the_end(mode, options):
    assert forms(permuted(FINAL * 3, mode, 1, options, punct="final"))[3:5] == ["!", "?"]
    assert forms(permuted(FINAL * 3, mode, 1, options, punct="final"))[13:15] == ["!", "?"]


def test_the_others_are_ordered_as_if_it_were_not_there():
    assert forms(permuted(FINAL, "reverse", punct="final")) == ["b", ",", "a", "!", "?"]
    assert forms(permuted(FINAL, "lb", punct="final")) == ["b", ",", "a", "!", "?"]


def test_a_sentence_of_punctuation_alone_stays():
    data = conllu(word(1, "!", 0, upos="PUNCT"), word(2, "!", 1, upos="PUNCT"), "")
    assert forms(permuted(data, "reverse", punct="final")) == ["!", "!"]


def test_a_word_that_hangs_on_final_punctuation():
    """For the order it hangs where the punctuation does; in the file it keeps its head."""
    data = conllu(word(1, "a", 2), word(2, "b", 0), word(3, "c", 4), word(4, ".", 2, upos="PUNCT"), "")
    result = permuted(data, "reverse", punct="final")
    assert forms(result) == ["c", "b", "a", "."]
    assert result.text.strings(6) == ["4", "0", "2", "2"]


@every_quick_mode
@no_shrinking
@given(data=rich_sentences(), punct_is_final=st.booleans(), unit=st.booleans())
def test_words_stay_in_their_sentence(mode, options, data, punct_is_final, unit):
    treebank = Treebank.from_bytes(data)
    final = np.zeros(treebank.n_words, bool)
    if punct_is_final:
        final = final_run(treebank, is_punct(treebank, "PUNCT"))
    request = Request(1, PERMUTERS[mode].configured(options), Counter())
    if PERMUTERS[mode].learns(request.config):
        request.rule = Permutation(mode, 1, config=request.config).learnt(treebank).rule.content
    order = arrange(treebank, PERMUTERS[mode], request, final, unit)
    assert treebank.sentence_of[order].tolist() == treebank.sentence_of.tolist()
    assert sorted(order.tolist()) == list(range(treebank.n_words))
    assert order[final].tolist() == np.flatnonzero(final).tolist()


def test_a_range_that_ends_in_final_punctuation():
    """Its word that is no punctuation must not leave its sentence for the start of the file."""
    data = conllu(word(1, "x", 0), "", word("1-2", "a."), word(1, "a", 2), word(2, ".", 0, upos="PUNCT"), "")
    result = permuted(data, "reverse", punct="final", mwt="unit")
    assert forms(result) == ["x", "a", "."]


# -- ranges as blocks ----------------------------------------------------------------------------------------------


def blocks(*lines: str, any_tree: bool = False) -> tuple[list[int], int, int]:
    """The main word (from 1) of each word, and how many ranges move as blocks and how many can't."""
    treebank = Treebank.from_bytes(conllu(*lines, ""))
    main, whole, loose = range_blocks(treebank, np.zeros(treebank.n_words, bool), any_tree)
    return (main + 1).tolist(), whole, loose


def test_a_range_whose_top_word_alone_has_dependents_outside():
    lines = (word("1-2", "ab"), word(1, "a", 0), word(2, "b", 1), word(3, "c", 1))
    assert blocks(*lines) == ([1, 1, 3], 1, 0)


def test_a_range_whose_lower_word_has_dependents_outside():
    lines = (word("1-2", "ab"), word(1, "a", 0), word(2, "b", 1), word(3, "c", 2))
    assert blocks(*lines) == ([1, 2, 3], 0, 1)
    assert blocks(*lines, any_tree=True) == ([1, 1, 3], 1, 0)


def test_words_that_hang_on_one_head_outside():
    assert blocks(word("1-2", "du"), word(1, "de", 3), word(2, "le", 3), word(3, "chat", 0)) == ([1, 1, 3], 1, 0)


def test_words_that_hang_on_different_heads_outside():
    lines = (word("1-2", "ab"), word(1, "a", 3), word(2, "b", 4), word(3, "c", 0), word(4, "d", 3))
    assert blocks(*lines) == ([1, 2, 3, 4], 0, 1)


def test_two_roots_in_one_range():
    assert blocks(word("1-2", "ab"), word(1, "a", 0), word(2, "b", 0)) == ([1, 2], 0, 1)


def test_words_on_one_head_of_which_one_has_a_dependent_outside():
    lines = (word("1-2", "ab"), word(1, "a", 3), word(2, "b", 3), word(3, "c", 0), word(4, "d", 1))
    assert blocks(*lines) == ([1, 2, 3, 4], 0, 1)


@every_quick_mode
def test_blocks_stay_together_and_are_counted(mode, options):
    lines = (word("2-3", "du"), word(2, "de", 4), word(3, "le", 4), word(4, "chat", 1))
    data = conllu(word(1, "x", 0), *lines, "") * 5
    result = permute(Treebank.from_bytes(data), mode, seed=2, mwt="unit", **options)
    assert len(result.text.range_token) == 5
    assert forms(result).index("le") == forms(result).index("de") + 1
