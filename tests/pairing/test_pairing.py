"""Minimal pairs joined arc by arc, against their definition word by word; and what is refused since it is no pair."""

from __future__ import annotations

import math
from pathlib import Path
from random import Random
from typing import Any

import definitions as naive
import numpy as np
import pytest
from commandline import sentence
from hypothesis import assume, given
from hypothesis import strategies as st
from places import SAMPLE
from random_pairs import guessed, random_treebank
from reordering import conllu, permuted
from rich_sentences import no_shrinking, rich_sentences
from strategies import generators

from permtree import DataError, Treebank, UsageError, evaluate, measure, pairs, train
from permtree.editing.trace import Trace
from permtree.evaluation.arcs import CONVENTIONS
from permtree.pairing import Pairs
from permtree.pairing.pairs import ARCS, SENTENCES

MODES = ["optdl", "rb", "random", "reverse", "random-projective", "original"]


@st.composite
def pairs_of_versions(draw: st.DrawFn) -> tuple[list[tuple[Treebank, Treebank]], list[int]]:
    """Two versions (gold, prediction) of a treebank that were permuted 0, 1 or 2 times, and how often."""
    rng = draw(generators())
    data = draw(rich_sentences()) if draw(st.booleans()) else random_treebank(rng)
    if not data.endswith(b"\n\n"):
        data = data.rstrip(b"\n") + b"\n\n"
    sides, levels = [], []
    strip = draw(st.booleans())
    for _ in range(2):
        level = draw(st.sampled_from([1, 2] if strip else [0, 1, 2]))
        gold = data
        for time in range(level):
            policies = {"punct": "strip"} if strip and time == 0 else {}
            gold = permuted(gold, draw(st.sampled_from(MODES)), draw(st.integers(0, 9)), **policies).to_bytes()
        if level == 0:
            for own in naive_sentences(gold):  # as if their comments had been lost
                assume(not all("Orig=" in row[9].replace("OrigSpace", "") for row in own))
        sides.append((Treebank.from_bytes(gold, "gold"), Treebank.from_bytes(guessed(gold, rng), "pred")))
        levels.append(level)
    return sides, levels


# -- the definition ----------------------------------------------------------------------------------------------------


def naive_sentences(data: bytes) -> list[list[list[str]]]:
    """The ten columns of each word of each sentence."""
    found: list[list[list[str]]] = []
    for line in data.decode().split("\n"):
        row = line.split("\t")
        if len(row) == 10 and row[0] == "1":
            found.append([])
        if len(row) == 10 and row[0].isdigit():
            found[-1].append(row)
    return found


def naive_words(gold: bytes, pred: bytes, level: int, convention: str) -> list[dict[int, dict[str, Any]]]:
    """What is known of each word, by its id in the original, sentence by sentence."""
    result = []
    for words, predicted in zip(naive_sentences(gold), naive_sentences(pred), strict=True):
        ids = {"0": 0}
        for row in words:
            items = [item for item in row[9].split("|") if item.startswith("Orig=")]
            ids[row[0]] = int(items[-level][5:]) if level else int(row[0])
        tags = {row[0]: row[3] for row in words} | {"0": ""}
        heads = {int(row[6]) for row in words} - {0}
        own = {}
        for row, other in zip(words, predicted, strict=True):
            position, head = int(row[0]), int(row[6])
            relations = [row[7], other[7]]
            if convention == "conll18":
                relations = [relation.split(":")[0] for relation in relations]
            own[ids[row[0]]] = {
                "form": row[1],
                "upos": row[3],
                "deprel": row[7],
                "head_orig": ids[row[6]],
                "head_upos": tags[row[6]],
                "leaf": not any(one[6] == row[0] for one in words),
                "counted": not (convention == "no-punct" and row[3] == "PUNCT"),
                "position": position,
                "head": head,
                "length": abs(position - head) if head else 0,
                "interveners": sum(min(position, head) < place < max(position, head) for place in heads) if head else 0,
                "direction": ("left" if position < head else "right") if head else "root",
                "predicted_head": -1 if other[6] == "_" else int(other[6]),
                "predicted_deprel": other[7],
                "head_right": row[6] == other[6],
                "label_right": relations[0] == relations[1],
            }
        result.append(own)
    return result


def percent(part: int, whole: int) -> float:
    return 100 * part / whole if whole else math.nan


