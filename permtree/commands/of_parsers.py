"""Options that several commands have about parsers and what they predict."""

from __future__ import annotations

from dataclasses import dataclass

from ..configuration import setting
from ..evaluation.arcs import CONVENTIONS
from ..parsing import DEVICES
from ..treebank.punctuation import SETS
from .options import options_of


@dataclass(frozen=True)
class Counted:
    """Which words of a prediction count."""

    convention: str = setting(
        "all",
        f"Which words count: {', '.join(CONVENTIONS)}. no-punct: not those with a --punct-tag in gold; conll18: all, "
        "relations without subtypes; unicode-punct: not those of Unicode punctuation alone.",
        metavar="NAME",
    )
    punct_tag: tuple[str, ...] = setting(
        (),
        "A tag of punctuation in UPOS (in XPOS where UPOS is _), or a set of tags: "
        f"{', '.join(SETS)}; may be repeated. [PUNCT]",
        repeated=True,
        metavar="TAG",
    )


COUNTED = options_of("counted", Counted, whole=True)


@dataclass(frozen=True)
class Running:
    """How a parser runs; what isn't given is as its settings say."""

    decode: str | None = setting(None, "Decoder: projective or mst. [as the settings say]", metavar="NAME")
    device: str = setting("auto", "Where networks compute.", choices=DEVICES)
    threads: int | None = setting(None, "Of the processor. [as the settings say]", within=(1, None), metavar="N")


RUNNING = options_of("running", Running, whole=True)
