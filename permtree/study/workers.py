"""What computes a cell on this machine, and says why it failed: if a process dies, its cell fails and no other."""

from __future__ import annotations

import errno
import traceback
from concurrent.futures import Future
from dataclasses import dataclass

from ..errors import PermtreeError
from ..parallel.processes import ProcessPool
from .computing import Outcome, Task, compute


@dataclass(frozen=True)
class Failure:
    """Why a cell could not be computed: one line, and the trace for who wants to know more. full: for want of room."""

    message: str
    trace: str = ""
    full: bool = False


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


class LocalPool:
    """Processes of this machine, each a fresh Python, started when there is first something to do."""

    def __init__(self, count: int):
        self.most = count  # tasks at a time
        self._processes = ProcessPool(count, spawned=True)

    def submit(self, task: Task, gpu: bool = False) -> Future[Outcome | Failure]:
        """Begin with a task. The result raises WorkerDied if its process dies."""
        return self._processes.submit(attempt, task)

    def close(self) -> None:
        """End all processes, whatever they are at."""
        self._processes.shutdown()
