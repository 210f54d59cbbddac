"""Randomness belongs to the sentence: what stands around it, and in which file it is read, makes no difference."""

import numpy as np
import pytest
from every_mode import learning_elsewhere, modes
from orders import orders
from scipy.stats import kstest
from strategies import random_heads, with_ids

from permtree.permuters import PERMUTERS
from permtree.treebank import Treebank
from permtree.treebank.randomness import sentence_keys, uniform

RANDOM = [(mode, learning_elsewhere(mode, options)) for mode, options in modes() if PERMUTERS[mode].random]
every_random_mode = pytest.mark.parametrize(("mode", "options"), RANDOM)


@pytest.fixture(scope="module")
def sentences():
    from random import Random

    rng = Random(1)
    return [(f"s{number}", random_heads(rng, rng.randrange(1, 30))) for number in range(60)]


@every_random_mode
def test_two_halves_give_what_the_whole_gives(mode, options, sentences):
    whole = orders(with_ids(sentences), mode, 3, **options)
    halves = [orders(with_ids(half), mode, 3, **options) for half in (sentences[:25], sentences[25:])]
    assert halves[0] + halves[1] == whole


@every_random_mode
def test_the_order_of_the_sentences_makes_no_difference(mode, options, sentences):
    shuffled = np.random.default_rng(0).permutation(len(sentences)).tolist()
    whole = orders(with_ids(sentences), mode, 3, **options)
    again = orders(with_ids([sentences[i] for i in shuffled]), mode, 3, **options)
    assert again == [whole[i] for i in shuffled]


@every_random_mode
def test_a_sentence_alone_gives_the_same(mode, options, sentences):
    whole = orders(with_ids(sentences), mode, 3, **options)
    assert [orders(with_ids([sentence]), mode, 3, **options)[0] for sentence in sentences] == whole


@every_random_mode
def test_a_selection_gives_the_same(mode, options, sentences):
    treebank = with_ids(sentences)
    kept = np.arange(len(sentences)) % 3 == 1
    expected = [order for order, stays in zip(orders(treebank, mode, 3, **options), kept, strict=True) if stays]
    assert orders(treebank.select_sentences(kept), mode, 3, **options) == expected


@every_random_mode
def test_seeds_and_ids_make_a_difference(mode, options, sentences):
    read = PERMUTERS[mode].configured(options)
    if not PERMUTERS[mode].uses_seed(read) or PERMUTERS[mode].learns(read):
        return
    first = orders(with_ids(sentences), mode, 0, **options)
    assert orders(with_ids(sentences), mode, 1, **options) != first
    renamed = [(f"other {name}", heads) for name, heads in sentences]
    assert orders(with_ids(renamed), mode, 0, **options) != first


@every_random_mode
def test_without_ids_the_words_decide(mode, options, sentences):
    """A sentence's number in its file isn't its own: it changes when the file is cut."""
    heads = [heads for _, heads in sentences]
    whole = orders(Treebank.from_heads(heads), mode, 3, **options)
    assert orders(Treebank.from_heads(heads[20:]), mode, 3, **options) == whole[20:]


def key_of(*lines: str) -> int:
    return int(sentence_keys(Treebank.from_bytes(("\n".join(lines) + "\n\n").encode()).text)[0])


def line(number: int, form: str) -> str:
    return f"{number}\t{form}\t_\t_\t_\t_\t{number - 1}\tdep\t_\t_"


def test_a_key_depends_on_id_and_words_alone():
    key = key_of("# sent_id = a", line(1, "x"), line(2, "y"))
    assert key_of("# other", "# sent_id = a", line(1, "x"), "1.1" + line(1, "z")[1:], line(2, "y")) == key
    assert key_of("# sent_id = a", "1\tx\tl\tX\tX\tA=B\t2\tr\t_\tM", "2\ty\tl\tX\tX\tA=B\t0\troot\t_\tM") == key
    assert key_of("# sent_id = b", line(1, "x"), line(2, "y")) != key
    assert key_of("# sent_id = a", line(1, "y"), line(2, "x")) != key
    assert key_of(line(1, "x"), line(2, "y")) != key


def test_words_are_not_run_together():
    assert key_of(line(1, "ab"), line(2, "c")) != key_of(line(1, "a"), line(2, "bc"))


def test_a_sentence_named_like_a_number_has_a_name():
    """`number 7` may be a real sent_id; then it belongs to the sentence."""
    assert key_of("# sent_id = number 7", line(1, "x")) != key_of("# sent_id = number 8", line(1, "x"))


def test_keys_of_many_sentences_are_different(sentences):
    treebank = with_ids([(f"id {number}", [0]) for number in range(5000)])
    assert len(set(sentence_keys(treebank.text).tolist())) == 5000


def test_numbers_are_uniform_and_independent():
    rng = np.random.default_rng(3)
    keys = rng.integers(0, 2**63, 500).astype(np.uint64)
    counters = np.arange(40)
    draws = uniform(np.repeat(keys, 40), np.tile(counters, 500), 0, "test").reshape(500, 40)
    assert draws.min() >= 0
    assert draws.max() < 1
    assert kstest(draws.ravel(), "uniform").pvalue > 0.001
    correlation = np.corrcoef(draws, rowvar=False)[np.triu_indices(40, 1)]
    assert np.abs(correlation).max() < 4.5 / np.sqrt(500)


def test_streams_and_seeds_draw_other_numbers():
    keys, counters = np.full(1000, 7, np.uint64), np.arange(1000)
    first = uniform(keys, counters, 0, "a")
    for seed, stream in [(0, "b"), (1, "a"), (10, "a"), (2**70, "a")]:
        other = uniform(keys, counters, seed, stream)
        assert not np.isin(first, other).any()
        assert abs(np.corrcoef(first, other)[0, 1]) < 0.15


def test_no_global_generator_is_touched(sentences):
    import random

    np.random.seed(1)
    random.seed(1)
    before = random.getstate(), np.random.get_state()[1].tolist()
    for mode, options in RANDOM:
        orders(with_ids(sentences), mode, 3, **options)
    assert (random.getstate(), np.random.get_state()[1].tolist()) == before


def test_the_numbers_never_change():
    """Published results name a seed; these numbers must stay what they are, on every machine and in every version."""
    treebank = with_ids([("a", [0, 1, 1, 1, 1, 1, 1]), ("b", [0, 1, 1, 1, 1, 1, 1])])
    assert orders(treebank, "random") == [(7, 1, 6, 5, 4, 2, 3), (4, 5, 7, 3, 1, 6, 2)]
    assert orders(treebank, "random-projective") == [(6, 4, 5, 2, 7, 3, 1), (7, 6, 2, 3, 4, 1, 5)]
    assert orders(treebank, "random-same-side") == [(1, 7, 2, 6, 5, 3, 4), (1, 5, 6, 2, 3, 7, 4)]
    assert orders(treebank, "optdl", ties="random") == [(3, 4, 6, 1, 7, 5, 2), (6, 7, 3, 1, 5, 2, 4)]
