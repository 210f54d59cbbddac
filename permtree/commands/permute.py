"""`permtree permute`: its options are those of the policies and of all modes."""

from __future__ import annotations

import sys
from typing import Any

import click

from ..conllu.files import atomic_output, check_output
from ..permuters import PERMUTERS
from ..permuting import Permutation, permute_files
from ..profiles import PROFILES, policies_of
from ..registry import suggestion
from ..treebank.policies import no_punctuation
from . import (
    FILES,
    IN_PLACE,
    JOBS,
    MWT_OPTION,
    OUTPUT,
    QUIET,
    SKIP_ERRORS,
    at_work,
    caution,
    inputs,
    output_of,
    policy_options,
    progress,
    tell,
    tell_skipped,
    warn,
)


def _mode_options(command: Any) -> Any:
    """One command-line option for each option of any mode."""
    modes: dict[str, list[str]] = {}
    options = {}
    for mode in PERMUTERS.names():
        for option in PERMUTERS[mode].options:
            modes.setdefault(option.name, []).append(mode)
            options[option.name] = option
    for name in sorted(options, reverse=True):
        kind: dict[str, Any] = {"metavar": name.upper()}
        if options[name].default is False:
            kind = {"is_flag": True, "default": None}
        help_text = f"{', '.join(modes[name])}: {options[name].help}"
        command = click.option(f"--{name}", help=help_text, **kind)(command)
    return command


@click.command(name="permute")
@click.option(
    "--mode", required=True, metavar="MODE", help=f"{', '.join(PERMUTERS.names())}. See `permtree list modes`."
)
@FILES
@OUTPUT
@IN_PLACE
@click.option("--seed", default=0, show_default=True, type=click.IntRange(0), help="For the random modes.")
@JOBS
@click.option("--profile", metavar="NAME", help=f"Policies of a profile: {', '.join(PROFILES)}.")
@policy_options
@MWT_OPTION
@_mode_options
@SKIP_ERRORS
@QUIET
def command(
    mode: str,
    files: tuple[str, ...],
    output: str | None,
    in_place: bool,
    seed: int,
    jobs: int | None,
    profile: str | None,
    punct: str | None,
    roots: str | None,
    nonprojective: str | None,
    punct_tag: tuple[str, ...],
    mwt: str | None,
    skip_errors: bool,
    quiet: bool,
    **options: Any,
) -> int:
    """Change the word order of treebanks, and nothing else.

    FILES are CoNLL-U or CoNLL-X, plain or compressed; standard input without any. What the new order can't carry
    travels in comments and MISC, so that `permtree invert` gives the original back. The report on standard error counts
    what was left out, removed or set aside; the default policies lose nothing.
    """
    policies = policies_of(profile).with_options(
        punct=punct, roots=roots, nonprojective=nonprojective, mwt=mwt, punct_tag=punct_tag
    )
    given = {name.replace("_", "-"): value for name, value in options.items() if value is not None}
    permuter = PERMUTERS[mode]
    for name in given:
        if name not in {option.name for option in permuter.options}:
            known = [f"--{option.name}" for option in permuter.options]
            raise click.UsageError(
                f"mode '{mode}' takes no --{name}" + (suggestion(f"--{name}", known) if known else "")
            )
    permutation = Permutation(mode, seed, policies, tuple(permuter.read_options(given).items()))
    paths = inputs(files)
    if permutation.needs_rule and sys.stderr.isatty():
        tell([f"{mode}: learning from the whole treebank first"], quiet)
    bar = progress(paths, mode, quiet)
    if in_place and (skip_errors or not policies.lossless):
        raise click.UsageError("--in-place: only with policies that leave nothing out, and without --skip-errors")
    target = output_of(paths, output, in_place)
    learnt_from = [
        str(value) for name, value in given.items() if name in {o.name for o in permuter.options if o.is_path}
    ]
    check_output(target, learnt_from)
    with atomic_output(target) as out, at_work(jobs) as workers:
        report = permute_files(paths, permutation, out, warn, skip_errors, workers, bar)
    tell_skipped(report.findings)
    tell([*report.lines(), *report.loss.lines("final")], quiet)
    caution(no_punctuation(policies, report.tagged))
    return 0
