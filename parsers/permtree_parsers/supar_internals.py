"""What is done inside supar 1.1.4: put its parsers together, train them and parse with them, and let none of it out.

supar reads and writes files, pickles its models (and can't read its own with recent torch), prints, and sets up
logging. Here its fields and arguments are put together from a config and vocabularies, in the same way for a new parser
and for a saved one; sentences are handed over in memory, and so are the best weights at the end of training. Nothing is
pickled or unpickled.
"""

from __future__ import annotations

import logging
import sys
import warnings
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import supar
import torch
from supar.structs import DependencyCRF, MatrixTree
from supar.utils import Config, Dataset
from supar.utils.common import BOS, PAD, UNK
from supar.utils.field import Field, RawField, SubwordField
from supar.utils.transform import Batch, CoNLL, CoNLLSentence
from supar.utils.vocab import Vocab

from permtree.configuration import as_json
from permtree.neural.devices import on_threads
from permtree.parsing import Session

ConlluLines = Sequence[Sequence[str]]  # sentences as lines of CoNLL-U
MOST_STEPS = 3e7  # of the dynamic program over projective trees in one batch of predictions, which memory grows with
DEPTH = 10_000  # of trees, which supar walks by recursion


class SentenceReader(CoNLL):
    """supar's reader, which here is handed sentences instead of the name of a file."""

    def load(self, data: ConlluLines, **kwargs: Any) -> list[CoNLLSentence]:
        """supar's sentences. It would leave out some by `kwargs`; that has been done where it is told."""
        return [CoNLLSentence(self, lines) for lines in data]


def fields(config: Any, device: str) -> SentenceReader:
    """supar's fields for the features of a config (a `SuparConfig`, here as elsewhere), without vocabularies.

    Special symbols come first in vocabularies; what a vocabulary doesn't have counts as the unknown symbol of words and
    characters, and of tags and relations as the number 0.
    """
    on_device = {"device": device}  # supar would take any GPU that it finds
    plain, pieces = type("Field", (Field,), on_device), type("SubwordField", (SubwordField,), on_device)
    words = plain("words", pad=PAD, unk=UNK, bos=BOS, lower=True, fn=_no_symbols)
    chars = pieces("chars", pad=PAD, unk=UNK, bos=BOS, fix_len=config.fix_len) if "char" in config.feat else None
    tags = plain("tags", bos=BOS) if "tag" in config.feat else None
    heads = plain("arcs", bos=BOS, use_vocab=False, fn=CoNLL.get_arcs)
    relations = plain("rels", bos=BOS)
    return SentenceReader(FORM=(words, RawField("texts"), chars), CPOS=tags, HEAD=heads, DEPREL=relations)


def _no_symbols(forms: Sequence[str]) -> list[str]:
    """Forms that supar can't take for its own symbols: a word `<pad>` would end the sentence."""
    return [f"{form} " if form.lower() in (PAD, UNK, BOS) else form for form in forms]


def _with_vocabulary(transform: SentenceReader) -> list[Field]:
    words, _, chars = transform.FORM
    return [field for field in (words, chars, transform.CPOS, transform.DEPREL) if field is not None]


def vocabularies(sentences: ConlluLines, config: Any) -> dict[str, list[str]]:
    """Names of all words, chars, tags and rels of training sentences, special symbols first, then sorted."""
    transform = fields(config, "cpu")
    data = Dataset(transform, sentences)
    for field in _with_vocabulary(transform):
        field.build(data, config.min_freq if field.name == "words" else 1)
    return {field.name: list(field.vocab.itos) for field in _with_vocabulary(transform)}


def build(class_name: str, config: Any, names: dict[str, list[str]], device: str) -> ParserMixin:
    """supar's parser with new weights, drawn from torch's generator. names: see `vocabularies`."""
    transform = fields(config, device)
    for field in _with_vocabulary(transform):
        field.vocab = Vocab(Counter(), 1, names[field.name], field.unk_index)
    words, _, chars = transform.FORM
    tags, relations = transform.CPOS, transform.DEPREL
    sizes = {
        "n_words": len(words.vocab),
        "n_chars": len(chars.vocab) if chars else None,
        "n_tags": len(tags.vocab) if tags else None,
        "n_rels": len(relations.vocab),
        "n_pretrained": config.n_embed,  # no pretrained vectors, but supar counts them in where sizes differ
        "pad_index": words.pad_index,
        "unk_index": words.unk_index,
        "bos_index": words.bos_index,
        "char_pad_index": chars.pad_index if chars else None,
    }
    own = {"path": "", "checkpoint": False, "partial": False, "mbr": True, "device": device}
    kind = getattr(supar, class_name)
    arguments = Config(**{**as_json(config), **sizes, **own})
    model = kind.MODEL(**arguments).to(device)
    return type(class_name, (ParserMixin, kind), {})(arguments, model, transform)


