"""`permtree evaluate`: what is printed, in every format, and what is refused."""

from __future__ import annotations

import json

import pytest
from commandline import permtree, sentence
from places import SAMPLE

from permtree import Treebank, evaluate
from permtree.evaluation.scores import GROUPINGS, SCORES, contrast

FLUVI = SAMPLE / "fluvi-dev.conllu"


def with_errors(every: int) -> bytes:
    """The sample with another relation, and the grandparent for a head, in one line of so many."""
    sentences = []
    for block in FLUVI.read_text(encoding="utf-8").rstrip("\n").split("\n\n"):
        rows = [line.split("\t") for line in block.split("\n")]
        words = [row for row in rows if len(row) == 10 and row[0].isdigit()]
        for number, row in enumerate(words, len(sentences)):
            if number % every == 0 and row[6] != "0":
                row[7] = "nmod"
                above = words[int(row[6]) - 1][6]
                row[6] = above if above != "0" else row[6]
        sentences.append("\n".join("\t".join(row) for row in rows) + "\n\n")
    return "".join(sentences).encode()


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    made = tmp_path_factory.mktemp("evaluated")
    (made / "gold").write_bytes(FLUVI.read_bytes())
    (made / "pred").write_bytes(with_errors(5))
    (made / "other").write_bytes(with_errors(7))
    (made / "small").write_bytes(sentence("a", 2, 0, 2) + sentence("b", 0, 1))
    (made / "wrong").write_bytes(sentence("a", 2, 0, 1) + sentence("b", 0, 1).replace(b"\t1\tdep", b"\t_\tdep"))
    (made / "empty").write_bytes(b"")
    return made


def printed(folder, style: str, *arguments, files: tuple = ("gold", "pred")) -> str:
    done = permtree("evaluate", *files, "--format", style, *arguments, cwd=folder)
    assert done.lines == ["warning: empty:1: is empty: no sentence in it"] * [*files, *arguments].count("empty")
    return done.out.decode()


def in_json(folder, *arguments, **options) -> dict:
    return json.loads(printed(folder, "json", *arguments, **options), parse_constant=pytest.fail)


def in_tsv(folder, *arguments, **options) -> list[list[str]]:
    rows = [line.split("\t") for line in printed(folder, "tsv", *arguments, **options).splitlines()]
    assert {len(row) for row in rows} == {len(rows[0])}
    return rows


def read(folder, *names: str) -> list[Treebank]:
    return [Treebank.read(str(folder / name)) for name in names]


def test_json_and_tsv_are_what_python_gives(folder):
    result = evaluate(*read(folder, "gold", "pred"), "no-punct", ci=50, seed=2)
    arguments = ["--convention", "no-punct", "--ci", "50", "--seed", "2"]
    content = in_json(folder, *arguments)
    rows = in_tsv(folder, *arguments)
    assert (content["sentences"], content["words"]) == (result.sentences, result.words)
    assert rows[0] == ["what", "value", "low", "high", "signature"]
    n_removed = result.removed["punctuation"]
    assert (content["left_out"], content["removed"]) == ({}, {"punctuation": n_removed})
    counts = {"sentences": result.sentences, "words": result.words, "removed words: punctuation": n_removed}
    assert rows[1:4] == [[what, str(count), "", "", ""] for what, count in counts.items()]
    assert list(content["scores"]) == [row[0] for row in rows[4:]] == list(SCORES)
    for (name, score), row in zip(result.values.items(), rows[4:], strict=True):
        assert content["scores"][name] == {
            "value": score.value,
            "right": score.right,
            "of": score.of,
            "of_predicted": score.of_predicted,
            "interval": list(score.interval),
            "signature": score.signature,
        }
        assert row == [name, repr(score.value), *map(repr, score.interval), score.signature]
        assert score.interval[0] < score.value < score.interval[1]
        assert score.signature.startswith(f"{name}|convention:no-punct|ci:0.95x50|seed:2|sents:100|permtree:")


def test_table_and_markdown_are_rounded(folder):
    rows = in_tsv(folder)
    table = [line.split() for line in printed(folder, "table").splitlines()]
    lines = printed(folder, "markdown").replace("\\|", "!").splitlines()
    markdown = [[cell.strip().replace("!", "|") for cell in line.split("|")[1:-1]] for line in lines]
    assert (table[0], markdown[0]) == (rows[0], rows[0])
    for row, shown, marked in zip(rows[3:], table[4:], markdown[4:], strict=True):
        assert shown == marked == [row[0], f"{float(row[1]):.4f}", row[2]]


