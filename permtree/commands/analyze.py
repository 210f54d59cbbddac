"""`permtree analyze`."""

from __future__ import annotations

import shutil
import sys
from typing import Any

import click

from ..errors import UsageError
from ..pairing.analyzing import MOST, RESAMPLES, Analysis, Extreme, analyze
from ..pairing.groups import Confusion
from ..pairing.pairs import Pairs
from ..pictures.drawing import draw_text
from ..pictures.predicted import predicted
from ..tables import PValue, as_json
from . import tell
from .options import QUIET
from .sheets import FORMAT, Sheet, titled

_WIDTH = 100  # columns, where standard output is no terminal


@click.command(name="analyze")
@click.argument("folder", type=click.Path())
@click.option(
    "--resamples",
    default=RESAMPLES,
    show_default=True,
    type=click.IntRange(1),
    help="Resamples of bootstrap intervals and permutation tests.",
)
@click.option("--seed", default=0, show_default=True, type=click.IntRange(0), help="Of resamples.")
@click.option(
    "--most",
    default=MOST,
    show_default=True,
    type=click.IntRange(0),
    help="Confusions, gains and losses that are printed (with --format json: all confusions).",
)
@FORMAT
@click.option(
    "--draw",
    type=click.IntRange(1),
    metavar="N",
    help="Draw the N sentences that differ most: gold against predicted on each side, errors marked.",
)
@QUIET
def command(folder: str, resamples: int, seed: int, most: int, style: str, draw: int | None, quiet: bool) -> int:
    """Say what word order did to parsing, from a FOLDER that `permtree pairs` wrote.

    Scores of both sides with paired tests, correlations over sentences with dependency length and branching, scores by
    relation, arc length, direction and sentence length, relations that are confused, and the sentences that gain and
    lose most.
    """
    if draw and style in ("json", "tsv"):
        raise UsageError("--draw goes with --format table or markdown: drawings are for people")
    pairs = Pairs.read(folder)
    found = analyze(pairs, resamples, seed, max(most, draw or 0))
    if style == "json":
        click.echo(as_json(found.as_json()), nl=False)
    else:
        parts = [sheet.text(style) for sheet in sheets(found, most)]
        parts += _drawings(pairs, found, draw or 0, style)
        parts.append(f"{'# ' if style == 'tsv' else ''}{found.signature}\n")
        click.echo("\n".join(parts).encode("utf-8"), nl=False)
    tell((f"{what}: {count}" for what, count in found.faults.items()), quiet)
    return 0


def sheets(found: Analysis, most: int) -> list[Sheet]:
    """All tables of an analysis; of confusions and sentences no more than `most` rows."""
    a, b = found.names
    both = [f"{what} {name}" for what in ("arcs", "uas", "las") for name in found.names]
    made = [_scores(found), _correlations(found)]
    for by, groups in found.groups.items():
        rows: list[list[Any]] = [
            [own.label, own.arcs_a, own.arcs_b, own.uas_a, own.uas_b, own.d_uas, own.las_a, own.las_b, own.d_las]
            for own in groups
        ]
        made.append(Sheet([by, *both[:4], "d_uas", *both[4:], "d_las"], rows, title=f"By {by}"))
    made.append(_confused("Confused relations", found.confusions, found.names, most))
    header = ["place", *(f"{what} {name}" for what in ("words", "wrong heads", "wrong labels") for name in found.names)]
    rows = [[f"{own.place} the head", *list(vars(own).values())[1:]] for own in found.one_word]
    made.append(Sheet(header, rows, title="One-word dependents that share their head with another"))
    made.append(_confused("Their confused relations", found.one_word_confusions, found.names, most))
    made.append(_extremes(f"Sentences in which {b} gains most", found.gains[:most], a, b))
    made.append(_extremes(f"Sentences in which {b} loses most", found.losses[:most], a, b))
    return made


def _scores(found: Analysis) -> Sheet:
    rows: list[list[Any]] = []
    for name, own in found.scores.items():
        p_values = [*map(PValue, (own.permutation.p_value, own.mcnemar.p_value, own.paired_t.p_value))]
        tests = [p_values[0], own.mcnemar.only_first, own.mcnemar.only_second, p_values[1], own.paired_t.t, p_values[2]]
        rows.append([name, own.a, own.b, own.difference, *own.interval, *tests])
    a, b = found.names
    tested = ["p (permutation)", f"only {a} right", f"only {b} right", "p (McNemar)", "t", "p (t)"]
    title = f"Scores: {found.sentences} sentences, {found.words} words"
    return Sheet(["score", a, b, "difference", "low", "high", *tested], rows, title=title)


def _correlations(found: Analysis) -> Sheet:
    a, b = found.names
    shown = {
        "d_uas": f"UAS({b}) - UAS({a})",
        "d_las": f"LAS({b}) - LAS({a})",
        "d_dl": f"DL({a}) - DL({b})",
        "branching": "branching",
    }
    rows: list[list[Any]] = []
    for (y, x), own in found.correlations.items():
        pearson = [own.pearson, *own.pearson_interval, PValue(own.pearson_p)]
        spearman = [own.spearman, *own.spearman_interval, PValue(own.spearman_p)]
        rows.append([shown[y], shown[x], own.n, own.dropped, *pearson, *spearman])
    numbers = [f"{name}{what}" for name in ("r", "rho") for what in ("", " low", " high", " p")]
    header = ["of", "and", "sentences", "left out", *numbers]
    return Sheet(header, rows, title="Correlations over sentences: Pearson's r, Spearman's rho")


def _confused(title: str, rows: list[Confusion], names: tuple[str, str], most: int) -> Sheet:
    more = f" ({most} of {len(rows)})" if len(rows) > most else ""
    header = ["gold", "predicted", *(f"words {name}" for name in names), "difference"]
    return Sheet(header, [[*vars(row).values()] for row in rows[:most]], title=title + more)


def _extremes(title: str, rows: list[Extreme], a: str, b: str) -> Sheet:
    header = ["sentence", "sent_id", "words", "counted", f"right {a}", f"right {b}", "difference"]
    header += [f"DL {a}", f"DL {b}", "shorter by"]
    return Sheet(header, [[row.sentence + 1, *list(vars(row).values())[1:]] for row in rows], title=title)


def _drawings(pairs: Pairs, found: Analysis, most: int, style: str) -> list[str]:
    """The sentences that differ most, each side's gold tree against its prediction."""
    width = shutil.get_terminal_size((_WIDTH, 24)).columns if sys.stdout.isatty() else _WIDTH
    ranked = sorted([*found.gains, *found.losses], key=lambda own: (-abs(own.difference), own.sentence))
    drawn = []
    for own in ranked[:most]:
        rows = pairs.arcs["sentence"] == own.sentence
        words = {name: column[rows] for name, column in pairs.arcs.items()}
        for side, name, right in zip(("a", "b"), pairs.names, (own.right_a, own.right_b), strict=True):
            of_side = {column.removesuffix(f"_{side}"): values for column, values in words.items()}
            picture = predicted(name, own.sent_id, own.sentence + 1, of_side)
            text = draw_text(picture, width)
            text = f"```\n{text}```\n" if style == "markdown" else text
            title = f"{own.sent_id or f'sentence {own.sentence + 1}'}, {name}: {right} of {own.counted} heads right"
            drawn.append(titled(title, text, style))
    return drawn
