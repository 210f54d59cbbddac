"""`--estimator`: every entropy by every estimator, from counts made naively; and what is said about it."""

from __future__ import annotations

import json
import math
from collections import Counter, defaultdict
from functools import cache
from random import Random

import numpy as np
import pytest
from commandline import measured, permtree, sentence
from definitions import Sentence, as_file, labelled
from naive_measures import EVENTS, n_orders
from places import SAMPLE
from strategies import random_heads

from permtree import Treebank, UsageError, measure
from permtree.kernels.entropy import ESTIMATORS, conditional_entropy
from permtree.measures import MEASURES

RIGAN = SAMPLE / "rigan-test.conllu"
ALL_WORDS = {"profile": "lal", "roots": "keep", "unit": "nats"}
every_estimator = pytest.mark.parametrize("estimator", ESTIMATORS)
every_entropy = pytest.mark.parametrize("name", EVENTS)


@cache
def some_sentences(seed: int) -> tuple[Sentence, ...]:
    rng = Random(seed)
    sentences = []
    while len(sentences) < 60:
        heads = random_heads(rng, rng.randint(1, 12), rng.choice([1, 1, 2]))
        if max(Counter(head for head in heads if head).values(), default=0) <= 5:  # so that orders can be enumerated
            sentences.append(labelled(rng, heads, ("a", "b", "c:d"), ("X", "Y")))
    return tuple(sentences)


def possible_outcomes(name: str, context: tuple) -> int:
    """Two sides, two nearer ones; or all orders of the dependents, and the head, that make up the context."""
    if name != "relation_order_entropy":
        return 2
    _, types = context
    return n_orders([kind for kind, count in types for _ in range(count)])


def expected(name: str, sentences: tuple[Sentence, ...], estimator: str) -> float:
    counts: dict[object, Counter] = defaultdict(Counter)
    for context, outcome in EVENTS[name](sentences):
        counts[context][outcome] += 1
    context = [number for number, outcomes in enumerate(counts.values()) for _ in outcomes]
    count = [times for outcomes in counts.values() for times in outcomes.values()]
    possible = [float(possible_outcomes(name, key)) for key in counts]
    columns = np.array(context, np.int64), np.array(count, np.int64), len(counts), np.array(possible)
    return conditional_entropy(*columns, estimator)


@every_estimator
@every_entropy
@pytest.mark.parametrize("seed", range(4))
def test_values_from_naive_counts(name, estimator, seed):
    sentences = some_sentences(seed)
    treebank = Treebank.from_bytes(as_file(sentences))
    value = expected(name, sentences, estimator)
    assert value > 0.1
    found = measure(treebank, name, **ALL_WORDS, estimator=estimator)[name]
    assert found.value == pytest.approx(value, rel=1e-9)
    assert f"{name}|unit:nats|estimator:{estimator}|punct:keep|" in found.signature
    bits = measure(treebank, name, **{**ALL_WORDS, "unit": "bits"}, estimator=estimator)[name]
    assert bits.value == pytest.approx(value / math.log(2), rel=1e-9)


@every_estimator
def test_each_sentence_by_itself(estimator):
    sentences = some_sentences(7)
    result = measure(Treebank.from_bytes(as_file(sentences)), *EVENTS, **ALL_WORDS, estimator=estimator, by="sentence")
    for own, (_, _, values) in zip(sentences, result.groups, strict=True):
        for name in EVENTS:
            assert values[name] == pytest.approx(expected(name, (own,), estimator), rel=1e-9, abs=1e-12, nan_ok=True)


@every_estimator
def test_each_relation_by_itself(estimator):
    sentences = some_sentences(8)
    name = "arc_direction_entropy"
    result = measure(Treebank.from_bytes(as_file(sentences)), name, **ALL_WORDS, estimator=estimator, by="deprel")
    assert {label for label, _, _ in result.groups} == {"a", "b", "c:d"}
    for relation, size, values in result.groups:
        events = [event for event in EVENTS[name](sentences) if event[0][0] == relation]
        assert len(events) == size
        counts: dict[object, Counter] = defaultdict(Counter)
        for context, side in events:
            counts[context][side] += 1
        context = np.array([n for n, sides in enumerate(counts.values()) for _ in sides])
        count = np.array([times for sides in counts.values() for times in sides.values()])
        value = conditional_entropy(context, count, len(counts), np.full(len(counts), 2.0), estimator)
        assert values[name] == pytest.approx(value, rel=1e-9)


