"""Documents and paragraphs of a text, by the comments `# newdoc` and `# newpar` before their first sentences."""

from __future__ import annotations

import re
from dataclasses import dataclass

import numpy as np

from ..conllu.text import Text
from ..types import Ints

_BEGINS = re.compile(rb"^#[ \t]*(newdoc|newpar)(?=[ \t\n])[^\n]*\n", re.MULTILINE)


@dataclass(frozen=True)
class Documents:
    """Which document and paragraph each sentence is of. S sentences.

    document, paragraph: [S] numbers from 0; a text whose first sentence begins none has a first one without a comment.
    document_line, paragraph_line: the comment that begins each, empty if there is none. insert_at: [S] where a
    sentence's own lines begin in the buffer; begins: [S] whether it has a `# newdoc`, a `# newpar` of its own.
    """

    document: Ints
    paragraph: Ints
    document_line: list[bytes]
    paragraph_line: list[bytes]
    insert_at: Ints
    begins: list[tuple[bool, bool]]

    @classmethod
    def of(cls, text: Text) -> Documents:
        """Read the comments of a text."""
        starts, ends = text.comment_spans
        lines: list[dict[bytes, bytes]] = [{} for _ in range(text.n_sentences)]
        data = text.data
        if b"newdoc" in data or b"newpar" in data:
            for own, start, end in zip(lines, starts.tolist(), ends.tolist(), strict=True):
                for found in _BEGINS.finditer(data, start, end):
                    own.setdefault(found[1], found[0])
        new_document = np.array([i == 0 or b"newdoc" in own for i, own in enumerate(lines)], bool)
        new_paragraph = np.array([b"newpar" in own for own in lines], bool) | new_document
        return cls(
            document=np.cumsum(new_document) - 1,
            paragraph=np.cumsum(new_paragraph) - 1,
            document_line=[lines[i].get(b"newdoc", b"") for i in np.flatnonzero(new_document).tolist()],
            paragraph_line=[lines[i].get(b"newpar", b"") for i in np.flatnonzero(new_paragraph).tolist()],
            insert_at=starts,
            begins=[(b"newdoc" in own, b"newpar" in own) for own in lines],
        )

    @property
    def are_named(self) -> bool:
        """Whether any comment begins a document."""
        return any(self.document_line)

    def lines_before(self, chosen: Ints) -> list[bytes]:
        """What each of some sentences, in the order of the text, needs before it where the others are gone: the comment
        of its document or paragraph, if that begins in another place."""
        result = []
        before = (-1, -1)
        for sentence in chosen.tolist():
            here = int(self.document[sentence]), int(self.paragraph[sentence])
            has_document, has_paragraph = self.begins[sentence]
            line = b"" if has_document or here[0] == before[0] else self.document_line[here[0]]
            line += b"" if has_paragraph or here[1] == before[1] else self.paragraph_line[here[1]]
            result.append(line)
            before = here
        return result


def pieces_of(text: Text, documents: Documents, chosen: Ints) -> list[bytes]:
    """Some sentences with what stands before each, and the `# newdoc` and `# newpar` that they need there."""
    pieces = text.sentence_pieces
    ends = text.line_begin(np.minimum(text.block_end + 1, len(text.line_start)))
    begins = np.concatenate([[0], ends])
    result = []
    for i, line in zip(chosen.tolist(), documents.lines_before(chosen), strict=True):
        at = int(documents.insert_at[i] - begins[i])
        result.append(pieces[i][:at] + line + pieces[i][at:] if line else pieces[i])
    return result


def only(text: Text, chosen: Ints) -> bytes:
    """The bytes of some sentences of a text, in its order, as `pieces_of` gives them."""
    return text.written(b"".join(pieces_of(text, Documents.of(text), chosen)))
