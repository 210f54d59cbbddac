"""Pictures of small sentences, and the ways to read their drawings."""

from __future__ import annotations

from permtree.pictures.picture import Picture, picture
from permtree.treebank import Treebank

SVG = "{http://www.w3.org/2000/svg}"


def tree_picture(heads: list[int]) -> Picture:
    """A sentence of words w1, w2 ... with these heads."""
    return picture(Treebank.from_heads([heads]), 1)


def marked_pair(heads: list[int], other: list[int]) -> Picture:
    """The same words with two sets of heads."""
    return picture(Treebank.from_heads([heads]), 1, Treebank.from_heads([other]))


def pictures(*sentences: bytes) -> Picture:
    """The first sentence, against the second if there is one."""
    first, *second = (Treebank.from_bytes(data) for data in sentences)
    return picture(first, 1, *second)


def body(text: str) -> list[str]:
    """The drawing without the line about the sentence and the blank one after it."""
    lines = text.splitlines()
    return lines[lines.index("") + 1 :]