@no_shrinking
@given(pairs_of_versions(), st.sampled_from(CONVENTIONS[:3]))
def test_tables_are_as_defined(made, convention):
    sides, levels = made
    found = pairs(*sides[0], *sides[1], convention)
    versions = [
        naive_words(gold.to_bytes(), pred.to_bytes(), level, convention)
        for (gold, pred), level in zip(sides, levels, strict=True)
    ]
    assert list(found.arcs) == list(ARCS)
    assert list(found.sentences) == list(SENTENCES)
    rows = list(zip(*(column.tolist() for column in found.arcs.values()), strict=True))
    expected = []
    for number, (a, b) in enumerate(zip(*versions, strict=True)):
        assert set(a) == set(b)
        for orig in sorted(a):
            values = {"sentence": number, "orig": orig}
            for name in ARCS:
                side = {"_a": a, "_b": b}.get(name[-2:])
                if name not in values:
                    values[name] = side[orig][name[:-2]] if side else a[orig][name]
            expected.append(tuple(values[name] for name in ARCS))
    assert rows == expected
    for number, (a, b) in enumerate(zip(*versions, strict=True)):
        row = {name: column[number] for name, column in found.sentences.items()}
        heads = sum(not word["leaf"] for word in a.values())
        counted = [orig for orig in a if a[orig]["counted"]]
        assert (row["words"], row["counted"]) == (len(a), len(counted))
        branching = sum(word["head"] > 0 for word in a.values()) / heads if heads else math.nan
        assert row["branching"] == pytest.approx(branching, nan_ok=True)
        lengths = [sum(word["length"] for word in side.values()) for side in (a, b)]
        assert [row["dl_a"], row["dl_b"], row["d_dl"]] == [*lengths, lengths[0] - lengths[1]]
        between = [sum(word["interveners"] for word in side.values()) for side in (a, b)]
        assert [row["interveners_a"], row["interveners_b"], row["d_interveners"]] == [*between, between[0] - between[1]]
        places = [[side[orig]["position"] for orig in a] for side in (a, b)]
        assert row["swaps"] == naive.discordant_pairs(*places)
        assert row["displacement"] == sum(abs(one - two) for one, two in zip(*places, strict=True))
        right = [[side[orig]["head_right"] for orig in counted] for side in (a, b)]
        both = [[side[orig]["head_right"] and side[orig]["label_right"] for orig in counted] for side in (a, b)]
        for score, of in (("uas", right), ("las", both)):
            values = [percent(sum(side), len(counted)) for side in of]
            assert [row[f"{score}_a"], row[f"{score}_b"]] == pytest.approx(values, nan_ok=True)
            assert row[f"d_{score}"] == pytest.approx(values[1] - values[0], nan_ok=True, abs=1e-9)


def agrees_with_evaluate_and_measure(found: Pairs, sides: list[tuple[Treebank, Treebank]], convention: str) -> None:
    counted = found.arcs["counted"]
    for side, (gold, pred) in zip("ab", sides, strict=True):
        values = evaluate(gold, pred, convention).values
        heads, labels = found.arcs[f"head_right_{side}"][counted], found.arcs[f"label_right_{side}"][counted]
        right = {"uas": heads.sum(), "las": (heads & labels).sum(), "label_accuracy": labels.sum()}
        for name, number in right.items():
            assert (values[name].right, values[name].of) == (number, counted.sum())
        total = measure(gold, "dl_total", profile="lal", roots="keep")["dl_total"].value
        assert total == found.sentences[f"dl_{side}"].sum() == found.arcs[f"length_{side}"].sum()


@no_shrinking
@given(pairs_of_versions(), st.sampled_from(CONVENTIONS))
def test_numbers_are_those_of_evaluate_and_measure(made, convention):
    sides, _ = made
    agrees_with_evaluate_and_measure(pairs(*sides[0], *sides[1], convention), sides, convention)


@pytest.mark.parametrize("name", ["fluvi-dev", "rigan-dev", "medol-dev"])
@pytest.mark.parametrize("convention", CONVENTIONS)
def test_sample_treebanks(name, convention):
    data = (SAMPLE / f"{name}.conllu").read_bytes()
    versions = [permuted(data, "optdl"), permuted(permuted(data, "rb").to_bytes(), "random", 3)]
    sides = [(gold, Treebank.from_bytes(guessed(gold.to_bytes(), Random(1), 0.9))) for gold in versions]
    found = pairs(*sides[0], *sides[1], convention, names=("optdl", "random"))
    assert found.names == ("optdl", "random")
    agrees_with_evaluate_and_measure(found, sides, convention)
    original = Treebank.from_bytes(data)
    assert found.arcs["orig"].tolist() == (original.row - original.sentence_start[original.sentence_of] + 1).tolist()
    assert found.arcs["head_orig"].tolist() == original.head_number.tolist()
    assert found.arcs["form"].tolist() == original.column(1).decoded()
    assert found.sentences["sent_id"] == original.sent_ids


