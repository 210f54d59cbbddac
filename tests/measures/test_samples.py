"""`--equal-size` and `--curve`: means over samples of sentences, which are here selected and measured one by one."""

from __future__ import annotations

import json
import math
import statistics
from random import Random

import numpy as np
import pytest
from commandline import measured, permtree, sentence
from definitions import as_file, labelled
from places import SAMPLE
from strategies import random_heads

from permtree import Treebank, UsageError, measure
from permtree.measures import MEASURES
from permtree.measuring.collector import Collector
from permtree.measuring.resampling import learning_curve, of_equal_size, subsample_weights
from permtree.profiles import PROFILES

NAMES = tuple(MEASURES.names())
FLUVI = SAMPLE / "fluvi-test.conllu"  # 100 sentences
TRAIN = SAMPLE / "fluvi-train.conllu"  # 800
every_profile = pytest.mark.parametrize("profile", PROFILES)


def collector(treebank: Treebank, profile: str = "lal", names: tuple[str, ...] = NAMES) -> Collector:
    made = Collector(names, PROFILES[profile], single_sentences=True)
    made.add(treebank)
    return made


def some_treebank(seed: int, n_sentences: int) -> Treebank:
    """All of whose sentences each profile keeps."""
    rng = Random(seed)
    trees = [random_heads(rng, rng.randint(1, 9)) for _ in range(n_sentences)]
    return Treebank.from_bytes(as_file([labelled(rng, heads, ("a", "b:c"), ("X", "Y")) for heads in trees]))


def naive_samples(
    treebank: Treebank, size: int, repeats: int, seed: int, profile: str
) -> dict[str, tuple[float, float]]:
    """Mean and standard deviation of samples that are selected and measured."""
    drawn = []
    for weights in subsample_weights(treebank.n_sentences, size, repeats, seed):
        result = measure(treebank.select_sentences(weights[0] > 0), *NAMES, profile=profile)
        assert result.kept_sentences == size
        drawn.append({name: own.value for name, own in result.items()})
    found = {}
    for name in NAMES:
        values = [own[name] for own in drawn]
        lost = any(map(math.isnan, values))
        mean = math.nan if lost else statistics.fmean(values)
        deviation = math.nan if lost or len(values) < 2 else statistics.stdev(values)
        found[name] = (mean, deviation)
    return found


def near(expected) -> object:
    return pytest.approx(expected, rel=1e-11, abs=1e-11, nan_ok=True)


# -- samples ---------------------------------------------------------------------------------------------------------


def test_samples_are_different_sentences():
    drawn = list(subsample_weights(30, 12, 400, 0))
    assert len(drawn) == 400
    for weights in drawn:
        assert weights.shape == (1, 30)
        assert set(weights[0].tolist()) == {0, 1}
        assert weights.sum() == 12
    assert np.mean(drawn, axis=0)[0] == pytest.approx([12 / 30] * 30, abs=0.09)  # each sentence as often as another
    assert len({weights.tobytes() for weights in drawn}) == 400
    again = list(subsample_weights(30, 12, 5, 0))
    assert [weights.tobytes() for weights in again] == [weights.tobytes() for weights in drawn[:5]]
    assert next(subsample_weights(30, 12, 1, 1)).tobytes() != drawn[0].tobytes()


@every_profile
@pytest.mark.parametrize(("size", "repeats"), [(1, 6), (7, 5), (24, 3), (20, 1)])
def test_equal_size_is_the_mean_of_samples_measured_one_by_one(profile, size, repeats):
    treebank = some_treebank(size, 25)
    result = of_equal_size(collector(treebank, profile), size, repeats, seed=3)
    expected = naive_samples(treebank, size, repeats, 3, profile)
    assert result.kept_sentences == 25
    for name, own in result.items():
        assert (own.value, own.deviation) == near(expected[name]), name
        assert own.interval is None
        assert f"|equal-size:{size}x{repeats}|seed:3|sents:25|permtree:" in own.signature


