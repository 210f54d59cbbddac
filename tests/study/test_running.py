"""`permtree run` as its users run it: parsers that fail or die, runs that are killed, and what is said of it all."""

from __future__ import annotations

import fcntl
import json
import os
import pty
import random
import signal
import subprocess
import time
from pathlib import Path

import pytest
from small_networks import KINDS, assigned
from speed import first_is_quick
from studies import N_CELLS, TREEBANK, Marked, cells_of, computed, faulty, results_in, run, write_study

MIXED = "parsers.faulty = {}\nparsers.left = {}"  # the one that fails comes first
ONE_ORDER = "orders.original = {}"


@pytest.fixture(scope="module")
def done(tmp_path_factory):
    """A study, and what its results must be."""
    folder = tmp_path_factory.mktemp("study")
    path = write_study(folder)
    computed(path, folder / "results")
    return path, results_in(folder / "results")


def cells_in(folder: Path) -> set[str]:
    """Kind and label of what is stored."""
    return {f"{path.parent.name} {path.name.rpartition('-')[0]}" for path in (folder / "cells").glob("*/*")}


# -- what is said ----------------------------------------------------------------------------------------------------


def test_lines(done, tmp_path: Path):
    path, expected = done
    said = run("run", path, cwd=tmp_path)
    assert said.out == b""
    assert len(said.lines) == N_CELLS + 1
    assert said.lines[0].startswith(f"[1/{N_CELLS}] permute fluvi.original: ") and said.lines[0].endswith(" s")
    assert said.lines[4].startswith(f"[5/{N_CELLS}] evaluate fluvi.original.left.0: UAS ") and ", LAS " in said.lines[4]
    assert said.lines[-1] == f"{N_CELLS} cells computed, 0 known already"
    assert results_in(tmp_path / "study.results") == expected
    assert run("run", path, cwd=tmp_path).lines == [f"0 cells computed, {N_CELLS} known already"]
    assert run("run", path, "-q", cwd=tmp_path).lines == []
    log = [json.loads(line) for line in (tmp_path / "study.results" / "log.jsonl").read_bytes().splitlines()]
    assert len(log) == N_CELLS


def test_on_a_terminal(done, tmp_path: Path):
    """The same lines as in a file, without any control characters."""
    path, _ = done
    ours, theirs = pty.openpty()
    process = Marked().start("run", path, "-o", tmp_path / "results", "--only", "measure", stdout=theirs, stderr=theirs)
    os.close(theirs)
    said = b""
    try:
        while data := os.read(ours, 1 << 16):
            said += data
    except OSError:  # the other side is closed
        pass
    os.close(ours)
    assert process.wait() == 0
    lines = said.decode().splitlines()
    assert len(lines) == 5 and lines[-1] == "4 cells computed, 0 known already"
    assert all(line.isprintable() for line in lines)


@pytest.mark.long
@pytest.mark.parametrize("optional", first_is_quick(["false", "true"]))
def test_a_treebank_that_is_missing(optional, done, tmp_path: Path):
    _, expected = done
    gone = f"treebanks.gone = {{ train = 'no.conllu', test = 'test.conllu', optional = {optional} }}"
    path = write_study(tmp_path, treebanks=f"{gone}\n{TREEBANK}")
    said = run("run", path, "-o", tmp_path / "results", "-q", status=0 if optional == "true" else 1)
    hint = f"treebanks are looked for in {tmp_path}; name another folder with --treebanks"
    lines = [f"left out: treebank gone: {tmp_path}/no.conllu: No such file or directory", hint]
    assert said.lines == (lines[:1] if optional == "true" else lines)
    found = results_in(tmp_path / "results")
    assert {name: found[name] for name in found if name != "results.sqlite"} == {
        name: expected[name] for name in expected if name != "results.sqlite"
    }


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--workers", "2", "--dask", "tcp://127.0.0.1:1"), "--workers and --dask: one of them"),
        (("--only", "optdl"), "--only 'optdl' fits no cell; known: fluvi, original, majority, left, random-tree, "),
        (("--workers", "0"), "Invalid value for '--workers': 0 is not in the range x>=1."),
    ],
    ids=["both", "only", "none"],
)
def test_usage(options, message, done, tmp_path: Path):
    said = run("run", done[0], "-o", tmp_path / "results", *options, status=2)
    assert len(said.lines) == 1 and said.lines[0].startswith(message)
    assert not (tmp_path / "results").exists()


@pytest.mark.long
def test_workers_give_the_same_bytes(done, tmp_path: Path):
    path, expected = done
    run("run", path, "-o", tmp_path / "results", "--workers", "3")
    assert results_in(tmp_path / "results") == expected


# -- parsers that fail -----------------------------------------------------------------------------------------------


@pytest.fixture
def failing(tmp_path):
    """A study of two seeds with a parser that fails for one of them, its results folder and the environment."""
    path = write_study(tmp_path, "seeds = [1, 2]", orders=ONE_ORDER, parsers=MIXED)
    return path, tmp_path / "results", faulty(tmp_path)


