"""`permtree pairs`."""

from __future__ import annotations

from dataclasses import dataclass

import click

from ..configuration import setting
from ..conllu.files import check_output
from ..evaluation.arcs import tags_given
from ..pairing.folder import ABOUT, FORMATS, check_folder
from ..pairing.pairs import Pairs, check_names, pairs
from ..treebank import Treebank
from . import caution_of_orders, inputs, tell, warn
from .of_parsers import COUNTED, Counted
from .options import ONE_PROCESS, Work, options_of


@dataclass(frozen=True)
class Made:
    """What is made of the joined words."""

    names: tuple[str, str] = setting(("a", "b"), "What the two versions are called [a b].", metavar="A B", shown=False)
    style: str = setting("tsv", "Of the two tables; parquet needs pyarrow.", choices=FORMATS, option="format")


@click.command(name="pairs")
@click.argument("gold_a", type=click.Path(allow_dash=True))
@click.argument("pred_a", type=click.Path(allow_dash=True))
@click.argument("gold_b", type=click.Path(allow_dash=True))
@click.argument("pred_b", type=click.Path(allow_dash=True))
@click.option("-o", "--output", required=True, metavar="FOLDER", help="Where sentences, arcs and pairs.json go.")
@options_of("made", Made, whole=True)
@COUNTED
@ONE_PROCESS
def command(
    gold_a: str, pred_a: str, gold_b: str, pred_b: str, output: str, made: Made, counted: Counted, work: Work
) -> int:
    """Join two versions of a treebank, GOLD_A and GOLD_B, and a prediction of each, word by word.

    The versions are a minimal pair, such as a treebank and its permutation, or two permutations of one original. Writes
    a row a sentence and a row an arc, both sides in it, for `permtree analyze` or any program that reads tables.
    """
    tag = tags_given(counted.convention, counted.punct_tag)
    check_names(made.names)
    check_folder(output, made.style, ["sentences", "arcs"])
    paths = inputs((gold_a, pred_a, gold_b, pred_b))
    for name in (ABOUT, *(f"{table}.{made.style}" for table in ("sentences", "arcs"))):
        check_output(f"{output}/{name}", paths)
    a, predicted_a, b, predicted_b = (Treebank.read(path, skip_errors=work.skip_errors, report=warn) for path in paths)
    caution_of_orders(a, predicted_a)
    caution_of_orders(b, predicted_b)
    found = pairs(
        a,
        predicted_a,
        b,
        predicted_b,
        counted.convention,
        punct_tag=tag,
        names=made.names,
        skip_errors=work.skip_errors,
    )
    found.write(output, made.style)
    tell(_report(found, output), work.quiet)
    tell(found.warnings, quiet=False)
    return 0


def _report(found: Pairs, output: str) -> list[str]:
    """What was joined, and what is odd about it."""
    n_sentences, n_words = len(found.sentences["words"]), len(found.arcs["orig"])
    moved = int((found.arcs["position_a"] != found.arcs["position_b"]).sum())
    lines = [f"{output}: {n_sentences} sentences, {n_words} words ({moved} of them in another place)"]
    lost = n_words - int(found.arcs["counted"].sum())
    if lost:
        without = int((found.sentences["counted"] == 0).sum())
        lines.append(
            f"words that don't count by {found.convention}: {lost}; sentences without words that count: {without}"
        )
    return lines + [f"{what}: {count}" for what, count in found.faults.items()]
