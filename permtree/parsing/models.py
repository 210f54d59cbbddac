"""Parsers from training to a folder and back: found by their names; what they were made from is part of them."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from .._version import __version__
from ..configuration import as_json, configured, digest_of_files
from ..editing.trace import Trace
from ..errors import UsageError
from ..folders import About, file_digest, file_digests, is_half_written
from ..inside import inside, remove
from ..registry import suggestion
from ..treebank import Treebank
from ..types import Tell
from . import ALONE, Parser, Session, digest, parser_class

REMEDY = "train the model again, in another folder"
ABOUT = About("permtree.json", 2, REMEDY)  # of a finished model; format 1 had no digests
STARTED = About("training.json", 1, REMEDY)  # the same, of a training that isn't finished
LOG, CHECKPOINT = "log.jsonl", "checkpoint.safetensors"  # of a training, the latter until it is finished
ORDER, MOST_ORDERS = "order", 100
DIGESTS = "digests"  # in ABOUT: of each file of the model, by its name in the folder


def signature(kind: type[Parser], train: Treebank, dev: Treebank | None, config: Any, seed: int) -> dict[str, Any]:
    """What a model depends on: parser, data, settings, the files that settings name, seed and version.

    order: the signatures of the training data, at most `MOST_ORDERS` different lists of them (see `Trace.orders`)."""
    return {
        "parser": kind.name,
        "train": digest(train),
        "dev": digest(dev) if dev is not None else None,
        "config": as_json(config),
        "files": digest_of_files(config),
        "seed": seed,
        "permtree": __version__,
        ORDER: Trace.of(train.text).orders(train.sentence)[:MOST_ORDERS],
    }


def settings_of(kind: type[Parser], preset: str | None, *layers: tuple[str, Mapping[str, Any]]) -> Any:
    """The config of a kind of parser: its preset (None: the first one), and layers of settings on top of it."""
    presets = list(kind.presets)
    name = preset or presets[0]
    if name not in presets:
        raise UsageError(f"--preset '{name}'{suggestion(name, presets)}")
    return configured(kind.Config, (f"preset {name}", kind.presets[name]), *layers)


def train(
    parser: str,
    train: Treebank,
    dev: Treebank | None = None,
    *,
    preset: str | None = None,
    seed: int = 0,
    device: str = "auto",
    session: Session = ALONE,
    **settings: Any,
) -> Parser:
    """Train a parser: train("biaffine", treebank, dev, seed=1, epochs=10).predict(other).

    parser: a name of `permtree list parsers`; settings: fields of its config, on top of the preset. The arguments and
    errors are those of `Parser.train`; DataError where a sentence is no tree.
    """
    kind = parser_class(parser)
    config = settings_of(kind, preset, ("settings", settings))
    train, dev = train.trees_only()[0], dev.trees_only()[0] if dev is not None else None
    model = kind.train(train, dev, config, seed, device, session)
    model.made_from = signature(kind, train, dev, config, seed)
    return model


def begin(folder: Path, wanted: dict[str, Any], overwrite: bool) -> bool:
    """Get a folder ready for a training with this signature; whether it holds that model already.

    What an unfinished training with the same signature left there stays, so that it can be resumed. A finished
    model stays until `save_parser` puts another one in its place. Raises UsageError for a folder that holds another
    model or training, unless `overwrite`, or anything else.
    """
    if folder.exists() and not folder.is_dir():
        raise UsageError(f"{folder}: not a folder")
    found = [path.name for path in folder.iterdir()] if folder.exists() else []
    about, started = (_read(one, folder) if one.name in found else None for one in (ABOUT, STARTED))
    if about and not overwrite and not _differences(about, wanted):
        return True
    same = started is not None and not _differences(started, wanted)
    if not same and not overwrite and (other := about or started):
        what = "model" if about else "training"
        differ = ", ".join(_differences(other, wanted))
        raise UsageError(
            f"{folder} holds a {what} with other {differ}: name another folder, or add --overwrite to replace it"
        )
    if not about and not started and not all(map(is_half_written, found)):
        raise UsageError(f"{folder}: holds something else than a model: name a new folder")
    if about:
        _contents(folder, about)  # names that lead out of the folder are told before anything is trained
    folder.mkdir(parents=True, exist_ok=True)
    for name in found:
        if is_half_written(name) or (not same and name in (CHECKPOINT, STARTED.name)):
            remove(folder / name)
    STARTED.write(folder, wanted)
    return False


def abandon(folder: Path) -> None:
    """Take back what `begin` did, if the training ended before it left a checkpoint to resume from."""
    if not (folder / CHECKPOINT).exists():
        (folder / STARTED.name).unlink(missing_ok=True)
        if not any(folder.iterdir()):
            folder.rmdir()


def save_parser(model: Parser, folder: str | Path) -> None:
    """Write a parser into a folder, which is made if need be, and what it was made from.

    It is written beside its place first; a model that is there already goes when all is well.
    """
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    former = _contents(folder, _read(ABOUT, folder)) if (folder / ABOUT.name).exists() else set()
    with tempfile.TemporaryDirectory(dir=folder, prefix=".model.", suffix=".part") as beside:
        model.save(Path(beside))
        found, contents = file_digests(beside), os.listdir(beside)
        (folder / ABOUT.name).unlink(missing_ok=True)
        for name in former.union(contents) - {ABOUT.name}:
            remove(folder / name)
        for name in contents:
            os.replace(Path(beside) / name, folder / name)
    made_from = model.made_from or {"parser": model.name, "permtree": __version__}
    ABOUT.write(folder, {**made_from, DIGESTS: found})
    for name in (CHECKPOINT, STARTED.name):
        (folder / name).unlink(missing_ok=True)


def load_parser(folder: str | Path, device: str = "auto", report: Tell = lambda line: None) -> Parser:
    """The parser that a folder holds. report: called with a line where something is odd about it.

    Raises UsageError where it holds none, one of a later version, or one whose files aren't as they were written. A
    model that was written before permtree kept digests of the files is taken as it is, and reported.
    """
    folder = Path(folder)
    if not (folder / ABOUT.name).exists():
        unfinished = "a training that was not finished" if (folder / STARTED.name).exists() else "no model"
        raise UsageError(f"{folder}: {unfinished if folder.is_dir() else 'no such folder'}")
    about = _read(ABOUT, folder)
    if about["format"] == 1:
        report(f"{folder}: written by permtree {about.get('permtree')}, without digests: damage can't be seen")
    else:
        _check(folder, about)
    model = parser_class(about["parser"]).load(folder, device)
    model.made_from = {key: value for key, value in about.items() if key not in ("format", "contents", DIGESTS)}
    return model


def _contents(folder: Path, about: Mapping[str, Any]) -> set[str]:
    """The files and folders in a model folder that are the model's, by what it says of itself."""
    names = about.get("contents", []) if about["format"] == 1 else about.get(DIGESTS, {})
    if not isinstance(names, (list, dict)):
        raise ABOUT.damaged(folder)
    return {inside(folder, name).relative_to(folder).parts[0] for name in names}


