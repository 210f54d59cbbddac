"""Measure whole files, piece by piece."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from ..conllu.files import Piece
from ..conllu.scan import read_piece
from ..editing.trace import Trace
from ..errors import Finding
from ..parallel.pieces import Progress, Warn, Workers, all_pieces, mapped, no_progress
from ..treebank import Treebank
from .collector import Collector


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
        read = progress(all_pieces(paths, warn), lambda piece: len(piece.data))
        return ((piece, empty, skip_errors) for piece in read)

    for collected, findings, freely in mapped(_collect_piece, tasks, warn, workers):
        collector.merge(collected)
        skipped += findings
        permuted_freely |= freely
    return skipped, permuted_freely


def _collect_piece(task: tuple[Piece, Collector, bool]) -> tuple[Collector, list[Finding], bool]:
    piece, empty, skip_errors = task
    collector = empty.like()
    text, findings = read_piece(piece, skip_errors)
    findings += collector.add(Treebank.from_text(text), skip_errors, piece.name)
    freely = any(made.get("punct") == "keep" for made in Trace.of(text).all_signatures())
    return collector, sorted(findings, key=lambda finding: finding.line), freely
