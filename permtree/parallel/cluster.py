"""A Dask cluster as a place to work, seen through `concurrent.futures`: nothing else in permtree knows of Dask.

Dask runs a task again when its worker dies, so tasks have to be pure functions. A worker may run several in threads.
"""

from __future__ import annotations

import logging
import threading
import time
import warnings
from collections.abc import Callable, Iterator
from concurrent.futures import Executor, Future, InvalidStateError, ThreadPoolExecutor
from concurrent.futures import wait as wait_for
from contextlib import contextmanager, suppress
from functools import partial
from typing import Any

from .._version import __version__
from ..errors import PermtreeError, UsageError
from ..types import Tell

CONNECT = 10  # seconds until there is no scheduler
PATIENCE = 60.0  # seconds without any worker until there is none
INTERVAL = 1.0  # seconds between looks at the workers
_LOGGERS = ("distributed", "distributed.client", "tornado", "tornado.application")


class TaskLost(UsageError):
    """A task that can't be computed on this cluster, where others still may be."""


class Cluster:
    """The workers of a scheduler; made by `connected`."""

    def __init__(self, client: Any, address: str, patience: float):
        self.address = address
        self._client = client
        self._patience = patience
        self._workers: list[dict[str, Any]] = []
        self._executors: list[_OnWorkers] = []
        self._closing = threading.Event()

    @property
    def slots(self) -> int:
        """How many tasks run at once: threads of all workers, at least 1. Follows workers that come and go."""
        return max(1, sum(worker["nthreads"] for worker in self._workers))

    def executor(self, **resources: float) -> Executor:
        """A place to submit pure functions of what can be pickled; tasks ask for resources of a worker (GPU=1).

        What a task raises comes out of `Future.result()`. UsageError there says that no worker was left for a minute,
        or that the scheduler is gone; TaskLost, which is one, that workers died one after the other of the task, or
        that none has the resources.
        """
        executor = _OnWorkers(self, self._client, resources)
        self._executors.append(executor)
        return executor

    def _look(self) -> None:
        """See which workers there are."""
        self._workers = list(self._client.scheduler_info(n_workers=-1)["workers"].values())

    def _fitting(self, resources: dict[str, float]) -> bool:
        """Whether a worker has these resources."""
        return any(
            all(worker["resources"].get(name, 0) >= amount for name, amount in resources.items())
            for worker in self._workers
        )

    def _await_workers(self, tell: Tell) -> None:
        """Return as soon as there is a worker."""
        end = time.monotonic() + self._patience
        self._look()
        if not self._workers:
            tell(f"waiting for workers of {self.address}")
        while not self._workers:
            if time.monotonic() > end:
                raise UsageError(f"{self.address} has no workers; start some: dask worker {self.address} --nthreads 1")
            time.sleep(min(INTERVAL, self._patience / 4))
            self._look()

    def _check_versions(self) -> None:
        """UsageError where a worker has another permtree or Python than this process."""

        def versions() -> tuple[
            str, str
        ]:  # within a function, so that it is sent itself: permtree may be missing there
            import platform

            import permtree

            return ".".join(platform.python_version_tuple()[:2]), permtree.__version__

        ours = versions()
        try:
            found = {"the scheduler": self._client.run_on_scheduler(versions)}
        except ImportError as error:
            found = {"the scheduler": error}
        workers = self._client.run(versions, on_error="return")
        found |= {f"the worker {address}": answer for address, answer in workers.items()}
        for who, answer in found.items():
            if isinstance(answer, OSError):  # gone in the meantime
                continue
            if isinstance(answer, Exception):
                raise UsageError(f"{who} has no permtree: install {__version__} there, too ({answer})")
            if tuple(answer) != ours:
                raise UsageError(
                    f"{who} has permtree {answer[1]} on Python {answer[0]}, and this process {ours[1]} on {ours[0]}: "
                    "install the same versions everywhere"
                )

    @contextmanager
    def _watched(self) -> Iterator[None]:
        """Tasks that no worker is left for fail after a while, instead of waiting for ever."""
        watcher = threading.Thread(target=self._watch, name="permtree-workers", daemon=True)
        watcher.start()
        try:
            yield
        finally:
            self._closing.set()
            watcher.join()

    def _watch(self) -> None:
        while not self._closing.wait(min(INTERVAL, self._patience / 4)):
            try:
                self._look()
            except Exception:  # the scheduler is gone: Dask cancels all tasks
                continue
            for executor in self._executors:
                executor.look(self._fitting(executor.resources), self._patience)


