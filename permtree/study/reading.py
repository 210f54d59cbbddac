"""Read a study from its TOML file, all of it checked."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, fields, replace
from functools import partial
from itertools import product
from pathlib import Path
from typing import Any

from ..configuration import checked, configured, read_toml, setting
from ..errors import UsageError
from ..evaluation.arcs import CONVENTIONS, check_convention
from ..measures import MEASURES
from ..parsing import Parser, parser_class
from ..parsing.models import settings_of
from ..permuters import PERMUTERS, with_files_within
from ..profiles import DEFAULT_PROFILE, KINDS, PROFILES, profile_with
from ..registry import suggestion
from ..treebank.splitting import read_ratio
from .definition import PARTS, OrderEntry, ParserEntry, Study, TreebankEntry, baseline_of

PROPERTIES = (
    "mean_sentence_length",
    "dlm_ratio",
    "arc_direction_entropy",
    "sibling_order_entropy",
    "nonprojective_arcs",
    "nonprojective_sentences",
    "branching_factor",
)
LONGEST = 64  # characters of a name: names of files are made of three of them
_TABLES = ("treebanks", "orders", "parsers")
_NAME = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_+=-]*")
_MARKS = re.compile(r"[^A-Za-z0-9_+=.-]")


@dataclass(frozen=True)
class _Top:
    question: str = setting("", "what the study asks")
    folder: str = setting(".", "where the treebanks are, in relation to the study's file")
    seeds: tuple[int, ...] = setting((0,), "of trainings")
    profile: str = setting(DEFAULT_PROFILE, "policies and conventions", choices=tuple(PROFILES))
    measures: tuple[str, ...] = setting(PROPERTIES, "properties of the training part")
    convention: str = setting("all", "which words count", choices=CONVENTIONS)
    sentences: int = setting(0, "sentences drawn from each train; 0: all", within=(0, 2**31))
    words: int = setting(0, "words of sentences drawn from each train; 0: all", within=(0, 2**31))


@dataclass(frozen=True)
class _Parser:
    parser: str = setting("", "a name of `permtree list parsers`")
    preset: str = setting("", "named settings")
    device: str = setting("cpu", "where it is trained and parses", choices=("cpu", "cuda"))


def read_study(path: str | Path, folder: str | Path | None = None) -> Study:
    """A study from its file. folder: where the treebanks are, instead of what the file says.

    Raises UsageError for what can't be read, for an unknown key (with the nearest known one), and for values that
    don't fit. Treebank files are not looked at.
    """
    path = Path(path)
    content = read_toml(path, "study")
    _check_keys(content, [*(one.name for one in fields(_Top)), *_TABLES, "policies", "pairs"], str(path))
    content.setdefault("parsers", {})
    tables = {name: _tables(content.pop(name, None), f"{path}: {name}") for name in _TABLES}
    policies = _table(content.pop("policies", {}), f"{path}: policies")
    pairs = content.pop("pairs", None)
    top = configured(_Top, (str(path), content))
    if not top.seeds or not all(_is_seed(seed) for seed in top.seeds) or len(set(top.seeds)) < len(top.seeds):
        raise UsageError(f"{path}: seeds = {list(top.seeds)}: name different whole numbers from 0 on")
    policies = checked(KINDS, f"{path}: policies", policies)
    with _named(f"{path}: policies"):
        if top.profile == DEFAULT_PROFILE:  # what is stripped could not be parsed, nor given back
            policies = {"punct": "final", **policies}
        profile = profile_with(top.profile, **policies)
        check_convention(top.convention, profile.policies.punct_tag)
    with _named(f"{path}: measures"):
        measures = tuple(dict.fromkeys([*PROPERTIES, *(MEASURES[name].name for name in top.measures)]))
    orders = dict(_orders(tables["orders"], path))
    parsers = {name: _parser(name, table, path) for name, table in tables["parsers"].items()}
    return Study(
        name=path.stem,
        path=path,
        text=path.read_text(encoding="utf-8"),
        question=" ".join(top.question.split()),
        folder=Path(folder) if folder is not None else path.parent / top.folder,
        treebanks={name: _treebank(name, table, path, top) for name, table in tables["treebanks"].items()},
        orders=orders,
        parsers=parsers,
        seeds=top.seeds,
        profile=profile,
        profile_name=top.profile,
        measures=measures,
        convention=top.convention,
        pairs=_pairs(pairs, orders, path),
    )


@contextmanager
def _named(where: str) -> Iterator[None]:
    """A UsageError from within gets a beginning that says where in the file it is about."""
    try:
        yield
    except UsageError as error:
        raise UsageError(f"{where}: {str(error).removeprefix('--')}") from None
    except OverflowError:
        raise UsageError(f"{where}: a number is too large") from None


def _is_seed(value: Any) -> bool:
    return type(value) is int and 0 <= value < 2**63


def _check_keys(table: Mapping[str, Any], known: list[str], where: str) -> None:
    for key in table:
        if key not in known:
            raise UsageError(f"{where}: unknown key '{key}'{suggestion(key, known)}")


def _check_length(name: str, where: str) -> None:
    if len(name) > LONGEST:
        raise UsageError(f"{where}: a name of more than {LONGEST} characters; give it a shorter one")


def _table(content: Any, where: str) -> dict[str, Any]:
    if not isinstance(content, dict):
        raise UsageError(f"{where}: must be a table")
    return content


def _tables(content: Any, where: str) -> dict[str, dict[str, Any]]:
    if content == {} and where.endswith(": parsers"):
        return {}  # orders are made and measured all the same
    if not content:
        raise UsageError(f"{where}: none; write [{where.rpartition(' ')[2]}.NAME]")
    for name, table in _table(content, where).items():
        if not _NAME.fullmatch(name):
            raise UsageError(f"{where}.{name}: names are made of letters, digits, _, -, + and =")
        _check_length(name, f"{where}.{name}")
        _table(table, f"{where}.{name}")
    return content


def _treebank(name: str, table: dict[str, Any], path: Path, top: _Top) -> TreebankEntry:
    where = f"{path}: treebanks.{name}"
    listed = {
        key: [value] if isinstance(value, str) and key in (*PARTS, "files") else value for key, value in table.items()
    }
    caps = {"sentences": top.sentences, "words": top.words}
    entry = configured(TreebankEntry, (str(path), caps), (where, listed))
    named = {key for key in (*PARTS, "files", "split") if getattr(entry, key)}
    if not (named & {"train", "test"} and named <= set(PARTS)) and named != {"files", "split"}:
        raise UsageError(f"{where}: name train or test or both (and dev), or files and split")
    with _named(f"{where}: split"):
        if entry.split and len(read_ratio(entry.split)) not in (2, 3):
            raise UsageError(f"'{entry.split}': two or three numbers, as in 9:1 or 8:1:1")
    with _named(f"{where}: dev_split"):
        if entry.dev_split and len(read_ratio(entry.dev_split)) != 2:
            raise UsageError(f"'{entry.dev_split}': two numbers, as in 9:1")
    if "split_by" in table and not (entry.split or entry.dev_split):
        raise UsageError(f"{where}: split_by: nothing is split; write split or dev_split too")
    if entry.dev_split and (entry.dev or entry.split.count(":") == 2):
        raise UsageError(f"{where}: dev_split: there is a dev part already")
    if entry.dev_split and not (entry.train or entry.files):
        raise UsageError(f"{where}: dev_split: there is no training part")
    return entry


def _orders(tables: dict[str, dict[str, Any]], path: Path) -> Iterator[tuple[str, OrderEntry]]:
    """All orders, an order with lists of values as one order for each of them."""
    seen: set[str] = set()
    for name, table in tables.items():
        where = f"{path}: orders.{name}"
        rest = {key.replace("_", "-"): value for key, value in table.items()}
        mode, seed = rest.pop("mode", name), rest.pop("seed", 0)
        if not isinstance(mode, str):
            raise UsageError(f"{where}: mode = {mode!r} must be a string")
        lists = {key: value for key, value in rest.items() if isinstance(value, list)}
        if not all(lists.values()):
            raise UsageError(f"{where}: {next(key for key in lists if not lists[key])} = []: name a value or several")
        for values in product(*lists.values()):
            chosen = dict(zip(lists, values, strict=True))
            given = tuple((key, chosen.get(key, value)) for key, value in rest.items())
            own = name + "".join(f"-{key}={_MARKS.sub('_', str(value))}" for key, value in chosen.items())
            with _named(where):
                dial = _dial(list(chosen.values()))
            entry = OrderEntry(mode, given, seed, name if lists else "", dial)
            _check_length(own, f"{path}: orders.{own}")
            if own in seen:
                raise UsageError(f"{where}: two orders named '{own}'")
            seen.add(own)
            yield own, _with_paths(entry, where, path)


def _dial(chosen: list[Any]) -> float | None:
    """The number that is chosen from the one list of an order."""
    return float(chosen[0]) if len(chosen) == 1 and type(chosen[0]) in (int, float) else None


def _beside(path: Path, name: str) -> str:
    """A file that is named in relation to the study's own folder, from wherever the run is started."""
    return str((path.parent / name).absolute())


