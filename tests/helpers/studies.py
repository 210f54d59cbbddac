"""Small studies for tests: 60 sentences of the sample, parsers that train in no time, and ways to run them."""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
import uuid
from collections.abc import Iterable
from concurrent.futures import Future
from pathlib import Path

from commandline import PERMTREE, Done
from places import SAMPLE

from permtree.study.cells import Cell, Grid, grid_of
from permtree.study.computing import Outcome, Task
from permtree.study.exporting import export
from permtree.study.reading import read_study
from permtree.study.running import Summary, run_cells
from permtree.study.store import Store
from permtree.study.workers import Failure, attempt

TREEBANK = 'treebanks.fluvi = { train = "train.conllu", dev = "dev.conllu", test = "test.conllu" }'
ORDERS = "orders.original = {}\norders.majority = {}"
PARSERS = "parsers.left = {}\nparsers.random-tree = {}"
N_CELLS = 16  # of the study that is written by default

# A parser that fails for seed 1 as the environment says; it makes a file to say that it has begun.
FAULTY = """
import errno, os, signal, time
from pathlib import Path
from permtree_parsers.baselines import Left

class Faulty(Left):
    name, what, source = "faulty", "fails", "tests"

    @classmethod
    def train(cls, train, dev, config, seed=0, device="auto", session=None):
        how = os.environ.get("FAULTY", "") if seed == 1 else ""
        if how == "raise":
            raise RuntimeError("no luck today\\nnor tomorrow")
        if how == "full":
            raise OSError(errno.ENOSPC, "No space left on device", "model.json")
        if how == "exit":
            os._exit(3)
        if how == "kill":
            os.kill(os.getpid(), signal.SIGKILL)
        if how == "kill once" and not Path(os.environ["ONCE"]).exists():
            Path(os.environ["ONCE"]).touch()
            os.kill(os.getpid(), signal.SIGKILL)
        if how == "sleep":
            Path(os.environ["ONCE"]).touch()
            time.sleep(60)
        if how == "unpicklable":
            session.tell(object())
            parser = super().train(train, dev, config, seed)
            parser.save = lambda folder: (_ for _ in ()).throw(Unknown("odd", lambda: None))
            return parser
        return super().train(train, dev, config, seed)

class Unknown(Exception):
    pass
"""


def write_study(
    folder: Path, top: str = "", treebanks: str = TREEBANK, orders: str = ORDERS, parsers: str = PARSERS
) -> Path:
    """A study of 40, 10 and 10 sentences, in study.toml; by default two orders, two parsers and one seed."""
    write_parts(folder)
    path = folder / "study.toml"
    path.write_text("\n".join([top, treebanks, orders, parsers, ""]), encoding="utf-8")
    return path


def write_parts(folder: Path) -> None:
    """train.conllu, dev.conllu and test.conllu, and all of them as all.conllu."""
    folder.mkdir(parents=True, exist_ok=True)
    blocks = (SAMPLE / "fluvi-train.conllu").read_bytes().split(b"\n\n")[:60]
    parts = {"train": blocks[:40], "dev": blocks[40:50], "test": blocks[50:], "all": blocks}
    for name, own in parts.items():
        (folder / f"{name}.conllu").write_bytes(b"\n\n".join(own) + b"\n\n")


# -- in this process -------------------------------------------------------------------------------------------------


class Here:
    """A pool that computes in this process, at once; tasks and outcomes pass as to another process. tasks: how many
    there were."""

    most = 1

    def __init__(self) -> None:
        self.tasks = 0

    def submit(self, task: Task, gpu: bool = False) -> Future[Outcome | Failure]:
        """See `Pool.submit`."""
        self.tasks += 1
        future: Future[Outcome | Failure] = Future()
        future.set_result(pickle.loads(pickle.dumps(attempt(pickle.loads(pickle.dumps(task))))))
        return future


def cells_of(path: Path) -> dict[str, Cell]:
    """The cells of a study by kind and label: "permute fluvi.original"."""
    return {str(cell): cell for cell in grid_of(read_study(path)).cells}


def computed(path: Path, folder: Path, only: Iterable[str] = ()) -> tuple[Grid, Store, Summary]:
    """Compute a study, or some of its cells, in this process, and write its results."""
    grid, store, lines = grid_of(read_study(path)), Store(folder), []
    with store.locked():
        store.clean()
        summary = run_cells(grid.chosen(only), grid, store, Here(), lines.append, lines.append)
        export(grid, store)
    return grid, store, summary


# -- in other processes ----------------------------------------------------------------------------------------------


def faulty(folder: Path) -> dict[str, str]:
    """Install a parser that fails, in a folder; the environment in which it is found."""
    site = folder / "site"
    about = site / "faulty-0.dist-info"
    about.mkdir(parents=True)
    (site / "faulty.py").write_text(FAULTY, encoding="utf-8")
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: faulty\nVersion: 0\n", encoding="utf-8")
    (about / "entry_points.txt").write_text("[permtree.parsers]\nfaulty = faulty:Faulty\n", encoding="utf-8")
    return {"PYTHONPATH": os.pathsep.join([str(site), *sys.path[1:]]), "ONCE": str(folder / "once")}


class Marked:
    """Processes that can be found again by a mark in their environment, and the children of them."""

    def __init__(self, environment: dict[str, str] | None = None):
        self.mark = f"PERMTREE_TEST={uuid.uuid4()}"
        name, _, value = self.mark.partition("=")
        self.environment = {**os.environ, **(environment or {}), name: value}

    def start(
        self, *arguments: str | Path, cwd: Path | None = None, before: Iterable[str] = (), **options
    ) -> subprocess.Popen[str]:
        """Start `permtree`, which goes on beside the test. before: of the command, such as another one that runs it."""
        streams = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
        command = [*before, *PERMTREE, *map(str, arguments)]
        return subprocess.Popen(command, cwd=cwd, env=self.environment, text=True, **{**streams, **options})

    def alive(self) -> list[int]:
        """The ids of those that are still there."""
        found = []
        for path in Path("/proc").glob("[0-9]*/environ"):
            try:
                if self.mark.encode() in path.read_bytes().split(b"\0"):
                    found.append(int(path.parent.name))
            except OSError:
                pass  # of somebody else, or gone
        return found


def run(
    *arguments: str | Path, env: dict[str, str] | None = None, cwd: Path | None = None, status: int = 0, **options
) -> Done:
    """Run `permtree` to its end; no process of it must be left."""
    marked = Marked(env)
    process = marked.start(*arguments, cwd=cwd, **options)
    out, err = process.communicate(timeout=120)
    assert process.returncode == status, err
    assert "Traceback" not in err
    assert not marked.alive()
    return Done(process.returncode, out.encode(), err)


def results_in(folder: Path) -> dict[str, bytes]:
    """All that a study is: cells, tables and database; not the log, nor what is kept for a run that goes on."""
    files = (path for path in sorted(folder.rglob("*")) if path.is_file())
    found = {path.relative_to(folder).as_posix(): path.read_bytes() for path in files}
    others = ("lock", "log.jsonl", "failed/", "training/")
    return {name: data for name, data in found.items() if not name.startswith(others)}