@pytest.mark.parametrize(
    ("name", "mode", "parser", "policies"),
    [
        ("nl_alpino/nl_alpino-ud-test.conllu", "optdl", "left", {}),
        ("la_vulgate/la_vulgate.test.conll", "rb", "random-tree", {"punct": "strip"}),
    ],
    ids=["nl_alpino", "la_vulgate"],
)
def test_real_treebanks(shared: Path, name, mode, parser, policies):
    path = shared / "treebanks" / name
    if not path.exists():
        pytest.skip(f"no {name}")
    golds = [permuted(path.read_bytes(), order, **policies) for order in ("original", mode)]
    sides = [(gold, train(parser, gold).predict(gold)) for gold in golds]
    found = pairs(*sides[0], *sides[1])
    agrees_with_evaluate_and_measure(found, sides, "all")
    a, b = (found.arcs[f"position_{side}"] for side in "ab")
    assert (a != b).any()
    assert (np.sort(a + 1000 * found.arcs["sentence"]) == np.sort(b + 1000 * found.arcs["sentence"])).all()
    if mode == "optdl":
        assert (found.sentences["d_dl"] >= 0).mean() > 0.9


# -- which words are the same ------------------------------------------------------------------------------------------

SMALL = sentence("a", 2, 0, 2, 3) + sentence("b", 0, 1)


def joined(gold_a: Treebank, gold_b: Treebank, **options: Any) -> Pairs:
    """Two versions, both predicted without fault."""
    return pairs(gold_a, gold_a, gold_b, gold_b, **options)


def named(data: bytes, name: str) -> Treebank:
    return Treebank.from_bytes(data, name)


def test_a_foreign_orig_means_nothing_where_comments_tell_the_level():
    data = SMALL.replace(b"\t_\n", b"\tOrig=9\n", 1)
    versions = [named(data, "a"), permuted(data, "reverse"), permuted(permuted(data, "reverse").to_bytes(), "optdl")]
    for version in versions:
        ids = dict(zip(version.column(1).decoded(), Trace.of(version.text).oldest_ids.tolist(), strict=True))
        assert ids == {"a1": 1, "a2": 2, "a3": 3, "a4": 4, "b1": 1, "b2": 2}


def test_lost_comments_leave_the_first_orig():
    twice = permuted(permuted(SMALL, "reverse").to_bytes(), "random", 1).to_bytes()
    bare = b"".join(line for line in twice.splitlines(True) if not line.startswith(b"# permtree"))
    assert joined(named(SMALL, "x"), named(bare, "y")).sentences["sent_id"] == ["a", "b"]
    for other in (SMALL, permuted(SMALL, "optdl").to_bytes(), bare):
        found = joined(named(other, "x"), named(bare, "y"))
        ids = dict(zip(found.arcs["form"].tolist(), found.arcs["orig"].tolist(), strict=True))
        assert ids == {"a1": 1, "a2": 2, "a3": 3, "a4": 4, "b1": 1, "b2": 2}


def test_sentences_are_joined_by_id_or_by_number():
    swapped = sentence("b", 0, 1) + sentence("a", 2, 0, 2, 3)
    found = joined(named(SMALL, "x"), permuted(swapped, "reverse"))
    assert found.sentences["sent_id"] == ["a", "b"]
    assert found.sentences["words"].tolist() == [4, 2]
    assert joined(without_names(SMALL, "x"), permuted(SMALL, "reverse")).sentences["sent_id"] == ["a", "b"]
    twice = SMALL + sentence("a", 0, 1)
    assert joined(named(twice, "x"), permuted(twice, "reverse")).sentences["words"].tolist() == [4, 2, 2]


def test_no_words_and_no_sentences():
    nothing = Treebank.from_heads([])
    found = joined(nothing, nothing)
    assert [len(column) for column in [*found.sentences.values(), *found.arcs.values()]] == [0] * len(SENTENCES) + [
        0
    ] * len(ARCS)


