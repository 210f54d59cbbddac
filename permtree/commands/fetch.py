"""`permtree fetch`."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import click

from ..bars import is_shown
from ..configuration import setting
from ..fetching import PARTS, Index, chosen_parts, fetch, fetch_file, read_index, read_source, release_tag
from ..fetching.downloading import Connection, checked_base_url
from ..legible import in_lines
from ..types import Tell
from . import say
from .options import QUIET, options_of


@dataclass(frozen=True)
class Wanted:
    """What is fetched, from where, and where it goes."""

    parts: tuple[str, ...] = setting((), "May be repeated. [default: all]", choices=PARTS, option="part", repeated=True)
    release: str | None = setting(
        None, "A release of UD (2.15 or r2.15), or master or dev. [default: the index's]", metavar="R"
    )
    to: str = setting(".", "Each treebank gets its folder in DIR.", metavar="DIR")
    urls: tuple[str, ...] = setting(
        (), "Any CoNLL-U file, by its address; repeatable.", option="url", repeated=True, metavar="URL"
    )
    base_url: str | None = setting(
        None, "Where the repositories are; http or https. [default: the index's]", metavar="URL"
    )
    index_file: str | None = setting(
        None, "Another index, in TOML like permtree's own.", option="index", metavar="FILE"
    )
    force: bool = setting(False, "Fetch what is there already, too.")


@click.command(name="fetch")
@click.argument("names", nargs=-1, metavar="[NAME]...")
@click.option("--list", "listed", is_flag=True, help="Print the treebanks of the index; so does no NAME.")
@options_of("wanted", Wanted, whole=True)
@options_of("connection", Connection, whole=True)
@QUIET
def command(names: tuple[str, ...], listed: bool, wanted: Wanted, connection: Connection, quiet: bool) -> int:
    """Download treebanks of Universal Dependencies, named like en_ewt or UD_English-EWT.

    Each gets a folder DIR/NAME: its CoNLL-U files, licence, README, and SOURCE.json, which says what came from where.
    A download that breaks off is tried again from its start; a file that is there is not fetched again. What comes is
    read by permtree's own reader before it gets its name. The licence of a treebank is its own: read it.

    Needs pooch: pip install 'permtree[fetch]'. Exit status 2 where a treebank can't be fetched, 3 where what came is no
    CoNLL-U.
    """
    report: Tell = (lambda line: None) if quiet else say
    bar = is_shown(quiet)
    for url in wanted.urls:
        fetch_file(url, wanted.to, force=wanted.force, connection=connection, report=report, bar=bar)
    if wanted.urls and not names:
        return 0
    index = read_index(wanted.index_file)
    if listed or not names:
        click.echo(in_lines(table(index)), nl=False)
        return 0
    entries = [
        index[name] for name in dict.fromkeys(names)
    ]  # all that is asked for is checked before anything is fetched
    for entry in entries:
        chosen_parts(entry, wanted.parts)
    release_tag(wanted.release or index.release)
    checked_base_url(wanted.base_url or index.base_url)
    for name in dict.fromkeys(entry.name for entry in entries):
        fetched = fetch(
            name,
            wanted.to,
            release=wanted.release,
            base_url=wanted.base_url,
            parts=wanted.parts,
            force=wanted.force,
            index=index,
            connection=connection,
            report=report,
            bar=bar,
        )
        report(summary(name, fetched))
    return 0


def table(index: Index) -> str:
    """The index as a table: name, language, licence, words and parts."""
    from tabulate import tabulate

    entries = sorted(index.treebanks.values(), key=lambda entry: (entry.language, entry.name))
    rows = [(e.name, e.language, e.licence, f"{e.words:,}", " ".join(e.parts), e.what) for e in entries]
    header = ("name", "language", "licence", "words", "parts", "what")
    align = ("left", "left", "left", "right", "left", "left")
    lines = tabulate(rows, header, disable_numparse=True, colalign=align if rows else None)
    return f"{lines}\n\nRelease {index.release} of Universal Dependencies, from {index.base_url}\n"


def summary(name: str, fetched: Iterable[Path]) -> str:
    """One line of what a treebank is, where it came from and where it is."""
    paths = list(fetched)
    source = read_source(paths[0].parent)
    records = [source["files"][path.name] for path in paths]
    sentences, words = (sum(record[what] for record in records) for what in ("sentences", "words"))
    counts = f"{sentences:,} sentences, {words:,} words"
    return f"{name}: {counts}, licence {source['licence']}, from {source['url']}, in {paths[0].parent}"
