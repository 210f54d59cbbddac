"""Parsers that hardly look: chains, random trees, and the most frequent distance. They learn counts, no weights."""

from __future__ import annotations

from abc import abstractmethod
from collections import Counter
from collections.abc import Collection, Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from permtree.configuration import as_json, configured
from permtree.editing.annotating import annotated
from permtree.kernels.trees import ROOT
from permtree.parsing import ALONE, Parser, Session
from permtree.treebank import Treebank
from permtree.types import Ints

from .folder import read_json, whole, write_json

NO_ROOT_RELATION, NO_RELATION = "root", "dep"  # where training shows none


@dataclass(frozen=True)
class BaselineConfig:
    """Nothing to set."""


@dataclass(frozen=True)
class Counts:
    """How often training shows each thing, by UPOS of the word that it is about.

    relations: of words that have a head; root_relations: of roots; offsets: place of the head minus place of the word,
    of words that have a head.
    """

    relations: dict[str, Counter[str]] = field(default_factory=dict)
    root_relations: dict[str, Counter[str]] = field(default_factory=dict)
    offsets: dict[str, Counter[int]] = field(default_factory=dict)

    @classmethod
    def of(cls, treebank: Treebank) -> Counts:
        """Of a treebank whose sentences are trees."""
        tags, relations = treebank.upos.decoded(), treebank.deprel.decoded()
        counts = cls()
        for row, head in enumerate(treebank.head.tolist()):
            table = counts.root_relations if head == ROOT else counts.relations
            table.setdefault(tags[row], Counter())[relations[row]] += 1
            if head != ROOT:
                counts.offsets.setdefault(tags[row], Counter())[head - row] += 1
        return counts

    def as_json(self) -> dict[str, dict[str, dict[str, int]]]:
        """For a JSON file, sorted by tag, then by number; `from_json` reads it."""
        tables: dict[str, dict[str, Counter[Any]]] = vars(self)
        return {
            name: {
                tag: {str(key): n for key, n in sorted(table[tag].items(), key=lambda item: (-item[1], item[0]))}
                for tag in sorted(table)
            }
            for name, table in tables.items()
        }

    @classmethod
    def from_json(cls, content: dict[str, Any]) -> Counts:
        """What `as_json` made. Raises KeyError, TypeError, ValueError or AttributeError for anything else."""

        def table(name: str, key: type) -> dict[str, Counter[Any]]:
            return {tag: Counter({key(k): int(n) for k, n in of.items()}) for tag, of in content[name].items()}

        return cls(table("relations", str), table("root_relations", str), table("offsets", int))


def most_frequent(counter: Counter[Any], default: Any) -> Any:
    """What was seen most often; of several, the shortest distance, or the first name of the alphabet.

    Of two distances of one length the negative one, a head before the word.
    """

    def rank(key: Any) -> tuple[int, Any, Any]:
        return (-counter[key], abs(key), key) if isinstance(key, int) else (-counter[key], key, key)

    return min(counter, key=rank, default=default)


def total(table: dict[str, Counter[Any]]) -> Counter[Any]:
    """Counts of all tags together."""
    return sum(table.values(), Counter())


