"""Sibling-order and relation-order entropy: treebanks made by hand, their naive definitions, grammars and chance."""

from __future__ import annotations

import json
import math
from collections import Counter
from itertools import combinations, permutations
from random import Random

import numpy as np
import pytest
from commandline import measured, permtree, sentence
from definitions import as_file, labelled
from naive_measures import entropy, n_orders, orders_of_heads, pairs_of_siblings
from places import SAMPLE
from reordering import conllu
from strategies import random_heads

from permtree import Treebank, measure, permute
from permtree.measures import MEASURES, Conventions
from permtree.treebank.arc_types import dependent_keys, paired_kinds, text_placement

LOG2 = math.log(2)
SIBLING, RELATION = "sibling_order_entropy", "relation_order_entropy"
BOTH = {SIBLING: pairs_of_siblings, RELATION: orders_of_heads}
ALL_WORDS = {"profile": "lal", "roots": "keep"}


def in_order(*types: str, head: str = "VERB") -> bytes:
    """A sentence of one head and its dependents: "H" for the head, relations with or without a UPOS (obj, obj/PRON)."""
    place = types.index("H") + 1
    lines = []
    for number, of_word in enumerate(types, 1):
        relation, _, tag = of_word.partition("/")
        columns = f"{head} _ _ 0 root" if of_word == "H" else f"{tag or 'NOUN'} _ _ {place} {relation}"
        lines.append(f"{number} w _ {columns}")
    return conllu(*lines, "")


def value(data: bytes, name: str, **options) -> float:
    return measure(Treebank.from_bytes(data), name, **{**ALL_WORDS, "unit": "nats", **options})[name].value


def nats(*shares: float) -> float:
    return -sum(share * math.log(share) for share in shares)


def some_sentences(seed: int, n_sentences: int = 40, longest: int = 14):
    """Few types, so that many siblings are alike and contexts come back."""
    rng = Random(seed)
    trees = [random_heads(rng, rng.randint(1, longest), rng.choice([1, 1, 1, 2])) for _ in range(n_sentences)]
    relations = [f"r{number}" for number in range(rng.randint(1, 4))]
    return [labelled(rng, heads, relations, ("X", "Y")[: rng.randint(1, 2)]) for heads in trees]


AB, BA = in_order("H", "a", "b"), in_order("H", "b", "a")  # a nearer, b nearer
CD = in_order("H", "c", "d")

SIBLINGS = {
    "one order only": (AB * 5, 0),
    "half and half": (AB * 3 + BA * 3, LOG2),
    "one in four": (AB + BA * 3, nats(1 / 4, 3 / 4)),
    "weighted by pairs": (AB + BA + CD * 6, LOG2 / 4),
    "three dependents are three pairs": (in_order("H", "a", "b", "c") + in_order("H", "b", "a", "c"), LOG2 / 3),
    "all three turned": (in_order("H", "a", "b", "c") + in_order("H", "c", "b", "a"), LOG2),
    "pairs of one type don't count": (AB + BA + in_order("H", "a", "a") * 7, LOG2),
    "two alike beside another": (in_order("H", "a", "b", "a"), LOG2),
    "one pair a type of pair": (in_order("H", "a", "a", "b") + in_order("H", "b", "a"), nats(1 / 3, 2 / 3)),
    "nearness, not place in the text": (in_order("b", "a", "H") * 2, 0),
    "sides are apart": (in_order("a", "b", "H") + AB, 0),
    "both sides of log 2": (in_order("a", "b", "H") + in_order("b", "a", "H") + AB + BA, LOG2),
    "tags of heads are apart": (AB + in_order("H", "b", "a", head="NOUN"), 0),
    "tags of dependents make types": (in_order("H", "a/X", "a/Y") + in_order("H", "a/Y", "a/X"), LOG2),
    "tags of dependents are apart": (AB + in_order("H", "b", "a/PRON"), 0),
    "subtypes make types": (in_order("H", "nmod", "nmod:poss") + in_order("H", "nmod:poss", "nmod"), LOG2),
    "the other side is no sibling": (AB + BA + in_order("a", "H", "b") * 5 + in_order("b", "H", "a") * 3, LOG2),
}
NO_PAIRS = {
    "no dependents": in_order("H"),
    "one dependent": in_order("a", "H"),
    "one on each side": in_order("a", "H", "b"),
    "one type": in_order("H", "a", "a", "a"),
    "a chain": sentence("chain", 0, 1, 2, 3),
    "two roots": conllu("1 w _ X _ _ 0 root", "2 w _ Y _ _ 0 root", ""),
}
RELATIONS = {
    "one order only": (AB * 5, 0),
    "half and half": (AB * 3 + BA * 3, LOG2),
    "one in four": (AB + BA * 3, nats(1 / 4, 3 / 4)),
    "one dependent has two places": (in_order("a", "H") + in_order("H", "a"), LOG2),
    "the head's place counts": (in_order("a", "H", "b") + AB, LOG2),
    "all six orders of three": (b"".join(in_order(*order) for order in permutations(("a", "b", "H"))), math.log(6)),
    "weighted by heads": (AB + BA + in_order("H", "c", "d", "e") * 6, LOG2 / 4),
    "dependents of one type are alike": (in_order("a", "H", "a") * 4, 0),
    "two alike beside another": (
        in_order("a", "a", "b", "H") + in_order("a", "b", "a", "H") + in_order("b", "a", "a", "H"),
        math.log(3),
    ),
    "how many of a type makes sets": (in_order("H", "a", "a", "b") + in_order("H", "b", "a"), 0),
    "sets are apart": (AB + in_order("c", "H", "a"), 0),
    "tags of heads are apart": (AB + in_order("H", "b", "a", head="NOUN"), 0),
    "tags of dependents are apart": (AB + in_order("H", "b", "a/PRON"), 0),
    "subtypes are apart": (in_order("H", "nmod") + in_order("nmod:poss", "H"), 0),
}
KNOWN = [(SIBLING, name, *case) for name, case in SIBLINGS.items()]
KNOWN += [(RELATION, name, *case) for name, case in RELATIONS.items()]
known = pytest.mark.parametrize(
    ("name", "data", "expected"),
    [pytest.param(name, data, expected, id=f"{name}: {case}") for name, case, data, expected in KNOWN],
)


