"""Small networks that train in a moment, for the tests of the two neural parsers, and small treebanks for them."""

from __future__ import annotations

import json
from typing import Any

import pytest
from commandline import sentence
from permtree_parsers.arc_hybrid import ArcHybrid
from permtree_parsers.biaffine import Biaffine
from permtree_parsers.network_parser import NeuralParser
from places import SAMPLE
from reordering import conllu, word

from permtree.permuting import Permutation, permute_bytes
from permtree.treebank import Treebank

KINDS: tuple[type[NeuralParser], ...] = (Biaffine, ArcHybrid)
of_both = pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.name)
of_both_characters = pytest.mark.parametrize("characters", ["cnn", "lstm"])

# All that the tests depend on is said here, so that they don't depend on defaults.
SMALL = {
    "upos": True, "xpos": False, "feats": True, "characters": "cnn", "word_size": 24, "tag_size": 8,
    "character_size": 8, "character_features": 8, "min_frequency": 1, "unknown_dropout": 0.1,
    "hidden": 24, "layers": 1, "dropout": 0.1, "epochs": 2, "most_words": 0, "patience": 100, "batch_words": 100,
    "learning_rate": 0.005, "clip": 5.0, "threads": 1,
}  # fmt: skip
OWN = {"biaffine": {"arc_size": 24, "relation_size": 16}, "arc-hybrid": {"classifier_size": 24}}

# Two roots; crossing arcs; a long word, which is a sentence by itself.
LONG = conllu(word(1, "donaudampfschifffahrtsgesellschaft", 0), "")
ODD = sentence("roots", 0, 0, 1, 2) + sentence("crossing", 3, 4, 0, 3) + LONG
CIRCLE = sentence("circle", 2, 1, 0)
UNSEEN = conllu("1 \u00e5\U0001f333 _ NEW _ New=1 0 root _", "2 x _ X _ _ 1 unseen:relation _", "")


def small(kind: type[NeuralParser], **settings: Any) -> Any:
    """A config of small sizes; settings on top of them."""
    return kind.Config(**{**SMALL, **OWN[kind.name], **settings})


def assigned(kind: type[NeuralParser], **settings: Any) -> list[str]:
    """The same for the command line."""
    return [f"--set={name}={json.dumps(value)}" for name, value in {**SMALL, **OWN[kind.name], **settings}.items()]


def sample(name: str, n_sentences: int, first: int = 0) -> Treebank:
    """Some sentences of a file of the sample, as a text of their own."""
    blocks = (SAMPLE / f"{name}.conllu").read_bytes().split(b"\n\n")[first : first + n_sentences]
    return Treebank.from_bytes(b"\n\n".join(blocks) + b"\n\n", name)


def shuffled(treebank: Treebank, mode: str = "random") -> Treebank:
    """In another word order; `random` makes nearly all sentences non-projective."""
    return Treebank.from_bytes(permute_bytes(treebank, Permutation(mode, 1))[0])


def trained(kind: type[NeuralParser], train: Treebank, dev: Treebank | None = None, seed: int = 1, **settings: Any):
    """A parser after a short training."""
    return kind.train(train, dev, small(kind, **settings), seed, "cpu")
