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
from ..tables import as_json, or_none, p_shown, rendered
from ..treebank import Treebank
from . import caution, caution_of_orders, inputs, tell, tell_skipped, warn
from .of_parsers import COUNTED, Counted
from .options import ONE_PROCESS, Work, intervals, options_of, seed_of_resamples
from .sheets import FORMAT

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
        text = _compared(compared, paths[1:], style)
    else:
        result = evaluate(true, predictions[0], counted.convention, asked.ci, seed, by=asked.by, **scoring)
        _tell_faults((result,), predictions, work.quiet)
        text = _formatted(result, asked.confusion, style)
    click.echo(text, nl=False)
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


def _formatted(result: Evaluation, confusion: bool, style: str) -> str:
    """An evaluation as a table for people, Markdown, TSV or JSON; ends in a newline."""
    most_confused = result.confusion[:MOST_CONFUSED]
    if style == "json":
        return _json(_as_json(result, most_confused if confusion else None))
    if confusion:
        return rendered(["gold", "predicted", "words"], [[*row] for row in most_confused], style)
    if result.by:
        names = ["uas", "las"] + (["precision", "recall", "f1"] if result.by == "deprel" else [])
        groups = [[label, arcs, *(values[name] for name in names)] for label, arcs, values in result.groups]
        return rendered([result.by, "arcs", *names], groups, style)
    uncertain = any(score.interval for score in result.values.values())
    blank = ["", ""] if uncertain else []
    rows: list[list[Any]] = [[what, count, *blank, ""] for what, count in _counts(result).items()]
    for name, score in result.values.items():
        rows.append([name, score.value, *(score.interval or ()), score.signature])
    return rendered(["what", "value", *(["low", "high"] if uncertain else []), "signature"], rows, style)


def _counts(result: Evaluation) -> dict[str, int]:
    """How many sentences and words count, and how many don't."""
    counts = {"sentences": result.sentences, "words": result.words}
    counts |= {"predicted words": result.predicted_words} if result.predicted_words != result.words else {}
    counts |= {f"left out: {reason}": count for reason, count in result.left_out.items()}
    return counts | {f"removed words: {what}": count for what, count in result.removed.items()}


def _as_json(result: Evaluation, confusion: list[tuple[str, str, int]] | None) -> dict[str, Any]:
    content: dict[str, Any] = {"sentences": result.sentences, "words": result.words}
    content |= {"left_out": result.left_out, "removed": result.removed}
    content |= {"without_head": result.without_head, "not_trees": result.not_trees, "scores": {}}
    for name, score in result.values.items():
        entry: dict[str, Any] = {"value": or_none(score.value), "right": score.right, "of": score.of}
        entry["of_predicted"] = score.of_predicted
        if score.interval:
            entry["interval"] = [or_none(end) for end in score.interval]
        content["scores"][name] = {**entry, "signature": score.signature}
    if result.by:
        content["groups"] = [
            {result.by: label, "arcs": arcs, **{name: or_none(value) for name, value in values.items()}}
            for label, arcs, values in result.groups
        ]
    if confusion is not None:
        content["confusion"] = [{"gold": gold, "predicted": pred, "words": words} for gold, pred, words in confusion]
    return content


def _compared(result: Contrasts, names: list[str], style: str) -> str:
    """Two predictions side by side in one of the formats."""
    sides = result.sides
    if style == "json":
        scores = {}
        for name, found in result.values.items():
            numbers = {"first": found.first, "second": found.second, "difference": found.difference}
            entry: dict[str, Any] = {key: or_none(number) for key, number in numbers.items()}
            entry["interval"] = [or_none(end) for end in found.interval]
            if found.test:
                test = found.test
                entry |= {"only_first": test.only_first, "only_second": test.only_second, "p_value": test.p_value}
            scores[name] = {**entry, "signature": found.signature}
        content = {"first": names[0], "second": names[1], "sentences": sides[0].sentences, "words": sides[0].words}
        content |= {"left_out": sides[0].left_out, "removed": sides[0].removed}
        content |= {key: [getattr(side, key) for side in sides] for key in ("without_head", "not_trees")}
        return _json({**content, "scores": scores})
    header = ["what", *names, "difference", "low", "high", "only first right", "only second right", "p", "signature"]
    rows: list[list[Any]] = [[what, count, count, *[""] * 7] for what, count in _counts(sides[0]).items()]
    for name, found in result.values.items():
        cells: list[Any] = ["", "", ""]
        if found.test:
            cells = [found.test.only_first, found.test.only_second, p_shown(found.test.p_value, style)]
        rows.append([name, found.first, found.second, found.difference, *found.interval, *cells, found.signature])
    return rendered(header, rows, style)


def _json(content: Any) -> str:
    return as_json(content)
