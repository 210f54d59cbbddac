"""`--ci`: bootstrap intervals are what resamples give that are written out, sentence by sentence, and measured."""

from __future__ import annotations

import json
import math
from random import Random

import numpy as np
import pytest
from commandline import EMPTY, measured, permtree, sentence
from definitions import Sentence, labelled
from naive_measures import jackknife
from places import SAMPLE
from reordering import conllu
from scipy.stats import t as student
from speed import first_is_quick
from strategies import random_heads

from permtree import Treebank, UsageError, measure
from permtree.kernels.bootstrap import bootstrap_weights
from permtree.kernels.entropy import ESTIMATORS
from permtree.kernels.jackknife import without_a_group
from permtree.measures import MEASURES
from permtree.measuring.collector import Collector
from permtree.measuring.resampling import Resampler, resampled
from permtree.profiles import PROFILES, profile_with

NAMES = tuple(MEASURES.names())
ENTROPIES = [name for name in NAMES if MEASURES[name].of_events]
FLUVI = SAMPLE / "fluvi-test.conllu"
CONSTANT = {"one_endpoint_arcs", "one_endpoint_sentences"}  # in FLUVI every one is, whatever is drawn
every_profile = pytest.mark.parametrize("profile", first_is_quick(list(PROFILES), 2))


def some_sentences(seed: int, n_sentences: int = 40) -> list[bytes]:
    """With relations and tags; most end in punctuation, some have it inside, some have two roots."""
    rng = Random(seed)
    found = []
    for number in range(n_sentences):
        heads = random_heads(rng, rng.randint(1, 8), 2 if number % 7 == 3 else 1) if number % 7 != 3 else [2, 0, 0]
        own = labelled(rng, heads, ("a", "b:c"), ("X", "Y", "Y", "PUNCT" if number % 5 == 2 else "X"))
        if number % 3:
            root = own.heads.index(0) + 1
            own = Sentence((*own.heads, root), (*own.relations, "punct"), (*own.tags, "PUNCT"))
        found.append(own.conllu(f"s{number}").encode())
    return found


def kept(sentences: list[bytes], profile: str) -> list[bytes]:
    """The sentences that a profile doesn't leave out."""
    return [own for own in sentences if measure(Treebank.from_bytes(own), profile=profile).kept_sentences]


def written_out(sentences: list[bytes], times: np.ndarray) -> Treebank:
    """A resample as a treebank: each sentence as often as it was drawn."""
    return Treebank.from_bytes(b"".join(own * int(n) for own, n in zip(sentences, times, strict=True)))


def naive_bootstrap(
    sentences: list[bytes], resamples: int, seed: int, profile: str, **options: str
) -> dict[str, list[float]]:
    values: dict[str, list[float]] = {name: [] for name in NAMES}
    for piece in bootstrap_weights(len(sentences), resamples, [seed]):
        for times in piece:
            result = measure(written_out(sentences, times), *NAMES, profile=profile, **options)
            assert result.kept_sentences == len(sentences)
            for name, own in result.items():
                values[name].append(own.value)
    return values


def naive_quantile(values: list[float], share: float) -> float:
    """Between the two nearest of the sorted values, in proportion."""
    place = share * (len(values) - 1)
    below = math.floor(place)
    low, high = sorted(values)[below], sorted(values)[min(below + 1, len(values) - 1)]
    return low + (place - below) * (high - low)


def naive_interval(value: float, values: list[float]) -> tuple[float, float]:
    if any(map(math.isnan, values)):
        return math.nan, math.nan
    shift = value - math.fsum(values) / len(values)
    return naive_quantile(values, 0.025) + shift, naive_quantile(values, 0.975) + shift


def same(found, expected) -> bool:
    return found == pytest.approx(expected, rel=1e-12, abs=1e-12, nan_ok=True)


# -- against resamples that are written out --------------------------------------------------------------------------


