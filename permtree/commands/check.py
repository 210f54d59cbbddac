"""`permtree check`."""

from __future__ import annotations

import click

from ..editing.checking import CODES, check_files
from . import FILES, inputs, say


@click.command(name="check", epilog="Codes: " + "; ".join(f"{code} {what}" for code, what in CODES.items()) + ".")
@FILES
@click.option("--errors-only", is_flag=True, help="No warnings.")
def command(files: tuple[str, ...], errors_only: bool) -> int:
    """Check treebanks and print coded findings, E... (errors) and W... (warnings), with their lines.

    Exit status 1 if there is any error.
    """
    errors = warnings = 0
    for finding in check_files(list(inputs(files))):
        errors += finding.is_error
        warnings += not finding.is_error
        if finding.is_error or not errors_only:
            place, _, what = str(finding).partition(": ")
            say(f"{place}: {finding.code} {what}", err=False)
    click.echo(f"{errors} errors, {warnings} warnings", err=True)
    return 1 if errors else 0
