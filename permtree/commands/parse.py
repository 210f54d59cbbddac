"""`permtree parse`."""

from __future__ import annotations

from pathlib import Path

import click

from ..configuration import as_json, configured
from ..conllu.files import atomic_output, check_output
from ..editing.annotating import with_deps
from ..errors import UsageError
from ..parsing.models import MOST_ORDERS, ORDER, load_parser
from ..permuters.orders import order_named, orders_of, other_order
from ..treebank import Treebank
from . import OUTPUT, caution, inputs, shortcuts, tell, warn
from .of_parsers import RUNNING, Running
from .options import QUIET


@click.command(name="parse")
@click.argument("model", type=click.Path())
@click.argument("file", default="-", type=click.Path(allow_dash=True))
@OUTPUT
@RUNNING
@QUIET
def command(model: str, file: str, output: str | None, running: Running, quiet: bool) -> int:
    """Write FILE with the heads and relations that the parser in the folder MODEL finds.

    All else stays as it is, but for DEPS, which is emptied. HEAD and DEPREL of FILE are not looked at, its tags are, if
    the parser was trained with them.
    """
    _check_order_of(model, file)
    paths = inputs((file,))
    check_output(output, paths)
    parser = load_parser(Path(model), running.device, lambda line: tell([line], quiet=False))
    given = shortcuts(type(parser), {"decode": running.decode, "threads": running.threads})
    parser.config = configured(type(parser.config), (model, as_json(parser.config)), ("on the command line", given))
    treebank = Treebank.read(*paths, report=warn)
    trained = (parser.made_from or {}).get(ORDER)
    if isinstance(trained, list) and len(trained) < MOST_ORDERS:
        known = {order_named(levels) for levels in trained}
        caution(other_order(known, orders_of(treebank), f"{treebank.text.name}: is", f"{model} was trained on"))
    caution(parser.cautions(treebank, treebank.text.name))
    parsed = parser.predict(treebank)
    emptied = with_deps(treebank)
    with atomic_output(output) as out:
        out.write(parsed.to_bytes())
    lines = [f"{parsed.n_sentences} sentences, {parsed.n_words} words parsed by {parser.name}"]
    if emptied:
        lines.append(f"DEPS emptied, since they belonged to other heads: {emptied} lines")
    tell(lines, quiet)
    return 0


def _check_order_of(model: str, file: str) -> None:
    """UsageError where model and file seem to have changed places."""
    if Path(model).is_file() and (file == "-" or Path(file).is_dir()):
        order = "the folder of a model comes first, then the file: permtree parse MODEL FILE"
        raise UsageError(f"{model}: is a file, not a folder; {order}")
