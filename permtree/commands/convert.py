"""`permtree convert`."""

from __future__ import annotations

import click

from ..conllu.files import atomic_output
from ..editing.converting import FORMATS, convert_file
from . import OUTPUT, output_of, progress, tell, warn
from .options import QUIET


@click.command(name="convert")
@click.argument("file", default="-", type=click.Path(allow_dash=True))
@click.option("--to", required=True, type=click.Choice(FORMATS), help="What to write.")
@OUTPUT
@QUIET
def command(file: str, to: str, output: str | None, quiet: bool) -> int:
    """Write CoNLL-X as CoNLL-U, or CoNLL-U as CoNLL-X.

    PHEAD and PDEPREL of CoNLL-X are PHead and PDeprel in MISC of CoNLL-U. What the other format can't hold is left out
    and counted.
    """
    with atomic_output(output_of((file,), output)) as out:
        counts = convert_file(file, to, out, warn, progress((file,), "convert", quiet))
    tell([f"converted {counts.pop('sentences', 0)} sentences, {counts.pop('words', 0)} words"], quiet)
    tell([f"{name}: {value}" for name, value in counts.items() if value], quiet)
    return 0