@known
def test_known_entropies_in_both_units(name, data, expected):
    for unit, scale in (("nats", 1), ("bits", 1 / LOG2)):
        assert value(data, name, unit=unit) == pytest.approx(expected * scale, abs=1e-14)
    if not expected:
        assert value(data, name) == 0.0  # exactly


@known
def test_order_of_sentences_does_not_show(name, data, expected):
    turned = b"\n\n".join(reversed(data.strip().split(b"\n\n"))) + b"\n\n"
    assert value(turned, name) == value(data, name)


def test_heads_in_one_sentence_are_apart():
    """1 <- 2, with siblings of either: words of different heads are no pairs, and each head weighs the same."""
    data = conllu("1 w _ V _ _ 0 root", "2 w _ N _ _ 1 a", "3 w _ X _ _ 2 c", "4 w _ X _ _ 2 d", "5 w _ N _ _ 1 b", "")
    turned = conllu(
        "1 w _ V _ _ 0 root", "2 w _ N _ _ 1 b", "3 w _ N _ _ 1 a", "4 w _ X _ _ 3 c", "5 w _ X _ _ 3 d", ""
    )
    for name in BOTH:
        assert value(data + turned, name) == pytest.approx(LOG2 / 2)  # a and b turned, c and d not


@pytest.mark.parametrize("seed", range(15))
def test_random_treebanks(seed):
    sentences = some_sentences(seed)
    data = as_file(sentences)
    for name, events in BOTH.items():
        expected = entropy(events(sentences))
        assert value(data, name) == pytest.approx(expected, rel=1e-12, abs=1e-12, nan_ok=True), name
        in_bits = value(data, name, unit="bits")
        assert in_bits == pytest.approx(expected / LOG2, rel=1e-12, abs=1e-12, nan_ok=True), name


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("by", ["sentence", "length", "file"])
def test_groups_are_what_they_are_alone(by, seed):
    sentences = some_sentences(seed)
    result = measure(Treebank.from_bytes(as_file(sentences)), *BOTH, **ALL_WORDS, unit="nats", by=by)
    groups: dict[object, list] = {}
    for number, own in enumerate(sentences):
        label = {"sentence": (number + 1, f"s{number}"), "length": len(own.heads), "file": "<bytes>"}[by]
        groups.setdefault(label, []).append(own)
    assert {label: size for label, size, _ in result.groups} == {label: len(own) for label, own in groups.items()}
    for label, _, values in result.groups:
        for name, events in BOTH.items():
            expected = entropy(events(groups[label]))
            assert values[name] == pytest.approx(expected, rel=1e-12, abs=1e-12, nan_ok=True), (name, label)


