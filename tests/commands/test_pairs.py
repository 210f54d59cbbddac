"""`permtree pairs` and `permtree analyze`: what is written and printed, in every format, and what is refused."""

from __future__ import annotations

import json
import re
from pathlib import Path
from random import Random

import numpy as np
import pytest
from commandline import files_in, permtree
from places import SAMPLE
from random_pairs import guessed
from reordering import permuted

from permtree import Treebank, analyze, pairs
from permtree.pairing.pairs import Pairs

FILES = ("gold-a", "pred-a", "gold-b", "pred-b")
NAMES = ("--names", "original", "optdl")


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> Path:
    made = tmp_path_factory.mktemp("paired")
    data = (SAMPLE / "fluvi-dev.conllu").read_bytes()
    for side, gold in (("a", data), ("b", permuted(data, "optdl").to_bytes())):
        (made / f"gold-{side}").write_bytes(gold)
        (made / f"pred-{side}").write_bytes(guessed(gold, Random(side), 0.9))
    permtree("pairs", *FILES, *NAMES, "--convention", "no-punct", "-o", "pairs", cwd=made)
    return made


def made_in_python(folder: Path) -> Pairs:
    read = [Treebank.read(str(folder / name)) for name in FILES]
    return pairs(read[0], read[1], read[2], read[3], "no-punct", names=("original", "optdl"))


def assert_same(found: Pairs, expected: Pairs) -> None:
    assert (found.names, found.convention, found.faults) == (expected.names, expected.convention, expected.faults)
    for a, b in ((found.sentences, expected.sentences), (found.arcs, expected.arcs)):
        assert list(a) == list(b)
        for name in a:
            np.testing.assert_array_equal(a[name], b[name])


def test_the_folder_holds_what_python_gives(folder):
    assert_same(Pairs.read(folder / "pairs"), made_in_python(folder))
    assert files_in(folder / "pairs") == ["arcs.tsv", "pairs.json", "sentences.tsv"]


def test_the_report(folder, tmp_path):
    treebank = Treebank.read(str(folder / "gold-a"))
    arguments = [folder / name for name in FILES]
    done = permtree("pairs", *arguments, "-o", tmp_path / "x", "--convention", "no-punct", cwd=tmp_path)
    n_words, n_punct = treebank.n_words, treebank.upos.decoded().count("PUNCT")
    assert done.out == b""
    assert re.fullmatch(
        rf".*x: {treebank.n_sentences} sentences, {n_words} words \(\d+ of them in another place\)", done.lines[0]
    )
    without = f"words that don't count by no-punct: {n_punct}; sentences without words that count: 0"
    assert done.lines[1] == without
    assert re.fullmatch(r"a: words without HEAD, scored as wrong: \d+", done.lines[2])
    assert permtree("pairs", *arguments, "-o", tmp_path / "x", "--quiet", cwd=tmp_path).err == ""


def test_parquet(folder, tmp_path):
    pytest.importorskip("pyarrow")
    arguments = [folder / name for name in FILES]
    permtree("pairs", *arguments, "-o", tmp_path, "--format", "parquet", *NAMES, "--convention", "no-punct")
    assert files_in(tmp_path) == ["arcs.parquet", "pairs.json", "sentences.parquet"]
    assert_same(Pairs.read(tmp_path), made_in_python(folder))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["-o", "."], r".: holds something else \(gold-a\): name a new folder"),
        (["-o", "gold-a"], "gold-a: is a file; name a folder"),
        (["-o", "x", "--names", "a", "a"], "--names: two different names"),
        (["-o", "x", "--convention", "no-punkt"], "--convention 'no-punkt'; did you mean 'no-punct'?"),
        (["-o", "x", "--punct-tag", "P"], "--punct-tag goes with --convention no-punct"),
    ],
    ids=["folder", "file", "names", "convention", "punct-tag"],
)
def test_what_is_refused(folder, arguments, message):
    done = permtree("pairs", *FILES, *arguments, cwd=folder, status=2)
    assert len(done.lines) == 1
    assert re.match(message.replace("?", r"\?"), done.lines[0])
    assert "x" not in files_in(folder)


def test_no_minimal_pair_leaves_nothing(folder):
    (folder / "stripped").write_bytes(permuted((folder / "gold-a").read_bytes(), "rb", punct="strip").to_bytes())
    done = permtree("pairs", "gold-a", "gold-a", "stripped", "stripped", "-o", "none", cwd=folder, status=3)
    (line,) = done.lines
    assert re.match(
        r"gold-a:\d+: word '.*' \(id \d+ in the original\) is not in stripped, which was permuted with", line
    )
    assert "--mode original --punct strip" in line
    assert "none" not in files_in(folder)


# -- analyze -----------------------------------------------------------------------------------------------------------


def printed(folder: Path, *arguments: str) -> str:
    done = permtree("analyze", "pairs", "--resamples", "50", "--quiet", *arguments, cwd=folder)
    assert done.err == ""
    return done.out.decode()


