"""What permtree says when something is wrong: one line that says where, what, and the way out."""

from __future__ import annotations

from dataclasses import dataclass

from .legible import in_a_line


class PermtreeError(Exception):
    """Base of all errors that permtree raises on purpose; `exit_status` is what the command line returns."""

    exit_status = 2

    def __str__(self) -> str:
        return in_a_line(super().__str__())


class UsageError(PermtreeError):
    """An option, a mode or a file name that can't be used as asked (exit status 2)."""


def missing_library(what: str, library: str, extra: str, way_out: str = "") -> UsageError:
    """What to say where a library of an extra is not installed. what: needs it."""
    return UsageError(f"{what} needs {library}, which is not installed: pip install 'permtree[{extra}]'{way_out}")


def shortened(text: str, limit: int) -> str:
    """A piece of the input, fit for a message: on one line, nothing that a terminal obeys, not too long."""
    shown = "".join(c if c.isprintable() else repr(c)[1:-1] for c in text[: limit + 1])
    return shown if len(shown) <= limit else shown[: limit - 3] + "..."


@dataclass(frozen=True)
class Finding:
    """One thing that is wrong (code E...) or odd (code W...) in a treebank, with its place.

    `line` counts from 1; `sentence` is the sent_id, empty where there is none.
    """

    code: str
    file: str
    line: int
    what: str
    sentence: str = ""

    @property
    def is_error(self) -> bool:
        return self.code.startswith("E")

    def __str__(self) -> str:
        where = f" (sentence {shortened(self.sentence, 80)})" if self.sentence else ""
        return in_a_line(f"{self.file}:{self.line}: {self.what}{where}")


class DataError(PermtreeError):
    """A treebank that can't be read, or that can't be permuted or measured (exit status 3)."""

    exit_status = 3

    def __init__(self, finding: Finding):
        super().__init__(str(finding))
        self.finding = finding

    def __reduce__(self) -> tuple[type[DataError], tuple[Finding]]:
        return DataError, (self.finding,)  # so that it passes from one process to another
