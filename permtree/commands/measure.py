"""`permtree measure`."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import click

from ..configuration import setting
from ..errors import UsageError
from ..measures import MEASURES, Conventions
from ..measuring.collector import GROUPINGS, OF_ARCS, Collector, Measurement
from ..measuring.files import collect_files
from ..parallel.pieces import Workers
from ..profiles import DEFAULT_PROFILE, PROFILES, profile_with
from ..tables import as_json, or_none, rendered
from ..treebank.policies import Policies, no_punctuation
from . import FILES, at_work, caution, inputs, progress, tell, tell_skipped, warn
from .options import WORK, Work, intervals, options_of, seed_of_resamples
from .sheets import FORMAT

_MOVED_PUNCTUATION = (
    "this treebank was permuted with --punct keep, so punctuation moved into its sentences, and this profile leaves "
    "such sentences out; permute with `--profile gulordava-merlo-2016`, or measure with `--punct strip`"
)


@dataclass(frozen=True)
class MeasureOptions:
    """What is to be printed about the treebank."""

    names: tuple[str, ...] = setting(
        (), "May be repeated. See `permtree list measures`.", option="measure", repeated=True, metavar="NAME"
    )
    everything: bool = setting(False, "All measures.", option="all")
    by: str | None = setting(
        None,
        "A row for each sentence, relation, sentence length, file or displacement (place of a dependent less that of "
        "its head).",
        choices=GROUPINGS,
    )
    ci: int | None = intervals()
    compare: str | None = setting(
        None, "Beside another treebank, with differences and their intervals.", metavar="OTHER"
    )
    equal_size: int | None = setting(None, "Means over samples of N sentences.", within=(1, None), metavar="N")
    curve: bool = setting(False, "Means over samples of 50, 100, 200 ... sentences.")
    repeats: int | None = setting(None, "Samples of one size [20].", within=(1, None), metavar="R")
    seed: int | None = seed_of_resamples()


@click.command(name="measure")
@FILES
@click.option("--profile", default=DEFAULT_PROFILE, show_default=True, metavar="NAME", help=f"{', '.join(PROFILES)}.")
@options_of("asked", MeasureOptions, whole=True)
@options_of("settings", Conventions, Policies, but=lambda one: one.metadata.get("of_order", False))
@FORMAT
@WORK
def command(
    files: tuple[str, ...], profile: str, asked: MeasureOptions, settings: dict[str, Any], style: str, work: Work
) -> int:
    """Measure treebanks: sentences and words, what is left out and why, and by default the mean sentence length, the
    DLM ratio and the arc-direction entropy.

    Several FILES are measured as one treebank (`--by file`: each by itself too). A profile sets conventions and
    policies; single options replace one of them. Every value comes with a signature that says how it was made.
    --ci, --compare, --equal-size and --curve draw sentences: how sure a value is, and how it hangs on the size.
    """
    chosen = profile_with(profile, **settings)
    names, by = asked.names, asked.by
    if asked.everything:
        names = tuple(name for name in MEASURES.names() if by not in OF_ARCS or MEASURES[name].by_arc)
    _check_together(asked)
    single = any((asked.ci, asked.compare, asked.equal_size, asked.curve))
    paths = inputs(files)
    if asked.compare:
        inputs((*paths, asked.compare))  # both can't be standard input

    with at_work(work) as workers:

        def collected(*paths: str) -> Collector:
            return _collected(paths, Collector(names, chosen, by, single), workers, work)

        collector = collected(*paths)
        other = collected(*inputs((asked.compare,))) if asked.compare else None
    click.echo(_text(collector, other, asked, "+".join(paths), style), nl=False)
    return 0


def _text(collector: Collector, other: Collector | None, asked: MeasureOptions, name: str, style: str) -> str:
    """What was measured in the format that was asked for."""
    seed = asked.seed or 0
    if asked.compare and other:
        from ..measuring.comparing import RESAMPLES, compare_collected

        return _compared(compare_collected(collector, other, asked.ci or RESAMPLES, seed), name, asked.compare, style)
    if asked.curve:
        from ..measuring.resampling import REPEATS, learning_curve

        return _curve(learning_curve(collector, asked.repeats or REPEATS, seed), collector, style)
    return formatted(_measurement(collector, asked), asked.by, style)


def _check_together(asked: MeasureOptions) -> None:
    """UsageError for options that say nothing together."""
    given = [("--compare", asked.compare), ("--equal-size", asked.equal_size), ("--curve", asked.curve)]
    ways = [name for name, value in given if value] + (["--ci"] if asked.ci and not asked.compare else [])
    if len(ways) > 1:
        raise UsageError(f"{' and '.join(ways)}: one at a time")
    if asked.by and ways:
        out = f"leave --by {asked.by} out, or measure its parts one by one"
        raise UsageError(f"{ways[0]} is about the whole treebank; {out}")
    if asked.repeats and not (asked.equal_size or asked.curve):
        raise UsageError("--repeats: of samples that --equal-size or --curve draw; neither was asked for")
    if asked.seed is not None and not ways:
        raise UsageError("--seed: of resamples that --ci, --compare, --equal-size or --curve draw; none was asked for")


def _collected(paths: tuple[str, ...], collector: Collector, workers: Workers | None, work: Work) -> Collector:
    """All of some files in a collector, with what is to be said about them on standard error."""
    bar = progress(paths, "measure", work.quiet)
    skipped, permuted_freely = collect_files(paths, collector, warn, work.skip_errors, workers, bar)
    tell_skipped(skipped)
    caution(no_punctuation(collector.profile.policies, collector.tagged))
    if permuted_freely and collector.profile.policies.punct == "exclude":
        tell(["hint: " + _MOVED_PUNCTUATION], work.quiet)
    tell(collector.loss.lines("strip"), work.quiet)
    return collector


def _measurement(collector: Collector, asked: MeasureOptions) -> Measurement:
    if asked.ci:
        from ..measuring.resampling import with_intervals

        return with_intervals(collector, asked.ci, asked.seed or 0)
    if asked.equal_size:
        from ..measuring.resampling import REPEATS, of_equal_size

        return of_equal_size(collector, asked.equal_size, asked.repeats or REPEATS, asked.seed or 0)
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
    return as_json(content)
