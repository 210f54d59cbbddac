"""A study on a Dask cluster of two processes: the same bytes as in one, though workers die."""

from __future__ import annotations

import logging
import os
import signal
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from studies import Marked, faulty, results_in, run, write_study

distributed = pytest.importorskip("distributed", reason="Dask is not installed: pip install 'permtree[dask]'")

ORDERS = "orders.original = {}\norders.majority = {}\norders.random = {}"
PARSERS = "parsers.left = {}\nparsers.faulty = {}"


@pytest.fixture(scope="module")
def site(tmp_path_factory) -> dict[str, str]:
    """Where workers find a parser that fails; their environment is that of this process."""
    return faulty(tmp_path_factory.mktemp("faulty"))


@contextmanager
def cluster_with(environment: dict[str, str]) -> Iterator[Any]:
    """A cluster of two processes, which have the environment and the path of this one."""
    with pytest.MonkeyPatch.context() as patch:
        for name, value in environment.items():
            patch.setenv(name, value)
        patch.syspath_prepend(environment["PYTHONPATH"].partition(os.pathsep)[0])
        with distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, processes=True, dashboard_address=":0", silence_logs=logging.CRITICAL
        ) as cluster:
            yield cluster


@pytest.fixture(scope="module")
def local(site) -> Iterator[Any]:
    with cluster_with(site) as cluster:
        yield cluster


@pytest.fixture
def study(tmp_path, site) -> tuple[Path, dict[str, bytes]]:
    """A study, and what its results must be."""
    path = write_study(tmp_path, "seeds = [2, 3]", orders=ORDERS, parsers=PARSERS)
    run("run", path, "-o", tmp_path / "here", env=site)
    expected = results_in(tmp_path / "here")
    assert len([name for name in expected if name.endswith("cell.json")]) == 42
    return path, expected


@pytest.mark.long
def test_a_worker_is_killed_in_the_middle(local, study, site, tmp_path: Path):
    path, expected = study
    folder = tmp_path / "results"
    process = Marked(site).start("run", path, "-o", folder, "--dask", local.scheduler_address)
    end = time.monotonic() + 30
    while len(list(folder.glob("cells/*/*"))) < 10:
        assert time.monotonic() < end and process.poll() is None
        time.sleep(0.005)
    os.kill(next(iter(local.workers.values())).process.pid, signal.SIGKILL)
    assert process.poll() is None
    _, said = process.communicate(timeout=60)
    assert process.returncode == 0, said
    assert said.splitlines()[-1] == "42 cells computed, 0 known already"
    assert results_in(folder) == expected


@pytest.mark.long
def test_what_one_machine_began_a_cluster_ends(local, study, site, tmp_path: Path):
    path, expected = study
    folder = tmp_path / "results"
    run("run", path, "-o", folder, "--only", "random", env=site)
    said = run("run", path, "-o", folder, "-q", "--dask", local.scheduler_address, env=site)
    assert said.lines == []
    assert results_in(folder) == expected


@pytest.mark.long
def test_a_parser_whose_process_dies(site, tmp_path: Path):
    """Dask tries it several times; then it is given up, and the others go on."""
    path = write_study(tmp_path, "seeds = [1, 2]", orders="orders.original = {}", parsers=PARSERS)
    deadly = {**site, "FAULTY": "kill"}
    with cluster_with(deadly) as cluster:
        address = cluster.scheduler_address
        said = run("run", path, "-o", tmp_path / "results", "-q", "--dask", address, env=deadly, status=1)
    assert said.lines == [
        f"FAILED train fluvi.original.faulty.1: several workers of {address} died while they did the same task; is "
        "their memory full?",
        "11 cells computed, 0 known already",
        "1 failed, 2 more wait for them; run again to try them again",
    ]
