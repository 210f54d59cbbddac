"""The results of a study, read from its folder: properties, scores, and the predictions of minimal pairs."""

from __future__ import annotations

import math
import sqlite3
import zlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..errors import PermtreeError, UsageError
from ..inside import inside
from ..pairing.pairs import Pairs, pairs
from ..signature import Signature, argument_of
from ..treebank import Treebank
from ..treebank.punctuation import unspelled
from .computing import PREDICTED, predicted_of, treebank_of
from .exporting import DATABASE, made_by, size_and_digest
from .shapes import CONTENTS, TABLES
from .store import files_of

Row = Mapping[str, Any]
MOST = 1 << 32  # bytes of the database


@dataclass(frozen=True)
class Results:
    """What a results folder holds.

    study: name, question, signature, baseline (the order that others are held against). treebanks, orders, parsers:
    rows as in the study; seeds; pairs: names of orders. properties: by (treebank, order), values of the training part
    by measure, and kept_sentences and kept_words. runs: a row for each (treebank, order, parser, seed) that was
    evaluated, with the scores in percent. missing: cells that are not done. conventions: how properties and scores were
    taken, their signatures without the number of sentences.
    """

    folder: Path
    study: Row
    treebanks: tuple[Row, ...]
    orders: tuple[Row, ...]
    parsers: tuple[Row, ...]
    seeds: tuple[int, ...]
    pairs: tuple[tuple[str, str], ...]
    properties: Mapping[tuple[str, str], Row]
    runs: tuple[Row, ...]
    parts: tuple[Row, ...]
    missing: tuple[Row, ...]
    cells: Mapping[tuple[Any, ...], Row]
    conventions: tuple[Signature, ...]

    def measured(self, treebank: str, order: str, measure: str) -> float:
        """A property of the training part; nan where it was not measured."""
        value = self.properties.get((treebank, order), {}).get(measure)
        return math.nan if value is None else value

    def score(self, treebank: str, order: str, parser: str, score: str = "uas") -> float:
        """A score in percent, the mean over seeds; nan where there is none."""
        found = self.scores_by_seed(treebank, order, parser, score)
        return sum(found) / len(found) if found else math.nan

    def scores_by_seed(self, treebank: str, order: str, parser: str, score: str = "uas") -> list[float]:
        """A score in percent for each seed that is done."""
        wanted = (treebank, order, parser)
        return [run[score] for run in self.runs if (run["treebank"], run["order"], run["parser"]) == wanted]

    def parsed(self, treebank: str, order: str, parser: str, seed: int) -> tuple[Treebank, Treebank] | None:
        """Gold and predicted test part; None where it is not done. UsageError where its files are gone
        or damaged."""
        permuted = self.cells.get(("permute", treebank, order, None, None))
        predicted = self.cells.get(("predict", treebank, order, parser, seed))
        if not (permuted and predicted and permuted["folder"] and predicted["folder"]):
            return None
        label = f"{treebank}.{order}"
        with self._readable(permuted):
            gold = treebank_of(self._files(permuted, "test.conllu.gz"), "test", label)
        with self._readable(predicted):
            return gold, predicted_of(self._files(predicted, PREDICTED), f"{label}.{parser}.{seed}")

    def pair(self, treebank: str, parser: str, seed: int, a: str, b: str) -> Pairs | None:
        """The test part in two orders with the predictions on both; None where one of them is not done."""
        sides = [self.parsed(treebank, order, parser, seed) for order in (a, b)]
        convention = self._convention()
        if sides[0] is None or sides[1] is None or convention is None:
            return None
        return pairs(*sides[0], *sides[1], names=(a, b), **convention)

    def _convention(self) -> dict[str, Any] | None:
        """As `pairs` takes it, from how UAS was taken; None where nothing is evaluated."""
        found = next((one for one in self.conventions if one.name == "uas"), None)
        if found is None:
            return None
        name, tag = argument_of(found["convention"])
        return {"convention": name, "punct_tag": unspelled(tag)}

    def _files(self, cell: Row, name: str) -> dict[str, bytes]:
        return files_of(inside(self.folder, cell["folder"]), cell["key"], name)

    @contextmanager
    def _readable(self, cell: Row) -> Iterator[None]:
        """UsageError where the files of a cell are gone or damaged."""
        try:
            yield
        except (OSError, EOFError, zlib.error, PermtreeError) as fault:
            why = getattr(fault, "strerror", None) or f"damaged ({fault})"
            raise UsageError(f"{self.folder / cell['folder']}: {why}; `permtree run` computes it again") from None