class Baseline(Parser):
    """What baselines share: a subclass says only where heads are.

    A word that is no root gets the relation that words of its UPOS have most often in training (of words that have a
    head), or, for a UPOS that training doesn't show, the most frequent relation of all. A root gets the most frequent
    relation of roots.
    """

    Config = BaselineConfig

    def __init__(self, config: BaselineConfig, seed: int, counts: Counts):
        self.config = config
        self.seed = seed
        self.counts = counts

    @classmethod
    def train(
        cls,
        train: Treebank,
        dev: Treebank | None,
        config: Any,
        seed: int = 0,
        device: str = "auto",
        session: Session = ALONE,
    ) -> Baseline:
        """Count; device plays no part, dev only shows whether its tags are known. seed: of trees drawn at random."""
        trained = cls(config, seed, Counts.of(train))
        for line in trained.cautions(dev, "dev data") if dev is not None else []:
            session.tell(line)
        return trained

    def known_tags(self) -> dict[str, Collection[str]]:
        """See `Parser.known_tags`."""
        return {"UPOS": {*self.counts.relations, *self.counts.root_relations}}

    @abstractmethod
    def heads(self, treebank: Treebank) -> Ints:
        """The head of each word, a row of the treebank, `ROOT` for one word of each sentence; [N]."""

    def predict(self, treebank: Treebank) -> Treebank:
        """The same text with this parser's heads, and relations by UPOS alone."""
        head = self.heads(treebank)
        return annotated(treebank, head, *self._relations(treebank, head == ROOT))

    def _relations(self, treebank: Treebank, is_root: np.ndarray) -> tuple[Ints, list[str]]:
        counts = self.counts
        unseen = most_frequent(total(counts.relations), NO_RELATION)
        names = [most_frequent(total(counts.root_relations), NO_ROOT_RELATION)]
        for tag in treebank.upos.vocabulary:
            names.append(most_frequent(counts.relations.get(tag, Counter()), unseen))
        return np.where(is_root, 0, treebank.upos.codes + 1), names

    def save(self, folder: Path) -> None:
        """Write model.json: config, seed and counts."""
        own = {"config": as_json(self.config), "seed": self.seed, "counts": self.counts.as_json()}
        write_json(folder, {"parser": self.name, **own})

    @classmethod
    def load(cls, folder: Path, device: str = "auto") -> Baseline:
        """Read model.json again."""
        content = read_json(folder, cls.name)
        with whole(folder):
            config = configured(cls.Config, (str(folder), content["config"]))
            return cls(config, int(content["seed"]), Counts.from_json(content["counts"]))


class Left(Baseline):
    """Left-branching: every word but the last depends on the word after it (head-final); the last one is the root."""

    name = "left"
    what = "chain: the head of each word is the next word, the last one is the root; relation by UPOS"
    source = "baseline of Klein & Manning (2004), ACL"

    def heads(self, treebank: Treebank) -> Ints:
        """See `Baseline.heads`."""
        head = np.arange(1, treebank.n_words + 1)
        head[_filled(treebank.sentence_start[1:], treebank) - 1] = ROOT
        return head


class Right(Baseline):
    """Right-branching: every word but the first depends on the word before it (head-initial); the first is the root."""

    name = "right"
    what = "chain: the head of each word is the word before it, the first one is the root; relation by UPOS"
    source = "baseline of Klein & Manning (2004), ACL"

    def heads(self, treebank: Treebank) -> Ints:
        """See `Baseline.heads`."""
        head = np.arange(-1, treebank.n_words - 1)
        head[_filled(treebank.sentence_start[:-1], treebank)] = ROOT
        return head


def _filled(bounds: Ints, treebank: Treebank) -> Ints:
    """Of one bound a sentence those of sentences that have words."""
    return bounds[treebank.sentence_length > 0]


class RandomTree(Baseline):
    """A tree drawn uniformly from all n^(n-1) rooted trees over the n words of a sentence, projective or not.

    The draw is a function from words to words, uniform over all n^n of them, made into a tree by `tree_of_map`: each
    tree comes from exactly n of the functions. It belongs to (seed, the sentence's own id and words): a sentence gets
    the same tree alone and in a file.
    """

    name = "random-tree"
    what = "a uniformly random tree with one root, projective or not; relation by UPOS"
    source = "Joyal (1981), Advances in Mathematics 42(1): functions and trees with two marked nodes"

    def heads(self, treebank: Treebank) -> Ints:
        """See `Baseline.heads`."""
        length = treebank.sentence_length[treebank.sentence_of]
        draw = treebank.random_uniform(self.seed, "random-tree")
        image = treebank.sentence_start[treebank.sentence_of] + (draw * length).astype(np.int64)
        return tree_of_map(image, treebank.sentence_of)


