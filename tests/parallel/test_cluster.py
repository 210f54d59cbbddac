"""A real cluster of two processes: what may be wrong with it is one line, and it can't be reached from outside."""

from __future__ import annotations

import logging
import os
import socket
import subprocess
import sys
import threading
import time
import warnings
from collections.abc import Iterator
from concurrent.futures import CancelledError, Future, wait
from concurrent.futures import TimeoutError as TooLate
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from places import ROOT

from permtree import DataError, UsageError
from permtree.errors import Finding
from permtree.parallel import cluster
from permtree.parallel.cluster import connected

distributed = pytest.importorskip("distributed", reason="Dask is not installed: pip install 'permtree[dask]'")


@pytest.fixture(scope="module")
def local() -> Iterator[Any]:
    with distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None, silence_logs=logging.CRITICAL
    ) as local:
        yield local


@pytest.fixture(scope="module")
def address(local) -> str:
    return local.scheduler_address


def fail(message: str) -> None:
    raise DataError(Finding("E1", "file", 3, message))


# -- connections ---------------------------------------------------------------------------------------------------


def test_tasks_are_done_on_the_workers(address):
    with connected(address) as found:
        assert found.slots == 2
        with found.executor() as executor:
            assert list(executor.map(pow, range(5), [2] * 5)) == [0, 1, 4, 9, 16]
            assert executor.submit(os.getpid).result() != os.getpid()
            assert executor.submit(int, "z", base=36).result() == 35


def test_what_looks_like_a_task_of_dask_is_not_done(address):
    with connected(address) as found:
        task = (len, "abc")
        assert found.executor().submit(repr, [task, {"x": task}]).result() == repr([task, {"x": task}])


def test_large_values_pass_without_a_word(address):
    data = b"x" * 20_000_000
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with connected(address) as found:
            assert found.executor().submit(bytes.upper, data).result() == data.upper()


def test_errors_arrive_as_they_were_raised(address):
    with connected(address) as found:
        executor = found.executor()
        with pytest.raises(DataError) as caught:
            executor.submit(fail, "x" * 20000).result()
        assert str(caught.value) == "file:3: " + "x" * 20000
        with pytest.raises(ZeroDivisionError):
            executor.submit(divmod, 1, 0).result()


def test_tasks_can_be_cancelled(address):
    with connected(address) as found:
        executor = found.executor()
        future = executor.submit(time.sleep, 1)
        assert future.cancel()
        assert wait([future], 5).done == {future}
        with pytest.raises(CancelledError):
            future.result()
        assert executor.submit(abs, -1).result() == 1


def test_nothing_is_left_behind(address):
    def own() -> list[str]:
        return sorted(thread.name for thread in threading.enumerate() if not thread.name.startswith(("Dask-", "Async")))

    threads, filters = own(), warnings.filters[:]
    for _ in range(2):
        with connected(address) as found:
            found.executor().submit(abs, -1).result()
    with pytest.raises(UsageError), connected("nonsense"):
        pass
    assert own() == threads
    assert warnings.filters[:] == filters


# -- what may be wrong ---------------------------------------------------------------------------------------------


@pytest.fixture
def hurry(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cluster, "CONNECT", 0.5)


@pytest.mark.parametrize("wrong", ["127.0.0.1:9", "nonsense", "foo://x:1", ""], ids=["port", "name", "scheme", "empty"])
@pytest.mark.usefixtures("hurry")
def test_no_scheduler_is_one_line(wrong):
    with pytest.raises(UsageError, match=f"^no Dask scheduler answers at '{wrong}': [^\n]+$"), connected(wrong):
        pass


@pytest.mark.usefixtures("hurry")
def test_something_else_that_listens_is_no_scheduler():
    with socket.socket() as silent:
        silent.bind(("127.0.0.1", 0))
        silent.listen()
        with pytest.raises(UsageError, match="no Dask scheduler answers"):
            with connected(f"127.0.0.1:{silent.getsockname()[1]}"):
                pass


