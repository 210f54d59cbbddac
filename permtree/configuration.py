"""Settings as frozen dataclasses: read from TOML or from key=value, checked against the fields' types."""

from __future__ import annotations

import hashlib
import sys
from collections.abc import Callable, Iterable, Mapping
from dataclasses import Field, asdict, dataclass, field, fields
from functools import lru_cache
from pathlib import Path
from typing import Any, TypeVar, get_args, get_origin, get_type_hints

from .errors import UsageError
from .registry import suggestion

T = TypeVar("T")


def setting(
    default: Any,
    about: str,
    choices: tuple[str, ...] = (),
    within: tuple[float, float | None] | None = None,
    is_path: bool = False,
    read: Callable[[Any], Any] | None = None,
    **more: Any,
) -> Any:
    """A field of a config: its default, what it is, and the values that it may have.

    within: least and greatest value (None: no limit). is_path: whether it names a file or folder (an empty one: none).
    read: turns what a user gives, the default too, into what is used, and leaves what it gave as it is; UsageError for
    what can't be used. more: what is said of it besides.
    """
    known = {"about": about, "choices": choices, "within": within, "is_path": is_path, "read": read}
    return field(default=default, metadata={**known, **more})


@dataclass(frozen=True)
class Settings:
    """A config that is checked however it is made. Raises UsageError, in the words of the command line."""

    def __post_init__(self) -> None:
        for one in fields(self):
            value = getattr(self, one.name)
            label = f"--{one.name.replace('_', '-')} '{value}'"
            if one.metadata.get("read"):
                value = one.metadata["read"](value)
            _check_limits(one, value, label)
            object.__setattr__(self, one.name, value)


@lru_cache(maxsize=64)
def _hints(kind: type) -> dict[str, Any]:
    return get_type_hints(kind)


def _check_limits(one: Field[Any], value: Any, label: str) -> None:
    """UsageError for a value that isn't among the choices of a field, beyond its limits, or no truth value in place of
    one."""
    choices, within = one.metadata.get("choices"), one.metadata.get("within")
    if isinstance(one.default, bool) and not isinstance(value, bool):
        raise UsageError(f"{label} must be true or false")
    if choices and value not in choices:
        raise UsageError(f"{label}{suggestion(str(value), list(choices))}")
    if within and not (within[0] <= value and (within[1] is None or value <= within[1])):
        raise UsageError(f"{label} must be from {within[0]:g} {'on' if within[1] is None else f'to {within[1]:g}'}")


def configured(kind: type[T], *layers: tuple[str, Mapping[str, Any]]) -> T:
    """Settings of a kind from layers, each with the name of where it comes from; a later one wins.

    Raises UsageError for an unknown key, with the nearest known one, and for a value of another type or that isn't
    among the field's choices. A whole number serves as a float.
    """
    chosen: dict[str, Any] = {}
    for where, layer in layers:
        chosen |= checked((kind,), where, layer)
    return kind(**chosen)


def checked(kinds: tuple[type, ...], where: str, layer: Mapping[str, Any]) -> dict[str, Any]:
    """Settings of some kinds together, each of the type of its field and within its limits (see `configured`)."""
    known = {one.name: (one, _hints(kind)[one.name]) for kind in kinds for one in fields(kind)}
    chosen = {}
    for key, value in layer.items():
        if key not in known:
            raise UsageError(f"{where}: unknown key '{key}'{suggestion(key, sorted(known))}")
        one, hint = known[key]
        chosen[key] = _checked(where, key, value, hint)
        _check_limits(one, chosen[key], f"{where}: {key} = {value!r}")
    return chosen


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