@every_profile
def test_a_sample_of_all_sentences_is_the_whole(profile):
    """Whatever the repeats, with no deviation."""
    treebank = Treebank.read(str(FLUVI))
    plain = measure(treebank, *NAMES, profile=profile)
    result = of_equal_size(collector(treebank, profile), plain.kept_sentences, repeats=3)
    for name, own in result.items():
        assert own.value == pytest.approx(plain[name].value, rel=1e-12)
        assert own.deviation == pytest.approx(0, abs=1e-9)


def test_small_samples_have_too_low_an_entropy():
    """What equal sizes are for."""
    treebank = Treebank.read(str(TRAIN))
    names = ("arc_direction_entropy", "sibling_order_entropy", "relation_order_entropy")
    whole = measure(treebank, *names, profile="lal")
    means = [of_equal_size(collector(treebank, "lal", names), size, 10) for size in (50, 200)]
    for name in names:
        assert means[0][name].value < means[1][name].value < whole[name].value
        assert means[0][name].deviation > means[1][name].deviation > 0


@pytest.mark.parametrize(
    ("size", "repeats", "option"), [(0, 2, "--equal-size"), (3, 2, "--equal-size"), (1, 0, "--repeats")]
)
def test_sizes_and_repeats_that_cannot_be(size, repeats, option):
    with pytest.raises(UsageError, match=option):
        of_equal_size(collector(Treebank.from_heads([[2, 0], [0]])), size, repeats)
    if repeats == 0:
        with pytest.raises(UsageError, match=option):
            learning_curve(collector(Treebank.from_heads([[2, 0], [0]])), repeats)


# -- learning curves -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("n_sentences", "sizes"),
    [
        (0, []),
        (1, [1]),
        (49, [49]),
        (50, [50]),
        (51, [50, 51]),
        (100, [50, 100]),
        (130, [50, 100, 130]),
        (450, [50, 100, 200, 400, 450]),
    ],
)
def test_sizes_of_a_curve(n_sentences, sizes):
    treebank = Treebank.from_heads([[2, 0, 2], [0]] * n_sentences).select_sentences(
        np.arange(2 * n_sentences) < n_sentences
    )
    points = learning_curve(collector(treebank, names=("mdd",)), repeats=2)
    assert [point.sentences for point in points] == sizes
    assert [point.repeats for point in points] == [2] * (len(sizes) - 1) + [1] * bool(sizes)


@every_profile
def test_points_of_a_curve_are_means_of_samples_measured_one_by_one(profile):
    treebank = some_treebank(1, 120)
    points = learning_curve(collector(treebank, profile), repeats=3, seed=5)
    for point in points:
        expected = naive_samples(treebank, point.sentences, point.repeats, 5, profile)
        for name in NAMES:
            assert point.values[name] == near(expected[name]), (point.sentences, name)


@every_profile
def test_a_curve_ends_in_the_plain_measurement(profile):
    treebank = Treebank.read(str(FLUVI))
    plain = measure(treebank, *NAMES, profile=profile)
    last = learning_curve(collector(treebank, profile), repeats=2)[-1]
    assert (last.sentences, last.repeats) == (plain.kept_sentences, 1)
    for name, (value, deviation) in last.values.items():
        assert value == pytest.approx(plain[name].value, rel=1e-12)
        assert math.isnan(deviation)


def test_a_point_of_a_curve_is_a_measurement_at_equal_size():
    treebank = Treebank.read(str(FLUVI))
    point = learning_curve(collector(treebank), repeats=4, seed=2)[0]
    result = of_equal_size(collector(treebank), 50, 4, seed=2)
    assert {name: (own.value, own.deviation) for name, own in result.items()} == point.values


# -- the command line ------------------------------------------------------------------------------------------------