class _OnWorkers(Executor):
    """Futures of our own beside Dask's, since Dask's wait for ever when there are no workers."""

    def __init__(self, cluster: Cluster, client: Any, resources: dict[str, float]):
        self.resources = resources
        self._cluster = cluster
        self._dask = client.get_executor(pure=False, resources=resources or None)
        self._running: dict[Future, Future] = {}  # ours, and Dask's
        self._seen = time.monotonic()  # when there was a worker for it

    def submit(self, function: Callable[..., Any], /, *arguments: Any, **named: Any) -> Future:
        from cloudpickle import dumps

        task = dumps((function, arguments, named))  # bytes, in which Dask looks for no tasks and keys of its own
        ours: Future = Future()
        try:
            theirs = self._dask.submit(_run, __version__, task)
        except Exception:  # of many kinds, if the scheduler is gone
            raise UsageError(f"the connection to {self._cluster.address} was lost") from None
        self._running[ours] = theirs
        ours.add_done_callback(self._settled)
        theirs.add_done_callback(partial(_pass_on, ours, self._cluster.address))
        return ours

    def _settled(self, ours: Future) -> None:
        theirs = self._running.pop(ours, None)
        if ours.cancelled():
            ours.set_running_or_notify_cancel()
            if theirs:
                theirs.cancel()

    def look(self, fitting: bool, patience: float) -> None:
        """Told at times whether there is a worker for its tasks."""
        if fitting:
            self._seen = time.monotonic()
        elif time.monotonic() - self._seen > patience:
            what = _workers(self.resources)
            kind = TaskLost if self.resources else UsageError  # others may do without these resources
            lost = kind(f"{self._cluster.address} has had no {what} for {patience:g} seconds; start some again")
            for ours in list(self._running):
                with suppress(InvalidStateError):
                    ours.set_exception(lost)

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        if cancel_futures:
            for future in list(self._running):
                future.cancel()
        if wait:
            wait_for(list(self._running))


def _workers(resources: dict[str, float]) -> str:
    return " with ".join(["workers", *(f"{name}={amount:g}" for name, amount in resources.items())])


def _run(version: str, task: bytes) -> tuple[Any, PermtreeError | None]:
    """On a worker: the result of a task, or the error that it raised on purpose, of which Dask needn't know."""
    from pickle import loads

    if version != __version__:  # a worker that came later
        return None, UsageError(f"a worker has permtree {__version__}; install {version} there as here")
    function, arguments, named = loads(task)
    try:
        return function(*arguments, **named), None
    except PermtreeError as error:
        return None, error


def _pass_on(ours: Future, address: str, theirs: Future) -> None:
    """Give the outcome of Dask's future to ours."""
    if ours.done():
        return
    with suppress(InvalidStateError):  # cancelled at this very moment
        if theirs.cancelled():
            ours.set_exception(UsageError(f"the connection to {address} was lost"))
            return
        fault = theirs.exception()
        if type(fault).__name__ == "KilledWorker":
            fault = TaskLost(f"several workers of {address} died while they did the same task; is their memory full?")
        if fault is None:
            result, fault = theirs.result()
        if fault is None:
            ours.set_result(result)
        else:
            ours.set_exception(fault)


@contextmanager
def connected(
    address: str,
    *,
    tell: Tell = lambda line: None,
    patience: float = PATIENCE,
) -> Iterator[Cluster]:
    """The cluster of the Dask scheduler at `address` (such as "tcp://127.0.0.1:8786"), until the block ends.

    tell: is told in a line when there are no workers yet. patience: seconds to wait for workers, and for the return of
    them later.
    Raises UsageError in one line: Dask is not installed; no scheduler; no workers; other versions there than here.
    """
    try:
        import dask
        import distributed
    except ImportError:
        raise UsageError("Dask is not installed: pip install 'permtree[dask]'") from None
    # a warning is due where data is sent again and again; each of our tasks has its own
    with _silenced(), dask.config.set({"distributed.admin.large-graph-warning-threshold": "1 TB"}):
        _knock(address)
        with warnings.catch_warnings():  # that versions differ which may; those that may not are looked at below
            warnings.simplefilter("ignore")
            client = distributed.Client(address, timeout=CONNECT, set_as_default=False)
        with client:
            cluster = Cluster(client, address, patience)
            cluster._await_workers(tell)
            cluster._check_versions()
            with cluster._watched():
                yield cluster


def _knock(address: str) -> None:
    """UsageError if no scheduler answers; a client that finds none would leave its thread behind."""
    import asyncio

    import distributed

    async def ask() -> None:
        keys = distributed.Security().get_connection_args("client")  # of TLS, where Dask's configuration has them
        async with distributed.rpc(address, timeout=CONNECT, connection_args=keys) as scheduler:
            await asyncio.wait_for(scheduler.identity(), CONNECT)

    try:
        with ThreadPoolExecutor(1) as pool:  # not in this thread, where a notebook has its own loop
            pool.submit(lambda: asyncio.run(ask())).result()
    except Exception as fault:  # whatever listens there may answer anything
        why = (str(fault) or type(fault).__name__).splitlines()[0]
        raise UsageError(f"no Dask scheduler answers at '{address}': {why}") from None


@contextmanager
def _silenced() -> Iterator[None]:
    """Nothing of Dask's own log on standard error."""
    loggers = [logging.getLogger(name) for name in _LOGGERS]
    levels = [logger.level for logger in loggers]
    for logger in loggers:
        logger.setLevel(logging.CRITICAL + 1)
    try:
        yield
    finally:
        for logger, level in zip(loggers, levels, strict=True):
            logger.setLevel(level)
