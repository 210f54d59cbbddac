"""What each kind of cell computes: pure functions from what a task holds to what is stored.

A task holds all that its cell needs, treebanks as bytes, so that it can be computed in another process or on another
machine. Only files that options of orders and settings of parsers name are read where it is computed.
"""

from __future__ import annotations

import gzip
import shutil
import tempfile
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from ..errors import UsageError
from ..evaluation.scores import evaluate
from ..inside import inside, make_folder
from ..measuring.collector import Collector
from ..parsing import Parser, Session, parser_class
from ..parsing.models import load_parser, save_parser, signature
from ..permuters import PERMUTERS, source_among
from ..permuting import Permutation, permute_bytes
from ..profiles import Profile
from ..treebank import Treebank
from .cells import Cell, check_unchanged
from .definition import Study
from .preparing import prepared, read_sources

Files = Mapping[str, bytes]
PREDICTED = "predicted.conllu.gz"
# parsers use the random numbers and the threads of their whole process
_ONE_AT_A_TIME = threading.Lock()


@dataclass(frozen=True)
class Outcome:
    """What a cell gives: a value for JSON, and files by name. told: lines of how it went, which are no part of it."""

    value: Mapping[str, Any]
    files: Files = field(default_factory=dict)
    told: tuple[str, ...] = ()


@dataclass(frozen=True)
class Task:
    """A cell with all that it needs. inputs: files of other cells, by the names of `Cell.inputs`; given: what the
    study says; scratch: a folder for what an interrupted training can be resumed from (None: none)."""

    kind: str
    label: str
    inputs: Mapping[str, Files]
    given: Mapping[str, Any]
    scratch: Path | None = None


def task_of(cell: Cell, study: Study, inputs: Mapping[str, Files], scratch: Path | None) -> Task:
    """The task of a cell. Reads the treebank files for a permutation, with the errors of reading.

    UsageError where what the cell depends on has changed since its key was made.
    """
    given: dict[str, Any] = {}
    if cell.kind == "permute":
        entry = study.treebanks[cell.place["treebank"]]
        read = read_sources(entry, study.folder)
        order = study.orders[cell.place["order"]]
        # files that options name are read here: where the task goes they may not be
        config = PERMUTERS[order.mode].configured(dict(order.options))
        permutation = Permutation(order.mode, order.seed, study.profile.policies, config)
        if source := source_among(config):
            permutation = permutation.learnt(source.treebank())
        given = {"entry": entry, "permutation": permutation}
        inputs = {part: {treebank.text.name: treebank.text.written()} for part, treebank in read.items()}
    elif cell.kind == "measure":
        # what is skipped was skipped before: in another order, other sentences would be non-projective
        policies = replace(study.profile.policies, nonprojective="keep")
        given = {
            "part": cell.parameters["part"],
            "measures": study.measures,
            "profile": replace(study.profile, policies=policies),
        }
    elif cell.kind == "train":
        parser = study.parsers[cell.place["parser"]]
        given = {"parser": parser.parser, "config": parser.config, "device": parser.device}
        given["seed"] = cell.place["seed"]
    elif cell.kind == "predict":
        given = {"device": study.parsers[cell.place["parser"]].device}
    else:
        given = {"convention": study.convention, "punct_tag": study.profile.policies.punct_tag}
    check_unchanged(cell, study)
    return Task(cell.kind, cell.label, inputs, given, scratch)


def compute(task: Task) -> Outcome:
    """Compute a cell. Raises what its step raises."""
    if task.kind in ("train", "predict"):
        with _ONE_AT_A_TIME:
            return _STEPS[task.kind](task)
    return _STEPS[task.kind](task)


def treebank_of(files: Files, part: str, label: str) -> Treebank:
    """A part of a permuted treebank, read; without sentences where there is no such part."""
    name = f"{part}.conllu.gz"
    return _read(gzip.decompress(files[name]) if name in files else b"", f"{label} {part}")


def _read(data: bytes, name: str) -> Treebank:
    """A treebank from what a task holds, which may have come from another process or machine."""
    return Treebank.from_bytes(data, name)


def compressed(data: bytes) -> bytes:
    """gzip without a time, so that the same data give the same bytes."""
    return gzip.compress(data, 6, mtime=0)


# -- permute ---------------------------------------------------------------------------------------------------------


