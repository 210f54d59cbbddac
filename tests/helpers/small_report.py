"""A small report that holds every kind of section, and in every text whatever could break a format."""

from __future__ import annotations

import math

from permtree.document.document import (
    Browser,
    Claim,
    Claims,
    Figure,
    PairedWord,
    PairOfSentences,
    Paragraphs,
    ReportDocument,
    Section,
    Table,
)
from permtree.document.figures import Point, scatter

SCRIPT = "<script>document.title='broken'</script>"
HOSTILE = [
    SCRIPT,
    "</script><!-- -->",
    "\"quotes' & &amp; <b>",
    r"100% of $x_1^2$ #{a} ~b \end{document} [c] *d* |e| --f",
    "می‌خواهم",
    "\u0301e\u0301",
    "a\u2028b",
    "a\tb\nc",
    "\u202eturned",
]
TABLE = Table(
    "scores",
    "Scores & more",
    ["name <b>", "UAS", "words"],
    [
        ["ten", 10.0, 10],
        ["nine", 9.0, 9],
        ["minus", -2.5, 1000],
        ["none", None, None],
        ["unknown", math.nan, 7],
        ["hundred", 100.0, 7],
        ["tiny", -0.001, 8],
    ],
    "a note",
)
LABELS = ("medol, biaffine: original against rb", "fluvi, arc-hybrid: original against optdl")


def word(number: int, form: str, heads: tuple[int, int], deprel: str, **other: object) -> PairedWord:
    """A word at the same place on both sides, with all predictions right unless `other` says more."""
    values: dict[str, object] = {
        "upos": "NOUN",
        "places": (number, number),
        "predicted_heads": heads,
        "predicted_deprels": (deprel, deprel),
        "heads_right": (True, True),
        "labels_right": (True, True),
        **other,
    }
    return PairedWord(number=number, form=form, deprel=deprel, heads=heads, **values)  # type: ignore[arg-type]


def gain() -> PairOfSentences:
    """Three words, turned round on side b; side a has one wrong head and one wrong relation, at different words."""
    words = [
        word(1, "one", (2, 2), "det", places=(1, 3), predicted_heads=(3, 2), heads_right=(False, True)),
        word(2, "two", (0, 0), "root"),
        word(3, "three", (2, 2), "obj", places=(3, 1), predicted_deprels=("obl", "obj"), labels_right=(False, True)),
    ]
    return PairOfSentences(LABELS[0], "s-gain", ("original", "rb"), (2, 2), (200 / 3, 100.0), (100 / 3, 100.0), words)


def loss() -> PairOfSentences:
    """Persian; on side b the head of the second word is wrong; that of the full stop, too, which is not counted."""
    words = [
        word(1, "کتاب", (2, 2), "obj"),
        word(2, "می‌خواهم", (0, 0), "root", predicted_heads=(0, 1), heads_right=(True, False)),
        word(3, ".", (2, 2), "punct", upos="PUNCT", predicted_heads=(2, 1), heads_right=(True, False), counted=False),
    ]
    return PairOfSentences(LABELS[1], "s-loss", ("original", "optdl"), (2, 3), (100.0, 50.0), (100.0, 50.0), words)


def even(number: int) -> PairOfSentences:
    """A sentence of `number` words, a chain, all right on both sides, 1 shorter on side b than it was."""
    words = [
        word(place, f"w{place}", (place - 1, place - 1), "dep" if place > 1 else "root")
        for place in range(1, number + 1)
    ]
    length = number - 1
    return PairOfSentences(
        LABELS[0], f"s{number}", ("original", "rb"), (length + 1, length), (100.0, 100.0), (100.0, 100.0), words
    )


def hostile_pair() -> PairOfSentences:
    """A word for each hostile text, which is also its tag and relation. No word is counted."""
    words = [
        word(place, text, (place - 1, place - 1), text, upos=text, counted=False)
        for place, text in enumerate(HOSTILE, 1)
    ]
    nan = (math.nan, math.nan)
    return PairOfSentences(SCRIPT, SCRIPT, ("</script>", "<!--"), (8, 8), nan, nan, words)


def report(pairs: list[PairOfSentences] | None = None) -> ReportDocument:
    """Every kind of section; its texts are hostile. pairs: instead of those above."""
    svg = scatter([Point(text, place, place / 2, place - 3) for place, text in enumerate(HOSTILE)], *HOSTILE[:3])
    sections: list[Section] = [
        Paragraphs("text", SCRIPT, HOSTILE),
        TABLE,
        Table("hostile", "".join(HOSTILE), HOSTILE, [list(HOSTILE), list(reversed(HOSTILE))], SCRIPT),
        Table("empty", "No rows", ["a", "b"], []),
        Claims(
            "claims",
            "Claims",
            [
                Claim(HOSTILE[2], HOSTILE[3], HOSTILE[0], "came back", HOSTILE[1]),
                Claim("second", "1 > 2", "2 < 1", "did not come back"),
                Claim("third", "p", "q", "can't be said", "too few"),
            ],
        ),
        Figure("figure", HOSTILE[2], svg, HOSTILE[0], TABLE),
        Figure("bare", "A figure without numbers", svg),
        Browser("pairs", "Minimal pairs", pairs if pairs is not None else [gain(), loss(), hostile_pair()], SCRIPT),
        Paragraphs("text", "The same name again", []),
    ]
    return ReportDocument(f"Report {SCRIPT}", HOSTILE[3], f"permtree:0.1.0|{HOSTILE[2]}", sections)