def test_workers_are_waited_for_in_vain():
    said: list[str] = []
    with distributed.LocalCluster(
        n_workers=0, processes=True, dashboard_address=":0", silence_logs=logging.CRITICAL
    ) as empty:
        address = empty.scheduler_address
        with pytest.raises(UsageError, match=f"^{address} has no workers; start some: dask worker {address} "):
            with connected(address, tell=said.append, patience=0.5):
                pass
    assert said == [f"waiting for workers of {address}"]


def test_a_task_that_no_worker_is_left_for_fails(address):
    with connected(address, patience=0.5) as found:
        with pytest.raises(UsageError, match="has had no workers with GPU=1 for 0.5 seconds"):
            found.executor(GPU=1).submit(abs, -1).result(10)
        assert found.executor().submit(abs, -1).result() == 1


SCHEDULER = """
import sys
from distributed import LocalCluster
if __name__ == "__main__":
    with LocalCluster(n_workers=1, threads_per_worker=1, processes=False, dashboard_address=None, protocol="tcp://",
                      resources={"GPU": 1}) as local:
        print(local.scheduler_address, flush=True)
        sys.stdin.read()
"""


@pytest.fixture
def other() -> Iterator[tuple[subprocess.Popen, str]]:
    """A cluster in a process of its own, with a worker that has a GPU, and its address."""
    running = subprocess.Popen([sys.executable, "-c", SCHEDULER], stdin=-1, stdout=-1, stderr=-3, text=True)
    assert running.stdout
    yield running, running.stdout.readline().strip()
    running.kill()
    running.communicate()


@pytest.mark.usefixtures("hurry")
def test_tasks_go_to_the_workers_with_their_resource_and_a_lost_scheduler_is_one_line(other):
    running, address = other
    with connected(address) as found:
        assert found.executor(GPU=1).submit(abs, -1).result(10) == 1
        executor = found.executor()
        future: Future = executor.submit(time.sleep, 60)
        with pytest.raises(TooLate):
            future.result(0.2)
        running.kill()
        with pytest.raises(UsageError, match="^the connection to .* was lost$"):
            future.result(20)
        with pytest.raises(UsageError, match="^the connection to .* was lost$"):
            executor.submit(abs, -1).result(20)


@contextmanager
def other_version(address: str) -> Iterator[None]:
    """One of the workers says that it has another permtree."""
    set_it = "import permtree, permtree.parallel.cluster as cluster; cluster.__version__ = permtree.__version__ = "
    with distributed.Client(address, set_as_default=False) as client:
        client.run(exec, set_it + "permtree.__version__ + '.other'", workers=[next(iter(client.nthreads()))])
        try:
            yield
        finally:
            client.run(exec, set_it + "permtree.__version__.removesuffix('.other')")


def test_a_worker_with_another_version_is_named(address):
    with other_version(address):
        with pytest.raises(
            UsageError, match=r"^the worker tcp://\S+ has permtree \S+\.other on Python 3\.\d+, and this"
        ):
            with connected(address):
                pass


def test_a_worker_with_another_version_that_comes_later_does_nothing(address):
    with connected(address) as found, other_version(address):
        futures = [found.executor().submit(time.sleep, 0.2) for _ in range(4)]
        faults = {str(future.exception()) for future in futures}
        (told,) = faults - {"None"}
        assert told.startswith("a worker has permtree ") and ".other" in told


@pytest.fixture
def without_permtree(address) -> Iterator[None]:
    """A worker that can't import permtree: None in sys.modules says so."""
    hide = "import sys; hidden = {n: sys.modules.pop(n) for n in [*sys.modules] if n.split('.')[0] == 'permtree'}; "
    hide += "sys.modules['permtree'] = None; sys.hidden = hidden"
    with distributed.Client(address, set_as_default=False) as client:
        client.run(exec, hide, workers=[next(iter(client.nthreads()))])
        yield
        client.run(exec, "import sys; sys.modules.pop('permtree', 0); sys.modules.update(getattr(sys, 'hidden', {}))")


