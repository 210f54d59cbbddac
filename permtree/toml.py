"""TOML from files and strings, with the reader that this version of Python has."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from .errors import UsageError


def parse_toml(text: str) -> dict[str, Any]:
    """The content of TOML. Raises ValueError for what is none."""
    if sys.version_info >= (3, 11):
        import tomllib
    else:
        import tomli as tomllib
    return tomllib.loads(text)


def read_toml(path: str | Path, what: str = "TOML") -> dict[str, Any]:
    """The content of a TOML file. Raises UsageError for one that can't be read; what: what it should be."""
    try:
        return parse_toml(Path(path).read_bytes().decode("utf-8"))
    except OSError as fault:
        raise UsageError(f"{path}: {fault.strerror}") from None
    except ValueError as fault:  # TOML or UTF-8 that is none
        raise UsageError(f"{path}: no {what}: {fault}") from None
