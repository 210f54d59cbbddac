"""CoNLL-X from CoNLL-U and CoNLL-U from CoNLL-X or CoNLL-U Plus, piece by piece; what is dropped is counted."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import IO

import numpy as np

from ..conllu.conllx import in_conllx, is_empty, to_columns, to_items, with_items
from ..conllu.layout import PLAIN
from ..conllu.scan import read_piece, rewritten
from ..conllu.spans import TextPool, gather
from ..conllu.text import DEPS, HEAD, MISC, Text
from ..errors import Finding
from ..parallel.pieces import Progress, Warn, all_pieces, no_progress
from .trace import Trace

FORMATS = ("conllu", "conllx")


def convert_files(
    paths: Iterable[str],
    to: str,
    out: IO[bytes],
    warn: Warn,
    progress: Progress = no_progress,
    skipped: list[Finding] | None = None,
) -> Counter[str]:
    """Write files, one after the other, in another of `FORMATS`; counts of what was read, moved and dropped.

    skipped: gets the faults of sentences, which are then left out. Raises DataError at the first fault without it.
    """
    counts: Counter[str] = Counter()
    end = b"\n\n"  # of what was written so far
    for piece in progress(all_pieces(paths, warn), lambda piece: len(piece.data)):
        text, findings = read_piece(piece, skipped is not None)
        if skipped is not None:
            skipped += findings
        counts["sentences"] += text.n_sentences
        counts["words"] += text.n_words
        text = _ten_columns(text, counts)
        data = _conllu(text, counts) if to == "conllu" else _conllx(text, counts)
        if piece.first_line == 1:  # the file before may have ended within a sentence
            data = b"\n\n"[len(end) - len(end.rstrip(b"\n")) :] + data
        data = data[:-1] if text.missing_newline and data else data
        out.write(data)
        end = (end + data)[-2:]
    return counts


def _ten_columns(text: Text, counts: Counter[str]) -> Text:
    """Without the columns that CoNLL-U doesn't have."""
    for name in text.layout.extra:
        counts[f"token lines: column {name} dropped"] += len(text.token_line)
    if not text.layout.extra:
        return rewritten(text, text.data, PLAIN) if text.layout != PLAIN else text
    edges = text.edges
    spans = np.zeros((len(edges), 1, 2), np.int64)
    data = TextPool(text.buffer).replaced(text.feats_end, edges[:, HEAD], spans, len(text.buffer)).tobytes()
    return rewritten(text, data, PLAIN)


def _conllu(text: Text, counts: Counter[str]) -> bytes:
    lines = in_conllx(text)
    counts["words whose PHEAD and PDEPREL are kept in MISC"] += int(lines.sum())
    return to_items(text, lines) if lines.any() else text.data


def _conllx(text: Text, counts: Counter[str]) -> bytes:
    words = np.zeros(len(text.token_line), bool)
    words[text.word_token] = True
    columns = in_conllx(text)  # they are CoNLL-X as they stand
    items, head = with_items(text)
    length = np.diff(text.sentence_start)[np.repeat(np.arange(text.n_sentences), np.diff(text.sentence_token))]
    fits = words & items & (head <= length)
    fits[text.word_token] &= Trace.of(text).last_ids == 0  # numbers of another order are of no use
    lost = words & ~columns & ~fits
    counts["multiword tokens left out"] += len(text.range_token)
    counts["empty nodes left out"] += len(text.node_token)
    counts["words whose DEPS is dropped"] += int((lost & ~is_empty(text, DEPS)).sum())
    counts["words whose MISC is dropped"] += int((lost & ~is_empty(text, MISC)).sum())
    data = to_columns(text, fits & ~columns, lost)
    first = text.buffer[text.line_start]
    comment, blank = first == ord("#"), first == ord("\n")
    counts["comments dropped"] += int(comment.sum())
    kept = ~comment & ~(blank & np.concatenate([[False], comment[:-1]])[: len(blank)])
    kept[text.token_line[~words]] = False
    buffer = np.frombuffer(data, np.uint8)
    end = np.flatnonzero(buffer == ord("\n")) + 1
    start = np.concatenate([[0], end])[: len(end)]
    return gather(buffer, start[kept], (end - start)[kept]).tobytes()
