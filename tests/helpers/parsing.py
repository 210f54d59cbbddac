"""What every parser has to keep to, checked on its predictions: one tree a sentence, and the text as it was."""

from __future__ import annotations

from typing import Any

from permtree.parsing import Parser
from permtree.treebank import Treebank


def trees_with_one_root(treebank: Treebank) -> bool:
    """Whether every sentence is a tree with exactly one root."""
    return bool((treebank.n_roots == 1).all() and (treebank.depth >= 0).all())


def same_but_for_trees(before: bytes, after: bytes) -> bool:
    """Whether texts differ in HEAD, DEPREL and DEPS of words alone, and no DEPS is left."""
    return _without_trees(before) == _without_trees(after) and all(
        line.split(b"\t")[8] == b"_" for line in after.split(b"\n") if line[:1].isdigit()
    )


def _without_trees(data: bytes) -> list[list[bytes]]:
    lines = [line.split(b"\t") for line in data.split(b"\n")]
    for columns in lines:
        if columns[0].isdigit():
            columns[6:9] = []
        elif columns[0][:1].isdigit():
            columns[8:9] = []
    return lines


def parsing_of(kind: type[Parser], train: Treebank, test: Treebank, **settings: Any) -> Treebank:
    """Train on one treebank, parse another."""
    return kind.train(train, None, kind.Config(**settings), device="cpu").predict(test)
