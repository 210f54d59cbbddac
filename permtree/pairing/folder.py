"""A folder of tables, as TSV or Parquet, and a JSON file that says what they are about: written whole, read checked."""

from __future__ import annotations

import io
from collections.abc import Mapping
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np

from .._version import __version__
from ..conllu.files import atomic_output
from ..errors import UsageError
from ..folders import About, file_digest, is_half_written
from ..inside import inside
from ..registry import suggestion
from ..tables import read_tsv, tsv
from ..treebank.frames import to_arrow
from ..types import Columns

FORMATS = ("tsv", "parquet")
ABOUT = About("pairs.json", 3, "make the folder again with permtree pairs")  # 1 had no digests, 2 no interveners
DAMAGE = (ValueError, KeyError, TypeError, AttributeError, IndexError, OverflowError, NotImplementedError)
Kinds = Mapping[str, type]  # the columns of a table in their order: str, int, float or bool


def write_tables(
    folder: str | Path, style: str, about: dict[str, Any], tables: dict[str, tuple[Kinds, Columns]]
) -> None:
    """Write tables, each into NAME.tsv or NAME.parquet, and in the end what they are about.

    The folder is made if need be; tables that it holds from before are replaced. Raises UsageError where it holds
    anything else, for an unknown style, and where pyarrow isn't installed.
    """
    folder = Path(folder)
    check_folder(folder, style, list(tables))
    if style == "parquet":
        _parquet()  # before anything is removed
    folder.mkdir(parents=True, exist_ok=True)
    (folder / ABOUT.name).unlink(missing_ok=True)  # so that half a folder is never taken for a whole one
    content: dict[str, Any] = {**about, "tables": style, "rows": {}, "digests": {}, "permtree": __version__}
    for name, (kinds, columns) in tables.items():
        for other in FORMATS:
            if other != style:
                (folder / f"{name}.{other}").unlink(missing_ok=True)
        path = folder / f"{name}.{style}"
        with atomic_output(str(path), follow=False) as out:
            if style == "tsv":
                out.write(_as_tsv(kinds, columns))
            else:
                _parquet().write_table(to_arrow(columns), out)
        content["rows"][name] = len(columns[next(iter(kinds))])
        content["digests"][name] = file_digest(path)
    ABOUT.write(folder, content)


def check_folder(folder: str | Path, style: str, names: list[str]) -> None:
    """UsageError for a folder that can't be written to without loss, or an unknown style."""
    if style not in FORMATS:
        raise UsageError(f"--format '{style}'{suggestion(style, list(FORMATS))}")
    folder = Path(folder)
    if not folder.exists():
        return
    if not folder.is_dir():
        raise UsageError(f"{folder}: is a file; name a folder")
    ours = {ABOUT.name, *(f"{name}.{own}" for name in names for own in FORMATS)}
    other = sorted(path.name for path in folder.iterdir() if path.name not in ours and not is_half_written(path.name))
    if other:
        raise UsageError(f"{folder}: holds something else ({other[0]}): name a new folder")


def read_tables(folder: str | Path, tables: dict[str, Kinds]) -> tuple[dict[str, Any], dict[str, Columns]]:
    """What `write_tables` wrote. Raises UsageError for a folder that holds none, or damaged ones."""
    folder = Path(folder)
    if not (folder / ABOUT.name).is_file():
        what = f"no {ABOUT.name} in it" if folder.is_dir() else "is a file" if folder.exists() else "no such folder"
        raise UsageError(f"{folder}: {what}: name a folder that `permtree pairs` wrote")
    about = ABOUT.read(folder)
    if about["format"] < ABOUT.format:
        earlier = "written by an earlier version of permtree"
        raise UsageError(f"{folder / ABOUT.name}: {earlier}: {ABOUT.remedy}")
    style = about.get("tables")
    if style not in FORMATS:
        raise ABOUT.damaged(folder)
    if style == "parquet":
        _parquet()
    found = {}
    for name, kinds in tables.items():
        path = inside(folder, f"{name}.{style}")
        try:
            if about["digests"][name] != file_digest(path):
                raise ValueError("not what was written")
            found[name] = _read_tsv(path, kinds) if style == "tsv" else _read_parquet(path, kinds)
            if about["rows"][name] != len(found[name][next(iter(kinds))]):
                raise ValueError("other rows than were written")
        except OSError as fault:
            raise UsageError(f"{path}: {fault.strerror or fault}") from None
        except DAMAGE:
            raise ABOUT.damaged(folder, path.name) from None
    return about, found


# -- TSV ---------------------------------------------------------------------------------------------------------------


def _as_tsv(kinds: Kinds, columns: Columns) -> bytes:
    cells = [_cells(kind, columns[name]) for name, kind in kinds.items()]
    return tsv([list(kinds), *zip(*cells, strict=True)]).encode()


def _cells(kind: type, values: Any) -> list[str]:
    listed = values if isinstance(values, list) else values.tolist()
    if kind is str:
        return listed
    if kind is bool:
        return ["true" if value else "false" for value in listed]
    if kind is float:
        return [repr(value) if value == value else "n/a" for value in listed]
    return list(map(str, listed))


def _read_tsv(path: Path, kinds: Kinds) -> Columns:
    header, *rows = read_tsv(path.read_bytes().decode("utf-8"))
    if header != list(kinds):
        raise ValueError("other columns")
    if any(len(row) != len(kinds) for row in rows):
        raise ValueError("rows of other lengths")
    columns = list(zip(*rows, strict=True)) if rows else [()] * len(kinds)
    return {name: _of_kind(kind, _values(kind, own)) for (name, kind), own in zip(kinds.items(), columns, strict=True)}


def _values(kind: type, cells: Any) -> list[Any]:
    if kind is str:
        return list(cells)
    if kind is bool:
        return [{"true": True, "false": False}[cell] for cell in cells]
    if kind is float:
        return [float("nan") if cell == "n/a" else float(cell) for cell in cells]
    return list(map(int, cells))


def _of_kind(kind: type, values: list[Any]) -> Any:
    """An array, of dtype object for texts."""
    if kind is str:
        texts = np.empty(len(values), object)
        texts[:] = values
        return texts
    return np.array(values, {int: np.int64, float: np.float64, bool: np.bool_}[kind])


# -- Parquet -----------------------------------------------------------------------------------------------------------


def _parquet() -> Any:
    try:
        return import_module("pyarrow.parquet")
    except ImportError:
        raise UsageError("pyarrow is not installed: pip install pyarrow, or choose --format tsv") from None


def _read_parquet(path: Path, kinds: Kinds) -> Columns:
    table = _parquet().read_table(io.BytesIO(path.read_bytes()))
    if table.column_names != list(kinds):
        raise ValueError("other columns")
    return {name: _of_kind(kind, table.column(name).to_pylist()) for name, kind in kinds.items()}
