"""`permtree plan`."""

from __future__ import annotations

from collections import Counter

import click

from ..errors import PermtreeError
from ..legible import in_lines
from ..study.cells import Grid
from ..study.exporting import signature_of
from ..study.preparing import COUNTS, notes_on, prepared, read_sources
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
    click.echo(in_lines(_grid(grid, store, only) + _parts(grid, store) + _end(grid, store, only)), nl=False)
    return 1 if tell_absent(grid) else 0


def _parts(grid: Grid, store: Store) -> str:
    """A row for each part of each treebank, with what the policies keep of it; and what a user should know."""
    rows, notes = [], []
    for name, entry in grid.study.treebanks.items():
        cells = [cell for cell in grid.cells if cell.kind == "permute" and cell.place["treebank"] == name]
        if not cells:
            continue
        done = next(filter(store.has, cells), None)
        try:
            if done is not None:
                parts = store.value(done)["parts"]
            else:
                read = read_sources(entry, grid.study.folder)
                parts = {part: own.about for part, own in prepared(read, entry, grid.study.profile.policies).items()}
        except PermtreeError as error:
            notes.append(f"{name}: {error}")
            continue
        rows += [[name, part, *(parts[part][count] for count in COUNTS)] for part in entry.parts()]
        notes += notes_on(name, entry, parts)
    header = ["treebank", "part", "sentences kept", "words kept", "sentences", "words", "also in training"]
    return "\n".join([rendered(header, rows, "table"), *notes, ""]) if rows or notes else ""


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
    return rendered(["treebank", "order", *KINDS], rows, "table") + "\n" if rows else ""


def _end(grid: Grid, store: Store, only: tuple[str, ...]) -> str:
    chosen = grid.chosen(only)
    n_done = sum(map(store.has, chosen))
    return f"{n_done} cells done, {len(chosen) - n_done} to compute, in {store.folder}\n{signature_of(grid)}\n"


def _share(done: int, of: int) -> str:
    return f"{done}/{of}" if of else "-"
