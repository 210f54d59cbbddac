"""`permtree permute`: its options are those of the policies and of all modes."""

from __future__ import annotations

from dataclasses import fields
from functools import cached_property
from typing import Any

import click

from ..bars import is_shown
from ..conllu.files import check_output
from ..permuters import PERMUTERS, option_help
from ..permuting import Permutation, permute_files
from ..profiles import policies_with
from ..registry import suggestion
from ..treebank.policies import no_punctuation
from . import (
    FILES,
    IN_PLACE,
    OUTPUT,
    POLICIES,
    at_work,
    caution,
    inputs,
    output_of,
    progress,
    tell,
    tell_skipped,
    warn,
    written_to,
)
from .options import ORDER, WORK, Order, Work


def _mode_options(names: list[str]) -> list[click.Option]:
    """One command-line option for each option of some modes."""
    modes: dict[str, list[str]] = {}
    options = {}
    for mode in names:
        for name, one in PERMUTERS[mode].options.items():
            modes.setdefault(name, []).append(mode)
            options[name] = one
    made = []
    for name in sorted(options):
        kind: dict[str, Any] = {"metavar": name.upper()}
        if options[name].default is False:
            kind = {"is_flag": True, "default": None}
        made.append(click.Option([f"--{name}"], help=f"{', '.join(modes[name])}: {option_help(options[name])}", **kind))
    return made


class _Command(click.Command):
    """With the options of all modes: those of other packages are looked for where no mode of ours is named."""

    def parse_args(self, context: click.Context, args: list[str]) -> list[str]:
        own = set(PERMUTERS.own_names())
        ours = any(part.removeprefix("--mode=") in own for part in args) and not {"--help", "-h"} & set(args)
        names = PERMUTERS.own_names() if ours else PERMUTERS.names()
        mode, *rest = self._fixed
        mode.help = f"{', '.join(names)}. See `permtree list modes`."
        self.params = [mode, *rest[:-_WORK], *_mode_options(names), *rest[-_WORK:]]
        return super().parse_args(context, args)

    @cached_property
    def _fixed(self) -> list[Any]:
        return list(self.params)


_WORK = len(fields(Work))  # options that stand last


@click.command(name="permute", cls=_Command)
@click.option("--mode", required=True, metavar="MODE")
@FILES
@OUTPUT
@IN_PLACE
@ORDER
@POLICIES
@WORK
def command(
    mode: str,
    files: tuple[str, ...],
    output: str | None,
    in_place: bool,
    order: Order,
    policies: dict[str, Any],
    work: Work,
    **options: Any,
) -> int:
    """Change the word order of treebanks, and nothing else.

    FILES are CoNLL-U or CoNLL-X, plain or compressed; standard input without any. What the new order can't carry
    travels in comments and MISC, so that `permtree invert` gives the original back. The report on standard error counts
    what was left out, removed or set aside; the default policies lose nothing.
    """
    chosen = policies_with(order.profile, **policies)
    given = {name.replace("_", "-"): value for name, value in options.items() if value is not None}
    permuter = PERMUTERS[mode]
    for name in given:
        if name not in permuter.options:
            known = [f"--{own}" for own in permuter.options]
            raise click.UsageError(
                f"mode '{mode}' takes no --{name}" + (suggestion(f"--{name}", known) if known else "")
            )
    permutation = Permutation(mode, order.seed, chosen, permuter.configured(given))
    paths = inputs(files)
    if permutation.needs_rule and is_shown(work.quiet):
        tell([f"{mode}: learning from the whole treebank first"], quiet=False)
    bar = progress(paths, mode, work.quiet)
    if in_place and (work.skip_errors or not chosen.lossless):
        raise click.UsageError("--in-place: only with policies that leave nothing out, and without --skip-errors")
    target = output_of(paths, output, in_place)
    learnt_from = [str(value) for name, value in given.items() if permuter.options[name].metadata["is_path"]]
    check_output(target, learnt_from)
    with written_to(target, in_place) as out, at_work(work) as workers:
        report = permute_files(paths, permutation, out, warn, work.skip_errors, workers, bar)
    tell_skipped(report.findings)
    tell([*report.lines(), *report.loss.lines("final")], work.quiet)
    caution(no_punctuation(chosen, report.tagged))
    return 0
