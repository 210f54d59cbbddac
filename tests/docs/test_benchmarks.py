"""Benchmarks are seldom run; at least what they import is there, also in the code that they give to other processes."""

from __future__ import annotations

import importlib
import re
from pathlib import Path

import pytest
from places import EXPERIMENTS, ROOT

IMPORT = re.compile(r"^\s*from (permtree[\w.]*) import ([\w, ]+)$", re.MULTILINE)
SCRIPTS = sorted([*(ROOT / "benchmarks").glob("*.py"), *EXPERIMENTS.glob("*.py")])


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda path: path.name)
def test_what_is_imported_is_there(script: Path):
    for module, names in IMPORT.findall(script.read_text(encoding="utf-8")):
        if module.startswith("permtree.neural"):
            pytest.importorskip("torch")
        for name in names.split(", "):
            assert hasattr(importlib.import_module(module), name) or importlib.import_module(f"{module}.{name}")
