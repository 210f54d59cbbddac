"""`permtree convert`."""

from __future__ import annotations

import click

from ..conllu.files import atomic_output
from ..editing.converting import FORMATS, convert_files
from ..errors import Finding
from . import FILES, OUTPUT, inputs, output_of, progress, tell, tell_skipped, warn
from .options import ONE_PROCESS, Work


@click.command(name="convert")
@FILES
@click.option("--to", required=True, type=click.Choice(FORMATS), help="What to write.")
@OUTPUT
@ONE_PROCESS
def command(files: tuple[str, ...], to: str, output: str | None, work: Work) -> int:
    """Write CoNLL-X as CoNLL-U, or CoNLL-U as CoNLL-X.

    PHEAD and PDEPREL of CoNLL-X are PHead and PDeprel in MISC of CoNLL-U. What the other format can't hold is left out
    and counted.
    """
    paths = inputs(files)
    skipped: list[Finding] = []
    with atomic_output(output_of(paths, output)) as out:
        bar = progress(paths, "convert", work.quiet)
        counts = convert_files(paths, to, out, warn, bar, skipped if work.skip_errors else None)
    tell_skipped(skipped)
    tell([f"converted {counts.pop('sentences', 0)} sentences, {counts.pop('words', 0)} words"], work.quiet)
    tell([f"{name}: {value}" for name, value in counts.items() if value], work.quiet)
    return 0
