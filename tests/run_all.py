"""All tests, long ones too, with each Python and each set of libraries that permtree is tested with.

    python tests/run_all.py [NAME ...] [-- ARGUMENTS OF PYTEST]

Each has a virtual environment of its own in .venvs/, made when it is missing. A Python that is not on this machine is
left out, with a line. At the end, a table of what ran; the exit status is 1 if anything failed.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
import time
import xml.etree.ElementTree as ElementTree
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
FOLDER = ROOT / ".venvs"


@dataclass(frozen=True)
class Setting:
    """A Python, the file that says which versions go with it, and what is installed."""

    name: str
    python: str  # "" for the one that this runs with
    constraints: str
    extras: str
    what: str


SETTINGS = [
    Setting("usual", "", "constraints.txt", "test", "the versions of constraints.txt"),
    Setting("oldest", "3.10", "constraints-oldest.txt", "core-test", "the oldest libraries allowed; no learners"),
    Setting("newest", "3.13", "constraints.txt", "core-test", "the newest Python; no learners"),
]
COLUMNS = ("name", "python", "numpy", "scipy", "passed", "failed", "skipped", "seconds")


def interpreter(version: str) -> str | None:
    """Where a Python of this version is: on the path, or among those of pyenv."""
    if not version:
        return sys.executable
    found = sorted(Path.home().glob(f".pyenv/versions/{version}.*/bin/python"))
    for candidate in (shutil.which(f"python{version}"), *map(str, reversed(found))):
        if candidate and _prints(candidate, "import sys; print('%d.%d' % sys.version_info[:2])") == version:
            return candidate
    return None


def _prints(python: str, code: str) -> str:
    done = subprocess.run([python, "-c", code], capture_output=True, text=True)
    return done.stdout.strip() if done.returncode == 0 else ""


def environment(setting: Setting, python: str) -> Path:
    """The Python of a virtual environment with what the setting asks for; made again when that has changed."""
    folder = FOLDER / setting.name
    wanted = hashlib.sha256(
        b"\0".join(
            [repr(setting).encode(), *((ROOT / name).read_bytes() for name in ("setup.cfg", setting.constraints))]
        )
    ).hexdigest()
    mark, own = folder / "made-of", folder / "bin" / "python"
    if not (mark.exists() and mark.read_text() == wanted):
        print(f"{setting.name}: installing into {folder}", flush=True)
        subprocess.run([python, "-m", "venv", "--clear", folder], check=True)
        command = [own, "-m", "pip", "install", "-q", "--disable-pip-version-check", "-c", ROOT / setting.constraints]
        subprocess.run([*command, "-e", f"{ROOT}[{setting.extras}]"], check=True)
        mark.write_text(wanted)
    return own


def tested(setting: Setting, arguments: list[str]) -> tuple[str, ...] | None:
    """Run the tests; the row of the table, or None if there is no such Python."""
    python = interpreter(setting.python)
    if python is None:
        print(f"{setting.name}: left out: no Python {setting.python} on this machine", flush=True)
        return None
    own = environment(setting, python)
    print(f"{setting.name}: {setting.what}", flush=True)
    result = FOLDER / f"{setting.name}.xml"
    result.unlink(missing_ok=True)
    begun = time.monotonic()
    options = [
        "-n",
        str(min(2, os.cpu_count() or 1)),
        f"--junitxml={result}",
        "--hypothesis-profile=thorough",
        *arguments,
    ]
    subprocess.run([own, "-m", "pytest", *options, *arguments], cwd=ROOT)
    seconds = time.monotonic() - begun
    versions = [
        _prints(str(own), f"from importlib.metadata import version; print(version('{name}'))") for name in COLUMNS[2:4]
    ]
    return (
        setting.name,
        _prints(str(own), "import platform; print(platform.python_version())"),
        *versions,
        *counts(result),
        f"{seconds:.0f}",
    )


def counts(result: Path) -> tuple[str, str, str]:
    """Passed, failed and skipped tests, as pytest wrote them down; "?" where it wrote nothing."""
    if not result.exists():
        return "?", "?", "?"
    suite = next(ElementTree.parse(result).getroot().iter("testsuite"))
    number = {name: int(suite.get(name, "0")) for name in ("tests", "failures", "errors", "skipped")}
    failed = number["failures"] + number["errors"]
    return str(number["tests"] - failed - number["skipped"]), str(failed), str(number["skipped"])


def main() -> int:
    """Run all, or those that are named; the exit status."""
    split = sys.argv.index("--") if "--" in sys.argv else len(sys.argv)
    names, arguments = sys.argv[1:split], sys.argv[split + 1 :]
    known = [setting.name for setting in SETTINGS]
    if unknown := [name for name in names if name not in known]:
        print(f"{unknown[0]}: unknown; known: {', '.join(known)}", file=sys.stderr)
        return 2
    chosen = [setting for setting in SETTINGS if not names or setting.name in names]
    rows = [row for setting in chosen if (row := tested(setting, arguments))]
    widths = [max(map(len, column)) for column in zip(COLUMNS, *rows, strict=True)]
    print()
    for row in (COLUMNS, *rows):
        print("  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip())
    return int(any(row[5] != "0" for row in rows))


if __name__ == "__main__":
    sys.exit(main())
