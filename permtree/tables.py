"""Tables on standard output: for people, as Markdown, as TSV with all digits."""

from __future__ import annotations

import math
from typing import Any

FORMATS = ("table", "tsv", "json", "markdown")


def rendered(header: list[str], rows: list[list[Any]], style: str) -> str:
    """A table as text that ends in a newline. Cells: text, whole numbers, or floats (nan is shown as n/a)."""
    if style == "tsv":
        return "".join("\t".join(_cell(cell, repr) for cell in row) + "\n" for row in [header, *rows])
    from tabulate import tabulate

    shown = [[_cell(cell, _rounded) for cell in row] for row in rows]
    if style == "markdown":
        shown = [[cell.replace("|", "\\|") for cell in row] for row in shown]
    right = [i for i in range(len(header)) if any(isinstance(row[i], (int, float)) for row in rows)]
    align = ["right" if i in right else "left" for i in range(len(header))]
    kind = "github" if style == "markdown" else "simple"
    return tabulate(shown, header, tablefmt=kind, disable_numparse=True, colalign=align if rows else None) + "\n"


def _rounded(value: float) -> str:
    return f"{value:.0f}" if abs(value) >= 1000 and not value % 1 else f"{value:.4f}"


def _cell(cell: Any, number: Any) -> str:
    if isinstance(cell, float):
        return "n/a" if math.isnan(cell) else number(cell)
    return str(cell)


def p_shown(value: float, style: str) -> float | str:
    """A p-value as a cell; for people, a small one with its power of ten. One that is too small for a float is no 0."""
    return value if style == "tsv" or not value < 0.001 else f"{value:.1e}" if value else "< 1e-300"


def or_none(value: float) -> float | None:
    """For JSON, which has no nan."""
    return None if math.isnan(value) else value
