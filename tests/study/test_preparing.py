"""What a study makes of a treebank: nothing left out unless it says so, caps after policies, parts that are missing."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest
from speed import first_is_quick
from studies import computed, run, write_study

from permtree import UsageError
from permtree.report.building import report_of
from permtree.study.reading import read_study
from permtree.study.results import read_results
from permtree.treebank import Treebank

PAPER = "profile = 'gulordava-merlo-2016'"
ORDERS = "orders.original = {}\norders.optdl = {}\norders.majority = {}"


def train_ids(path: Path, results: Path) -> dict[str, list[str]]:
    """By order, the sentences of the training part."""
    grid, store, summary = computed(path, results, ["permute"])
    assert not summary.failed
    data = {cell.place["order"]: store.files(cell)["train.conllu.gz"] for cell in grid.cells if cell.kind == "permute"}
    return {order: Treebank.from_bytes(gzip.decompress(own)).sent_ids for order, own in data.items()}


def entry(**more: object) -> str:
    keys = {"train": "train.conllu", "dev": "dev.conllu", "test": "test.conllu", **more}
    given = ", ".join(f"{name} = {value!r}" for name, value in keys.items() if value is not None)
    return f"treebanks.fluvi = {{ {given} }}"


def test_the_default_keeps_every_sentence_and_every_word(tmp_path: Path):
    path = write_study(tmp_path, parsers="parsers.left = {}")
    computed(path, tmp_path / "results")
    for row in read_results(tmp_path / "results").parts:
        whole = Treebank.read(str(tmp_path / f"{row['part']}.conllu"))
        for kind in ("kept_", "total_", ""):
            assert (row[f"{kind}sentences"], row[f"{kind}words"]) == (whole.n_sentences, whole.n_words)


@pytest.mark.parametrize("top", [PAPER, "policies.punct = 'strip'", ""], ids=["paper", "strip", "default"])
@pytest.mark.parametrize(("cap", "n"), first_is_quick([("words", 120), ("sentences", 9), ("words", 10**6)]))
def test_caps_count_what_the_policies_keep(top, cap, n, tmp_path: Path):
    """The same sentences in every order; words: whole sentences, as many as fit."""
    path = write_study(tmp_path, top, entry(**{cap: n}), ORDERS, "parsers.left = {}")
    found = train_ids(path, tmp_path / "results")
    assert found["original"] == found["optdl"] == found["majority"]
    computed(path, tmp_path / "results")
    (row, *_) = (row for row in read_results(tmp_path / "results").parts if row["part"] == "train")
    if cap == "sentences":
        assert row["sentences"] == n
    elif n < row["kept_words"]:
        assert n - 40 < row["words"] <= n
    else:
        assert row["words"] == row["kept_words"]
    assert row["total_sentences"] == 40 >= row["kept_sentences"] >= row["sentences"]


def test_more_contains_less_and_the_top_is_for_all(tmp_path: Path):
    path = write_study(tmp_path, orders="orders.original = {}")
    kept = []
    for n in (30, 100, 200):
        path.write_text(f"words = {n}\n{entry()}\norders.original = {{}}\n", encoding="utf-8")
        kept.append(set(train_ids(path, tmp_path / f"results{n}")["original"]))
    assert kept[0] < kept[1] < kept[2]
    own = write_study(tmp_path, "sentences = 5", entry(sentences=8), "orders.original = {}")
    assert read_study(own).treebanks["fluvi"].sentences == 8


@pytest.mark.long
def test_a_loss_is_told_in_plan_run_and_report(tmp_path: Path):
    """The sample with a comma in every third sentence, under the paper's profile."""
    path = write_study(tmp_path, PAPER, orders="orders.original = {}", parsers="parsers.left = {}")
    for part in ("train", "dev", "test"):
        blocks = (tmp_path / f"{part}.conllu").read_text(encoding="utf-8").split("\n\n")
        for number in range(0, len(blocks) - 1, 2):
            lines = blocks[number].split("\n")
            at = next(i for i, line in enumerate(lines) if line.startswith("1\t"))
            cells = lines[at].split("\t")
            lines[at] = "\t".join([*cells[:3], "PUNCT", *cells[4:]])
            blocks[number] = "\n".join(lines)
        (tmp_path / f"{part}.conllu").write_text("\n\n".join(blocks), encoding="utf-8")
    planned = run("plan", path, "-o", tmp_path / "results")
    (line,) = (line for line in planned.out.decode().splitlines() if "left out by policies" in line)
    assert line.startswith("fluvi: left out by policies: ") and 'policies.punct = "final"' in line
    assert line in run("run", path, "-o", tmp_path / "results").lines
    assert line in run("plan", path, "-o", tmp_path / "results").out.decode().splitlines()
    results = read_results(tmp_path / "results")
    report = report_of(results, resamples=2, sentences=0)
    assert [section.paragraphs for section in report.sections if section.name == "notes"] == [[line]]
    (table,) = (section for section in report.sections if section.name == "table1")
    kept = sum(row["kept_sentences"] for row in results.parts)
    assert kept < 45 and table.rows[0][5] == f"{kept} of 60"


