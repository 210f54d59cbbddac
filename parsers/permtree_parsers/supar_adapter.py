"""supar 1.1.4's biaffine and TreeCRF parsers, of another maker, as parsers of ours.

supar's networks, training loop and decoders are used as they are (`parsers.supar_internals`, which needs supar); here
is what can be set, and how a parser is trained, saved and loaded.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from permtree.configuration import as_json, configured, setting
from permtree.conllu.text import FORM, UPOS
from permtree.editing.annotating import annotated
from permtree.errors import UsageError
from permtree.neural.devices import device_named
from permtree.parsing import ALONE, Parser, Session, missing_library
from permtree.treebank import Treebank

from .folder import check_shapes, read_json, read_tensors, whole, write_json, write_tensors
from .plain import head_rows, plain_sentences

FEATURES = ("tag", "char")
_SIZE = (1, 10**5)
_SHARE = (0, 0.95)


@dataclass(frozen=True)
class SuparConfig:
    """supar's settings by its own names, with the defaults that it publishes for training without pretrained vectors.

    supar's command line has 16 threads as default, which few machines have to spare, and its feature is char alone.
    """

    feat: tuple[str, ...] = setting(FEATURES, "features beside the form: tag (UPOS), char, or both")
    encoder: str = setting("lstm", "only the LSTM; pretrained transformers are not offered", ("lstm",))
    n_embed: int = setting(100, "size of word embeddings", within=_SIZE)
    n_feat_embed: int = setting(100, "size of each feature", within=_SIZE)
    n_char_embed: int = setting(50, "size of character embeddings", within=_SIZE)
    n_char_hidden: int = setting(100, "size of the character LSTM, an even number", within=_SIZE)
    embed_dropout: float = setting(0.33, "dropout of embeddings", within=_SHARE)
    n_lstm_hidden: int = setting(400, "LSTM units in each direction", within=_SIZE)
    n_lstm_layers: int = setting(3, "LSTM layers", within=(1, 100))
    encoder_dropout: float = setting(0.33, "dropout of the LSTM", within=_SHARE)
    n_arc_mlp: int = setting(500, "size of arc representations", within=_SIZE)
    n_rel_mlp: int = setting(100, "size of relation representations", within=_SIZE)
    mlp_dropout: float = setting(0.33, "dropout of representations", within=_SHARE)
    min_freq: int = setting(2, "words less frequent in training are unknown", within=(1, 1e9))
    fix_len: int = setting(20, "characters of a word that are looked at", within=(1, 1e4))
    lr: float = setting(2e-3, "learning rate", within=(1e-9, 10))
    mu: float = setting(0.9, "first moment of Adam", within=(0, 1))
    nu: float = setting(0.9, "second moment of Adam", within=(0, 1))
    eps: float = setting(1e-12, "of Adam", within=(0, 1))
    weight_decay: float = setting(0.0, "of Adam", within=(0, 1))
    clip: float = setting(5.0, "largest norm of the gradient", within=(1e-9, 1e9))
    decay: float = setting(0.75, "what the learning rate is multiplied by ...", within=(1e-9, 1))
    decay_steps: int = setting(5000, "... after so many steps", within=(1, 1e9))
    batch_size: int = setting(5000, "words in a batch", within=(1, 1e9))
    buckets: int = setting(32, "groups of sentences of similar length", within=(1, 1e6))
    epochs: int = setting(5000, "most passes over the training data", within=(1, 1e9))
    patience: int = setting(100, "passes without better LAS on dev until training stops", within=(1, 1e9))
    punct: bool = setting(False, "whether LAS on dev counts words of punctuation characters alone")
    tree: bool = setting(False, "whether LAS on dev is that of well-formed trees; predictions are trees always")
    proj: bool = setting(True, "whether trees are projective; for supar-crf in training, too")
    threads: int = setting(1, "processor threads; others may give other last digits", within=(1, 1024))


class SuparParser(Parser):
    """What the two parsers share. Needs supar 1.1.4, which is no longer maintained, and works with recent torch.

    Words are read in lower case, with UPOS and characters as `feat` says. Without dev, the training data serve as dev.
    Relations on dev that training doesn't show have the number of supar's own root symbol while training; predictions
    never do. The same seed gives the same parser on the CPU; on a GPU sums may come in another order. supar shuffles
    sentences in the same way for all seeds: the seed decides the initial weights, the buckets and dropout.
    """

    needs = "permtree[supar]"
    libraries = ("supar", "torch")
    Config = SuparConfig
    presets = {
        "small": {
            "n_lstm_hidden": 200,
            "n_lstm_layers": 2,
            "n_arc_mlp": 200,
            "n_rel_mlp": 50,
            "batch_size": 1000,
            "decay_steps": 1000,
            "epochs": 30,
            "patience": 10,
        },
        "full": {},
    }
    class_name: ClassVar[str]  # of supar's parser

    def __init__(self, config: SuparConfig, vocabularies: dict[str, list[str]], device: str):
        """A parser with new weights. vocabularies: words, tags, chars and rels in the order of their numbers."""
        self.config = config
        self.device = device
        self.parser = _internals().build(self.class_name, config, vocabularies, device)

    @classmethod
    def train(
        cls,
        train: Treebank,
        dev: Treebank | None,
        config: Any,
        seed: int = 0,
        device: str = "auto",
        session: Session = ALONE,
    ) -> SuparParser:
        """Train with supar's own loop; LAS on dev chooses the epoch. Raises UsageError where nothing can be learnt."""
        internals, device = _internals(), device_named(device).type
        _checked(config)
        train = cls.usable(train, config, session)
        if dev is None or not dev.n_words:
            session.tell(f"{cls.name}: no dev data: supar needs some, so the training data choose the epoch")
            dev = train
        blocks = [_with_trees(treebank) for treebank in (train, dev)]
        with internals.contained(config.threads, seed):
            trained = cls(config, internals.vocabularies(blocks[0], config), device)
            for line in trained.cautions(dev, "dev data"):
                session.tell(line)
            trained.parser.run(*blocks, session)
        return trained

    @classmethod
    def usable(cls, train: Treebank, config: SuparConfig, session: Session) -> Treebank:
        """The sentences that this parser can train on; says what is left out."""
        kept = train.select_sentences(train.sentence_length > 0)
        if not kept.n_words:
            raise UsageError(f"{cls.name}: no sentence to train on")
        return kept

    def predict(self, treebank: Treebank) -> Treebank:
        """The same text with supar's trees. Raises UsageError should supar find no tree with one root."""
        with _internals().contained(self.config.threads):
            heads, relations = self.parser.decoded(plain_sentences(treebank, (FORM, UPOS)))
        numbers = np.array([number for sentence in relations for number in sentence], np.int64)
        return annotated(treebank, head_rows(treebank, heads), numbers, self.parser.vocabularies()["rels"])

    def known_tags(self) -> dict[str, Collection[str]]:
        """See `Parser.known_tags`."""
        return {"UPOS": self.parser.vocabularies()["tags"]} if "tag" in self.config.feat else {}

    def save(self, folder: Path) -> None:
        """Write model.json, with the config and all vocabularies, and weights.safetensors."""
        write_tensors(folder, self.parser.model.state_dict())
        content = {"config": as_json(self.config), "vocabularies": self.parser.vocabularies()}
        write_json(folder, {"parser": self.name, **content})

    @classmethod
    def load(cls, folder: Path, device: str = "auto") -> SuparParser:
        """Build supar's parser from scratch from both files."""
        content = read_json(folder, cls.name)
        internals, device = _internals(), device_named(device).type
        import torch

        with whole(folder):
            config = configured(cls.Config, (str(folder), content["config"]))
            _checked(config)
            with internals.contained(config.threads):
                with torch.device("meta"):  # takes no memory
                    check_shapes(folder, cls(config, content["vocabularies"], "meta").parser.model.state_dict())
                loaded = cls(config, content["vocabularies"], device)
            loaded.parser.model.load_state_dict(read_tensors(folder))
        return loaded


