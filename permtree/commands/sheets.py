"""How results are printed: as a table for people, Markdown, TSV or JSON."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import click

from ..tables import FORMATS, as_json, rendered

FORMAT = click.option("--format", "style", default="table", show_default=True, type=click.Choice(FORMATS))
_COLUMNS = {"interval": ("low", "high"), "deviation": ("deviation",)}  # of what resampling adds to a value


@dataclass(frozen=True)
class Sheet:
    """What a command prints: rows under a header.

    rows: cells as `tables.rendered` takes them, and empty ones at the end of a row that is shorter than the header.
    facts: rows above these, a name and a value each, or a tuple of values. content: what is printed as JSON. title:
    stands above the table, not in JSON.
    """

    header: list[str]
    rows: list[list[Any]]
    content: Any = None
    facts: Mapping[str, Any] = field(default_factory=dict)
    title: str = ""

    def text(self, style: str) -> str:
        """The sheet in one of FORMATS; ends in a newline."""
        if style == "json":
            return as_json(self.content)
        facts = [[name, *(value if isinstance(value, tuple) else (value,))] for name, value in self.facts.items()]
        rows = [[*row, *[""] * (len(self.header) - len(row))] for row in [*facts, *self.rows]]
        return titled(self.title, rendered(self.header, rows, style), style)


def titled(title: str, text: str, style: str) -> str:
    """A text with a title above, if there is one."""
    return {"tsv": f"# {title}\n", "markdown": f"## {title}\n\n"}.get(style, f"{title}\n\n") + text if title else text


def counts(left_out: Mapping[str, int], removed: Mapping[str, int]) -> dict[str, int]:
    """Facts: sentences and words that don't count, by the reason."""
    sentences = {f"left out: {reason}": count for reason, count in left_out.items()}
    return sentences | {f"removed words: {what}": count for what, count in removed.items()}


def uncertainty(value: Any) -> dict[str, Any]:
    """What resampling has added to a value: its interval, its deviation over samples, or nothing."""
    found = {name: getattr(value, name, None) for name in _COLUMNS}
    return {name: own for name, own in found.items() if own is not None}


def of_values(facts: Mapping[str, Any], values: Mapping[str, Any], content: Any) -> Sheet:
    """A sheet with a row for each value: the value, what resampling has added, and its signature."""
    added = [name for name in _COLUMNS if any(name in uncertainty(value) for value in values.values())]
    header = ["what", "value", *(column for name in added for column in _COLUMNS[name]), "signature"]
    rows = [[name, own.value, *flat(uncertainty(own)), own.signature] for name, own in values.items()]
    return Sheet(header, rows, content, facts)


def difference(found: Any) -> dict[str, Any]:
    """The numbers of two sides, of their difference and of its interval, for JSON and (see `flat`) for a row."""
    return {**{name: getattr(found, name) for name in ("first", "second", "difference")}, "interval": found.interval}


def flat(numbers: Mapping[str, Any]) -> list[Any]:
    """The cells of what `difference` and `uncertainty` give."""
    return [cell for value in numbers.values() for cell in (value if isinstance(value, tuple) else (value,))]