def test_equal_size_on_the_command_line():
    expected = of_equal_size(collector(Treebank.read(str(FLUVI))), 30, 20, 0)
    arguments = ["measure", "--profile", "lal", "--all", "--equal-size", "30", FLUVI, "--format"]
    found = json.loads(permtree(*arguments, "json").out, parse_constant=pytest.fail)
    rows = [line.split("\t") for line in permtree(*arguments, "tsv").out.decode().splitlines()]
    markdown = permtree(*arguments, "markdown").out.decode().splitlines()
    assert rows[0] == ["what", "value", "deviation", "signature"]
    by_name = {row[0]: row[1:] for row in rows}
    cells = {line.split("|")[1].strip(): [cell.strip() for cell in line.split("|")[2:4]] for line in markdown[2:]}
    assert (found["sentences"], by_name["sentences"]) == (100, ["100", "", ""])
    for name, own in expected.items():
        assert found["measures"][name] == {"value": own.value, "deviation": own.deviation, "signature": own.signature}
        assert by_name[name] == [repr(own.value), repr(own.deviation), own.signature]
        assert float(cells[name][0]) == pytest.approx(own.value, abs=5.1e-5)
        assert float(cells[name][1]) == pytest.approx(own.deviation, abs=5.1e-5)
        assert "|equal-size:30x20|seed:0|" in own.signature


def test_seed_and_repeats_on_the_command_line():
    def out(*arguments: str) -> bytes:
        return permtree("measure", "--measure", "mdd", "--equal-size", "10", "--format", "tsv", *arguments, FLUVI).out

    default = out()
    assert default == out("--seed", "0", "--repeats", "20")
    outputs = [default, out("--seed", "1"), out("--repeats", "1")]
    assert len({own.split(b"\n")[-2].split(b"\t")[1] for own in outputs}) == 3
    assert b"\tn/a\t" in outputs[-1]  # one sample has no deviation


def test_a_curve_on_the_command_line():
    names = ("mdd", "arc_direction_entropy")
    measures = [part for name in names for part in ("--measure", name)]
    arguments = ["measure", "--profile", "lal", *measures, "--curve", "--repeats", "3", "--seed", "4"]
    content = json.loads(permtree(*arguments, "--format", "json", FLUVI).out, parse_constant=pytest.fail)
    tsv, markdown, table = (
        permtree(*arguments, "--format", style, FLUVI).out.decode().splitlines()
        for style in ("tsv", "markdown", "table")
    )
    points = learning_curve(collector(Treebank.read(str(FLUVI)), names=names), 3, 4)
    assert tsv[0].split("\t") == ["sentences", "repeats", "mdd", "deviation", "arc_direction_entropy", "deviation"]
    assert (len(content["curve"]), len(tsv), len(markdown), len(table)) == (2, 3, 4, 4)
    rows = [line.split("\t") for line in tsv[1:]]
    shown = [[[cell.strip() for cell in line.strip("|").split("|")] for line in markdown[2:]]]
    shown.append([line.split() for line in table[2:]])
    for number, (point, row) in enumerate(zip(points, rows, strict=True)):
        listed = content["curve"][number]
        assert (listed["sentences"], listed["repeats"]) == (point.sentences, point.repeats)
        assert row[:2] == [str(point.sentences), str(point.repeats)]
        cells = []
        for name in names:
            mean, deviation = point.values[name]
            lost = math.isnan(deviation)
            assert listed["measures"][name] == {"mean": mean, "deviation": None if lost else deviation}
            cells += [(repr(mean), f"{mean:.4f}"), ("n/a", "n/a") if lost else (repr(deviation), f"{deviation:.4f}")]
        assert row[2:] == [exact for exact, _ in cells]
        for style in shown:
            assert style[number] == row[:2] + [rounded for _, rounded in cells]
    plain = measured("--profile", "lal", *measures, FLUVI)["measures"]
    assert content["signatures"]["mdd"] == plain["mdd"]["signature"]
    last = content["curve"][-1]["measures"]
    for name in names:
        assert last[name]["mean"] == pytest.approx(plain[name]["value"], rel=1e-12)


