"""The house has floors: a module imports only from floors below its own, inside functions too."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parents[1] / "permtree"
LONGEST = 400  # lines
NEVER = {"torch", "supar", "parsers", "pandas", "pyarrow", "matplotlib"}  # parsers are found by entry point
# From the ground up. Modules on one floor don't import each other; a package stands for all modules in it, which may
# import from the package itself.
FLOORS = [
    {"__init__", "types", "errors"},  # __init__ loads names from all floors when they are first asked for
    {"spans", "trees", "registry", "keys", "downloading"},
    {"entropy", "files", "text", "linearize", "optimal_sides"},
    {"scan", "randomness", "optimal", "render", "frames"},
    {"treebank"},
    {"contexts", "policies", "pictures"},
    {"optimal_entropy", "measures"},
    {"collecting"},
    {"reorder", "permuters", "splitting", "collector"},
    {"arrange", "inverting", "resampling", "checking", "fetching", "aligning"},
    {"permuting", "verifying", "measuring", "comparing", "evaluating"},
    {"stream"},
    {"commands"},
    {"cli"},
    {"__main__"},
]
FLOOR = {name: number for number, names in enumerate(FLOORS) for name in names}
MODULES = sorted(PACKAGE.rglob("*.py"))


def room(path: Path) -> str:
    """The module of a file, or the package that it is in."""
    return path.relative_to(PACKAGE).with_suffix("").parts[0]


def imported(path: Path) -> Iterator[str]:
    """Full names of all that a module imports, wherever it does."""
    package = ["permtree", *path.relative_to(PACKAGE).parent.parts]
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (name.name for name in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = package[: len(package) - node.level + 1] if node.level else []
            start = ".".join([*base, *([node.module] if node.module else [])])
            yield from (f"{start}.{name.name}" for name in node.names)


def rooms_imported(path: Path) -> set[str]:
    """Of those, the rooms of the package."""
    inside = (name.split(".") for name in imported(path) if name.split(".")[0] == "permtree")
    return {parts[1] if len(parts) > 1 and parts[1] in FLOOR else "__init__" for parts in inside}


def test_every_module_has_its_floor():
    assert {room(path) for path in MODULES} == set(FLOOR)
    assert len(FLOOR) == sum(map(len, FLOORS))


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(PACKAGE)))
def test_imports_go_down(path):
    own = room(path)
    if own == "__init__":
        return
    for other in rooms_imported(path) - {own}:
        assert FLOOR[other] < FLOOR[own], f"{own} imports {other}"


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(PACKAGE)))
def test_no_parser_is_imported(path):
    assert not {name.split(".")[0] for name in imported(path)} & NEVER


def test_the_package_itself_imports_nothing_when_it_is_imported():
    tree = ast.parse((PACKAGE / "__init__.py").read_text(encoding="utf-8"))
    names = [node.module for node in tree.body if isinstance(node, ast.ImportFrom)]
    assert names == ["__future__", "typing"]


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(PACKAGE)))
def test_no_module_is_long(path):
    assert len(path.read_text(encoding="utf-8").splitlines()) < LONGEST
