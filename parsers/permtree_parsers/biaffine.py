"""`biaffine`: the graph-based parser."""

from __future__ import annotations

from dataclasses import dataclass

from permtree.configuration import setting
from permtree.neural.settings import NeuralConfig
from permtree.treebank import Treebank

from .network_parser import FULL, NeuralParser


@dataclass(frozen=True)
class BiaffineConfig(NeuralConfig):
    """The shared settings and those of the graph-based architecture."""

    arc_size: int = setting(256, "representation of a word as head or dependent", within=(1, 10**4))
    relation_size: int = setting(200, "the same, for relations", within=(1, 10**4))
    loss: str = setting("local", "softmax over the heads of each word, or over projective trees", ("local", "crf"))
    decode: str = setting("projective", "trees without or with crossing arcs", ("projective", "mst"))
    longest: int = setting(
        1000,
        "words up to which the best projective tree is found, in the cube of the length; longer sentences are decoded "
        "in parts of so many, in the square, and left out of loss = crf",
        within=(3, 10**6),
    )


class Biaffine(NeuralParser):
    """Graph-based: scores all arcs, then takes the best tree."""

    name = "biaffine"
    what = "graph-based: biaffine scores of all arcs, then the best projective (Eisner) or any tree (Chu-Liu/Edmonds)"
    source = "Dozat & Manning 2017; Eisner 1996; McDonald, Pereira, Ribarov & Hajič 2005; Zhang, Li & Zhang 2020 (crf)"
    Config = BiaffineConfig
    presets = {"small": {}, "full": {**FULL, "arc_size": 500}}
    network = "biaffine_network:BiaffineNetwork"

    def cautions(self, treebank: Treebank, name: str) -> list[str]:
        """See `Parser.cautions`."""
        return [*super().cautions(treebank, name), *self.approximated(treebank, name)]

    def approximated(self, treebank: Treebank, name: str) -> list[str]:
        """A line about sentences that are too long for the best projective tree, if there are any."""
        count = int((treebank.sentence_length > self.config.longest).sum())
        if not count or self.config.decode != "projective":
            return []
        sentences = "1 sentence has" if count == 1 else f"{count} sentences have"
        what = "they are decoded in parts, so that not every tree is the best projective one"
        return [f"{name}: {sentences} more than {self.config.longest} words (setting longest): {what}"]
