"""Processes of this machine that do tasks: one that dies is an error and never a wait, none outlives its parent."""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from contextlib import contextmanager
from multiprocessing import resource_tracker
from multiprocessing.connection import Connection
from typing import Any

from ..errors import PermtreeError


class WorkerDied(PermtreeError):
    """The process that was at work on a task is gone."""


def cores() -> int:
    """How many processes can be at work at once here."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


class ProcessPool(Executor):
    """As many processes as `count`. The result of a task whose process dies is WorkerDied; the others go on.

    spawned: each process is a fresh Python, started when there is first something to do (libraries that have threads
    are left behind in any state by a fork); otherwise they are started at once, the way that is usual on this machine.
    """

    def __init__(self, count: int, spawned: bool = False):
        self.most = count  # tasks at a time
        self._context = multiprocessing.get_context("spawn" if spawned else None)
        self._lock = threading.Lock()  # so that no process is started while others are, or inherits a line of theirs
        self._closed = False
        self._started: list[_Worker] = []
        self._idle: list[_Worker] = []
        if not spawned:  # before there are threads, which a fork would leave behind
            self._started = [_Worker(self._context) for _ in range(count)]
            self._idle = [*self._started]
        self._threads = ThreadPoolExecutor(count)  # each waits for a process

    def submit(self, function: Callable[..., Any], /, *args: Any, **named: Any) -> Future[Any]:
        """Begin with function(*args, **named), all of which must be able to travel."""
        return self._threads.submit(self._in_a_process, (function, args, named))

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = True) -> None:
        """End all processes, whatever they are at."""
        with self._lock:
            self._closed = True
            for worker in self._started:
                worker.kill()
        self._threads.shutdown(wait, cancel_futures=cancel_futures)

    def _in_a_process(self, task: Any) -> Any:
        with self._lock:
            if self._closed:
                raise WorkerDied("the run has ended")
            if not self._idle:
                self._idle.append(_Worker(self._context))
                self._started.append(self._idle[-1])
            worker = self._idle.pop()
        sound, result = worker.ask(task)
        self._idle.append(worker)
        if sound:
            return result
        raise result


class _Worker:
    """One process and the line to it."""

    def __init__(self, context: Any) -> None:
        self._line, other = context.Pipe()
        self._process = context.Process(target=_serve, args=(other,), daemon=True)
        if context.get_start_method() != "fork":
            resource_tracker.ensure_running()  # which would start with the process, and then let signals through
        with _interrupts_blocked():
            self._process.start()
        other.close()

    def ask(self, task: Any) -> Any:
        """Do a task there. Raises WorkerDied if the process dies."""
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
    """What a process does until its parent is gone or ends it."""
    signal.signal(signal.SIGTERM, signal.SIG_DFL)  # a fork has the parent's way of ending, by an exception
    threading.Thread(target=_end_with_parent, daemon=True).start()
    while True:
        try:
            function, args, named = line.recv()
        except (EOFError, OSError):
            return
        try:
            answer = True, function(*args, **named)
        except Exception as error:
            answer = False, error
        try:
            line.send(answer)
        except OSError:
            return  # the parent is gone
        except Exception as fault:  # what can't travel
            what = fault if answer[0] else answer[1]
            line.send((False, RuntimeError(f"{type(what).__name__}: {what}")))


def _end_with_parent() -> None:
    """A parent that was killed can't end its processes."""
    parent = multiprocessing.parent_process()
    assert parent is not None
    parent.join()
    os._exit(1)
