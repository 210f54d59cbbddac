"""Plain CoNLL-U for parsers of other makers, and the way back from their heads.

Plain: words only, numbered from 1, with the columns that the parser may see. Ranges, empty nodes, comments, DEPS and
MISC stay behind; `permtree.editing.annotating.annotated` puts what was found on the text that has them.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

import numpy as np

from permtree.conllu.text import DEPREL, FEATS, FORM, HEAD, ID, LEMMA, UPOS, XPOS
from permtree.errors import UsageError
from permtree.kernels.trees import ROOT, Trees
from permtree.treebank import Treebank
from permtree.types import Ints

INPUT = (FORM, LEMMA, UPOS, XPOS, FEATS)  # the columns that a parser can look at
SPACED = (FORM, LEMMA)
NO_BREAK_SPACE = "\u00a0"


def plain_sentences(
    treebank: Treebank, columns: Collection[int] = INPUT, relations: Sequence[str] | None = None
) -> list[list[str]]:
    """The lines of each sentence, without newlines; an empty list for a sentence without words.

    columns: those of `INPUT` that are written, all others are `_`. Spaces in tags and features, which not all parsers
    take, become no-break spaces; forms and lemmas keep theirs. relations: [N] what DEPREL is to hold, then the heads
    are written too; None: neither.
    """
    values = {ID: _places(treebank).tolist()}
    for column in set(columns) & set(INPUT):
        interned = treebank.column(column)
        names = [name if column in SPACED else name.replace(" ", NO_BREAK_SPACE) for name in interned.vocabulary]
        values[column] = [names[code] for code in interned.codes.tolist()]
    if relations is not None:
        values[HEAD] = treebank.head_number.tolist()
        values[DEPREL] = relations
    nothing = ["_"] * treebank.n_words
    words = zip(*(values.get(column, nothing) for column in range(10)), strict=True)
    lines = ["\t".join(map(str, word)) for word in words]
    bounds = treebank.sentence_start.tolist()
    return [lines[a:b] for a, b in zip(bounds[:-1], bounds[1:], strict=True)]


def plain_conllu(sentences: Sequence[Sequence[str]]) -> str:
    """One text of sentences' lines, each sentence ended by a blank line; sentences without words are left out."""
    return "".join("\n".join(lines) + "\n\n" for lines in sentences if lines)


def _places(treebank: Treebank) -> Ints:
    """The number of each word in its sentence, from 1; [N]."""
    return np.arange(treebank.n_words) - treebank.sentence_start[treebank.sentence_of] + 1


def head_rows(treebank: Treebank, heads: Sequence[Sequence[int]]) -> Ints:
    """Heads as rows of the treebank, `ROOT` for a root, from those of each sentence, 1-based with 0 for a root.

    Raises UsageError where a sentence got other than a tree with one root: nothing is repaired in silence.
    """
    lengths = np.array([len(sentence) for sentence in heads], np.int64)
    flat = np.array([head for sentence in heads for head in sentence], np.int64)
    if not np.array_equal(lengths, treebank.sentence_length):
        raise UsageError("the parser returned other sentences than it was given")
    first = treebank.sentence_start[treebank.sentence_of]
    if ((flat < 0) | (flat > treebank.sentence_length[treebank.sentence_of])).any():
        raise UsageError("the parser returned heads outside their sentences")
    rows = np.where(flat == 0, ROOT, flat - 1 + first)
    found = Trees(treebank.sentence_start, rows)
    wrong = np.flatnonzero((found.n_roots != 1) & (lengths > 0))
    wrong = np.union1d(wrong, treebank.sentence_of[found.depth < 0])
    if len(wrong):
        name, line = treebank.text.place_of_word(int(treebank.row[treebank.sentence_start[wrong[0]]]))
        what = f"the parser found no tree with one root for {len(wrong)} of {treebank.n_sentences} sentences"
        raise UsageError(f"{what}, first at {name}:{line}; its training may have failed: train again, more slowly")
    return rows