FAILED = {"train fluvi.original.faulty.1", "predict fluvi.original.faulty.1", "evaluate fluvi.original.faulty.1"}
ALL = {
    f"{kind} fluvi.original.{parser}.{seed}"
    for kind in ("train", "predict", "evaluate")
    for parser in ("faulty", "left")
    for seed in (1, 2)
} | {"permute fluvi.original", "measure fluvi.original"}


def test_a_parser_that_fails(failing):
    """Others go on; it is told with its trace; when it is repaired, the next run completes the study."""
    path, folder, env = failing
    said = run("run", path, "-o", folder, "-q", env={**env, "FAULTY": "raise"}, status=1)
    trace = folder / "failed" / "train.fluvi.original.faulty.1.txt"
    assert said.lines == [
        f"FAILED train fluvi.original.faulty.1: RuntimeError: no luck today (see {trace})",
        "11 cells computed, 0 known already",
        "1 failed, 2 more wait for them; run again to try them again",
    ]
    assert "Traceback" in trace.read_text(encoding="utf-8") and "nor tomorrow" in trace.read_text(encoding="utf-8")
    assert cells_in(folder) == ALL - FAILED
    assert "faulty\t2\tuas" in (folder / "scores.tsv").read_text(encoding="utf-8")
    again = run("run", path, "-o", folder, env={**env, "FAULTY": "raise"}, status=1)
    assert again.lines[-2] == "0 cells computed, 11 known already"
    repaired = run("run", path, "-o", folder, env=env)
    assert repaired.lines[-1] == "3 cells computed, 11 known already"
    assert cells_in(folder) == ALL
    assert not trace.exists()


@pytest.mark.long
@pytest.mark.parametrize(
    ("how", "workers", "why"),
    [
        pytest.param("exit", 1, "its process ended with status 3", marks=pytest.mark.long),
        ("kill", 2, "its process was killed by SIGKILL; is there enough memory?"),
    ],
    ids=["exit", "kill"],
)
def test_a_parser_whose_process_dies(how, workers, why, failing):
    path, folder, env = failing
    said = run("run", path, "-o", folder, "-q", "--workers", workers, env={**env, "FAULTY": how}, status=1)
    assert said.lines == [
        f"train fluvi.original.faulty.1: {why}; once more",
        f"FAILED train fluvi.original.faulty.1: {why}",
        "11 cells computed, 0 known already",
        "1 failed, 2 more wait for them; run again to try them again",
    ]
    assert cells_in(folder) == ALL - FAILED


@pytest.mark.long
def test_a_process_that_dies_once(failing, tmp_path: Path):
    path, folder, env = failing
    said = run("run", path, "-o", folder, "-q", env={**env, "FAULTY": "kill once"})
    assert len(said.lines) == 1 and said.lines[0].endswith("; once more")
    run("run", path, "-o", tmp_path / "other", env=env)
    assert results_in(folder) == results_in(tmp_path / "other")


@pytest.mark.long
def test_an_error_that_can_t_travel_and_a_parser_that_tells_odd_things(failing):
    path, folder, env = failing
    said = run("run", path, "-o", folder, "-q", env={**env, "FAULTY": "unpicklable"}, status=1)
    assert said.lines[0].startswith("FAILED train fluvi.original.faulty.1: Unknown: ('odd', <function ")
    assert cells_in(folder) == ALL - FAILED


def test_a_parser_that_can_t_be_loaded(failing):
    path, folder, env = failing
    (path.parent / "site" / "faulty.py").write_text("import nothing_of_that_name\n", encoding="utf-8")
    said = run("run", path, "-o", folder, env=env, status=2)
    assert said.lines == [
        f"{path}: parsers.faulty: the parser faulty can't be loaded: No module named 'nothing_of_that_name'"
    ]


# -- runs that are ended ---------------------------------------------------------------------------------------------


def wait_until_free(marked: Marked, folder: Path) -> None:
    """Until no process is left, which must be soon, and the folder is free."""
    end = time.monotonic() + 5
    while marked.alive():
        assert time.monotonic() < end, marked.alive()
        time.sleep(0.02)
    if (folder / "lock").exists():
        with open(folder / "lock") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)


def ended(process: subprocess.Popen[str], how: signal.Signals) -> tuple[int, str]:
    """Send a signal, to all of the process group if it is that of Ctrl-C; the status, and what was said."""
    os.killpg(process.pid, how) if how == signal.SIGINT else process.send_signal(how)
    _, said = process.communicate(timeout=20)
    return process.returncode, said


@pytest.mark.long
def test_runs_that_are_killed_one_after_the_other(done, tmp_path: Path):
    """At any moment: what is stored is whole, no process is left, and in the end all is as in an undisturbed run."""
    path, expected = done
    folder = tmp_path / "results"
    chance = random.Random(1)
    for _ in range(5):
        marked = Marked()
        process = marked.start("run", path, "-o", folder, "--workers", "2")
        time.sleep(chance.uniform(0.2, 1.0))
        ended(process, signal.SIGKILL)
        wait_until_free(marked, folder)
        whole = {name for name in results_in(folder) if name.startswith("cells/") and ".part/" not in name}
        assert whole <= set(expected)
    run("run", path, "-o", folder)
    assert results_in(folder) == expected


