"""Two treebanks compared: which sentences are pairs, differences and their intervals, and displacements of arcs."""

from __future__ import annotations

import math
from collections import Counter
from random import Random

import numpy as np
import pytest
from commandline import sentence
from definitions import arcs, as_file, labelled
from hypothesis import given
from naive_measures import jackknife
from places import SAMPLE
from reordering import conllu
from scipy.stats import t as student
from scipy.stats import wasserstein_distance
from strategies import batches, random_heads

from permtree import Treebank, UsageError, measure, permute
from permtree.kernels.bootstrap import bootstrap_weights
from permtree.measures import MEASURES
from permtree.measuring.collector import Collector
from permtree.measuring.comparing import Comparison, compare, compare_collected, wasserstein
from permtree.profiles import PROFILES
from permtree.treebank import heads_of

NAMES = tuple(MEASURES.names())
ENTROPIES = tuple(name for name in NAMES if MEASURES[name].of_events)
FLUVI = SAMPLE / "fluvi-test.conllu"
every_profile = pytest.mark.parametrize("profile", PROFILES)


def read(*parts: bytes) -> Treebank:
    return Treebank.from_bytes(b"".join(parts))


def blocks(treebank: Treebank) -> list[bytes]:
    return [block + b"\n\n" for block in treebank.to_bytes().split(b"\n\n") if block]


def some_blocks(seed: int, n_sentences: int = 30) -> list[bytes]:
    """All of which every profile keeps; words and relations differ from sentence to sentence."""
    rng = Random(seed)
    trees = [random_heads(rng, rng.randint(2, 9)) for _ in range(n_sentences)]
    return blocks(read(as_file([labelled(rng, heads, ("a", "b:c"), ("X", "Y")) for heads in trees])))


def numbers(comparison: Comparison) -> dict[str, tuple[float, ...]]:
    found = comparison.differences
    return {name: (own.first, own.second, own.difference, *own.interval) for name, own in found.items()}


def near(expected) -> object:
    return pytest.approx(expected, rel=1e-11, abs=1e-11, nan_ok=True)


@pytest.fixture(scope="module")
def treebank() -> Treebank:
    return Treebank.read(str(FLUVI))


@pytest.fixture(scope="module")
def shortest(treebank) -> Treebank:
    return permute(treebank, "optdl", profile="gulordava-merlo-2016")


# -- identical, and permuted -----------------------------------------------------------------------------------------


@every_profile
def test_a_treebank_and_itself(treebank, profile):
    result = compare(treebank, treebank, *NAMES, profile=profile, ci=20)
    plain = measure(treebank, *NAMES, profile=profile)
    assert result.paired == plain.kept_sentences > 50
    assert result.sentences == (result.paired, result.paired)
    for name, own in result.differences.items():
        assert own.first == own.second == plain[name].value
        assert (own.difference, own.interval) == (0.0, (0.0, 0.0)), name
    assert result.wasserstein == 0.0


@every_profile
@pytest.mark.parametrize("mode", ["optdl", "random"])
def test_original_and_permuted_are_pairs(treebank, profile, mode):
    """With its own policies each profile keeps the same sentences of both."""
    policy = {"profile": profile} if profile == "gulordava-merlo-2016" else {}
    new = permute(treebank, mode, **policy)
    result = compare(treebank, new, *NAMES, profile=profile, ci=5)
    before, after = (measure(own, *NAMES, profile=profile) for own in (treebank, new))
    assert result.paired == before.kept_sentences == after.kept_sentences
    for name, own in result.differences.items():
        assert (own.first, own.second) == (before[name].value, after[name].value)
        assert own.difference == after[name].value - before[name].value
        if name in ENTROPIES:
            assert "|compared:paired|ci:0.95|by:jackknife of chao-shen|seed:0|" in own.signature
        else:
            assert own.interval[0] <= own.difference <= own.interval[1]
            assert "|compared:paired|ci:0.95x5|seed:0|" in own.signature
    for name in ("mean_sentence_length", "depth", "branching_factor", "dl_min_total"):  # are of trees, not of orders
        assert result.differences[name].interval == (0.0, 0.0)
    assert result.wasserstein > 0.1


