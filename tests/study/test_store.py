"""What is stored: nothing is computed twice, what is damaged is told and made again, and the disk may fill up."""

from __future__ import annotations

import fcntl
import os
import random
import resource
import shutil
from pathlib import Path

import pytest
from speed import first_is_quick
from studies import N_CELLS, ORDERS, Here, computed, faulty, results_in, run, write_study

from permtree import UsageError
from permtree.study.cells import grid_of
from permtree.study.exporting import export
from permtree.study.reading import read_study
from permtree.study.running import run_cells
from permtree.study.store import Store


@pytest.fixture(scope="module")
def done(tmp_path_factory):
    """A study that is done: its file and its results."""
    folder = tmp_path_factory.mktemp("study")
    path = write_study(folder)
    _, _, summary = computed(path, folder / "results")
    assert (summary.computed, summary.known, summary.failed, summary.waiting) == (N_CELLS, 0, [], 0)
    return path, folder / "results"


@pytest.fixture
def copy(done, tmp_path):
    """The same, to be damaged."""
    path, folder = done
    shutil.copytree(folder, tmp_path / "results")
    return path, tmp_path / "results"


def times(folder: Path) -> dict[Path, int]:
    return {path: path.stat().st_mtime_ns for path in (folder / "cells").rglob("*")}


# -- nothing is computed twice ---------------------------------------------------------------------------------------


def test_what_is_done_is_left_alone(copy):
    path, folder = copy
    before = times(folder), results_in(folder)
    _, _, summary = computed(path, folder)
    assert (summary.computed, summary.known) == (0, N_CELLS)
    assert (times(folder), results_in(folder)) == before


def test_other_names(copy, tmp_path: Path):
    """Entries that are named otherwise use the same cells; tables have the new names."""
    path, folder = copy
    text = path.read_text(encoding="utf-8")
    for old, new in (
        ("treebanks.fluvi", "treebanks.tb"),
        ("orders.majority", "orders.m.mode"),
        ("parsers.left", "parsers.l.parser"),
    ):
        text = text.replace(old, new)
    text = text.replace("orders.m.mode = {}", "orders.m.mode = 'majority'").replace(
        "l.parser = {}", "l.parser = 'left'"
    )
    renamed = path.with_name("renamed.toml")
    renamed.write_text(text, encoding="utf-8")
    before = times(folder)
    _, _, summary = computed(renamed, folder)
    assert summary.computed == 0
    assert times(folder) == before
    rows = (folder / "scores.tsv").read_text(encoding="utf-8")
    assert "tb\tm\tl\t0\tuas\t" in rows and "fluvi" not in rows


def test_more_of_the_same(copy):
    """A study that has grown computes what is new."""
    path, folder = copy
    more = path.with_name("more.toml")
    more.write_text(f"seeds = [0, 1]\n{path.read_text(encoding='utf-8')}orders.lb = {{}}\n", encoding="utf-8")
    _, _, summary = computed(more, folder)
    assert (summary.known, summary.computed) == (N_CELLS, 3 * 2 + 3 * 2 * 2 * 3 - N_CELLS)


def test_two_entries_that_are_the_same(tmp_path: Path):
    path = write_study(tmp_path, orders=f"{ORDERS}\norders.again = {{ mode = 'majority' }}")
    _, _, summary = computed(path, tmp_path / "results")
    assert summary.computed == N_CELLS
    rows = (tmp_path / "results" / "scores.tsv").read_text(encoding="utf-8").splitlines()
    of = {name: [row.split("\t")[2:] for row in rows if f"\t{name}\t" in row] for name in ("majority", "again")}
    assert of["again"] == of["majority"] != []


def test_a_study_in_parts_is_the_study(done, tmp_path: Path):
    path, folder = done
    for only in ("measure", "random-tree", "original", "*"):
        computed(path, tmp_path / "results", [only])
    assert results_in(tmp_path / "results") == results_in(folder)