def _with_paths(entry: OrderEntry, where: str, path: Path) -> OrderEntry:
    """The same with files in relation to the study's own folder; UsageError where it can't be used."""
    with _named(where):
        known = PERMUTERS[entry.mode].options
        options = []
        for key, value in entry.options:
            is_path = key in known and known[key].metadata["is_path"]
            if is_path and not isinstance(value, str):
                raise UsageError(f"{key} = {value!r} must name a file")
            beside = partial(_beside, path)
            options.append((key, beside(value) if is_path else with_files_within(value, beside)))
        if not _is_seed(entry.seed):
            raise UsageError(f"seed = {entry.seed!r} must be a whole number from 0 on")
        PERMUTERS[entry.mode].configured(dict(options))
    return replace(entry, options=tuple(options))


def _parser(name: str, table: dict[str, Any], path: Path) -> ParserEntry:
    where = f"{path}: parsers.{name}"
    table = dict(table)
    settings = _table(table.pop("settings", {}), f"{where}.settings")
    _check_keys(table, [*(one.name for one in fields(_Parser)), "settings"], where)
    entry = configured(_Parser, (where, table))
    with _named(where):
        kind = _parser_class(entry.parser or name)
        config = settings_of(kind, entry.preset or None, ("settings", settings))
        paths = [one.name for one in fields(kind.Config) if one.metadata.get("is_path")]
        resolved = {key: _beside(path, value) for key in paths if (value := getattr(config, key))}
    return ParserEntry(kind.name, replace(config, **resolved) if resolved else config, entry.device)


