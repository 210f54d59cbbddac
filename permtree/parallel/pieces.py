"""Whole files, piece by piece: bounded memory, several processes or machines, the same result whatever the pieces."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, NamedTuple, TypeVar

from ..conllu.files import Piece, pieces
from ..conllu.layout import PLAIN
from ..conllu.scan import read_piece
from ..conllu.text import Text
from ..errors import Finding, PermtreeError, UsageError

if TYPE_CHECKING:  # loaded only by those who use them
    from concurrent.futures import Executor, Future

Warn = Callable[[Finding], None]
Progress = Callable[[Iterable, Callable], Iterator]  # goes through items and may show how far it is, by their sizes


def no_progress(items: Iterable, size: Callable) -> Iterator:
    """Just the items."""
    return iter(items)


T = TypeVar("T")
R = TypeVar("R")


class Workers(NamedTuple):
    """Who does the pieces: processes, or the workers of a cluster."""

    executor: Executor
    slots: Callable[[], int]  # how many tasks run at once, which may change


@contextmanager
def processes(count: int) -> Iterator[Workers]:
    """So many processes on this machine. Raises WorkerDied where one of them dies."""
    from .processes import ProcessPool, WorkerDied

    try:
        with ProcessPool(count) as pool:
            yield Workers(pool, lambda: count)
    except WorkerDied as death:
        raise WorkerDied(f"a worker of --jobs is gone: {death}") from None


def read_pieces(paths: Iterable[str], warn: Warn, skip_errors: bool) -> Iterator[tuple[Piece, Text, list[Finding]]]:
    """All pieces of all files, read; with `skip_errors` also the faults of the sentences left out."""
    for piece in all_pieces(paths, warn):
        yield piece, *read_piece(piece, skip_errors)


def with_the_same_columns(read: Iterable[Piece]) -> Iterator[Piece]:
    """Pieces that are written into one file. Raises UsageError where a file has other columns than the first."""
    first: Piece | None = None
    for piece in read:
        first = first or piece
        names = [(own.layout or PLAIN).names for own in (first, piece)]
        if names[0] != names[1]:
            raise UsageError(f"{piece.name} has other columns than {first.name}: write them into files of their own")
        yield piece


def all_pieces(paths: Iterable[str], warn: Warn) -> Iterator[Piece]:
    """All pieces of all files, as they are read."""
    return (piece for path in paths for piece in pieces(path, warn))


def mapped(
    function: Callable[[T], R], tasks: Callable[[Warn], Iterable[T]], warn: Warn, workers: Workers | None
) -> Iterator[R]:
    """Results in the order of the tasks, with a few tasks waiting for each worker at most.

    tasks: given a way to warn, makes them one by one. Tasks are read ahead of the results; what reading them warns of,
    or fails with, is held back until it is its turn, so that nobody sees who did the work.
    """
    if workers is None:
        yield from map(function, tasks(warn))
        return
    waiting: deque[Future | Finding] = deque()
    fault: PermtreeError | None = None
    left = iter(tasks(waiting.append))
    try:
        while fault is None:
            try:
                waiting.append(workers.executor.submit(function, next(left)))
            except StopIteration:
                break
            except PermtreeError as error:
                fault = error
            while len(waiting) > 2 * workers.slots():
                yield from _outcome(waiting.popleft(), warn)
        while waiting:
            yield from _outcome(waiting.popleft(), warn)
        if fault is not None:
            raise fault
    finally:
        for left_over in waiting:
            if not isinstance(left_over, Finding):
                left_over.cancel()


def _outcome(waiting: Future | Finding, warn: Warn) -> Iterator:
    """What a task gave, or a warning said."""
    if isinstance(waiting, Finding):
        warn(waiting)
    else:
        yield waiting.result()
