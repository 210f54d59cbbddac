"""`permtree measure`."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import click

from ..errors import UsageError
from ..kernels.entropy import ESTIMATORS
from ..measures import LENGTHS, MEASURES, UNITS
from ..measuring.collector import GROUPINGS, OF_ARCS, Collector, Measurement
from ..measuring.files import collect_files
from ..parallel.pieces import Workers
from ..profiles import DEFAULT_PROFILE, PROFILES, profile_with
from ..tables import FORMATS, or_none, rendered
from ..treebank.policies import no_punctuation
from . import (
    FILES,
    JOBS,
    QUIET,
    SKIP_ERRORS,
    at_work,
    caution,
    inputs,
    policy_options,
    progress,
    tell,
    tell_skipped,
    warn,
)

_MOVED_PUNCTUATION = (
    "this treebank was permuted with --punct keep, so punctuation moved into its sentences, and this profile leaves "
    "such sentences out; permute with `--profile gulordava-merlo-2016`, or measure with `--punct strip`"
)


@click.command(name="measure")
@FILES
@click.option("--profile", default=DEFAULT_PROFILE, show_default=True, metavar="NAME", help=f"{', '.join(PROFILES)}.")
@click.option(
    "--measure", "names", multiple=True, metavar="NAME", help="May be repeated. See `permtree list measures`."
)
@click.option("--all", "everything", is_flag=True, help="All measures.")
@click.option(
    "--by",
    type=click.Choice(GROUPINGS),
    help="A row for each sentence, relation, sentence length, file or displacement (place of a dependent less that of "
    "its head).",
)
@click.option("--format", "style", default="table", show_default=True, type=click.Choice(FORMATS))
@click.option("--length", type=click.Choice(LENGTHS), help="distance |i-j|; span |i-j|+1; span+root: one more a root.")
@click.option("--unit", type=click.Choice(UNITS), help="Of entropies.")
@click.option("--estimator", type=click.Choice(ESTIMATORS), help="Of entropies.")
@click.option("--ci", type=click.IntRange(1), metavar="N", help="95% bootstrap intervals over sentences, N resamples.")
@click.option("--compare", metavar="OTHER", help="Beside another treebank, with differences and their intervals.")
@click.option("--equal-size", type=click.IntRange(1), metavar="N", help="Means over samples of N sentences.")
@click.option("--curve", is_flag=True, help="Means over samples of 50, 100, 200 ... sentences.")
@click.option("--repeats", type=click.IntRange(1), metavar="R", help="Samples of one size [20].")
@click.option("--seed", type=click.IntRange(0), help="Of resamples [0].")
@policy_options
@JOBS
@SKIP_ERRORS
@QUIET
def command(
    files: tuple[str, ...],
    profile: str,
    names: tuple[str, ...],
    everything: bool,
    by: str | None,
    style: str,
    length: str | None,
    unit: str | None,
    estimator: str | None,
    ci: int | None,
    compare: str | None,
    equal_size: int | None,
    curve: bool,
    repeats: int | None,
    seed: int | None,
    punct: str | None,
    roots: str | None,
    nonprojective: str | None,
    punct_tag: tuple[str, ...],
    jobs: int | None,
    skip_errors: bool,
    quiet: bool,
) -> int:
    """Measure treebanks: sentences and words, what is left out and why, and by default the mean sentence length, the
    DLM ratio and the arc-direction entropy.

    Several FILES are measured as one treebank (`--by file`: each by itself too). A profile sets conventions and
    policies; single options replace one of them. Every value comes with a signature that says how it was made.
    --ci, --compare, --equal-size and --curve draw sentences: how sure a value is, and how it hangs on the size.
    """
    policies = {"punct": punct, "roots": roots, "nonprojective": nonprojective, "punct_tag": punct_tag}
    chosen = profile_with(profile, length, unit, estimator, **policies)
    if everything:
        names = tuple(name for name in MEASURES.names() if by not in OF_ARCS or MEASURES[name].by_arc)
    _check_together(by, ci, compare, equal_size, curve, repeats, seed)
    single = any((ci, compare, equal_size, curve))
    paths = inputs(files)
    if compare:
        inputs((*paths, compare))  # both can't be standard input

    with at_work(jobs) as workers:

        def collected(*paths: str) -> Collector:
            return _collected(paths, Collector(names, chosen, by, single), workers, skip_errors, quiet)

        collector = collected(*paths)
        other = collected(*inputs((compare,))) if compare else None
    if compare and other:
        from ..measuring.comparing import RESAMPLES, compare_collected

        result = compare_collected(collector, other, ci or RESAMPLES, seed or 0)
        text = _compared(result, "+".join(paths), compare, style)
    elif curve:
        from ..measuring.resampling import REPEATS, learning_curve

        text = _curve(learning_curve(collector, repeats or REPEATS, seed or 0), collector, style)
    else:
        text = formatted(_measurement(collector, ci, equal_size, repeats, seed or 0), by, style)
    click.echo(text, nl=False)
    return 0


def _check_together(
    by: str | None,
    ci: int | None,
    compare: str | None,
    equal_size: int | None,
    curve: bool,
    repeats: int | None,
    seed: int | None,
) -> None:
    """UsageError for options that say nothing together."""
    given = [("--compare", compare), ("--equal-size", equal_size), ("--curve", curve)]
    ways = [name for name, value in given if value] + (["--ci"] if ci and not compare else [])
    if len(ways) > 1:
        raise UsageError(f"{' and '.join(ways)}: one at a time")
    if by and ways:
        raise UsageError(f"{ways[0]} is about the whole treebank; leave --by {by} out, or measure its parts one by one")
    if repeats and not (equal_size or curve):
        raise UsageError("--repeats: of samples that --equal-size or --curve draw; neither was asked for")
    if seed is not None and not ways:
        raise UsageError("--seed: of resamples that --ci, --compare, --equal-size or --curve draw; none was asked for")


def _collected(
    paths: tuple[str, ...], collector: Collector, workers: Workers | None, skip_errors: bool, quiet: bool
) -> Collector:
    """All of some files in a collector, with what is to be said about them on standard error."""
    bar = progress(paths, "measure", quiet)
    skipped, permuted_freely = collect_files(paths, collector, warn, skip_errors, workers, bar)
    tell_skipped(skipped)
    caution(no_punctuation(collector.profile.policies, collector.tagged))
    if permuted_freely and collector.profile.policies.punct == "exclude":
        tell(["hint: " + _MOVED_PUNCTUATION], quiet)
    tell(collector.loss.lines("strip"), quiet)
    return collector


def _measurement(
    collector: Collector, ci: int | None, equal_size: int | None, repeats: int | None, seed: int
) -> Measurement:
    if ci:
        from ..measuring.resampling import with_intervals

        return with_intervals(collector, ci, seed)
    if equal_size:
        from ..measuring.resampling import REPEATS, of_equal_size

        return of_equal_size(collector, equal_size, repeats or REPEATS, seed)
    return collector.result()


def formatted(result: Measurement, by: str | None, style: str) -> str:
    """A measurement as a table for people, Markdown, TSV or JSON; ends in a newline."""
    if style == "json":
        return _json(_as_json(result, by))
    if by:
        return rendered(*_group_rows(result, by), style)
    uncertain = [(name, cells) for name, cells in _UNCERTAINTY if any(cells(value) for value in result.values())]
    extra = [title for names, _ in uncertain for title in names]
    header = ["what", "value", *extra, "signature"]
    facts = [(name, getattr(result, name)) for name in ("sentences", "words", "kept_sentences", "kept_words")]
    facts += [(f"left out: {reason}", count) for reason, count in result.left_out.items()]
    facts += [(f"removed words: {what}", count) for what, count in result.removed.items()]
    rows: list[list[Any]] = [[name, count, *[""] * len(extra), ""] for name, count in facts]
    for name, value in result.items():
        cells = [cell for _, of_value in uncertain for cell in of_value(value)]
        rows.append([name, value.value, *cells, value.signature])
    return rendered(header, rows, style)


# Columns for what resampling adds to a value, and how to get their cells (none, if it wasn't asked for)
_UNCERTAINTY: list[tuple[list[str], Callable[[Any], list[float]]]] = [
    (["low", "high"], lambda value: [*value.interval] if value.interval else []),
    (["deviation"], lambda value: [value.deviation] if value.deviation is not None else []),
]


def _group_rows(result: Measurement, by: str) -> tuple[list[str], list[list[Any]]]:
    """Header and rows of a measurement taken apart."""
    labels: list[list[Any]]
    if by == "sentence":
        header, labels = ["number", "sent_id"], [[*label] for label, _, _ in result.groups]
    else:
        header = [by, "arcs" if by in OF_ARCS else "sentences"]
        labels = [[label, size] for label, size, _ in result.groups]
    if by == "displacement":
        header.append("share")
        whole = sum(size for _, size, _ in result.groups)
        labels = [[*cells, cells[1] / whole] for cells in labels]
    rows = [[*cells, *values.values()] for cells, (_, _, values) in zip(labels, result.groups, strict=True)]
    return header + [*result], rows


def _as_json(result: Measurement, by: str | None) -> dict[str, Any]:
    content: dict[str, Any] = {
        name: getattr(result, name)
        for name in ("sentences", "words", "kept_sentences", "kept_words", "left_out", "removed")
    }
    content["measures"] = {}
    for name, value in result.items():
        entry: dict[str, Any] = {"value": or_none(value.value)}
        if value.interval:
            entry["interval"] = [or_none(end) for end in value.interval]
        if value.deviation is not None:
            entry["deviation"] = or_none(value.deviation)
        content["measures"][name] = {**entry, "signature": value.signature}
    if by:
        groups = []
        for label, size, values in result.groups:
            named = {"number": label[0], "sent_id": label[1]} if by == "sentence" else {by: label}
            named["arcs" if by in OF_ARCS else "sentences"] = size
            groups.append({**named, "measures": {name: or_none(value) for name, value in values.items()}})
        content["groups"] = groups
    return content


def _compared(result: Any, first: str, second: str, style: str) -> str:
    """A comparison in one of the formats."""
    if style == "json":
        differences = {}
        for name, found in result.differences.items():
            numbers = {"first": found.first, "second": found.second, "difference": found.difference}
            shown: dict[str, Any] = {key: or_none(number) for key, number in numbers.items()}
            shown["interval"] = [or_none(end) for end in found.interval]
            differences[name] = {**shown, "signature": found.signature}
        content = {"first": first, "second": second, "sentences": result.sentences, "paired": result.paired}
        content["displacements"] = [dict(sorted(side.items())) for side in result.displacements]
        return _json({**content, "measures": differences, "wasserstein": or_none(result.wasserstein)})
    how = "resamples draw pairs" if result.paired else "nothing is paired: each side is drawn by itself"
    rows: list[list[Any]] = []
    for name, found in result.differences.items():
        rows.append([name, found.first, found.second, found.difference, *found.interval, found.signature])
    signature = "Wasserstein distance over all arcs of kept sentences, words"
    rows.append(["edge displacement", "", "", result.wasserstein, "", "", signature])
    rows.append(["kept sentences", *result.sentences, "", "", "", ""])
    rows.append(["paired sentences", result.paired, result.paired, "", "", "", how])
    return rendered(["what", first, second, "difference", "low", "high", "signature"], rows, style)


def _curve(points: list[Any], collector: Collector, style: str) -> str:
    """A learning curve in one of the formats."""
    names = [measure.name for measure in collector.measures]
    if style == "json":
        listed = []
        for point in points:
            values = {
                name: {"mean": or_none(mean), "deviation": or_none(other)}
                for name, (mean, other) in point.values.items()
            }
            listed.append({"sentences": point.sentences, "repeats": point.repeats, "measures": values})
        return _json({"curve": listed, "signatures": {m.name: collector.signature(m) for m in collector.measures}})
    header = ["sentences", "repeats", *(title for name in names for title in (name, "deviation"))]
    rows = [[p.sentences, p.repeats, *(cell for name in names for cell in p.values[name])] for p in points]
    return rendered(header, rows, style)


def _json(content: Any) -> str:
    return json.dumps(content, ensure_ascii=False, indent=2) + "\n"