def _parser_class(name: str) -> type[Parser]:
    try:
        return parser_class(name)
    except (ImportError, AttributeError) as error:  # of another package
        raise UsageError(f"the parser {name} can't be loaded: {error}") from None


def _pairs(given: Any, orders: Mapping[str, OrderEntry], path: Path) -> tuple[tuple[str, str], ...]:
    """The pairs of orders that are compared; by default each one with the baseline, and left- with right-branching."""
    if given is None:
        first = baseline_of(orders)
        others = [name for name in orders if name != first]
        by_mode = {entry.mode: name for name, entry in orders.items()}
        mirrored = [(by_mode["lb"], by_mode["rb"])] if {"lb", "rb"} <= set(by_mode) else []
        return tuple(dict.fromkeys([(first, other) for other in others] + mirrored))
    if not isinstance(given, list) or not all(isinstance(pair, list) and len(pair) == 2 for pair in given):
        raise UsageError(f'{path}: pairs: a list of pairs of orders, as in [["original", "optdl"]]')
    for name in (name for pair in given for name in pair):
        if name not in list(orders):  # it may be anything
            raise UsageError(f"{path}: pairs: no order named '{name}'{suggestion(str(name), list(orders))}")
    for a, b in given:
        if a == b:
            raise UsageError(f"{path}: pairs: {a} with itself: name two orders")
    return tuple((a, b) for a, b in given)