def _check(folder: Path, about: Mapping[str, Any]) -> None:
    """UsageError where a file of the model isn't as it was written, is missing, or has come in between."""
    if not about.get(DIGESTS) or not isinstance(about[DIGESTS], dict):
        raise ABOUT.damaged(folder)
    found: dict[str, str | None] = dict.fromkeys(about[DIGESTS])
    for name in _contents(folder, about):
        path = inside(folder, name)
        if path.is_dir():
            found |= {f"{name}/{one}": own for one, own in file_digests(path).items()}
        elif path.exists():
            found[name] = file_digest(path)
    for name, own in found.items():
        if about[DIGESTS].get(name) != own:
            raise ABOUT.damaged(folder, name)


def _differences(found: dict[str, Any], wanted: dict[str, Any]) -> list[str]:
    """What differs between two signatures, for people."""
    keys = [key for key in wanted if key != ORDER and found.get(key) != wanted[key]]  # the order is that of the data
    if keys == ["config"] and isinstance(found.get("config"), dict):
        theirs, ours = found["config"], wanted["config"]
        keys = [key for key in ours if theirs.get(key) != ours[key]] or keys
    named = {"train": "training data", "dev": "dev data", "config": "settings", "permtree": "version of permtree"}
    return [named.get(key, key) for key in keys]


def _read(kind: About, folder: Path) -> dict[str, Any]:
    return kind.read(folder, parser=str)
