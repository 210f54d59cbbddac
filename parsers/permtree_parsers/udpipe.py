"""UDPipe 1, a transition-based parser of another maker, trained and run through the library ufal.udpipe.

UDPipe trains in a process of its own: it writes to standard error from C++, can't be interrupted, and ends its process
where a setting breaks it.
"""

from __future__ import annotations

import hashlib
import os
import re
import subprocess
import sys
import tempfile
from collections import Counter, deque
from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from permtree.configuration import as_json, configured, setting
from permtree.conllu.files import atomic_output
from permtree.editing.annotating import annotated
from permtree.errors import UsageError
from permtree.inside import inside
from permtree.kernels.trees import ROOT
from permtree.parsing import ALONE, Parser, Session, missing_library
from permtree.parsing.tags import tags_in, unknown_tags
from permtree.treebank import Treebank

from .folder import read_json, whole, write_json
from .plain import head_rows, plain_conllu, plain_sentences

MODEL = "model.udpipe"
TRAIN, DEV, ERROR = "train.conllu", "dev.conllu", "error.txt"  # in the folder that the training process works in
ROOT_RELATION = "root"  # UDPipe's name for the relation of roots, which no other word may have
PROJECTIVE = ("projective", "link2")  # systems that can't make crossing arcs; link2 only few of them
_EMBEDDED = {"UPOS": "embedding_upostag", "XPOS": "embedding_xpostag", "FEATS": "embedding_feats"}
_SIZE = (0, 10**4)


@dataclass(frozen=True)
class UDPipeConfig:
    """UDPipe's training options by its own names, with its own defaults, and the beam of its search."""

    transition_system: str = setting("projective", "kind of transitions", ("projective", "swap", "link2"))
    transition_oracle: str = setting(
        "",
        "what it learns from: static or dynamic for projective, static_eager or static_lazy for swap, static for link2;"
        " empty: dynamic, static_lazy and static",
        ("", "static", "dynamic", "static_eager", "static_lazy"),
    )
    structured_interval: int = setting(
        8, "structured prediction on one of so many sentences; 0: never", within=(0, 1e6)
    )
    embedding_upostag: int = setting(20, "size of the embedding of UPOS, 0: without", within=_SIZE)
    embedding_feats: int = setting(20, "size of the embedding of FEATS, taken as one tag", within=_SIZE)
    embedding_xpostag: int = setting(0, "size of the embedding of XPOS", within=_SIZE)
    embedding_form: int = setting(50, "size of the embedding of forms", within=_SIZE)
    embedding_lemma: int = setting(0, "size of the embedding of lemmas", within=_SIZE)
    embedding_deprel: int = setting(20, "size of the embedding of relations found so far", within=_SIZE)
    embedding_form_mincount: int = setting(2, "forms less frequent in training are unknown", within=(1, 1e9))
    embedding_lemma_mincount: int = setting(2, "lemmas less frequent in training are unknown", within=(1, 1e9))
    iterations: int = setting(10, "passes over the training data", within=(1, 1e6))
    hidden_layer: int = setting(200, "size of the hidden layer", within=(1, 1e5))
    batch_size: int = setting(10, "transitions in a batch", within=(1, 1e6))
    learning_rate: float = setting(0.02, "at the start", within=(1e-9, 10))
    learning_rate_final: float = setting(0.001, "at the end", within=(1e-9, 10))
    l2: float = setting(0.5, "regularization of weights", within=(0, 1e3))
    early_stopping: bool = setting(True, "keep the iteration with the best LAS on dev, where dev is given")
    beam_search: int = setting(5, "size of the beam in parsing", within=(1, 1e3))