def test_the_other_way_round(treebank, shortest):
    one, other = compare(treebank, shortest, *NAMES, ci=30), compare(shortest, treebank, *NAMES, ci=30)
    for name, (first, second, difference, low, high) in numbers(one).items():
        assert numbers(other)[name] == near((second, first, -difference, -high, -low)), name
    assert other.wasserstein == one.wasserstein


def test_default_names_and_conventions(treebank, shortest):
    result = compare(treebank, shortest, ci=3)
    assert list(result.differences) == ["mean_sentence_length", "dlm_ratio", "arc_direction_entropy"]
    options = {"profile": "lal", "length": "span", "unit": "nats", "estimator": "nsb", "punct": "strip"}
    sides = treebank, permute(treebank, "random")
    result = compare(*sides, "mdd", *ENTROPIES, **options, ci=3)
    for side, own in zip(("first", "second"), sides, strict=True):
        plain = measure(own, "mdd", *ENTROPIES, **options)
        values = {name: getattr(found, side) for name, found in result.differences.items()}
        assert values == {name: value.value for name, value in plain.items()}
    for wrong in ({"profile": "none"}, {"estimator": "nbs"}, {"punct": "drop"}, {"punc": "keep"}):
        with pytest.raises(UsageError):
            compare(treebank, shortest, **wrong)


# -- which sentences are pairs ---------------------------------------------------------------------------------------


def test_the_order_of_sentences_makes_no_difference(treebank, shortest):
    shuffled = blocks(shortest)
    Random(1).shuffle(shuffled)
    expected = compare(treebank, shortest, *NAMES, ci=20, seed=3)
    result = compare(treebank, read(*shuffled), *NAMES, ci=20, seed=3)
    assert result.paired == expected.paired == shortest.n_sentences
    assert numbers(result) == {name: near(own) for name, own in numbers(expected).items()}


def test_sentences_of_one_side_only_are_not_compared():
    first, second = some_blocks(0), blocks(permute(read(*some_blocks(0)), "random", seed=1))
    own, other = some_blocks(1, 12), some_blocks(2, 9)
    own = [block.replace(b"sent_id = s", b"sent_id = own") for block in own]
    other = [block.replace(b"sent_id = s", b"sent_id = other") for block in other]
    result = compare(read(*first[5:], *own), read(*other, *second[:20]), *NAMES, profile="lal", ci=15)
    assert (result.paired, result.sentences) == (15, (25 + 12, 9 + 20))
    expected = compare(read(*first[5:20]), read(*second[5:20]), *NAMES, profile="lal", ci=15)
    assert numbers(result) == {name: near(own) for name, own in numbers(expected).items()}


def test_the_signature_counts_the_sentences_that_the_values_are_of():
    data = some_blocks(0)
    result = compare(read(*data), read(*data[:20]), "mdd", profile="lal", ci=3)
    assert result.paired == 20
    assert "|sents:20|" in result.differences["mdd"].signature


@pytest.mark.parametrize(("common", "paired"), [(0, 0), (1, 0), (4, 0), (5, 5), (9, 9), (10, 10)])
def test_few_sentences_in_common_are_an_accident(common, paired):
    """Of the 10 of the smaller treebank at least half."""
    first, second = some_blocks(0, 20), some_blocks(1, 10)
    second = [block.replace(b"sent_id = s", b"sent_id = other") for block in second]
    data = second[common:] + first[:common]
    result = compare(read(*first), read(*data), *NAMES, profile="lal", ci=5)
    assert (result.paired, result.sentences) == (paired, (20, 10))
    for name, own in result.differences.items():
        values = [measure(read(*side), name, profile="lal")[name].value for side in (first, data)]
        if paired:
            values = [measure(read(*first[:common]), name, profile="lal")[name].value] * 2
        assert (own.first, own.second) == near(values)
        assert f"|compared:{'paired' if paired else 'independent'}|" in own.signature


def renamed(data: bytes) -> bytes:
    """The same trees over other words."""
    return data.replace(b"\tw", b"\tother")


def test_pairs_have_the_same_id_and_the_same_words():
    data = b"".join(some_blocks(0))
    for other, paired in ((data, 30), (renamed(data), 0), (data.replace(b"sent_id = s", b"sent_id = t"), 0)):
        assert compare(read(data), read(other), ci=1).paired == paired