@every_profile
@pytest.mark.parametrize("seed", first_is_quick(range(2)))
def test_resamples_are_those_that_are_written_out(profile, seed):
    sentences = some_sentences(seed)
    collector = Collector(NAMES, PROFILES[profile], single_sentences=True)
    collector.add(Treebank.from_bytes(b"".join(sentences)))
    own = kept(sentences, profile)
    assert 6 <= len(own) == collector.counts["kept_sentences"]
    drawn = resampled(Resampler(collector), bootstrap_weights(len(own), 20, [seed]))
    expected = naive_bootstrap(own, 20, seed, profile)
    assert set(drawn) == set(NAMES)
    for name in NAMES:
        assert same(drawn[name].tolist(), expected[name]), name
        assert len({round(value, 9) for value in drawn[name].tolist()}) > 2, name  # resamples differ


@pytest.mark.parametrize("estimator", first_is_quick(ESTIMATORS, 2))
@pytest.mark.parametrize("unit", first_is_quick(["nats", "bits"]))
def test_resamples_of_entropies_by_each_estimator(estimator, unit):
    sentences = kept(some_sentences(5), "lal")
    profile = profile_with("lal", unit=unit, estimator=estimator)
    collector = Collector(tuple(ENTROPIES), profile, single_sentences=True)
    collector.add(Treebank.from_bytes(b"".join(sentences)))
    drawn = resampled(Resampler(collector), bootstrap_weights(len(sentences), 10, [1]))
    expected = naive_bootstrap(sentences, 10, 1, "lal", unit=unit, estimator=estimator)
    for name in ENTROPIES:
        assert drawn[name].tolist() == pytest.approx(expected[name], rel=1e-9), name


def test_resamples_do_not_show_in_how_many_pieces_a_treebank_came():
    sentences = some_sentences(2)
    found = []
    for cuts in ([], [1, 7], list(range(1, len(sentences)))):
        collector = Collector(NAMES, PROFILES["lal"], single_sentences=True)
        for first, last in zip([0, *cuts], [*cuts, len(sentences)], strict=True):
            collector.add(Treebank.from_bytes(b"".join(sentences[first:last])))
        weights = bootstrap_weights(collector.counts["kept_sentences"], 10, [0])
        drawn = resampled(Resampler(collector), weights)
        found.append({name: values.tolist() for name, values in drawn.items()})
    for name in NAMES:
        assert same(found[1][name], found[0][name])
        assert same(found[2][name], found[0][name])


@every_profile
def test_intervals_are_moved_quantiles_of_the_resamples(profile):
    sentences = some_sentences(3)
    result = measure(Treebank.from_bytes(b"".join(sentences)), *NAMES, profile=profile, ci=20, seed=4)
    drawn = naive_bootstrap(kept(sentences, profile), 20, 4, profile)
    plain = measure(Treebank.from_bytes(b"".join(sentences)), *NAMES, profile=profile)
    for name in NAMES:
        assert result[name].value == plain[name].value
        if name not in ENTROPIES:
            assert same(result[name].interval, naive_interval(plain[name].value, drawn[name])), name


# -- entropies: the jackknife ----------------------------------------------------------------------------------------


def naive_jackknife(sentences: list[bytes], groups: list[set[int]], name: str, **options: str) -> tuple[float, float]:
    """From treebanks without one group each; 95%, by Student's t."""

    def value(own: list[bytes]) -> float:
        return measure(Treebank.from_bytes(b"".join(own)), name, **options)[name].value

    without = [value([own for k, own in enumerate(sentences) if k not in group]) for group in groups]
    centre, error, freedom = jackknife(value(sentences), without)
    half = student.ppf(0.975, freedom) * error
    return centre - half, centre + half


@pytest.mark.parametrize("name", ENTROPIES)
@pytest.mark.parametrize(("estimator", "by"), [("plugin", "chao-shen"), ("miller-madow", "miller-madow")])
def test_intervals_of_entropies_are_by_the_jackknife_of_a_corrected_estimator(name, estimator, by):
    sentences = some_sentences(5, 30)
    result = measure(Treebank.from_bytes(b"".join(sentences)), name, profile="lal", estimator=estimator, ci=3, seed=2)
    own = kept(sentences, "lal")
    low, high = naive_jackknife(own, [{k} for k in range(len(own))], name, profile="lal", estimator=by)
    assert result[name].interval == pytest.approx((max(low, 0), high), abs=1e-9)
    assert f"|estimator:{estimator}|" in result[name].signature
    assert f"|ci:0.95|by:jackknife of {by}|seed:2|" in result[name].signature


