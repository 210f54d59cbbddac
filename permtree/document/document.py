"""What a report holds: plain values, before any format is chosen.

For a format of text a section is a table or, where it has none, lines; HTML draws each kind in a way of its own.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, replace
from typing import ClassVar, Literal, get_args

CellValue = str | int | float | None
ClaimVerdict = Literal["came back", "did not come back", "can't be said"]
VERDICTS: tuple[ClaimVerdict, ...] = get_args(ClaimVerdict)


@dataclass(frozen=True)
class Section(ABC):
    """A part of a report.

    kind: by which HTML chooses how to draw it. name: short, of letters, digits, `-` and `_`: it becomes an anchor, a
    label and a file name.
    """

    kind: ClassVar[str]
    name: str
    title: str

    @abstractmethod
    def as_table(self) -> Table | None:
        """The section as a table; None where lines say it."""

    def lines(self) -> list[str]:
        """What a section says that is no table, a paragraph each."""
        return []

    @property
    def is_empty(self) -> bool:
        """Whether it would be a title with nothing below."""
        return False


@dataclass(frozen=True)
class Table(Section):
    """Rows under a header. Floats are shown with `digits` decimals, nan as "n/a", None as "–".

    A column of whole numbers and one of texts are shown as they are. `note` stands below the table. wide: its columns
    are sentences, to be broken into lines.
    """

    kind = "table"
    header: list[str]
    rows: list[list[CellValue]]
    note: str = ""
    digits: int = 2
    wide: bool = False

    def __post_init__(self) -> None:
        for number, row in enumerate(self.rows):
            if len(row) != len(self.header):
                where = f"table {self.name!r}, row {number}"
                raise ValueError(f"{where}: {len(row)} cells under a header of {len(self.header)}")

    def as_table(self) -> Table:
        return self

    @property
    def is_empty(self) -> bool:
        return not self.rows


@dataclass(frozen=True)
class Figure(Section):
    """A picture as SVG, with the numbers behind it for formats that hold no pictures."""

    kind = "figure"
    svg: str
    note: str = ""
    table: Table | None = None

    def as_table(self) -> Table | None:
        if self.table is None:
            return None
        note = " ".join(filter(None, [self.note, self.table.note]))
        return replace(self.table, name=self.name, title=self.title, note=note)

    def lines(self) -> list[str]:
        return [f"A figure, drawn in the HTML report. {self.note}".strip()]


@dataclass(frozen=True)
class Paragraphs(Section):
    """Paragraphs of plain text."""

    kind = "text"
    paragraphs: list[str]

    def as_table(self) -> None:
        return None

    def lines(self) -> list[str]:
        return self.paragraphs


@dataclass(frozen=True)
class Claim:
    """What was found elsewhere, what is found here, and whether the two agree."""

    text: str
    paper: str
    ours: str
    verdict: ClaimVerdict
    note: str = ""

    def __post_init__(self) -> None:
        if self.verdict not in VERDICTS:
            raise ValueError(f"verdict {self.verdict!r}: one of {', '.join(VERDICTS)}")


@dataclass(frozen=True)
class Claims(Section):
    """Claims that a study was to check, one by one."""

    kind = "claims"
    rows: list[Claim]

    def as_table(self) -> Table:
        rows: list[list[CellValue]] = [
            [one.text, one.paper, one.ours, one.verdict, one.note or None] for one in self.rows
        ]
        return Table(self.name, self.title, ["claim", "paper", "ours", "verdict", "note"], rows, wide=True)


@dataclass(frozen=True)
class PairedWord:
    """A word of a minimal pair. Places are from 1, heads are places (0: root); one value for each side.

    number: the word's number in the original order. places, heads, predicted_heads, predicted_deprels,
    heads_right, labels_right: for side a and side b. counted: False where scores leave the word out.
    """

    number: int
    form: str
    upos: str
    deprel: str
    places: tuple[int, int]
    heads: tuple[int, int]
    predicted_heads: tuple[int, int]
    predicted_deprels: tuple[str, str]
    heads_right: tuple[bool, bool]
    labels_right: tuple[bool, bool]
    counted: bool = True


@dataclass(frozen=True)
class PairOfSentences:
    """Two versions of a sentence, as a parser attached them.

    label: which pair of runs it is of (treebank, parser, sides). sides: the names of the two orders. lengths: sums
    of dependency length. uas, las: in percent, nan where no word is counted.
    """

    label: str
    sent_id: str
    sides: tuple[str, str]
    lengths: tuple[int, int]
    uas: tuple[float, float]
    las: tuple[float, float]
    words: list[PairedWord]


@dataclass(frozen=True)
class Browser(Section):
    """Sentences to look at one by one, in HTML; other formats count them."""

    kind = "browser"
    pairs: list[PairOfSentences]
    note: str = ""

    def as_table(self) -> None:
        return None

    def lines(self) -> list[str]:
        count = len(self.pairs)
        return [f"{count} pair{'s' * (count != 1)} of sentences, drawn in the HTML report. {self.note}".strip()]

    @property
    def is_empty(self) -> bool:
        return not self.pairs


@dataclass(frozen=True)
class ReportDocument:
    """A document: its title, the question that it answers, how it was made, and its sections in reading order."""

    title: str
    question: str
    signature: str
    sections: list[Section]