@pytest.mark.parametrize("seed", range(5))
def test_pairs_are_of_the_nearer_and_the_farther_word(seed):
    """For any placement: on each side of a head by the size of the key, wherever the words stand in the text."""
    sentences = some_sentences(seed)
    treebank = Treebank.from_bytes(as_file(sentences))
    rng = Random(seed)
    drawn = [rng.choice([-1, 1]) * rng.random() for _ in range(treebank.n_words)]
    for keys in (drawn, text_placement(treebank).tolist()):
        kind = dependent_keys(treebank)
        near, far, times = paired_kinds(treebank, np.array(keys), kind)
        expected = Counter()
        for head in range(treebank.n_words):
            group = np.flatnonzero(treebank.head == head).tolist()
            for side in (-1, 1):
                outwards = sorted((row for row in group if side * keys[row] > 0), key=lambda row: abs(keys[row]))
                expected.update((head, side, kind[a], kind[b]) for a, b in combinations(outwards, 2))
        sides = np.sign(np.array(keys)[near])
        assert (treebank.head[near] == treebank.head[far]).all() and (np.sign(np.array(keys)[far]) == sides).all()
        found = zip(treebank.head[near].tolist(), sides.tolist(), kind[near], kind[far], strict=True)
        assert dict(zip(found, times.tolist(), strict=True)) == expected
        assert expected.total() > 20 and max(expected.values()) > 1


# -- no value, signatures, what is refused ---------------------------------------------------------------------------


@pytest.mark.parametrize("data", NO_PAIRS.values(), ids=NO_PAIRS.keys())
def test_no_pairs_no_value(data):
    assert math.isnan(value(data, SIBLING))


def test_no_pairs_is_null_in_json_and_n_a_elsewhere():
    data = NO_PAIRS["one on each side"]
    assert measured("--measure", SIBLING, "--measure", RELATION, stdin=data)["measures"][SIBLING]["value"] is None
    tsv = permtree("measure", "--measure", SIBLING, "--format", "tsv", stdin=data).out.decode()
    assert f"\n{SIBLING}\tn/a\t{SIBLING}|unit:nats|" in tsv


@pytest.mark.parametrize("name", BOTH)
def test_the_signature_names_unit_and_estimator(name):
    plain = measured("--measure", name, stdin=AB)["measures"][name]["signature"]
    assert plain.startswith(f"{name}|unit:nats|estimator:plugin|punct:strip|")
    arguments = ["--profile", "futrell-2015", "--estimator", "nsb"]
    other = measured("--measure", name, *arguments, stdin=AB)["measures"][name]["signature"]
    assert other.startswith(f"{name}|unit:bits|estimator:nsb|punct:strip|")
    assert "length:" not in plain + other


@pytest.mark.parametrize("name", BOTH)
@pytest.mark.parametrize(("by", "what"), [("deprel", "relation"), ("displacement", "displacement")])
def test_what_is_of_several_arcs_has_no_relation(name, by, what):
    done = permtree("measure", "--by", by, "--measure", name, stdin=AB, status=2)
    assert done.lines == [
        f"{name} can't be taken apart by {what}; these can: arc_direction_entropy, head_final, intervener_complexity, "
        "mdd, nonprojective_arcs, one_endpoint_arcs"
    ]
    assert done.out == b""


@pytest.mark.parametrize("by", ["sentence", "length", "file"])
def test_groupings_on_the_command_line(by, tmp_path):
    (tmp_path / "a").write_bytes(AB)
    (tmp_path / "b").write_bytes(BA + in_order("H", "a", "b", "c"))
    arguments = ["measure", "--by", by, "--measure", SIBLING, "--format", "json", "a", "b"]
    content = json.loads(permtree(*arguments, cwd=tmp_path).out)
    assert content["measures"][SIBLING]["value"] == pytest.approx(nats(1 / 3, 2 / 3) * 3 / 5)
    values = [group["measures"][SIBLING] for group in content["groups"]]
    expected = {"sentence": [0, 0, 0], "length": [LOG2, 0], "file": [0, LOG2 / 2]}[by]
    assert values == pytest.approx(expected, abs=1e-14)


# -- possible orders -------------------------------------------------------------------------------------------------


def possible_orders(treebank: Treebank) -> dict[int, float]:
    events = MEASURES[RELATION].statistics(treebank, Conventions())
    return dict(zip(events.word.tolist(), events.possible.tolist(), strict=True))


@pytest.mark.parametrize("seed", range(10))
def test_possible_orders_are_those_that_enumeration_finds(seed):
    rng = Random(seed)
    sets = [rng.choices(["a", "b", "c/X", "c/Y"], k=rng.randint(1, 6)) for _ in range(30)]
    data = b"".join(in_order("H", *types) for types in sets)
    treebank = Treebank.from_bytes(data)
    found = possible_orders(treebank)
    assert list(found) == treebank.sentence_start[:-1].tolist()  # the heads
    assert list(found.values()) == [n_orders(types) for types in sets]


