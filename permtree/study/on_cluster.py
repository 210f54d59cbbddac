"""Cells on a Dask cluster: results come back to the machine that runs the study, which alone stores them."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import Future
from contextlib import contextmanager
from dataclasses import replace

from ..parallel.cluster import Cluster, connected
from ..types import Tell
from .computing import Outcome, Task
from .workers import Failure, attempt


class _ClusterPool:
    def __init__(self, cluster: Cluster):
        self._cluster = cluster
        self._any = cluster.executor()
        self._gpu = cluster.executor(GPU=1)

    @property
    def most(self) -> int:
        """Tasks at a time: some more than there are threads, so that those that wait for a GPU don't keep others back;
        workers may come and go."""
        return 4 * self._cluster.slots

    def submit(self, task: Task, gpu: bool = False) -> Future[Outcome | Failure]:
        """Begin with a task. A GPU is a resource that workers are started with (--resources GPU=1)."""
        return (self._gpu if gpu else self._any).submit(attempt, replace(task, scratch=None))


@contextmanager
def cluster_pool(address: str, tell: Tell) -> Iterator[_ClusterPool]:
    """A pool of the workers of a Dask cluster, by the address of its scheduler. tell: called while there are none."""
    with connected(address, tell=tell) as cluster:
        yield _ClusterPool(cluster)
