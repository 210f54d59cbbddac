"""`arc-hybrid`: the transition-based parser."""

from __future__ import annotations

from dataclasses import dataclass

from permtree.configuration import setting
from permtree.neural.settings import NeuralConfig

from .network_parser import FULL, NeuralParser


@dataclass(frozen=True)
class ArcHybridConfig(NeuralConfig):
    """The shared settings and those of the transition-based architecture."""

    classifier_size: int = setting(256, "hidden layer between a configuration and its transitions", within=(1, 10**4))
    oracle: str = setting("dynamic", "what is right: any transition that loses no arc, or one", ("dynamic", "static"))
    exploration: float = setting(
        0.1, "share of steps that follow the network, if need be wrong (dynamic oracle)", within=(0, 1)
    )
    explore_after: int = setting(2, "epochs without exploration (dynamic oracle)", within=(0, 10**6))
    swap: bool = setting(False, "a fourth transition that makes all non-projective trees possible")


class ArcHybrid(NeuralParser):
    """Transition-based: reads from left to right and decides step by step."""

    name = "arc-hybrid"
    what = "transition-based: greedy arc-hybrid steps, trained with a dynamic oracle and exploration"
    source = (
        "Kuhlmann, Gómez-Rodríguez & Satta 2011; Goldberg & Nivre 2013; Kiperwasser & Goldberg 2016; "
        "de Lhoneux, Stymne & Nivre 2017 (swap)"
    )
    Config = ArcHybridConfig
    presets = {"small": {}, "full": {**FULL, "classifier_size": 500}}
    network = "arc_hybrid_network:ArcHybridNetwork"