def test_possible_orders_of_heads_in_random_sentences():
    sentences = some_sentences(0, n_sentences=200, longest=9)
    found = possible_orders(Treebank.from_bytes(as_file(sentences)))
    expected = []
    for _, order in orders_of_heads(sentences):
        expected.append(len(set(permutations(order))) if len(order) <= 7 else None)
    assert [a for a, b in zip(found.values(), expected, strict=True) if b] == [b for b in expected if b]
    assert len(found) - expected.count(None) > 300


def test_possible_orders_of_very_many_dependents():
    """20 and their head; 300 of one type; 300 of different types, whose orders are more than a number can hold."""
    many = in_order("H", *(f"r{number}" for number in range(20)))
    alike = in_order("H", *["a"] * 300)
    different = in_order("H", *(f"r{number}" for number in range(300)))
    found = list(possible_orders(Treebank.from_bytes(many + alike + different)).values())
    assert found == [pytest.approx(math.factorial(21), rel=1e-12), 301, math.inf]
    for estimator in ("plugin", "miller-madow", "chao-shen", "nsb"):
        assert math.isfinite(value(different * 2, RELATION, estimator=estimator))


# -- grammars and chance ---------------------------------------------------------------------------------------------


def random_grammar(rng: Random) -> dict:
    """Few different weights, so that many are equal."""
    weights = [-2, -1, 1, 2]
    return {
        "default": rng.choice(weights),
        "relations": {f"r{number}": rng.choice(weights) for number in range(rng.randint(1, 4))},
        "heads": {"X": {"r0": rng.choice(weights), "r1": rng.choice(weights)}},
    }


@pytest.mark.parametrize("seed", range(15))
def test_grammars_leave_no_entropy(seed):
    sentences = some_sentences(seed)
    new = permute(Treebank.from_bytes(as_file(sentences)), "grammar", weights=random_grammar(Random(seed)))
    result = measure(new, *BOTH, **ALL_WORDS)
    assert result[RELATION].value == 0.0
    assert result[SIBLING].value == 0.0 or math.isnan(result[SIBLING].value)


@pytest.mark.parametrize("language", ["rigan", "medol", "fluvi"])
def test_a_grammar_of_the_sample_leaves_no_entropy(language):
    treebank = permute(Treebank.read(str(SAMPLE / f"{language}-test.conllu")), "random-projective", seed=1)
    weights = {
        "default": 1,
        "relations": {"nsubj": -2, "det": -1, "amod": -1, "obj": 2, "punct": 3},
        "heads": {"NOUN": {"nmod": 2}},
    }
    before = measure(treebank, *BOTH, **ALL_WORDS)
    after = measure(permute(treebank, "grammar", weights=weights), *BOTH, **ALL_WORDS)
    assert all(own.value > 0.5 for own in before.values())
    assert [own.value for own in after.values()] == [0.0, 0.0]


@pytest.mark.parametrize(("mode", "least"), [("random-projective", 0.90), ("random-same-side", 0.93)])
def test_orders_by_chance_are_near_log_2(mode, least):
    """Not nearer: contexts seen once or twice have too low an entropy, which chao-shen makes up for in part."""
    new = permute(Treebank.read(str(SAMPLE / "medol-train.conllu")), mode, seed=1)
    share = measure(new, SIBLING, profile="lal")[SIBLING].value
    assert least < share < 1
    corrected = measure(new, SIBLING, profile="lal", estimator="chao-shen")[SIBLING].value
    assert share + 0.02 < corrected < 1.01


def test_orders_by_chance_of_one_pair_are_very_near_log_2():
    sentences = b"".join(b"# sent_id = %d\n" % number + AB for number in range(4000))
    new = permute(Treebank.from_bytes(sentences), "random-projective", seed=2)
    assert measure(new, SIBLING, profile="lal")[SIBLING].value == pytest.approx(1, abs=0.005)  # bits
    assert measure(new, RELATION, profile="lal")[RELATION].value == pytest.approx(math.log2(6), abs=0.005)


def test_turning_all_sentences_round_changes_nothing():
    """Nearer stays nearer, and the sides of a head change places."""
    treebank = Treebank.read(str(SAMPLE / "fluvi-dev.conllu"))
    before, after = (measure(own, *BOTH, **ALL_WORDS) for own in (treebank, permute(treebank, "reverse")))
    for name in BOTH:
        assert after[name].value == pytest.approx(before[name].value, rel=1e-12)
