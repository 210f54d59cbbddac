"""`permtree verify`."""

from __future__ import annotations

import click

from ..editing.verifying import verify
from ..treebank import Treebank
from . import inputs, say, tell, tell_skipped, warn
from .options import SKIP_ERRORS


@click.command(name="verify")
@click.argument("first", type=click.Path(allow_dash=True))
@click.argument("second", type=click.Path(allow_dash=True))
@SKIP_ERRORS
def command(first: str, second: str, skip_errors: bool) -> int:
    """Prove that two treebanks are a minimal pair: the same words and trees, sentence by sentence, in another order.

    Else names the first sentence where they are not, with exit status 1. Two permutations of one original are a pair
    too. If a policy left sentences out, compare with the same policy: `permute --mode original --profile ...`.
    """
    inputs((first, second))
    one, two = (Treebank.read(path, skip_errors=skip_errors, report=warn) for path in (first, second))
    verdict = verify(one, two, skip_errors)
    tell_skipped(verdict.skipped)
    if verdict.dropped:
        tell([f"sentences of the other side left out with what was left out: {verdict.dropped}"], quiet=False)
    if not verdict.is_pair:
        say(f"not a minimal pair: {verdict.failure}", err=False)
        return 1
    click.echo(
        f"minimal pair: {verdict.sentences} sentences with the same words and trees, "
        f"{verdict.reordered} of them in another order ({verdict.method})"
    )
    return 0