def test_the_log_and_the_lock_hold_nothing_that_is_needed(copy):
    path, folder = copy
    before = results_in(folder)
    for name in ("log.jsonl", "lock"):
        (folder / name).unlink()
    computed(path, folder)
    assert results_in(folder) == before


# -- damage ----------------------------------------------------------------------------------------------------------


def damaged(path: Path, folder: Path) -> list[str]:
    """What a run finds damaged; it makes all good."""
    grid, store = grid_of(read_study(path)), Store(folder)
    with store.locked():
        store.clean()
        summary = run_cells(grid.cells, grid, store, Here(), lambda line: None, lambda line: None)
        export(grid, store)
    assert summary.computed == len(store.damaged)
    return store.damaged


@pytest.mark.long
def test_every_file_of_every_cell(copy, done):
    """A byte changed in each of them, one after the other."""
    path, folder = copy
    whole = results_in(done[1])
    chance = random.Random(1)
    files = sorted(name for name in whole if name.startswith("cells/") and "majority" in name)
    assert len(files) > 10
    for name in files:
        data = bytearray(whole[name])
        data[chance.randrange(len(data))] ^= 1 << chance.randrange(8)
        (folder / name).write_bytes(data)
        kind, label = name.split("/")[1:3]
        assert damaged(path, folder) == [f"{kind} {label.rpartition('-')[0]}"], name
        assert results_in(folder) == whole


def test_every_byte_of_a_cell(copy, done):
    """The smallest cell's own file: whatever byte is changed, the cell is not done."""
    path, folder = copy
    grid = grid_of(read_study(path))
    cell = next(cell for cell in grid.cells if cell.kind == "predict")
    file = Store(folder).path(cell) / "cell.json"
    data = file.read_bytes()
    for place in range(len(data) - 1):  # the last one is the newline
        file.write_bytes(data[:place] + bytes([data[place] ^ 1]) + data[place + 1 :])
        assert not Store(folder).has(cell), place
    file.write_bytes(data)
    assert Store(folder).has(cell)


def cut(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:-9])


def empty(path: Path) -> None:
    path.write_bytes(b"")


def folder_instead(path: Path) -> None:
    path.unlink()
    path.mkdir()


def emptied(path: Path) -> None:
    for one in path.parent.iterdir():
        one.unlink()


def other_cell(path: Path) -> None:
    """Two cells that have changed places."""
    others = [one for one in path.parent.parent.iterdir() if one != path.parent]
    path.parent.rename(path.parent.parent / "aside")
    others[0].rename(path.parent)
    (path.parent.parent / "aside").rename(others[0])


@pytest.mark.parametrize("name", ["cell.json", "predicted.conllu.gz"])
@pytest.mark.parametrize("how", [cut, empty, Path.unlink, folder_instead, emptied], ids=lambda how: how.__name__)
def test_a_cell_that_is_not_whole(how, name, copy, done):
    path, folder = copy
    (cell,) = (folder / "cells" / "predict").glob("*majority.left*")
    how(cell / name)
    assert damaged(path, folder) == ["predict fluvi.majority.left.0"]
    assert results_in(folder) == results_in(done[1])


def test_a_cell_in_the_place_of_another(copy, done):
    path, folder = copy
    (cell,) = (folder / "cells" / "evaluate").glob("*majority.left*")
    other_cell(cell / "cell.json")
    assert len(damaged(path, folder)) == 2
    assert results_in(folder) == results_in(done[1])


def test_what_a_run_that_was_killed_left(copy, done):
    path, folder = copy
    (cell,) = (folder / "cells" / "predict").glob("*majority.left*")
    cell.rename(cell.with_name(cell.name + ".part"))
    (cell.with_name(cell.name + ".part") / "cell.json").unlink()
    (folder / ".results.sqlite.abc.part").write_bytes(b"half")
    (folder / ".scores.tsv.abc.part").write_bytes(b"half")
    _, _, summary = computed(path, folder)
    assert summary.computed == 1
    assert results_in(folder) == results_in(done[1])