def test_without_ids_words_make_pairs():
    data = b"".join(b"".join(line for line in own.splitlines(True) if line[:1] != b"#") for own in some_blocks(0))
    data = b"\n\n".join(
        own.replace(b"\tw", b"\tw%d-" % number) for number, own in enumerate(data.strip().split(b"\n\n"))
    )
    new = permute(read(data, b"\n\n"), "random", seed=4)
    assert set(new.sent_ids) == {""}
    turned = read(*reversed(blocks(new)))
    assert compare(read(data, b"\n\n"), turned, ci=1, profile="lal").paired == 30
    assert numbers(compare(read(data, b"\n\n"), turned, "mdd", ci=9, profile="lal")) == {
        name: near(own) for name, own in numbers(compare(read(data, b"\n\n"), new, "mdd", ci=9, profile="lal")).items()
    }


@pytest.mark.parametrize(
    ("one", "other", "pairs"),
    [
        ("a b", "b a", True),
        ("a b a", "a a b", True),
        ("a b a", "b a b", False),
        ("a b", "a b b", False),
        ("a", "A", False),
        ("ab", "a b", False),
    ],
)
def test_words_in_any_order_each_as_often(one, other, pairs):
    data = [
        conllu("# sent_id = s", *(f"{n} {form} _ X _ _ {n - 1} x" for n, form in enumerate(forms.split(), 1)), "")
        for forms in (one, other)
    ]
    result = compare(*map(read, data), profile="lal", ci=1)
    assert result.paired == pairs


def test_what_is_no_form_may_differ():
    """The same sentence by another parser."""
    first = conllu("# sent_id = s", "1 a l X x f 0 root 0:root MISC:m", "2 b l X x f 1 obj 1:obj MISC:m", "")
    second = conllu("# sent_id = s", "1 a _ Y _ _ 2 obj", "2 b _ Y _ _ 0 root", "")
    assert compare(read(first), read(second), profile="lal", ci=1).paired == 1


def test_sentences_alike_are_paired_in_their_order():
    """Three sentences with the same id and words, whose trees differ."""
    chain, flat, middle = sentence("a", 0, 1, 2), sentence("a", 0, 1, 1), sentence("a", 2, 0, 2)
    own = sentence("b", 0, 1, 2)
    same = compare(read(chain, flat, middle, own), read(own, chain, flat, middle), *NAMES, profile="lal", ci=30)
    assert same.paired == 4
    assert {own.interval for own in same.differences.values() if own.difference == 0} == {(0.0, 0.0)}
    assert all(own.difference == 0 for own in same.differences.values() if own.difference == own.difference)
    turned = compare(read(chain, flat, middle, own), read(flat, chain, middle, own), "mdd", profile="lal", ci=30)
    assert turned.differences["mdd"].difference == 0
    assert turned.differences["mdd"].interval != (0.0, 0.0)  # a chain is a pair with a flat tree
    fewer = compare(read(chain, flat, middle, own), read(flat, own), "dl_total", profile="lal", ci=1)
    assert (fewer.paired, fewer.differences["dl_total"].first) == (2, 2 + 2)  # the chain, not the flat tree
    assert fewer.differences["dl_total"].second == 3 + 2


def test_pairs_are_of_sentences_that_both_sides_keep():
    common, roots = sentence("b", 2, 0) + sentence("c", 2, 0), sentence("a", 0, 0)
    result = compare(read(roots, common), read(sentence("a", 2, 0), common), "dl_total", profile="lal", ci=1)
    assert (result.paired, result.sentences) == (2, (2, 3))


def test_pieces_do_not_show(treebank, shortest):
    expected = compare(treebank, shortest, *NAMES, profile="gulordava-merlo-2016", ci=10, seed=2)
    sides = []
    for own, size in ((treebank, 30), (shortest, 7)):
        collector = Collector(NAMES, PROFILES["gulordava-merlo-2016"], single_sentences=True)
        parts = blocks(own)
        for first in range(0, len(parts), size):
            collector.add(read(*parts[first : first + size]))
        sides.append(collector)
    result = compare_collected(*sides, resamples=10, seed=2)
    assert (result.paired, result.sentences) == (expected.paired, expected.sentences)
    assert numbers(result) == {name: near(own) for name, own in numbers(expected).items()}
    assert result.wasserstein == expected.wasserstein


# -- intervals -------------------------------------------------------------------------------------------------------


