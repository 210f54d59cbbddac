"""The houses have floors: a module imports only from floors below its own, inside functions too."""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Iterator
from importlib import metadata
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
LONGEST = 400  # lines
# permtree knows no parser (they are found by entry point), and loads what is heavy only where a user asks for it
NEVER = {"torch", "supar", "parsers", "pandas", "pyarrow", "matplotlib"}
# From the ground up. Modules on one floor don't import each other; a package stands for all modules in it, which may
# import from the package itself.
FLOORS = {
    "permtree": [
        {"__init__", "types", "errors"},  # __init__ loads names from all floors when they are first asked for
        {"spans", "trees", "registry", "keys", "toml", "downloading", "tables", "cluster"},
        {"entropy", "configuration", "files", "text", "linearize", "optimal_sides"},
        {"scan", "randomness", "optimal", "render", "frames"},
        {"treebank", "table_folder"},
        {"contexts", "policies", "pictures", "annotating", "parser"},
        {"optimal_entropy", "measures", "trained"},
        {"collecting"},
        {"reorder", "permuters", "splitting", "collector"},
        {"arrange", "inverting", "resampling", "significance", "checking", "fetching", "aligning"},
        {"joining"},
        {"permuting", "verifying", "measuring", "comparing", "evaluating", "pairing"},
        {"arc_groups"},
        {"stream", "analyzing"},
        {"study"},
        {"report"},
        {"commands"},
        {"cli"},
        {"__main__"},
    ],
    "parsers": [
        {"__init__"},
        {"settings", "vocabulary", "folder", "plain", "vectors", "transformer", "checkpoints", "devices"},
        {"arborescence", "transitions", "batching", "supar_internals"},
        {"projective", "layers", "supar_adapter", "udpipe", "baselines"},
        {"network"},
        {"predicting"},
        {"training"},
        {"neural"},
        {"biaffine", "arc_hybrid"},
        {"biaffine_network", "arc_hybrid_network"},
    ],
}
FLOOR = {(house, name): number for house in FLOORS for number, names in enumerate(FLOORS[house]) for name in names}
MODULES = sorted(path for house in FLOORS for path in (ROOT / house).rglob("*.py"))


def room(path: Path) -> tuple[str, str]:
    """The house of a file, and there the module, or the package that it is in."""
    house, *inside = path.relative_to(ROOT).with_suffix("").parts
    return house, inside[0]


def imported(path: Path) -> Iterator[str]:
    """Full names of all that a module imports, wherever it does."""
    package = path.relative_to(ROOT).parent.parts
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (name.name for name in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = package[: len(package) - node.level + 1] if node.level else ()
            start = ".".join([*base, *([node.module] if node.module else [])])
            yield from (f"{start}.{name.name}" for name in node.names)


def rooms_imported(path: Path) -> set[tuple[str, str]]:
    """Of those, the rooms of the module's own house."""
    house, _ = room(path)
    inside = (name.split(".") for name in imported(path) if name.split(".")[0] == house)
    return {(house, parts[1] if len(parts) > 1 and (house, parts[1]) in FLOOR else "__init__") for parts in inside}


every_module = pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(ROOT)))


def test_every_module_has_its_floor():
    assert {room(path) for path in MODULES} == set(FLOOR)
    assert len(FLOOR) == sum(len(names) for floors in FLOORS.values() for names in floors)


@every_module
def test_imports_go_down(path):
    own = room(path)
    if own[1] == "__init__":
        return
    for other in rooms_imported(path) - {own}:
        assert FLOOR[other] < FLOOR[own], f"{own} imports {other}"


@pytest.mark.parametrize(
    "path", [path for path in MODULES if room(path)[0] == "permtree"], ids=lambda path: str(path.relative_to(ROOT))
)
def test_no_parser_is_imported(path):
    assert not {name.split(".")[0] for name in imported(path)} & NEVER


def test_what_entry_points_name_loads_without_heavy_libraries():
    ours = [point for point in metadata.entry_points(group="permtree.parsers") if point.value.startswith("parsers.")]
    assert {point.name for point in ours} >= {"biaffine", "arc-hybrid", "supar-biaffine", "udpipe", "left"}
    modules = sorted({point.module for point in ours})
    heavy = "{'torch', 'supar', 'transformers', 'ufal', 'safetensors', 'scipy'}"
    code = f"import sys, {', '.join(modules)}; assert not {heavy} & set(sys.modules), {heavy} & set(sys.modules)"
    subprocess.run([sys.executable, "-c", code], check=True, cwd=ROOT)


def test_the_package_itself_imports_nothing_when_it_is_imported():
    tree = ast.parse((ROOT / "permtree" / "__init__.py").read_text(encoding="utf-8"))
    names = [node.module for node in tree.body if isinstance(node, ast.ImportFrom)]
    assert names == ["__future__", "typing"]


@every_module
def test_no_module_is_long(path):
    assert len(path.read_text(encoding="utf-8").splitlines()) < LONGEST
