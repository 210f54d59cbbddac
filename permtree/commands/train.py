"""`permtree train`."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click

from ..bars import is_shown, progress_bar
from ..configuration import read_assignments, read_toml, setting
from ..errors import UsageError
from ..parsing import Parser, Session, parser_class
from ..parsing.models import abandon, begin, save_parser, settings_of, signature
from ..treebank import Treebank
from . import inputs, shortcuts, tell, tell_skipped, warn
from .of_parsers import RUNNING, Running
from .options import ONE_PROCESS, Work, options_of


@dataclass(frozen=True)
class Learning:
    """What a parser is trained by."""

    preset: str | None = setting(
        None, "Named settings; `small` for a CPU (the default), `full` for a GPU.", metavar="NAME"
    )
    config: str | None = setting(None, "Settings from a TOML file, on top of those of the preset.", metavar="FILE")
    assignments: tuple[str, ...] = setting(
        (), "One setting, on top of all others.", option="set", repeated=True, metavar="KEY=VALUE"
    )
    oracle: str | None = setting(None, "Short for --set oracle=NAME: dynamic or static.", metavar="NAME")
    seed: int = setting(0, "", within=(0, None), shown=True)


@click.command(name="train")
@click.argument("parser")
@click.argument("train", type=click.Path(allow_dash=True))
@click.option("--dev", metavar="FILE", help="Where to see which epoch is best; without it the last one is taken.")
@click.option("-o", "--output", required=True, metavar="FOLDER", help="Where the model goes; made if need be.")
@options_of("learning", Learning, whole=True)
@RUNNING
@click.option("--overwrite", is_flag=True, help="Train from scratch where FOLDER holds a model or a training.")
@ONE_PROCESS
def command(
    parser: str,
    train: str,
    dev: str | None,
    output: str,
    learning: Learning,
    running: Running,
    overwrite: bool,
    work: Work,
) -> int:
    """Train PARSER (see `permtree list parsers`) on the treebank TRAIN.

    The same data, settings and seed give the same model, to the byte on the same kind of processor. biaffine and
    arc-hybrid keep a checkpoint in FOLDER after each epoch, from which the same command resumes where it was stopped,
    and a line for each epoch in FOLDER/log.jsonl.
    """
    kind = parser_class(parser)
    settings = _settings(kind, learning, running)
    inputs(tuple(path for path in (train, dev) if path))
    gold, held_out = _read(train, work.skip_errors), _read(dev, work.skip_errors) if dev else None
    wanted = signature(kind, gold, held_out, settings, learning.seed)
    folder = Path(output)
    if begin(folder, wanted, overwrite):
        tell([f"{output}: trained already, on the same data with the same settings"], work.quiet)
        return 0
    try:
        with epochs_bar(work.quiet) as (line, step):
            model = kind.train(gold, held_out, settings, learning.seed, running.device, Session(folder, line, step))
        model.made_from = wanted
        save_parser(model, folder)
    except BaseException:
        abandon(folder)
        raise
    tell([f"{output}: {parser}, trained on {gold.n_sentences} sentences, {gold.n_words} words"], work.quiet)
    return 0


def _settings(kind: type[Parser], learning: Learning, running: Running) -> Any:
    """What a parser is trained with: the command line's settings on those of a file, on those of a preset."""
    given = shortcuts(kind, {"decode": running.decode, "oracle": learning.oracle, "threads": running.threads})
    layers = [(learning.config, read_toml(Path(learning.config)))] if learning.config is not None else []
    layers.append(("settings on the command line", {**read_assignments(learning.assignments, "--set"), **given}))
    return settings_of(kind, learning.preset, *layers)


def _read(path: str, skip_errors: bool) -> Treebank:
    trees, findings = Treebank.read(path, skip_errors=skip_errors, report=warn).trees_only(skip_errors)
    tell_skipped(findings)
    if not trees.n_words:
        raise UsageError(f"{path}: no sentences: nothing to learn from or to choose by")
    return trees


@contextmanager
def epochs_bar(quiet: bool) -> Iterator[tuple[Callable[[str], None], Callable[[int, int, str], None]]]:
    """Ways to tell a line and the state of a training: a bar on a terminal, elsewhere a line for each step."""
    if not is_shown(quiet):
        yield (lambda line: tell([line], quiet)), (lambda done, total, line: tell([line], quiet))
        return
    with progress_bar("first epoch", 1, bar_format="{desc} |{bar}|") as shown:

        def step(done: int, total: int, line: str) -> None:
            shown.total = total
            shown.set_description_str(line, refresh=False)
            shown.update(done - shown.n)

        yield (lambda line: shown.write(line, file=sys.stderr)), step
