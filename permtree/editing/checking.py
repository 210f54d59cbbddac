"""Check treebanks: every fault and every oddity as a coded finding with its line."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ..conllu.files import pieces
from ..conllu.scan import read_piece, scan
from ..conllu.text import Text
from ..errors import DataError, Finding
from ..treebank import Treebank
from .reorder import texts_that_differ
from .trace import unsorted_deps

CODES = {
    "E100": "the file can't be read or unpacked",
    "E101": "a byte that is not UTF-8",
    "E102": "a carriage return inside a line",
    "E103": "a byte-order mark inside the file",
    "E104": "a line of white space alone",
    "E105": "columns named twice, without ID or after the first line (# global.columns)",
    "E110": "a line without ten columns",
    "E111": "an empty column",
    "E120": "an ID that is no word, multiword token or empty node",
    "E121": "word ids that don't run 1, 2, 3 ...",
    "E122": "no blank line between two sentences",
    "E123": "a comment inside a sentence",
    "E124": "a multiword token out of place, overlapping or beyond its sentence",
    "E125": "an empty node out of place or misnumbered",
    "E126": "a sentence without words",
    "E130": "a HEAD that is no number and not _",
    "E131": "a HEAD beyond the sentence",
    "E140": "DEPS that are no list of head:relation",
    "E141": "a head in DEPS that does not stand in the sentence",
    "E205": "several roots, with --roots error",
    "E301": "a sentence that permtree did not permute, where one is needed",
    "E302": "a permuted sentence that was edited since, so that it can't be inverted",
    "E303": "a prediction that does not hold the sentences and words of the gold treebank",
    "E304": "two versions of a treebank that are no minimal pair",
    "E201": "no HEAD annotated",
    "E202": "a word that heads itself",
    "E203": "heads in a circle",
    "E204": "no root",
    "W101": "byte-order mark at the start",
    "W102": "carriage returns at line ends",
    "W103": "no newline or no blank line at the end",
    "W104": "more than one blank line, or comments that belong to no sentence",
    "W105": "a file without a sentence",
    "W201": "several roots",
    "W202": "a sent_id that stands twice",
    "W203": "no sent_id",
    "W204": "# text that does not agree with forms, multiword tokens and SpaceAfter",
    "W205": "DEPS that are not sorted by head",
}


def check_files(paths: list[str]) -> Iterator[Finding]:
    """All findings of all files, in the order of their lines within each piece of a file."""
    for path in paths:
        try:
            yield from _check_file(path)
        except DataError as error:
            yield error.finding


def _check_file(path: str) -> Iterator[Finding]:
    seen: dict[str, int] = {}
    warned: list[Finding] = []
    for piece in pieces(path, warned.append):
        yield from warned
        warned.clear()
        text, errors = scan(piece.data, piece.name, piece.first_line, piece.layout)
        if errors:
            text, _ = read_piece(piece, skip_errors=True)
        found = errors + list(_usable(text, seen, piece.last))
        yield from sorted(found, key=lambda finding: (finding.line, finding.code))


def _usable(text: Text, seen: dict[str, int], last: bool) -> Iterator[Finding]:
    """Findings about sentences that can be read."""
    treebank = Treebank.from_text(text)
    for _, finding in treebank.tree_findings():
        yield finding
    names = text.sent_ids
    lines = text.line_number[text.block_first].tolist() if text.n_sentences else []

    def warn(code: str, sentence: int, what: str) -> Finding:
        return Finding(code, text.name, lines[sentence], what, names[sentence])

    for sentence in np.flatnonzero(treebank.n_roots > 1).tolist():
        yield warn("W201", sentence, f"{treebank.n_roots[sentence]} roots")
    for sentence, name in enumerate(names):
        if not name:
            yield warn("W203", sentence, "no sent_id")
        elif name in seen:
            yield warn("W202", sentence, f"sent_id stands at line {seen[name]} too")
        else:
            seen[name] = lines[sentence]
    yield from (warn("W204", sentence, what) for sentence, what in _text_differs(text))
    for token in unsorted_deps(text).tolist():
        line = int(text.line_number[text.token_line[token]])
        yield Finding("W205", text.name, line, "DEPS are not sorted by head")
    for line in _loose_lines(text):
        yield Finding("W104", text.name, line, "a blank line or comment that belongs to no sentence")
    if last and text.missing_blank:
        what = "no newline" if text.missing_newline else "no blank line"
        yield Finding("W103", text.name, int(text.line_number[-1]), f"{what} at the end of the file")


def _loose_lines(text: Text) -> list[int]:
    owned = np.zeros(len(text.line_number) + 1, bool)
    for first, end in zip(text.block_first.tolist(), text.block_end.tolist(), strict=True):
        owned[first : end + 1] = True
    return text.line_number[~owned[:-1]].tolist()


def _text_differs(text: Text) -> Iterator[tuple[int, str]]:
    """Sentences whose `# text` is not what their forms, multiword tokens and SpaceAfter give."""
    if not text.n_sentences:
        return
    for sentence, surface, written in texts_that_differ(text):
        at = next((i for i, (x, y) in enumerate(zip(surface, written, strict=False)) if x != y), len(surface))
        got = written[:at][-15:].decode("utf-8", "replace")
        yield sentence, f"# text differs from the forms (with SpaceAfter) after '{got}'"
