"""`permtree plan`."""

from __future__ import annotations

from collections import Counter

import click

from ..legible import in_lines
from ..study.cells import Grid
from ..study.exporting import signature_of
from ..study.shapes import KINDS
from ..study.store import Store
from ..tables import rendered
from . import ONLY, STUDY, TREEBANKS, opened, tell_absent


@click.command(name="plan")
@STUDY
@click.option("-o", "--output", metavar="FOLDER", help="Where the results are [STUDY.results here].")
@TREEBANKS
@ONLY
def command(study: str, output: str | None, treebanks: str | None, only: tuple[str, ...]) -> int:
    """Print the grid of STUDY, a TOML file: what is done and what `permtree run` would compute."""
    grid, folder = opened(study, output, treebanks)
    store = Store(folder)
    click.echo(in_lines(_grid(grid, store, only)), nl=False)
    return 1 if tell_absent(grid) else 0


def _grid(grid: Grid, store: Store, only: tuple[str, ...]) -> str:
    """A row for each treebank and order: done of all cells, by kind."""
    chosen = grid.chosen(only)
    cells: dict[tuple[str, str], Counter[str]] = {}
    done: dict[tuple[str, str], Counter[str]] = {}
    for cell in chosen:
        place = (cell.place["treebank"], cell.place["order"])
        cells.setdefault(place, Counter())[cell.kind] += 1
        done.setdefault(place, Counter())[cell.kind] += store.has(cell)
    rows = [[*place, *(_share(done[place][kind], cells[place][kind]) for kind in KINDS)] for place in cells]
    n_done = sum(sum(counts.values()) for counts in done.values())
    table = rendered(["treebank", "order", *KINDS], rows, "table") + "\n" if rows else ""
    counts = f"{n_done} cells done, {len(chosen) - n_done} to compute, in {store.folder}"
    return f"{table}{counts}\n{signature_of(grid)}\n"


def _share(done: int, of: int) -> str:
    return f"{done}/{of}" if of else "-"
