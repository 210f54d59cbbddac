"""Whole files, piece by piece: bounded memory, several processes or machines, the same result whatever the pieces."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import IO, TYPE_CHECKING, NamedTuple, TypeVar

from .errors import Finding, PermtreeError
from .files import Piece, pieces
from .inverting import inverted_bytes
from .permuting import Permutation, Report, permute_bytes
from .scan import read_text
from .text import Text
from .treebank import Treebank, joined

if TYPE_CHECKING:  # loaded only by those who use them
    from concurrent.futures import Executor, Future

    from .collector import Collector

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
    """So many processes on this machine."""
    from concurrent.futures import ProcessPoolExecutor

    with ProcessPoolExecutor(count, initializer=_leave_interrupts_to_the_parent) as pool:
        yield Workers(pool, lambda: count)


def read_pieces(paths: Iterable[str], warn: Warn, skip_errors: bool) -> Iterator[tuple[Piece, Text, list[Finding]]]:
    """All pieces of all files, read; with `skip_errors` also the faults of the sentences left out."""
    for path in paths:
        for piece in pieces(path, warn):
            text, findings = read_text(piece.data, piece.name, piece.first_line, skip_errors)
            yield piece, text, findings


def permute_files(
    paths: Iterable[str],
    permutation: Permutation,
    out: IO[bytes],
    warn: Warn,
    skip_errors: bool = False,
    workers: Workers | None = None,
    progress: Progress = no_progress,
) -> Report:
    """Permute files into one output, in their order. Raises DataError at the first fault (see `permute_bytes`).

    workers: who does it, if not this process. A mode that learns from the whole treebank holds it in memory.
    """
    total = Report()
    known: list[Piece] | None = None
    if permutation.needs_rule:
        known = list(_all_pieces(paths, warn))
        texts = [read_text(piece.data, piece.name, piece.first_line, skip_errors)[0] for piece in known]
        permutation = permutation.learnt(Treebank.from_text(joined(texts)), skip_errors)

    def tasks(warn: Warn) -> Iterator[tuple[Piece, Permutation, bool]]:
        read = _all_pieces(paths, warn) if known is None else known
        return ((piece, permutation, skip_errors) for piece in progress(read, lambda piece: len(piece.data)))

    ended = b"\n\n"
    for data, report in mapped(_permute_piece, tasks, warn, workers):
        if data:
            if not ended.endswith(b"\n\n"):  # a file that ends in a comment must not run into the next
                out.write(b"\n" if ended.endswith(b"\n") else b"\n\n")
            out.write(data)
            ended = data[-2:]
        total.add(report)
    return total


def _all_pieces(paths: Iterable[str], warn: Warn) -> Iterator[Piece]:
    return (piece for path in paths for piece in pieces(path, warn))


def _permute_piece(task: tuple[Piece, Permutation, bool]) -> tuple[bytes, Report]:
    piece, permutation, skip_errors = task
    text, findings = read_text(piece.data, piece.name, piece.first_line, skip_errors)
    data, report = permute_bytes(Treebank.from_text(text), permutation, skip_errors)
    report.findings = sorted(findings + report.findings, key=lambda finding: finding.line)
    report.left_out["unreadable"] += text.n_skipped
    return data, report


def collect_files(
    paths: Iterable[str],
    collector: Collector,
    warn: Warn,
    skip_errors: bool = False,
    workers: Workers | None = None,
    progress: Progress = no_progress,
) -> tuple[list[Finding], bool]:
    """Add all sentences of files to a collector. Raises DataError at the first fault.

    workers: who does it, if not this process. Returns the findings of sentences that were skipped, and whether any file
    was permuted with its punctuation among the words.
    """
    skipped: list[Finding] = []
    permuted_freely = False
    empty = collector.like()

    def tasks(warn: Warn) -> Iterator[tuple[Piece, Collector, bool]]:
        read = progress(_all_pieces(paths, warn), lambda piece: len(piece.data))
        return ((piece, empty, skip_errors) for piece in read)

    for collected, findings, freely in mapped(_collect_piece, tasks, warn, workers):
        collector.merge(collected)
        skipped += findings
        permuted_freely |= freely
    return skipped, permuted_freely


def _collect_piece(task: tuple[Piece, Collector, bool]) -> tuple[Collector, list[Finding], bool]:
    piece, empty, skip_errors = task
    collector = empty.like()
    text, findings = read_text(piece.data, piece.name, piece.first_line, skip_errors)
    findings += collector.add(Treebank.from_text(text), skip_errors, piece.name)
    freely = b"\n# permtree = " in piece.data and b"|punct:keep|" in piece.data
    return collector, sorted(findings, key=lambda finding: finding.line), freely


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


def _leave_interrupts_to_the_parent() -> None:
    import signal

    signal.signal(signal.SIGINT, signal.SIG_IGN)


def invert_files(paths: Iterable[str], out: IO[bytes], warn: Warn, progress: Progress = no_progress) -> Counter[str]:
    """Undo a permutation, file by file into one output; counts of what can't be restored."""
    counts: Counter[str] = Counter()
    for piece, text, _ in progress(read_pieces(paths, warn, False), lambda read: len(read[0].data)):
        counts["sentences"] += text.n_sentences
        out.write(inverted_bytes(text, piece.last, counts))
    return counts
