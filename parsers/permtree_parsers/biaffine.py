"""`biaffine`: the graph-based parser."""

from __future__ import annotations

from dataclasses import dataclass

from permtree.configuration import setting
from permtree.neural.settings import NeuralConfig

from .network_parser import FULL, NeuralParser


@dataclass(frozen=True)
class BiaffineConfig(NeuralConfig):
    """The shared settings and those of the graph-based architecture."""

    arc_size: int = setting(256, "representation of a word as head or dependent", within=(1, 10**4))
    relation_size: int = setting(200, "the same, for relations", within=(1, 10**4))
    loss: str = setting("local", "softmax over the heads of each word, or over projective trees", ("local", "crf"))
    decode: str = setting("projective", "trees without or with crossing arcs", ("projective", "mst"))


class Biaffine(NeuralParser):
    """Graph-based: scores all arcs, then takes the best tree."""

    name = "biaffine"
    what = "graph-based: biaffine scores of all arcs, then the best projective (Eisner) or any tree (Chu-Liu/Edmonds)"
    source = "Dozat & Manning 2017; Eisner 1996; McDonald, Pereira, Ribarov & Hajič 2005; Zhang, Li & Zhang 2020 (crf)"
    Config = BiaffineConfig
    presets = {"small": {}, "full": {**FULL, "arc_size": 500}}
    network = "biaffine_network:BiaffineNetwork"
