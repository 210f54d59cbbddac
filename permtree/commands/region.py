"""`permtree region`: which pairs of DLM ratio and arc-direction entropy `permute --mode match` can reach."""

from __future__ import annotations

from typing import Any

import click

from ..errors import Finding
from ..permuters.dials import CORNERS, region
from ..permuting import core_of
from ..profiles import policies_with
from ..treebank import Treebank
from . import FILES, POLICIES, inputs, tell, tell_skipped, warn
from .options import ONE_PROCESS, ORDER, Order, Work
from .sheets import FORMAT, Sheet


@click.command(name="region")
@FILES
@ORDER
@POLICIES
@FORMAT
@ONE_PROCESS
def command(files: tuple[str, ...], order: Order, policies: dict[str, Any], style: str, work: Work) -> int:
    """Print the DLM ratio and the arc-direction entropy (nats) that `permtree permute --mode match` can reach for a
    treebank: the text itself, the corners of the region, and a grid over it by the two dials.

    Policies and seed are those that you will permute with. Time: some hundred passes over all trees, a step for each
    level: linear in words, but a minute and more for one chain of 12,500 words. Docs: docs/orders.md.
    """
    chosen = policies_with(order.profile, **policies)
    skipped: list[Finding] = []

    def report(finding: Finding) -> None:
        skipped.append(finding) if finding.is_error else warn(finding)

    treebank = Treebank.read(*inputs(files), skip_errors=work.skip_errors, report=report)
    trees, findings = treebank.trees_only(work.skip_errors)
    tell_skipped(skipped + findings)
    core = core_of(trees, chosen)
    tell([f"of {core.n_sentences} sentences, {core.n_words} words"], work.quiet)
    points = region(core, order.seed)
    rows: list[list[Any]] = [["the text", "", "", *points.text]]
    rows += [[CORNERS[place], *place, *reached] for place, reached in points.grid.items() if place in CORNERS]
    rows += [["", *place, *reached] for place, reached in points.grid.items() if place not in CORNERS]
    header = ["what", "length dial", "entropy dial", "dlm_ratio", "arc_direction_entropy"]
    listed = [dict(zip(header, row, strict=True)) for row in rows]
    click.echo(Sheet(header, rows, listed).text(style), nl=False)
    return 0
