"""The results of a study as one SQLite file and as TSV, made again from its cells whenever a run ends."""

from __future__ import annotations

import hashlib
import json
import sqlite3
import tempfile
from collections.abc import Iterator
from dataclasses import fields
from pathlib import Path
from typing import Any

from .._version import __version__
from ..configuration import as_json
from ..conllu.files import atomic_output
from ..errors import UsageError
from ..evaluation.scores import SCORES
from ..permuters import PERMUTERS, with_files_within
from ..signature import Signature
from ..tables import rendered
from .cells import Cell, Grid
from .definition import PARTS
from .preparing import COUNTS, notes_on
from .shapes import CONTENTS, TABLES
from .store import Store

DATABASE = "results.sqlite"
AS_TSV = ("parts", "properties", "scores")
FILES = (DATABASE, *(f"{name}.tsv" for name in AS_TSV))
PLACE = ("treebank", "order", "parser", "seed")
Rows = Iterator[list[Any]]


def signature_of(grid: Grid) -> str:
    """What a study is made of, in one line; the last hash stands for all data, parameters and versions."""
    study = grid.study
    cells = hashlib.blake2b("".join(cell.key for cell in grid.cells).encode(), digest_size=8).hexdigest()
    counts = {what: len(getattr(study, what)) for what in ("treebanks", "orders", "parsers")}
    made = {"seeds": ",".join(map(str, study.seeds)), "profile": study.profile_name}
    made |= {**study.profile.policies.signature_parts(), "convention": study.convention}
    return str(Signature(study.name, {**counts, **made, "cells": cells, "permtree": __version__}))


def export(grid: Grid, store: Store) -> None:
    """Write results.sqlite and the TSV files of the results folder. Raises OSError or UsageError where it can't."""
    tables = {name: list(make(grid, store)) for name, make in _ROWS.items()}
    tables[CONTENTS] = [[name, *size_and_digest(rows)] for name, rows in tables.items()]
    files = {f"{name}.tsv": _tsv(list(TABLES[name]), tables[name]) for name in AS_TSV}
    for name, data in {**files, DATABASE: _database(tables)}.items():
        for half_written in store.folder.glob(f".{name}.*.part"):  # by a run that was killed
            half_written.unlink()
        with atomic_output(str(store.folder / name), follow=False) as out:
            out.write(data)


def size_and_digest(rows: list[list[Any]]) -> tuple[int, str]:
    """How many rows a table has, and a digest of all that they say."""
    content = json.dumps([list(row) for row in rows], ensure_ascii=False).encode("utf-8")
    return len(rows), hashlib.blake2b(content, digest_size=16).hexdigest()


def made_by(name: str) -> str:
    """The SQL that makes a table of results."""
    named = ", ".join(f'"{column}"' for column in TABLES[name])
    return f"CREATE TABLE {name} ({named})"


def _tsv(header: list[str], rows: list[list[Any]]) -> bytes:
    return rendered(header, [[_flat(cell) for cell in row] for row in rows], "tsv").encode("utf-8")


def _flat(cell: Any) -> Any:
    return "" if cell is None else cell.replace("\t", " ").replace("\n", " ") if isinstance(cell, str) else cell


def _database(tables: dict[str, list[list[Any]]]) -> bytes:
    """An SQLite file."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / DATABASE
        try:
            _write_database(path, tables)
        except sqlite3.Error as fault:
            raise UsageError(f"{DATABASE} can't be made: {fault}") from None
        return path.read_bytes()


def _write_database(path: Path, tables: dict[str, list[list[Any]]]) -> None:
    database = sqlite3.connect(path)
    try:
        for name, columns in TABLES.items():
            marks = ", ".join("?" * len(columns))
            database.execute(made_by(name))
            database.executemany(f"INSERT INTO {name} VALUES ({marks})", tables[name])
        database.commit()
    finally:
        database.close()


# -- rows ------------------------------------------------------------------------------------------------------------


def _study(grid: Grid, store: Store) -> Rows:
    study = grid.study
    yield [study.name, study.question, signature_of(grid), study.baseline, study.text]


def _treebanks(grid: Grid, store: Store) -> Rows:
    for name, entry in grid.study.treebanks.items():
        notes = "\n".join(notes_of(grid, store, name))
        yield [name, entry.language, entry.paper, grid.absent.get(name), " ".join(entry.parts()), notes]


def notes_of(grid: Grid, store: Store, treebank: str) -> list[str]:
    """What a user should know of a treebank (see `notes_on`), as far as it is computed."""
    done = (cell for cell in _done(grid, store, "permute") if cell.place["treebank"] == treebank)
    cell = next(done, None)
    return [] if cell is None else list(notes_on(treebank, grid.study.treebanks[treebank], store.value(cell)["parts"]))


def _orders(grid: Grid, store: Store) -> Rows:
    for name, order in grid.study.orders.items():
        paths = {name for name, one in PERMUTERS[order.mode].options.items() if one.metadata["is_path"]}
        options = {
            key: _name_of(value) if key in paths else with_files_within(value, _name_of) for key, value in order.options
        }
        yield [name, order.mode, json.dumps(options), order.seed, order.family, order.dial]


def _parsers(grid: Grid, store: Store) -> Rows:
    for name, entry in grid.study.parsers.items():
        config = as_json(entry.config)
        paths = [one.name for one in fields(entry.config) if one.metadata.get("is_path")]
        config.update({key: _name_of(config[key]) for key in paths})
        yield [name, entry.parser, json.dumps(config), entry.device]


def _name_of(path: str) -> str:
    """Files by name alone, so that results don't depend on where they were computed."""
    return Path(path).name


def _cells(grid: Grid, store: Store) -> Rows:
    """All cells; those that are not done without a folder."""
    for cell in grid.cells:
        folder = store.path(cell).relative_to(store.folder).as_posix() if store.has(cell) else None
        yield [cell.kind, *(cell.place.get(name) for name in PLACE), cell.key, folder]


def _done(grid: Grid, store: Store, kind: str) -> Iterator[Cell]:
    return (cell for cell in grid.cells if cell.kind == kind and store.has(cell))


def _parts(grid: Grid, store: Store) -> Rows:
    for cell in _done(grid, store, "permute"):
        parts = store.value(cell)["parts"]
        for part in (part for part in PARTS if part in parts):
            counts = parts[part]
            report = "; ".join(counts["report"])
            numbers = [counts[name] for name in ("sentences", "words", *COUNTS)]
            yield [*cell.place.values(), part, *numbers, report]


def _properties(grid: Grid, store: Store) -> Rows:
    for cell in _done(grid, store, "measure"):
        value = store.value(cell)
        place = list(cell.place.values())
        for name in grid.study.measures:
            yield [*place, name, *value["measures"][name]]
        for name in ("kept_sentences", "kept_words"):
            yield [*place, name, value[name], ""]


def _scores(grid: Grid, store: Store) -> Rows:
    for cell in _done(grid, store, "evaluate"):
        scores = store.value(cell)["scores"]
        for name in SCORES:
            yield [*cell.place.values(), name, *scores[name]]


_ROWS = {
    "study": _study,
    "treebanks": _treebanks,
    "orders": _orders,
    "parsers": _parsers,
    "seeds": lambda grid, store: ([seed] for seed in grid.study.seeds),
    "pairs": lambda grid, store: ([a, b] for a, b in grid.study.pairs),
    "cells": _cells,
    "parts": _parts,
    "properties": _properties,
    "scores": _scores,
}
