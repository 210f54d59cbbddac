"""`permtree run`."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import click

from ..errors import UsageError
from ..study.exporting import export, notes_of
from ..study.running import Pool, run_cells, told
from ..study.store import Store
from ..study.workers import LocalPool
from . import ONLY, STUDY, TREEBANKS, at_most_cores, opened, tell, tell_absent
from .options import QUIET


@click.command(name="run")
@STUDY
@click.option("-o", "--output", metavar="FOLDER", help="Where results go and are looked for [STUDY.results here].")
@TREEBANKS
@ONLY
@click.option("--workers", type=click.IntRange(1), metavar="N", help="Processes on this machine [1].")
@click.option("--dask", metavar="ADDRESS", help="The workers of a Dask cluster instead; the same results.")
@QUIET
def command(
    study: str,
    output: str | None,
    treebanks: str | None,
    only: tuple[str, ...],
    workers: int | None,
    dask: str | None,
    quiet: bool,
) -> int:
    """Compute STUDY, a TOML file: permute, measure, train, predict, evaluate.

    What is done already is never computed again, whatever ended the last run. Results are in FOLDER/results.sqlite and
    in TSV files beside it; `permtree report FOLDER` makes tables, figures and a page of them. Exit status 1 if a cell
    failed or a treebank that is not optional is missing: all others are computed.
    """
    if workers and dask:
        raise UsageError("--workers and --dask: one of them")
    grid, folder = opened(study, output, treebanks)
    cells = grid.chosen(only)
    store = Store(folder)
    with store.locked():
        store.clean()
        for name in store.damaged:
            _warn(f"damaged, computed again: {name}")
        missing = tell_absent(grid)
        try:
            with _pool(workers or 1, dask) as pool:
                summary = run_cells(cells, grid, store, pool, lambda line: tell([line], quiet), _warn)
            for name in grid.study.treebanks:
                tell(notes_of(grid, store, name), quiet)
            tell(told(summary), quiet=quiet and not (summary.failed or summary.full))
        finally:
            export(grid, store)
    if summary.full:
        return 2
    return 1 if summary.failed or missing else 0


def _warn(line: str) -> None:
    tell([line], quiet=False)


@contextmanager
def _pool(workers: int, dask: str | None) -> Iterator[Pool]:
    if dask is not None:
        from ..study.on_cluster import cluster_pool

        with cluster_pool(dask, _warn) as pool:
            yield pool
        return
    own = LocalPool(at_most_cores(workers, "--workers"))
    try:
        yield own
    finally:
        own.close()
