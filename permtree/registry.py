"""How permuters, measures and whatever else comes in kinds are found: every module of a package registers its own.

Adding one touches one new file. Cards (what, unit, range, source) are what `permtree list` and the documentation print.
"""

from __future__ import annotations

import difflib
import importlib
import pkgutil
import threading
from typing import Generic, TypeVar

from .errors import UsageError

T = TypeVar("T")


class Registry(Generic[T]):
    """Names and what they stand for; the modules of `package` are imported when the first name is asked for."""

    def __init__(self, kind: str, package: str):
        self.kind = kind
        self._package = package
        self._entries: dict[str, T] = {}
        self._loading = threading.RLock()
        self._begun = self._loaded = False

    def add(self, name: str, entry: T) -> None:
        if name in self._entries:
            raise ValueError(f"two {self.kind}s named {name}")
        self._entries[name] = entry

    def _load(self) -> None:
        if self._loaded:
            return
        with self._loading:  # threads that come meanwhile wait for the whole
            if self._begun:  # done by now, or asked for by one of the modules
                return
            self._begun = True
            package = importlib.import_module(self._package)
            for module in sorted(info.name for info in pkgutil.iter_modules(package.__path__)):
                importlib.import_module(f"{self._package}.{module}")
            self._loaded = True

    def names(self) -> list[str]:
        self._load()
        return sorted(self._entries)

    def __getitem__(self, name: str) -> T:
        self._load()
        if name not in self._entries:
            raise UsageError(f"no {self.kind} named '{name}'{suggestion(name, self.names())}")
        return self._entries[name]


def suggestion(name: str, known: list[str]) -> str:
    """The way out of a misspelling: the nearest known name, or all of them."""
    if not known:
        return "; there is none"
    close = difflib.get_close_matches(name, known, 1)
    return f"; did you mean '{close[0]}'?" if close else f"; known: {', '.join(known)}"
