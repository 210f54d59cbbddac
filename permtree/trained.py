"""Parsers from training to a folder and back: found by their names; what they were made from is part of them."""

from __future__ import annotations

import json
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from . import __version__
from .configuration import as_json, configured
from .errors import UsageError
from .files import atomic_output
from .parser import ALONE, Parser, Session, digest, parser_class
from .registry import suggestion
from .treebank import Treebank

ABOUT = "permtree.json"
LOG, CHECKPOINT = "log.jsonl", "checkpoint.safetensors"  # of a training, the latter until it is finished
FORMAT = 1


def signature(kind: type[Parser], train: Treebank, dev: Treebank | None, config: Any, seed: int) -> dict[str, Any]:
    """What a model depends on: parser, data, settings, seed and version."""
    return {
        "format": FORMAT,
        "parser": kind.name,
        "train": digest(train),
        "dev": digest(dev) if dev is not None else None,
        "config": as_json(config),
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


def prepare(folder: Path, overwrite: bool) -> None:
    """Make the folder of a training; what an earlier one left there goes if `overwrite`, else it is gone on with.

    Raises UsageError for a folder that holds anything else.
    """
    if folder.exists() and not folder.is_dir():
        raise UsageError(f"{folder}: not a folder")
    found = {path.name for path in folder.iterdir()} if folder.exists() else set()
    halves = {name for name in found if name.startswith(".") and name.endswith(".part")}  # of a write that was killed
    if found - halves and not found & {ABOUT, CHECKPOINT}:
        raise UsageError(f"{folder}: holds something else than a model: name a new folder")
    if overwrite and found:
        shutil.rmtree(folder)
    folder.mkdir(parents=True, exist_ok=True)
    for path in folder.glob(".*.part"):
        path.unlink()


def save_parser(model: Parser, folder: str | Path) -> None:
    """Write a parser into a folder, which is made if need be, and what it was made from.

    The latter comes last: a folder without it is not finished.
    """
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    model.save(folder)
    with atomic_output(str(folder / ABOUT)) as out:
        out.write(json.dumps(model.made_from, indent=2, ensure_ascii=False).encode() + b"\n")
    (folder / CHECKPOINT).unlink(missing_ok=True)


def load_parser(folder: str | Path, device: str = "auto") -> Parser:
    """The parser that a folder holds. Raises UsageError where it holds none, or one of a later version."""
    folder = Path(folder)
    about = _about(folder)
    model = parser_class(about["parser"]).load(folder, device)
    model.made_from = about
    return model


def is_finished(folder: Path, wanted: dict[str, Any]) -> bool:
    """Whether a folder holds a finished model with this signature. Raises UsageError if it holds another one."""
    if not (folder / ABOUT).exists():
        return False
    if _about(folder) == wanted:
        return True
    raise UsageError(f"{folder} holds a model of other data or settings: name another folder, or add --overwrite")


def _about(folder: Path) -> dict[str, Any]:
    path = folder / ABOUT
    try:
        content = json.loads(path.read_bytes())
        found, parser = content["format"], content["parser"]
    except FileNotFoundError:
        hint = "a training that was not finished" if (folder / CHECKPOINT).exists() else "no model"
        raise UsageError(f"{folder}: {hint if folder.is_dir() else 'no such folder'}") from None
    except OSError as fault:
        raise UsageError(f"{path}: {fault.strerror}") from None
    except (ValueError, KeyError, TypeError):
        raise UsageError(f"{path}: damaged: train the model anew") from None
    if not isinstance(found, int) or found > FORMAT:
        raise UsageError(f"{path}: written by a later version of permtree ({content.get('permtree')}): update permtree")
    if not isinstance(parser, str):
        raise UsageError(f"{path}: damaged: train the model anew")
    return content
