"""How far two orders of the same sentences are apart, of two treebanks that are compared."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..conllu.text import FORM
from ..editing.trace import Trace
from ..kernels.bootstrap import bootstrap_weights, interval
from ..kernels.inversions import displacements, swap_distances
from ..kernels.keys import combined, mix
from ..treebank import Treebank
from ..treebank.arc_types import column_keys
from ..types import Floats, Ints

WHAT = {
    "swap_distance": "swap (Kendall) distance: pairs of words whose order differs, mean over sentences",
    "swapped_pairs": "share of all pairs of words of a sentence whose order differs",
    "word_displacement": "places that a word moves, mean over words",
}


@dataclass(frozen=True)
class WordOrders:
    """The words of the sentences that a collector keeps: so many of each sentence, and a key of each word.

    length: int64 [S]; key: uint64 [N], of the form and the id that the word had before any permutation.
    """

    length: Ints
    key: Ints

    @classmethod
    def of(cls, treebank: Treebank) -> WordOrders:
        ids = Trace.of(treebank.text).oldest_ids[treebank.row]
        forms = mix(column_keys(treebank.column(FORM)))
        return cls(treebank.sentence_length.astype(np.int64), combined(ids.astype(np.uint64), forms))

    @classmethod
    def joined(cls, parts: list[WordOrders]) -> WordOrders:
        empty = cls(np.zeros(0, np.int64), np.zeros(0, np.uint64))
        parts = [empty, *parts]
        return cls(np.concatenate([part.length for part in parts]), np.concatenate([part.key for part in parts]))

    def places(self, sentences: Ints) -> tuple[Ints, Ints, Ints]:
        """Of some sentences, all words sorted by sentence and key: the number of the sentence among them, the place in
        it from 0, and the key."""
        length = self.length[sentences]
        sentence = np.repeat(np.arange(len(sentences)), length)
        place = np.arange(length.sum()) - np.repeat(np.cumsum(length) - length, length)
        key = self.key[(np.cumsum(self.length) - self.length)[sentences][sentence] + place]
        sort = np.lexsort((key, sentence))
        return sentence, place[sort], key[sort]


@dataclass(frozen=True, eq=False)
class Orders:
    """The distance of the two orders of each pair of sentences whose words are the same by their ids in the original.

    unjoined: pairs of sentences whose words have no such ids in common. words, swaps, displacement: [J], of the others,
    in the order of the first treebank: words; pairs of words whose order differs; places that words move, summed.
    """

    unjoined: int
    words: Ints
    swaps: Ints
    displacement: Ints

    def _parts(self) -> dict[str, tuple[Ints, Ints]]:
        pairs = self.words * (self.words - 1) // 2
        return {
            "swap_distance": (self.swaps, np.ones(len(self.words), np.int64)),
            "swapped_pairs": (self.swaps, pairs),
            "word_displacement": (self.displacement, self.words),
        }

    @property
    def values(self) -> dict[str, float]:
        """The values that WHAT names; nan where there is nothing."""
        return {name: float(_share(part.sum(), of.sum())) for name, (part, of) in self._parts().items()}

    def intervals(self, resamples: int, seed: int, level: float) -> dict[str, tuple[float, float]]:
        """Their bootstrap intervals over sentences; nan where there are less than two."""
        parts, values = self._parts(), self.values
        if len(self.words) < 2:
            return dict.fromkeys(parts, (float("nan"), float("nan")))
        drawn: dict[str, list[Floats]] = {name: [] for name in parts}
        for weights in bootstrap_weights(len(self.words), resamples, [seed]):
            for name, (part, of) in parts.items():
                drawn[name].append(_share(weights @ part, weights @ of))
        return {name: interval(values[name], np.concatenate(own), level) for name, own in drawn.items()}


def compare_orders(first: WordOrders, second: WordOrders, pairs: tuple[Ints, Ints]) -> Orders:
    """The distance of each pair of sentences: pairs are their numbers on both sides."""
    equal = first.length[pairs[0]] == second.length[pairs[1]]
    a, b = pairs[0][equal], pairs[1][equal]
    (sentence, one, key), (_, other, key_of_other) = first.places(a), second.places(b)
    again = np.append(False, (key[1:] == key[:-1]) & (sentence[1:] == sentence[:-1]))[: len(key)]
    wrong = np.bincount(sentence, (key != key_of_other) | again, len(a)) > 0
    kept = ~wrong[sentence]
    words = first.length[a][~wrong]
    start = np.append(0, np.cumsum(words))
    orders = start, one[kept], other[kept]
    return Orders(len(pairs[0]) - len(words), words, swap_distances(*orders), displacements(*orders))


def _share(part: Floats, whole: Floats) -> Floats:
    with np.errstate(invalid="ignore"):
        return np.divide(part, whole, dtype=np.float64)
