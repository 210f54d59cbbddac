"""`permtree measure --compare`: what is printed, in every format, and what is refused."""

from __future__ import annotations

import json
from collections import Counter

import pytest
from commandline import permtree, sentence
from places import SAMPLE

from permtree import Treebank, permute
from permtree.measures import MEASURES
from permtree.measuring.comparing import Comparison, compare

FLUVI = SAMPLE / "fluvi-dev.conllu"
RIGAN = SAMPLE / "rigan-dev.conllu"
NAMES = tuple(MEASURES.names())
PAIR = sentence("a", 2, 0, 2), sentence("a", 0, 1, 1)
HEADER = ["what", "first", "second", "difference", "low", "high", "signature"]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A part of the sample as `first`, in the shortest order as `second` (`bare`: without punctuation)."""
    made = tmp_path_factory.mktemp("compared")
    (made / "first").write_bytes(FLUVI.read_bytes())
    (made / "second").write_bytes(permute(Treebank.read(str(FLUVI)), "optdl").to_bytes())
    bare = permute(Treebank.read(str(FLUVI)), "optdl", profile="ud")
    (made / "bare").write_bytes(bare.to_bytes())
    (made / "small").write_bytes(PAIR[0])
    (made / "other").write_bytes(PAIR[1])
    (made / "empty").write_bytes(b"")
    (made / "bad").write_bytes(sentence("a", 2, 0) + b"1\tx\n\n")
    (made / "cycle").write_bytes(sentence("a", 2, 0) + sentence("cycle", 2, 1))
    return made


def printed(folder, style: str, *arguments, files: tuple = ("first", "--compare", "second")) -> str:
    done = permtree("measure", *files, "--format", style, *arguments, cwd=folder)
    assert done.lines == ["warning: empty:1: is empty: no sentence in it"] * [*files, *arguments].count("empty")
    return done.out.decode()


def in_json(folder, *arguments, **options) -> dict:
    return json.loads(printed(folder, "json", *arguments, **options), parse_constant=pytest.fail)


def by_python(folder, *names: str, **options) -> Comparison:
    sides = [Treebank.read(str(folder / name)) for name in ("first", "second")]
    return compare(*sides, *names, **options)


def test_json(folder):
    content = in_json(folder, "--all", "--ci", "30", "--seed", "5", "--profile", "lal")
    expected = by_python(folder, *NAMES, ci=30, seed=5, profile="lal")
    assert {key: content[key] for key in ("first", "second", "sentences", "paired", "wasserstein")} == {
        "first": "first",
        "second": "second",
        "sentences": list(expected.sentences),
        "paired": 100,
        "wasserstein": expected.wasserstein,
    }
    assert [Counter({int(key): count for key, count in side.items()}) for side in content["displacements"]] == [
        *expected.displacements
    ]
    assert content["orders"] == {
        "sentences": 100,
        "unjoined": 0,
        **{
            name: {"value": value, "interval": list(expected.order_intervals[name])}
            for name, value in expected.orders.values.items()
        },
        **{name: getattr(expected.orders, name).tolist() for name in ("words", "swaps", "displacement")},
    }
    assert content["measures"] == {
        name: {
            "first": own.first,
            "second": own.second,
            "difference": own.difference,
            "interval": list(own.interval),
            "signature": own.signature,
        }
        for name, own in expected.differences.items()
    }


def test_tables(folder):
    """TSV to the last digit; the others rounded."""
    names = ("dl_total", "mdd", "head_final", "sibling_order_entropy")
    arguments = [*(part for name in names for part in ("--measure", name)), "--ci", "20", "--profile", "lal"]
    expected = by_python(folder, *names, ci=20, profile="lal")
    rows = [line.split("\t") for line in printed(folder, "tsv", *arguments).splitlines()]
    markdown = printed(folder, "markdown", *arguments).replace("\\|", "!").splitlines()
    assert rows[0] == HEADER
    assert {len(row) for row in rows} == {len(HEADER)}
    by_name = {row[0]: row[1:] for row in rows[1:]}
    of_orders = ["swap distance", "swapped pairs", "word displacement"]
    assert list(by_name) == [*names, "edge displacement", *of_orders, "kept sentences", "paired sentences"]
    assert len(markdown) == len(rows) + 1
    shown = {
        cells[1].strip(): [cell.strip() for cell in cells[2:7]] for cells in (line.split("|") for line in markdown)
    }
    for name, own in expected.differences.items():
        values = [own.first, own.second, own.difference, *own.interval]
        assert by_name[name] == [*map(repr, values), own.signature]
        for cell, value in zip(shown[name], values, strict=True):
            assert float(cell) == pytest.approx(value, abs=5.1e-5)
    assert by_name["edge displacement"][:3] == ["", "", repr(expected.wasserstein)]
    for name, value in expected.orders.values.items():
        bounds = expected.order_intervals[name]
        row = by_name[name.replace("_", " ")]
        assert row[:5] == ["", "", *map(repr, (value, *bounds))]
        assert row[5].endswith("; of 100 pairs of sentences")
    assert by_name["kept sentences"][:2] == ["100", "100"]
    assert by_name["paired sentences"] == ["100", "100", "", "", "", "resamples draw pairs"]


def test_defaults_are_1000_resamples_of_three_measures(folder):
    content = in_json(folder, files=("first", "--compare", "bare"))
    assert list(content["measures"]) == ["mean_sentence_length", "dlm_ratio", "arc_direction_entropy"]
    assert content["sentences"] == [content["paired"]] * 2
    for name, own in content["measures"].items():
        how = "ci:0.95|by:jackknife of chao-shen" if name == "arc_direction_entropy" else "ci:0.95x1000"
        assert f"|compared:paired|{how}|seed:0|" in own["signature"]
    assert content["measures"]["mean_sentence_length"]["interval"] == [0, 0]
    assert content["measures"]["dlm_ratio"]["second"] == pytest.approx(1)
    low, high = content["measures"]["dlm_ratio"]["interval"]
    assert low < content["measures"]["dlm_ratio"]["difference"] < high < 0


def test_punctuation_that_moved_is_hinted_at(folder):
    """The second file loses most of its sentences to the policy; it is the one that was permuted."""
    profile = ["--profile", "gulordava-merlo-2016"]
    done = permtree("measure", "first", "--compare", "second", "--ci", "1", "--format", "json", *profile, cwd=folder)
    line = done.lines[-2]  # before the one that says what is left out
    assert line.startswith("hint: this treebank was permuted with --punct keep")
    kept = json.loads(done.out)["sentences"]
    assert kept[1] < kept[0] / 2


def test_unpaired(folder):
    arguments = ["--compare", RIGAN, "--ci", "10", "--profile", "lal"]
    content = in_json(folder, files=("first", *arguments))
    assert (content["paired"], content["sentences"]) == (0, [100, 100])
    assert content["second"] == str(RIGAN)
    rows = [line.split("\t") for line in printed(folder, "tsv", files=("first", *arguments)).splitlines()]
    assert rows[0] == ["what", "first", str(RIGAN), "difference", "low", "high", "signature"]
    assert rows[-1] == ["paired sentences", "0", "0", "", "", "", "nothing is paired: each side is drawn by itself"]
    assert {row[0]: "|compared:independent|" in row[-1] for row in rows[1:-3]} == dict.fromkeys(
        content["measures"], True
    )


def test_several_files_and_standard_input_are_one_side(folder):
    arguments = ["--measure", "mdd", "--ci", "5", "--profile", "lal"]
    content = in_json(folder, *arguments, files=("first", "small", "--compare", "first"))
    assert (content["first"], content["sentences"], content["paired"]) == ("first+small", [101, 100], 100)
    assert content["measures"]["mdd"]["difference"] == 0
    done = permtree("measure", *arguments, "--compare", "other", "--format", "json", cwd=folder, stdin=PAIR[0])
    content = json.loads(done.out)
    assert (content["first"], content["second"], content["paired"]) == ("-", "other", 1)
    assert content["measures"]["mdd"]["difference"] == 0.5
    assert content["measures"]["mdd"]["interval"] == [None, None]  # one sentence: nothing to draw from
    assert content["wasserstein"] == 1.5  # -1 and +1; +1 and +2
    done = permtree("measure", *arguments, "small", "--compare", "-", "--format", "json", cwd=folder, stdin=PAIR[1])
    assert json.loads(done.out)["measures"]["mdd"]["difference"] == 0.5


def test_an_empty_side_is_null_and_n_a(folder):
    content = in_json(folder, "--measure", "mdd", "--measure", "crossings", files=("small", "--compare", "empty"))
    assert (content["sentences"], content["paired"], content["wasserstein"]) == ([1, 0], 0, None)
    nothing = {"second": None, "difference": None, "interval": [None, None]}
    assert {key: content["measures"]["mdd"][key] for key in nothing} == nothing
    assert content["measures"]["crossings"]["second"] == 0
    lines = printed(folder, "table", "--measure", "mdd", files=("small", "--compare", "empty")).splitlines()
    assert lines[0].split() == ["what", "small", "empty", *HEADER[3:]]
    assert lines[2].split()[:6] == ["mdd", "1.0000", *["n/a"] * 4]
    assert lines[3].split()[:3] == ["edge", "displacement", "n/a"]
    assert lines[4].split() == ["kept", "sentences", "1", "0"]


@pytest.mark.parametrize("swapped", [False, True])
def test_a_missing_file(folder, swapped):
    files = ["nowhere", "--compare", "first"] if swapped else ["first", "--compare", "nowhere"]
    done = permtree("measure", *files, cwd=folder, status=2)
    (line,) = done.lines
    assert line.startswith("nowhere: no such file")
    assert done.out == b""


@pytest.mark.parametrize(
    ("name", "line", "swapped"),
    [
        ("bad", "bad:5: 2 columns instead of 10", False),
        ("bad", "bad:5: 2 columns instead of 10", True),
        ("cycle", "cycle:6: no root: no word has HEAD 0 (sentence cycle)", False),
    ],
)
def test_bad_data_on_either_side(folder, name, line, swapped):
    files = [name, "--compare", "small"] if swapped else ["small", "--compare", name]
    done = permtree("measure", *files, cwd=folder, status=3)
    assert (done.lines, done.out) == ([line], b"")


def test_bad_data_is_skipped_on_both_sides(folder):
    arguments = ["--skip-errors", "--measure", "mdd", "--ci", "5", "--format", "json"]
    done = permtree("measure", "cycle", "--compare", "bad", *arguments, cwd=folder)
    assert [line.split(":")[:3] for line in done.lines] == [["skipped", " cycle", "6"], ["skipped", " bad", "5"]]
    assert json.loads(done.out)["sentences"] == [1, 1]


def test_standard_input_on_both_sides(folder):
    done = permtree("measure", "--compare", "-", stdin=PAIR[0], status=2)
    (line,) = done.lines
    assert line.startswith("standard input can be read only once")


def test_unknown_names_come_before_files(folder):
    done = permtree("measure", "first", "--compare", "second", "--measure", "mddd", cwd=folder, status=2)
    assert done.lines == ["no measure named 'mddd'; did you mean 'mdd'?"]
