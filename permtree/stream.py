"""Whole files, piece by piece: bounded memory, several processes, the same bytes whatever the pieces."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator
from typing import IO, TypeVar

from .errors import Finding
from .files import Piece, pieces
from .inverting import inverted_bytes
from .permuting import Permutation, Report, permute_bytes
from .scan import read_text
from .text import Text
from .treebank import Treebank, joined

Warn = Callable[[Finding], None]
Progress = Callable[[Iterable, Callable], Iterator]  # goes through items and may show how far it is, by their sizes


def no_progress(items: Iterable, size: Callable) -> Iterator:
    """Just the items."""
    return iter(items)


T = TypeVar("T")


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
    jobs: int = 1,
    progress: Progress = no_progress,
) -> Report:
    """Permute files into one output, in their order. Raises DataError at the first fault (see `permute_bytes`).

    A mode that learns from the whole treebank holds it in memory.
    """
    total = Report()
    read: Iterable[Piece] = (piece for path in paths for piece in pieces(path, warn))
    if permutation.needs_rule:
        read = list(read)
        texts = [read_text(piece.data, piece.name, piece.first_line, skip_errors)[0] for piece in read]
        permutation = permutation.learnt(Treebank.from_text(joined(texts)), skip_errors)
    all_pieces = progress(read, lambda piece: len(piece.data))
    ended = b"\n\n"
    for data, report in _mapped(_permute_piece, ((piece, permutation, skip_errors) for piece in all_pieces), jobs):
        if data:
            if not ended.endswith(b"\n\n"):  # a file that ends in a comment must not run into the next
                out.write(b"\n" if ended.endswith(b"\n") else b"\n\n")
            out.write(data)
            ended = data[-2:]
        total.add(report)
    return total


def _permute_piece(task: tuple[Piece, Permutation, bool]) -> tuple[bytes, Report]:
    piece, permutation, skip_errors = task
    text, findings = read_text(piece.data, piece.name, piece.first_line, skip_errors)
    data, report = permute_bytes(Treebank.from_text(text), permutation, skip_errors)
    report.findings = sorted(findings + report.findings, key=lambda finding: finding.line)
    report.left_out["unreadable"] += text.n_skipped
    return data, report


def _mapped(function: Callable[[T], tuple[bytes, Report]], tasks: Iterable[T], jobs: int) -> Iterator:
    """Results in the order of the tasks, from `jobs` processes, with a few tasks waiting for each at most."""
    if jobs == 1:
        yield from map(function, tasks)
        return
    from concurrent.futures import ProcessPoolExecutor

    with ProcessPoolExecutor(jobs, initializer=_leave_interrupts_to_the_parent) as pool:
        waiting: deque = deque()
        try:
            for task in tasks:
                waiting.append(pool.submit(function, task))
                if len(waiting) > 2 * jobs:
                    yield waiting.popleft().result()
            while waiting:
                yield waiting.popleft().result()
        finally:
            for future in waiting:
                future.cancel()


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