def naive_interval(first: list[bytes], second: list[bytes], name: str, weights) -> tuple[float, float]:
    """From resamples that are written out, those of both sides drawn as `weights` says."""
    drawn = []
    for of_first, of_second in weights:
        sides = [
            measure(read(*(own * int(n) for own, n in zip(data, times, strict=True))), name, profile="lal")[name].value
            for data, times in ((first, of_first), (second, of_second))
        ]
        drawn.append(sides[1] - sides[0])
    difference = measure(read(*second), name, profile="lal")[name].value
    difference -= measure(read(*first), name, profile="lal")[name].value
    low, high = np.quantile(drawn, [0.025, 0.975]) - np.mean(drawn) + difference
    return low, high


@pytest.mark.parametrize("name", ENTROPIES)
def test_intervals_of_entropies_are_by_the_jackknife(name):
    first, second = some_blocks(0, 25), blocks(permute(read(*some_blocks(0, 25)), "optdl"))

    def value(own: list[bytes]) -> float:
        return measure(read(*own), name, profile="lal", estimator="chao-shen")[name].value

    def without_each(own: list[bytes]) -> list[float]:
        return [value(own[:k] + own[k + 1 :]) for k in range(len(own))]

    paired = compare(read(*first), read(*second), name, profile="lal", ci=15, seed=6)
    lost = [b - a for a, b in zip(without_each(first), without_each(second), strict=True)]
    centre, error, freedom = jackknife(value(second) - value(first), lost)
    half = student.ppf(0.975, freedom) * error
    assert (paired.paired, paired.differences[name].interval) == (25, near((centre - half, centre + half)))

    second = [renamed(own) for own in second[:18]]
    alone = compare(read(*first), read(*second), name, profile="lal", ci=15, seed=6)
    (a, a_error, a_freedom), (b, b_error, b_freedom) = (
        jackknife(value(own), without_each(own)) for own in (first, second)
    )
    squares = a_error**2 + b_error**2
    half = student.ppf(0.975, squares**2 / (a_error**4 / a_freedom + b_error**4 / b_freedom)) * squares**0.5
    assert (alone.paired, alone.differences[name].interval) == (0, near((b - a - half, b - a + half)))


@pytest.mark.parametrize("name", ["mdd", "dlm_ratio", "dl_total", "crossings"])
def test_intervals_of_pairs_and_of_sides_drawn_by_themselves(name):
    first, second = some_blocks(0, 25), blocks(permute(read(*some_blocks(0, 25)), "optdl"))
    paired = compare(read(*first), read(*second), name, profile="lal", ci=15, seed=6)
    (weights,) = bootstrap_weights(25, 15, [6])
    expected = naive_interval(first, second, name, zip(weights, weights, strict=True))
    assert (paired.paired, paired.differences[name].interval) == (25, near(expected))

    second = [renamed(own) for own in second[:18]]
    alone = compare(read(*first), read(*second), name, profile="lal", ci=15, seed=6)
    (of_first,), (of_second,) = bootstrap_weights(25, 15, [6, 1]), bootstrap_weights(18, 15, [6, 2])
    expected = naive_interval(first, second, name, zip(of_first, of_second, strict=True))
    assert (alone.paired, alone.differences[name].interval) == (0, near(expected))


def test_pairs_have_narrower_intervals(treebank, shortest):
    """Long sentences are long on both sides."""
    paired = compare(treebank, shortest, "mdd", "dl_total", profile="gulordava-merlo-2016", ci=300)
    other = shortest.to_bytes().replace(b"# sent_id = ", b"# sent_id = other-")
    alone = compare(treebank, read(other), "mdd", "dl_total", profile="gulordava-merlo-2016", ci=300)
    assert (paired.paired > 50, alone.paired) == (True, 0)
    for name, own in paired.differences.items():
        assert own.difference == near(alone.differences[name].difference)
        widths = [
            found.differences[name].interval[1] - found.differences[name].interval[0] for found in (paired, alone)
        ]
        assert widths[0] < 0.9 * widths[1], name


