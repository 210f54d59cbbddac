"""Processes that do tasks: what they give, what they fail with, and what becomes of all when one of them is killed."""

from __future__ import annotations

import os
import signal
import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from commandline import PERMTREE, big, files_in, permtree, sentence
from places import SAMPLE

from permtree import UsageError
from permtree.errors import DataError, Finding
from permtree.parallel.processes import ProcessPool, WorkerDied, cores

of_both = pytest.mark.parametrize("spawned", [False, True], ids=["usual", "spawned"])


def square(number: int) -> int:
    return number**2


def fail(kind: str) -> None:
    if kind == "data":
        raise DataError(Finding("E110", "file", 3, "wrong", "s1"))
    if kind == "usage":
        raise UsageError("no")
    raise type("Odd", (Exception,), {})("an error of a kind that can't travel")


def die(how: int) -> None:
    os.kill(os.getpid(), how)
    time.sleep(30)


def own_pid() -> int:
    time.sleep(0.2)  # so that each process gets one
    return os.getpid()


def die_within_a_result(size: int) -> Dying:
    return Dying(size)


class Dying:
    """What kills its process when the first of its bytes have gone down the line."""

    def __init__(self, size: int):
        self.size = size

    def __reduce__(self) -> tuple:
        from multiprocessing import connection

        def half(self: connection.Connection, data: bytes, *_: object) -> None:
            os.write(self.fileno(), bytes(data)[:100])
            os.kill(os.getpid(), signal.SIGKILL)

        connection.Connection._send = half  # type: ignore[attr-defined]
        return bytes, (bytes(self.size),)


@pytest.fixture
def pool() -> Iterator[ProcessPool]:
    with ProcessPool(2) as made:
        yield made


@of_both
def test_results_and_errors_come_back(spawned):
    with ProcessPool(2, spawned) as pool:
        assert list(pool.map(square, range(20))) == [number**2 for number in range(20)]
        with pytest.raises(DataError, match=r"file:3: wrong \(sentence s1\)"):
            pool.submit(fail, "data").result(30)
        with pytest.raises(UsageError, match="no"):
            pool.submit(fail, "usage").result(30)
        with pytest.raises(RuntimeError, match="Odd: an error of a kind that can't travel"):
            pool.submit(fail, "odd").result(30)
        assert pool.submit(square, 3).result(30) == 9
        processes = {one.result(30) for one in [pool.submit(own_pid) for _ in range(4)]}
        assert len(processes) == 2
    gone(processes)


@pytest.mark.long
@of_both
def test_one_that_dies_is_an_error_and_the_others_go_on(spawned):
    with ProcessPool(2, spawned) as pool:
        dead = pool.submit(die, signal.SIGKILL)
        with pytest.raises(WorkerDied, match="its process was killed by SIGKILL; is there enough memory?"):
            dead.result(30)
        assert pool.submit(square, 3).result(30) == 9
        with pytest.raises(WorkerDied, match="its process was killed by SIGTERM"):
            pool.submit(die, signal.SIGTERM).result(30)
        assert pool.submit(square, 4).result(30) == 16


def test_one_that_dies_in_the_middle_of_a_result(pool):
    with pytest.raises(WorkerDied):
        pool.submit(die_within_a_result, 10**7).result(30)


def test_nothing_is_done_after_the_end(pool):
    pool.shutdown()
    with pytest.raises((WorkerDied, RuntimeError)):
        pool.submit(square, 3).result(30)


# -- the command line --------------------------------------------------------------------------------------------------


def running(process: int) -> bool:
    """Whether there is such a process, and it isn't one that has ended already."""
    try:
        state = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return False
    return state != "Z"


def gone(processes: set[int]) -> None:
    wait_until(lambda: not any(map(running, processes)))


def wait_until(condition: Callable[[], object]) -> None:
    until = time.monotonic() + 30
    while not condition():
        assert time.monotonic() < until
        time.sleep(0.02)


def children(process: int) -> set[int]:
    found = Path(f"/proc/{process}/task/{process}/children")
    return set(map(int, found.read_text().split())) if found.exists() else set()


@pytest.fixture(scope="module")
def long_input(tmp_path_factory) -> Path:
    path = tmp_path_factory.mktemp("long") / "long.conllu"
    path.write_bytes(big(12000) * 40)
    return path


@pytest.fixture(params=["permute", "measure"])
def at_work(request, long_input, tmp_path: Path) -> Iterator[tuple[subprocess.Popen, set[int]]]:
    """A command with two workers that are at work, and their numbers."""
    if cores() < 2 or not Path("/proc/self/stat").exists():
        pytest.skip("needs two processor cores, and /proc")
    own = ["--mode", "random", "-o", str(tmp_path / "out")] if request.param == "permute" else []
    command = [*PERMTREE, request.param, *own, "--jobs", "2", str(long_input)]
    process = subprocess.Popen(command, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, start_new_session=True)
    workers: set[int] = set()
    try:
        wait_until(lambda: process.poll() is not None or len(children(process.pid)) >= 2)
        workers = children(process.pid)
        time.sleep(0.3)
        assert process.poll() is None
        yield process, workers
    finally:
        for one in (process.pid, *workers):
            try:
                os.kill(one, signal.SIGKILL)
            except ProcessLookupError:
                pass
        process.wait()
    assert files_in(tmp_path) in ([], [name for name in files_in(tmp_path) if name.endswith(".part")])


@pytest.mark.parametrize("how", ["SIGKILL", "SIGTERM"])
def test_a_worker_that_is_killed_ends_the_command_in_one_line(at_work, how):
    process, workers = at_work
    os.kill(min(workers), getattr(signal, how))
    _, err = process.communicate(timeout=30)
    hint = "; is there enough memory?" if how == "SIGKILL" else ""
    said = f"a worker of --jobs is gone: its process was killed by {how}{hint}"
    assert (process.returncode, err.decode().splitlines()) == (2, [said])
    gone(workers)


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGTERM])
def test_no_worker_outlives_its_parent(at_work, how):
    process, workers = at_work
    process.send_signal(how)
    process.communicate(timeout=30)
    assert process.returncode == (-9 if how == signal.SIGKILL else 143)
    gone(workers)


def test_no_more_processes_than_cores():
    test = SAMPLE / "rigan-test.conllu"
    alone = permtree("permute", "--mode", "random", test)
    done = permtree("permute", "--mode", "random", "--jobs", "100000", test)
    assert done.lines[0] == f"--jobs 100000: {cores()} processes, one a processor core"
    assert done.out == alone.out
    assert permtree("measure", "-q", "--jobs", "1", stdin=sentence("a", 2, 0)).err == ""
