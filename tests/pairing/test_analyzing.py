"""What word order did to parsing: against the definition word by word, with effects that were put in on purpose."""

from __future__ import annotations

import json
import math
from collections import Counter
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from places import SAMPLE
from random_pairs import guessed, random_treebank
from reordering import permuted
from rich_sentences import no_shrinking
from strategies import generators

import permtree
from permtree import Treebank, UsageError, analyze, evaluate, pairs, train
from permtree.evaluation.arcs import CONVENTIONS
from permtree.evaluation.scores import contrast
from permtree.kernels.significance import correlation
from permtree.pairing.analyzing import Analysis
from permtree.pairing.pairs import Pairs
from permtree.pictures.drawing import draw_text
from permtree.pictures.picture import OTHER_HEAD, OTHER_RELATION
from permtree.pictures.predicted import predicted


@st.composite
def random_pairs(draw: st.DrawFn) -> Pairs:
    rng = draw(generators())
    data = random_treebank(rng, 14)
    golds = [permuted(data, draw(st.sampled_from(["optdl", "rb", "random", "original"]))) for _ in range(2)]
    sides = [(gold, Treebank.from_bytes(guessed(gold.to_bytes(), rng, 0.7))) for gold in golds]
    return pairs(*sides[0], *sides[1], draw(st.sampled_from(CONVENTIONS[:3])))


def rows_of(columns: dict[str, Any]) -> list[dict[str, Any]]:
    lists = [column if isinstance(column, list) else column.tolist() for column in columns.values()]
    return [dict(zip(columns, row, strict=True)) for row in zip(*lists, strict=True)]


def percent(right: list[bool]) -> float:
    return 100 * sum(right) / len(right) if right else math.nan


def naive_group(label: str, a: list[dict], b: list[dict]) -> dict[str, Any]:
    row: dict[str, Any] = {"label": label, "arcs_a": len(a), "arcs_b": len(b)}
    for side, words in (("a", a), ("b", b)):
        row[f"uas_{side}"] = percent([word[f"head_right_{side}"] for word in words])
        row[f"las_{side}"] = percent([word[f"head_right_{side}"] and word[f"label_right_{side}"] for word in words])
    return {**row, **{f"d_{score}": row[f"{score}_b"] - row[f"{score}_a"] for score in ("uas", "las")}}


def bin_of(length: int, bins: list[str]) -> str:
    for label in bins:
        low, _, high = label.partition("-")
        if label.endswith("+") and length >= int(label[:-1]):
            return label
        if not label.endswith("+") and int(low) <= length <= int(high or low):
            return label
    return "root"


ARC_BINS = ["1", "2", "3", "4", "5", "6-10", "11-20", "21+"]
SENTENCE_BINS = ["1-5", "6-10", "11-20", "21-30", "31-40", "41+"]


def shown(relation: str, convention: str) -> str:
    return relation.split(":")[0] if convention == "conll18" else relation


@no_shrinking
@given(random_pairs())
def test_groups_and_confusions_are_as_defined(made):
    found = analyze(made, 5)
    words = [word for word in rows_of(made.arcs) if word["counted"]]
    lengths = made.sentences["words"].tolist()

    def kinds(word: dict[str, Any], side: str) -> dict[str, str]:
        return {
            "relation": shown(word["deprel"], made.convention),
            "arc length": bin_of(word[f"length_{side}"], ARC_BINS),
            "direction": word[f"direction_{side}"],
            "sentence length": bin_of(lengths[word["sentence"]], SENTENCE_BINS),
        }

    for by, groups in found.groups.items():
        labels = {kinds(word, side)[by] for word in words for side in "ab"}
        assert {group.label for group in groups} == labels
        assert len(groups) == len(labels)
        for group in groups:
            a, b = ([word for word in words if kinds(word, side)[by] == group.label] for side in "ab")
            assert vars(group) == pytest.approx(naive_group(group.label, a, b), nan_ok=True)

    heads = Counter((word["sentence"], word["head_orig"]) for word in words if word["leaf"] and word["head_orig"])
    together = [word for word in words if word["leaf"] and heads[word["sentence"], word["head_orig"]] > 1]
    for some, confusions in ((words, found.confusions), (together, found.one_word_confusions)):
        counts = [
            Counter(
                (shown(word["deprel"], made.convention), shown(word[f"predicted_deprel_{side}"], made.convention))
                for word in some
                if not word[f"label_right_{side}"]
            )
            for side in "ab"
        ]
        expected = {pair: (counts[0][pair], counts[1][pair]) for pair in {**counts[0], **counts[1]}}
        assert {(row.gold, row.predicted): (row.words_a, row.words_b) for row in confusions} == expected
        assert all(row.gold != row.predicted for row in confusions)
        differences = [abs(row.difference) for row in confusions]
        assert differences == sorted(differences, reverse=True)
    for row, direction in zip(found.one_word, ("left", "right"), strict=True):
        for side in "ab":
            own = [word for word in together if word[f"direction_{side}"] == direction]
            assert vars(row)[f"words_{side}"] == len(own)
            values = [vars(row)[f"wrong_{what}_{side}"] for what in ("heads", "labels")]
            expected = [percent([not word[f"{what}_right_{side}"] for word in own]) for what in ("head", "label")]
            assert values == pytest.approx(expected, nan_ok=True)