@pytest.mark.parametrize("by", GROUPINGS)
def test_groups(folder, by):
    result = evaluate(*read(folder, "gold", "pred"), by=by)
    content = in_json(folder, "--by", by)
    names = ["uas", "las"] + (["precision", "recall", "f1"] if by == "deprel" else [])
    rows = in_tsv(folder, "--by", by)
    assert rows[0] == [by, "arcs", *names]
    assert len(rows) - 1 == len(content["groups"]) == len(result.groups) > 2
    for (label, arcs, values), group, row in zip(result.groups, content["groups"], rows[1:], strict=True):
        assert group == {by: label, "arcs": arcs, **values}
        assert row == [str(label), str(arcs), *(repr(values[name]) for name in names)]
    assert sum(group["arcs"] for group in content["groups"]) == content["words"]
    assert len(printed(folder, "table", "--by", by).splitlines()) == len(rows) + 1


def test_confusion(folder):
    rows = in_tsv(folder, "--confusion")
    content = in_json(folder, "--confusion")["confusion"]
    assert rows[0] == ["gold", "predicted", "words"]
    assert rows[1:] == [[row["gold"], row["predicted"], str(row["words"])] for row in content]
    assert {row["predicted"] for row in content} == {"nmod"}
    counts = [row["words"] for row in content]
    assert counts == sorted(counts, reverse=True)
    result = evaluate(*read(folder, "gold", "pred"))
    assert sum(counts) == result.values["label_accuracy"].of - result.values["label_accuracy"].right


def test_against(folder):
    result = contrast(*read(folder, "gold", "pred", "other"), ci=40, seed=1)
    arguments = ["--against", "other", "--ci", "40", "--seed", "1"]
    content = in_json(folder, *arguments)
    rows = in_tsv(folder, *arguments)
    assert (content["first"], content["second"], content["sentences"]) == ("pred", "other", 100)
    test_columns = ["only first right", "only second right", "p"]
    assert rows[0] == ["what", "pred", "other", "difference", "low", "high", *test_columns, "signature"]
    assert rows[1][:3] == ["sentences", "100", "100"]
    assert list(content["scores"]) == [row[0] for row in rows[3:]] == list(SCORES)
    for (name, own), row in zip(result.values.items(), rows[3:], strict=True):
        found = content["scores"][name]
        numbers = [own.first, own.second, own.difference, *own.interval]
        assert [found["first"], found["second"], found["difference"], *found["interval"]] == numbers
        tested = ["", "", ""]
        if own.test:
            assert [found["only_first"], found["only_second"]] == [own.test.only_first, own.test.only_second]
            assert found["p_value"] == own.test.p_value
            tested = [str(own.test.only_first), str(own.test.only_second), repr(own.test.p_value)]
        assert row == [name, *map(repr, numbers), *tested, own.signature]
    assert result.values["las"].difference > 0
    assert "|compared:paired|ci:0.95x40|seed:1|" in result.values["las"].signature


def test_against_takes_1000_resamples_and_the_same_seed_gives_the_same_bytes(folder):
    once, again = (printed(folder, "table", "--against", "other") for _ in range(2))
    assert once == again
    assert "|ci:0.95x1000|seed:0|" in once
    assert printed(folder, "table", "--against", "other", "--seed", "1") != once


def test_what_is_odd_about_a_prediction_is_counted_on_standard_error(folder):
    done = permtree("evaluate", "small", "wrong", "--format", "json", cwd=folder)
    assert done.lines == ["wrong: words without HEAD, scored as wrong: 1"]
    content = json.loads(done.out)
    assert (content["without_head"], content["not_trees"]) == (1, 0)
    assert content["scores"]["uas"]["right"] == 3
    (folder / "cycle").write_bytes(sentence("a", 2, 3, 2) + sentence("b", 0, 1))
    done = permtree("evaluate", "small", "wrong", "--against", "cycle", cwd=folder)
    assert done.lines[1:] == ["cycle: sentences that are no tree, scored as they are: 1"]
    assert permtree("evaluate", "small", "cycle", "-q", cwd=folder).err == ""