def test_many_sentences_are_left_out_in_a_hundred_groups():
    """Which a seed deals out."""
    weights = without_a_group(1234, [7])
    assert weights.shape == (100, 1234)
    assert ((weights == 0).sum(axis=0) == 1).all()
    assert set((weights == 0).sum(axis=1)) == {12, 13}
    assert (without_a_group(1234, [7]) == weights).all() and (without_a_group(1234, [8]) != weights).any()
    sentences = some_sentences(1, 300)
    own = kept(sentences, "lal")
    groups = [set(np.flatnonzero(row == 0)) for row in without_a_group(len(own), [3])]
    options = {"profile": "lal", "estimator": "chao-shen"}
    expected = naive_jackknife(own, groups, "arc_direction_entropy", **options)
    found = measure(Treebank.from_bytes(b"".join(sentences)), "arc_direction_entropy", profile="lal", ci=1, seed=3)
    assert found["arc_direction_entropy"].interval == pytest.approx(expected, abs=1e-9)


def population(rng: np.random.Generator, n_sentences: int) -> tuple[list[bytes], float]:
    """Sentences of a head and a dependent, of one of 200 relations as frequent as by Zipf's law, each with a chance of
    its own to stand before its head; and the entropy of that, in nats."""
    share = 1 / np.arange(1, 201)
    share /= share.sum()
    before = np.random.default_rng(1).beta(0.5, 0.5, 200)
    relation = rng.choice(200, n_sentences, p=share)
    side = rng.random(n_sentences) < before[relation]
    sentences = [
        conllu(
            "# sent_id = s",
            *(("1 a _ X _ _ 2 r%d", "2 b _ X _ _ 0 root") if left else ("1 a _ X _ _ 0 root", "2 b _ X _ _ 1 r%d")),
            "",
        ).replace(b"%d", b"%d" % number)
        for number, left in zip(relation.tolist(), side.tolist(), strict=True)
    ]
    nats = -(before * np.log(before) + (1 - before) * np.log(1 - before))
    return sentences, float((share * nats).sum())


@pytest.mark.long
def test_intervals_of_entropies_cover_the_truth():
    rng, covered, repeats = np.random.default_rng(3), 0, 200
    for seed in range(repeats):
        sentences, truth = population(rng, 600)
        low, high = measure(
            Treebank.from_bytes(b"".join(sentences)),
            "arc_direction_entropy",
            profile="lal",
            unit="nats",
            ci=1,
            seed=seed,
        )["arc_direction_entropy"].interval
        covered += low <= truth <= high
    assert 0.9 <= covered / repeats <= 0.99, covered


# -- how sentences are drawn -----------------------------------------------------------------------------------------


def test_weights_say_how_often_each_sentence_was_drawn():
    n_sentences, resamples = 40, 3000
    weights = np.concatenate(list(bootstrap_weights(n_sentences, resamples, [0])))
    assert weights.shape == (resamples, n_sentences)
    assert (weights.sum(1) == n_sentences).all()
    assert (weights == np.round(weights)).all()
    assert weights.min() == 0
    # each sentence: n draws with a chance of 1/n, so mean 1 and variance 1 - 1/n
    assert weights.mean(0) == pytest.approx(np.ones(n_sentences), abs=0.09)
    assert weights.var() == pytest.approx(1 - 1 / n_sentences, abs=0.03)
    assert len({tuple(row) for row in weights.tolist()}) == resamples


def test_pieces_of_weights_do_not_show():
    """A large treebank's resamples come in several pieces; more resamples begin with the same ones."""
    pieces = list(bootstrap_weights(300_000, 8, [5]))
    assert len(pieces) == 2
    at_once = next(iter(bootstrap_weights(300_000, 2, [5])))
    assert (pieces[0][:2] == at_once).all()
    small = np.concatenate(list(bootstrap_weights(50, 40, [5], in_pieces_for=300_000)))
    assert (small == next(iter(bootstrap_weights(50, 40, [5])))).all()


# -- what intervals must do ------------------------------------------------------------------------------------------


