"""The two transformations of Fong & Berwick (2008): languages that no human speaks, made from one that some do."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ..configuration import Settings, setting
from ..errors import UsageError
from ..treebank import Treebank
from ..treebank.arc_types import text_placement
from ..types import Ints, Mask
from . import Request, permuter
from .original import in_text_order

SOURCE = "after Fong & Berwick (2008), Treebank parsing and knowledge of language, CogSci"

# What a head selects, and the functional words whose complement UD makes their head. Subjects are no complements.
COMPLEMENTS = ("obj", "iobj", "ccomp", "xcomp", "obl:arg", "obl:agent", "case", "mark", "aux", "cop")


def read_relations(value: str | Sequence[str]) -> tuple[str, ...]:
    """Names of relations, separated by commas or as a sequence."""
    names = value.split(",") if isinstance(value, str) else value
    relations = tuple(name.strip() for name in names)
    if not all(relations):
        raise UsageError("--complements: relations separated by commas, such as obj,iobj,xcomp")
    return relations


@permuter(
    "fong-berwick",
    gives="placement",
    what="half of the sentences head-final (all dependents before their head), half head-initial, by a coin a "
    "sentence; siblings keep their order",
    source=SOURCE,
    random=True,
)
def fong_berwick(treebank: Treebank, request: Request) -> Ints:
    return in_text_order(treebank, treebank.random_uniform_of_sentence(request.seed, "fong-berwick") < 0.5)


@dataclass(frozen=True)
class Complements(Settings):
    """Which relations they are."""

    complements: tuple[str, ...] = setting(
        COMPLEMENTS,
        "relations separated by commas; one without a subtype stands for its subtypes too. For PROIEL's own labels: "
        "obj,obl,ag,comp,xobj,aux",
        read=read_relations,
    )


@permuter(
    "reverse-complements",
    gives="placement",
    what="complements change to the other side of their head, at their old distance from it; all others stay where "
    "they are. Which relations are complements is a table (docs/orders.md says why these)",
    source=SOURCE + ", as far as relations tell complements from adjuncts",
    config=Complements,
)
def reverse_complements(treebank: Treebank, request: Request) -> Ints:
    turned = _in_table(treebank, request.config.complements)
    request.counts["words that changed sides as complements"] += int((turned & (treebank.head >= 0)).sum())
    offset = text_placement(treebank)
    return np.where(turned, -offset, offset)


def _in_table(treebank: Treebank, relations: tuple[str, ...]) -> Mask:
    """Which words have one of these relations, bool [N]."""
    named = [name in relations or name.split(":")[0] in relations for name in treebank.deprel.vocabulary]
    return np.array(named, bool)[treebank.deprel.codes]
