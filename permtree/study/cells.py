"""The cells of a study: each a pure function of its inputs, named by a hash of all that it depends on."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from fnmatch import fnmatchcase
from functools import cached_property
from importlib import metadata
from pathlib import Path
from typing import Any

from .._version import __version__
from ..configuration import add_file, as_json, digest_of_files
from ..errors import UsageError
from ..parsing import parser_class
from ..permuters import PERMUTERS, source_among, with_files_within
from ..registry import suggestion
from .definition import OrderEntry, ParserEntry, Study, TreebankEntry
from .shapes import KINDS

FORMAT = 2  # another number, and all cells are computed again


@dataclass(frozen=True, eq=False)
class Cell:
    """One thing to compute. kind: of KINDS; label: treebank.order.parser.seed, as far as it depends on them.

    parameters: all that it depends on beside `inputs`, which are other cells by name; key: a hash of both, hexadecimal.
    place: the names that the label is made of, by what they name.
    """

    kind: str
    place: Mapping[str, Any]
    parameters: Mapping[str, Any]
    inputs: Mapping[str, Cell] = field(default_factory=dict)

    @property
    def label(self) -> str:
        return ".".join(str(name) for name in self.place.values())

    @cached_property
    def key(self) -> str:
        return key_of(self.kind, self.parameters, {name: cell.key for name, cell in self.inputs.items()})

    def __str__(self) -> str:
        return f"{self.kind} {self.label}"

    def fits(self, pattern: str) -> bool:
        """Whether a pattern names this cell: its kind, one of its names, or its label, with * and ?."""
        names = [self.kind, self.label, *map(str, self.place.values())]
        return any(fnmatchcase(name, pattern) for name in names)


def key_of(kind: str, parameters: Mapping[str, Any], inputs: Mapping[str, str]) -> str:
    """The key of a cell. inputs: keys of other cells, by name."""
    content = json.dumps([FORMAT, kind, parameters, inputs], sort_keys=True)
    return hashlib.blake2b(content.encode(), digest_size=12).hexdigest()


@dataclass(frozen=True)
class Grid:
    """All cells of a study, each after those it needs, and the treebanks that are left out.

    absent: what is missing of a treebank, by its name; optional: of those, the names that the study can do without.
    """

    study: Study
    cells: tuple[Cell, ...]
    absent: Mapping[str, str]
    optional: frozenset[str]

    def chosen(self, patterns: Iterable[str]) -> tuple[Cell, ...]:
        """The cells that fit one of the patterns, and those they need; all without patterns. UsageError if none."""
        patterns = tuple(patterns)
        needed: dict[str, Cell] = {}
        for pattern in patterns:
            fitting = [cell for cell in self.cells if cell.fits(pattern)]
            if not fitting:
                study = self.study
                for name in self.absent:
                    if fnmatchcase(name, pattern):
                        raise UsageError(f"--only '{pattern}' fits no cell: {self.absent[name]}")
                known = [*study.treebanks, *study.orders, *study.parsers, *KINDS]
                raise UsageError(f"--only '{pattern}' fits no cell{suggestion(pattern, known)}")
            for cell in fitting:
                needed.update((one.key, one) for one in with_needs(cell))
        return tuple(cell for cell in self.cells if cell.key in needed) if patterns else self.cells


def with_needs(cell: Cell) -> list[Cell]:
    """A cell and all that it needs, itself last."""
    return [one for needed in cell.inputs.values() for one in with_needs(needed)] + [cell]


def grid_of(study: Study) -> Grid:
    """The cells of a study. Hashes the files that it names; reads those that orders name to learn from."""
    cells: list[Cell] = []
    absent: dict[str, str] = {}
    orders = {name: _order_parameters(order) for name, order in study.orders.items()}
    parsers = {name: _parser_parameters(parser) for name, parser in study.parsers.items()}
    for name, entry in study.treebanks.items():
        try:
            source = _source_parameters(entry, study.folder)
        except OSError as fault:
            absent[name] = f"{fault.filename}: {fault.strerror}"
            continue
        for order, made in orders.items():
            cells += _cells_of_order(study, name, order, {**source, **made}, parsers)
    optional = frozenset(name for name in absent if study.treebanks[name].optional)
    return Grid(study, tuple(cells), absent, optional)


def _cells_of_order(
    study: Study, treebank: str, order: str, made: dict[str, Any], parsers: Mapping[str, dict[str, Any]]
) -> list[Cell]:
    """The cells of a treebank in one order."""
    profile = study.profile
    policies = {**profile.policies.__dict__}
    place: dict[str, Any] = {"treebank": treebank, "order": order}
    permute = Cell("permute", place, {**made, "policies": policies, "permtree": __version__})
    entry = study.treebanks[treebank]
    wanted = {"measures": study.measures, "conventions": profile.conventions.__dict__, "policies": policies}
    wanted["part"] = entry.measured
    cells = [permute, Cell("measure", place, {**wanted, "permtree": __version__}, {"permuted": permute})]
    for parser, parameters in ({} if entry.lacking else parsers).items():
        for seed in study.seeds:
            own = {**place, "parser": parser, "seed": seed}
            train = Cell("train", own, {**parameters, "seed": seed}, {"permuted": permute})
            predict = Cell("predict", own, {"device": parameters["device"]}, {"permuted": permute, "model": train})
            scoring = {"convention": study.convention, "punct_tag": profile.policies.punct_tag}
            evaluate = Cell("evaluate", own, scoring, {"permuted": permute, "predicted": predict})
            cells += [train, predict, evaluate]
    return cells


def check_unchanged(cell: Cell, study: Study) -> None:
    """UsageError where files or libraries that a cell depends on are no longer what its key was made of."""
    if cell.kind == "permute":
        source = _source_parameters(study.treebanks[cell.place["treebank"]], study.folder)
        now = {**source, **_order_parameters(study.orders[cell.place["order"]])}
    elif cell.kind == "train":
        now = _parser_parameters(study.parsers[cell.place["parser"]])
    else:
        return
    if any(cell.parameters[name] != value for name, value in now.items()):
        raise UsageError("files or libraries that it depends on have changed since the run began: run again")


def _source_parameters(entry: TreebankEntry, folder: Path) -> dict[str, Any]:
    files = {part: [_digest(folder / name) for name in names] for part, names in entry.sources().items()}
    names = ("split", "dev_split", "split_seed", "sentences", "words")
    # named where it isn't the default, so that cells of studies that know no such key keep theirs
    by = {"split_by": entry.split_by} if entry.split_by != "sentence" else {}
    return {"files": files, **{name: getattr(entry, name) for name in names}, **by}


def _order_parameters(order: OrderEntry) -> dict[str, Any]:
    permuter = PERMUTERS[order.mode]
    known = permuter.options
    config = permuter.configured(dict(order.options))
    given = {
        name: _named_by_content(value)
        if known[name].metadata["is_path"]
        else with_files_within(value, _listed_by_content)
        for name, value in order.options
        if value != known[name].default  # a default that is written out changes nothing
    }
    source = source_among(config)
    if source is not None:  # also one that a mode within names
        given["source"] = hashlib.blake2b(source.treebank().text.data, digest_size=12).hexdigest()
    seed = order.seed if permuter.uses_seed(config) else None
    return {"mode": order.mode, "options": given, "seed": seed}


def _named_by_content(path: str) -> list[str]:
    return [Path(path).name, _digest(Path(path))]


def _listed_by_content(path: str) -> str:
    return " ".join(_named_by_content(path))


def _parser_parameters(entry: ParserEntry) -> dict[str, Any]:
    kind = parser_class(entry.parser)
    files = digest_of_files(entry.config)
    return {
        "parser": kind.name,
        "config": as_json(replace(entry.config, **dict.fromkeys(files, ""))),  # wherever they are
        "files": files,
        "device": entry.device,
        "permtree": __version__,
        "versions": {name: _version(name) for name in kind.libraries},
    }


def _version(package: str) -> str | None:
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return None  # the cells that need it will say so


def _digest(path: Path) -> str:
    whole = hashlib.blake2b(digest_size=12)
    add_file(whole, path)
    return whole.hexdigest()