@every_profile
@pytest.mark.parametrize("estimator", [None, "chao-shen"])
def test_intervals_contain_their_value(profile, estimator):
    result = measure(Treebank.read(str(FLUVI)), *NAMES, profile=profile, estimator=estimator, ci=200)
    for name, own in result.items():
        low, high = own.interval
        if name in CONSTANT:
            assert low == own.value == high, name
        else:
            assert low < (high if name in ENTROPIES else own.value) <= high, name


def test_the_plain_interval_of_an_entropy_could_lie_below_it():
    """Why entropies have another interval: all resamples of this treebank have a lower entropy than the whole."""
    treebank = Treebank.read(str(FLUVI))
    collector = Collector(("relation_order_entropy",), PROFILES["lal"], single_sentences=True)
    collector.add(treebank)
    drawn = resampled(Resampler(collector), bootstrap_weights(100, 200, [0]))["relation_order_entropy"]
    assert np.quantile(drawn, 0.975) < collector.result()["relation_order_entropy"].value


def by_chance(rng: np.random.Generator, n_sentences: int) -> Treebank:
    """One head and 1 to 5 dependents each: 4 words in the mean. In half of the sentences a tenth of the dependents
    stand before the head, in the others half of them: 0.3 of all."""
    sentences = []
    for _ in range(n_sentences):
        before = rng.random(rng.integers(1, 6)) < rng.choice([0.1, 0.5])
        root = int(before.sum()) + 1
        sentences.append([root] * (root - 1) + [0] + [root] * (len(before) - root + 1))
    return Treebank.from_heads(sentences)


@pytest.mark.long
def test_intervals_cover_the_truth_as_often_as_they_say():
    rng = np.random.default_rng(20)
    truth = {"mean_sentence_length": 4.0, "head_final": 0.3}
    covered = dict.fromkeys(truth, 0)
    repeats = 400
    for seed in range(repeats):
        result = measure(by_chance(rng, 80), *truth, profile="lal", ci=200, seed=seed)
        for name, value in truth.items():
            low, high = result[name].interval
            covered[name] += low <= value <= high
    for name, times in covered.items():  # the standard deviation of the share is 0.011
        assert 0.92 <= times / repeats <= 0.98, (name, times)


def test_fewer_sentences_have_wider_intervals():
    """As the square root of their number."""
    rng = np.random.default_rng(1)
    names = ("mean_sentence_length", "head_final", "arc_direction_entropy", "dlm_ratio")
    widths = []
    for n_sentences in (50, 200, 800):
        result = measure(by_chance(rng, n_sentences), *names, profile="lal", ci=400)
        widths.append({name: own.interval[1] - own.interval[0] for name, own in result.items()})
    for wide, narrow in zip(widths[:-1], widths[1:], strict=True):
        for name in names:
            assert wide[name] == pytest.approx(2 * narrow[name], rel=0.4), name


@pytest.mark.parametrize("resamples", [1, 2, 50])
def test_one_sentence_has_no_interval(resamples):
    """It says nothing of how sentences differ."""
    data = some_sentences(0)[0]
    result = measure(Treebank.from_bytes(data), *NAMES, profile="lal", roots="keep", ci=resamples)
    assert result.kept_sentences == 1
    for name, own in result.items():
        assert all(math.isnan(end) for end in own.interval), name


@pytest.mark.parametrize("resamples", [20, 100])
def test_sentences_that_are_all_alike_have_the_interval_of_their_value_exactly(resamples):
    own = measure(Treebank.from_heads([[2, 0, 2, 3]] * 3), "head_final", profile="lal", ci=resamples)["head_final"]
    assert own.interval[0] <= own.value <= own.interval[1]


def test_a_resample_without_value_gives_no_interval():
    """One arc in six sentences: many resamples have none."""
    data = sentence("b", 2, 0) + b"".join(sentence(name, 0) for name in "cdefg")
    found = measured("--measure", "mdd", "--measure", "depth", "--ci", "50", stdin=data)["measures"]
    assert (found["mdd"]["value"], found["mdd"]["interval"]) == (1, [None, None])
    assert found["depth"]["interval"][0] < found["depth"]["value"] < found["depth"]["interval"][1]
    done = permtree("measure", "--measure", "mdd", "--ci", "50", "--format", "tsv", stdin=data)
    assert done.out.decode().splitlines()[-1].split("\t")[:4] == ["mdd", "1.0", "n/a", "n/a"]
    assert done.err == ""


