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
from ..tables import as_json, p_shown, rendered
from . import tell
from .options import QUIET
from .sheets import FORMAT

_WIDTH = 100  # columns, where standard output is no terminal
TitledTable = tuple[str, list[str], list[list[Any]]]  # title, header, rows


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
        parts = [
            _titled(title, rendered(header, rows, style), style) for title, header, rows in tables(found, style, most)
        ]
        parts += _drawings(pairs, found, draw or 0, style)
        parts.append(f"{'# ' if style == 'tsv' else ''}{found.signature}\n")
        click.echo("\n".join(parts).encode("utf-8"), nl=False)
    tell((f"{what}: {count}" for what, count in found.faults.items()), quiet)
    return 0


def _titled(title: str, text: str, style: str) -> str:
    return {"tsv": f"# {title}\n", "markdown": f"## {title}\n\n"}.get(style, f"{title}\n\n") + text


def tables(found: Analysis, style: str, most: int) -> list[TitledTable]:
    """All tables of an analysis, to be rendered in a style; of confusions and sentences no more than `most` rows."""
    a, b = found.names
    both = [f"{what} {name}" for what in ("arcs", "uas", "las") for name in found.names]
    made = [_scores(found, style), _correlations(found, style)]
    for by, groups in found.groups.items():
        rows: list[list[Any]] = [
            [own.label, own.arcs_a, own.arcs_b, own.uas_a, own.uas_b, own.d_uas, own.las_a, own.las_b, own.d_las]
            for own in groups
        ]
        made.append((f"By {by}", [by, *both[:4], "d_uas", *both[4:], "d_las"], rows))
    made.append(_confused("Confused relations", found.confusions, found.names, most))
    header = ["place", *(f"{what} {name}" for what in ("words", "wrong heads", "wrong labels") for name in found.names)]
    rows = [[f"{own.place} the head", *list(vars(own).values())[1:]] for own in found.one_word]
    made.append(("One-word dependents that share their head with another", header, rows))
    made.append(_confused("Their confused relations", found.one_word_confusions, found.names, most))
    made.append(_extremes(f"Sentences in which {b} gains most", found.gains[:most], a, b))
    made.append(_extremes(f"Sentences in which {b} loses most", found.losses[:most], a, b))
    return made


def _scores(found: Analysis, style: str) -> TitledTable:
    rows: list[list[Any]] = []
    for name, own in found.scores.items():
        p_values = [p_shown(p, style) for p in (own.permutation.p_value, own.mcnemar.p_value, own.paired_t.p_value)]
        tests = [p_values[0], own.mcnemar.only_first, own.mcnemar.only_second, p_values[1], own.paired_t.t, p_values[2]]
        rows.append([name, own.a, own.b, own.difference, *own.interval, *tests])
    a, b = found.names
    tested = ["p (permutation)", f"only {a} right", f"only {b} right", "p (McNemar)", "t", "p (t)"]
    title = f"Scores: {found.sentences} sentences, {found.words} words"
    return title, ["score", a, b, "difference", "low", "high", *tested], rows


def _correlations(found: Analysis, style: str) -> TitledTable:
    a, b = found.names
    shown = {
        "d_uas": f"UAS({b}) - UAS({a})",
        "d_las": f"LAS({b}) - LAS({a})",
        "d_dl": f"DL({a}) - DL({b})",
        "branching": "branching",
    }
    rows: list[list[Any]] = []
    for (y, x), own in found.correlations.items():
        pearson = [own.pearson, *own.pearson_interval, p_shown(own.pearson_p, style)]
        spearman = [own.spearman, *own.spearman_interval, p_shown(own.spearman_p, style)]
        rows.append([shown[y], shown[x], own.n, own.dropped, *pearson, *spearman])
    numbers = [f"{name}{what}" for name in ("r", "rho") for what in ("", " low", " high", " p")]
    header = ["of", "and", "sentences", "left out", *numbers]
    return "Correlations over sentences: Pearson's r, Spearman's rho", header, rows


def _confused(title: str, rows: list[Confusion], names: tuple[str, str], most: int) -> TitledTable:
    more = f" ({most} of {len(rows)})" if len(rows) > most else ""
    header = ["gold", "predicted", *(f"words {name}" for name in names), "difference"]
    return title + more, header, [[*vars(row).values()] for row in rows[:most]]


def _extremes(title: str, rows: list[Extreme], a: str, b: str) -> TitledTable:
    header = ["sentence", "sent_id", "words", "counted", f"right {a}", f"right {b}", "difference"]
    header += [f"DL {a}", f"DL {b}", "shorter by"]
    return title, header, [[row.sentence + 1, *list(vars(row).values())[1:]] for row in rows]


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
            drawn.append(_titled(title, text, style))
    return drawn
