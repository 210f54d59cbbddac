"""Words, characters and tags as numbers: what training has seen, and a whole treebank in its terms."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

import numpy as np

from permtree.conllu.text import FEATS, FORM, UPOS, XPOS
from permtree.treebank import Column, Treebank
from permtree.types import Ints, Mask

PADDING, UNKNOWN, ROOT, FIRST = 0, 1, 2, 3  # codes; what training has seen begins at FIRST
NOT_WORDS = 2  # the last entries of each column: the artificial root and padding
LONGEST_WORD = 24  # characters: of longer words the first and the last twelve


@dataclass(frozen=True)
class Vocabulary:
    """What training has seen, sorted. words: lower-cased; feats: items of FEATS; vectors: words with a pretrained
    vector, as the file has them, of vector_size numbers each."""

    words: list[str]
    characters: list[str]
    upos: list[str]
    xpos: list[str]
    feats: list[str]
    vectors: list[str] = field(default_factory=list)
    vector_size: int = 0

    @classmethod
    def of(cls, treebank: Treebank, min_frequency: int) -> Vocabulary:
        """All that a training treebank has; words only if they are frequent enough."""
        form = treebank.column(FORM)
        counts: dict[str, int] = {}
        for name, count in zip(form.vocabulary, _counts(form).tolist(), strict=True):
            counts[name.lower()] = counts.get(name.lower(), 0) + count
        return cls(
            words=sorted(word for word, count in counts.items() if count >= min_frequency),
            characters=sorted({character for name in values_of(treebank, FORM) for character in name}),
            upos=values_of(treebank, UPOS),
            xpos=values_of(treebank, XPOS),
            feats=sorted({item for name in values_of(treebank, FEATS) for item in _items(name)}),
        )

    def encode(self, treebank: Treebank, pieces: Callable[[list[str]], Ints] | None = None) -> Encoded:
        """A treebank in numbers; what training hasn't seen is UNKNOWN.

        pieces: what a transformer makes of forms (see `Transformer.pieces`).
        """
        form, feats = treebank.column(FORM), treebank.column(FEATS)
        columns = {
            "word": _coded([name.lower() for name in form.vocabulary], self.words, form.codes),
            "form": _rows(form),
            "upos": _coded(treebank.upos.vocabulary, self.upos, treebank.upos.codes),
            "xpos": _coded(treebank.xpos.vocabulary, self.xpos, treebank.xpos.codes),
            "feats": _rows(feats),
        }
        if self.vectors:
            known = set(self.vectors)
            names = [name if name in known else name.lower() for name in form.vocabulary]
            columns["vector"] = _coded(names, self.vectors, form.codes)
        tables = {
            "characters": _table([_shortened(name) for name in form.vocabulary], self.characters),
            "feats": _table([_items(name) for name in feats.vocabulary], self.feats),
        }
        if pieces is not None:
            tables["pieces"] = pieces(form.vocabulary)
        return Encoded(treebank.sentence_start[:-1], treebank.sentence_length, columns, tables)


@dataclass(frozen=True)
class Encoded:
    """A treebank in numbers. S sentences, N words, F distinct forms, G distinct values of FEATS.

    start, length: [S]; columns: int64 [N + 2] each, the last two entries are those of the artificial root and of
    padding: word, vector, upos, xpos: codes; form, feats: rows of the tables; and what a learner adds of its own.
    tables: a row of codes for each distinct form or value of FEATS, then one for the root and one for padding:
    characters [F + 2, longest], feats [G + 2, most], padded with PADDING; pieces.
    """

    start: Ints
    length: Ints
    columns: dict[str, Ints]
    tables: dict[str, Ints]

    @property
    def n_sentences(self) -> int:
        return len(self.length)

    @property
    def n_words(self) -> int:
        return len(self.columns["word"]) - NOT_WORDS

    def of_words(self, column: str) -> Ints:
        """A column without the root and padding, [N]."""
        return self.columns[column][:-NOT_WORDS]


def _counts(column: Column) -> Ints:
    return np.bincount(column.codes, minlength=len(column.vocabulary))


def values_of(treebank: Treebank, column: int) -> list[str]:
    """The values of a column, sorted; those of a selection may be fewer than the vocabulary."""
    own = treebank.column(column)
    used: Mask = _counts(own) > 0
    return sorted(name for name, is_used in zip(own.vocabulary, used.tolist(), strict=True) if is_used)


def _rows(column: Column) -> Ints:
    """The table row of each word's value, and of the root and of padding."""
    return np.append(column.codes, [len(column.vocabulary), len(column.vocabulary) + 1]).astype(np.int64)


def _items(feats: str) -> list[str]:
    return [] if feats == "_" else feats.split("|")


def _shortened(form: str) -> str:
    half = LONGEST_WORD // 2
    return form if len(form) <= LONGEST_WORD else form[:half] + form[-half:]


def _coded(vocabulary: list[str], known: list[str], codes: Ints) -> Ints:
    """The code of each word's value, and of the root and of padding."""
    number = {name: FIRST + place for place, name in enumerate(known)}
    table = np.array([number.get(name, UNKNOWN) for name in vocabulary], np.int64)
    return np.append(table[codes], [ROOT, PADDING])


def _table(values: Iterable[Iterable[str]], known: list[str]) -> Ints:
    """The parts of each value as codes, a row a value, then the root and padding."""
    number = {name: FIRST + place for place, name in enumerate(known)}
    rows = [[number.get(part, UNKNOWN) for part in value] for value in values]
    table = np.full((len(rows) + 2, max([1, *map(len, rows)])), PADDING, np.int64)
    for row, codes in enumerate(rows):
        table[row, : len(codes)] = codes
    table[-2, 0] = ROOT
    return table
