"""Tags that a parser goes by and that a file does not have as training had them: counted, and told."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping

import numpy as np

from ..conllu.text import FEATS, UPOS, XPOS
from ..treebank import Treebank
from ..types import Mask

TAGS = {"UPOS": UPOS, "XPOS": XPOS, "FEATS": FEATS}
FEW = 0.75  # what share of the words must have known values for nothing to be told
LEAST = 10  # words: of fewer, none need have features
SHOWN = 3  # unknown values that are named


def tags_in(treebank: Treebank, names: Iterable[str] = TAGS) -> dict[str, list[str]]:
    """The values of these columns in a treebank, sorted; FEATS as its items (Case=Nom), without `_`."""
    return {name: _split(name, sorted(_used(treebank, name))) for name in names}


def unknown_tags(treebank: Treebank, known: Mapping[str, Collection[str]], name: str) -> list[str]:
    """Lines about each kind of tag that few words of a treebank have as training had it.

    known: what `tags_in` gave for the training data, of the tags that the parser goes by. A word's FEATS is known if
    one of its items is; where training had some, words without any are unknown if no word of the treebank has any.
    name: what the treebank is called.
    """
    lines = []
    for kind, values in known.items():
        column = treebank.column(TAGS[kind])
        seen = set(values)
        is_known = [not seen.isdisjoint(_split(kind, [value])) for value in column.vocabulary]
        if kind == "FEATS" and (not seen or any(is_known) or treebank.n_words < LEAST):
            is_known = [own or value == "_" for own, value in zip(is_known, column.vocabulary, strict=True)]
        of_word: Mask = np.array(is_known, bool)[column.codes]
        n_words, n_unknown = len(of_word), int((~of_word).sum())
        if not n_words or n_words - n_unknown >= FEW * n_words:
            continue
        counts = np.bincount(column.codes[~of_word], minlength=len(column.vocabulary))
        most = [column.vocabulary[code] for code in np.argsort(-counts, kind="stable")[:SHOWN].tolist() if counts[code]]
        share = f"only {100 - 100 * n_unknown / n_words:.0f}% of the words have" if n_unknown < n_words else ""
        lines.append(
            f"{name}: {share or 'none of the words has'} the {kind} that the model was trained with ({n_unknown} of "
            f"{n_words} unknown values, such as {' '.join(most)}); the model goes by them: tag the words as in training"
        )
    return lines


def _used(treebank: Treebank, name: str) -> set[str]:
    column = treebank.column(TAGS[name])
    return {column.vocabulary[code] for code in np.unique(column.codes).tolist()}


def _split(name: str, values: list[str]) -> list[str]:
    if name != "FEATS":
        return values
    return sorted({item for value in values if value != "_" for item in value.split("|")})