def test_json_is_what_python_gives(folder):
    content = json.loads(printed(folder, "--format", "json", "--seed", "3", "--most", "4"), parse_constant=pytest.fail)
    expected = analyze(made_in_python(folder), 50, 3, 4).as_json()
    assert content == json.loads(json.dumps(expected))


def test_tsv_holds_all_tables_with_all_digits(folder):
    text = printed(folder, "--format", "tsv", "--most", "3")
    found = analyze(made_in_python(folder), 50, 0, 3)
    *blocks, last = text.split("\n\n")
    tables = {}
    for block in blocks:
        title, header, *rows = block.split("\n")
        assert title.startswith("# ")
        cells = [row.split("\t") for row in rows]
        assert {len(row) for row in cells} <= {len(header.split("\t"))}
        assert len(set(header.split("\t"))) == len(header.split("\t"))
        tables[title[2:].split(":")[0].split(" (")[0]] = [header.split("\t"), *cells]
    assert list(tables) == [
        "Scores",
        "Correlations over sentences",
        "By relation",
        "By arc length",
        "By direction",
        "By sentence length",
        "Confused relations",
        "One-word dependents that share their head with another",
        "Their confused relations",
        "Sentences in which optdl gains most",
        "Sentences in which optdl loses most",
    ]
    assert last == f"# {found.signature}\n"
    header, uas, las = tables["Scores"]
    row = dict(zip(header, uas, strict=True))
    own = found.scores["uas"]
    expected = {"original": own.a, "optdl": own.b, "difference": own.difference, "low": own.interval[0]}
    expected |= {
        "high": own.interval[1],
        "p (permutation)": own.permutation.p_value,
        "p (McNemar)": own.mcnemar.p_value,
    }
    expected |= {"only original right": own.mcnemar.only_first, "only optdl right": own.mcnemar.only_second}
    expected |= {"t": own.paired_t.t, "p (t)": own.paired_t.p_value}
    assert {name: float(value) for name, value in row.items() if name != "score"} == expected
    row = dict(zip(*tables["Correlations over sentences"][:2], strict=True))
    of = found.correlations["d_uas", "d_dl"]
    assert (row["of"], row["and"]) == ("UAS(optdl) - UAS(original)", "DL(original) - DL(optdl)")
    assert [float(row[name]) for name in ("r", "r low", "r high", "r p")] == [
        of.pearson,
        *of.pearson_interval,
        of.pearson_p,
    ]
    row = dict(zip(tables["By relation"][0], tables["By relation"][1], strict=True))
    group = found.groups["relation"][0]
    assert row == {
        "relation": group.label,
        "arcs original": str(group.arcs_a),
        "arcs optdl": str(group.arcs_b),
        "uas original": repr(group.uas_a),
        "uas optdl": repr(group.uas_b),
        "d_uas": repr(group.d_uas),
        "las original": repr(group.las_a),
        "las optdl": repr(group.las_b),
        "d_las": repr(group.d_las),
    }
    gains = tables["Sentences in which optdl gains most"][1:]
    assert [row[:2] for row in gains] == [[str(own.sentence + 1), own.sent_id] for own in found.gains]
    assert len(tables["Confused relations"]) == 4


def test_drawings_mark_what_is_wrong(folder):
    found = analyze(made_in_python(folder), 50)
    most = max([*found.gains, *found.losses], key=lambda own: (abs(own.difference), -own.sentence))
    text = printed(folder, "--draw", "1")
    for name, right in (("original", most.right_a), ("optdl", most.right_b)):
        assert f"\n{most.sent_id}, {name}: {right} of {most.counted} heads right\n" in text
        assert f"\n{name} (gold) {most.sent_id}: {most.words} words, dependency length" in text
        assert f"\n{name} (predicted) {most.sent_id}: " in text
    assert "✗" in text
    assert "gains most\n\n" in text
    text = printed(folder, "--draw", "2", "--format", "markdown")
    assert text.startswith("## Scores: ")
    assert text.count("\n## ") == 10 + 4
    assert text.count("```") == 2 * 4


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["nowhere"], "nowhere: no such folder: name a folder that `permtree pairs` wrote"),
        (["gold-a"], "gold-a: is a file: name a folder that `permtree pairs` wrote"),
        (["."], ".: no pairs.json in it: name a folder that `permtree pairs` wrote"),
        (["pairs", "--draw", "1", "--format", "tsv"], "--draw goes with --format table or markdown"),
    ],
    ids=["nowhere", "file", "other", "draw"],
)
def test_what_analyze_refuses(folder, arguments, message):
    (line,) = permtree("analyze", *arguments, cwd=folder, status=2).lines
    assert line.startswith(message)


def test_faults_are_told_again(folder):
    done = permtree("analyze", "pairs", "--resamples", "5", cwd=folder)
    assert re.fullmatch(r"original: words without HEAD, scored as wrong: \d+", done.lines[0])
