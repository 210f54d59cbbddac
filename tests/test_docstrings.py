"""What can be called from outside is described: modules, public classes and functions."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from collections.abc import Iterator
from functools import reduce
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
from places import ROOT

import permtree

MODULES = sorted(path for package in ("permtree", "parsers") for path in (ROOT / package).rglob("*.py"))
CARDS = {"permuter", "measure"}  # functions registered with these are described by their card


PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *(ROOT / "docs").glob("*.md"), *(ROOT / "parsers").glob("*.md")]
NO_NAMES = {"permtree.json", "permtree.NAME", "permtree.parsers", "permtree.modes"}  # a file, groups of entry points


def described_elsewhere(node: ast.AST) -> bool:
    decorators = [getattr(one, "func", one) for one in getattr(node, "decorator_list", [])]
    return any(isinstance(name, ast.Name) and name.id in CARDS for name in decorators)


def without_docstring(path: Path) -> Iterator[str]:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    if path.name != "__main__.py" and not ast.get_docstring(tree):
        yield "the module"
    for node in tree.body:
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)) and not node.name.startswith("_"):
            if not ast.get_docstring(node) and not described_elsewhere(node):
                yield node.name


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(ROOT)))
def test_docstrings(path):
    assert list(without_docstring(path)) == []


def named(home: Any, name: str) -> Any:
    """A part of a module, a class, or a module within a package."""
    return getattr(home, name) if hasattr(home, name) else import_module(f"{home.__name__}.{name}")


def test_every_name_that_is_written_about_can_be_had():
    """`permtree.editing.annotating.annotated` in a page or a docstring is there."""
    texts = (path.read_text(encoding="utf-8") for path in [*MODULES, *PAGES])
    names = {name for text in texts for name in re.findall(r"`(permtree(?:\.\w+)+)", text)} - NO_NAMES
    assert "permtree.pairing.Pairs.read" in names
    for name in sorted(names):
        assert reduce(named, name.split(".")[1:], permtree) is not None
    code = "import permtree; permtree.pairing.Pairs.read; permtree.editing"
    subprocess.run([sys.executable, "-c", code], check=True)