def test_standard_input(folder):
    data = (folder / "pred").read_bytes()
    assert permtree("evaluate", "gold", "-", cwd=folder, stdin=data).out == printed(folder, "table").encode()
    done = permtree("evaluate", "-", "gold", "--against", "-", cwd=folder, stdin=data, status=2)
    (line,) = done.lines
    assert line.startswith("standard input can be read only once")


def test_no_words_are_n_a_and_null(folder):
    assert in_json(folder, files=("empty", "empty"))["scores"]["uas"]["value"] is None
    assert in_tsv(folder, files=("empty", "empty"))[3][:2] == ["uas", "n/a"]
    assert in_json(folder, "--against", "empty", files=("empty", "empty"))["scores"]["las"]["interval"] == [None] * 2


WHY = "; gold and prediction must hold the same sentences and words (--convention conll18 aligns other words)"
THREE = sentence("a", 2, 0, 2) + sentence("b", 0, 1)
MISMATCHES = {
    "a form": (THREE.replace(b"\tb2\t", b"\tx\t"), f"pred:8: word 2 is 'x', but 'b2' at gold:8{WHY} (sentence b)"),
    "a word too many": (
        sentence("a", 2, 0, 2) + sentence("b", 0, 1, 1),
        f"pred:7: a sentence of 3 words, but of 2 words at gold:7{WHY} (sentence b)",
    ),
    "a word in the middle": (
        THREE.replace(b"2\ta2", b"2\tx\t_\tX\t_\t_\t0\troot\t_\t_\n3\ta2").replace(b"3\ta3", b"4\ta3"),
        f"pred:3: word 2 is 'x', but 'a2' at gold:3{WHY} (sentence a)",
    ),
    "a sentence too many": (
        THREE + sentence("c", 0),
        "pred:11: this sentence is not in gold; `permtree evaluate --missing wrong|skip` leaves it out (sentence c)",
    ),
    "a sentence too few": (
        sentence("a", 2, 0, 2),
        "gold:7: this sentence is not in pred; "
        "`permtree evaluate --missing wrong|skip` scores its words as wrong or leaves it out (sentence b)",
    ),
    "no conllu": (b"1\tx\n\n", "pred:1: 2 columns instead of 10"),
}


@pytest.mark.parametrize(("data", "message"), MISMATCHES.values(), ids=MISMATCHES.keys())
def test_other_words_are_one_line(tmp_path, data, message):
    (tmp_path / "gold").write_bytes(THREE)
    (tmp_path / "pred").write_bytes(data)
    done = permtree("evaluate", "gold", "pred", cwd=tmp_path, status=3)
    assert (done.lines, done.out) == ([message], b"")
    done = permtree("evaluate", "gold", "gold", "--against", "pred", cwd=tmp_path, status=3)
    assert (done.lines, done.out) == ([message], b"")


def test_gold_needs_trees(folder):
    done = permtree("evaluate", "wrong", "small", cwd=folder, status=3)
    out = "finish the sentence, or leave it out with --skip-errors"
    assert done.lines == [f"wrong:8: 1 of 2 words lacks HEAD; {out} (sentence b)"]
    assert done.out == b""


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["gold", "pred", "--convention", "nopunct"], "--convention 'nopunct'; did you mean 'no-punct'?"),
        (["gold", "pred", "--convention", "zzz"], "--convention 'zzz'; known: all, no-punct, conll18, unicode-punct"),
        (["gold", "pred", "--by", "relation"], "Invalid value for '--by'"),
        (["gold", "pred", "--punct-tag", "SYM"], "--punct-tag goes with --convention no-punct"),
        (["gold", "pred", "--seed", "3"], "--seed goes with --ci or --against"),
        (["gold", "pred", "--by", "deprel", "--against", "other"], "--by and --against print different tables"),
        (["gold", "pred", "--by", "deprel", "--confusion"], "--by and --confusion print different tables"),
        (["gold", "pred", "--confusion", "--ci", "5"], "--ci and --confusion don't go together"),
        (["gold"], "Missing argument 'PRED'"),
        (["gold", "perd"], "perd: no such file; did you mean pred?"),
    ],
    ids=str,
)
def test_what_is_asked_wrongly(folder, arguments, message):
    done = permtree("evaluate", *arguments, cwd=folder, status=2)
    (line,) = done.lines
    assert line.startswith(message)
    assert done.out == b""
