"""The paper's findings about sentences and words, both ways: on predictions with errors that were put there."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from made_results import Pairs
from places import SAMPLE
from scipy.stats import pearsonr, ttest_rel

from permtree import Treebank
from permtree.report.analyses import Analyses
from permtree.report.pair_tables import one_word_confusions_table, significance_table
from permtree.report.sentence_claims import (
    gain_with_branching,
    gain_with_length,
    one_word_dependents_in_rb,
    sentence_claims,
    spanish,
)
from permtree.report.verdicts import p_value

RESAMPLES = 200
PLACE = ("one", "biaffine")


def sentences(number: int) -> Treebank:
    blocks = (SAMPLE / "fluvi-train.conllu").read_bytes().split(b"\n\n")[:number]
    return Treebank.from_bytes(b"\n\n".join(blocks) + b"\n\n", "some")


@pytest.fixture
def pairs(tmp_path: Path) -> Pairs:
    return Pairs(tmp_path, sentences(60), ("original", "optdl", "lb", "rb"))


def length(sentence: dict[int, list[str]]) -> int:
    return sum(abs(int(word[0]) - int(word[6])) for word in sentence.values() if word[6] != "0")


def branching(sentence: dict[int, list[str]]) -> float:
    heads = {word[6] for word in sentence.values()} - {"0"}
    return (len(sentence) - 1) / len(heads) if heads else float("nan")


def said(found: Any) -> str:
    """What scipy.stats.pearsonr gives, as a claim says it."""
    low, high = found.confidence_interval(0.95)
    return f"r = {found.statistic:.2f} [{low:.2f}, {high:.2f}], {p_value(found.pvalue)}"


def right(sentence: dict[int, list[str]], wrong: int) -> float:
    return 100 * (len(sentence) - wrong) / len(sentence)


def errors_that_rise(values: list[float], words: list[int], fall: bool = False) -> list[int]:
    """So many errors a sentence that accuracy falls (or rises) with a value, roughly."""
    order = sorted(range(len(values)), key=lambda row: values[row], reverse=fall)
    rank = {row: number for number, row in enumerate(order)}
    return [round(rank[row] / len(values) * words[row]) for row in range(len(values))]


def at(counts: list[int], sentences_: list[dict[int, list[str]]]) -> list[tuple[int, int]]:
    """The first so many words of each sentence."""
    return [(number, own) for number, count in enumerate(counts) for own in sorted(sentences_[number])[:count]]


# -- a sentence gains what its dependencies lose in length -----------------------------------------------------------


@pytest.mark.parametrize("rises", [True, False])
def test_gain_with_length(pairs, rises):
    original, rb = pairs.words("original"), pairs.words("rb")
    shorter = [length(a) - length(b) for a, b in zip(original, rb, strict=True)]
    counts = errors_that_rise(shorter, list(map(len, original)), fall=not rises)
    pairs.add("one", "original", "biaffine", heads=at(counts, original))
    pairs.add("one", "rb", "biaffine")
    gain = [100 - right(sentence, count) for sentence, count in zip(original, counts, strict=True)]
    found = pearsonr(shorter, gain)
    (claim,) = gain_with_length(Analyses(pairs.results(), RESAMPLES))
    assert claim.ours == f"one: {said(found)}"
    assert claim.verdict == ("came back" if rises else "did not come back")
    assert (found.statistic > 0.4) == rises


def test_the_same_gain_everywhere_says_nothing(pairs):
    for order in ("original", "rb"):
        pairs.add("one", order, "biaffine")
    (claim,) = gain_with_length(Analyses(pairs.results(), RESAMPLES))
    assert (claim.verdict, claim.ours) == ("can't be said", "one: r n/a")


def test_few_sentences_can_not_tell(tmp_path):
    few = Pairs(tmp_path, sentences(8), ("original", "rb"))
    few.add("one", "original", "biaffine", heads=[(0, 1)])
    few.add("one", "rb", "biaffine")
    (claim,) = gain_with_length(Analyses(few.results(), RESAMPLES))
    assert claim.verdict == "can't be said"


def test_what_is_odd_in_predictions_stands_below_their_scores(pairs):
    first = pairs.words("original")[0]
    root = next(own for own, word in first.items() if word[6] == "0")
    assert root > 1
    pairs.add("one", "original", "biaffine", heads=[(0, root)])  # under the first word, which is under it
    pairs.add("one", "optdl", "biaffine")
    analyses = Analyses(pairs.results(), RESAMPLES)
    odd = "one, biaffine, original: sentences that are no tree, scored as they are: 1."
    assert significance_table(analyses).note.endswith(f"Odd in the predictions: {odd}")


def test_the_treebank_of_the_paper_decides(pairs):
    """The one that is the paper's Dutch goes one way, another the other way."""
    original, rb = pairs.words("original"), pairs.words("rb")
    shorter = [length(a) - length(b) for a, b in zip(original, rb, strict=True)]
    words = list(map(len, original))
    for name, fall in (("rises", False), ("falls", True)):
        pairs.add(name, "original", "biaffine", heads=at(errors_that_rise(shorter, words, fall), original))
        pairs.add(name, "rb", "biaffine")

    def verdict(**codes: str) -> str:
        return gain_with_length(Analyses(pairs.results(codes), RESAMPLES))[0].verdict

    assert verdict(rises="nl", falls="de") == "came back"
    assert verdict(rises="de", falls="nl") == "did not come back"
    assert verdict(rises="", falls="") == "did not come back"
    assert verdict(rises="") == "came back"