class UDPipe(Parser):
    """UDPipe 1's parser alone, on the tags that it is given: no tokenizer, no tagger.

    UDPipe has no seed: it always starts its generator with the same number (its option `run` draws other settings, not
    another start). Seed 0 leaves the training sentences in their order, as UDPipe's own program does; every other seed
    shuffles them. UDPipe trains on sentences with one root only and wants the relation `root` on roots and nowhere
    else: sentences with several roots are left out, and relations are renamed on the way in and back on the way out.
    It has no GPU.
    """

    name = "udpipe"
    what = "UDPipe 1 (transitions, feed-forward network), a parser of another maker, for comparison"
    source = "Straka & Straková (2017), CoNLL Shared Task; Straka et al. (2015), TLT 14 (Parsito)"
    needs = "permtree[udpipe]"
    libraries = ("ufal.udpipe",)
    Config = UDPipeConfig
    presets = {  # UDPipe's defaults are made for a CPU
        "small": {},
        "full": {},
        "quick": {"structured_interval": 0, "transition_oracle": "static", "hidden_layer": 100, "iterations": 5},
    }

    def __init__(
        self, config: UDPipeConfig, data: bytes, relations: dict[str, str], tags: dict[str, list[str]] | None = None
    ):
        """data: UDPipe's own model; relations: what UDPipe's names of relations stand for; tags: see `known_tags`."""
        self.config = config
        self.relations = relations
        self.tags = tags or {}
        self._data = data
        self._model = _opened(data)

    @classmethod
    def train(
        cls,
        train: Treebank,
        dev: Treebank | None,
        config: Any,
        seed: int = 0,
        device: str = "auto",
        session: Session = ALONE,
    ) -> UDPipe:
        """Train in another process; dev chooses the iteration. Raises UsageError with what UDPipe says if it fails."""
        _library()
        if not any(vars(config)[f"embedding_{kind}"] for kind in ("upostag", "feats", "xpostag", "form", "lemma")):
            raise UsageError("udpipe: all embeddings of words have size 0: nothing to parse by")
        train = _usable(train, config, session)
        relations = {ROOT_RELATION: _root_relation(train, session)}
        names = _names([*train.deprel.vocabulary, *(dev.deprel.vocabulary if dev is not None else [])])
        relations.update((name, relation) for relation, name in names.items())
        sentences = _sentences(train, names)
        if seed:
            draw = train.random_uniform_of_sentence(seed, "udpipe")[train.sentence_start[:-1]]
            sentences = [sentences[place] for place in np.argsort(draw, kind="stable").tolist()]
        heldout = _sentences(dev, names) if dev is not None else []
        tags = tags_in(train, [kind for kind, name in _EMBEDDED.items() if vars(config)[name]])
        for line in unknown_tags(dev, tags, "dev data") if dev is not None else []:
            session.tell(line)
        data = _trained(plain_conllu(sentences), plain_conllu(heldout), config, session)
        return cls(config, data, relations, tags)

    def known_tags(self) -> dict[str, Collection[str]]:
        """See `Parser.known_tags`."""
        return dict(self.tags)

    def predict(self, treebank: Treebank) -> Treebank:
        """The same text with UDPipe's trees. Raises UsageError should UDPipe find no tree with one root."""
        text = _read(plain_conllu(plain_sentences(treebank)))
        options, fault = f"beam_search={self.config.beam_search}", _library().ProcessingError()
        heads, relations = [], []
        for sentence in text:
            if not self._model.parse(sentence, options, fault):
                raise UsageError(f"udpipe: {fault.message}")
            words = [sentence.words[place] for place in range(1, sentence.words.size())]
            heads.append([word.head for word in words])
            relations += [word.deprel for word in words]
        names = sorted(set(relations))
        numbers = np.fromiter(map(names.index, relations), np.int64, len(relations))
        return annotated(treebank, head_rows(treebank, heads), numbers, [self.relations[name] for name in names])

    def save(self, folder: Path) -> None:
        """Write model.json and UDPipe's own model, which UDPipe's program reads, too."""
        content = {
            "config": as_json(self.config),
            "relations": self.relations,
            "tags": self.tags,
            "digest": _digest(self._data),
        }
        with atomic_output(str(folder / MODEL), follow=False) as out:
            out.write(self._data)
        write_json(folder, {"parser": self.name, **content})

    @classmethod
    def load(cls, folder: Path, device: str = "auto") -> UDPipe:
        """Read both again; a model that isn't to the byte what was written never reaches UDPipe."""
        content = read_json(folder, cls.name)
        try:
            data = inside(folder, MODEL).read_bytes()
        except OSError as fault:
            raise UsageError(f"{folder / MODEL}: {fault.strerror}") from None
        with whole(folder):
            if content["digest"] != _digest(data):
                raise UsageError(f"{folder / MODEL}: damaged: not what was written beside {folder / 'model.json'}")
            config = configured(cls.Config, (str(folder), content["config"]))
            tags = {str(kind): [str(tag) for tag in own] for kind, own in content.get("tags", {}).items()}
            return cls(
                config, data, {str(name): str(relation) for name, relation in content["relations"].items()}, tags
            )


def _library() -> Any:
    """The module ufal.udpipe."""
    try:
        from ufal import udpipe
    except ImportError:
        raise missing_library("ufal.udpipe", "udpipe") from None
    return udpipe


def _usable(train: Treebank, config: UDPipeConfig, session: Session) -> Treebank:
    """The sentences that UDPipe can train on; says what is left out, and what is learnt in part."""
    several = int((train.n_roots > 1).sum())
    if several:
        session.tell(f"udpipe: left out of training: {several} of {train.n_sentences} sentences, with several roots")
    train = train.select_sentences(train.n_roots == 1)
    if not train.n_words:
        raise UsageError("udpipe: no training sentence with exactly one root")
    crossed = len(np.unique(train.sentence_of[train.nonprojective]))
    if crossed and config.transition_system in PROJECTIVE:
        only = f"the system {config.transition_system} learns them only as near as it can; swap learns them whole"
        session.tell(f"udpipe: {crossed} of {train.n_sentences} training sentences are not projective: {only}")
    return train


def _root_relation(train: Treebank, session: Session) -> str:
    """The most frequent relation of roots; says how many have another one."""
    codes = train.deprel.codes[train.head == ROOT].tolist()
    (code, count), *_ = Counter(sorted(codes)).most_common()
    name = train.deprel.vocabulary[code]
    if count < len(codes):
        session.tell(
            f"udpipe: of {len(codes)} roots {len(codes) - count} are not '{name}'; it calls all roots '{name}'"
        )
    return name