def test_what_is_not_ours_stays(copy):
    """Files of the user in the results folder, even where cells are."""
    path, folder = copy
    kept = [
        folder / name for name in ("notes.txt", "cells/photos/cat/1.png", "cells/train/notes", "cells/train/a-b/c.part")
    ]
    for one in kept:
        one.parent.mkdir(parents=True, exist_ok=True)
        one.write_bytes(b"mine")
    assert damaged(path, folder) == []
    assert [one.read_bytes() for one in kept] == [b"mine"] * len(kept)


def test_damage_is_told(copy, done):
    path, folder = copy
    (cell,) = (folder / "cells" / "permute").glob("*majority*")
    (cell / "test.conllu.gz").write_bytes(b"")
    assert run("run", path, "-o", folder, "-q").lines == ["damaged, computed again: permute fluvi.majority"]
    assert results_in(folder) == results_in(done[1])


def test_tables_are_made_anew(copy, done):
    path, folder = copy
    (folder / "results.sqlite").write_bytes(b"SQLite format 3\0 no more")
    (folder / "scores.tsv").unlink()
    computed(path, folder)
    assert results_in(folder) == results_in(done[1])


# -- what changes during a run ---------------------------------------------------------------------------------------


class Meddled(Here):
    """A pool beside which somebody changes files after the first task."""

    def __init__(self, files: list[Path]):
        super().__init__()
        self.files = files

    def submit(self, task, gpu=False):
        if not self.tasks:
            for path in self.files:
                path.write_bytes(path.read_bytes() + b"\n")
        return super().submit(task, gpu)


CHANGED = {
    "treebank": ("test.conllu", {"permute fluvi.majority", "permute fluvi.grammar"}),
    "option": ("weights.toml", {"permute fluvi.grammar"}),
    "setting": ("vectors.txt", {f"train fluvi.{order}.biaffine.0" for order in ("original", "majority", "grammar")}),
}


@pytest.mark.long
@pytest.mark.parametrize("name", CHANGED)
def test_files_that_change_during_a_run(name, tmp_path: Path):
    """Nothing is stored under the name of what was there before."""
    file, failed = CHANGED[name]
    (tmp_path / "weights.toml").write_text("default = 1", encoding="utf-8")
    (tmp_path / "vectors.txt").write_text("a 1 2", encoding="utf-8")
    orders = f"{ORDERS}\norders.grammar = {{ weights = 'weights.toml' }}"
    parsers = "parsers.left = {}"
    if name == "setting":
        parsers += "\nparsers.biaffine = { settings = { vectors = 'vectors.txt' } }"
    path = write_study(tmp_path, orders=orders, parsers=parsers)
    grid, store, lines = grid_of(read_study(path)), Store(tmp_path / "results"), []
    with store.locked():
        summary = run_cells(grid.cells, grid, store, Meddled([tmp_path / file]), lambda line: None, lines.append)
    message = "files or libraries that it depends on have changed since the run began: run again"
    assert {str(cell): why for cell, why in summary.failed} == dict.fromkeys(failed, message)
    assert set(lines) == {f"FAILED {cell}: {message}" for cell in failed}


# -- folders that can't be used --------------------------------------------------------------------------------------


def test_a_folder_in_use(copy):
    path, folder = copy
    before = results_in(folder)
    with Store(folder).locked():
        said = run("run", path, "-o", folder, status=2)
        host = os.uname().nodename
        assert said.lines == [
            f"{folder}: process {os.getpid()} on {host} is at work here; wait for it, or name another folder"
        ]
        assert run("plan", path, "-o", folder).out.decode().splitlines()[-2].startswith(f"{N_CELLS} cells done, 0 to")
    assert results_in(folder) == before
    assert run("run", path, "-o", folder).lines == [f"0 cells computed, {N_CELLS} known already"]


def test_the_lock_is_free_after_an_error(copy):
    store = Store(copy[1])
    with pytest.raises(ZeroDivisionError), store.locked():
        raise ZeroDivisionError
    with open(copy[1] / "lock") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)