@no_shrinking
@given(random_pairs())
def test_scores_and_extremes_are_as_defined(made):
    found = analyze(made, 30, 2, most=2)
    words = [word for word in rows_of(made.arcs) if word["counted"]]
    assert found.words == len(words)
    assert found.sentences == len({word["sentence"] for word in words})
    for name, own in found.scores.items():
        right = {
            side: [word[f"head_right_{side}"] and (name == "uas" or word[f"label_right_{side}"]) for word in words]
            for side in "ab"
        }
        assert [own.a, own.b] == pytest.approx([percent(right["a"]), percent(right["b"])], nan_ok=True)
        assert own.difference == pytest.approx(own.b - own.a, nan_ok=True)
        assert own.permutation.difference == pytest.approx(own.difference / 100, nan_ok=True)
        pairs_of = Counter(zip(right["a"], right["b"], strict=True))
        assert (own.mcnemar.only_first, own.mcnemar.only_second) == (pairs_of[True, False], pairs_of[False, True])
        assert own.paired_t.n == found.sentences
    gain: Counter[int] = Counter()
    for word in words:
        gain[word["sentence"]] += word["head_right_b"] - word["head_right_a"]
    ranked = sorted((row for row in gain if gain[row] > 0), key=lambda row: (-gain[row], row))
    assert [(own.sentence, own.difference) for own in found.gains] == [(row, gain[row]) for row in ranked[:2]]
    ranked = sorted((row for row in gain if gain[row] < 0), key=lambda row: (gain[row], row))
    assert [(own.sentence, own.difference) for own in found.losses] == [(row, gain[row]) for row in ranked[:2]]
    for own in [*found.gains, *found.losses]:
        row = {name: column[own.sentence] for name, column in made.sentences.items()}
        for name in ("sent_id", "words", "counted", "dl_a", "dl_b", "d_dl"):
            assert vars(own)[name] == row[name]
        assert own.right_a == pytest.approx(row["uas_a"] * row["counted"] / 100)


# -- effects that are known --------------------------------------------------------------------------------------------


def sample(name: str = "fluvi-dev") -> bytes:
    return (SAMPLE / f"{name}.conllu").read_bytes()


def with_errors(gold: Treebank, wrong: Any, seed: int = 0) -> Treebank:
    """A prediction in which words have another head where `wrong`, probabilities [N], says so."""
    head = gold.head.copy()
    chosen = np.random.default_rng([seed]).random(len(head)) < wrong
    first, last = (gold.sentence_start[gold.sentence_of + step] for step in (0, 1))
    another = np.where(np.arange(len(head)) == first, last - 1, first)
    another = np.where(another == np.arange(len(head)), -1, another)
    head[chosen] = np.where(another == head, -1, another)[chosen]
    return Treebank(gold.text, gold.sentence_start, head, gold.row, gold.sentence)


def lengths_of(gold: Treebank) -> Any:
    return np.where(gold.head >= 0, np.abs(np.arange(gold.n_words) - gold.head), 0)


def test_errors_that_grow_with_length_show_as_a_correlation():
    golds = [permuted(sample("fluvi-train"), mode) for mode in ("original", "optdl")]
    sides = [(gold, with_errors(gold, np.minimum(0.08 * lengths_of(gold), 1))) for gold in golds]
    found = analyze(pairs(*sides[0], *sides[1]), 200)
    of = found.correlations["d_uas", "d_dl"]
    assert of.pearson > 0.15
    assert of.pearson_interval[0] > 0
    assert of.spearman_interval[0] > 0
    assert of.pearson_p < 0.001
    assert found.scores["uas"].difference > 0
    assert found.scores["uas"].interval[0] > 0
    assert found.scores["uas"].permutation.p_value < 0.01
    scores = [group.uas_a for group in found.groups["arc length"] if group.label in ARC_BINS and group.arcs_a > 50]
    assert scores == sorted(scores, reverse=True)


