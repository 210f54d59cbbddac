"""A closed pipe ends a command quietly; Ctrl-C leaves nothing half-written behind."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time

import pytest
from commandline import PERMTREE, big, files_in, sentence
from places import SAMPLE
from speed import first_is_quick

PIECE = big(12000)  # about a megabyte
BROKEN = b"# sent_id = broken\n1\tx\n\n" * 20000


def piped_to_head(arguments: str, data: bytes) -> tuple[int, bytes, str]:
    """Exit status of permtree, output of `head -n 1`, and what stood on standard error."""
    script = f'"{sys.executable}" -m permtree {arguments} | head -n 1; exit ${{PIPESTATUS[0]}}'
    done = subprocess.run(["bash", "-c", script], input=data, capture_output=True, cwd=SAMPLE)
    return done.returncode, done.stdout, done.stderr.decode()


@pytest.mark.parametrize(
    ("arguments", "data", "line"),
    first_is_quick(
        [
            ("permute --mode original --quiet --jobs 2", PIECE * 3, b"# sent_id = s0\n"),
            ("measure --by sentence --format tsv", PIECE, b"number\tsent_id\tmean_sentence_length\tdlm_ratio\t"),
            ("permute --mode original --quiet", PIECE, b"# sent_id = s0\n"),
            ("measure --by sentence", PIECE, b"  number"),
            ("list", b"", b"MODES\n"),
        ],
        quick=2,
    ),
)
def test_a_closed_pipe_is_no_error(arguments, data, line):
    status, out, err = piped_to_head(arguments, data)
    assert out.startswith(line)
    assert (status, err) == (0, "")


def test_a_closed_pipe_while_findings_are_printed():
    """Errors had been found when the reader left: the status may say so, but nothing is printed."""
    status, out, err = piped_to_head("check", BROKEN)
    assert out == b"<stdin>:2: E110 2 columns instead of 10 (sentence broken)\n"
    assert err == ""
    assert status in (0, 1)


@pytest.fixture(scope="module")
def long_input(tmp_path_factory):
    """What takes some seconds to permute."""
    path = tmp_path_factory.mktemp("long") / "long.conllu"
    path.write_bytes(PIECE * 30)
    return path


@pytest.mark.parametrize("jobs", first_is_quick(["2", "1"]))
@pytest.mark.parametrize("existed", [False, True], ids=["new file", "old file"])
def test_ctrl_c(tmp_path, long_input, jobs, existed):
    out = tmp_path / "out.conllu"
    if existed:
        out.write_bytes(b"old")
    before = files_in(tmp_path)
    command = [*PERMTREE, "permute", "--mode", "random", "--jobs", jobs, long_input, "-o", str(out)]
    # in a process group of its own, to which the signal goes as it does from a terminal
    process = subprocess.Popen(command, stderr=subprocess.PIPE, start_new_session=True)
    try:
        wait_until(lambda: has_written(tmp_path))
        os.killpg(process.pid, signal.SIGINT)
        _, err = process.communicate(timeout=10)
    finally:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
    assert (process.returncode, err.strip()) == (130, b"interrupted")
    assert files_in(tmp_path) == before
    assert not existed or out.read_bytes() == b"old"


def wait_until(condition) -> None:
    until = time.monotonic() + 30
    while not condition():
        assert time.monotonic() < until
        time.sleep(0.02)


def has_written(folder) -> bool:
    """Some of the output stands in a file beside its place."""
    return any(path.stat().st_size for path in folder.iterdir() if path.name.endswith(".part"))


def test_ctrl_c_while_it_waits_for_input():
    process = subprocess.Popen(
        [*PERMTREE, "measure"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    assert process.stdin
    process.stdin.write(sentence("a", 2, 0))
    process.stdin.flush()
    time.sleep(1)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=30)
    assert (process.returncode, out, err.strip()) == (130, b"", b"interrupted")
