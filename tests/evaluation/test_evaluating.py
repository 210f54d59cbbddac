"""Scores of predictions against their definition word by word, conventions on built examples, and other evaluators."""

from __future__ import annotations

import math
import unicodedata
from collections import Counter
from pathlib import Path
from random import Random
from typing import Any

import conllu as package
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from places import SAMPLE
from reordering import conllu
from speed import first_is_quick
from strategies import generators, random_heads

from permtree import DataError, Treebank, UsageError, evaluate
from permtree.evaluation.arcs import CONVENTIONS
from permtree.evaluation.scores import GROUPINGS, SCORES, contrast

RELATIONS = ["nsubj", "nsubj:pass", "obj", "punct", "obl:tmod", "obl"]
FORMS = ["a", "b", ".", "?!", "«", "$", "a.", "-"]


def lines_of(sentences: list[list[tuple[str, str, Any, str]]]) -> bytes:
    """Sentences of words as (form, UPOS, HEAD, relation)."""
    rows = []
    for name, words in enumerate(sentences, 1):
        rows.append(f"# sent_id = s{name}")
        rows += [f"{i} {form} _ {upos} _ _ {head} {own}" for i, (form, upos, head, own) in enumerate(words, 1)]
        rows.append("")
    return conllu(*rows)


def sentence_pair(rng: Random) -> list[list[tuple[str, str, Any, str]]]:
    """A gold sentence, and two predictions of it that need not be trees."""
    n = rng.randrange(1, 10)
    gold = [
        (rng.choice(FORMS), rng.choice(["X", "PUNCT", "SYM"]), head, "root" if head == 0 else rng.choice(RELATIONS))
        for head in random_heads(rng, n, rng.choice([1, 1, min(n, 2)]))
    ]
    quality = rng.choice([0.2, 0.8, 1.0])
    sides = [gold]
    for _ in range(2):
        predicted = []
        for form, upos, head, own in gold:
            head = head if rng.random() < quality else rng.choice(["_", *range(n + 1)])
            own = own if rng.random() < quality else rng.choice([*RELATIONS, "new"])
            predicted.append((form, rng.choice(["X", upos]), head, own))
        sides.append(predicted)
    return sides


@st.composite
def predicted(draw: st.DrawFn) -> list[bytes]:
    """Gold and two predictions."""
    rng = draw(generators())
    triples = [sentence_pair(rng) for _ in range(draw(st.integers(1, 6)))]
    return [lines_of([triple[side] for triple in triples]) for side in range(3)]


# -- the definition ------------------------------------------------------------------------------------------------


def naive_rows(gold: bytes, pred: bytes, convention: str) -> list[list[dict[str, Any]]]:
    """What is known of each word that counts, sentence by sentence."""
    found = []
    for a, b in zip(package.parse(gold.decode()), package.parse(pred.decode()), strict=True):
        rows = []
        heads = {word["id"]: word["head"] for word in a}
        for x, y in zip(a, b, strict=True):
            if convention == "no-punct" and x["upos"] == "PUNCT":
                continue
            if convention == "unicode-punct" and all(unicodedata.category(c)[0] == "P" for c in x["form"]):
                continue
            relations = [x["deprel"], y["deprel"]]
            if convention == "conll18":
                relations = [own.split(":")[0] for own in relations]
            depth, above = 0, x["head"]
            while above:
                depth, above = depth + 1, heads[above]
            left = "left" if x["id"] < x["head"] else "right"
            rows.append(
                {
                    "head": x["head"] == y["head"],
                    "same": relations[0] == relations[1],
                    "gold": relations[0],
                    "pred": relations[1],
                    "length": abs(x["id"] - x["head"]) if x["head"] else "root",
                    "direction": left if x["head"] else "root",
                    "sentence-length": len(a),
                    "root-distance": depth,
                }
            )
        if rows:
            found.append(rows)
    return found


def percent(part: int, whole: int) -> float:
    return 100 * part / whole if whole else math.nan


def naive_scores(sentences: list[list[dict[str, Any]]]) -> dict[str, float]:
    words = [row for rows in sentences for row in rows]
    return {
        "uas": percent(sum(row["head"] for row in words), len(words)),
        "las": percent(sum(row["head"] and row["same"] for row in words), len(words)),
        "label_accuracy": percent(sum(row["same"] for row in words), len(words)),
        "exact_match_heads": percent(sum(all(row["head"] for row in rows) for rows in sentences), len(sentences)),
        "exact_match": percent(
            sum(all(row["head"] and row["same"] for row in rows) for rows in sentences), len(sentences)
        ),
    }


