"""`permtree measure`."""

from __future__ import annotations

import json
import math
from typing import Any

import click

from ..errors import Finding
from ..measures import LENGTHS, MEASURES, UNITS
from ..measuring import DEFAULT_PROFILE, GROUPINGS, PROFILES, Collector, Measurement, profile_with
from ..stream import read_pieces
from ..treebank import Treebank
from . import FILES, QUIET, SKIP_ERRORS, inputs, policy_options, progress, tell, tell_skipped, warn

_MOVED_PUNCTUATION = (
    "this treebank was permuted with --punct keep, so punctuation moved into its sentences, and this profile leaves "
    "such sentences out; permute with `--profile gulordava-merlo-2016`, or measure with `--profile lal`"
)
FORMATS = ("table", "tsv", "json", "markdown")


@click.command(name="measure")
@FILES
@click.option("--profile", default=DEFAULT_PROFILE, show_default=True, metavar="NAME", help=f"{', '.join(PROFILES)}.")
@click.option(
    "--measure", "names", multiple=True, metavar="NAME", help="May be repeated. See `permtree list measures`."
)
@click.option("--all", "everything", is_flag=True, help="All measures.")
@click.option("--by", type=click.Choice(GROUPINGS), help="A row for each sentence, relation, sentence length or file.")
@click.option("--format", "style", default="table", show_default=True, type=click.Choice(FORMATS))
@click.option("--length", type=click.Choice(LENGTHS), help="distance |i-j|; span |i-j|+1; span+root: one more a root.")
@click.option("--unit", type=click.Choice(UNITS), help="Of entropies.")
@policy_options
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
    punct: str | None,
    roots: str | None,
    nonprojective: str | None,
    punct_tag: str | None,
    skip_errors: bool,
    quiet: bool,
) -> int:
    """Measure treebanks: sentences and words, what is left out and why, and by default the mean sentence length, the
    DLM ratio and the arc-direction entropy.

    Several FILES are measured as one treebank (`--by file`: each by itself too). A profile sets conventions and
    policies; single options replace one of them. Every value comes with a signature that says how it was made.
    """
    policies = {"punct": punct, "roots": roots, "nonprojective": nonprojective, "punct_tag": punct_tag}
    if everything:
        names = tuple(name for name in MEASURES.names() if by != "deprel" or MEASURES[name].kind != "sentence")
    collector = Collector(names, profile_with(profile, length, unit, **policies), by)
    paths = inputs(files)
    skipped: list[Finding] = []
    permuted_freely = False
    pieces = progress(paths, "measure", quiet)(read_pieces(paths, warn, skip_errors), lambda read: len(read[0].data))
    for piece, text, findings in pieces:
        permuted_freely |= b"\n# permtree = " in piece.data and b"|punct:keep|" in piece.data
        findings += collector.add(Treebank.from_text(text), skip_errors, piece.name)
        skipped += sorted(findings, key=lambda finding: finding.line)
    tell_skipped(skipped)
    if permuted_freely and collector.profile.policies.punct == "exclude":
        tell(["hint: " + _MOVED_PUNCTUATION], quiet)
    click.echo(formatted(collector.result(), by, style), nl=False)
    return 0


def formatted(result: Measurement, by: str | None, style: str) -> str:
    """A measurement as a table for people, Markdown, TSV or JSON; ends in a newline."""
    if style == "json":
        return json.dumps(_as_json(result, by), ensure_ascii=False, indent=2) + "\n"
    if by:
        header = (["number", "sent_id"] if by == "sentence" else [by, "arcs" if by == "deprel" else "sentences"]) + [
            *result
        ]
        labels = [[*label] if by == "sentence" else [label, size] for label, size, _ in result.groups]
        rows = [[*label, *values.values()] for label, (_, _, values) in zip(labels, result.groups, strict=True)]
    else:
        header = ["what", "value", "signature"]
        rows = [[name, getattr(result, name), ""] for name in ("sentences", "words", "kept_sentences", "kept_words")]
        rows += [[f"left out: {reason}", count, ""] for reason, count in result.left_out.items()]
        rows += [[f"removed words: {what}", count, ""] for what, count in result.removed.items()]
        rows += [[name, value.value, value.signature] for name, value in result.items()]
    if style == "tsv":
        return "".join("\t".join(_cell(cell, repr) for cell in row) + "\n" for row in [header, *rows])
    from tabulate import tabulate

    shown = [[_cell(cell, _rounded) for cell in row] for row in rows]
    if style == "markdown":
        shown = [[cell.replace("|", "\\|") for cell in row] for row in shown]
    right = [i for i, cell in enumerate(rows[0] if rows else header) if isinstance(cell, (int, float))]
    align = ["right" if i in right else "left" for i in range(len(header))]
    kind = "github" if style == "markdown" else "simple"
    table = tabulate(shown, header, tablefmt=kind, disable_numparse=True, colalign=align if rows else None)
    return table + "\n"


def _rounded(value: float) -> str:
    return f"{value:.0f}" if value >= 1000 and not value % 1 else f"{value:.4f}"


def _cell(cell: Any, number: Any) -> str:
    if isinstance(cell, float):
        return "n/a" if math.isnan(cell) else number(cell)
    return str(cell)


def _as_json(result: Measurement, by: str | None) -> dict[str, Any]:
    content: dict[str, Any] = {
        name: getattr(result, name)
        for name in ("sentences", "words", "kept_sentences", "kept_words", "left_out", "removed")
    }
    content["measures"] = {
        name: {"value": _number(value.value), "signature": value.signature} for name, value in result.items()
    }
    if by:
        groups = []
        for label, size, values in result.groups:
            named = {"number": label[0], "sent_id": label[1]} if by == "sentence" else {by: label}
            named["arcs" if by == "deprel" else "sentences"] = size
            groups.append({**named, "measures": {name: _number(value) for name, value in values.items()}})
        content["groups"] = groups
    return content


def _number(value: float) -> float | None:
    return None if math.isnan(value) else value
