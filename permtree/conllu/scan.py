"""From bytes to columns: read CoNLL-U, CoNLL-U Plus or CoNLL-X with whole-file array operations, and find all faults.

The codes of findings: E1xx can't be read, E2xx no tree, W... odd but usable. Reading goes in frozen steps, each with
its own checks: Lines -> Tokens (columns) -> Ids (sentences) -> Heads -> Deps. A check handles one kind of fault for all
lines at once; a line that fails one check is left out of the steps that build on it.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

import numpy as np

from ..errors import DataError, Finding, UsageError
from ..types import Ints, Mask
from .faults import Faults, shorten
from .files import Piece
from .heads import Heads, deps_of
from .ids import Ids
from .layout import PLAIN, Layout, layout_of
from .lines import Lines, Tokens
from .spans import gather
from .text import Text

__all__ = ["read_piece", "read_text", "scan", "shorten", "some_sentences"]


def _scanned(lines: Lines, name: str, layout: Layout, first_only: bool) -> tuple[Text, Faults]:
    """All steps."""
    faults = lines.faults(name, first_only)
    lines.check(faults, layout)
    tokens = Tokens.of(lines, layout, faults)
    ids = Ids.of(tokens, faults)
    ids.check(faults)
    heads = Heads.of(ids)
    heads.check(faults)
    deps = deps_of(ids, faults)
    lines = ids.tokens.lines
    block = ids.sentence_block
    blank = np.flatnonzero(lines.is_blank)
    blanks = np.concatenate([[-1], blank, [len(lines.start)]])
    text = Text(
        name=name,
        buffer=lines.buffer,
        words=lines.words,
        line_number=lines.number,
        line_start=lines.start,
        edges=ids.tokens.edges,
        feats_end=ids.tokens.feats_end,
        token_line=ids.line,
        word_token=ids.word_token,
        sentence_start=ids.sentence_start,
        sentence_token=ids.sentence_token,
        block_first=blanks[block] + 1,
        block_end=blanks[block + 1],
        range_token=ids.range_token,
        range_first=ids.range_first,
        range_last=ids.range_last,
        node_token=ids.node_token,
        node_number=ids.node_number,
        node_anchor=ids.node_anchor,
        head=heads.row,
        deps=deps,
        number=np.arange(1, len(block) + 1),
        n_skipped=0,
        layout=layout,
        missing_blank=bool(len(block)) and int(block[-1]) == len(blank),
    )
    return text, faults


def _opened(data: bytes, name: str, first_line: int, layout: Layout | None) -> tuple[Lines, Layout, bool, bool]:
    """Lines without the one that names the columns, the columns, whether there was such a line, and whether the final
    newline is missing."""
    own = layout_of(data, name) if first_line == 1 else None
    missing_newline = bool(data) and not data.endswith(b"\n")
    if missing_newline:
        data += b"\n"
    if own:
        data, first_line = data[len(own.header) :], first_line + 1
    return Lines.of(data, first_line), own or layout or PLAIN, own is not None, missing_newline


def scan(data: bytes, name: str, first_line: int = 1, layout: Layout | None = None) -> tuple[Text, list[Finding]]:
    """Everything that can be read, and all that is wrong. The text is sound only where no finding is an error.

    data: without byte-order mark and with plain newlines (see `files.pieces`). layout: the columns, if the first line
    does not name them. Raises DataError where the first line names columns that can't be used.
    """
    lines, layout, has_header, missing_newline = _opened(data, name, first_line, layout)
    text, faults = _scanned(lines, name, layout, first_only=False)
    return replace(text, has_header=has_header, missing_newline=missing_newline), faults.sorted()


def read_text(
    data: bytes, name: str, first_line: int = 1, skip_errors: bool = False, layout: Layout | None = None
) -> tuple[Text, list[Finding]]:
    """Read strictly: raise DataError at the first fault; or with `skip_errors` leave sentences with faults out.

    Returns the text and the faults of what was left out. Line numbers stay those of the file. Otherwise as `scan`.
    """
    lines, layout, has_header, missing_newline = _opened(data, name, first_line, layout)
    text, faults = _scanned(lines, name, layout, first_only=not skip_errors)
    findings = faults.sorted()
    if findings and not skip_errors:
        raise DataError(findings[0])
    if findings:
        kept = ~faults.bad[lines.block]
        missing_newline = missing_newline and bool(kept[-1])
        text, _ = _scanned(_some(lines, kept), name, layout, first_only=True)
        text = replace(text, number=_numbers_kept(lines, faults.bad), n_skipped=int(faults.bad.sum()))
    return replace(text, has_header=has_header, missing_newline=missing_newline), findings


def _some(lines: Lines, kept: Mask) -> Lines:
    data = gather(lines.buffer, lines.start[kept], (lines.end + 1 - lines.start)[kept]).tobytes()
    return Lines.of(data, lines.number[kept])


def _numbers_kept(lines: Lines, bad: Mask) -> Ints:
    """The number of each sentence that is left. A block of comments alone has no number, although it counts where it
    was left out: it may be all that a fault lets us see of a sentence."""
    has_tokens = np.zeros(len(bad), bool)
    has_tokens[lines.block[lines.is_token]] = True
    return 1 + np.flatnonzero(~bad[has_tokens])


def read_piece(piece: Piece, skip_errors: bool = False) -> tuple[Text, list[Finding]]:
    """Read a piece of a file (see `read_text`)."""
    return read_text(piece.data, piece.name, piece.first_line, skip_errors, piece.layout)


def one_layout(texts: Iterable[Text]) -> Layout:
    """The columns that all these texts have. Raises UsageError where they differ."""
    found: Layout | None = None
    first = ""
    for text in texts:
        if found is None:
            found, first = text.layout, text.name
        elif found.names != text.layout.names:
            raise UsageError(f"{text.name} has other columns than {first}: these can't be one treebank")
    return found or PLAIN


def rewritten(text: Text, data: bytes, layout: Layout | None = None) -> Text:
    """A text whose token lines have other values: `data` has the same lines. layout: of the new text, if another."""
    own = layout or text.layout
    again, _ = _scanned(Lines.of(data, text.line_number), text.name, own.within, first_only=True)
    again = replace(again, layout=own, has_header=text.has_header and layout is None, sources=text.sources)
    return replace(again, number=text.number, n_skipped=text.n_skipped, missing_newline=text.missing_newline)


def some_sentences(text: Text, kept: Mask) -> Text:
    """The text of some sentences, with the comments before them. kept: bool [S]. Lines keep their numbers."""
    count = np.where(kept, text.block_end - text.block_first + 1, 0)
    last_line = len(text.line_start) - 1  # a last sentence may have no blank line after it
    count -= kept & (text.block_end > last_line)
    lines = np.repeat(text.block_first - (np.cumsum(count) - count), count) + np.arange(count.sum())
    start = text.line_start[lines]
    data = gather(text.buffer, start, text.line_begin(lines + 1) - start).tobytes()
    again, _ = _scanned(Lines.of(data, text.line_number[lines]), text.name, text.layout.within, first_only=True)
    n_skipped = text.n_skipped + int((~kept).sum())
    again = replace(again, layout=text.layout, has_header=text.has_header)
    return replace(again, number=text.number[kept], n_skipped=n_skipped)