@every_entropy
@pytest.mark.parametrize("seed", range(4))
def test_miller_madow_adds_to_plugin_up_to_what_is_possible(name, seed):
    treebank = Treebank.from_bytes(as_file(some_sentences(seed)))
    plugin, corrected = (
        measure(treebank, name, **ALL_WORDS, estimator=own)[name].value for own in ("plugin", "miller-madow")
    )
    # (outcomes - 1) / (2 n) in each context, weighted by n: half the outcomes beyond the first, over all events
    events = EVENTS[name](some_sentences(seed))
    beyond_first = len(set(events)) - len({context for context, _ in events})
    largest = math.inf if name == "relation_order_entropy" else math.log(2)
    assert corrected == pytest.approx(min(plugin + beyond_first / (2 * len(events)), largest))


@pytest.mark.parametrize("estimator", ["miller-madow", "chao-shen", "nsb"])
def test_two_arcs_are_not_more_than_one_bit(estimator):
    """One dependent before its head, one after it, all else alike: what a correction gives beyond 1 bit is cut off."""
    treebank = Treebank.from_heads([[0, 1], [2, 0]])
    found = measure(treebank, "arc_direction_entropy", profile="lal", estimator=estimator)["arc_direction_entropy"]
    assert found.signature.startswith("arc_direction_entropy|unit:bits|")
    assert 0.7 < found.value <= 1
    assert (found.value == 1) == (estimator != "nsb")


def test_plugin_is_the_estimator_if_none_is_named():
    treebank = Treebank.from_bytes(as_file(some_sentences(0)))
    for profile in ("gulordava-merlo-2016", "futrell-2015", "lal"):
        plain, named = (measure(treebank, *EVENTS, profile=profile, **more) for more in ({}, {"estimator": "plugin"}))
        assert dict(plain) == dict(named)


def test_what_is_no_entropy_has_no_estimator():
    names = tuple(MEASURES.names())
    plain, other = (measure(Treebank.read(str(RIGAN)), *names, estimator=own) for own in (None, "chao-shen"))
    assert {name for name in names if plain[name] != other[name]} == set(EVENTS)
    for name in names:
        assert ("|estimator:chao-shen|" in other[name].signature) == (name in EVENTS)


# -- the command line ------------------------------------------------------------------------------------------------


@every_estimator
def test_on_the_command_line(estimator):
    arguments = [part for name in EVENTS for part in ("--measure", name)]
    found = measured(*arguments, "--estimator", estimator, RIGAN)["measures"]
    by_python = measure(Treebank.read(str(RIGAN)), *EVENTS, estimator=estimator)
    assert {name: own["value"] for name, own in found.items()} == {name: own.value for name, own in by_python.items()}
    assert {name: own["signature"] for name, own in found.items()} == {
        name: own.signature for name, own in by_python.items()
    }


@every_estimator
@pytest.mark.parametrize("heads", [[], [[0]], [[2, 0]]], ids=str)
def test_no_data_and_a_single_event(estimator, heads):
    result = measure(Treebank.from_heads(heads), *EVENTS, estimator=estimator)
    assert math.isnan(result["sibling_order_entropy"].value)
    for name, own in result.items():
        if heads == [[2, 0]] and name != "sibling_order_entropy":
            assert (own.value > 0.1) if estimator == "nsb" else (own.value == 0)  # NSB knows that there are two sides
        else:
            assert math.isnan(own.value)


@pytest.mark.parametrize("options", [[], ["--by", "deprel"], ["--by", "sentence"], ["--ci", "3"], ["--curve"]], ids=str)
def test_signatures_go_along(options):
    done = permtree("measure", "--estimator", "miller-madow", "--format", "json", *options, stdin=sentence("a", 2, 0))
    assert "estimator:miller-madow" in json.dumps(json.loads(done.out))


def test_an_unknown_estimator():
    done = permtree("measure", "--estimator", "chao", stdin=sentence("a", 2, 0), status=2)
    (line,) = done.lines
    assert all(repr(name) in line for name in ("chao", *ESTIMATORS))
    assert done.out == b""
    for wrong, right in (("chao", "chao-shen"), ("plug-in", "plugin"), ("NSB", "plugin, miller-madow, chao-shen, nsb")):
        with pytest.raises(UsageError) as caught:
            measure(Treebank.from_heads([[2, 0]]), estimator=wrong)
        assert str(caught.value).startswith(f"--estimator '{wrong}'; ")
        assert right in str(caught.value)