def test_errors_that_do_not_hang_on_order_show_none():
    golds = [permuted(sample("fluvi-train"), mode) for mode in ("original", "optdl")]
    sides = [(gold, with_errors(gold, np.full(gold.n_words, 0.2), seed)) for seed, gold in enumerate(golds)]
    found = analyze(pairs(*sides[0], *sides[1]), 200)
    low, high = found.correlations["d_uas", "d_dl"].pearson_interval
    assert low < 0 < high
    assert found.scores["uas"].permutation.p_value > 0.05


def test_one_word_dependents_that_go_wrong_after_their_head_show():
    gold = [permuted(sample(), mode) for mode in ("lb", "rb")]
    wrong = [np.where(gold.head < np.arange(gold.n_words), 0.5, 0) * (gold.head >= 0) for gold in gold]
    a, b = (with_errors(own, rate) for own, rate in zip(gold, wrong, strict=True))
    before, after = analyze(pairs(gold[0], a, gold[1], b), 10).one_word
    assert (before.words_b, after.words_a) == (0, 0)
    assert before.words_a == after.words_b > 100
    assert before.wrong_heads_a == 0
    assert 40 < after.wrong_heads_b < 60
    assert math.isnan(before.wrong_heads_b)


def test_identical_sides_differ_in_nothing():
    gold = permuted(sample(), "optdl")
    pred = Treebank.from_bytes(guessed(gold.to_bytes(), Random(3), 0.8))
    found = analyze(pairs(gold, pred, gold, pred), 50)
    for own in found.scores.values():
        assert (own.difference, own.interval, own.permutation.p_value, own.mcnemar.p_value) == (0, (0, 0), 1, 1)
        assert math.isnan(own.paired_t.p_value)
    assert (found.gains, found.losses) == ([], [])
    assert {row.difference for row in found.confusions} == {0}
    for groups in found.groups.values():
        assert all(group.d_uas == group.d_las == 0 for group in groups)
    assert all(math.isnan(own.pearson) for own in found.correlations.values())


def test_the_same_seed_gives_the_same_analysis():
    golds = [Treebank.from_bytes(sample()), permuted(sample(), "rb")]
    preds = [Treebank.from_bytes(guessed(gold.to_bytes(), Random(4), 0.8)) for gold in golds]
    made = pairs(golds[0], preds[0], golds[1], preds[1])
    first, again, other = (analyze(made, 100, seed).as_json() for seed in (1, 1, 2))
    assert first == again
    assert first["scores"]["uas"]["interval"] != other["scores"]["uas"]["interval"]
    assert first["scores"]["uas"]["a"] == other["scores"]["uas"]["a"]
    assert "|seed:1|" in first["signature"]


@pytest.mark.parametrize("convention", CONVENTIONS)
def test_two_predictions_of_one_version_are_as_evaluate_compares_them(convention):
    gold = Treebank.from_bytes(sample())
    preds = [Treebank.from_bytes(guessed(gold.to_bytes(), Random(seed), 0.8)) for seed in (1, 2)]
    found = analyze(pairs(gold, preds[0], gold, preds[1], convention), 100, 5)
    expected = contrast(gold, *preds, convention, 100, 5).values
    for name, own in found.scores.items():
        theirs = expected[name]
        assert [own.a, own.b, own.difference] == pytest.approx([theirs.first, theirs.second, theirs.difference])
        assert own.interval == pytest.approx(theirs.interval)
        assert own.mcnemar == theirs.test
    for by, ours in (("deprel", "relation"), ("direction", "direction")):
        groups = {group.label: group for group in found.groups[ours]}
        for label, size, values in evaluate(gold, preds[0], convention, by=by).groups:
            if size:
                own = groups[label]
                assert (own.arcs_a, own.uas_a, own.las_a) == (size, values["uas"], values["las"])
    confused = {(row.gold, row.predicted): row.words_b for row in found.confusions if row.words_b}
    assert confused == {(a, b): n for a, b, n in evaluate(gold, preds[1], convention).confusion}


@pytest.mark.parametrize(
    ("name", "mode", "parser"),
    [
        ("nl_alpino/nl_alpino-ud-test.conllu", "rb", "random-tree"),
        ("la_vulgate/la_vulgate.test.conll", "optdl", "left"),
    ],
    ids=["nl_alpino", "la_vulgate"],
)
def test_real_treebanks(shared: Path, name, mode, parser):
    path = shared / "treebanks" / name
    if not path.exists():
        pytest.skip(f"no {name}")
    golds = [Treebank.read(str(path)), permuted(path.read_bytes(), mode)]
    preds = [train(parser, gold).predict(gold) for gold in golds]
    made = pairs(golds[0], preds[0], golds[1], preds[1])
    found = analyze(made, 50)
    for side, gold, pred in zip("ab", golds, preds, strict=True):
        assert vars(found.scores["las"])[side] == pytest.approx(evaluate(gold, pred).values["las"].value)
    assert sum(group.arcs_b for group in found.groups["arc length"]) == golds[0].n_words
    known = ~np.isnan(made.sentences["branching"])
    x, y = made.sentences["branching"][known], made.sentences["d_uas"][known]
    of = found.correlations["d_uas", "branching"]
    assert (of.n, of.dropped) == (known.sum(), (~known).sum())
    assert of.pearson == pytest.approx(np.corrcoef(x, y)[0, 1])
    assert of == correlation(made.sentences["branching"], made.sentences["d_uas"], 50)