STRIPPED = conllu("# sent_id = a", "1 x _ X _ _ 0 root", "2 . _ PUNCT _ _ 1 punct", "")
ALONE = conllu("# sent_id = p", "1 . _ PUNCT _ _ 0 root", "")


def test_what_a_policy_left_out_has_to_be_left_out_on_both_sides():
    whole, less = named(STRIPPED + ALONE, "whole"), permuted(STRIPPED + ALONE, "rb", punct="strip")
    with pytest.raises(
        DataError,
        match=r"^whole:6: this sentence is not in <bytes>, which was permuted with .*--mode original --punct strip\)",
    ):
        joined(whole, less)
    whole, less = named(STRIPPED, "whole"), permuted(STRIPPED, "rb", punct="strip", punct_tag="PUNCT")
    with pytest.raises(DataError, match=r"^whole:3: word '\.' \(id 2 in the original\) is not in .*--punct strip\)"):
        joined(whole, less)
    with pytest.raises(DataError, match=r"permuted with --punct strip"):
        joined(less, whole)
    both = permuted(STRIPPED + ALONE, "original", punct="strip"), permuted(STRIPPED + ALONE, "rb", punct="strip")
    assert joined(*both).sentences["words"].tolist() == [1]


@pytest.mark.parametrize(
    ("before", "after", "message"),
    [
        (b"a2\t", b"a0\t", r"x:3: word 'a2' .*has the form 'a2', but 'a0' at y:3;"),
        (b"\t3\tdep", b"\t2\tdep", r"x:5: word 'a4' .*has the head the word 3, but the word 2 at y:5;"),
        (b"\t3\tdep", b"\t3\tobj", r"x:5: .*has the relation 'dep', but 'obj' at y:5;"),
        (b"\tX\t", b"\tY\t", r"x:2: .*has the UPOS 'X', but 'Y' at y:2;"),
        (b"= b", b"= c", r"x:8: this sentence is not in y;"),
    ],
    ids=["form", "head", "relation", "tag", "sent_id"],
)
def test_other_words_and_trees_are_refused(before, after, message):
    other = SMALL.replace(before, after, 1)
    with pytest.raises(DataError, match=f"^{message}"):
        joined(named(SMALL, "x"), named(other, "y"))


def test_what_can_not_be_joined_is_refused():
    gold = named(SMALL, "x")
    with pytest.raises(DataError, match=r"^x:2: sentence 1, but it is b in y; sentences are joined by number"):
        joined(named(SMALL + sentence("b", 0), "x"), named(sentence("b", 0) + SMALL, "y"))
    with pytest.raises(DataError, match="^x:12: this sentence is not in y"):
        joined(named(SMALL + sentence("b", 0), "x"), without_names(SMALL, "y"))
    again = permuted(SMALL, "reverse").to_bytes().replace(b"Orig=3", b"Orig=4")
    with pytest.raises(DataError, match="Orig=4, the original id, stands at another word"):
        joined(gold, named(again, "y"))
    with pytest.raises(DataError, match="MISC lacks Orig="):
        joined(gold, named(permuted(SMALL, "reverse").to_bytes().replace(b"Orig=3", b"_"), "y"))
    with pytest.raises(DataError, match="^x:8: this sentence is not in p;"):
        pairs(gold, named(sentence("a", 2, 0), "p"), gold, gold)
    for names in (("a", "a"), ("", "b"), ("a\n", "b")):
        with pytest.raises(UsageError, match="^--names"):
            joined(gold, gold, names=names)
    with pytest.raises(UsageError, match="^--convention"):
        joined(gold, gold, convention="conl18")


def without_names(data: bytes, name: str) -> Treebank:
    return named(b"".join(line for line in data.splitlines(True) if not line.startswith(b"#")), name)


def test_faults_of_predictions_are_counted():
    wrong = named(SMALL.replace(b"\t3\tdep", b"\t_\tdep").replace(b"\t0\troot", b"\t3\troot", 1), "pred")
    gold = named(SMALL, "gold")
    found = pairs(gold, wrong, gold, gold, names=("one", "two"))
    assert found.faults == {"one: words without HEAD, scored as wrong": 1}
    circle = named(SMALL.replace(b"\t0\troot", b"\t3\troot", 1), "pred")
    assert pairs(gold, gold, gold, circle).faults == {"b: sentences that are no tree, scored as they are": 1}


