"""The tables of a study: properties and scores in the form of Gulordava & Merlo (2016), and what lies behind them."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Sequence
from itertools import product
from statistics import fmean, stdev

from ..document.document import CellValue, Table
from ..permuters import PERMUTERS
from ..study.preparing import COUNTS
from ..study.results import Results, Row
from .notes import (
    absent_note,
    final_punctuation_note,
    here,
    noted,
    paper_note,
    paper_properties_note,
    properties_note,
    scores_note,
)
from .paper import PAPER_PARSER, paper_parser, paper_score, paper_value

SCORES = ("uas", "las")


def order_of(results: Results, mode: str) -> str | None:
    """The order of a study that is a mode with its default options; None where there is none."""
    found = [row["order"] for row in results.orders if row["mode"] == mode and _has_defaults(row)]
    return found[0] if found else None


def _has_defaults(order: Row) -> bool:
    """Whether an order has no other options than the defaults of its mode."""
    given = json.loads(order["options"])
    defaults = {name: one.default for name, one in PERMUTERS[order["mode"]].options.items()} if given else {}
    return all(name in defaults and value == defaults[name] for name, value in given.items())


def branching_length(results: Results, treebank: str) -> float:
    """The DLM ratio of left- and right-branching order, which mirror each other; nan where neither was measured."""
    orders = filter(None, (order_of(results, mode) for mode in ("lb", "rb")))
    return _mean(results.measured(treebank, order, "dlm_ratio") for order in orders)


def language_of(row: Row) -> str:
    """What a treebank is called in tables."""
    return f"{row['treebank']} ({row['language']})" if row["language"] else row["treebank"]


def table_1(results: Results) -> Table:
    """The treebanks in their original order: size, sentence length, DLM ratio, arc-direction entropy."""
    original = order_of(results, "original") or ""
    ours = ("kept_words", "mean_sentence_length", "dlm_ratio", "arc_direction_entropy")
    theirs = ("train_kwords", "mean_sentence_length", "dlm_ratio", "entropy")
    rows: list[list[CellValue]] = []
    for row in here(results):
        values = [results.measured(row["treebank"], original, name) for name in ours]
        values[0] /= 1000
        if not all(map(math.isnan, values)):
            places = zip(values, theirs, (0 if values[0] >= 10 else 1, 1, 2, 2), strict=True)
            cells = [_beside(a, paper_value(row["paper"], b), n) for a, b, n in places]
            rows.append([language_of(row), *cells, *_kept(results, row["treebank"], original)])
    header = [
        "treebank",
        "thousand words",
        "mean sentence length",
        "DLM ratio",
        "entropy",
        "sentences kept",
        "words kept",
    ]
    note = noted(properties_note(results), paper_properties_note(results), absent_note(results))
    return Table("table1", "Table 1: the treebanks in their original order", header, rows, note)


def _kept(results: Results, treebank: str, order: str) -> list[CellValue]:
    """Sentences and words that the policies keep, of all, in all parts."""
    parts = [row for row in results.parts if (row["treebank"], row["order"]) == (treebank, order)]
    names = ("sentences", "words")
    sums = [[sum(row[f"{what}_{name}"] for row in parts) for what in ("kept", "total")] for name in names]
    return [f"{kept} of {total}" if parts else "n/a" for kept, total in sums]


def table_2(results: Results) -> Table:
    """The artificial orders: DLM ratio of left-/right-branching, entropy of the optimal order."""
    rows: list[list[CellValue]] = []
    optdl = order_of(results, "optdl") or ""
    for row in here(results):
        name, code = row["treebank"], row["paper"]
        length, entropy = branching_length(results, name), results.measured(name, optdl, "arc_direction_entropy")
        if not (math.isnan(length) and math.isnan(entropy)):
            lengths = _beside(length, paper_value(code, "lbrb_dlm_ratio"))
            rows.append([language_of(row), lengths, _beside(entropy, paper_value(code, "optdl_entropy"))])
    header = ["treebank", "DLM ratio of LB and RB", "entropy of OptDL"]
    note = noted(properties_note(results), paper_properties_note(results), absent_note(results))
    return Table("table2", "Table 2: the artificial orders", header, rows, note)


def table_3(results: Results, parser: str) -> Table:
    """UAS/LAS of a parser in each order, mean over seeds, and the mean over treebanks that have all orders."""
    kind = next(row["kind"] for row in results.parsers if row["parser"] == parser)
    orders = [row["order"] for row in results.orders]
    modes = [row["mode"] if _has_defaults(row) else "" for row in results.orders]
    rows: list[list[CellValue]] = []
    complete = []
    for row in here(results):
        ours = [_pair(results, row["treebank"], order, parser) for order in orders]
        if all(math.isnan(uas) for uas, _ in ours) and {"train", "test"} <= set(row["parts"].split()):
            continue  # not computed yet; without one of these parts it never will be
        theirs = [[paper_score(row["paper"], kind, mode, score) for score in SCORES] for mode in modes]
        cells = [_both(a) + _in_brackets(_both(b, 0)) for a, b in zip(ours, theirs, strict=True)]
        rows.append([language_of(row), *cells])
        if not any(math.isnan(uas) for uas, _ in ours):
            complete.append(ours)
    means = [tuple(map(_mean, zip(*(ours[place] for ours in complete), strict=True))) for place in range(len(orders))]
    if len(complete) > 1:
        rows.append([f"mean of the {len(complete)} that have all orders", *map(_both, means)])
    named = parser if parser == kind else f"{parser} ({kind})"
    header = ["treebank", *map(_heading, results.orders)]
    return Table(f"table3-{parser}", f"Table 3: UAS/LAS of {named}", header, rows, _table_3_note(results, kind))


def _heading(order: Row) -> str:
    """The name of an order, with the mode where the name does not begin with it."""
    name, mode = order["order"], order["mode"]
    return name if name == mode or name.startswith(f"{mode}-") else f"{name} ({mode})"


def _table_3_note(results: Results, kind: str) -> str:
    seeds = ", ".join(map(str, results.seeds))
    undone = any(row["kind"] == "evaluate" for row in results.missing)
    done = f"Mean over seeds {seeds}" if len(results.seeds) > 1 else f"Seed {seeds}"
    beside = paper_note(results, PAPER_PARSER[paper_parser(kind)]) if paper_parser(kind) else ""
    done = f"{done}{', as far as they are done' * undone}."
    return noted(scores_note(results), final_punctuation_note(results), done, beside, absent_note(results))


def _pair(results: Results, treebank: str, order: str, parser: str) -> tuple[float, ...]:
    return tuple(results.score(treebank, order, parser, score) for score in SCORES)


def gain(results: Results, treebank: str, parser: str, a: str, b: str, score: str) -> float:
    """A score of order b less that of order a, in points: the mean over the seeds that both have; nan without any."""
    first, second = scores_of_shared_seeds(results, treebank, parser, (a, b), score)
    return second - first


def scores_of_shared_seeds(
    results: Results, treebank: str, parser: str, orders: Sequence[str], score: str = "uas"
) -> list[float]:
    """A score of each of some orders, in percent: means over the seeds that all of them have; nan without any."""
    by_seed: dict[str, dict[int, float]] = {order: {} for order in orders}
    for run in results.runs:
        if (run["treebank"], run["parser"]) == (treebank, parser) and run["order"] in by_seed:
            by_seed[run["order"]][run["seed"]] = run[score]
    shared = set.intersection(*map(set, by_seed.values()))
    return [_mean(value for seed, value in by_seed[order].items() if seed in shared) for order in orders]


def scores_table(results: Results) -> Table:
    """Every treebank, order and parser: scores, their spread over seeds, and the change from the baseline."""
    base = results.study["baseline"]
    rows: list[list[CellValue]] = []
    for one, two, three in product(results.treebanks, results.parsers, results.orders):
        treebank, parser, order = one["treebank"], two["parser"], three["order"]
        uas, las = (results.scores_by_seed(treebank, order, parser, score) for score in SCORES)
        if uas:
            means = [_mean(uas), _spread(uas), _mean(las), _spread(las)]
            changes = [gain(results, treebank, parser, base, order, score) for score in SCORES]
            rows.append([treebank, parser, order, len(uas), *means, *changes])
    header = ["treebank", "parser", "order", "seeds", "UAS", "sd of UAS", "LAS", "sd of LAS", "ΔUAS", "ΔLAS"]
    note = (
        "Percent of the test part; mean and standard deviation (sd) over seeds. "
        f"Δ: less the order {base}, in points, over the seeds that both have."
    )
    return Table("scores", "All scores", header, rows, noted(note, "; ".join(_signatures(results, *SCORES))))


def properties_table(results: Results) -> Table:
    """Every treebank and order: all measures of the training part."""
    names = list(dict.fromkeys(name for row in results.properties.values() for name in row))
    rows: list[list[CellValue]] = [
        [treebank, order, *(_whole(name, values.get(name)) for name in names)]
        for (treebank, order), values in results.properties.items()
    ]
    header = ["treebank", "order", *(name.replace("_", " ") for name in names)]
    note = noted("Of the training part.", "; ".join(_signatures(results, *names)))
    return Table("properties", "All properties", header, rows, note, digits=3)


def parts_table(results: Results) -> Table:
    """How many sentences and words each part has in each order, and what was left out."""
    rows: list[list[CellValue]] = [
        [row[name] for name in ("treebank", "order", "part", "sentences", "words", *COUNTS, "report")]
        for row in results.parts
    ]
    counts = [name.replace("_", " ") for name in COUNTS]
    header = ["treebank", "order", "part", "sentences", "words", *counts, "report of the permutation"]
    return Table("parts", "What was permuted", header, rows)


def _signatures(results: Results, *names: str) -> list[str]:
    """How measures or scores of these names were taken."""
    return [str(one) for one in results.conventions if one.name in names]


def _whole(name: str, value: float | None) -> CellValue:
    return math.nan if value is None else int(value) if name.startswith("kept_") else value


def _beside(ours: float, theirs: float, digits: int = 2) -> str:
    return _number(ours, digits) + _in_brackets(_number(theirs, digits))


def _both(pair: Iterable[float], digits: int = 1) -> str:
    uas, las = pair
    return "n/a" if math.isnan(uas) else f"{uas:.{digits}f}/{las:.{digits}f}"


def _in_brackets(text: str) -> str:
    return "" if text == "n/a" else f" ({text})"


def _number(value: float, digits: int) -> str:
    return "n/a" if math.isnan(value) else f"{value:.{digits}f}"


def _mean(values: Iterable[float]) -> float:
    """Of those that are no nan."""
    found = [value for value in values if not math.isnan(value)]
    return fmean(found) if found else math.nan


def _spread(values: list[float]) -> float:
    return stdev(values) if len(values) > 1 and not any(map(math.isnan, values)) else math.nan