# -- left against right ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("rises", [True, False])
def test_gain_with_branching(pairs, rises):
    """LB without errors; the more errors in RB, the more LB gains."""
    rb = pairs.words("rb")
    factors = [branching(sentence) for sentence in rb]
    counts = errors_that_rise(factors, list(map(len, rb)), fall=not rises)
    pairs.add("one", "lb", "biaffine")
    pairs.add("one", "rb", "biaffine", heads=at(counts, rb))
    gain = [100 - right(sentence, count) for sentence, count in zip(rb, counts, strict=True)]
    known = [number for number, factor in enumerate(factors) if factor == factor]
    found = pearsonr([factors[number] for number in known], [gain[number] for number in known])
    uas, las = gain_with_branching(Analyses(pairs.results(), RESAMPLES))
    assert uas.ours == las.ours == f"one: {said(found)}"
    assert uas.verdict == las.verdict == ("came back" if rises else "did not come back")
    assert "UAS(LB) - UAS(RB)" in uas.text and "LAS(LB) - LAS(RB)" in las.text


def turned(pairs: Pairs) -> list[tuple[int, int]]:
    """One-word dependents that precede their head in LB, follow it in RB, and have a fellow: by definition."""
    found = []
    for number, (left, right_) in enumerate(zip(pairs.words("lb"), pairs.words("rb"), strict=True)):
        by_head: dict[int, list[int]] = {}
        own_id = {word[0]: own for own, word in left.items()}
        for own, word in left.items():
            is_leaf = all(other[6] != word[0] for other in left.values())
            before = word[6] != "0" and int(word[0]) < int(word[6])
            after = int(right_[own][0]) > int(right_[own][6])
            if is_leaf and before and after:
                by_head.setdefault(own_id[word[6]], []).append(own)
        found += [(number, own) for group in by_head.values() if len(group) > 1 for own in group]
    return found


def final_punctuation(pairs: Pairs) -> list[tuple[int, int]]:
    return [
        (number, own)
        for number, sentence in enumerate(pairs.words("lb"))
        for own, word in sentence.items()
        if word[3] == "PUNCT"
    ]


@pytest.mark.parametrize(
    ("in_lb", "in_rb", "said"),
    [
        (0, 40, "came back"),
        (40, 0, "did not come back"),
        (30, 30, "did not come back"),
        (0, 1, "can't be said"),
        (0, 0, "did not come back"),
    ],
)
def test_one_word_dependents(pairs, in_lb, in_rb, said):
    words = turned(pairs)
    assert len(words) > 60
    pairs.add("one", "lb", "biaffine", labels=words[:in_lb])
    pairs.add("one", "rb", "biaffine", labels=words[:in_rb])
    (claim,) = one_word_dependents_in_rb(Analyses(pairs.results(), RESAMPLES))
    shares = [100 * wrong / len(words) for wrong in (in_lb, in_rb)]
    assert claim.ours.startswith(f"one: {shares[0]:.1f}% wrong in LB, {shares[1]:.1f}% in RB, p")
    assert claim.verdict == said


def test_one_word_dependents_are_the_same_words_on_both_sides(pairs):
    """Final punctuation follows its head in LB, too: its errors, or that it has none, are no matter of side."""
    assert len(final_punctuation(pairs)) > 10
    pairs.add("one", "lb", "biaffine")
    pairs.add("one", "rb", "biaffine", labels=final_punctuation(pairs))
    (claim,) = one_word_dependents_in_rb(Analyses(pairs.results(), RESAMPLES))
    assert claim.ours.startswith("one: 0.0% wrong in LB, 0.0% in RB")


