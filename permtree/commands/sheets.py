"""How results are printed: as a table for people, Markdown, TSV or JSON."""

from __future__ import annotations

import click

from ..tables import FORMATS

FORMAT = click.option("--format", "style", default="table", show_default=True, type=click.Choice(FORMATS))
