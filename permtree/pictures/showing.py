"""Show a sentence, or two versions of one, in a notebook or a terminal."""

from __future__ import annotations

import shutil
from dataclasses import dataclass

from ..conllu.files import atomic_output
from ..treebank import Treebank
from .drawing import draw_text
from .picture import Picture, picture
from .svg import draw_svg


@dataclass(frozen=True, repr=False)
class Shown:
    """A picture that notebooks show as SVG, and `print` as text as wide as the terminal."""

    picture: Picture

    def text(self, width: int = 100, layout: str = "auto") -> str:
        """See `permtree.pictures.drawing.draw_text`."""
        return draw_text(self.picture, width, layout)

    def svg(self) -> str:
        """See `permtree.pictures.svg.draw_svg`."""
        return draw_svg(self.picture)

    def write(self, path: str) -> None:
        """Write the SVG to a file ("-" for standard output), beside its place first."""
        with atomic_output(str(path)) as out:
            out.write(self.svg().encode("utf-8"))

    def __repr__(self) -> str:
        return self.text(shutil.get_terminal_size((100, 24)).columns).rstrip("\n")

    def _repr_svg_(self) -> str:
        return self.svg()


def show(
    treebank: Treebank,
    sentence: str | int,
    against: Treebank | None = None,
    against_sentence: str | int | None = None,
) -> Shown:
    """The dependency tree of a sentence; with `against`, two versions of it with lines that join the same words.

    A sentence is named by its sent_id, or by its number from 1. In `against` it has the same name, unless
    `against_sentence` gives another. Raises UsageError where there is no such sentence or the words can't be joined,
    DataError for a sentence without heads.
    """
    return Shown(picture(treebank, sentence, against, against_sentence))
