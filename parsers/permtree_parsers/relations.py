"""What a parser's network learns and is scored by: heads and relations as numbers, beside the symbols of words."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from permtree.conllu.text import DEPREL
from permtree.kernels.trees import ROOT
from permtree.neural.vocabulary import Encoded, Vocabulary, values_of
from permtree.treebank import Treebank
from permtree.types import Ints

UNSEEN = -1  # the code of a relation that training has not seen, and of what is no word


@dataclass(frozen=True, kw_only=True)
class ParserVocabulary(Vocabulary):
    """A vocabulary with full relations, sorted, whose codes start at 0; of_root, of_word: which of them training has
    seen on the root's arc, and on other arcs."""

    relations: list[str]
    of_root: list[bool]
    of_word: list[bool]

    @classmethod
    def of(cls, treebank: Treebank, min_frequency: int) -> ParserVocabulary:
        """See `Vocabulary.of`."""
        relations = values_of(treebank, DEPREL)
        names, codes = treebank.deprel.vocabulary, treebank.deprel.codes
        is_root = treebank.head == ROOT
        seen = [{names[code] for code in np.unique(codes[mask]).tolist()} for mask in (is_root, ~is_root)]
        return cls(
            **vars(Vocabulary.of(treebank, min_frequency)),
            relations=relations,
            of_root=[name in seen[0] for name in relations],
            of_word=[name in seen[1] for name in relations],
        )

    def encode(self, treebank: Treebank, pieces: Callable[[list[str]], Ints] | None = None) -> Encoded:
        """See `Vocabulary.encode`. Two more columns: head, its place in the sentence from 1, 0 for a root; relation,
        its code, or UNSEEN."""
        encoded = super().encode(treebank, pieces)
        number = {name: code for code, name in enumerate(self.relations)}
        relation = np.array([number.get(name, UNSEEN) for name in treebank.deprel.vocabulary], np.int64)
        encoded.columns["head"] = np.append(treebank.head_number, [0, 0])
        encoded.columns["relation"] = np.append(relation[treebank.deprel.codes], [UNSEEN, UNSEEN]).astype(np.int64)
        return encoded