@pytest.mark.usefixtures("without_permtree")
def test_a_worker_without_permtree_is_named(address):
    with pytest.raises(UsageError, match=r"^the worker tcp://\S+ has no permtree: install"), connected(address):
        pass


def test_without_dask_the_way_out_is_told(monkeypatch):
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(UsageError, match=r"pip install 'permtree\[dask\]'"), connected("tcp://127.0.0.1:9"):
        pass


def test_registries_are_whole_for_every_thread():
    code = """
from concurrent.futures import ThreadPoolExecutor
import sys
sys.setswitchinterval(1e-6)
from permtree.measures import MEASURES
from permtree.permuters import PERMUTERS
with ThreadPoolExecutor(16) as pool:
    for registry in (MEASURES, PERMUTERS):
        found = list(pool.map(lambda _: tuple(registry.names()), range(64)))
        assert set(found) == {tuple(registry.names())}, {len(names) for names in found}
"""
    subprocess.run([sys.executable, "-c", code], check=True)


# -- the recipes of the page -----------------------------------------------------------------------------------------


def recipe(title: str) -> list[list[str]]:
    """The commands of docs/clusters.md under a heading that go on in the background."""
    text = (
        (ROOT / "docs" / "clusters.md").read_text(encoding="utf-8").partition(f"## {title}\n")[2].partition("\n## ")[0]
    )
    lines = [line.strip() for line in text.splitlines() if line.startswith("    dask ")]
    return [line.removesuffix("&").split() for line in lines]


def listening(process: subprocess.Popen) -> set[str]:
    """The addresses at which a process and those that it started listen."""
    import psutil

    parent = psutil.Process(process.pid)
    found = [one for own in (parent, *parent.children(recursive=True)) for one in own.net_connections("inet")]
    return {one.laddr.ip for one in found if one.status == psutil.CONN_LISTEN}


@pytest.mark.long
def test_the_recipe_for_one_machine_listens_on_this_machine_alone(tmp_path: Path):
    """No worker's port, which runs what it is sent, and no dashboard can be reached from outside."""
    commands = recipe("One machine")
    assert [command[1] for command in commands] == ["scheduler", "worker"]
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = str(free.getsockname()[1])
    running = []
    try:
        for command in commands:
            own = [part.replace("8786", port) for part in command[1:]]
            code = "import sys; from distributed.cli import dask_scheduler, dask_worker; " + (
                f"dask_{own[0]}.main(sys.argv[1:])"
            )
            running.append(subprocess.Popen([sys.executable, "-c", code, *own[1:]], cwd=tmp_path, stdout=-3, stderr=-3))
        end = time.monotonic() + 60
        while socket.socket().connect_ex(("127.0.0.1", int(port))):
            assert time.monotonic() < end and running[0].poll() is None
            time.sleep(0.2)
        with connected(f"tcp://127.0.0.1:{port}") as found:
            while found.slots < 2 and time.monotonic() < end:
                time.sleep(0.2)
                found._look()
            assert found.slots == 2
            assert found.executor().submit(abs, -1).result(30) == 1
            seen = [listening(process) for process in running]
        assert seen == [{"127.0.0.1"}] * 2
    finally:
        for process in reversed(running):
            process.terminate()
        for process in running:
            process.wait(30)


def test_every_recipe_names_where_it_listens():
    """On one machine at 127.0.0.1; on several by TLS, or within a network that the page speaks of."""
    page = (ROOT / "docs" / "clusters.md").read_text(encoding="utf-8")
    for command in recipe("One machine"):
        assert "127.0.0.1" in command[command.index("--host") + 1]
        assert command[command.index("--dashboard-address") + 1].startswith("127.0.0.1:")
    for command in recipe("Several machines"):
        assert any(part.startswith("tls://") or part == "tls" for part in command) or "--protocol" in command
    for word in ("--tls-ca-file", "--tls-cert", "--tls-key", "require-encryption"):
        assert word in page
