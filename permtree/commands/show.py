"""`permtree show`."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Iterator

import click

from ..conllu.files import atomic_output, check_output
from ..errors import UsageError
from ..parallel.pieces import read_pieces
from ..pictures.drawing import LAYOUTS, draw_text
from ..pictures.picture import Picture, find, pair, partner
from ..pictures.svg import draw_svg
from ..treebank import Treebank
from . import inputs, tell_skipped, warn
from .options import SKIP_ERRORS

_WIDTH = 100  # columns, where standard output is no terminal


@click.command(name="show")
@click.argument("file", type=click.Path(allow_dash=True))
@click.option("--sentence", metavar="ID", help="Its sent_id, or its number in the file, from 1.")
@click.option(
    "--against",
    metavar="OTHER",
    type=click.Path(allow_dash=True),
    help="A file with another version of the sentence: permuted (its words are known by Orig=), or with other heads.",
)
@click.option("--against-sentence", metavar="ID", help="The sentence in OTHER, if its id is another.")
@click.option("--svg", metavar="OUT", help="Write a picture to this file, too; - for standard output, and no text.")
@click.option(
    "--layout",
    type=click.Choice(LAYOUTS),
    default="auto",
    help="Words in a row (horizontal), or one a line (vertical). auto: horizontal if the terminal is wide enough.",
)
@click.option("--width", type=click.IntRange(min=1), help=f"Columns; else those of the terminal, or {_WIDTH}.")
@SKIP_ERRORS
def command(
    file: str,
    sentence: str | None,
    against: str | None,
    against_sentence: str | None,
    svg: str | None,
    layout: str,
    width: int | None,
    skip_errors: bool,
) -> None:
    """Draw the dependency tree of a sentence, or two versions of it with lines that join the same words.

    Arrow heads are at dependents. Words stand in the order of their ids from left to right, those of scripts that run
    from right to left, too. Joined words with another head are marked ✗, with another relation only ≠. Heads that are
    no tree are drawn as they are, with a warning. Ranges (3-4) and empty nodes (3.1) are not shown. Time and
    memory: words times levels of the picture, which has so many cells.
    """
    check_output(svg, inputs((file, against) if against else (file,)))
    if against is None and against_sentence is not None:
        raise UsageError("--against-sentence: name its file with --against")
    shown = Picture(find(_parts(file, skip_errors), sentence))
    if against is not None:
        other = partner(shown.first) if against_sentence is None else against_sentence
        shown = pair(shown.first, find(_parts(against, skip_errors), other))
    for side in shown.sentences:
        if side.finding:
            warn(side.finding)
    if svg is not None:
        with atomic_output(svg) as out:
            out.write(draw_svg(shown).encode("utf-8"))
    if svg != "-":
        click.echo(draw_text(shown, width or _terminal_width(), layout).encode("utf-8"), nl=False)


def _parts(path: str, skip_errors: bool) -> Iterator[Treebank]:
    for _, text, findings in read_pieces((path,), warn, skip_errors):
        tell_skipped(findings)
        yield Treebank.from_text(text)


def _terminal_width() -> int:
    return shutil.get_terminal_size((_WIDTH, 24)).columns if sys.stdout.isatty() else _WIDTH