@pytest.mark.parametrize("style", ["tsv", "json"])
def test_no_sentences_have_no_interval(style):
    done = permtree("measure", "--all", "--ci", "10", "--format", style, stdin=b"")
    assert done.err == EMPTY
    if style == "json":
        found = json.loads(done.out, parse_constant=pytest.fail)["measures"]
        assert {own["value"] for own in found.values()} == {0, None}
    else:
        assert done.out == permtree("measure", "--all", "--format", style, stdin=b"").out


def test_groups_stay_as_they_are():
    treebank = Treebank.read(str(FLUVI))
    for by in ("sentence", "length", "file"):
        plain, with_intervals = (measure(treebank, *NAMES, by=by, ci=ci) for ci in (None, 3))
        assert repr(with_intervals.groups) == repr(plain.groups)
    for by in ("deprel", "displacement"):
        with pytest.raises(UsageError, match=f"--by {by}"):
            measure(treebank, "mdd", by=by, ci=3)


# -- the command line ------------------------------------------------------------------------------------------------


def test_same_seed_same_bytes_and_another_seed_another_interval():
    def out(*arguments: str) -> bytes:
        return permtree("measure", "--all", "--format", "tsv", "--ci", "20", *arguments, FLUVI).out

    assert out() == out("--seed", "0")
    lines = [output.decode().splitlines() for output in (out(), out("--seed", "1"))]
    for one, other in zip(*lines, strict=True):
        name, value, low, high, _ = one.split("\t")
        if name in NAMES:
            assert other.split("\t")[:2] == [name, value]
            # with a hundred sentences, the jackknife leaves each out once, whatever the seed
            assert (other.split("\t")[2:4] == [low, high]) == (name in {*CONSTANT, *ENTROPIES})


def test_what_is_printed_is_what_python_gives():
    expected = measure(Treebank.read(str(FLUVI)), *NAMES, ci=30, seed=7)
    arguments = ["measure", "--all", "--ci", "30", "--seed", "7", FLUVI, "--format"]
    found = json.loads(permtree(*arguments, "json").out)["measures"]
    rows = [line.split("\t") for line in permtree(*arguments, "tsv").out.decode().splitlines()]
    markdown = permtree(*arguments, "markdown").out.decode().replace("\\|", "!").splitlines()
    assert rows[0] == ["what", "value", "low", "high", "signature"]
    by_name = {row[0]: row[1:] for row in rows}
    assert by_name["kept_sentences"] == [str(expected.kept_sentences), "", "", ""]
    cells = {line.split("|")[1].strip(): [cell.strip() for cell in line.split("|")[2:5]] for line in markdown[2:]}
    for name, own in expected.items():
        low, high = own.interval
        assert found[name] == {"value": own.value, "interval": [low, high], "signature": own.signature}
        assert by_name[name] == [repr(own.value), repr(low), repr(high), own.signature]
        rounded = [f"{x:.0f}" if abs(x) >= 1000 and not x % 1 else f"{x:.4f}" for x in (own.value, low, high)]
        assert cells[name] == rounded
        how = "ci:0.95|by:jackknife of chao-shen" if name in ENTROPIES else "ci:0.95x30"
        assert f"|{how}|seed:7|sents:{expected.kept_sentences}|permtree:" in own.signature


@pytest.mark.parametrize("resamples", [0, -1])
def test_no_resamples(resamples):
    done = permtree("measure", "--ci", str(resamples), stdin=sentence("a", 2, 0), status=2)
    assert (len(done.lines), done.out) == (1, b"")
    assert "--ci" in done.lines[0]
    with pytest.raises(UsageError, match="--ci"):
        measure(Treebank.from_heads([[2, 0]]), ci=resamples)


def test_a_negative_seed():
    with pytest.raises(UsageError, match="--seed"):
        measure(Treebank.from_heads([[2, 0]]), ci=3, seed=-1)
