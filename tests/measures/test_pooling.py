"""Totals depend on the sentences alone: not on files, their order or the size of pieces, to the last digit."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest
from commandline import EMPTY, big, measured, permtree, sentence
from hypothesis import given
from hypothesis import strategies as st
from places import SAMPLE
from strategies import batches

from permtree import Treebank
from permtree.measures import MEASURES, Conventions, Measure
from permtree.measuring.collector import Collector
from permtree.measuring.groupings import GROUPINGS
from permtree.measuring.sums import Sums
from permtree.profiles import PROFILES

FLUVI = SAMPLE / "fluvi-train.conllu"


def pooled(*parts: Treebank, profile: str = "lal"):
    collector = Collector(tuple(MEASURES.names()), PROFILES[profile])
    for part in parts:
        collector.add(part)
    return collector.result()


def as_text(result) -> str:
    """All of a measurement, so that two can be compared to the last digit and n/a equals n/a."""
    return repr(result)


def test_a_file_and_its_two_halves(tmp_path):
    sentences = FLUVI.read_bytes().split(b"\n\n")[:-1]
    cut = len(sentences) // 3
    halves = [tmp_path / "first", tmp_path / "second"]
    for path, part in zip(halves, (sentences[:cut], sentences[cut:]), strict=True):
        path.write_bytes(b"\n\n".join(part) + b"\n\n")
    for profile in PROFILES:
        whole = measured("--all", "--profile", profile, FLUVI)
        assert whole["kept_sentences"] > 100
        assert measured("--all", "--profile", profile, *halves) == whole
        assert measured("--all", "--profile", profile, *reversed(halves)) == whole


@given(batches(), st.integers(0, 6))
def test_random_treebanks_in_two_parts(sentences, cut):
    whole = pooled(Treebank.from_heads(sentences))
    parts = Treebank.from_heads(sentences[:cut]), Treebank.from_heads(sentences[cut:])
    assert as_text(pooled(*parts)) == as_text(pooled(*reversed(parts))) == as_text(whole)


def test_pieces_of_a_big_file_do_not_show():
    data = big()
    treebank = Treebank.from_bytes(data)
    in_pieces = measured("--all", "--profile", "lal", stdin=data)["measures"]
    at_once = pooled(treebank)
    expected = {name: None if math.isnan(own.value) else own.value for name, own in at_once.items()}
    assert {name: own["value"] for name, own in in_pieces.items()} == expected
    assert [name for name, value in expected.items() if value is None] == ["sibling_order_entropy"]  # no siblings


def test_no_files_and_an_empty_file_add_nothing(tmp_path):
    (tmp_path / "empty").write_bytes(b"")
    assert measured("--all", tmp_path / "empty", FLUVI, tmp_path / "empty") == measured("--all", FLUVI)


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("data", [b"", b"\n", b"# nothing but a comment\n\n"])
@pytest.mark.parametrize("profile", PROFILES)
def test_no_sentence_gives_no_value(data, profile):
    """Sums over nothing are 0; what is divided by nothing is not a number."""
    result = pooled(Treebank.from_bytes(data), profile=profile)
    assert (result.sentences, result.words, result.kept_sentences, result.kept_words) == (0, 0, 0, 0)
    for name, own in result.items():
        assert repr(own.value) == ("0.0" if MEASURES[name].empty == "0" else "nan"), name


def test_no_value_is_null_in_json_and_n_a_elsewhere():
    content = measured(stdin=b"")
    assert [own["value"] for own in content["measures"].values()] == [None] * 3
    for style in ("table", "tsv", "markdown"):
        done = permtree("measure", "--format", style, stdin=b"")
        assert done.err == EMPTY
        assert done.out.decode().count("n/a") == 3


@pytest.mark.parametrize("by", GROUPINGS)
def test_no_sentence_gives_no_groups(by):
    done = permtree("measure", "--by", by, "--format", "json", stdin=b"")
    assert (json.loads(done.out)["groups"], done.err) == ([], EMPTY)
    done = permtree("measure", "--by", by, stdin=b"")
    assert (len(done.out.splitlines()), done.err) == (2, EMPTY)  # a header and a rule


def test_sentences_of_one_word_have_no_arcs():
    result = measured("--all", stdin=b"1\ta\t_\tX\t_\t_\t0\troot\t_\t_\n\n")
    values = {name: own["value"] for name, own in result["measures"].items()}
    assert [values.pop(name) for name in ("mean_sentence_length", "one_endpoint_sentences")] == [1, 1]
    assert values.pop("projective_ceiling") == 100
    nothing = {"depth", "crossings", "crossings_expected", "gap_degree", "gap_degree_of_words"}
    nothing |= {"optimal_orders_log2", "nonprojective_sentences"}
    nothing |= {name for name in values if name.startswith("dl_")}
    assert values == {name: 0 if name in nothing else None for name in values}


@pytest.mark.parametrize("unit", ["nats", "bits"])
def test_every_value_is_a_plain_number_as_tables_print_it(unit):
    chosen = [option for name in MEASURES.names() for option in ("--measure", name)]
    out = permtree("measure", "--format", "tsv", "--unit", unit, *chosen, SAMPLE / "rigan-test.conllu").out.decode()
    for line in out.splitlines()[1:]:
        float(line.split("\t")[1].replace("n/a", "nan"))


def test_a_measure_may_have_as_many_statistics_as_it_likes():
    def powers(treebank, conventions):
        return treebank.sentence_length[:, None] ** np.arange(6)

    own = Measure("powers", "sentence", powers, lambda totals: float(totals[5]), "", "", "", "", "")
    for data, expected in ((b"", 0.0), (sentence("a", 2, 0) + sentence("b", 0), 2.0**5 + 1)):
        collector = Collector(("mdd",))
        collector.measures = [own]
        collector.statistics = {"powers": Sums(own, Conventions())}
        collector.add(Treebank.from_bytes(data))
        assert collector.result()["powers"].value == expected
        empty = Sums(own, Conventions())
        assert empty.rows()[0].shape == (0, 6)
        assert empty.empty() == 0.0
