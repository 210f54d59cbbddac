"""`permtree report`."""

from __future__ import annotations

from pathlib import Path

import click

from ..conllu.files import atomic_output, check_output
from ..document.formats import rendered_report
from ..document.html import check_html, html_report
from ..pairing.analyzing import RESAMPLES
from ..report.building import SENTENCES, report_of
from ..study.exporting import FILES
from ..study.results import read_results
from . import tell
from .options import QUIET


@click.command(name="report")
@click.argument("folder", type=click.Path())
@click.option("-o", "--output", metavar="FILE", help="Write here [FOLDER/report.html; standard output if not HTML].")
@click.option(
    "--format",
    "style",
    default="html",
    show_default=True,
    type=click.Choice(["html", "markdown", "tsv", "latex"]),
    help="html: one page with figures and a browser of minimal pairs.",
)
@click.option(
    "--resamples",
    default=RESAMPLES,
    show_default=True,
    type=click.IntRange(1),
    help="Resamples of intervals and tests.",
)
@click.option(
    "--sentences",
    default=SENTENCES,
    show_default=True,
    type=click.IntRange(0),
    help="Sentences to browse of each pair of orders, those that differ most; 0: none.",
)
@QUIET
def command(folder: str, output: str | None, style: str, resamples: int, sentences: int, quiet: bool) -> int:
    """Make tables, figures, tests and a page of the results that `permtree run` left in FOLDER.

    The tables are those of Gulordava & Merlo (2016), with their figures beside where a treebank is one of theirs, and
    their findings one by one. The page needs no network; it holds sentences of the treebanks, whose licences count.
    """
    check_output(output, [str(Path(folder) / name) for name in FILES])
    if style == "html":
        check_html()
    results = read_results(folder)
    report = report_of(results, resamples, sentences)
    text = html_report(report) if style == "html" else rendered_report(report, style)
    path = output or (str(results.folder / "report.html") if style == "html" else "-")
    with atomic_output(path, follow=output is not None) as out:
        out.write(text.encode("utf-8"))
    if path != "-":
        tell([path], quiet)
    return 0
