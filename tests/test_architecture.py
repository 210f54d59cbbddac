"""The house has floors: a folder imports only from floors below its own, inside functions too.

Run as a script, this prints the map of CONTRIBUTING.md.
"""

from __future__ import annotations

import ast
import configparser
import subprocess
import sys
import textwrap
from collections.abc import Iterator
from importlib import metadata
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
HOMES = {"permtree": ROOT / "permtree", "permtree_parsers": ROOT / "parsers" / "permtree_parsers"}
LONGEST = 600  # lines
# permtree knows no parser (they are found by entry point), and loads what is heavy only where a user asks for it
NEVER = {"torch", "supar", "permtree_parsers", "pandas", "pyarrow", "matplotlib"}
# From the ground up. Folders (and modules beside them) on one floor don't import each other.
FLOORS = {
    "permtree": [
        {"legible", "bars"},
        {"_version", "errors", "types", "tables", "signature"},
        {"registry", "function", "inside"},
        {"configuration", "kernels"},
        {"conllu"},
        {"treebank", "parallel", "folders"},
        {"editing"},
        {"evaluation", "fetching", "measures", "parsing", "pictures"},
        {"profiles"},
        {"permuters", "measuring", "pairing", "document", "neural"},
        {"permuting"},
        {"study"},
        {"report"},
        {"commands"},
        {"cli"},
        {"__main__", "__init__"},
    ],
    "permtree_parsers": [
        {"__init__", "folder", "plain", "arborescence", "transitions", "supar_internals", "relations"},
        {"projective", "supar_adapter", "udpipe", "baselines", "parser_network"},
        {"network_parser"},
        {"biaffine", "arc_hybrid"},
        {"biaffine_network", "arc_hybrid_network"},
    ],
}
FLOOR = {(house, name): number for house in FLOORS for number, names in enumerate(FLOORS[house]) for name in names}
# What a folder may import at most, where that says more than its floor.
ONLY = {
    "kernels": {"errors", "registry", "types"},
    "conllu": {"errors", "registry", "types", "kernels"},
    "function": {"errors", "types"},
    "document": {"errors", "tables", "types", "pictures"},
}
OF_TREES = {"ROOT", "NO_HEAD"}  # all that conllu knows of trees: what a HEAD says
MODULES = sorted(path for home in HOMES.values() for path in home.rglob("*.py"))


def house_of(path: Path) -> str:
    return next(house for house, home in HOMES.items() if home in path.parents)


def parts_of(path: Path) -> tuple[str, ...]:
    """The dotted name of a module, in parts."""
    house = house_of(path)
    return (house, *path.relative_to(HOMES[house]).with_suffix("").parts)


def room(path: Path) -> tuple[str, str]:
    """The house of a file, and there the module, or the folder that it is in."""
    return parts_of(path)[:2]  # type: ignore[return-value]


