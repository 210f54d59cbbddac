"""`permtree fetch`."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import click

from ..fetching import PARTS, Index, chosen_parts, fetch, fetch_file, read_index, read_source, release_tag
from ..fetching.downloading import Connection, checked_base_url
from ..legible import in_lines
from . import QUIET, say

PATIENCE = Connection()
SECONDS = click.FloatRange(0, 3600, min_open=True)


@click.command(name="fetch")
@click.argument("names", nargs=-1, metavar="[NAME]...")
@click.option("--list", "listed", is_flag=True, help="Print the treebanks of the index; so does no NAME.")
@click.option("--part", "parts", multiple=True, type=click.Choice(PARTS), help="May be repeated. [default: all]")
@click.option(
    "--release", metavar="R", help="A release of UD (2.15 or r2.15), or master or dev. [default: the index's]"
)
@click.option("--to", default=".", show_default=True, metavar="DIR", help="Each treebank gets its folder in DIR.")
@click.option("--url", "urls", multiple=True, metavar="URL", help="Any CoNLL-U file, by its address; repeatable.")
@click.option("--base-url", metavar="URL", help="Where the repositories are; http or https. [default: the index's]")
@click.option("--index", "index_file", metavar="FILE", help="Another index, in TOML like permtree's own.")
@click.option("--force", is_flag=True, help="Fetch what is there already, too.")
@click.option("--retries", default=PATIENCE.retries, show_default=True, type=click.IntRange(0, 100), metavar="N")
@click.option(
    "--timeout",
    default=PATIENCE.timeout,
    show_default=True,
    type=SECONDS,
    metavar="SECONDS",
    help="How long a server may send nothing.",
)
@click.option(
    "--pause",
    default=PATIENCE.pause,
    show_default=True,
    type=SECONDS,
    metavar="SECONDS",
    help="Before the first retry; each next pause is twice as long.",
)
@QUIET
def command(
    names: tuple[str, ...],
    listed: bool,
    parts: tuple[str, ...],
    release: str | None,
    to: str,
    urls: tuple[str, ...],
    base_url: str | None,
    index_file: str | None,
    force: bool,
    retries: int,
    timeout: float,
    pause: float,
    quiet: bool,
) -> int:
    """Download treebanks of Universal Dependencies, named like en_ewt or UD_English-EWT.

    Each gets a folder DIR/NAME: its CoNLL-U files, licence, README, and SOURCE.json, which says what came from where.
    A download that broke off is gone on with when the command is run again; a file that is there is not fetched again.
    What comes is read by permtree's own reader before it gets its name. The licence of a treebank is its own: read it.

    Exit status 2 where a treebank can't be fetched, 3 where what came is no CoNLL-U.
    """
    for url in urls:
        with _Shown(quiet) as shown:
            patience = Connection(retries, timeout, pause)
            fetch_file(url, to, force=force, connection=patience, report=shown.line, progress=shown.progress)
    if urls and not names:
        return 0
    index = read_index(index_file)
    if listed or not names:
        click.echo(in_lines(table(index)), nl=False)
        return 0
    entries = [
        index[name] for name in dict.fromkeys(names)
    ]  # all that is asked for is checked before anything is fetched
    for entry in entries:
        chosen_parts(entry, parts)
    release_tag(release or index.release)
    checked_base_url(base_url or index.base_url)
    for name in dict.fromkeys(entry.name for entry in entries):
        with _Shown(quiet) as shown:
            fetched = fetch(
                name,
                to,
                release=release,
                base_url=base_url,
                parts=parts,
                force=force,
                index=index,
                connection=Connection(retries, timeout, pause),
                report=shown.line,
                progress=shown.progress,
            )
            shown.line(summary(name, fetched))
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


class _Shown:
    """Lines on standard error, and where that is a terminal a bar for the file that is coming."""

    def __init__(self, quiet: bool):
        self._quiet = quiet
        self._bars = not quiet and sys.stderr.isatty()
        self._bar: Any = None

    def __enter__(self) -> _Shown:
        return self

    def __exit__(self, *fault: object) -> None:
        self._close()

    def _close(self) -> None:
        if self._bar is not None:
            self._bar.close()
            self._bar = None

    def line(self, line: str) -> None:
        """One line of the report."""
        self._close()
        if not self._quiet:
            say(line)

    def progress(self, name: str, done: int, total: int | None) -> None:
        """How far a file is."""
        if not self._bars:
            return
        if self._bar is None:
            from tqdm import tqdm

            self._bar = tqdm(total=total, initial=done, unit="B", unit_scale=True, desc=name, leave=False)
        self._bar.total = total
        self._bar.update(done - self._bar.n)
