"""`permtree invert`."""

from __future__ import annotations

import click

from ..editing.inverting import invert_files
from . import FILES, IN_PLACE, OUTPUT, inputs, output_of, progress, tell, warn, written_to
from .options import QUIET


@click.command(name="invert")
@FILES
@OUTPUT
@IN_PLACE
@QUIET
def command(files: tuple[str, ...], output: str | None, in_place: bool, quiet: bool) -> int:
    """Undo a permutation: the original bytes.

    FILES were written by `permtree permute` (of several permutations one after the other, the last is undone). What a
    policy removed or left out is not in them; the report says what is missing.
    """
    paths = inputs(files)
    with written_to(output_of(paths, output, in_place), in_place) as out:
        counts = invert_files(paths, out, warn, progress(paths, "invert", quiet))
    tell([f"inverted {counts.pop('sentences', 0)} sentences"], quiet)
    tell([f"{name}: {value}" if value else name for name, value in counts.items()], quiet)
    return 0