def _permute(task: Task) -> Outcome:
    """All parts of a treebank in an order, by one rule, which is learnt from train (or test, where that is all)."""
    entry, permutation = task.given["entry"], task.given["permutation"]
    read = {part: _read(data, name) for part, files in task.inputs.items() for name, data in files.items()}
    parts = prepared(read, entry, permutation.policies)
    if permutation.needs_rule:
        permutation = permutation.learnt(parts[entry.measured].treebank)
    value: dict[str, Any] = {"signature": str(permutation.signature()), "parts": {}}
    files = {}
    for part, own in parts.items():
        data, report = permute_bytes(own.treebank, permutation)
        counts = {name: report.counts[f"{name} written"] for name in ("sentences", "words")}
        if not counts["words"]:
            raise UsageError(f"{task.label}: no sentence of {part} is kept by the policies ({permutation.signature()})")
        files[f"{part}.conllu.gz"] = compressed(data)
        value["parts"][part] = {**counts, **own.about, "report": report.lines()}
    return Outcome(value, files)


# -- measure ---------------------------------------------------------------------------------------------------------


def _measure(task: Task) -> Outcome:
    """The properties of the training part, as in the paper; of the test part where there is no other."""
    profile: Profile = task.given["profile"]
    collector = Collector(task.given["measures"], profile)
    collector.add(treebank_of(task.inputs["permuted"], task.given["part"], task.label))
    result = collector.result()
    values = {name: [value.value, value.signature] for name, value in result.items()}
    counts = {name: getattr(result, name) for name in ("sentences", "words", "kept_sentences", "kept_words")}
    return Outcome({"measures": values, **counts, "left_out": result.left_out, "removed": result.removed})


# -- train, predict, evaluate ----------------------------------------------------------------------------------------


def _train(task: Task) -> Outcome:
    """A model; its files as `save_parser` writes them."""
    given, files = task.given, task.inputs["permuted"]
    kind = parser_class(given["parser"])
    train = treebank_of(files, "train", task.label)
    dev = treebank_of(files, "dev", task.label) if "dev.conllu.gz" in files else None
    told: list[str] = []
    session = Session(task.scratch, lambda line: told.append(str(line)))

    def trained() -> Parser:
        if task.scratch is not None:
            task.scratch.mkdir(parents=True, exist_ok=True)
        return kind.train(train, dev, given["config"], given["seed"], given["device"], session)

    begun = task.scratch is not None and task.scratch.is_dir() and any(task.scratch.iterdir())
    try:
        model = trained()
    except UsageError as error:
        if not begun or task.scratch is None:
            raise
        told[:] = [f"started from scratch, since what there was of this training can't be used ({error})"]
        shutil.rmtree(task.scratch)
        model = trained()
    model.made_from = signature(kind, train, dev, given["config"], given["seed"])
    with tempfile.TemporaryDirectory() as folder:
        save_parser(model, folder)
        return Outcome({}, _files_in(Path(folder)), tuple(told))


def _files_in(folder: Path) -> dict[str, bytes]:
    found = sorted(path for path in folder.rglob("*") if path.is_file())
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in found}


def _predict(task: Task) -> Outcome:
    """The test part with the heads and relations that the model finds."""
    with tempfile.TemporaryDirectory() as folder:
        for name, data in task.inputs["model"].items():
            path = inside(folder, name)
            make_folder(path.parent)
            path.write_bytes(data)
        parser = load_parser(folder, task.given["device"])
        test = treebank_of(task.inputs["permuted"], "test", task.label)
        told = parser.cautions(test, "test part")
        predicted = parser.predict(test)
    return Outcome({}, {PREDICTED: compressed(predicted.to_bytes())}, tuple(told))


def predicted_of(files: Files, label: str) -> Treebank:
    """The prediction that a cell holds."""
    return _read(gzip.decompress(files[PREDICTED]), f"{label} predicted")


def _evaluate(task: Task) -> Outcome:
    """Scores of the prediction."""
    gold = treebank_of(task.inputs["permuted"], "test", task.label)
    predicted = predicted_of(task.inputs["predicted"], task.label)
    found = evaluate(gold, predicted, task.given["convention"], punct_tag=task.given["punct_tag"])
    scores = {name: [one.value, one.right, one.of, one.signature] for name, one in found.values.items()}
    counts = {"words": found.words, "sentences": found.sentences}
    return Outcome({"scores": scores, **counts, "without_head": found.without_head, "not_trees": found.not_trees})


_STEPS: Mapping[str, Callable[[Task], Outcome]] = {
    "permute": _permute,
    "measure": _measure,
    "train": _train,
    "predict": _predict,
    "evaluate": _evaluate,
}
