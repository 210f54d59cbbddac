"""`--by`: a row for each sentence, relation, length or file, as if it had been measured by itself; and the formats."""

from __future__ import annotations

import json

import pytest
from commandline import measured, permtree, sentence
from places import SAMPLE
from reordering import conllu

from permtree import Treebank, UsageError, measure

FLUVI = SAMPLE / "fluvi-test.conllu"
RIGAN = SAMPLE / "rigan-test.conllu"
THREE = sentence("a", 2, 0) + sentence("b", 0, 1, 2) + sentence("c", 0, 1, 1)
LAL = ("--profile", "lal", "--measure", "dl_total", "--measure", "mdd")


def groups(*arguments, stdin: bytes = b"") -> list[dict]:
    return measured(*LAL, *arguments, stdin=stdin)["groups"]


def test_by_sentence():
    assert groups("--by", "sentence", stdin=THREE) == [
        {"number": 1, "sent_id": "a", "sentences": 1, "measures": {"dl_total": 1, "mdd": 1}},
        {"number": 2, "sent_id": "b", "sentences": 1, "measures": {"dl_total": 2, "mdd": 1}},
        {"number": 3, "sent_id": "c", "sentences": 1, "measures": {"dl_total": 3, "mdd": 1.5}},
    ]


def test_numbers_of_sentences_count_those_left_out():
    data = sentence("a", 2, 0) + sentence("roots", 0, 0) + sentence("c", 2, 0)
    assert [group["number"] for group in groups("--by", "sentence", stdin=data)] == [1, 3]


def test_numbers_of_sentences_count_those_skipped():
    data = sentence("a", 2, 0) + b"1\tx\n\n" + sentence("cycle", 2, 1) + sentence("d", 2, 0)
    assert [group["number"] for group in groups("--by", "sentence", "--skip-errors", stdin=data)] == [1, 4]


def test_numbers_of_sentences_run_on_over_files(tmp_path):
    (tmp_path / "a").write_bytes(THREE)
    (tmp_path / "b").write_bytes(THREE)
    found = groups("--by", "sentence", tmp_path / "a", tmp_path / "b")
    assert [(group["number"], group["sent_id"]) for group in found] == [*enumerate("abcabc", 1)]


def test_by_length():
    assert groups("--by", "length", stdin=THREE + sentence("d", 0)) == [
        {"length": 1, "sentences": 1, "measures": {"dl_total": 0, "mdd": None}},
        {"length": 2, "sentences": 1, "measures": {"dl_total": 1, "mdd": 1}},
        {"length": 3, "sentences": 2, "measures": {"dl_total": 5, "mdd": 1.25}},
    ]


def test_by_relation():
    """Arcs are counted, so roots are not; the most frequent relation comes first."""
    data = conllu("1 a _ X _ _ 3 nsubj", "2 b _ Y _ _ 3 obj", "3 c _ Z _ _ 0 root", "4 d _ Y _ _ 3 obj", "")
    found = measured("--profile", "lal", "--by", "deprel", stdin=data)["groups"]
    assert found == [
        {"deprel": "obj", "arcs": 2, "measures": {"mdd": 1, "head_final": 0.5, "arc_direction_entropy": 1}},
        {"deprel": "nsubj", "arcs": 1, "measures": {"mdd": 2, "head_final": 1, "arc_direction_entropy": 0}},
    ]


def test_arcs_of_relations_add_up():
    treebank = Treebank.read(str(FLUVI))
    result = measure(treebank, "mdd", profile="lal", by="deprel")
    assert sum(size for _, size, _ in result.groups) == int((treebank.head >= 0).sum())
    weighted = sum(size * values["mdd"] for _, size, values in result.groups)
    assert weighted / sum(size for _, size, _ in result.groups) == pytest.approx(result["mdd"].value)


def test_a_measure_of_sentences_has_no_relations():
    done = permtree("measure", "--by", "deprel", "--measure", "omega", stdin=THREE, status=2)
    assert done.lines == [
        "omega can't be taken apart by relation; these can: arc_direction_entropy, head_final, intervener_complexity, "
        "mdd, nonprojective_arcs, one_endpoint_arcs"
    ]
    with pytest.raises(UsageError):
        measure(Treebank.from_bytes(THREE), "omega", by="deprel")


@pytest.mark.parametrize("profile", ["lal", "gulordava-merlo-2016", "futrell-2015"])
def test_by_file_is_each_file_measured_alone(profile):
    result = measured("--profile", profile, "--by", "file", "--all", FLUVI, RIGAN)
    assert [group["file"] for group in result["groups"]] == [str(FLUVI), str(RIGAN)]
    for group in result["groups"]:
        alone = measured("--profile", profile, "--all", group["file"])
        assert group["sentences"] == alone["kept_sentences"]
        assert group["measures"] == {name: own["value"] for name, own in alone["measures"].items()}


@pytest.mark.parametrize("by", ["sentence", "length", "deprel", "file"])
def test_grouping_changes_no_total(by):
    for names in (["mdd"], ["head_final", "arc_direction_entropy"]):
        result = measure(Treebank.read(str(FLUVI)), *names, by=by)
        plain = measure(Treebank.read(str(FLUVI)), *names)
        assert dict(result) == dict(plain)


@pytest.mark.parametrize("by", [None, "sentence", "length", "deprel", "file"])
def test_formats_say_the_same(by):
    grouping = ["--by", by] if by else []
    arguments = ["measure", *grouping, "--measure", "mdd", "--measure", "arc_direction_entropy", "--format"]
    tsv, markdown, table, as_json = (
        permtree(*arguments, style, stdin=THREE).out.decode() for style in ("tsv", "markdown", "table", "json")
    )
    rows = [line.split("\t") for line in tsv.splitlines()]
    assert len({len(row) for row in rows}) == 1
    assert len(markdown.splitlines()) == len(table.splitlines()) == len(rows) + 1  # a rule below the header
    cells = [[cell.strip() for cell in line.strip("|").split("|")] for line in markdown.splitlines()]
    content = json.loads(as_json)
    if by:
        for row, shown, group in zip(rows[1:], cells[2:], content["groups"], strict=True):
            for exact, rounded, value in zip(row[-2:], shown[-2:], group["measures"].values(), strict=True):
                assert (exact, rounded) == (("n/a", "n/a") if value is None else (repr(value), f"{value:.4f}"))
    else:
        values = {row[0]: row[1] for row in rows}
        assert {name: values[name] for name in content["measures"]} == {
            name: repr(own["value"]) for name, own in content["measures"].items()
        }