def _names(relations: list[str]) -> dict[str, str]:
    """UDPipe's name for each relation, where it is not a root's: another one each, none of them `root`, no spaces."""
    names: dict[str, str] = {}
    for relation in dict.fromkeys(relations):
        name = relation.replace(" ", "_")
        while name == ROOT_RELATION or name in names.values():
            name += "_"
        names[relation] = name
    return names


def _sentences(treebank: Treebank, names: dict[str, str]) -> list[list[str]]:
    """Plain sentences with trees in which exactly the roots have the relation `root`."""
    relations = np.array([names[name] for name in treebank.deprel.vocabulary], object)
    named = np.where(treebank.head == ROOT, ROOT_RELATION, relations[treebank.deprel.codes])
    return plain_sentences(treebank, relations=named.tolist())


def _options(config: UDPipeConfig) -> str:
    """A config as UDPipe's training wants it, which has no beam and no empty oracle."""
    options = {name: int(value) if isinstance(value, bool) else value for name, value in as_json(config).items()}
    del options["beam_search"]
    if not config.transition_oracle:
        del options["transition_oracle"]
    return ";".join(f"{name}={value}" for name, value in {"single_root": 1, **options}.items())


def _trained(train: str, dev: str, config: UDPipeConfig, session: Session) -> bytes:
    """UDPipe's model, trained in another process. train, dev: plain CoNLL-U; dev may be empty."""
    with tempfile.TemporaryDirectory(prefix="permtree-udpipe-") as name:
        folder = Path(name)
        (folder / TRAIN).write_text(train, encoding="utf-8", newline="\n")
        (folder / DEV).write_text(dev, encoding="utf-8", newline="\n")
        command = [sys.executable, "-c", f"from {__name__} import train_in_folder; train_in_folder()"]
        path = os.pathsep.join(entry or os.getcwd() for entry in sys.path)  # the other process finds what this one does
        process = subprocess.Popen(
            [*command, name, _options(config)],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            env={**os.environ, "PYTHONPATH": path},
        )
        try:
            last = _followed(process, config.iterations, session)
        finally:  # also where the training is interrupted
            process.kill()
            process.wait()
            process.stderr.close()  # type: ignore[union-attr]
        if (folder / ERROR).exists():
            raise UsageError(f"udpipe: {(folder / ERROR).read_text(encoding='utf-8')}")
        if not (folder / MODEL).exists():
            raise UsageError(f"udpipe: the training ended with status {process.returncode}; its last line: {last}")
        return (folder / MODEL).read_bytes()


def _followed(process: subprocess.Popen[bytes], iterations: int, session: Session) -> str:
    """Wait for the end of a training and pass on its progress; returns the last line."""
    done, lines = 0, deque([""], maxlen=1)
    for raw in process.stderr:  # type: ignore[union-attr]
        line = raw.decode("utf-8", "replace").strip()
        lines.append(line)
        number = re.match(r"Iteration (\d+): ", line)
        done = int(number[1]) if number else done
        if number or line.startswith("Using early stopping"):
            session.progress(done, iterations, line)
    process.wait()
    return lines[-1]


def train_in_folder() -> None:
    """What the other process does: argv holds a folder, with train.conllu and dev.conllu, and UDPipe's options."""
    folder, options = Path(sys.argv[1]), sys.argv[2]
    udpipe = _library()
    fault, trainer = udpipe.ProcessingError(), udpipe.Trainer
    train, dev = (_read((folder / name).read_text(encoding="utf-8")) for name in (TRAIN, DEV))
    data = trainer.train("morphodita_parsito", train, dev, trainer.NONE, trainer.NONE, options, fault)
    if fault.occurred():
        (folder / ERROR).write_text(" ".join(fault.message.split()), encoding="utf-8")
        return
    beside = folder / "model.part"
    beside.write_bytes(data)
    beside.rename(folder / MODEL)


def _read(text: str) -> Any:
    """UDPipe's sentences from plain CoNLL-U."""
    udpipe = _library()
    fault, sentences = udpipe.ProcessingError(), udpipe.Sentences()
    reader = udpipe.InputFormat.newConlluInputFormat()
    reader.setText(text)
    sentence = udpipe.Sentence()
    while reader.nextSentence(sentence, fault):
        sentences.append(sentence)
        sentence = udpipe.Sentence()
    if fault.occurred():
        raise UsageError(f"udpipe: {' '.join(fault.message.split())}")
    return sentences


def _opened(data: bytes) -> Any:
    """UDPipe's model from its bytes; it reads files only."""
    with tempfile.TemporaryDirectory(prefix="permtree-udpipe-") as name:
        path = Path(name) / MODEL
        path.write_bytes(data)
        model = _library().Model.load(str(path))
    if model is None:
        raise UsageError(
            "udpipe: this version of UDPipe can't read the model: install the one that it was trained with"
        )
    return model


def _digest(data: bytes) -> str:
    return hashlib.blake2b(data, digest_size=16).hexdigest()
