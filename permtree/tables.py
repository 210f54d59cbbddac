"""Tables: for people, as Markdown, as TSV with all digits, and TSV read back."""

from __future__ import annotations

import csv
import io
import json
import math
from collections.abc import Iterable, Sequence
from typing import Any

from .legible import in_a_line, json_legible

FORMATS = ("table", "tsv", "json", "markdown")


def rendered(header: list[str], rows: list[list[Any]], style: str) -> str:
    """A table as text that ends in a newline. Cells: text, whole numbers, or floats (nan is shown as n/a)."""
    if style == "tsv":
        return tsv([_cell(cell, repr) for cell in row] for row in [header, *rows])
    from tabulate import tabulate

    shown = [[_cell(cell, _rounded) for cell in row] for row in rows]
    if style == "markdown":
        shown = [[cell.replace("|", "\\|") for cell in row] for row in shown]
    right = [i for i in range(len(header)) if any(isinstance(row[i], (int, float)) for row in rows)]
    align = ["right" if i in right else "left" for i in range(len(header))]
    kind = "github" if style == "markdown" else "simple"
    return tabulate(shown, header, tablefmt=kind, disable_numparse=True, colalign=align if rows else None) + "\n"


def tsv(rows: Iterable[Sequence[str]]) -> str:
    """Rows as TSV, as most programs read it by default: a cell with a tab, a quotation mark or a newline in it stands
    in quotation marks, those within it doubled (as RFC 4180 has it for commas)."""
    out = io.StringIO()
    csv.writer(out, delimiter="\t", lineterminator="\n").writerows(rows)
    return out.getvalue()


def read_tsv(text: str) -> list[list[str]]:
    """The rows that `tsv` wrote. Raises ValueError for what it can't have written."""
    if '"' not in text:
        return [line.split("\t") for line in text.removesuffix("\n").split("\n")]
    before = csv.field_size_limit(len(text) + 1)
    try:
        return list(csv.reader(io.StringIO(text, newline="\n"), delimiter="\t", strict=True))
    except csv.Error as fault:
        raise ValueError(str(fault)) from None
    finally:
        csv.field_size_limit(before)


class PValue(float):
    """A p-value as a cell. For people a small one has its power of ten, and one too small for a float is no 0."""


def _rounded(value: float) -> str:
    if isinstance(value, PValue) and value < 0.001:
        return f"{value:.1e}" if value else "< 1e-300"
    return f"{value:.0f}" if abs(value) >= 1000 and not value % 1 else f"{value:.4f}"


def _cell(cell: Any, number: Any) -> str:
    if isinstance(cell, float):
        return "n/a" if math.isnan(cell) else number(cell)
    return in_a_line(cell)


def as_json(content: Any) -> str:
    """JSON for standard output; nan becomes null."""
    return json_legible(json.dumps(without_nan(content), ensure_ascii=False, indent=2)) + "\n"


def without_nan(content: Any) -> Any:
    """The same for JSON, which has no nan: None in its place, wherever it stands."""
    if isinstance(content, dict):
        return {key: without_nan(value) for key, value in content.items()}
    if isinstance(content, (list, tuple)):
        return [without_nan(value) for value in content]
    return None if isinstance(content, float) and math.isnan(content) else content
