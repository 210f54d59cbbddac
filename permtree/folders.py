"""Folders that permtree writes and reads back: the JSON file that says what one holds, and digests of what it holds."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from .configuration import add_file
from .conllu.files import atomic_output
from .errors import UsageError
from .inside import inside, read_inside


def is_half_written(name: str) -> bool:
    """Whether a name is that of a write that was killed."""
    return name.startswith(".") and name.endswith(".part")


def file_digests(folder: str | Path) -> dict[str, str]:
    """A digest of each file of a folder and of the folders in it, by its name there, sorted."""
    root = Path(folder)
    found = sorted(path for path in root.rglob("*") if not path.is_dir() or path.is_symlink())
    return {name: file_digest(inside(root, name)) for name in (path.relative_to(root).as_posix() for path in found)}


def file_digest(path: Path) -> str:
    """A digest of a file."""
    whole = hashlib.blake2b(digest_size=16)
    add_file(whole, path)
    return whole.hexdigest()


@dataclass(frozen=True)
class About:
    """The JSON file that says what a folder holds. format: of the folder, a later one has a higher number; remedy: what
    to do where it is damaged; unnumbered: whether folders of format 0 have no number."""

    name: str
    format: int
    remedy: str
    unnumbered: bool = False

    def write(self, folder: str | Path, content: Mapping[str, Any]) -> None:
        """Write what a folder holds, with the number of the format before it. The same content gives the same bytes."""
        text = json.dumps({"format": self.format, **content}, indent=2, ensure_ascii=False)
        with atomic_output(str(Path(folder) / self.name), follow=False) as out:
            out.write(text.encode("utf-8") + b"\n")

    def read(self, folder: str | Path, **keys: type) -> dict[str, Any]:
        """What `write` wrote. keys: what must be there, and of which kind.

        Raises UsageError, in one line, for a file that is missing, damaged, or of a later version.
        """
        path = Path(folder) / self.name
        try:
            content = parse_json(read_inside(folder, self.name))
        except FileNotFoundError:
            raise UsageError(f"{path}: no such file") from None
        except OSError as fault:
            raise UsageError(f"{path}: {fault.strerror}") from None
        except ValueError:
            raise self.damaged(folder) from None
        if self.unnumbered and isinstance(content, dict):
            content.setdefault("format", 0)
        if not isinstance(content, dict) or type(content.get("format")) is not int:
            raise self.damaged(folder)
        if content["format"] > self.format:
            version = content.get("permtree", f"format {content['format']}")
            raise UsageError(f"{path}: written by a later version of permtree ({version}): update permtree")
        if not all(isinstance(content.get(key), kind) for key, kind in keys.items()):
            raise self.damaged(folder)
        return content

    def damaged(self, folder: str | Path, name: str | None = None) -> UsageError:
        """What to say of a file of the folder (by default this one) that isn't as it was written."""
        return UsageError(f"{Path(folder) / (name or self.name)}: damaged: {self.remedy}")


def parse_json(data: bytes) -> Any:
    """The content of JSON. Raises ValueError for what is none, and for what is nested too deeply to be read."""
    try:
        return json.loads(data.decode("utf-8"))
    except RecursionError:
        raise ValueError("nested too deeply") from None
