"""`permtree evaluate`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import click

from ..configuration import setting
from ..errors import UsageError
from ..evaluation.arcs import tags_given
from ..evaluation.scores import GROUPINGS, RESAMPLES, Contrasts, Evaluation, contrast, evaluate
from ..evaluation.sentences import MISSING
from ..tables import PValue
from ..treebank import Treebank
from . import caution, caution_of_orders, inputs, tell, tell_skipped, warn
from .of_parsers import COUNTED, Counted
from .options import ONE_PROCESS, Work, intervals, options_of, seed_of_resamples
from .sheets import FORMAT, Sheet, counts, difference, flat, of_values, uncertainty

MOST_CONFUSED = 20  # pairs of relations that are printed


@dataclass(frozen=True)
class EvaluateOptions:
    """What is to be scored, and what is to be printed."""

    missing: str = setting(
        "error",
        "Sentences on one side alone. wrong: those of GOLD count as wrong, others are left out; skip: left out.",
        choices=MISSING,
    )
    by: str | None = setting(
        None,
        "A row for each gold relation, length of the gold arc, its direction (left: the word stands before its head), "
        "sentence length in words, or number of gold arcs up to the root.",
        choices=GROUPINGS,
    )
    confusion: bool = setting(
        False, f"The {MOST_CONFUSED} most frequent pairs of different gold and predicted relation."
    )
    ci: int | None = intervals()
    against: str | None = setting(
        None,
        f"Beside a second prediction, with differences, their intervals (of {RESAMPLES} resamples, or of --ci) and "
        "McNemar's test.",
        metavar="OTHER",
    )
    seed: int | None = seed_of_resamples()


@click.command(name="evaluate")
@click.argument("gold", type=click.Path(allow_dash=True))
@click.argument("pred", type=click.Path(allow_dash=True))
@COUNTED
@options_of("asked", EvaluateOptions, whole=True)
@FORMAT
@ONE_PROCESS
def command(gold: str, pred: str, counted: Counted, asked: EvaluateOptions, style: str, work: Work) -> int:
    """Score the heads and relations of PRED, a parser's output, by those of GOLD.

    Sentences are joined by sent_id where each has one of its own, else by number, and must have the same words;
    --convention conll18 aligns words that differ by their characters, and gives F1.

    In percent: UAS (head right), LAS (head and relation right), label accuracy (relation right, whatever the head),
    and sentences in which all heads, or all heads and relations, are right. Words of PRED without HEAD and sentences
    that are no tree are scored as they are, and counted on standard error.
    """
    tag = tags_given(counted.convention, counted.punct_tag)
    _check_together(asked)
    paths = [gold, pred] + ([asked.against] if asked.against else [])
    inputs(tuple(paths))  # only one of them can be standard input
    true, *predictions = (Treebank.read(path, skip_errors=work.skip_errors, report=warn) for path in paths)
    for prediction in predictions:
        caution_of_orders(true, prediction)
    scoring: dict[str, Any] = {"punct_tag": tag, "missing": asked.missing, "skip_errors": work.skip_errors}
    seed = asked.seed or 0
    if asked.against:
        first, second = predictions
        compared = contrast(true, first, second, counted.convention, asked.ci or RESAMPLES, seed, **scoring)
        _tell_faults(compared.sides, predictions, work.quiet)
        sheet = _compared(compared, paths[1:])
    else:
        result = evaluate(true, predictions[0], counted.convention, asked.ci, seed, by=asked.by, **scoring)
        _tell_faults((result,), predictions, work.quiet)
        sheet = _sheet(result, asked.confusion)
    click.echo(sheet.text(style), nl=False)
    return 0


def _check_together(asked: EvaluateOptions) -> None:
    """UsageError for options that say nothing together."""
    if asked.seed is not None and not (asked.ci or asked.against):
        raise UsageError("--seed goes with --ci or --against: nothing else is drawn")
    tables = {"--by": asked.by, "--confusion": asked.confusion, "--against": asked.against}
    given = [option for option, value in tables.items() if value]
    if len(given) > 1:
        raise UsageError(f"{' and '.join(given)} print different tables; leave one out")
    if asked.ci and (asked.by or asked.confusion):
        raise UsageError(f"--ci and {given[0]} don't go together: intervals are of the scores of all words")


def _tell_faults(results: tuple[Evaluation, ...], treebanks: list[Treebank], quiet: bool) -> None:
    """What is odd about predictions."""
    lines = []
    tell_skipped(results[0].joined.skipped)
    for result, treebank in zip(results, treebanks, strict=True):
        lines += [f"missing: {finding}" for finding in result.joined.findings]
        if result.joined.dropped:
            lines.append(f"{treebank.text.name}: sentences left out with what was left out: {result.joined.dropped}")
        if result.without_head:
            lines.append(f"{treebank.text.name}: words without HEAD, scored as wrong: {result.without_head}")
        if result.not_trees:
            lines.append(f"{treebank.text.name}: sentences that are no tree, scored as they are: {result.not_trees}")
    tell(lines, quiet)
    caution(line for line in (results[0].unfound,) if line)


def _sheet(result: Evaluation, confusion: bool) -> Sheet:
    """An evaluation: its scores, or what was asked for instead of them."""
    most_confused = [[*row] for row in result.confusion[:MOST_CONFUSED]]
    content = _content(result)
    if confusion:
        header = ["gold", "predicted", "words"]
        content["confusion"] = [dict(zip(header, row, strict=True)) for row in most_confused]
        return Sheet(header, most_confused, content)
    if result.by:
        names = ["uas", "las"] + (["precision", "recall", "f1"] if result.by == "deprel" else [])
        groups = [[label, arcs, *(values[name] for name in names)] for label, arcs, values in result.groups]
        content["groups"] = [{result.by: label, "arcs": arcs, **values} for label, arcs, values in result.groups]
        return Sheet([result.by, "arcs", *names], groups, content)
    return of_values(_counts(result), result.values, content)


def _counts(result: Evaluation) -> dict[str, int]:
    """How many sentences and words count, and how many don't."""
    counted = {"sentences": result.sentences, "words": result.words}
    counted |= {"predicted words": result.predicted_words} if result.predicted_words != result.words else {}
    return counted | counts(result.left_out, result.removed)


