"""Versions of one treebank, such as an original and its permutation: what all of them have."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ..conllu.scan import some_sentences
from ..errors import Finding
from . import Treebank


def trees_in_all(treebanks: Sequence[Treebank]) -> tuple[list[Treebank], list[Finding], int]:
    """Versions of a treebank without the sentences that are no tree, or could not be read, in one of them.

    Also the findings of those that are no tree, and how many others went with them, summed over the versions. Sentences
    are joined by sent_id if each has one of its own, else by number; where more are missing than errors explain, none
    goes, and it is for the caller to say what is wrong.
    """
    kept, findings = zip(*(treebank.trees_only(skip_errors=True) for treebank in treebanks), strict=True)
    told = [finding for own in findings for finding in own]
    ids = [side.sent_ids for side in kept]
    named = all("" not in own and len(set(own)) == len(own) for own in ids)
    keys: list[list] = ids if named else [side.text.number[side.sentence].tolist() for side in kept]
    common = set(keys[0]).intersection(*keys[1:])
    extra = [len(own) - len(common) for own in keys]
    bad = [side.text.n_sentences + side.text.n_skipped - side.n_sentences for side in kept]
    if any(count > sum(bad) - own for count, own in zip(extra, bad, strict=True)):
        return list(kept), told, 0
    chosen = [np.array([key in common for key in own], bool) for own in keys]
    return [side.select_sentences(mask) for side, mask in zip(kept, chosen, strict=True)], told, sum(extra)


def with_own_text(treebank: Treebank) -> Treebank:
    """A selection of whole sentences with a text of its own, in the order of the text; lines keep their numbers."""
    kept = np.zeros(treebank.text.n_sentences, bool)
    kept[treebank.sentence] = True
    return treebank if kept.all() else Treebank.from_text(some_sentences(treebank.text, kept))
