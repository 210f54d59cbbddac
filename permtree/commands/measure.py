"""`permtree measure`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import click

from ..configuration import setting
from ..errors import UsageError
from ..measures import MEASURES, Conventions
from ..measuring.collector import Collector, Measurement
from ..measuring.files import collect_files
from ..measuring.groupings import GROUPINGS
from ..parallel.pieces import Workers
from ..profiles import DEFAULT_PROFILE, PROFILES, profile_with
from ..treebank.policies import Policies, no_punctuation
from . import FILES, at_work, caution, inputs, progress, tell, tell_skipped, warn
from .options import WORK, Work, intervals, options_of, seed_of_resamples
from .sheets import FORMAT, Sheet, counts, difference, flat, of_values, uncertainty

if TYPE_CHECKING:
    from ..measuring.comparing import Comparison
    from ..measuring.resampling import CurvePoint

_MOVED_PUNCTUATION = (
    "this treebank was permuted with --punct keep, so punctuation moved into its sentences, and this profile leaves "
    "such sentences out; permute with `--profile gulordava-merlo-2016`, or measure with `--punct strip`"
)
_TOO_LOW = (
    "its interval is of the population's value and lies above that of the sample, which is too low, as small samples "
    "are; `--estimator chao-shen` corrects the value, too"
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
        choices=tuple(GROUPINGS),
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
        of_arcs = by is not None and GROUPINGS[by].of_arcs
        names = tuple(name for name in MEASURES.names() if MEASURES[name].by_arc or not of_arcs)
    _check_together(asked)
    single = any((asked.ci, asked.compare, asked.equal_size, asked.curve))
    paths = inputs(files)
    if asked.compare:
        inputs((*paths, asked.compare))  # both can't be standard input

    with at_work(work) as workers:

        def collected(*paths: str) -> Collector:
            return _collected(paths, Collector(names, chosen, by, single, bool(asked.compare)), workers, work)

        collector = collected(*paths)
        other = collected(*inputs((asked.compare,))) if asked.compare else None
    click.echo(_sheet(collector, other, asked, "+".join(paths), work.quiet).text(style), nl=False)
    return 0


def _sheet(collector: Collector, other: Collector | None, asked: MeasureOptions, name: str, quiet: bool) -> Sheet:
    """What was measured, as it was asked for."""
    seed = asked.seed or 0
    if asked.compare and other:
        from ..measuring.comparing import RESAMPLES, compare_collected

        return _compared(compare_collected(collector, other, asked.ci or RESAMPLES, seed), name, asked.compare)
    if asked.curve:
        from ..measuring.resampling import REPEATS, learning_curve

        return _curve(learning_curve(collector, asked.repeats or REPEATS, seed), collector)
    return sheet_of(_measurement(collector, asked, quiet))


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


def _measurement(collector: Collector, asked: MeasureOptions, quiet: bool) -> Measurement:
    if asked.ci:
        from ..measuring.resampling import with_intervals

        result = with_intervals(collector, asked.ci, asked.seed or 0)
        beyond = [name for name, own in result.items() if own.interval and own.value < own.interval[0]]
        tell([f"hint: {name}: {_TOO_LOW}" for name in beyond], quiet)
        return result
    if asked.equal_size:
        from ..measuring.resampling import REPEATS, of_equal_size

        return of_equal_size(collector, asked.equal_size, asked.repeats or REPEATS, asked.seed or 0)
    return collector.result()


def sheet_of(result: Measurement) -> Sheet:
    """A measurement: its values, or a row a group where it is taken apart."""
    about = ("sentences", "words", "kept_sentences", "kept_words")
    content = {name: getattr(result, name) for name in (*about, "left_out", "removed")}
    content["measures"] = {
        name: {"value": own.value, **uncertainty(own), "signature": own.signature} for name, own in result.items()
    }
    if result.by:
        return _by_group(result, result.by, content)
    facts = {name: getattr(result, name) for name in about} | counts(result.left_out, result.removed)
    return of_values(facts, result, content)


def _by_group(result: Measurement, by: str, content: dict[str, Any]) -> Sheet:
    """A measurement taken apart."""
    counted = "arcs" if GROUPINGS[by].of_arcs else "sentences"
    names = ["number", "sent_id"] if by == "sentence" else [by]
    labels = [[*label] if by == "sentence" else [label] for label, _, _ in result.groups]
    content["groups"] = [
        {**dict(zip(names, label, strict=True)), counted: size, "measures": values}
        for label, (_, size, values) in zip(labels, result.groups, strict=True)
    ]
    header, whole = list(names), sum(size for _, size, _ in result.groups)
    if by != "sentence":
        header.append(counted)
        labels = [[*label, size] for label, (_, size, _) in zip(labels, result.groups, strict=True)]
    if by == "displacement":
        header.append("share")
        labels = [[*cells, cells[1] / whole] for cells in labels]
    rows = [[*cells, *values.values()] for cells, (_, _, values) in zip(labels, result.groups, strict=True)]
    return Sheet(header + [*result], rows, content)


def _compared(result: Comparison, first: str, second: str) -> Sheet:
    """A comparison."""
    differences, rows = {}, []
    for name, found in result.differences.items():
        differences[name] = {**difference(found), "signature": found.signature}
        rows.append([name, *flat(difference(found)), found.signature])
    content = {"first": first, "second": second, "sentences": result.sentences, "paired": result.paired}
    content["displacements"] = [dict(sorted(side.items())) for side in result.displacements]
    content |= {"measures": differences, "wasserstein": result.wasserstein}
    signature = "Wasserstein distance over all arcs of kept sentences, words"
    how = "resamples draw pairs" if result.paired else "nothing is paired: each side is drawn by itself"
    rows.append(["edge displacement", "", "", result.wasserstein, "", "", signature])
    if result.orders:
        content["orders"], of_orders = _orders(result)
        rows += of_orders
    rows.append(["kept sentences", *result.sentences])
    rows.append(["paired sentences", result.paired, result.paired, "", "", "", how])
    return Sheet(["what", first, second, "difference", "low", "high", "signature"], rows, content)


def _orders(result: Comparison) -> tuple[dict[str, Any], list[list[Any]]]:
    """How far the orders of paired sentences are apart: for JSON, and as rows."""
    from ..measuring.orders import WHAT

    orders = result.orders
    assert orders is not None
    found: dict[str, Any] = {"sentences": len(orders.words), "unjoined": orders.unjoined}
    rows = []
    of = f"of {len(orders.words)} pairs of sentences"
    without = f"; of {orders.unjoined} more the words have no original ids in common" if orders.unjoined else ""
    for name, value in orders.values.items():
        found[name] = {"value": value, "interval": result.order_intervals[name]}
        row = [name.replace("_", " "), "", "", value, *result.order_intervals[name], f"{WHAT[name]}; {of}{without}"]
        rows.append(row)
    found |= {name: getattr(orders, name).tolist() for name in ("words", "swaps", "displacement")}
    return found, rows


def _curve(points: list[CurvePoint], collector: Collector) -> Sheet:
    """A learning curve."""
    names = [measure.name for measure in collector.measures]
    listed = []
    for point in points:
        values = {name: dict(zip(("mean", "deviation"), own, strict=True)) for name, own in point.values.items()}
        listed.append({"sentences": point.sentences, "repeats": point.repeats, "measures": values})
    header = ["sentences", "repeats", *(title for name in names for title in (name, "deviation"))]
    rows = [[p.sentences, p.repeats, *(cell for name in names for cell in p.values[name])] for p in points]
    signatures = {measure.name: collector.signature(measure) for measure in collector.measures}
    return Sheet(header, rows, {"curve": listed, "signatures": signatures})
