"""Which words are punctuation: the tags that treebanks give it, several at once, and sets of them by name.

A choice of tags is one text: tags and names of sets, separated by white space (a tag may be a comma or a bracket).
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from functools import lru_cache
from urllib.parse import quote, unquote

import numpy as np

from ..conllu.text import FORM
from ..errors import UsageError
from ..types import Mask
from . import Column, Treebank

DEFAULT = "PUNCT"

# The tags of punctuation by tag set. ptb, collins, ctb, tiger, patb and ftb: as Stanford's parser lists them for each
# treebank (collins: the five of Collins 1999, also of Chen & Manning 2014); the others as UD's treebanks of that origin
# have them in XPOS, or CoNLL-X in CPOSTAG and POSTAG.
SETS = {
    "ud": ("PUNCT",),
    "ptb": ("``", "''", ",", ".", ":", "-LRB-", "-RRB-", "(", ")", '"'),
    "collins": ("``", "''", ",", ".", ":"),
    "ctb": ("PU",),
    "tiger": ("$,", "$.", "$(", "$*LRB*", "$-LRB"),
    "petrov": (".",),  # the universal tags of Petrov, Das & McDonald 2012
    "ftb": ("PONCT", "PUNC"),
    "patb": ("PUNC",),
    "pdt": ("Z", "Z:", "Z:-------------"),
    "isdt": ("FB", "FC", "FF", "FS"),
    "alpino": ("LET", "Punc"),
    "btb": ("Punct", "punct"),
    "metu": ("Punc",),
    "nkjp": ("interp",),
}
_EVERY = frozenset(tag for tags in SETS.values() for tag in tags)
_SIGNS = re.compile("[%,|()]")  # what a signature needs for itself
_BRACKET = re.compile(r"-[LR][RSC]B-")


def chosen_tags(given: str | Iterable[str]) -> str:
    """A choice of tags as one text, each of its parts once. Raises UsageError for an empty one."""
    parts = given.split() if isinstance(given, str) else [part for one in given for part in one.split()]
    if not parts or not all(part.isprintable() for part in parts):
        raise UsageError(f"--punct-tag: a tag, or a set of tags ({', '.join(SETS)}); separated by blanks, if several")
    return " ".join(dict.fromkeys(parts))


@lru_cache(maxsize=64)
def tags_of(choice: str) -> tuple[str, ...]:
    """The tags that a choice names, its sets resolved."""
    return tuple(dict.fromkeys(tag for part in choice.split() for tag in SETS.get(part, (part,))))


def spelled(choice: str) -> str:
    """A choice within a signature: separated by commas; empty for the default, PUNCT."""
    if tags_of(choice) == (DEFAULT,):
        return ""
    return ",".join(_SIGNS.sub(lambda found: quote(found[0]), part) for part in choice.split())


def unspelled(text: str) -> str:
    """The choice that `spelled` wrote."""
    return " ".join(map(unquote, text.split(","))) if text else DEFAULT


def is_punct(treebank: Treebank, choice: str) -> Mask:
    """Words whose tag is one of punctuation, bool [N]: the UPOS, or where there is none (`_`) the XPOS."""
    return _tagged(treebank, frozenset(tags_of(choice)))


def _tagged(treebank: Treebank, tags: frozenset[str]) -> Mask:
    upos = treebank.upos
    found = _among(upos, tags)
    if "_" in upos.vocabulary:
        without = upos.codes == upos.code("_")
        if without.any():
            found = np.where(without, _among(treebank.xpos, tags), found)
    return found


def _among(column: Column, values: frozenset[str]) -> Mask:
    return np.array([name in values for name in column.vocabulary], bool)[column.codes]


def unmarked(treebank: Treebank) -> dict[str, int]:
    """What looks like punctuation in a treebank in which no tag says so: words by their form or tag under "", and how
    many of them each set of tags would find."""
    looks = np.array([_looks_so(form) for form in treebank.column(FORM).vocabulary], bool)
    found = looks[treebank.column(FORM).codes] | _tagged(treebank, _EVERY)
    counts = {"": int(found.sum())}
    if counts[""]:
        counts |= {name: int(_tagged(treebank, frozenset(tags)).sum()) for name, tags in SETS.items()}
    return {name: count for name, count in counts.items() if count}


def _looks_so(form: str) -> bool:
    """Whether a form is of punctuation and symbols alone, or a bracket as the Penn Treebank writes it."""
    return form != "_" and (_BRACKET.fullmatch(form) or all(unicodedata.category(c)[0] in "PS" for c in form)) is True


def none_found(what: str, choice: str, looks: dict[str, int]) -> str:
    """A line about an option that leaves punctuation out and found none. what: the option; looks: see `unmarked`."""
    tags = " ".join(tags_of(choice))
    best = max((name for name in looks if name), key=lambda name: looks[name], default="")
    out = f"--punct-tag {best}" if best else f"--punct-tag with their tags, or a set of tags ({', '.join(SETS)})"
    return f"{what} finds no punctuation: no word has the tag {tags}, but {looks['']} look like punctuation; add {out}"