def tree_of_map(image: Ints, sentence_of: Ints) -> Ints:
    """A tree with one root for each sentence from a function of its words to its words.

    image: [N] rows, each in the sentence of its word; sentence_of: [N]; returns heads, [N] rows, `ROOT` for roots.
    Joyal's bijection: on the words that lie on cycles the function is a permutation. Its values, in the order of the
    words, become a path of heads, the first one the root; all other words keep their image as head. Together with the
    path's other end a tree gives the function back, so each tree comes from n functions.
    """
    # on a cycle: reached from somewhere after as many steps as you like
    cyclic = np.unique(_far(image))
    path = image[cyclic]
    sentence = sentence_of[cyclic]
    head = image.astype(np.int64, copy=True)
    starts = np.diff(sentence, prepend=-1) != 0
    head[path] = np.where(starts, ROOT, np.roll(path, 1))
    return head


def _far(image: Ints) -> Ints:
    """Where each word comes to after at least as many steps of `image` as the treebank has words; all at once."""
    steps = 1
    while steps < len(image):
        image, steps = image[image], 2 * steps
    return image


class MajorityOffset(Baseline):
    """The head of a word is as far away, and on that side, as heads are most often for its UPOS in training.

    Of equally frequent distances the smallest counts, and before the word rather than after it. A UPOS that training
    doesn't show takes the most frequent distance of all. A head before the first or after the last word becomes that
    word. Repair to one tree: the root is the first word of the sentence whose UPOS is most often the UPOS of a root in
    training (of the sentence's UPOS the one with the most roots; if none ever was a root: the first word). Then of
    each circle that is left the first word is hung on the root; a word that would head itself is a circle of one.
    """

    name = "majority-offset"
    what = "the most frequent signed distance to the head for the word's UPOS, repaired to a tree; relation by UPOS"
    source = "a baseline of permtree's own; it knows the order of words and their UPOS alone"

    def heads(self, treebank: Treebank) -> Ints:
        """See `Baseline.heads`."""
        tags, counts = treebank.upos, self.counts
        unseen = most_frequent(total(counts.offsets), -1)
        offset = _by_tag((most_frequent(counts.offsets.get(tag, Counter()), unseen) for tag in tags.vocabulary), tags)
        first = treebank.sentence_start[treebank.sentence_of]
        last = treebank.sentence_start[treebank.sentence_of + 1] - 1
        head = np.clip(np.arange(treebank.n_words) + offset, first, last)
        root = self._roots(treebank)
        root_of = root[np.cumsum(treebank.sentence_length > 0)[treebank.sentence_of] - 1]
        head[root] = root
        head = np.where(_first_of_circle(head), root_of, head)
        head[root] = ROOT
        return head

    def _roots(self, treebank: Treebank) -> Ints:
        """The row of the root of each sentence that has words."""
        seen = self.counts.root_relations
        as_root = _by_tag((seen.get(tag, Counter()).total() for tag in treebank.upos.vocabulary), treebank.upos)
        best_first = np.lexsort((np.arange(treebank.n_words), -as_root, treebank.sentence_of))
        return best_first[_filled(treebank.sentence_start[:-1], treebank)]


def _by_tag(values: Iterable[int], tags: Any) -> Ints:
    """A value for each word from one for each tag of the vocabulary."""
    return np.fromiter(values, np.int64, len(tags.vocabulary))[tags.codes]


def _first_of_circle(image: Ints) -> np.ndarray:
    """Which words are the first of a circle of `image`: bool [N]."""
    least, steps, on = np.arange(len(image)), 1, image
    while steps < len(image):  # `least`: the least row among the first `steps` of the way, `on`: where that ends
        least, on, steps = np.minimum(least, least[on]), on[on], 2 * steps
    result = np.zeros(len(image), bool)
    result[on] = least[on] == on
    return result
