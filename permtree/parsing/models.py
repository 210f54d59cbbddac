"""Parsers from training to a folder and back: found by their names; what they were made from is part of them."""

from __future__ import annotations

import json
import os
import shutil
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from .._version import __version__
from ..configuration import as_json, configured, digest_of_files
from ..conllu.files import atomic_output
from ..errors import UsageError
from ..registry import suggestion
from ..treebank import Treebank
from . import ALONE, Parser, Session, digest, parser_class

ABOUT = "permtree.json"  # of a finished model
STARTED = "training.json"  # the same, of a training that isn't finished
LOG, CHECKPOINT = "log.jsonl", "checkpoint.safetensors"  # of a training, the latter until it is finished
FORMAT = 1


def signature(kind: type[Parser], train: Treebank, dev: Treebank | None, config: Any, seed: int) -> dict[str, Any]:
    """What a model depends on: parser, data, settings, the files that settings name, seed and version."""
    return {
        "format": FORMAT,
        "parser": kind.name,
        "train": digest(train),
        "dev": digest(dev) if dev is not None else None,
        "config": as_json(config),
        "files": digest_of_files(config),
        "seed": seed,
        "permtree": __version__,
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

    What an unfinished training with the same signature left there stays, so that it can be gone on with. A finished
    model stays until `save_parser` puts another one in its place. Raises UsageError for a folder that holds another
    model or training, unless `overwrite`, or anything else.
    """
    if folder.exists() and not folder.is_dir():
        raise UsageError(f"{folder}: not a folder")
    found = [path.name for path in folder.iterdir()] if folder.exists() else []
    about, started = (_read(folder / name) if name in found else None for name in (ABOUT, STARTED))
    if about and not overwrite and not _differences(about, wanted):
        return True
    same = started is not None and not _differences(started, wanted)
    if not same and not overwrite and (other := about or started):
        what = "model" if about else "training"
        differ = ", ".join(_differences(other, wanted))
        raise UsageError(
            f"{folder} holds a {what} with other {differ}: name another folder, or add --overwrite to replace it"
        )
    if not about and not started and not all(_is_half_written(name) for name in found):
        raise UsageError(f"{folder}: holds something else than a model: name a new folder")
    folder.mkdir(parents=True, exist_ok=True)
    for name in found:
        if _is_half_written(name) or (not same and name in (CHECKPOINT, STARTED)):
            _remove(folder / name)
    _write(folder / STARTED, wanted)
    return False


def abandon(folder: Path) -> None:
    """Take back what `begin` did, if the training ended before it left a checkpoint to go on from."""
    if not (folder / CHECKPOINT).exists():
        (folder / STARTED).unlink(missing_ok=True)
        if not any(folder.iterdir()):
            folder.rmdir()


def save_parser(model: Parser, folder: str | Path) -> None:
    """Write a parser into a folder, which is made if need be, and what it was made from.

    It is written beside its place first; a model that is there already goes when all is well.
    """
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    former = _read(folder / ABOUT).get("contents", []) if (folder / ABOUT).exists() else []
    with tempfile.TemporaryDirectory(dir=folder, prefix=".model.", suffix=".part") as beside:
        model.save(Path(beside))
        contents = sorted(os.listdir(beside))
        (folder / ABOUT).unlink(missing_ok=True)
        for name in {*former, *contents} - {ABOUT}:
            _remove(folder / name)
        for name in contents:
            os.replace(Path(beside) / name, folder / name)
    made_from = model.made_from or {"format": FORMAT, "parser": model.name, "permtree": __version__}
    _write(folder / ABOUT, {**made_from, "contents": contents})
    for name in (CHECKPOINT, STARTED):
        (folder / name).unlink(missing_ok=True)


def load_parser(folder: str | Path, device: str = "auto") -> Parser:
    """The parser that a folder holds. Raises UsageError where it holds none, or one of a later version."""
    folder = Path(folder)
    if not (folder / ABOUT).exists():
        unfinished = "a training that was not finished" if (folder / STARTED).exists() else "no model"
        raise UsageError(f"{folder}: {unfinished if folder.is_dir() else 'no such folder'}")
    about = _read(folder / ABOUT)
    model = parser_class(about["parser"]).load(folder, device)
    model.made_from = {key: value for key, value in about.items() if key != "contents"}
    return model


def _differences(found: dict[str, Any], wanted: dict[str, Any]) -> list[str]:
    """What differs between two signatures, for people."""
    keys = [key for key in wanted if found.get(key) != wanted[key]]
    if keys == ["config"] and isinstance(found.get("config"), dict):
        theirs, ours = found["config"], wanted["config"]
        keys = [key for key in ours if theirs.get(key) != ours[key]] or keys
    named = {"train": "training data", "dev": "dev data", "config": "settings", "permtree": "version of permtree"}
    return [named.get(key, key) for key in keys]


def _read(path: Path) -> dict[str, Any]:
    try:
        content = json.loads(path.read_bytes())
        found, parser = content["format"], content["parser"]
        if not isinstance(found, int) or not isinstance(parser, str):
            raise ValueError
    except OSError as fault:
        raise UsageError(f"{path}: {fault.strerror}") from None
    except (ValueError, KeyError, TypeError):
        raise UsageError(f"{path}: damaged: train the model anew, in another folder") from None
    if found > FORMAT:
        raise UsageError(f"{path}: written by a later version of permtree ({content.get('permtree')}): update permtree")
    return content


def _write(path: Path, content: dict[str, Any]) -> None:
    with atomic_output(str(path)) as out:
        out.write(json.dumps(content, indent=2, ensure_ascii=False).encode() + b"\n")


def _is_half_written(name: str) -> bool:
    """Whether a name is that of a write that was killed."""
    return name.startswith(".") and name.endswith(".part")


def _remove(path: Path) -> None:
    if path.is_dir():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)