def naive_groups(sentences: list[list[dict[str, Any]]], by: str) -> dict[Any, tuple[int, dict[str, float]]]:
    words = [row for rows in sentences for row in rows]
    key = "gold" if by == "deprel" else by
    labels = {row[key] for row in words} | ({row["pred"] for row in words} if by == "deprel" else set())
    groups = {}
    for label in labels:
        own = [row for row in words if row[key] == label]
        both = sum(row["head"] and row["same"] for row in own)
        values = {"uas": percent(sum(row["head"] for row in own), len(own)), "las": percent(both, len(own))}
        if by == "deprel":
            n_predicted = sum(row["pred"] == label for row in words)
            values |= {"precision": percent(both, n_predicted), "recall": percent(both, len(own))}
            values["f1"] = percent(2 * both, n_predicted + len(own))
        groups[label] = len(own), values
    return groups


def naive_p_value(first: int, second: int) -> float:
    """Twice the smaller tail of a fair coin, at most 1."""
    n = first + second
    tail = sum(math.comb(n, k) for k in range(min(first, second) + 1))
    return min(1.0, 2 * tail / 2**n)


@given(predicted(), st.sampled_from(CONVENTIONS))
def test_scores_groups_and_confusion_are_as_defined(data, convention):
    gold, pred = (Treebank.from_bytes(side) for side in data[:2])
    rows = naive_rows(data[0], data[1], convention)
    n_words = sum(map(len, rows))
    result = evaluate(gold, pred, convention)
    assert (result.words, result.sentences) == (n_words, len(rows))
    assert result.removed.get("punctuation", 0) == gold.n_words - n_words
    assert list(result.values) == list(SCORES)
    values = {name: score.value for name, score in result.values.items()}
    assert values == pytest.approx(naive_scores(rows), nan_ok=True)
    confused = Counter((row["gold"], row["pred"]) for own in rows for row in own if not row["same"])
    assert {(a, b): n for a, b, n in result.confusion} == dict(confused)
    for by in GROUPINGS:
        groups = evaluate(gold, pred, convention, by=by).groups
        assert sum(arcs for _, arcs, _ in groups) == n_words
        expected = naive_groups(rows, by)
        assert {label for label, _, _ in groups} == set(expected)
        for label, arcs, own in groups:
            assert arcs == expected[label][0]
            assert own == pytest.approx(expected[label][1], nan_ok=True)


@given(predicted(), st.sampled_from(CONVENTIONS))
def test_two_predictions_side_by_side_are_as_defined(data, convention):
    treebanks = [Treebank.from_bytes(side) for side in data]
    rows = [naive_rows(data[0], side, convention) for side in data[1:]]
    result = contrast(*treebanks, convention, ci=20)
    expected = [naive_scores(side) for side in rows]
    for name, own in result.values.items():
        first, second = (side[name] for side in expected)
        assert [own.first, own.second, own.difference] == pytest.approx([first, second, second - first], nan_ok=True)
    words = [[row for own in side for row in own] for side in rows]
    for name, right in (("uas", lambda row: row["head"]), ("las", lambda row: row["head"] and row["same"])):
        pairs = Counter((right(a), right(b)) for a, b in zip(*words, strict=True))
        test = result.values[name].test
        assert (test.only_first, test.only_second) == (pairs[True, False], pairs[False, True])
        assert test.p_value == pytest.approx(naive_p_value(test.only_first, test.only_second))
    assert result.values["label_accuracy"].test is None


# -- built examples ------------------------------------------------------------------------------------------------

GOLD = [
    [("The", "DET", 2, "det"), ("dog", "NOUN", 3, "nsubj:pass"), ("sleeps", "VERB", 0, "root"), ("...", "X", 3, "dep")],
    [("Yes", "INTJ", 0, "root"), ("$", "PUNCT", 1, "punct"), ("!", "PUNCT", 1, "punct")],
]


def changed(sentence: int, word: int, **new: Any) -> Treebank:
    """The gold treebank with one word changed."""
    names = ("form", "upos", "head", "relation")
    words = [list(map(list, own)) for own in GOLD]
    for name, value in new.items():
        words[sentence - 1][word - 1][names.index(name)] = value
    return Treebank.from_bytes(lines_of([[tuple(word) for word in own] for own in words]), "pred")


def scored(pred: Treebank, **options: Any) -> dict[str, tuple[int, int]]:
    result = evaluate(Treebank.from_bytes(lines_of(GOLD), "gold"), pred, **options)
    return {name: (score.right, score.of) for name, score in result.values.items()}


def test_a_subtype_is_cut_for_conll18_alone():
    pred = changed(1, 2, relation="nsubj")
    assert scored(pred)["las"] == (6, 7)
    assert scored(pred, convention="conll18")["las"] == (7, 7)
    assert scored(pred, convention="conll18")["exact_match"] == (2, 2)
    result = evaluate(Treebank.from_bytes(lines_of(GOLD)), pred, "conll18", by="deprel")
    assert {label for label, _, _ in result.groups} == {"det", "nsubj", "root", "dep", "punct"}


