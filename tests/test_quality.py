"""ruff and mypy find nothing. Skipped where they are not installed."""

from __future__ import annotations

import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
FOLDERS = ("permtree", "parsers", "experiments", "benchmarks", "treebanks", "tests")


def run(tool: str, *arguments: str) -> None:
    if find_spec(tool) is None:
        pytest.skip(f"{tool} is not installed")
    done = subprocess.run([sys.executable, "-m", tool, *arguments], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


def test_ruff_finds_nothing():
    run("ruff", "check", *FOLDERS)


def test_ruff_would_format_nothing():
    run("ruff", "format", "--check", *FOLDERS)


def test_types():
    run("mypy")
