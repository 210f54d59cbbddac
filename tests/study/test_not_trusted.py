"""A folder of results may come from anybody: nothing outside of it is touched, what is odd is told in a line."""

from __future__ import annotations

import json
import os
import random
import shutil
import sqlite3
from functools import partial
from pathlib import Path

import pytest
from reported_study import reported_study
from studies import computed, write_study

from permtree import PermtreeError, UsageError
from permtree.document.html import html_report
from permtree.report.building import report_of
from permtree.study import store as storing
from permtree.study.cells import grid_of
from permtree.study.computing import Outcome
from permtree.study.exporting import size_and_digest
from permtree.study.reading import read_study
from permtree.study.results import read_results
from permtree.study.shapes import CONTENTS, TABLES
from permtree.study.store import Store


@pytest.fixture(scope="module")
def done(tmp_path_factory):
    folder = tmp_path_factory.mktemp("study")
    path = write_study(folder, orders="orders.original = {}", parsers="parsers.left = {}")
    computed(path, folder / "results")
    return path, folder / "results"


@pytest.fixture
def copy(done, tmp_path: Path):
    shutil.copytree(done[1], tmp_path / "results")
    return done[0], tmp_path / "results"


def forged(folder: Path, kind: str, **changes) -> None:
    """A cell of a kind that says something else, with hashes that are right again."""
    (file,) = (folder / "cells" / kind).glob("*/cell.json")
    content = json.loads(file.read_bytes())
    del content["digest"]
    content.update(changes)
    content["digest"] = storing._digest(storing._canonical(content))
    file.write_bytes(storing._canonical(content) + b"\n")


# -- cells -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["../../../home/.bashrc", "/tmp/permtree-victim", "link"])
def test_files_of_a_cell_stay_inside(name, copy, tmp_path: Path):
    path, folder = copy
    (cell,) = (folder / "cells" / "train").iterdir()
    (tmp_path / "home").mkdir()
    (tmp_path / "home" / ".bashrc").write_bytes(b"# mine\n")
    (cell / "link").symlink_to(tmp_path / "home" / ".bashrc")
    files = json.loads((cell / "cell.json").read_bytes())["files"]
    forged(folder, "train", files={**files, name: [7, storing._digest(b"# mine\n")]})
    for other in ("predict", "evaluate"):
        shutil.rmtree(folder / "cells" / other)
    store = Store(folder)
    with store.locked():
        store.clean()
    assert store.damaged == ["train fluvi.original.left.0"]
    assert computed(path, folder)[2].failed == []
    assert (tmp_path / "home" / ".bashrc").read_bytes() == b"# mine\n"
    assert not os.path.exists("/tmp/permtree-victim")


def test_what_a_worker_sends_stays_inside(done, tmp_path: Path):
    grid = grid_of(read_study(done[0]))
    store = Store(tmp_path / "results")
    for name in ("../../../../x", "/x", "a/../../x"):
        with pytest.raises(UsageError, match="not inside it"):
            store.put(grid.cells[0], Outcome({}, {name: b""}))
    assert not list(tmp_path.rglob("x")) and not store.has(grid.cells[0])


FORGED = {
    "permute": [{}, {"signature": "s", "parts": {}}, {"signature": "s", "parts": {"../x": {}}}, [], None, "x", 10**30],
    "measure": [{}, {"measures": []}, 3],
    "evaluate": [{}, {"scores": {"uas": ["a", 1, 1, ""]}}, {"scores": {"uas": [10**30]}}],
    "train": [{"more": 1}, None],
}


@pytest.mark.parametrize("kind", FORGED)
def test_values_of_another_kind_are_damage(kind, copy):
    path, folder = copy
    cell = next(cell for cell in grid_of(read_study(path)).cells if cell.kind == kind)
    for value in FORGED[kind]:
        forged(folder, kind, value=value)
        assert not Store(folder).has(cell), value
    (file,) = (folder / "cells" / kind).glob("*/cell.json")
    file.write_bytes(b"[" * 10**6)
    assert not Store(folder).has(cell)


