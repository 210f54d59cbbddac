"""The figures of a study: what a change of order does to length, entropy and accuracy, and what a dial does."""

from __future__ import annotations

import math

from ..document.document import CellValue, Figure, Table
from ..document.figures import Point, Series, lines, scatter
from ..study.results import Results
from .notes import DLM, ENTROPY, convention, here, noted, properties_note
from .tables import gain, order_of


def paper_figures(results: Results) -> list[Figure]:
    """Figures 1 (OptDL) and 2 (RB) of the paper for each parser, where the study has these orders and the original."""
    original = order_of(results, "original")
    found = []
    for number, mode, title in ((1, "optdl", "OptDL"), (2, "rb", "RB")):
        order = order_of(results, mode)
        if original is not None and order is not None:
            for parser in (row["parser"] for row in results.parsers):
                name, full = f"figure{number}-{parser}", f"Figure {number}: {title}, {parser}"
                found.append(change_figure(results, parser, original, order, name, full))
    return [one for one in found if one is not None]


def change_figure(results: Results, parser: str, a: str, b: str, name: str, title: str) -> Figure | None:
    """A point a treebank: x the fall of the DLM ratio, y the fall of the entropy from order a (T) to order b (T'),
    colour the gain of UAS; None where no treebank has all three."""
    points = []
    for treebank in (row["treebank"] for row in here(results)):
        shorter, regular = (
            results.measured(treebank, a, one) - results.measured(treebank, b, one) for one in (DLM, ENTROPY)
        )
        points.append(Point(treebank, shorter, regular, gain(results, treebank, parser, a, b, "uas")))
    if all(math.isnan(one.x + one.y + one.value) for one in points):
        return None
    labels = ("DLM(T) - DLM(T')", "Entropy(T) - Entropy(T')", "UAS(T') - UAS(T)")
    rows: list[list[CellValue]] = [[one.name, one.x, one.y, one.value] for one in points]
    table = Table(f"{name}-data", title, ["treebank", *labels], rows, digits=3)
    seeds = "; mean over seeds" if len(results.seeds) > 1 else ""
    note = noted(f"T: {a}; T': {b}; {parser}. UAS of the test part{seeds}.", properties_note(results))
    return Figure(name, title, scatter(points, *labels), note, table)


def dose_figures(results: Results) -> list[Figure]:
    """For each dial of the study (an order with a list of values) accuracy by its value; none without dials."""
    families = dict.fromkeys(row["family"] for row in results.orders if row["dial"] is not None)
    found = [_dose_figure(results, family, score) for family in families for score in ("uas", "las")]
    return [one for one in found if one is not None]


def _dose_figure(results: Results, family: str, score: str) -> Figure | None:
    own = [row for row in results.orders if row["family"] == family and row["dial"] is not None]
    orders = sorted((row["dial"], row["order"]) for row in own)
    series: list[Series] = []
    rows: list[list[CellValue]] = []
    for treebank in (row["treebank"] for row in here(results)):
        for parser in (row["parser"] for row in results.parsers):
            found = [(dial, results.scores_by_seed(treebank, order, parser, score)) for dial, order in orders]
            if not any(values for _, values in found):
                continue
            series.append(Series(f"{treebank}, {parser}", *map(list, zip(*found, strict=True))))
            for (dial, order), (_, values) in zip(orders, found, strict=True):
                mean = sum(values) / len(values) if values else math.nan
                measured = [results.measured(treebank, order, one) for one in (DLM, ENTROPY)]
                rows.append([treebank, parser, dial, len(values), mean, *measured])
    if not series:
        return None
    option = orders[0][1].removeprefix(f"{family}-").partition("=")[0]  # orders are named family-option=value
    title = f"{score.upper()} by {option} of {family}"
    name = f"dose-{family}-{score}"
    unit = convention(results, ENTROPY, "unit")
    header = ["treebank", "parser", option, "seeds", score.upper(), "DLM ratio", f"entropy, {unit}".removesuffix(", ")]
    note = f"{score.upper()} of the test part: the mean over seeds; whiskers from the least to the most of several."
    table = Table(f"{name}-data", title, header, rows)
    return Figure(name, title, lines(series, f"{option} of {family}", f"{score.upper()}, percent"), note, table)
