"""What a report holds: plain values, before any format is chosen.

The `name` of a section is short, of letters, digits, `-` and `_`: it becomes an anchor, a label and a file name.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

Cell = str | int | float | None
Verdict = Literal["came back", "did not come back", "can't be said"]
VERDICTS: tuple[Verdict, ...] = get_args(Verdict)


@dataclass(frozen=True)
class Table:
    """Rows under a header. Floats are shown with `digits` decimals, nan as "n/a", None as "–".

    A column of whole numbers and one of texts are shown as they are. `note` stands below the table.
    """

    name: str
    title: str
    header: list[str]
    rows: list[list[Cell]]
    note: str = ""
    digits: int = 2

    def __post_init__(self) -> None:
        for number, row in enumerate(self.rows):
            if len(row) != len(self.header):
                where = f"table {self.name!r}, row {number}"
                raise ValueError(f"{where}: {len(row)} cells under a header of {len(self.header)}")


@dataclass(frozen=True)
class Figure:
    """A picture as SVG, with the numbers behind it for formats that hold no pictures."""

    name: str
    title: str
    svg: str
    note: str = ""
    table: Table | None = None


@dataclass(frozen=True)
class Text:
    """Paragraphs of plain text."""

    name: str
    title: str
    paragraphs: list[str]


@dataclass(frozen=True)
class Claim:
    """What was found elsewhere, what is found here, and whether the two agree."""

    text: str
    paper: str
    ours: str
    verdict: Verdict
    note: str = ""

    def __post_init__(self) -> None:
        if self.verdict not in VERDICTS:
            raise ValueError(f"verdict {self.verdict!r}: one of {', '.join(VERDICTS)}")


@dataclass(frozen=True)
class Claims:
    """Claims that a study was to check, one by one."""

    name: str
    title: str
    rows: list[Claim]


@dataclass(frozen=True)
class Word:
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
    words: list[Word]


@dataclass(frozen=True)
class Browser:
    """Sentences to look at one by one, in HTML; other formats count them."""

    name: str
    title: str
    pairs: list[PairOfSentences]
    note: str = ""


Section = Table | Figure | Text | Claims | Browser


@dataclass(frozen=True)
class Report:
    """A document: its title, the question that it answers, how it was made, and its sections in reading order."""

    title: str
    question: str
    signature: str
    sections: list[Section]