class ParserMixin:
    """What is changed about supar's parser classes: comes before one of them among the bases of a class."""

    args: Any
    model: Any
    transform: SentenceReader
    epoch: int
    session: Session
    best: dict[str, torch.Tensor] | None
    dev_loader: Any
    result: Any

    def vocabularies(self) -> dict[str, list[str]]:
        """As the function of this name gives them."""
        return {field.name: list(field.vocab.itos) for field in _with_vocabulary(self.transform)}

    # -- training ----------------------------------------------------------------------------------------------

    def run(self, train: ConlluLines, dev: ConlluLines, session: Session) -> None:
        """Train with supar's loop, keep the weights of the best epoch."""
        self.session, self.best, self.dev_loader, self.result = session, None, None, None
        names = ("buckets", "batch_size", "clip", "epochs", "patience", "punct", "tree", "proj", "partial", "mbr")
        settings = {name: self.args[name] for name in names}
        # supar evaluates on test data, too, after each epoch; see `_evaluate`
        self.train(train, dev, dev[:1], update_steps=1, verbose=False, **settings)  # type: ignore[attr-defined]
        for name in ("train", "dev", "test"):
            self.args.pop(name)
        del self.session, self.best, self.dev_loader, self.result, self.optimizer, self.scheduler  # type: ignore

    def _evaluate(self, loader: Any) -> Any:
        """On dev, which comes first, as supar does; on test data not at all (nobody looks at them)."""
        if self.dev_loader is None:
            self.dev_loader = loader
        if loader is self.dev_loader:
            loss, metric = self.result = super()._evaluate(loader)  # type: ignore[misc]
            line = f"epoch {self.epoch}: dev UAS {100 * metric.uas:.2f}, LAS {100 * metric.las:.2f}, loss {loss:.4f}"
            self.session.progress(self.epoch, self.args.epochs, line)
        return self.result

    def save_checkpoint(self, path: str) -> None:
        """Called after the best epoch so far; supar would pickle."""
        self.best = {name: values.detach().cpu().clone() for name, values in self.model.state_dict().items()}

    def load(self, **kwargs: Any) -> ParserMixin:
        """Called after the last epoch: back to the best one (the last one where none was better than nothing)."""
        if self.best is not None:
            self.model.load_state_dict(self.best)
        return self

    def save(self, path: str) -> None:
        """Called at the end; supar would pickle once more."""

    # -- parsing -----------------------------------------------------------------------------------------------

    @torch.no_grad()
    def decoded(self, data: ConlluLines) -> tuple[list[list[int]], list[list[int]]]:
        """Heads (1-based, 0 for the root) and numbers of relations of the words of each sentence, as supar finds them.

        Always a tree with one root, projective if `proj` says so; never the relation 0, which is a symbol of supar's.
        """
        self.transform.eval()
        self.model.eval()
        sentences = self.transform.load(data)
        self.transform(sentences)
        heads: list[list[int]] = [[]] * len(data)
        relations: list[list[int]] = [[]] * len(data)
        for numbers in _batches([len(lines) for lines in data], self.args.batch_size):
            words, _, *features = Batch([sentences[number] for number in numbers])
            mask = words.ne(self.args.pad_index)
            mask[:, 0] = False  # supar's root symbol
            arc_scores, relation_scores = self.model(words, features)
            relation_scores[..., self.transform.DEPREL.bos_index] = float("-inf")
            if isinstance(self, supar.CRFDependencyParser):
                trees = DependencyCRF if self.args.proj else MatrixTree
                arc_scores = trees(arc_scores, mask.sum(1)).marginals
            found = self.model.decode(arc_scores, relation_scores, mask, True, self.args.proj)
            for number, arcs, own in zip(numbers, *(rows.tolist() for rows in found), strict=True):
                length = len(data[number])
                heads[number], relations[number] = arcs[1 : length + 1], own[1 : length + 1]
        return heads, relations


def _batches(lengths: list[int], most_words: int) -> Iterator[list[int]]:
    """Numbers of sentences, shortest first, in batches that fit into memory."""
    batch: list[int] = []
    for number in sorted(range(len(lengths)), key=lengths.__getitem__):
        size, length = len(batch) + 1, lengths[number] + 1
        if batch and (size * length > most_words or size * length**3 > MOST_STEPS):
            yield batch
            batch = []
        batch.append(number)
    if batch:
        yield batch


@contextmanager
def contained(threads: int, seed: int = 0) -> Iterator[None]:
    """Around all that supar does: its loggers, warnings, threads and random numbers are as before afterwards.

    Within, torch's generator starts from the seed and uses so many threads.
    """
    root, own = logging.getLogger(), logging.getLogger("supar")
    before = [(logger, list(logger.handlers), logger.level) for logger in (root, own)]
    own.setLevel(logging.WARNING)  # at INFO, it draws progress bars, too
    depth = sys.getrecursionlimit()
    generators = torch.random.fork_rng(range(torch.cuda.device_count()))
    try:
        with warnings.catch_warnings(), generators, on_threads(threads):
            warnings.simplefilter("ignore")
            torch.manual_seed(seed)
            sys.setrecursionlimit(max(depth, DEPTH))
            yield
    finally:
        sys.setrecursionlimit(depth)
        for logger, handlers, level in before:
            logger.handlers[:] = handlers
            logger.setLevel(level)