def test_a_key_is_of_what_the_cell_says(copy):
    """Nothing passes for a cell that was made of something else."""
    path, folder = copy
    cell = next(cell for cell in grid_of(read_study(path)).cells if cell.kind == "measure")
    forged(folder, "measure", parameters={**cell.parameters, "measures": []})
    assert not Store(folder).has(cell)


def test_sizes_are_looked_at_before_anything_is_read(copy):
    path, folder = copy
    (cell,) = (folder / "cells" / "predict").iterdir()
    for name in ("predicted.conllu.gz", "cell.json"):
        with open(cell / name, "r+b") as out:
            out.truncate(1 << 40)
    store = Store(folder)
    assert sum(store.has(cell) for cell in grid_of(read_study(path)).cells) == 4


# -- links -----------------------------------------------------------------------------------------------------------


def test_links_to_files_are_replaced(copy, tmp_path: Path):
    path, folder = copy
    names = ["scores.tsv", "parts.tsv", "results.sqlite", "log.jsonl", "lock.holder"]
    (tmp_path / "mine").write_bytes(b"mine")
    for name in names:
        (folder / name).unlink()
        (folder / name).symlink_to("../mine")
    shutil.rmtree(folder / "cells" / "evaluate")
    assert computed(path, folder)[2].computed == 1
    assert (tmp_path / "mine").read_bytes() == b"mine"
    assert not any((folder / name).is_symlink() for name in names)


@pytest.mark.parametrize("name", ["cells", "cells/train", "training", "failed", "lock"])
def test_links_to_folders_are_refused(name, copy, tmp_path: Path):
    path, folder = copy
    shutil.rmtree(folder / name) if (folder / name).is_dir() else (folder / name).unlink(missing_ok=True)
    (tmp_path / "mine").mkdir()
    (folder / name).symlink_to(tmp_path / "mine")
    with pytest.raises(UsageError, match=f"results/{name}: is a link"):
        computed(path, folder)
    assert list((tmp_path / "mine").iterdir()) == []


def test_a_cell_that_is_a_link(copy, tmp_path: Path):
    path, folder = copy
    (cell,) = (folder / "cells" / "train").iterdir()
    cell.rename(tmp_path / "elsewhere")
    cell.symlink_to(tmp_path / "elsewhere")
    before = sorted(os.listdir(tmp_path / "elsewhere"))
    assert computed(path, folder)[2].computed == 0
    assert not cell.is_symlink() or sorted(os.listdir(tmp_path / "elsewhere")) == before


# -- results.sqlite --------------------------------------------------------------------------------------------------

ODD = [
    None,
    "",
    "x",
    "../..",
    "\x1b[2J",
    b"\xff",
    b"\0",
    -1,
    0,
    1,
    2**63 - 1,
    1e308,
    float("inf"),
    0.5,
    "[1]",
    "{}",
    "9" * 30,
]


def written_anew(folder: Path, change):
    """results.sqlite after a change to its connection, with digests that are right again. What the change gives."""
    database = sqlite3.connect(folder / "results.sqlite")
    given = change(database)
    for name in TABLES:
        rows = [list(row) for row in database.execute(f"SELECT * FROM {name}")]
        try:
            database.execute(
                f"UPDATE {CONTENTS} SET rows = ?, digest = ? WHERE name = ?", [*size_and_digest(rows), name]
            )
        except TypeError:  # bytes, which have no digest
            pass
    database.commit()
    database.close()
    return given


