"""Studies work where modules of Unix are missing, as on Windows."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from studies import write_study

BLOCKED = ("fcntl", "pty", "termios", "resource", "grp", "pwd", "tty")
CODE = f"import sys; sys.modules.update(dict.fromkeys({BLOCKED!r})); from permtree.cli import main; main()"


def without_unix(*arguments: str | Path) -> str:
    """Standard output and error of `permtree` where modules of Unix can't be imported."""
    path = os.pathsep.join(filter(None, sys.path))
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", CODE, *map(str, arguments)],
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": path},
    )
    assert done.returncode == 0, done.stderr
    return done.stdout + done.stderr


@pytest.mark.long
def test_plan_run_and_report(tmp_path: Path):
    path = write_study(tmp_path, orders="orders.original = {}", parsers="parsers.left = {}")
    folder = tmp_path / "results"
    assert "0 cells done, 5 to compute" in without_unix("plan", path, "-o", folder)
    assert "5 cells computed" in without_unix("run", path, "-o", folder)
    assert "5 cells done, 0 to compute" in without_unix("plan", path, "-o", folder)
    assert "report.html" in without_unix("report", folder, "--resamples", "2", "--sentences", "0")
