"""Every measure against its naive definition: sentence by sentence on all small forests, pooled on random ones."""

from __future__ import annotations

import math
from random import Random

import pytest
from definitions import as_file, forests_up_to, labelled, n_optimal_orders, optimal_orders, trees_up_to
from hypothesis import given
from naive_measures import DEFINITIONS, EVENTS, entropy
from strategies import batches, random_heads

from permtree import Treebank, measure
from permtree.measures import MEASURES

LENGTHS = ("distance", "span", "span+root")
ENUMERABLE = 6  # words; minima are found among all projective orders


def measured(sentences, names, length, by=None):
    """All words counted, sentences with several roots kept."""
    return measure(Treebank.from_heads(sentences), *names, profile="lal", roots="keep", length=length, by=by)


def same(found: float, defined) -> bool:
    if math.isnan(defined):
        return math.isnan(found)
    return found == pytest.approx(float(defined), rel=1e-13, abs=1e-13)


def test_every_measure_has_a_naive_definition():
    assert {*DEFINITIONS, *EVENTS} == set(MEASURES.names())


LONG = [pytest.param(length, marks=pytest.mark.long) for length in LENGTHS[1:]]


@pytest.mark.parametrize("length", [LENGTHS[0], *LONG])
def test_each_forest_of_up_to_five_words(length):
    sentences = forests_up_to(5)
    result = measured(sentences, tuple(DEFINITIONS), length, by="sentence")
    assert result.kept_sentences == len(result.groups) == len(sentences)
    for heads, ((number, _), size, values) in zip(sentences, result.groups, strict=True):
        assert size == 1
        assert heads == sentences[number - 1]
        for name, definition in DEFINITIONS.items():
            assert same(values[name], definition([heads], length)), (heads, name)


@pytest.mark.parametrize("length", LENGTHS)
def test_all_forests_of_up_to_four_words_pooled(length):
    sentences = forests_up_to(4)
    result = measured(sentences, tuple(DEFINITIONS), length)
    for name, definition in DEFINITIONS.items():
        assert same(result[name].value, definition(list(sentences), length)), name


@given(batches(ENUMERABLE))
def test_random_forests_pooled(sentences):
    for length in LENGTHS:
        result = measured(sentences, tuple(DEFINITIONS), length)
        for name, definition in DEFINITIONS.items():
            assert same(result[name].value, definition(sentences, length)), name


@pytest.mark.long
@given(batches())
def test_long_forests_pooled(sentences):
    """Without what takes a search through all orders or trees."""
    names = set(DEFINITIONS) - {"dl_min_total", "dl_min_unrestricted", "dlm_ratio", "omega", "omega_pooled"}
    names -= {"crossings_expected", "crossings_z", "projective_ceiling"}
    for length in LENGTHS:
        result = measured(sentences, tuple(names), length)
        for name in names:
            assert same(result[name].value, DEFINITIONS[name](sentences, length)), name


def test_number_of_optimal_orders_is_what_enumeration_finds():
    sentences = trees_up_to(5)
    result = measured(sentences, ["optimal_orders_log2"], "distance", by="sentence")
    for heads, (_, _, values) in zip(sentences, result.groups, strict=True):
        count = len(set(optimal_orders(heads)))
        assert count == n_optimal_orders(heads)
        assert same(values["optimal_orders_log2"], math.log2(count)), heads


@pytest.mark.parametrize("seed", range(10))
def test_entropies_of_random_labelled_treebanks(seed):
    """Pooled, and each sentence by itself."""
    rng = Random(seed)
    trees = [random_heads(rng, rng.randint(1, 14), rng.choice([1, 1, 1, 2])) for _ in range(40)]
    sentences = [labelled(rng, heads, ("a", "b", "b:c"), ("X", "Y")) for heads in trees]
    options = {"profile": "lal", "roots": "keep", "unit": "nats"}
    result = measure(Treebank.from_bytes(as_file(sentences)), *EVENTS, **options, by="sentence")
    for name, events in EVENTS.items():
        assert result[name].value == pytest.approx(entropy(events(sentences)), rel=1e-12), name
        for sentence, (_, _, values) in zip(sentences, result.groups, strict=True):
            expected = entropy(events([sentence]))
            assert values[name] == pytest.approx(expected, rel=1e-12, nan_ok=True), (name, sentence)
