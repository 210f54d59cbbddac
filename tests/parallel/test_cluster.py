"""A real cluster of two processes: the same bytes as in one, whatever becomes of its workers."""

from __future__ import annotations

import logging
import os
import signal
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
from commandline import PERMTREE, big, files_in, permtree, sentence
from places import SAMPLE

from permtree import DataError, UsageError
from permtree.errors import Finding
from permtree.parallel import cluster
from permtree.parallel.cluster import connected

distributed = pytest.importorskip("distributed", reason="Dask is not installed: pip install 'permtree[dask]'")

FLUVI = SAMPLE / "fluvi-test.conllu"


@pytest.fixture(scope="module")
def local() -> Iterator[Any]:
    with distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None, silence_logs=logging.CRITICAL
    ) as local:
        yield local


@pytest.fixture(scope="module")
def address(local) -> str:
    return local.scheduler_address


@pytest.fixture(scope="module")
def large(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A file of several pieces."""
    path = tmp_path_factory.mktemp("large") / "large.conllu"
    path.write_bytes(big(24000))
    return path


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


# -- commands ------------------------------------------------------------------------------------------------------


MODES = [
    pytest.param(["random-projective"], marks=pytest.mark.long),
    ["like", "--treebank", "other.conllu"],
    pytest.param(["grammar", "--weights", "weights.toml"], marks=pytest.mark.long),
]


@pytest.mark.parametrize("mode", MODES, ids=lambda mode: mode[0])
def test_permuted_to_the_byte_with_files_that_no_worker_has(mode, address, large, tmp_path):
    (tmp_path / "other.conllu").write_bytes(FLUVI.read_bytes())
    (tmp_path / "weights.toml").write_text("default = -1\n")
    arguments = ["permute", "--mode", *mode, large, FLUVI]
    alone = permtree(*arguments, "-o", "alone.conllu", cwd=tmp_path)
    on_cluster = permtree(*arguments, "--dask", address, "-o", "on-cluster.conllu", cwd=tmp_path)
    assert (tmp_path / "on-cluster.conllu").read_bytes() == (tmp_path / "alone.conllu").read_bytes()
    assert on_cluster.err == alone.err


@pytest.mark.parametrize(
    "options",
    [
        ["--by", "sentence", "--format", "tsv"],
        pytest.param(["--compare", str(FLUVI), "--ci", "2"], marks=pytest.mark.long),
    ],
    ids=lambda options: options[0],
)
def test_measured_to_the_byte(options, address, large):
    alone = permtree("measure", *options, large, FLUVI)
    on_cluster = permtree("measure", "--dask", address, *options, large, FLUVI)
    assert (on_cluster.out, on_cluster.err) == (alone.out, alone.err)


def test_standard_input(address):
    for command in (["permute", "--mode", "optdl"], ["measure"]):
        alone = permtree(*command, stdin=FLUVI.read_bytes())
        on_cluster = permtree(*command, "--dask", address, stdin=FLUVI.read_bytes())
        assert (on_cluster.out, on_cluster.err) == (alone.out, alone.err)


def test_bad_data_is_the_same_line_and_leaves_nothing(address, tmp_path):
    (tmp_path / "bad.conllu").write_bytes(big() + sentence("circle", 2, 1) + big(100))
    for command in (["permute", "--mode", "optdl", "-o", "out.conllu"], ["measure"]):
        alone = permtree(*command, "bad.conllu", cwd=tmp_path, status=3)
        on_cluster = permtree(*command, "--dask", address, "bad.conllu", cwd=tmp_path, status=3)
        assert (on_cluster.out, on_cluster.err) == (b"", alone.err)
    skipped = permtree("measure", "--skip-errors", "bad.conllu", cwd=tmp_path)
    on_cluster = permtree("measure", "--skip-errors", "--dask", address, "bad.conllu", cwd=tmp_path)
    assert (on_cluster.out, on_cluster.err) == (skipped.out, skipped.err)
    assert files_in(tmp_path) == ["bad.conllu"]


def test_wrong_use_is_one_line(address):
    for command in (["permute", "--mode", "optdl"], ["measure"]):
        both = permtree(*command, "--jobs", "1", "--dask", address, FLUVI, status=2)
        assert both.lines == ["--jobs and --dask: one of them"]
        nonsense = permtree(*command, "--dask", "nonsense", FLUVI, status=2)
        assert len(nonsense.lines) == 1 and "no Dask scheduler answers at 'nonsense'" in nonsense.err


@pytest.mark.long
def test_a_worker_that_dies_changes_no_byte(address, large):
    arguments = ["permute", "--mode", "optdl", "--ties", "min-entropy", large]
    expected = permtree(*arguments)
    command = [*PERMTREE, *map(str, arguments), "--dask", address]
    with distributed.Client(address, set_as_default=False) as client:
        process_of = client.run(os.getpid)
        running = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        while not (busy := [worker for worker, tasks in client.processing().items() if tasks]):
            assert running.poll() is None
            time.sleep(0.01)
        os.kill(process_of[busy[0]], signal.SIGKILL)
        out, err = running.communicate()
    assert running.returncode == 0, err
    assert (out, err.decode()) == (expected.out, expected.err)
