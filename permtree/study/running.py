"""Run a study: cells go to workers, what comes back is stored, what fails is told, and the others go on."""

from __future__ import annotations

import time
import traceback
from collections import Counter, deque
from collections.abc import Iterable
from concurrent.futures import FIRST_COMPLETED, Future, wait
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Protocol

from ..errors import PermtreeError
from ..parallel.cluster import TaskLost
from ..parallel.processes import WorkerDied
from ..types import Tell
from .cells import Cell, Grid
from .computing import Outcome, Task, task_of
from .store import Store
from .workers import Failure, in_a_line

ATTEMPTS = 2  # for a cell whose worker dies


class Pool(Protocol):
    """Where tasks are computed."""

    @property
    def most(self) -> int:
        """How many tasks are given to it at a time."""

    def submit(self, task: Task, gpu: bool = False) -> Future[Outcome | Failure]:
        """Begin with a task. gpu: it needs one.

        The result raises WorkerDied where the cell may be tried again, TaskLost where it may not, and other errors of
        permtree where nothing more can be computed.
        """


@dataclass
class Summary:
    """What a run did. known: cells that were done; failed: cells and the reason; waiting: cells that need one of those;
    lost: cells that there was no room for; full: where not."""

    known: int = 0
    computed: int = 0
    failed: list[tuple[Cell, str]] = field(default_factory=list)
    waiting: int = 0
    lost: int = 0
    full: str = ""


def run_cells(cells: Iterable[Cell], grid: Grid, store: Store, pool: Pool, tell: Tell, warn: Tell) -> Summary:
    """Compute what is not done yet of some cells, which come after those they need.

    `tell` gets a line for each, `warn` for each that fails. Raises what the pool raises when it is lost.
    """
    return _Run(list(cells), grid, store, pool, tell, warn).finished()


class _Run:
    def __init__(self, cells: list[Cell], grid: Grid, store: Store, pool: Pool, tell: Tell, warn: Tell):
        self.grid, self.store, self.pool, self.tell, self.warn = grid, store, pool, tell, warn
        todo = {cell.key: cell for cell in cells if not store.has(cell)}
        self.summary = Summary(known=len(cells) - len(todo))
        self.total = len(todo)
        self.needs = {key: {one.key for one in cell.inputs.values()} & set(todo) for key, cell in todo.items()}
        self.needed_by: dict[str, list[Cell]] = {key: [] for key in todo}
        for key, needs in self.needs.items():
            for other in needs:
                self.needed_by[other].append(todo[key])
        self.ready = deque(cell for key, cell in todo.items() if not self.needs[key])
        self.flying: dict[Future[Outcome | Failure], tuple[Cell, float]] = {}
        self.deaths: Counter[str] = Counter()

    def finished(self) -> Summary:
        """Go on until nothing is left that can be computed."""
        while self.ready or self.flying:
            while self.ready and len(self.flying) < self.pool.most and not self.summary.full:
                self._begin(self.ready.popleft())
            if not self.flying:
                break
            for future in wait(self.flying, return_when=FIRST_COMPLETED).done:
                self._end(future)
        done = self.summary.computed + len(self.summary.failed) + self.summary.lost
        self.summary.waiting = self.total - done
        return self.summary

    def _begin(self, cell: Cell) -> None:
        try:
            inputs = {name: self.store.files(one) for name, one in cell.inputs.items()}
            task = task_of(cell, self.grid.study, inputs, self.store.scratch(cell) if cell.kind == "train" else None)
        except PermtreeError as error:
            self._failed(cell, Failure(str(error)))
            return
        except OSError as fault:  # what was there when the run began is gone
            self._failed(cell, Failure(f"{fault.filename}: {fault.strerror}"))
            return
        gpu = cell.kind in ("train", "predict") and task.given["device"] == "cuda"
        self.flying[self.pool.submit(task, gpu)] = cell, time.monotonic()

    def _end(self, future: Future[Outcome | Failure]) -> None:
        cell, began = self.flying.pop(future)
        try:
            outcome = future.result()
        except WorkerDied as death:
            self.deaths[cell.key] += 1
            if self.deaths[cell.key] < ATTEMPTS:
                self.warn(f"{cell}: {death}; once more")
                self.ready.appendleft(cell)
            else:
                self._failed(cell, Failure(str(death)))
            return
        except TaskLost as lost:
            self._failed(cell, Failure(str(lost)))
            return
        except PermtreeError:
            raise
        except Exception as error:  # what travels to or from the process can't
            self._failed(cell, Failure(in_a_line(error), traceback.format_exc()))
            return
        if isinstance(outcome, Failure) and outcome.full:
            self._full(outcome.message)
        elif isinstance(outcome, Failure):
            self._failed(cell, outcome)
        else:
            self._store(cell, outcome, time.monotonic() - began)

    def _store(self, cell: Cell, outcome: Outcome, seconds: float) -> None:
        try:
            self.store.put(cell, outcome)
        except OSError as fault:
            self._full(f"{self.store.folder}: {fault.strerror or fault}")
            return
        with suppress(OSError):
            told = {"told": outcome.told} if outcome.told else {}
            self.store.log({"cell": str(cell), "key": cell.key, "seconds": round(seconds, 2), **told})
        self.store.drop_scratch(cell)
        self.summary.computed += 1
        done = self.summary.computed + len(self.summary.failed)
        for line in outcome.told:
            self.tell(f"{cell}: {line}")
        self.tell(f"[{done}/{self.total}] {cell}{_shown(outcome)}: {seconds:.1f} s")
        for other in reversed(self.needed_by[cell.key]):  # what uses a model comes before the next training
            self.needs[other.key].discard(cell.key)
            if not self.needs[other.key]:
                self.ready.appendleft(other)

    def _full(self, where: str) -> None:
        self.summary.full = self.summary.full or where
        self.summary.lost += 1

    def _failed(self, cell: Cell, failure: Failure) -> None:
        self.summary.failed.append((cell, failure.message))
        where = self.store.put_trace(cell, failure.trace) if failure.trace else None
        self.warn(f"FAILED {cell}: {failure.message}" + (f" (see {where})" if where else ""))


def _shown(outcome: Outcome) -> str:
    scores = outcome.value.get("scores")
    return f": UAS {scores['uas'][0]:.1f}, LAS {scores['las'][0]:.1f}" if scores else ""


def told(summary: Summary) -> list[str]:
    """What a run did, in lines."""
    lines = [f"{summary.computed} cells computed, {summary.known} known already"]
    if summary.failed:
        waiting = "" if summary.full else f", {summary.waiting} more wait for them"
        lines.append(f"{len(summary.failed)} failed{waiting}; run again to try them again")
    if summary.full:
        lines.append(
            f"{summary.full}: what was stored is kept, {summary.lost + summary.waiting} cells are left; make room and "
            "run again"
        )
    return lines