def test_a_curve_of_no_sentences_is_a_header():
    assert permtree("measure", "--curve", "--format", "tsv", stdin=b"").out.count(b"\n") == 1
    assert json.loads(permtree("measure", "--curve", "--format", "json", stdin=b"").out)["curve"] == []


def test_a_curve_without_data_is_null_in_json():
    out = permtree("measure", "--measure", "mdd", "--curve", "--format", "json", stdin=sentence("a", 0)).out
    (point,) = json.loads(out, parse_constant=pytest.fail)["curve"]
    assert point["measures"]["mdd"] == {"mean": None, "deviation": None}


def test_no_data_is_n_a_elsewhere():
    arguments = ["measure", "--measure", "mdd", "--format", "tsv"]
    out = permtree(*arguments, "--curve", stdin=sentence("a", 0)).out
    assert out.decode().splitlines()[-1] == "1\t1\tn/a\tn/a"
    done = permtree(*arguments, "--equal-size", "1", stdin=sentence("a", 0))
    assert done.out.decode().splitlines()[-1].split("\t")[:3] == ["mdd", "n/a", "n/a"]
    assert done.err == ""


def test_a_size_that_is_too_large():
    done = permtree("measure", "--equal-size", "3", stdin=sentence("a", 2, 0) * 2, status=2)
    assert done.lines == ["--equal-size 3: from 1 to the 2 sentences that are kept"]
    assert done.out == b""
    roots = sentence("roots", 0, 0)  # are left out
    skipping = ["measure", "--profile", "gulordava-merlo-2016"]
    done = permtree(*skipping, "--equal-size", "2", stdin=sentence("a", 2, 0) + roots, status=2)
    assert len(done.lines) == 2
    assert done.lines[0].startswith("left out by policies: 1 of 2 sentences")
    assert done.lines[1] == "--equal-size 2: from 1 to the 1 sentences that are kept"
    assert permtree("measure", "--equal-size", "1", stdin=b"", status=2).out == b""


TOGETHER = {
    "intervals and a curve": (["--ci", "9", "--curve"], "--curve and --ci: one at a time"),
    "intervals and a size": (["--ci", "9", "--equal-size", "1"], "--equal-size and --ci: one at a time"),
    "a size and a curve": (["--equal-size", "1", "--curve"], "--equal-size and --curve: one at a time"),
    "another and a curve": (["--compare", "x", "--curve"], "--compare and --curve: one at a time"),
    "intervals of files": (["--by", "file", "--ci", "10"], "--ci is about the whole treebank; leave --by file out"),
    "curves of relations": (
        ["--by", "deprel", "--curve"],
        "--curve is about the whole treebank; leave --by deprel out",
    ),
    "another by length": (["--by", "length", "--compare", "x"], "--compare is about the whole treebank;"),
    "repeats alone": (["--repeats", "3"], "--repeats: of samples that --equal-size or --curve draw"),
    "repeats of intervals": (
        ["--repeats", "3", "--ci", "9"],
        "--repeats: of samples that --equal-size or --curve draw",
    ),
    "seed alone": (["--seed", "3"], "--seed: of resamples that --ci, --compare, --equal-size or --curve draw"),
}
NUMBERS = {
    "size 0": ["--equal-size", "0"],
    "no repeats, a negative seed": ["--curve", "--repeats", "0", "--seed", "-1"],
    "a size in words": ["--equal-size", "ten"],
}


@pytest.mark.parametrize(("arguments", "message"), TOGETHER.values(), ids=TOGETHER.keys())
def test_what_says_nothing_together(arguments, message):
    done = permtree("measure", *arguments, stdin=sentence("a", 2, 0), status=2)
    (line,) = done.lines
    assert line.startswith(message)
    assert done.out == b""


@pytest.mark.parametrize("arguments", NUMBERS.values(), ids=NUMBERS.keys())
def test_numbers_that_cannot_be(arguments):
    done = permtree("measure", *arguments, stdin=sentence("a", 2, 0), status=2)
    (line,) = done.lines
    assert line.endswith("(see `permtree measure --help`)")
    assert done.out == b""
