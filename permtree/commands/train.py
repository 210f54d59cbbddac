"""`permtree train`."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import click

from ..configuration import read_assignments, read_toml
from ..errors import UsageError
from ..parsing import DEVICES, Session, parser_class
from ..parsing.models import abandon, begin, save_parser, settings_of, signature
from ..treebank import Treebank
from . import QUIET, SKIP_ERRORS, inputs, shortcuts, tell, tell_skipped, warn


@click.command(name="train")
@click.argument("parser")
@click.argument("train", type=click.Path(allow_dash=True))
@click.option("--dev", metavar="FILE", help="Where to see which epoch is best; without it the last one is taken.")
@click.option("-o", "--output", required=True, metavar="FOLDER", help="Where the model goes; made if need be.")
@click.option("--preset", metavar="NAME", help="Named settings; `small` for a CPU (the default), `full` for a GPU.")
@click.option("--config", metavar="FILE", help="Settings from a TOML file, on top of those of the preset.")
@click.option("--set", "assignments", multiple=True, metavar="KEY=VALUE", help="One setting, on top of all others.")
@click.option("--decode", metavar="NAME", help="Short for --set decode=NAME: projective or mst.")
@click.option("--oracle", metavar="NAME", help="Short for --set oracle=NAME: dynamic or static.")
@click.option("--seed", default=0, show_default=True, type=click.IntRange(0))
@click.option("--device", default="auto", show_default=True, type=click.Choice(DEVICES))
@click.option("--threads", type=click.IntRange(1), help="Short for --set threads=N: of the processor.")
@click.option("--overwrite", is_flag=True, help="Train anew where FOLDER holds a model or a training.")
@SKIP_ERRORS
@QUIET
def command(
    parser: str,
    train: str,
    dev: str | None,
    output: str,
    preset: str | None,
    config: str | None,
    assignments: tuple[str, ...],
    decode: str | None,
    oracle: str | None,
    seed: int,
    device: str,
    threads: int | None,
    overwrite: bool,
    skip_errors: bool,
    quiet: bool,
) -> int:
    """Train PARSER (see `permtree list parsers`) on the treebank TRAIN.

    The same data, settings and seed give the same model, to the byte on the same kind of processor. biaffine and
    arc-hybrid keep a checkpoint in FOLDER after each epoch, from which the same command goes on where it was stopped,
    and a line for each epoch in FOLDER/log.jsonl.
    """
    kind = parser_class(parser)
    short = {"decode": decode, "oracle": oracle, "threads": threads}
    given = shortcuts(kind, short)
    layers = [(config, read_toml(Path(config)))] if config is not None else []
    layers.append(("settings on the command line", {**read_assignments(assignments, "--set"), **given}))
    settings = settings_of(kind, preset, *layers)
    inputs(tuple(path for path in (train, dev) if path))
    gold, held_out = _read(train, skip_errors), _read(dev, skip_errors) if dev else None
    wanted = signature(kind, gold, held_out, settings, seed)
    folder = Path(output)
    if begin(folder, wanted, overwrite):
        tell([f"{output}: trained already, on the same data with the same settings"], quiet)
        return 0
    try:
        with epochs_bar(quiet) as (line, step):
            model = kind.train(gold, held_out, settings, seed, device, Session(folder, line, step))
        model.made_from = wanted
        save_parser(model, folder)
    except BaseException:
        abandon(folder)
        raise
    tell([f"{output}: {parser}, trained on {gold.n_sentences} sentences, {gold.n_words} words"], quiet)
    return 0


def _read(path: str, skip_errors: bool) -> Treebank:
    trees, findings = Treebank.read(path, skip_errors=skip_errors, report=warn).trees_only(skip_errors)
    tell_skipped(findings)
    if not trees.n_words:
        raise UsageError(f"{path}: no sentences: nothing to learn from or to choose by")
    return trees


@contextmanager
def epochs_bar(quiet: bool) -> Iterator[tuple[Callable[[str], None], Callable[[int, int, str], None]]]:
    """Ways to tell a line and the state of a training: a bar on a terminal, elsewhere a line for each step."""
    if quiet or not sys.stderr.isatty():
        yield (lambda line: tell([line], quiet)), (lambda done, total, line: tell([line], quiet))
        return
    from tqdm import tqdm

    with tqdm(desc="first epoch", total=1, leave=False, bar_format="{desc} |{bar}|") as bar:

        def step(done: int, total: int, line: str) -> None:
            bar.total = total
            bar.set_description_str(line, refresh=False)
            bar.update(done - bar.n)

        yield (lambda line: bar.write(line, file=sys.stderr)), step