def test_seeds(treebank, shortest):
    one, same, other = (numbers(compare(treebank, shortest, "dlm_ratio", ci=20, seed=seed)) for seed in (0, 0, 1))
    assert one == same
    assert one["dlm_ratio"][:3] == other["dlm_ratio"][:3]
    assert one["dlm_ratio"][3:] != other["dlm_ratio"][3:]


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("full", [0, 1, None])
def test_an_empty_side_has_no_difference(full):
    sides = [Treebank.from_heads([[2, 0, 2]] * 3 if side == full else []) for side in (0, 1)]
    result = compare(*sides, *NAMES, profile="lal", ci=3)
    assert (result.paired, result.sentences) == (0, tuple(3 if side == full else 0 for side in (0, 1)))
    assert math.isnan(result.wasserstein)
    for name, own in result.differences.items():
        totals = MEASURES[name].empty == "0"
        assert math.isnan(own.difference) != totals, name
        assert all(map(math.isnan, own.interval)), name


def test_training_and_test_part():
    """Other sentences of one language: nothing is paired, and values are those of each part."""
    train, test = (Treebank.read(str(SAMPLE / f"medol-{part}.conllu")) for part in ("train", "test"))
    result = compare(train, test, *NAMES, profile="lal", ci=40)
    assert (result.paired, result.sentences) == (0, (800, 100))
    for name, own in result.differences.items():
        assert own.first == measure(train, name, profile="lal")[name].value
        assert own.second == measure(test, name, profile="lal")[name].value
        assert "|compared:independent|" in own.signature
        assert own.interval[0] <= own.difference <= own.interval[1]
    for name in ("mean_sentence_length", "mdd", "head_final"):  # of one language: no difference beyond chance
        low, high = result.differences[name].interval
        assert low < 0 < high
    assert 0 < result.wasserstein < 0.3


@pytest.mark.parametrize("wrong", [{"ci": 0}, {"ci": -1}, {"seed": -1}], ids=str)
def test_numbers_that_cannot_be(wrong):
    with pytest.raises(UsageError):
        compare(Treebank.from_heads([[2, 0]]), Treebank.from_heads([[2, 0]]), **wrong)


# -- displacement of arcs --------------------------------------------------------------------------------------------


def displacements(sentences) -> list[int]:
    """Place of the dependent less that of its head, arc by arc."""
    return [word - head for heads in sentences for head, word in arcs(heads)]


@given(batches(), batches())
def test_wasserstein_distance_of_all_arcs(one, other):
    result = compare(Treebank.from_heads(one), Treebank.from_heads(other), profile="lal", roots="keep", ci=1)
    lists = [displacements(sentences) for sentences in (one, other)]
    assert result.displacements == tuple(map(Counter, lists))
    expected = wasserstein_distance(*lists) if all(lists) else math.nan
    assert result.wasserstein == pytest.approx(expected, rel=1e-9, abs=1e-12, nan_ok=True)


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [
        ([[0, 1]], [[0, 1]], 0),
        ([[0, 1]], [[2, 0]], 2),  # from +1 to -1
        ([[0, 1]] * 5, [[2, 0]] * 3, 2),
        ([[0, 1, 1]], [[0, 1, 2]], 0.5),  # +1 +2 and +1 +1
        ([[0, 1], [2, 0]], [[0, 1]], 1),  # half of the arcs move by 2
        ([[0]], [[0, 1]], math.nan),
    ],
)
def test_wasserstein_distances_by_hand(one, other, expected):
    result = compare(Treebank.from_heads(one), Treebank.from_heads(other), profile="lal", ci=1)
    assert result.wasserstein == pytest.approx(expected, nan_ok=True)
    assert wasserstein(*result.displacements) == pytest.approx(expected, nan_ok=True)


@every_profile
def test_distance_is_over_the_kept_sentences_and_words(treebank, shortest, profile):
    """What a policy leaves out has no arcs; what has no pair does."""
    kept = []
    for own in (treebank, shortest):
        rows = measure(own, "mdd", profile=profile, by="displacement").groups
        kept.append([label for label, size, _ in rows for _ in range(size)])
    found = compare(treebank, shortest, profile=profile, ci=1)
    assert found.wasserstein == pytest.approx(wasserstein_distance(*kept))
    if profile == "lal":
        assert kept == [sorted(displacements(heads_of(own))) for own in (treebank, shortest)]


@given(batches())
def test_by_displacement(sentences):
    """A row for each displacement, of its own arcs alone."""
    result = measure(Treebank.from_heads(sentences), "mdd", profile="lal", roots="keep", by="displacement")
    expected = Counter(displacements(sentences))
    assert [(label, size) for label, size, _ in result.groups] == sorted(expected.items())
    for label, _, values in result.groups:
        assert values["mdd"] == abs(label)