def test_sentences_on_both_sides_are_counted(tmp_path: Path):
    path = write_study(tmp_path, orders="orders.original = {}", parsers="parsers.left = {}")
    train, test = tmp_path / "train.conllu", tmp_path / "test.conllu"
    test.write_bytes(test.read_bytes() + b"\n\n".join(train.read_bytes().split(b"\n\n")[:3]) + b"\n\n")
    line = "fluvi: 3 sentences of the test part also stand in the training part"
    assert line in run("plan", path, "-o", tmp_path / "results").out.decode().splitlines()
    assert line in run("run", path, "-o", tmp_path / "results").lines
    found = read_results(tmp_path / "results")
    assert {row["part"]: row["in_training"] for row in found.parts} == {"train": 0, "dev": 0, "test": 3}
    assert found.treebanks[0]["note"] == line


@pytest.mark.parametrize(
    ("parts", "parsers", "measured"),
    [
        ({"test": None}, "parsers.left = {}", 40),
        ({"train": None, "dev": None}, "parsers.left = {}", 10),
        ({}, "", 40),
        ({"dev": None, "test": None}, "", 40),
    ],
    ids=["no test part", "a test part alone", "no parsers", "a training part alone"],
)
def test_what_is_missing_is_not_needed(parts, parsers, measured, tmp_path: Path):
    """Permuted and measured, also in an order that learns; the rest is n/a."""
    path = write_study(tmp_path, treebanks=entry(**parts), orders=ORDERS, parsers=parsers)
    grid, store, summary = computed(path, tmp_path / "results")
    assert not summary.failed and {cell.kind for cell in grid.cells} <= {"permute", "measure"} or not parts
    assert {store.value(cell)["sentences"] for cell in grid.cells if cell.kind == "measure"} == {measured}
    found = read_results(tmp_path / "results")
    report = report_of(found, resamples=2, sentences=0)
    (table,) = (section for section in report.sections if section.name == "table1")
    assert table.rows[0][0] == "fluvi"
    if parts and parsers:
        (table,) = (section for section in report.sections if section.name == "table3-left")
        assert table.rows == [["fluvi", "n/a", "n/a", "n/a"]]
        assert "permuted and measured, not parsed" in found.treebanks[0]["note"]


def test_dev_alone_is_nothing(tmp_path: Path):
    with pytest.raises(UsageError, match="name train or test or both"):
        read_study(write_study(tmp_path, treebanks=entry(train=None, test=None)))


def documents_in(data: bytes) -> set[str]:
    return {line.split(" = ")[1] for line in data.decode().splitlines() if line.startswith("# newdoc")}


@pytest.mark.parametrize("rule", ["split = '8:1:1'", "split = '4:1', dev_split = '4:1'"])
def test_a_split_by_document_as_split_makes_it(rule, tmp_path: Path):
    """All sentences of a document are in one part, and the file's own words stand in the parts as before."""
    path = write_study(tmp_path, "", f"treebanks.a = {{ files = 'all.conllu', {rule}, split_by = 'document' }}")
    blocks = (tmp_path / "all.conllu").read_bytes().split(b"\n\n")[:-1]
    named = [b"# newdoc id = d%d\n" % (i // 3) + block if i % 3 == 0 else block for i, block in enumerate(blocks)]
    (tmp_path / "all.conllu").write_bytes(b"\n\n".join(named) + b"\n\n")
    grid, store, summary = computed(path, tmp_path / "results", ["permute"])
    assert not summary.failed
    cell = next(cell for cell in grid.cells if cell.kind == "permute" and cell.place["order"] == "original")
    data = {part: gzip.decompress(own) for part, own in store.files(cell).items()}
    sides = [documents_in(own) for own in data.values()]
    assert len(sides) == 3 and sum(map(len, sides)) == len(set.union(*sides)) == 20
    ids = [name for own in data.values() for name in Treebank.from_bytes(own).sent_ids]
    assert sorted(ids) == sorted(Treebank.read(str(tmp_path / "all.conllu")).sent_ids)


def test_a_split_by_document_needs_documents(tmp_path: Path):
    path = write_study(tmp_path, "", "treebanks.a = { files = 'all.conllu', split = '8:1:1', split_by = 'document' }")
    summary = computed(path, tmp_path / "results", ["permute"])[2]
    assert summary.failed
    assert "no '# newdoc' says where documents begin" in run("plan", path).out.decode()


def test_tags_that_a_model_does_not_know_are_told(tmp_path: Path):
    """Of the test part when it is parsed, with a line in the log of the run."""
    path = write_study(tmp_path, orders="orders.original = {}", parsers="parsers.majority-offset = {}")
    test = tmp_path / "test.conllu"
    rows = [line.split("\t") for line in test.read_text(encoding="utf-8").split("\n")]
    test.write_text("\n".join("\t".join([*row[:3], "ZZ", *row[4:]] if row[1:] else row) for row in rows), "utf-8")
    assert not computed(path, tmp_path / "results")[2].failed
    log = [json.loads(line) for line in (tmp_path / "results" / "log.jsonl").read_text(encoding="utf-8").splitlines()]
    (told,) = [one["told"] for one in log if one.get("told") and one["cell"].startswith("predict")]
    assert told[0].startswith("test part: none of the words has the UPOS that the model was trained with")
