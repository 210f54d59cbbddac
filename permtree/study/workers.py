"""Processes that compute cells on this machine: if one dies, its cell fails and no other; none outlives the run."""

from __future__ import annotations

import errno
import multiprocessing
import os
import signal
import threading
import traceback
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from multiprocessing import resource_tracker
from multiprocessing.connection import Connection
from typing import Any

from ..errors import PermtreeError
from .computing import Outcome, Task, compute


@dataclass(frozen=True)
class Failure:
    """Why a cell could not be computed: one line, and the trace for who wants to know more. full: for want of room."""

    message: str
    trace: str = ""
    full: bool = False


class WorkerDied(Exception):
    """The process that computed a cell is gone."""


def attempt(task: Task) -> Outcome | Failure:
    """Compute a cell; what goes wrong comes back as a line, since errors of some libraries can't travel."""
    try:
        return compute(task)
    except PermtreeError as error:
        return Failure(str(error))
    except Exception as error:
        if isinstance(error, OSError) and error.errno in _NO_ROOM:
            return Failure(f"{error.filename or 'a temporary folder'}: {error.strerror}", full=True)
        return Failure(in_a_line(error), traceback.format_exc())


_NO_ROOM = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)


def in_a_line(error: Exception) -> str:
    """What is wrong, for people, of an error that nobody raised on purpose."""
    what = str(error).strip().splitlines()
    return f"{type(error).__name__}: {what[0] if what else 'no message'}"


class ProcessPool:
    """As many processes as `count`, each started when there is first something to do."""

    def __init__(self, count: int):
        self.most = count  # tasks at a time
        self._threads = ThreadPoolExecutor(count)  # each has a process of its own, and waits for it
        self._own = threading.local()
        self._started: list[_Worker] = []
        self._closed = False
        self._lock = threading.Lock()  # so that `close` misses no process that is just being started

    def submit(self, task: Task, gpu: bool = False) -> Future[Outcome | Failure]:
        """Begin with a task. The result raises WorkerDied if its process dies."""
        return self._threads.submit(self._in_own_process, task)

    def close(self) -> None:
        """End all processes, whatever they are at."""
        with self._lock:
            self._closed = True
            for worker in self._started:
                worker.kill()
        self._threads.shutdown(wait=True, cancel_futures=True)

    def _in_own_process(self, task: Task) -> Outcome | Failure:
        worker = getattr(self._own, "worker", None)
        if worker is None:
            with self._lock:
                if self._closed:
                    raise WorkerDied("the run has ended")
                worker = self._own.worker = _Worker()
                self._started.append(worker)
        try:
            return worker.ask(task)
        except WorkerDied:
            self._own.worker = None
            raise


class _Worker:
    """One process and the line to it."""

    def __init__(self) -> None:
        # spawned, not forked: the libraries of parsers have threads, which a fork leaves behind in any state
        context = multiprocessing.get_context("spawn")
        self._line, other = context.Pipe()
        self._process = context.Process(target=_serve, args=(other,), daemon=True)
        resource_tracker.ensure_running()  # which would start with the process, and then let signals through
        with _interrupts_blocked():
            self._process.start()
        other.close()

    def ask(self, task: Task) -> Any:
        """Compute a task there. Raises WorkerDied if the process dies."""
        try:
            self._line.send(task)
            while not self._line.poll(1.0):
                if self._process.exitcode is not None:  # and a process that it started keeps the line open
                    raise EOFError
            return self._line.recv()
        except (EOFError, OSError):
            self._process.join(5)
            self.kill()
            status = self._process.exitcode or 0
            if status >= 0:
                raise WorkerDied(f"its process ended with status {status}") from None
            name = signal.Signals(-status).name if -status in set(signal.Signals) else f"signal {-status}"
            hint = "; is there enough memory?" if name == "SIGKILL" else ""
            raise WorkerDied(f"its process was killed by {name}{hint}") from None

    def kill(self) -> None:
        self._process.kill()
        self._process.join()


@contextmanager
def _interrupts_blocked() -> Iterator[None]:
    """A process that is started inherits what is blocked: a Ctrl-C is for the parent, which ends its processes."""
    if not hasattr(signal, "pthread_sigmask"):  # on Windows
        yield
        return
    blocked = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, blocked)


def _serve(line: Connection) -> None:
    threading.Thread(target=_end_with_parent, daemon=True).start()
    while True:
        try:
            task = line.recv()
        except EOFError:
            return
        line.send(attempt(task))


def _end_with_parent() -> None:
    """A parent that was killed can't end its processes."""
    parent = multiprocessing.parent_process()
    assert parent is not None
    parent.join()
    os._exit(1)
