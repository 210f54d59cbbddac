"""`permtree split`."""

from __future__ import annotations

from contextlib import ExitStack

import click

from ..conllu.files import atomic_output, check_output
from ..errors import UsageError
from ..treebank import Treebank
from ..treebank.splitting import BY, read_ratio, split
from . import say, warn

NAMES = {2: ("train", "test"), 3: ("train", "dev", "test")}


@click.command(name="split")
@click.argument("file", default="-", type=click.Path(allow_dash=True))
@click.option(
    "--ratio", default="9:1", show_default=True, help="Sizes of the parts: train:test, train:dev:test or more."
)
@click.option(
    "--by",
    type=click.Choice(BY),
    default="sentence",
    show_default=True,
    help="What stays together: sentences, or documents as `# newdoc` begins them.",
)
@click.option("--seed", default=0, show_default=True, type=click.IntRange(0))
@click.option("-o", "--output", required=True, metavar="PREFIX", help="Writes PREFIX.train.conllu, PREFIX.test.conllu.")
def command(file: str, ratio: str, by: str, seed: int, output: str) -> int:
    """Split a treebank at random, by sentence or by document, and report what stands on both sides.

    Which sentences go where depends on the seed and on the sentences, not on their order in FILE.
    """
    sizes = read_ratio(ratio)
    names = NAMES.get(len(sizes)) or tuple(f"part{k + 1}" for k in range(len(sizes)))
    for name in names:
        check_output(f"{output}.{name}.conllu", [file])
    treebank = Treebank.read(file, report=warn)
    result = split(treebank.text, sizes, seed, by)
    if 0 in result.sizes:
        raise UsageError(f"{file}: {treebank.n_sentences} sentences are too few for {ratio}: a part would be empty")
    with ExitStack() as stack:  # all files get their place, or none
        for number, name in enumerate(names):
            stack.enter_context(atomic_output(f"{output}.{name}.conllu")).write(result.written(number))
    for name, size in zip(names, result.sizes, strict=True):
        say(f"{output}.{name}.conllu: {size} sentences")
    for (earlier, later), twins in result.shared.items():
        if twins:
            shown = ", ".join(twins[:5]) + (" ..." if len(twins) > 5 else "")
            say(f"{len(twins)} sentences of {names[later]} stand in {names[earlier]} too: {shown}")
    for (earlier, later), (both, total) in result.shared_documents.items():
        if both:
            what = f"{both} of {total} documents of {names[later]} stand in {names[earlier]} too"
            say(f"{what}; --by document keeps them apart")
    return 0