def _content(result: Evaluation) -> dict[str, Any]:
    """The scores for JSON, and what they are of."""
    about = ("sentences", "words", "left_out", "removed", "without_head", "not_trees")
    scores = {}
    for name, score in result.values.items():
        of = {"value": score.value, "right": score.right, "of": score.of, "of_predicted": score.of_predicted}
        scores[name] = {**of, **uncertainty(score), "signature": score.signature}
    return {**{name: getattr(result, name) for name in about}, "scores": scores}


def _compared(result: Contrasts, names: list[str]) -> Sheet:
    """Two predictions side by side."""
    scores, rows = {}, []
    for name, found in result.values.items():
        numbers, test = difference(found), found.test
        tested = {name: getattr(test, name) for name in ("only_first", "only_second", "p_value")} if test else {}
        scores[name] = {**numbers, **tested, "signature": found.signature}
        cells = [test.only_first, test.only_second, PValue(test.p_value)] if test else ["", "", ""]
        rows.append([name, *flat(numbers), *cells, found.signature])
    sides = result.sides
    content: dict[str, Any] = dict(zip(("first", "second"), names, strict=True))
    content |= {name: getattr(sides[0], name) for name in ("sentences", "words", "left_out", "removed")}
    content |= {name: [getattr(side, name) for side in sides] for name in ("without_head", "not_trees")}
    header = ["what", *names, "difference", "low", "high", "only first right", "only second right", "p", "signature"]
    facts = {what: (count, count) for what, count in _counts(sides[0]).items()}
    return Sheet(header, rows, {**content, "scores": scores}, facts)
