"""Write small sentences by hand and permute them: the shorthand of the tests of `reorder` and `inverting`."""

from __future__ import annotations

from collections import Counter

import numpy as np

from permtree.editing.reorder import moved, reorder
from permtree.permuting import Permutation, permute_bytes
from permtree.treebank import Treebank
from permtree.treebank.policies import Policies


def conllu(*lines: str) -> bytes:
    """Lines with columns separated by any white space; comments and blank lines stay as they are.

    Columns that are left out at the end are `_`; the last column may be given as `MISC:value`.
    """
    return b"".join(_line(line) for line in lines)


def _line(line: str) -> bytes:
    if line.startswith("#") or not line:
        return line.encode() + b"\n"
    columns = line.split()
    misc = columns.pop().removeprefix("MISC:") if columns[-1].startswith("MISC:") else "_"
    columns += ["_"] * (9 - len(columns))
    return "\t".join([*columns, misc]).encode() + b"\n"


def word(number: str | int, form: str, head: str | int = "_", deps: str = "_", misc: str = "_", upos: str = "X") -> str:
    """One line for `conllu`."""
    relation = {"0": "root", "_": "_"}.get(str(head), "dep")
    return f"{number} {form} _ {upos} _ _ {head} {relation} {deps} MISC:{misc}"


def put_in_order(data: bytes, *order: int, counts: Counter[str] | None = None) -> bytes:
    """One sentence in an order given by word numbers, signed "test"."""
    rows = np.array(order) - 1
    treebank = Treebank.from_bytes(data)
    if counts is not None:
        counts.update(moved(treebank, rows))
    return reorder(treebank, rows, "test")


def permuted(data: bytes, mode: str, seed: int = 0, options: dict | None = None, **policies: str) -> Treebank:
    """Through the whole of permuting, read again."""
    permutation = Permutation(mode, seed, Policies(**policies), tuple((options or {}).items()))
    return Treebank.from_bytes(permute_bytes(Treebank.from_bytes(data), permutation)[0])
