"""The frame of the parsers that are networks of ours: train, predict, save, load. torch loads when one is used."""

from __future__ import annotations

import importlib
import importlib.util
from collections.abc import Collection
from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from permtree.configuration import as_json, configured
from permtree.editing.annotating import annotated
from permtree.errors import UsageError
from permtree.neural.devices import device_named, on_threads
from permtree.neural.settings import NeuralConfig
from permtree.neural.vocabulary import Encoded
from permtree.parsing import ALONE, Parser, Session, missing_library
from permtree.parsing.models import signature
from permtree.treebank import Treebank

from . import folder as folders
from .relations import ParserVocabulary

if TYPE_CHECKING:
    from permtree.neural.transformer import Transformer

    from .parser_network import ParserNetwork


FULL = {  # of the preset for a GPU, what both parsers have
    "word_size": 200, "tag_size": 64, "character_features": 128, "hidden": 400, "layers": 3, "epochs": 60,
    "most_words": 0, "batch_words": 5000,
}  # fmt: skip
TRANSFORMER = "transformer"  # the folder of its shape and tokenizer in a model folder


class NeuralParser(Parser):
    """A network with its vocabulary. network: "module:class" in this package, of the architecture's `ParserNetwork`."""

    needs = "permtree[parsers]"
    libraries = ("torch",)
    network: ClassVar[str]

    def __init__(
        self, config: NeuralConfig, vocabulary: ParserVocabulary, device: str, transformer: Transformer | None = None
    ):
        self.config = config
        self.vocabulary = vocabulary
        self.history: dict[str, Any] = {}
        self.device = device_named(device)
        self.model = self._network(config, vocabulary, transformer).to(self.device)

    @classmethod
    def _network(
        cls, config: NeuralConfig, vocabulary: ParserVocabulary, transformer: Transformer | None
    ) -> ParserNetwork:
        module, name = cls.network.split(":")
        return getattr(importlib.import_module(f".{module}", __package__), name)(config, vocabulary, transformer)

    def encode(self, treebank: Treebank) -> Encoded:
        """A treebank in numbers, for this network."""
        transformer = self.model.features.transformer
        return self.vocabulary.encode(treebank, transformer.pieces if transformer is not None else None)

    @classmethod
    def train(
        cls,
        train: Treebank,
        dev: Treebank | None,
        config: Any,
        seed: int = 0,
        device: str = "auto",
        session: Session = ALONE,
    ) -> NeuralParser:
        """See `Parser.train`; with a folder in `session`, resumes after the last epoch that was finished there."""
        check_torch()
        import torch

        from permtree.neural.training import Dev, Training

        from .parser_network import CHOOSES, scores, tell_not_learnt

        if not train.n_words:
            raise UsageError("no words to train on")
        if dev is None:
            session.tell("no dev set: training goes through all epochs, and the last one is taken")
        elif not dev.n_words:
            raise UsageError("no words in the dev set: leave it out to train through all epochs")
        with on_threads(config.threads):
            parser = cls._untrained(train, config, seed, device)
            made_from = f"{signature(cls, train, dev, config, seed)}|{parser.device.type}"
            held_out = None
            if dev is not None:
                for line in parser.cautions(dev, "dev data"):
                    session.tell(line)
                encoded = parser.encode(dev)
                held_out = Dev(lambda: scores(parser.model, encoded, parser.device), CHOOSES)
            training = Training(parser.model, parser.encode(train), held_out, seed, parser.device, session, made_from)
            tell_not_learnt(parser.model, training.batches, session)
            parser.history = {"torch": torch.__version__, "device": parser.device.type, **training.run()}
        return parser

    @classmethod
    def _untrained(cls, train: Treebank, config: NeuralConfig, seed: int, device: str) -> NeuralParser:
        from permtree.neural.training import reproducible

        vocabulary = ParserVocabulary.of(train, config.min_frequency)
        if config.vectors:
            from permtree.neural.vectors import read_vectors

            words, vectors = read_vectors(config.vectors, config.most_vectors)
            vocabulary = replace(vocabulary, vectors=words, vector_size=vectors.shape[1])
        with reproducible(seed, 0, device_named(device)):
            # a transformer whose file lacks weights draws them
            transformer = read_transformer(config.transformer) if config.transformer else None
            parser = cls(config, vocabulary, device, transformer)
        if config.vectors:
            parser.model.features.fill_vectors(vectors)
        return parser

    def predict(self, treebank: Treebank) -> Treebank:
        """See `Parser.predict`."""
        from .parser_network import predict

        self.model.config = self.config  # which may have another decoder by now
        with on_threads(self.config.threads):
            head, relation = predict(self.model, self.encode(treebank), self.device)
        return annotated(treebank, head, relation, self.vocabulary.relations)

    def known_tags(self) -> dict[str, Collection[str]]:
        """See `Parser.known_tags`."""
        own, used = self.vocabulary, self.config
        kinds = {"UPOS": (used.upos, own.upos), "XPOS": (used.xpos, own.xpos), "FEATS": (used.feats, own.feats)}
        return {kind: values for kind, (is_used, values) in kinds.items() if is_used}

    def save(self, folder: Path) -> None:
        """See `Parser.save`."""
        content = {
            "config": as_json(self.config),
            "vocabulary": asdict(self.vocabulary),
            "training": self.history,
        }
        if self.model.features.transformer is not None:
            self.model.features.transformer.save_shape(folder / TRANSFORMER)
        folders.write_tensors(folder, self.model.state_dict())
        folders.write_json(folder, {"parser": self.name, **content})

    @classmethod
    def load(cls, folder: Path, device: str = "auto") -> NeuralParser:
        """See `Parser.load`."""
        check_torch()
        content = folders.read_json(folder, cls.name)
        import torch

        from permtree.neural.training import reproducible

        target = device_named(device)
        with folders.whole(folder), reproducible(0, 0, target):  # the weights drawn at first don't matter
            config: NeuralConfig = configured(cls.Config, (str(folder), content["config"]))
            vocabulary = ParserVocabulary(**content["vocabulary"])

            def shape() -> Transformer | None:
                return read_transformer(str(folder / TRANSFORMER), weights=False) if config.transformer else None

            with torch.device("meta"):  # takes no memory
                folders.check_shapes(folder, cls._network(config, vocabulary, shape()).state_dict())
            parser = cls(config, vocabulary, "cpu", shape())
            parser.history = content["training"]
            parser.model.load_state_dict(folders.read_tensors(folder))
        parser.device = target
        parser.model.to(target).eval()
        return parser


def read_transformer(folder: str, weights: bool = True) -> Transformer:
    """See `Transformer.read`."""
    from permtree.neural.transformer import Transformer

    return Transformer.read(folder, weights)


def check_torch() -> None:
    """UsageError where torch or safetensors is missing."""
    for library in ("torch", "safetensors"):
        if importlib.util.find_spec(library) is None:
            raise missing_library(library, "parsers")