def test_punctuation_by_gold_tag():
    wrong = changed(2, 3, head=2, upos="X")  # what the parser calls it doesn't matter
    assert scored(wrong)["uas"] == (6, 7)
    assert scored(wrong, convention="no-punct")["uas"] == (5, 5)
    assert scored(wrong, convention="no-punct")["exact_match_heads"] == (2, 2)
    assert scored(wrong, convention="no-punct", punct_tag="X")["uas"] == (5, 6)
    named = evaluate(Treebank.from_bytes(lines_of(GOLD)), wrong, "no-punct", punct_tag="X").values["uas"].signature
    assert named.startswith("uas|convention:no-punct(X)|sents:2|permtree:")


def test_punctuation_by_unicode():
    """`...` and `!` are punctuation whatever their tag; `$` is a symbol (Sc)."""
    assert scored(changed(1, 4, head=1), convention="unicode-punct")["uas"] == (5, 5)
    assert scored(changed(2, 3, head=2), convention="unicode-punct")["uas"] == (5, 5)
    assert scored(changed(2, 2, head=3), convention="unicode-punct")["uas"] == (4, 5)


def test_a_relation_that_is_right_on_a_wrong_head():
    assert scored(changed(1, 1, head=3)) == {
        "uas": (6, 7),
        "las": (6, 7),
        "label_accuracy": (7, 7),
        "exact_match_heads": (1, 2),
        "exact_match": (1, 2),
    }


def test_what_is_no_tree_is_counted_and_scored():
    gold = Treebank.from_bytes(lines_of(GOLD))
    missing = evaluate(gold, changed(1, 1, head="_"))
    assert (missing.without_head, missing.not_trees, missing.values["uas"].right) == (1, 0, 6)
    cycle = evaluate(gold, changed(1, 3, head=1))
    assert (cycle.without_head, cycle.not_trees, cycle.values["uas"].right) == (0, 1, 6)


def test_a_treebank_against_itself_is_perfect():
    treebank = Treebank.read(str(SAMPLE / "rigan-dev.conllu"))
    for convention in CONVENTIONS:
        result = evaluate(treebank, treebank, convention, ci=10)
        assert {score.value for score in result.values.values()} == {100}
        assert {score.interval for score in result.values.values()} == {(100, 100)}
        assert result.confusion == []
    same = contrast(treebank, treebank, treebank, ci=10).values["las"]
    assert (same.difference, same.interval, same.test.p_value) == (0, (0, 0), 1)


def test_no_words_give_no_score():
    nothing = Treebank.from_heads([])
    result = evaluate(nothing, nothing, ci=5)
    assert (result.words, result.sentences) == (0, 0)
    assert all(math.isnan(score.value) for score in result.values.values())
    assert all(math.isnan(end) for score in result.values.values() for end in score.interval)
    assert all(evaluate(nothing, nothing, by=by).groups == [] for by in GROUPINGS)
    assert math.isnan(contrast(nothing, nothing, nothing, ci=5).values["uas"].difference)
    only = Treebank.from_bytes(conllu("1 ! _ PUNCT _ _ 0 root", ""))
    result = evaluate(only, only, "no-punct")
    assert math.isnan(result.values["exact_match"].value)
    assert (result.left_out, result.removed) == ({"punctuation alone": 1}, {"punctuation": 1})


# -- how sure ------------------------------------------------------------------------------------------------------


def perturbed(data: str, seed: int) -> bytes:
    """A text in which some words have another relation or another head; the trees stay trees."""
    rng = Random(seed)
    blocks = []
    for block in data.rstrip("\n").split("\n\n"):
        rows = [line.split("\t") for line in block.split("\n")]
        words = [row for row in rows if len(row) == 10 and row[0].isdigit()]
        heads = [int(row[6]) for row in words]
        for row in words:
            if rng.random() < 0.1 and row[6] != "0":
                row[7] = rng.choice(["nmod", "obj", "nsubj:pass", row[7].split(":")[0]])
            if rng.random() < 0.1 and row[6] != "0":
                above = heads[int(row[6]) - 1]  # the head's head: never below the word
                if above:
                    row[6] = str(above)
                    heads[int(row[0]) - 1] = above
        blocks.append("\n".join("\t".join(row) for row in rows))
    return ("\n\n".join(blocks) + "\n\n").encode()


@pytest.fixture(scope="module")
def sample() -> list[Treebank]:
    text = (SAMPLE / "fluvi-dev.conllu").read_text(encoding="utf-8")
    return [Treebank.from_bytes(text.encode()), *(Treebank.from_bytes(perturbed(text, seed)) for seed in (1, 2))]


