"""The report of a study: which sections, in which order."""

from __future__ import annotations

from ..document.document import CellValue, Paragraphs, ReportDocument, Section, Table
from ..pairing.analyzing import RESAMPLES
from ..study.results import Results
from .analyses import Analyses
from .claims import claims
from .function_section import function_sections, functions
from .pair_tables import (
    browser,
    correlation_table,
    group_tables,
    one_word_confusions_table,
    one_word_table,
    significance_table,
)
from .plots import dose_figures, paper_figures
from .tables import parts_table, properties_table, scores_table, table_1, table_2, table_3

SENTENCES = 60  # of each pair, in the browser


def report_of(results: Results, resamples: int = RESAMPLES, sentences: int = SENTENCES) -> ReportDocument:
    """The report of a study's results. resamples: of intervals and tests; sentences: of each pair, to browse."""
    analyses, fitted = Analyses(results, resamples, sentences), functions(results)
    sections: list[Section] = [
        *_missing(results),
        *_notes(results),
        claims(analyses, fitted),
        table_1(results),
        table_2(results),
        *(table_3(results, row["parser"]) for row in results.parsers),
        *paper_figures(results),
        *dose_figures(results),
        significance_table(analyses),
        correlation_table(analyses),
        *group_tables(analyses),
        one_word_table(analyses),
        one_word_confusions_table(analyses),
        *function_sections(fitted),
        browser(analyses, sentences),
        scores_table(results),
        properties_table(results),
        parts_table(results),
    ]
    study = results.study
    kept = [section for section in sections if not section.is_empty]
    return ReportDocument(f"Study {study['name']}", study["question"], study["signature"], kept)


def _notes(results: Results) -> list[Section]:
    """Treebanks of which much is left out, that can't be parsed, or that have sentences on both sides."""
    notes = [line for row in results.treebanks for line in row["note"].splitlines()]
    return [Paragraphs("notes", "What to know of the treebanks", notes)] if notes else []


def _missing(results: Results) -> list[Section]:
    """What the study names and the results lack; nothing where they are complete."""
    absent = [f"{row['treebank']}: {row['absent']}" for row in results.treebanks if row["absent"]]
    found: list[Section] = []
    if absent:
        found.append(Paragraphs("absent", "Treebanks that are not here", absent))
    if results.missing:
        rows: list[list[CellValue]] = [
            [row["kind"], row["treebank"], row["order"], row["parser"], row["seed"]] for row in results.missing
        ]
        note = "`permtree run` computes them; its last lines say which failed and why."
        header = ["kind", "treebank", "order", "parser", "seed"]
        found.append(Table("missing", "Cells that are not done", header, rows, note))
    return found
