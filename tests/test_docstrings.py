"""What can be called from outside is described: modules, public classes and functions."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest
from places import ROOT

MODULES = sorted(path for package in ("permtree", "parsers") for path in (ROOT / package).rglob("*.py"))
CARDS = {"permuter", "measure"}  # functions registered with these are described by their card


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