def read_results(folder: str | Path) -> Results:
    """The results that `permtree run` left in a folder. Raises UsageError where there are none."""
    folder = Path(folder)
    path = folder / DATABASE
    if not path.is_file():
        what = f"no {DATABASE} in it" if folder.is_dir() else "is a file" if folder.exists() else "no such folder"
        raise UsageError(f"{folder}: {what}: name a folder of results that `permtree run` wrote")
    try:
        found = _tables(folder, path)
    except (sqlite3.Error, ValueError, LookupError, TypeError, UsageError) as fault:
        raise UsageError(f"{path}: damaged or of another version ({fault}); `permtree run` makes it again") from None
    (study,) = found["study"]
    properties: dict[tuple[str, str], dict[str, Any]] = {}
    for row in found["properties"]:
        properties.setdefault((row["treebank"], row["order"]), {})[row["measure"]] = row["value"]
    runs: dict[tuple[Any, ...], dict[str, Any]] = {}
    for row in found["scores"]:
        place = {name: row[name] for name in ("treebank", "order", "parser", "seed")}
        runs.setdefault(tuple(place.values()), place)[row["score"]] = _number(row["value"])
    signatures = dict.fromkeys(row["signature"] for row in (*found["properties"], *found["scores"]))
    return Results(
        folder=folder,
        study=study,
        treebanks=tuple(found["treebanks"]),
        orders=tuple(found["orders"]),
        parsers=tuple(found["parsers"]),
        seeds=tuple(row["seed"] for row in found["seeds"]),
        pairs=tuple((row["a"], row["b"]) for row in found["pairs"]),
        properties=properties,
        runs=tuple(runs.values()),
        parts=tuple(found["parts"]),
        missing=tuple(row for row in found["cells"] if not row["folder"]),
        cells={
            tuple(row[name] for name in ("kind", "treebank", "order", "parser", "seed")): row for row in found["cells"]
        },
        conventions=tuple(dict.fromkeys(Signature.parse(one).without("sents") for one in signatures if one)),
    )


def _tables(folder: Path, path: Path) -> dict[str, list[dict[str, Any]]]:
    """All tables, each held against what it should look like. Raises ValueError, sqlite3.Error or UsageError."""
    if inside(folder, DATABASE).stat().st_size > MOST:
        raise ValueError(f"more than {MOST} bytes")
    database = sqlite3.connect(f"{path.resolve().as_uri()}?mode=ro", uri=True)
    try:
        database.execute("PRAGMA trusted_schema = OFF")
        found = {name: _read(database, name) for name in TABLES}
    finally:
        database.close()
    for name, rows, digest in found[CONTENTS]:
        if name not in found or (rows, digest) != size_and_digest(found[name]):
            raise ValueError(f"table {name}: other rows than were written")
    if sorted(row[0] for row in found[CONTENTS]) != sorted(found.keys() - {CONTENTS}) or len(found["study"]) != 1:
        raise ValueError("tables are missing")
    for row in found["cells"]:
        inside(folder, row[-1] or "none")
    orders = {row[0] for row in found["orders"]}
    if not orders.issuperset((found["study"][0][3], *(name for pair in found["pairs"] for name in pair))):
        raise ValueError("an order that is not there")
    return {name: [dict(zip(_columns(name), row, strict=True)) for row in rows] for name, rows in found.items()}


def _columns(name: str) -> list[str]:
    return ["order" if column == "word_order" else column for column in TABLES[name]]


def _read(database: sqlite3.Connection, name: str) -> list[list[Any]]:
    """The rows of a table. Raises ValueError where it was made otherwise than ours are, or holds other values."""
    made = database.execute("SELECT sql FROM sqlite_master WHERE name = ?", [name]).fetchall()
    if made != [(made_by(name),)]:
        raise ValueError(f"table {name}: missing, or with other columns")
    rows = [list(row) for row in database.execute(f"SELECT * FROM {name}")]
    for number, row in enumerate(rows, 1):
        for (column, fits), value in zip(TABLES[name].items(), row, strict=True):
            if not fits(value):
                raise ValueError(f"table {name}, row {number}: {column} = {ascii(value)[:40]}")
    return rows


def _number(value: float | None) -> float:
    return math.nan if value is None else value