def test_what_another_run_did_in_the_meantime_is_seen(done, tmp_path: Path):
    """Between the look at the folder and the lock."""
    path, folder = done
    grid, store = grid_of(read_study(path)), Store(tmp_path / "results")
    shutil.copytree(folder, tmp_path / "results")
    pool = Here()
    with store.locked():
        store.clean()
        run_cells(grid.cells, grid, store, pool, lambda line: None, lambda line: None)
    assert pool.tasks == 0


@pytest.mark.long
def test_no_folder(done, tmp_path: Path):
    path, _ = done
    (tmp_path / "file").write_bytes(b"")
    with pytest.raises(UsageError, match=r"/file: not a folder; name another one with -o$"):
        Store(tmp_path / "file")
    assert run("run", path, "-o", tmp_path / "file", status=2).lines == [
        f"{tmp_path}/file: not a folder; name another one with -o"
    ]
    assert run("run", path, "-o", tmp_path / "file" / "x", status=2).lines == [f"{tmp_path}/file/x: Not a directory"]


@pytest.mark.skipif(os.geteuid() == 0 and not shutil.which("setpriv"), reason="root may write everywhere")
def test_a_folder_that_may_not_be_written(copy):
    path, folder = copy
    as_user = ["setpriv", "--bounding-set=-dac_override", "--inh-caps=-dac_override"] if os.geteuid() == 0 else []
    before = results_in(folder)
    try:
        folder.chmod(0o555)
        (folder / "lock").unlink() if os.geteuid() == 0 else None
        said = run("run", path, "-o", folder, status=2, before=as_user)
    finally:
        folder.chmod(0o755)
    assert said.lines == [f"{folder}/lock: Permission denied"]
    assert results_in(folder) == before


# -- a full disk -----------------------------------------------------------------------------------------------------


def full_at(size: int):
    return lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))


@pytest.mark.long
@pytest.mark.parametrize("size", first_is_quick([2000, 0, 10000]))
def test_a_full_disk(size, done, tmp_path: Path):
    """Files of more than so many bytes can't be written: what was stored is kept, and the next run completes it."""
    path, folder = done
    results = tmp_path / "results"
    said = run("run", path, "-o", results, status=2, preexec_fn=full_at(size))
    assert any("File too large" in line or "can't be made" in line for line in said.lines), said.err
    assert not any(line.startswith("FAILED") for line in said.lines)
    whole, part = results_in(folder), results_in(results)
    assert all(whole[name] == data for name, data in part.items() if name.startswith("cells/"))
    kept = len({name.split("/")[2] for name in part if name.startswith("cells/")})
    if size == 10000:  # enough for each cell, but not for the tables
        assert kept == N_CELLS
        assert said.lines[-1] == "results.sqlite can't be made: disk I/O error"
    elif size:
        assert f"{kept} cells computed, 0 known already" in said.lines
        left = f"what was stored is kept, {N_CELLS - kept} cells are left; make room and run again"
        assert [line for line in said.lines if line.endswith(left)]
    else:
        assert kept == 0
    assert run("run", path, "-o", results).lines[-1] == f"{N_CELLS - kept} cells computed, {kept} known already"
    assert results_in(results) == whole


@pytest.mark.long
def test_no_room_while_a_cell_is_computed(tmp_path: Path):
    orders, parsers = "orders.original = {}", "parsers.left = {}\nparsers.faulty = {}"
    path = write_study(tmp_path, "seeds = [1, 2]", orders=orders, parsers=parsers)
    folder, env = tmp_path / "results", faulty(tmp_path)
    said = run("run", path, "-o", folder, env={**env, "FAULTY": "full"}, status=2)
    assert said.lines[-1].startswith("model.json: No space left on device: what was stored is kept, ")
    assert not any(line.startswith("FAILED") for line in said.lines)
    run("run", path, "-o", folder, env=env)
    run("run", path, "-o", tmp_path / "other", env=env)
    assert results_in(folder) == results_in(tmp_path / "other")
