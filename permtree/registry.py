"""How permuters, measures and whatever else comes in kinds are found: every module of a package registers its own.

Adding one touches one new file, also in another package, which names that module as an entry point. Cards (what, unit,
range, source) are what `permtree list` and the documentation print.
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
    """Names and what they stand for; the modules of `package` are imported when the first name is asked for.

    group: of entry points, whose modules register more. They are looked for when a name is asked for that the package
    doesn't have, or all names: a search through all that is installed takes longer than the package's own modules.
    """

    def __init__(self, kind: str, package: str, group: str):
        self.kind = kind
        self.group = group
        self._package = package
        self._faults: dict[str, str] = {}  # of entry points that can't be loaded
        self._searched = False
        self._entries: dict[str, T] = {}
        self._loading = threading.RLock()
        self._begun = self._loaded = False
        self._own: tuple[str, ...] = ()

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
            self._own = tuple(sorted(self._entries))
            self._loaded = True

    def _search(self) -> None:
        self._load()
        if self._searched:
            return
        with self._loading:
            if self._searched:
                return
            self._searched = True
            from importlib import metadata

            for point in metadata.entry_points(group=self.group):
                try:
                    point.load()
                    if point.name not in self._entries:
                        raise ImportError(f"{point.value} registers no {self.kind} of this name")
                except Exception as error:  # of another package: all else must work without it
                    told = " ".join(str(error).split())
                    self._faults[point.name] = f"{type(error).__name__}: {told}"

    def own_names(self) -> list[str]:
        """Those of the package itself."""
        self._load()
        return [name for name in self._own if name in self._entries]

    def names(self) -> list[str]:
        """Those of the package and of all others that are installed."""
        self._search()
        return sorted(self._entries)

    def has(self, name: str) -> bool:
        """Whether there is one of this name."""
        self._load()
        return name in self._entries or (bool(name) and name in self.names())

    def faults(self) -> dict[str, str]:
        """What is wrong with entry points that can't be loaded, by name."""
        self._search()
        return dict(self._faults)

    def __getitem__(self, name: str) -> T:
        self._load()
        if name not in self._entries:
            self._search()
        if name in self._faults and name not in self._entries:
            raise UsageError(f"the {self.kind} '{name}' of another package can't be loaded: {self._faults[name]}")
        if name not in self._entries:
            raise UsageError(f"no {self.kind} named '{name}'{suggestion(name, self.names())}")
        return self._entries[name]


def suggestion(name: str, known: list[str]) -> str:
    """The way out of a misspelling: the nearest known name, or all of them."""
    if not known:
        return "; there is none"
    close = difflib.get_close_matches(name, known, 1)
    return f"; did you mean '{close[0]}'?" if close else f"; known: {', '.join(known)}"