def test_confusions_of_one_word_dependents(pairs):
    words = turned(pairs)[:30]
    pairs.add("one", "lb", "biaffine")
    pairs.add("one", "rb", "biaffine", labels=words)
    table = one_word_confusions_table(Analyses(pairs.results(), RESAMPLES))
    gold: dict[str, int] = {}
    for number, own in words:
        relation = pairs.words("rb")[number][own][7]
        gold[relation] = gold.get(relation, 0) + 1
    expected = [["one", "biaffine", relation, "wrong", 0, count, count] for relation, count in gold.items()]
    assert len(expected) > 10  # the largest ten are shown
    assert all(row in expected for row in table.rows)
    assert [row[-1] for row in table.rows] == sorted(gold.values(), reverse=True)[:10]
    assert table.header[-3:] == ["words in lb", "words in rb", "difference"]


@pytest.mark.parametrize(
    ("in_lb", "in_rb", "said"),
    [(10, 8, "came back"), (50, 0, "did not come back"), (8, 10, "did not come back"), (5, 5, "did not come back")],
)
def test_spanish(pairs, in_lb, in_rb, said):
    words = pairs.words("lb")
    whole = len(words)
    wrong = {"lb": [1] * in_lb + [0] * (whole - in_lb), "rb": [0] * (whole - in_rb) + [1] * in_rb}
    own = {order: [right(*pair) for pair in zip(words, counts, strict=True)] for order, counts in wrong.items()}
    for order, counts in wrong.items():
        pairs.add("sp", order, "biaffine", heads=at(counts, words))
    (claim,) = spanish(Analyses(pairs.results({"sp": "es"}), RESAMPLES))
    p = ttest_rel(own["rb"], own["lb"]).pvalue
    n_words = sum(map(len, words))
    lb, rb = (100 * (n_words - number) / n_words for number in (in_lb, in_rb))
    assert claim.ours == f"sp: {rb:.1f} and {lb:.1f}, {p_value(p)}"
    assert claim.verdict == said
    assert (said == "came back") == (rb > lb and p > 0.05)


# -- what a study lacks ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("orders", [["lb", "rb"], ["original", "rb"], ["original", "lb"], ["optdl"]])
def test_orders_that_a_study_lacks(tmp_path, orders):
    some = Pairs(tmp_path, sentences(20), orders)
    for order in orders:
        some.add("one", order, "biaffine")
    found = sentence_claims(Analyses(some.results({"one": "es"}), RESAMPLES))
    unknown = [one.ours.startswith("no treebank") for one in found]
    assert unknown == ["rb" not in orders or "original" not in orders] + [not {"lb", "rb"} <= set(orders)] * 4
    assert all(one.verdict == "can't be said" for one, lacks in zip(found, unknown, strict=True) if lacks)


def test_treebanks_and_seeds_that_are_not_done(pairs):
    """The first seed that both sides have; a treebank without one is not told of."""
    for order, seeds in (("original", (1, 2, 3)), ("rb", (2, 3))):
        for seed in seeds:
            wrong = [(0, 1)] if order == "original" and seed == 2 else []
            pairs.add("one", order, "biaffine", seed, heads=wrong)
    pairs.add("two", "original", "biaffine")
    results = pairs.results(["one", "two"], seeds=(1, 2, 3))
    (claim,) = gain_with_length(Analyses(results, RESAMPLES))
    assert claim.ours.startswith("one: r = ") and "two" not in claim.ours and "nan" not in claim.ours
    analyses = Analyses(results, RESAMPLES)
    (place,) = analyses.places()
    assert str(place) == "one, biaffine: original → rb"
    n_words = sum(map(len, pairs.words("rb")))
    assert analyses.analysis(place).scores["uas"].difference == pytest.approx(100 / n_words)


def test_orders_and_parsers_under_other_names(pairs):
    """A claim names the study's parser, and finds orders by their mode."""
    words = turned(pairs)
    for order, labels in (("lb", []), ("rb", words[:40])):
        pairs.add("one", order, "mine", labels=labels)
    results = pairs.results(parsers={"mine": "arc-hybrid"})
    renamed = {"lb": "head-final", "rb": "head-first"}
    orders = tuple({**row, "order": renamed.get(row["order"], row["order"])} for row in results.orders)
    cells = {
        (kind, treebank, renamed[order], *rest): cell for (kind, treebank, order, *rest), cell in results.cells.items()
    }
    made = pairs.results(parsers={"mine": "arc-hybrid"}, cells=cells)
    (claim,) = one_word_dependents_in_rb(Analyses(type(made)(**{**vars(made), "orders": orders}), RESAMPLES))
    assert claim.verdict == "came back"
    assert claim.text.endswith("(mine).")