@pytest.mark.parametrize(
    ("how", "status", "last"),
    first_is_quick([(signal.SIGINT, 130, "interrupted"), (signal.SIGTERM, 143, None)]),
    ids=["INT", "TERM"],
)
def test_a_run_that_is_stopped(how, status, last, tmp_path: Path):
    """In a training: no process is left, what was stored is in the tables, and the next run goes on."""
    path = write_study(tmp_path, "seeds = [1]", orders=ONE_ORDER, parsers=MIXED)
    folder, env = tmp_path / "results", faulty(tmp_path)
    marked = Marked({**env, "FAULTY": "sleep"})
    process = marked.start("run", path, "-o", folder, "--workers", "2", start_new_session=True)
    end = time.monotonic() + 20
    while not (Path(env["ONCE"]).exists() and len(cells_in(folder)) >= 5):
        assert time.monotonic() < end
        time.sleep(0.02)
    time.sleep(0.1)
    assert len(marked.alive()) >= 3  # it, and two that compute
    ended_with, said = ended(process, how)
    assert ended_with == status
    assert "Traceback" not in said
    lines = [line for line in said.splitlines() if not line.startswith("[")]
    assert lines == ([last] if last else [])
    wait_until_free(marked, folder)
    assert "left\t1\tuas" in (folder / "scores.tsv").read_text(encoding="utf-8")
    assert run("run", path, "-o", folder, env=env).lines[-1] == "3 cells computed, 5 known already"


@pytest.mark.long
@pytest.mark.parametrize("wait", first_is_quick([0.05, 0, 0.3]))
def test_ctrl_c_at_any_moment(wait, done, tmp_path: Path):
    """Also while processes are being started."""
    path, expected = done
    folder, marked = tmp_path / "results", Marked()
    process = marked.start("run", path, "-o", folder, "--workers", "2", start_new_session=True)
    while not (folder / "lock").exists():
        assert process.poll() is None
        time.sleep(0.001)
    time.sleep(wait)
    status, said = ended(process, signal.SIGINT)
    wait_until_free(marked, folder)
    if status:
        assert status == 130
        assert [line for line in said.splitlines() if not line.startswith("[")] == ["interrupted"]
    else:  # it was faster
        assert results_in(folder) == expected


@pytest.mark.long
def test_two_runs_at_once(done, tmp_path: Path):
    """One of them works, the other one says so; nothing is lost."""
    path, expected = done
    both = [Marked().start("run", path, "-o", tmp_path / "results") for _ in range(2)]
    said = [process.communicate(timeout=30)[1] for process in both]
    statuses = [process.returncode for process in both]
    assert 0 in statuses
    for status, text in zip(statuses, said, strict=True):
        assert status == 0 or (status == 2 and "is at work here; wait for it, or name another folder" in text), text
    assert results_in(tmp_path / "results") == expected


# -- trainings that go on --------------------------------------------------------------------------------------------


def neural(kind, epochs: int) -> str:
    settings = ", ".join(one.removeprefix("--set=") for one in assigned(kind, epochs=epochs))
    return f"parsers.{kind.name} = {{ settings = {{ {settings} }} }}"


@pytest.mark.long
@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.name)
def test_a_training_goes_on_from_its_checkpoint(kind, tmp_path: Path):
    pytest.importorskip("torch")
    path = write_study(tmp_path, orders="orders.optdl = {}", parsers=neural(kind, 12))
    undisturbed, folder = tmp_path / "undisturbed", tmp_path / "results"
    run("run", path, "-o", undisturbed)
    marked = Marked()
    process = marked.start("run", path, "-o", folder)
    end = time.monotonic() + 60
    while not list(folder.glob("training/*/checkpoint.safetensors")):
        assert time.monotonic() < end and process.poll() is None
        time.sleep(0.01)
    process.kill()
    process.communicate()
    wait_until_free(marked, folder)
    assert not list(folder.glob("cells/train/*"))
    said = run("run", path, "-o", folder)
    assert [line for line in said.lines if line.startswith(f"train fluvi.optdl.{kind.name}.0: resumed after epoch ")]
    assert results_in(folder) == results_in(undisturbed)
    assert not list(folder.glob("training/*"))


@pytest.mark.long
def test_a_checkpoint_that_is_damaged(tmp_path: Path):
    """The training starts from scratch, and says so."""
    pytest.importorskip("torch")
    path = write_study(tmp_path, orders="orders.optdl = {}", parsers=neural(KINDS[0], 2))
    computed(path, tmp_path / "undisturbed")
    _, other, _ = computed(path, tmp_path / "results", ["permute"])
    cell = cells_of(path)[f"train fluvi.optdl.{KINDS[0].name}.0"]
    other.scratch(cell).mkdir(parents=True)
    (other.scratch(cell) / "checkpoint.safetensors").write_bytes(b"half")
    said = run("run", path, "-o", tmp_path / "results")
    assert any(
        f"{cell}: started from scratch, since what there was of this training can't be used (" in line
        for line in said.lines
    )
    assert results_in(tmp_path / "results") == results_in(tmp_path / "undisturbed")