# -- what is asked for -------------------------------------------------------------------------------------------------


def small() -> Pairs:
    golds = [permuted(sample(), mode) for mode in ("original", "optdl")]
    sides = [(gold, Treebank.from_bytes(guessed(gold.to_bytes(), Random(6), 0.9))) for gold in golds]
    return pairs(*sides[0], *sides[1], "no-punct")


def test_json_has_no_nan():
    found = analyze(small(), 10, by_bins={"arc length": [1, 3]})
    content = json.loads(json.dumps(found.as_json(), allow_nan=False))
    assert [row["label"] for row in content["groups"]["arc length"]] == ["root", "1-2", "3+"]
    assert list(content["correlations"]) == ["d_uas~d_dl", "d_las~d_dl", "d_uas~branching", "d_las~branching"]
    assert content["confusions"][0]["gold"] == found.confusions[0].gold


def test_one_sentence_has_no_interval():
    """Drawn again and again it is always the same, which doesn't make its difference sure."""
    gold = Treebank.from_heads([[0, 1, 1]])
    wrong = Treebank.from_heads([[0, 1, 2]])
    for score in analyze(pairs(gold, gold, gold, wrong), 10).scores.values():
        assert (score.a, score.b) == (100, pytest.approx(200 / 3))
        assert (score.permutation.p_value, score.mcnemar.p_value) == (1, 1)
        assert all(map(math.isnan, (*score.interval, score.paired_t.p_value)))
    for score in contrast(gold, gold, wrong, ci=10).values.values():
        assert all(map(math.isnan, score.interval))
    found = evaluate(gold, wrong, ci=10)
    assert found.values["uas"].value == pytest.approx(200 / 3)
    assert found.values["uas"].interval and all(map(math.isnan, found.values["uas"].interval))
    measured = permtree.measure(gold, "mdd", profile="lal", ci=10)["mdd"]
    assert measured.value == 1.5 and measured.interval and all(map(math.isnan, measured.interval))


@pytest.mark.parametrize("most", [0, 1])
def test_no_words(most):
    nothing = Treebank.from_heads([])
    found: Analysis = analyze(pairs(nothing, nothing, nothing, nothing), 10, most=most)
    assert (found.sentences, found.words) == (0, 0)
    assert math.isnan(found.scores["uas"].difference)
    assert found.groups == {"relation": [], "arc length": [], "direction": [], "sentence length": []}
    json.dumps(found.as_json(), allow_nan=False)


@pytest.mark.parametrize(
    "options",
    [
        {"resamples": 0},
        {"seed": -1},
        {"most": -1},
        {"by_bins": {"arc length": [2, 3]}},
        {"by_bins": {"arc length": [1, 3, 3]}},
        {"by_bins": {"arcs": [1]}},
        {"by_bins": {"sentence length": []}},
    ],
    ids=str,
)
def test_numbers_that_can_not_be_used(options):
    with pytest.raises(UsageError, match=r"^(--resamples|--seed|--most|bins)"):
        analyze(small(), **options)


def test_pictures_mark_each_error():
    made = small()
    row = int(np.argmin(made.sentences["uas_a"] + made.sentences["las_a"]))
    of = made.arcs["sentence"] == row
    words = {name.removesuffix("_a"): column[of] for name, column in made.arcs.items()}
    shown = predicted("original", "s", row + 1, words)
    heads = {int(place) for place in words["position"][~words["head_right"]]}
    labels = {int(place) for place in words["position"][words["head_right"] & ~words["label_right"]]}
    assert shown.marks[0] == shown.marks[1] == dict.fromkeys(heads, OTHER_HEAD) | dict.fromkeys(labels, OTHER_RELATION)
    order = np.argsort(words["position"])
    assert [word.head for word in shown.first.words] == words["head"][order].tolist()
    guesses = [None if head == -1 else head for head in words["predicted_head"][order].tolist()]
    assert [word.head for word in shown.second.words] == guesses
    assert draw_text(shown).count(OTHER_HEAD) == 2 * len(heads) + (1 if heads else 0)  # and in the summary
