"""Sentences of gold and prediction are joined by sent_id; those on one side alone are named, and scored as asked."""

from __future__ import annotations

import json
import random

import pytest
from commandline import permtree, sentence

from permtree import DataError, Treebank, UsageError, evaluate, pairs

HEADS = {"a": (2, 0), "b": (2, 0, 2), "c": (0, 1, 2, 3), "d": (0,)}
WRONG = {**HEADS, "b": (3, 0, 2), "c": (0, 1, 2, 2)}
UNFINISHED = sentence("b", 2, 0, 2).replace(b"\t0\troot", b"\t_\troot")


def read(heads: dict, names: str = "abcd", named: bool = True, **replaced: bytes) -> Treebank:
    """Sentences in this order, with sent_ids or without; some of them replaced."""
    data = b"".join(replaced.get(name, sentence(name, *heads[name])) for name in names)
    if not named:
        data = b"".join(line for line in data.splitlines(True) if not line.startswith(b"#"))
    return Treebank.from_bytes(data, "file")


def uas(gold: Treebank, pred: Treebank, **options) -> tuple[int, int]:
    found = evaluate(gold, pred, **options).values["uas"]
    return found.right, found.of


@pytest.mark.parametrize("seed", range(20))
@pytest.mark.parametrize("convention", ["all", "conll18"])
def test_the_order_of_sentences_does_not_matter(seed, convention):
    names = random.Random(seed).sample("abcd", 4)
    expected = evaluate(read(HEADS), read(WRONG), convention, ci=20, by="deprel")
    found = evaluate(read(HEADS), read(WRONG, "".join(names)), convention, ci=20, by="deprel")
    assert found.values == expected.values
    assert (found.groups, found.confusion) == (expected.groups, expected.confusion)


def test_two_sentences_of_the_same_words():
    """By number these agree in every word, and yet are others."""
    first, second = (sentence("x", *heads).replace(b"sent_id = x", b"sent_id = %d" % number)
                     for number, heads in enumerate([(2, 0, 2), (3, 3, 0)]))  # fmt: skip
    assert uas(Treebank.from_bytes(first + second), Treebank.from_bytes(second + first)) == (6, 6)


def test_a_prediction_with_ids_of_its_own_is_joined_by_number():
    pred = Treebank.from_bytes(read(WRONG).to_bytes().replace(b"sent_id = ", b"sent_id = p"))
    assert uas(read(HEADS), pred) == uas(read(HEADS), read(WRONG)) == uas(read(HEADS), read(WRONG, named=False))
    shifted = Treebank.from_bytes(b"".join(
        sentence(name, *WRONG[name]).replace(b"sent_id = %s" % name.encode(), b"sent_id = %s" % other.encode())
        for name, other in zip("abcd", "bcde", strict=True)
    ))  # fmt: skip
    assert uas(read(HEADS), shifted) == uas(read(HEADS), read(WRONG))  # the words agree by number


@pytest.mark.parametrize(
    ("missing", "names", "right"),
    [("wrong", "abcd", (8, 10)), ("wrong", "da", (3, 10)), ("skip", "da", (3, 3)), ("skip", "cb", (5, 7))],
)
@pytest.mark.parametrize("convention", ["all", "conll18"])
def test_missing_sentences(missing, names, right, convention):
    found = evaluate(read(HEADS), read(WRONG, names), convention, missing=missing)
    score = found.values["uas"]
    assert (score.right, score.of) == right == (score.right, score.of_predicted)
    assert [finding.sentence for finding in found.joined.findings] == [name for name in "abcd" if name not in names]
    assert sum(found.values["exact_match_heads"].right for _ in [0]) <= len(names)


@pytest.mark.parametrize("missing", ["wrong", "skip"])
def test_sentences_that_gold_does_not_have(missing):
    found = evaluate(read(HEADS, "bd"), read(WRONG, "dcba"), missing=missing)
    assert (found.values["uas"].right, found.values["uas"].of) == (3, 4)
    assert [(finding.sentence, finding.what.endswith("; left out")) for finding in found.joined.findings] == [
        ("c", True), ("a", True),
    ]  # fmt: skip


def test_missing_is_an_error_unless_asked_otherwise():
    with pytest.raises(DataError, match="is not in file; .*--missing wrong.skip. scores its words as wrong or leaves"):
        evaluate(read(HEADS), read(WRONG, "db"))
    with pytest.raises(DataError, match="is not in file; .*--missing wrong.skip. leaves it out .sentence c"):
        evaluate(read(HEADS, "ad"), read(WRONG, "dca"))
    with pytest.raises(UsageError, match="--missing 'wrog'; did you mean 'wrong'"):
        evaluate(read(HEADS), read(WRONG), missing="wrog")
    with pytest.raises(DataError, match="which ends before it"):
        evaluate(read(HEADS, named=False), read(WRONG, "abc", named=False), missing="skip")


def test_groups_and_confusions_of_missing_sentences():
    found = evaluate(read(HEADS), read(WRONG, "abd"), missing="wrong", by="deprel")
    assert found.confusion == []
    rows = {label: (arcs, row["recall"], row["precision"]) for label, arcs, row in found.groups}
    assert rows == {"dep": (6, 100 * 2 / 6, 100 * 2 / 3), "root": (4, 75, 100)}


