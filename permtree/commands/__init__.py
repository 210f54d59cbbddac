"""The commands of the command line, one a file, and what they share."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import fields
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

import click

from ..bars import BYTES, is_shown, progress_bar
from ..conllu.files import atomic_output, check_output, packing_of
from ..errors import Finding, UsageError
from ..legible import in_a_line
from ..parsing import Parser
from ..treebank.policies import Policies
from .options import Work, options_of

if TYPE_CHECKING:
    from ..parallel.pieces import Workers
    from ..study.cells import Grid
    from ..treebank import Treebank

FILES = click.argument("files", nargs=-1, type=click.Path(allow_dash=True))
STUDY = click.argument("study", type=click.Path())
TREEBANKS = click.option("--treebanks", metavar="FOLDER", help="Where the treebanks are, if not where STUDY says.")
ONLY = click.option(
    "--only",
    multiple=True,
    metavar="PATTERN",
    help="Only cells of this kind, treebank, order, parser or label (la_*.optdl.*), and what they need; repeatable.",
)
OUTPUT = click.option(
    "-o", "--output", metavar="FILE", help="Write here (.gz, .xz, .bz2 compress) instead of standard output."
)
IN_PLACE = click.option("--in-place", is_flag=True, help="Write to FILE itself, when all has gone well.")
POLICIES = options_of("policies", Policies)


def shortcuts(parser: type[Parser], given: dict[str, Any]) -> dict[str, Any]:
    """The options that were given (not None) and stand for a setting of the same name, which the parser must have."""
    chosen = {name: value for name, value in given.items() if value is not None}
    for name in chosen:
        if name not in (field.name for field in fields(parser.Config)):
            raise UsageError(f"--{name}: the parser {parser.name} has no such setting")
    return chosen


@contextmanager
def at_work(work: Work) -> Iterator[Workers | None]:
    """The processes that --jobs asks for; None: this one alone."""
    jobs = work.jobs
    if jobs and jobs > 1:
        from ..parallel.pieces import processes

        with processes(at_most_cores(jobs, "--jobs")) as workers:
            yield workers
    else:
        yield None


def at_most_cores(count: int, option: str) -> int:
    """As many processes as can be at work at once; told where more were asked for."""
    from ..parallel.processes import cores

    if count > cores():
        tell([f"{option} {count}: {cores()} processes, one a processor core"], quiet=False)
    return min(count, cores())


def opened(study: str, output: str | None, treebanks: str | None) -> tuple[Grid, Path]:
    """The grid of a study, and the folder of its results."""
    from ..study.cells import grid_of
    from ..study.reading import read_study

    found = read_study(study, treebanks)
    return grid_of(found), Path(output or f"{found.name}.results")


def tell_absent(grid: Grid) -> bool:
    """A line for each treebank whose files are missing; whether the study can't do without one of them."""
    for name, what in grid.absent.items():
        tell([f"left out: treebank {name}: {what}"], quiet=False)
    if len(grid.absent) == len(grid.optional):
        return False
    tell([f"treebanks are looked for in {grid.study.folder}; name another folder with --treebanks"], quiet=False)
    return True


def inputs(files: tuple[str, ...]) -> tuple[str, ...]:
    """The files to read; standard input if none is named."""
    if files.count("-") > 1:
        raise UsageError("standard input can be read only once: name - once")
    return files or ("-",)


def output_of(paths: tuple[str, ...], output: str | None, in_place: bool = False) -> str | None:
    """Where a command writes what it makes of files: never onto one of them, unless it is asked to work in place."""
    if not in_place:
        check_output(output, paths, "; or say --in-place")
        return output
    if output is not None:
        raise UsageError("-o and --in-place: one of them")
    if len(paths) != 1 or not os.path.isfile(paths[0]):
        raise UsageError("--in-place: name one file")
    return paths[0]


def written_to(target: str | None, in_place: bool) -> AbstractContextManager[IO[bytes]]:
    """`atomic_output`; a file that is written in place stays compressed as it is, or plain, whatever its name."""
    return atomic_output(target, packing=packing_of(target) if in_place and target else None)


def say(line: object, err: bool = True) -> None:
    """One line for people, on standard error or output, whatever those who named files and sentences put into it."""
    click.echo(in_a_line(line), err=err)


def warn(finding: Finding) -> None:
    """A warning, on standard error."""
    say(f"warning: {finding}")


def caution(lines: Iterable[str]) -> None:
    """Warnings that are of no one place, on standard error."""
    for line in lines:
        say(f"warning: {line}")


def caution_of_orders(gold: Treebank, pred: Treebank) -> None:
    """A warning where a prediction carries signatures of another order than gold; a parser may have lost them."""
    from ..permuters.orders import ORIGINAL, orders_of, other_order

    found = orders_of(pred)
    if found != {ORIGINAL}:
        caution(other_order(orders_of(gold), found, f"{pred.text.name}: is", f"{gold.text.name} is in"))


def tell(lines: Iterable[str], quiet: bool) -> None:
    """Lines of a report, on standard error."""
    if not quiet:
        for line in lines:
            say(line)


def tell_skipped(findings: list[Finding]) -> None:
    """What --skip-errors left out."""
    for finding in findings:
        say(f"skipped: {finding}")


def progress(
    paths: tuple[str, ...], what: str, quiet: bool
) -> Callable[[Iterable[Any], Callable[[Any], int]], Iterator]:
    """A way to go through items with a bar, where bars are shown: by bytes of the files."""

    def through(items: Iterable[Any], size: Callable[[Any], int]) -> Iterator[Any]:
        if not is_shown(quiet):
            yield from items
            return
        total = sum(os.path.getsize(path) for path in paths if os.path.isfile(path)) or None
        plain = not any(path.endswith((".gz", ".xz", ".bz2")) or path == "-" for path in paths)
        with progress_bar(what, total if plain else None, **BYTES) as shown:
            for item in items:
                yield item
                shown.update(size(item))

    return through