def imported(path: Path) -> Iterator[tuple[str, ...]]:
    """Full names of all that a module imports, wherever it does, in parts."""
    package = parts_of(path)[:-1]
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (tuple(name.name.split(".")) for name in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = package[: len(package) - node.level + 1] if node.level else ()
            start = (*base, *(node.module.split(".") if node.module else ()))
            yield from ((*start, name.name) for name in node.names)


def rooms_imported(path: Path) -> set[tuple[str, str]]:
    """Of those, the rooms of the module's own house but its own."""
    house, own = room(path)
    inside = {name[1] for name in imported(path) if name[0] == house and len(name) > 1}
    return {(house, name if (house, name) in FLOOR else "__init__") for name in inside} - {(house, own)}


def opening(folder: Path) -> str:
    """The first sentence of a folder's (or module's) docstring."""
    file = folder / "__init__.py" if folder.is_dir() else folder.with_suffix(".py")
    text = ast.get_docstring(ast.parse(file.read_text(encoding="utf-8"))) or ""
    return " ".join(text.split("\n\n")[0].split())


def printed_map() -> str:
    """The folders of permtree from the top down, each with its sentence."""
    lines = []
    for names in reversed(FLOORS["permtree"]):
        for name in sorted(filter(is_folder, names)):
            lines += textwrap.wrap(
                opening(HOMES["permtree"] / name),
                116,
                initial_indent=f"    {name + '/':<14}",
                subsequent_indent=" " * 18,
            )
    return "\n".join(lines)


def is_folder(name: str) -> bool:
    return (HOMES["permtree"] / name).is_dir()


every_module = pytest.mark.parametrize("path", MODULES, ids=lambda path: "/".join(parts_of(path)))


def test_every_room_has_its_floor():
    assert {room(path) for path in MODULES} == set(FLOOR)
    assert len(FLOOR) == sum(len(names) for floors in FLOORS.values() for names in floors)


@every_module
def test_imports_go_down(path):
    own = room(path)
    if own[1] == "__init__":
        return
    for other in rooms_imported(path):
        assert FLOOR[other] < FLOOR[own], f"{'.'.join(own)} imports {'.'.join(other)}"


@pytest.mark.parametrize("folder", ONLY)
def test_what_a_folder_does_not_know(folder):
    for path in (HOMES["permtree"] / folder).rglob("*.py"):
        assert {name for _, name in rooms_imported(path)} <= ONLY[folder], path.name


def test_the_readers_know_no_tree():
    for path in (HOMES["permtree"] / "conllu").rglob("*.py"):
        of_trees = [name[-1] for name in imported(path) if name[:3] == ("permtree", "kernels", "trees")]
        assert set(of_trees) <= OF_TREES, path.name


# Who makes a treebank of bytes: what comes from a file, a download, another process or another library.
READERS = {
    "permtree.treebank.__init__": {"from_conllu", "from_heads"},
    "permtree.fetching.__init__": {"_read"},
    "permtree.study.computing": {"_read"},
}


def test_only_readers_read_bytes():
    """What has a treebank goes on with a view of it (`in_order`, `of_sentences`, `with_arcs`), and writes no bytes."""
    found: dict[str, set[str]] = {}
    for path in MODULES:
        text = path.read_text(encoding="utf-8")
        for function in ast.walk(ast.parse(text)) if "from_bytes(" in text else ():
            code = ast.unparse(function) if isinstance(function, ast.FunctionDef) else ""
            if "Treebank.from_bytes(" in code or "cls.from_bytes(" in code:
                found.setdefault(".".join(parts_of(path)), set()).add(function.name)
    assert found == READERS


@pytest.mark.parametrize("path", [path for path in MODULES if room(path)[0] == "permtree"], ids=lambda path: path.stem)
def test_no_parser_is_imported(path):
    """But for what neural learners share, which nothing else in permtree imports."""
    names = {name[0] for name in imported(path)}
    if room(path)[1] == "neural":
        assert not names & (NEVER - {"torch"})
    else:
        assert not names & NEVER
        assert ("permtree", "neural") not in rooms_imported(path)


def test_every_folder_is_told_in_one_sentence():
    for folder in filter(is_folder, (name for names in FLOORS["permtree"] for name in names)):
        text = opening(HOMES["permtree"] / folder)
        assert text.endswith(".") and len(text) <= 240, folder


def test_contributing_has_the_map():
    assert printed_map() in (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8"), printed_map()


def test_every_folder_is_installed():
    config = configparser.ConfigParser()
    config.read(ROOT / "setup.cfg", encoding="utf-8")
    installed = set(config["options"]["packages"].split())
    assert installed == {".".join(parts_of(path)[:-1]) for path in MODULES}


def test_what_entry_points_name_loads_without_heavy_libraries():
    ours = [point for point in metadata.entry_points(group="permtree.parsers") if "permtree_parsers." in point.value]
    assert {point.name for point in ours} >= {"biaffine", "arc-hybrid", "supar-biaffine", "udpipe", "left"}
    modules = sorted({point.module for point in ours})
    heavy = "{'torch', 'supar', 'transformers', 'ufal', 'safetensors', 'scipy'}"
    code = f"import sys, {', '.join(modules)}; assert not {heavy} & set(sys.modules), {heavy} & set(sys.modules)"
    subprocess.run([sys.executable, "-c", code], check=True)


def test_the_package_itself_imports_nothing_when_it_is_imported():
    tree = ast.parse((ROOT / "permtree" / "__init__.py").read_text(encoding="utf-8"))
    names = [node.module for node in tree.body if isinstance(node, ast.ImportFrom)]
    assert names == ["__future__", "typing", "_version"]


@every_module
def test_no_module_is_long(path):
    assert len(path.read_text(encoding="utf-8").splitlines()) <= LONGEST


def names_defined(path: Path) -> Iterator[str]:
    """Public classes and type aliases (capitalised, but not in capitals alone) at the top of a module."""
    nodes = list(ast.parse(path.read_text(encoding="utf-8")).body)
    for node in nodes:
        if isinstance(node, ast.If):
            nodes += [*node.body, *node.orelse]
        targets = node.targets if isinstance(node, ast.Assign) else [getattr(node, "target", None)]
        found = [target.id for target in targets if isinstance(target, ast.Name)]
        found += [node.name] if isinstance(node, ast.ClassDef) else []
        yield from (name for name in found if name[0].isupper() and not name.isupper())


def test_one_name_is_one_thing():
    homes: dict[str, set[str]] = {}
    for path in MODULES:
        for name in names_defined(path):
            homes.setdefault(name, set()).add(".".join(parts_of(path)))
    assert {"Treebank", "Report", "Tell", "Ints"} <= set(homes)  # classes and aliases are found
    assert {name: where for name, where in homes.items() if len(where) > 1} == {}


if __name__ == "__main__":
    print(printed_map())