def test_the_command_line(tmp_path):
    (tmp_path / "gold").write_bytes(read(HEADS).to_bytes())
    (tmp_path / "pred").write_bytes(read(WRONG, "cad").to_bytes())
    done = permtree("evaluate", "gold", "pred", cwd=tmp_path, status=3)
    assert (len(done.lines), done.out) == (1, b"")
    for missing, what, words in (("wrong", "its words are scored as wrong", 10), ("skip", "left out", 7)):
        done = permtree("evaluate", "gold", "pred", "--missing", missing, "--format", "json", cwd=tmp_path)
        assert done.lines == [f"missing: gold:6: this sentence is not in pred; {what} (sentence b)"]
        assert json.loads(done.out)["words"] == words
    (tmp_path / "other").write_bytes(read(WRONG, "bad").to_bytes())
    against = ["evaluate", "gold", "pred", "--against", "other", "--missing"]
    assert len(permtree(*against, "wrong", cwd=tmp_path).lines) == 2
    assert "lack different sentences" in permtree(*against, "skip", cwd=tmp_path, status=2).err


# -- unfinished sentences ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("named", [True, False])
@pytest.mark.parametrize("where", ["gold", "both"])
def test_unfinished_sentences_are_left_out(named, where):
    gold = read(HEADS, named=named, b=UNFINISHED)
    pred = read(WRONG, named=named, **({"b": UNFINISHED} if where == "both" else {}))
    with pytest.raises(DataError, match="1 of 3 words lacks HEAD; finish the sentence, or leave it out"):
        evaluate(gold, pred)
    found = evaluate(gold, pred, skip_errors=True)
    assert (found.values["uas"].right, found.values["uas"].of) == (6, 7)
    assert (len(found.joined.skipped), found.joined.dropped, found.joined.findings) == (1, 1, [])
    joined = pairs(read(HEADS, named=named), read(WRONG, named=named), gold, pred, skip_errors=True)
    assert (len(joined.sentences["words"]), len(joined.arcs["orig"])) == (3, 7)
    assert len(joined.warnings) == 2
    with pytest.raises(DataError, match="lacks HEAD"):
        pairs(read(HEADS, named=named), read(WRONG, named=named), gold, pred)


def test_all_words_without_head():
    bare = Treebank.from_bytes(
        sentence("a", 2, 0).replace(b"\t2\tdep", b"\t_\tdep").replace(b"\t0\troot", b"\t_\troot")
    )
    with pytest.raises(DataError, match="no HEAD: no tree is annotated; parse the file first"):
        evaluate(bare, bare)


@pytest.mark.parametrize("named", [True, False])
@pytest.mark.parametrize("side", ["gold", "pred"])
def test_sentences_that_can_t_be_read_are_left_out(tmp_path, named, side):
    broken = {"gold": HEADS, "pred": WRONG}
    for name, heads in broken.items():
        data = read(heads, named=named).to_bytes()
        if name == side:
            data = data.replace(b"2\tb2\t", b"7\tb2\t")
        (tmp_path / name).write_bytes(data)
    permtree("evaluate", "gold", "pred", cwd=tmp_path, status=3)
    done = permtree("evaluate", "gold", "pred", "--skip-errors", "--format", "json", cwd=tmp_path)
    assert json.loads(done.out)["words"] == 7
    assert done.lines[-1].endswith("sentences left out with what was left out: 1")
    assert "7" in done.lines[0]
    done = permtree("pairs", "gold", "pred", "gold", "gold", "-o", "x", "--skip-errors", "--quiet", cwd=tmp_path)
    assert json.loads((tmp_path / "x" / "pairs.json").read_bytes())["convention"] == "all"


def test_order_in_pairs():
    gold, reverse = read(HEADS), read(HEADS, "dcba")
    expected = pairs(gold, read(WRONG), reverse, read(WRONG, "dcba"))
    found = pairs(gold, read(WRONG, "cadb"), reverse, read(WRONG, "bdca"))
    assert {name: list(values) for name, values in found.arcs.items()} == {
        name: list(values) for name, values in expected.arcs.items()
    }


# -- verify --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("named", [True, False])
@pytest.mark.parametrize("broken", [UNFINISHED, UNFINISHED.replace(b"3\tb3", b"7\tb3")])
@pytest.mark.parametrize("permuted", [True, False])
def test_verify_without_unfinished_sentences(tmp_path, named, broken, permuted):
    read(HEADS, named=named).write(str(tmp_path / "whole"))
    permtree("permute", "--mode=reverse", "whole", "-o", "reverse", "-q", cwd=tmp_path)
    data = read(HEADS, named=named).to_bytes()
    data = data.replace(sentence("b", *HEADS["b"]).split(b"\n", 1)[1], broken.split(b"\n", 1)[1])
    (tmp_path / "part").write_bytes(data)
    other = "reverse" if permuted else "whole"
    permtree("verify", "part", other, cwd=tmp_path, status=3)
    for files in (("part", other), (other, "part")):
        done = permtree("verify", *files, "--skip-errors", cwd=tmp_path)
        assert done.out.startswith(b"minimal pair: 3 sentences with the same words and trees, ")
        assert len(done.lines) == 2
        assert done.lines[1] == "sentences of the other side left out with what was left out: 1"
    (tmp_path / "wrong").write_bytes(data.replace(b"a1\t_\tX\t_\t_\t2", b"ax\t_\tX\t_\t_\t2"))
    done = permtree("verify", "wrong", other, "--skip-errors", cwd=tmp_path, status=1)
    assert b"not a minimal pair: wrong:" in done.out