class SuparBiaffine(SuparParser):
    """supar's biaffine parser. It learns from all sentences, those with several roots and crossing arcs too."""

    name = "supar-biaffine"
    what = "supar's biaffine graph-based parser, of another maker, for comparison"
    source = "Dozat & Manning (2017), ICLR; implementation: Zhang, Li & Zhang (2020), ACL"
    class_name = "BiaffineDependencyParser"


class SuparCRF(SuparParser):
    """supar's first-order TreeCRF parser, decoded by least risk.

    It is a distribution over trees with one root, projective ones where `proj` is true, so that other sentences have no
    probability: they are left out of training, and their number is told.
    """

    name = "supar-crf"
    what = "supar's first-order TreeCRF graph-based parser, of another maker, for comparison"
    source = "Zhang, Li & Zhang (2020), ACL"
    class_name = "CRFDependencyParser"

    @classmethod
    def usable(cls, train: Treebank, config: SuparConfig, session: Session) -> Treebank:
        """See `SuparParser.usable`."""
        several = train.n_roots > 1
        crossed = np.zeros(train.n_sentences, bool)
        if config.proj:
            crossed[train.sentence_of[train.nonprojective]] = True
        left_out = several | crossed
        if left_out.any():
            why = f"{int((crossed & ~several).sum())} not projective, {int(several.sum())} with several roots"
            session.tell(
                f"{cls.name}: left out of training: {int(left_out.sum())} of {train.n_sentences} sentences ({why})"
            )
        return super().usable(train.select_sentences(~left_out), config, session)


def _internals() -> Any:
    """The module that works with supar."""
    try:
        from . import supar_internals
    except ImportError:
        raise missing_library("supar", "supar") from None
    return supar_internals


def _with_trees(treebank: Treebank) -> list[list[str]]:
    """Plain sentences with trees, those without words left out."""
    return [lines for lines in plain_sentences(treebank, (FORM, UPOS), treebank.deprel.decoded()) if lines]


def _checked(config: SuparConfig) -> None:
    """Raise UsageError for settings that supar can't work with."""
    if not config.feat or not set(config.feat) <= set(FEATURES):
        raise UsageError(f"feat = {list(config.feat)}: name one or both of tag and char")
    if config.n_char_hidden % 2:
        raise UsageError(f"n_char_hidden = {config.n_char_hidden} must be an even number")