def test_intervals_hold_the_values_and_hang_on_the_seed(sample):
    gold, pred, _ = sample
    first, again, other = (evaluate(gold, pred, ci=200, seed=seed).values for seed in (3, 3, 4))
    assert first == again
    for name, score in first.items():
        low, high = score.interval
        assert low < score.value < high
        assert score.interval != other[name].interval
        assert "|ci:0.95x200|seed:3|" in score.signature
    assert {name: score.value for name, score in first.items()} == {
        name: score.value for name, score in evaluate(gold, pred).values.items()
    }


def test_the_interval_is_that_of_resampled_treebanks(sample):
    """Wide enough to hold 95% of the scores of treebanks drawn by hand, not much wider."""
    gold, pred, _ = sample
    rows = naive_rows(gold.to_bytes(), pred.to_bytes(), "all")
    rng = Random(0)
    drawn = [naive_scores(rng.choices(rows, k=len(rows)))["las"] for _ in range(600)]
    low, high = evaluate(gold, pred, ci=2000).values["las"].interval
    inside = sum(low <= value <= high for value in drawn) / len(drawn)
    assert 0.91 < inside < 0.985


def test_paired_resamples_are_narrower_where_predictions_agree(sample):
    """A prediction and the same one with a single word put right."""
    gold, pred, other = sample
    row = int(np.flatnonzero(gold.head != pred.head)[0])
    head = pred.head.copy()
    head[row] = gold.head[row]
    better = Treebank(pred.text, pred.sentence_start, head, pred.row, pred.sentence)
    near = contrast(gold, pred, better, ci=300).values["uas"]
    far = contrast(gold, pred, other, ci=300).values["uas"]
    assert near.difference == pytest.approx(100 / gold.n_words)
    assert near.interval[1] - near.interval[0] < (far.interval[1] - far.interval[0]) / 2
    assert (near.test.only_first, near.test.only_second, near.test.p_value) == (0, 1, 1)


# -- other evaluators ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "name", first_is_quick(["el_gdt", "en_ewt/en_ewt-ud-dev.conllu", "fi_tdt/fi_tdt-ud-test.conllu", "de_gsd"])
)
def test_conll18_is_what_udtools_gives(shared: Path, tmp_path: Path, name: str):
    udeval = pytest.importorskip("udtools.udeval")
    path = shared / "treebanks" / name
    if path.is_dir():
        path = min(path.glob("*.conllu"), key=lambda file: file.stat().st_size)
    if not path.exists():
        pytest.skip(f"no {name}")
    text = path.read_text(encoding="utf-8")
    files = str(path), str(tmp_path / "pred")
    (tmp_path / "pred").write_bytes(perturbed(text, 0))
    expected = udeval.evaluate(*(udeval.load_conllu_file(file, {"multiple_roots_okay": True}) for file in files))
    result = evaluate(*map(Treebank.read, files), convention="conll18")
    for score, other in (("uas", "UAS"), ("las", "LAS")):
        assert result.values[score].right == expected[other].correct
        assert result.values[score].of == expected[other].gold_total
        assert result.values[score].value == pytest.approx(100 * expected[other].f1)
    assert result.values["las"].value < result.values["uas"].value < 100


# -- what can't be evaluated ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"convention": "conl18"}, "--convention 'conl18'; did you mean 'conll18'"),
        ({"by": "deprell"}, "--by 'deprell'; did you mean 'deprel'"),
        ({"ci": 0}, "--ci"),
        ({"ci": 1, "seed": -1}, "--seed"),
        ({"convention": "no-punct", "punct_tag": " "}, "--punct-tag"),
    ],
    ids=str,
)
def test_unknown_names_and_numbers(options, message):
    gold = Treebank.from_bytes(lines_of(GOLD))
    with pytest.raises(UsageError) as caught:
        evaluate(gold, gold, **options)
    assert str(caught.value).startswith(message)


def test_selections_are_aligned_too():
    gold = Treebank.from_bytes(lines_of(GOLD), "gold")
    second = gold.select_sentences(np.array([False, True]))
    assert evaluate(second, second).words == 3
    with pytest.raises(DataError, match="^gold:2: this sentence is not in gold;"):
        evaluate(gold, second)


def test_long_sentences_and_many_words():
    heads = [0, *range(1, 2000)]
    other = [0, *[1] * 1999]
    gold, pred = (Treebank.from_heads([own] * 20) for own in (heads, other))
    result = evaluate(gold, pred, by="root-distance")
    assert result.values["uas"].right == 20 * 2
    assert len(result.groups) == 2000
