"""Settings as frozen dataclasses: read from TOML or from key=value, checked against the fields' types."""

from __future__ import annotations

import hashlib
import sys
from collections.abc import Iterable, Mapping
from dataclasses import asdict, field, fields
from pathlib import Path
from typing import Any, TypeVar, get_args, get_origin, get_type_hints

from .errors import UsageError
from .registry import suggestion

T = TypeVar("T")


def setting(
    default: Any,
    about: str,
    choices: tuple[str, ...] = (),
    within: tuple[float, float] | None = None,
    is_path: bool = False,
) -> Any:
    """A field of a config: its default, what it is, the values that it may have, and whether it names a file or folder
    (an empty one: none)."""
    return field(default=default, metadata={"about": about, "choices": choices, "within": within, "is_path": is_path})


def configured(kind: type[T], *layers: tuple[str, Mapping[str, Any]]) -> T:
    """Settings of a kind from layers, each with the name of where it comes from; a later one wins.

    Raises UsageError for an unknown key, with the nearest known one, and for a value of another type or that isn't
    among the field's choices. A whole number serves as a float.
    """
    hints = get_type_hints(kind)
    known = {field.name: field for field in fields(kind)}  # type: ignore[arg-type]
    chosen: dict[str, Any] = {}
    for where, layer in layers:
        for key, value in layer.items():
            if key not in known:
                raise UsageError(f"{where}: unknown key '{key}'{suggestion(key, sorted(known))}")
            chosen[key] = _checked(where, key, value, hints[key])
            choices = known[key].metadata.get("choices")
            if choices and chosen[key] not in choices:
                raise UsageError(f"{where}: {key} = {value!r}{suggestion(str(value), list(choices))}")
            within = known[key].metadata.get("within")
            if within and not within[0] <= chosen[key] <= within[1]:
                raise UsageError(f"{where}: {key} = {value!r} must be from {within[0]:g} to {within[1]:g}")
    return kind(**chosen)


def _checked(where: str, key: str, value: Any, kind: Any) -> Any:
    if get_origin(kind) is tuple:
        part = get_args(kind)[0]
        if isinstance(value, (list, tuple)) and all(type(one) is part for one in value):
            return tuple(value)
        parts = "strings" if part is str else "whole numbers"
        raise UsageError(f"{where}: {key} = {value!r} must be a list of {parts}")
    if kind is float and isinstance(value, int) and not isinstance(value, bool):
        return float(value)
    if isinstance(value, kind) and (kind is bool or not isinstance(value, bool)):
        return value
    names = {int: "a whole number", float: "a number", bool: "true or false", str: "a string"}
    raise UsageError(f"{where}: {key} = {value!r} must be {names[kind]}")


def read_assignments(assignments: Iterable[str], option: str) -> dict[str, Any]:
    """key=value from the command line, the value as TOML would read it, a bare word as a string."""
    values: dict[str, Any] = {}
    for assignment in assignments:
        key, sign, text = assignment.partition("=")
        if not sign or not key.strip():
            raise UsageError(f"{option} '{assignment}': write KEY=VALUE")
        try:
            content = parse_toml(f"value = {text}")
        except ValueError:
            content = {"value": text}
        values[key.strip()] = content["value"] if len(content) == 1 else text
    return values


def described(kind: type) -> list[tuple[str, str]]:
    """Each field of a config for people: "name = default", and what it is."""
    lines = []
    for one in fields(kind):
        choices = one.metadata.get("choices")
        among = f" ({', '.join(filter(None, choices))})" if choices else ""
        lines.append((f"{one.name} = {one.default!r}", one.metadata.get("about", "") + among))
    return lines


def digest_of_files(config: Any) -> dict[str, str]:
    """A short name for the content of each file or folder that a config names, by field."""
    digests = {}
    for one in fields(config):
        path = getattr(config, one.name)
        if one.metadata.get("is_path") and path:
            whole = hashlib.blake2b(digest_size=8)
            root = Path(path)
            for file in sorted(root.rglob("*")) if root.is_dir() else [root]:
                if file.is_file():
                    whole.update(str(file.relative_to(root)).encode() + b"\n")
                    add_file(whole, file)
            digests[one.name] = whole.hexdigest()
    return digests


def add_file(whole: Any, path: Path) -> None:
    """Add the content of a file to a hash."""
    with open(path, "rb") as source:
        while block := source.read(1 << 20):
            whole.update(block)


def as_json(config: Any) -> dict[str, Any]:
    """The fields of a config as a JSON file has them (a tuple is a list there); `configured` reads them back."""
    return {name: list(value) if isinstance(value, tuple) else value for name, value in asdict(config).items()}


def parse_toml(text: str) -> dict[str, Any]:
    """The content of TOML. Raises ValueError for what is none, and for what is nested too deeply to be read."""
    if sys.version_info >= (3, 11):
        import tomllib
    else:
        import tomli as tomllib
    try:
        return tomllib.loads(text)
    except RecursionError:
        raise ValueError("nested too deeply") from None


def read_toml(path: str | Path, what: str = "TOML") -> dict[str, Any]:
    """The content of a TOML file. Raises UsageError for one that can't be read; what: what it should be."""
    try:
        return parse_toml(Path(path).read_bytes().decode("utf-8"))
    except OSError as fault:
        raise UsageError(f"{path}: {fault.strerror}") from None
    except ValueError as fault:  # TOML or UTF-8 that is none
        raise UsageError(f"{path}: no {what}: {fault}") from None