def mutated(database: sqlite3.Connection, chance: random.Random) -> str:
    """One value of a table, or one row, is changed; what was done."""
    name = chance.choice([name for name in TABLES if name != CONTENTS])
    column = chance.choice(list(TABLES[name]))
    how = chance.choice(["one", "one", "one", "all", "less", "twice"])
    (count,) = database.execute(f"SELECT count(*) FROM {name}").fetchone()
    row, value = chance.randrange(count) + 1 if count else 0, chance.choice(ODD)
    if how == "less":
        database.execute(f"DELETE FROM {name} WHERE rowid = ?", [row])
    elif how == "twice":
        database.execute(f"INSERT INTO {name} SELECT * FROM {name} WHERE rowid = ?", [row])
    else:
        rows = "" if how == "all" else f" WHERE rowid = {row}"
        database.execute(f'UPDATE {name} SET "{column}" = ?{rows}', [value])
    return f"{how} {name}.{column}[{row}] = {value!r}"


@pytest.mark.parametrize("count", [3, pytest.param(600, marks=pytest.mark.long)])
def test_mutated_databases(count, tmp_path: Path):
    """Whatever a value is: a report, or one line."""
    folder = tmp_path / "results"
    shutil.copytree(reported_study(), folder)
    whole, refused = (folder / "results.sqlite").read_bytes(), 0
    for seed in range(count):
        (folder / "results.sqlite").write_bytes(whole)
        said = written_anew(folder, partial(mutated, chance=random.Random(seed)))
        try:
            html_report(report_of(read_results(folder), resamples=3, sentences=1))
        except PermtreeError as error:
            refused += 1
            assert "\n" not in str(error) and len(str(error)) < 600 + len(str(folder)), said
        except Exception as error:
            raise AssertionError(said) from error
    assert refused < count and (refused or count < 10)


@pytest.mark.parametrize("count", [40, pytest.param(600, marks=pytest.mark.long)])
def test_damaged_databases(count, tmp_path: Path):
    """Bytes that are changed, cut off or doubled: the same results, or one line."""
    folder = reported_study()
    whole, expected = (folder / "results.sqlite").read_bytes(), read_results(folder)
    path = tmp_path / "results.sqlite"
    for seed in range(count):
        chance = random.Random(seed)
        data = bytearray(whole)
        for _ in range(chance.choice([1, 1, 1, 20])):
            data[chance.randrange(len(data))] = chance.randrange(256)
        path.write_bytes(data[: chance.randrange(len(data))] if seed % 7 == 0 else data)
        try:
            found = read_results(tmp_path)
        except UsageError as error:
            assert "\n" not in str(error)
            continue
        for name in ("study", "properties", "runs", "parts", "orders", "pairs", "cells"):
            assert getattr(found, name) == getattr(expected, name), (seed, name)


@pytest.mark.parametrize(
    "change",
    [
        "DROP TABLE seeds; CREATE VIEW seeds AS WITH RECURSIVE n(seed) AS (SELECT 1 UNION ALL SELECT seed FROM n) "
        "SELECT seed FROM n",
        "DROP TABLE seeds; CREATE TABLE seeds (seed, other AS (zeroblob(1000000000)))",
        "DELETE FROM contents WHERE name = 'scores'",
        "UPDATE scores SET value = 100",
        "UPDATE cells SET folder = '../../etc'; UPDATE contents SET rows = rows",
    ],
)
def test_what_is_no_table_of_ours(change, tmp_path: Path):
    """A view that never ends is not asked."""
    shutil.copy(reported_study() / "results.sqlite", tmp_path)
    database = sqlite3.connect(tmp_path / "results.sqlite")
    database.executescript(change)
    database.close()
    with pytest.raises(UsageError, match=r"results\.sqlite: damaged or of another version"):
        read_results(tmp_path)


def test_a_folder_of_a_cell_outside(tmp_path: Path):
    folder = tmp_path / "results"
    shutil.copytree(reported_study(), folder)
    written_anew(folder, lambda database: database.execute("UPDATE cells SET folder = '../../etc'"))
    with pytest.raises(UsageError, match="not inside it"):
        read_results(folder)