# -- written and read --------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def some() -> Pairs:
    data = (SAMPLE / "fluvi-dev.conllu").read_bytes() + ALONE
    sides = [(gold, Treebank.from_bytes(guessed(gold.to_bytes(), Random(2)))) for gold in both_orders(data)]
    return pairs(*sides[0], *sides[1], "no-punct", names=("gewöhnlich", "optdl"))


def both_orders(data: bytes) -> list[Treebank]:
    return [Treebank.from_bytes(data), permuted(data, "optdl")]


def same(one: Pairs, two: Pairs) -> bool:
    assert (one.names, one.convention, one.faults) == (two.names, two.convention, two.faults)
    for a, b in ((one.sentences, two.sentences), (one.arcs, two.arcs)):
        assert list(a) == list(b)
        for name in a:
            assert type(a[name]) is type(b[name])
            np.testing.assert_array_equal(a[name], b[name])
    return True


@pytest.mark.parametrize("style", ["tsv", "parquet"])
def test_written_and_read_again(tmp_path, some, style):
    if style == "parquet":
        pytest.importorskip("pyarrow")
    assert some.faults
    assert math.isnan(some.sentences["uas_a"][-1])
    some.write(tmp_path / "folder", style)
    assert same(Pairs.read(tmp_path / "folder"), some)
    before = {path.name: path.read_bytes() for path in (tmp_path / "folder").iterdir()}
    assert sorted(before) == [f"arcs.{style}", "pairs.json", f"sentences.{style}"]
    some.write(tmp_path / "folder", style)
    assert before == {path.name: path.read_bytes() for path in (tmp_path / "folder").iterdir()}
    nothing = joined(Treebank.from_heads([]), Treebank.from_heads([]))
    nothing.write(str(tmp_path / "folder"), style)
    assert same(Pairs.read(str(tmp_path / "folder")), nothing)


def test_frames_hold_the_tables(some):
    pytest.importorskip("pandas")
    pytest.importorskip("pyarrow")
    frames, tables = some.to_pandas(), some.to_arrow()
    for columns, frame, table in zip((some.sentences, some.arcs), frames, tables, strict=True):
        assert list(frame.columns) == table.column_names == list(columns)
        for name in columns:
            np.testing.assert_array_equal(frame[name].to_numpy(), columns[name])
            np.testing.assert_array_equal(table.column(name).to_pylist(), columns[name])


def test_one_format_replaces_the_other(tmp_path, some):
    pytest.importorskip("pyarrow")
    some.write(tmp_path, "tsv")
    some.write(tmp_path, "parquet")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["arcs.parquet", "pairs.json", "sentences.parquet"]


def test_folders_that_hold_something_else(tmp_path, some):
    (tmp_path / "notes").write_text("x")
    with pytest.raises(UsageError, match=r"holds something else \(notes\): name a new folder"):
        some.write(tmp_path)
    with pytest.raises(UsageError, match="is a file"):
        some.write(tmp_path / "notes")
    with pytest.raises(UsageError, match=r"^--format 'tvs'; did you mean 'tsv'"):
        some.write(tmp_path / "new", "tvs")
    with pytest.raises(UsageError, match="no such folder"):
        Pairs.read(tmp_path / "new")
    with pytest.raises(UsageError, match="no pairs.json in it"):
        Pairs.read(tmp_path)


@pytest.mark.parametrize("name", ["pairs.json", "arcs.tsv", "sentences.tsv"])
@pytest.mark.parametrize("content", ["", "x\ny\n", None], ids=["empty", "other", "gone"])
def test_damaged_folders(tmp_path, name, content):
    joined(named(SMALL, "x"), named(SMALL, "y")).write(tmp_path)
    if content is None:
        (tmp_path / name).unlink()
    else:
        (tmp_path / name).write_text(content)
    with pytest.raises(UsageError, match="damaged|no pairs.json|No such file"):
        Pairs.read(tmp_path)


def test_a_later_version_is_named(tmp_path):
    joined(named(SMALL, "x"), named(SMALL, "y")).write(tmp_path)
    about = (tmp_path / "pairs.json").read_text().replace('"format": 3', '"format": 4')
    (tmp_path / "pairs.json").write_text(about)
    with pytest.raises(UsageError, match="written by a later version of permtree"):
        Pairs.read(tmp_path)
