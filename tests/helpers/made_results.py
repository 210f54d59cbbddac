"""Results of studies that were never run, with known numbers; and minimal pairs with known errors."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from permtree import Treebank, permute
from permtree.signature import Signature
from permtree.study.cells import Cell
from permtree.study.computing import PREDICTED, Outcome, compressed
from permtree.study.preparing import COUNTS
from permtree.study.results import Results
from permtree.study.store import Store

ORDERS: dict[str, tuple[str, dict[str, Any]]] = {name: (name, {}) for name in ("original", "optdl", "lb", "rb")}
CONVENTIONS = (
    "arc_direction_entropy|unit:nats|estimator:plugin|punct:exclude|roots:skip",
    "dlm_ratio|length:span+root|punct:exclude|roots:skip",
    "las|convention:all",
    "uas|convention:all",
)
PROFILE = "gulordava-merlo-2016"
Sentence = list[list[str]]  # a sentence's words, ten columns each


def made(
    treebanks: Mapping[str, str | None] | Iterable[str] = ("one",),
    orders: Mapping[str, tuple[str, dict[str, Any]]] = ORDERS,
    parsers: Mapping[str, str] = {"biaffine": "biaffine"},
    properties: Mapping[tuple[str, str], Mapping[str, float]] = {},
    scores: Mapping[tuple[str, str, str], Iterable[float]] = {},
    **others: Any,
) -> Results:
    """Results. treebanks: with their codes in the paper; orders: with mode and options; parsers: with their kinds;
    properties: by (treebank, order); scores: UAS by (treebank, order, parser), one for each seed, LAS is 10 less."""
    codes = dict(treebanks) if isinstance(treebanks, Mapping) else dict.fromkeys(treebanks, "")
    seeds = range(1, max([len(list(own)) for own in scores.values()], default=1) + 1)
    given: dict[str, Any] = {
        "folder": Path("nowhere"),
        "study": {"name": "made", "question": "", "signature": "made|punct:exclude", "baseline": next(iter(orders))},
        "treebanks": tuple(
            {"treebank": name, "language": "", "paper": code, "absent": None, "parts": "train test", "note": ""}
            for name, code in codes.items()
        ),
        "orders": tuple(
            {"order": name, "mode": mode, "options": json.dumps(options), "seed": 0, "family": "", "dial": None}
            for name, (mode, options) in orders.items()
        ),
        "parsers": tuple(
            {"parser": name, "kind": kind, "config": "{}", "device": ""} for name, kind in parsers.items()
        ),
        "seeds": tuple(seeds),
        "pairs": tuple((next(iter(orders)), other) for other in list(orders)[1:]),
        "properties": properties,
        "runs": tuple(
            {"treebank": place[0], "order": place[1], "parser": place[2], "seed": seed, "uas": uas, "las": uas - 10}
            for place, own in scores.items()
            for seed, uas in enumerate(own, 1)
        ),
        "parts": (),
        "missing": (),
        "cells": {},
        "conventions": CONVENTIONS,
    }
    given |= others
    return Results(**{**given, "conventions": tuple(map(Signature.parse, given["conventions"]))})


# -- minimal pairs ---------------------------------------------------------------------------------------------------


def words_of(data: bytes) -> list[Sentence]:
    """The words of each sentence, read in plain Python."""
    blocks = (block.splitlines() for block in data.decode().split("\n\n") if block.strip())
    return [[line.split("\t") for line in block if line.split("\t")[0].isdigit()] for block in blocks]


def original_id(word: list[str]) -> int:
    """The id that a word had before it was permuted."""
    return int(next(item for item in word[9].split("|") if item.startswith("Orig=")).removeprefix("Orig="))


def with_errors(data: bytes, heads: Iterable[tuple[int, int]] = (), labels: Iterable[tuple[int, int]] = ()) -> bytes:
    """A prediction that is right but for some heads and relations, by (number of sentence, original id)."""
    wrong_heads, wrong_labels = set(heads), set(labels)
    sentences = []
    for number, block in enumerate(data.decode().rstrip("\n").split("\n\n")):
        lines = [line.split("\t") for line in block.split("\n")]
        for word in (line for line in lines if line[0].isdigit()):
            place = number, original_id(word)
            if place in wrong_heads:
                word[6] = next(head for head in ("0", "1", "2") if head not in (word[0], word[6]))
            if place in wrong_labels:
                word[7] = "wrong"
        sentences.append("\n".join("\t".join(line) for line in lines))
    return ("\n\n".join(sentences) + "\n\n").encode()


class Pairs:
    """A folder of results that holds a test part in several orders, with predictions that have known errors."""

    def __init__(self, folder: Path, treebank: Treebank, orders: Iterable[str]):
        self.folder = folder
        self.store = Store(folder)
        self.gold = {order: permute(treebank, order, profile=PROFILE).to_bytes() for order in orders}
        self.cells: dict[tuple[Any, ...], dict[str, str]] = {}

    def words(self, order: str) -> list[dict[int, list[str]]]:
        """Gold words of each sentence by their original ids."""
        return [{original_id(word): word for word in sentence} for sentence in words_of(self.gold[order])]

    def add(self, treebank: str, order: str, parser: str, seed: int = 1, **errors: Iterable[tuple[int, int]]) -> None:
        """A prediction; the errors are those of `with_errors`."""
        gold = self.gold[order]
        about = {"sentences": gold.count(b"\n\n"), "words": sum(map(len, words_of(gold))), **dict.fromkeys(COUNTS, 0)}
        test = {**about, "left_out": {}, "removed": {}, "report": []}
        at = {"treebank": treebank, "order": order}
        permuted = Cell("permute", at, at)
        self._put(permuted, "test.conllu.gz", gold, {"signature": "", "parts": {"test": test}})
        place = {**at, "parser": parser, "seed": seed}
        self._put(Cell("predict", place, place), PREDICTED, with_errors(gold, **errors), {})

    def _put(self, cell: Cell, name: str, data: bytes, value: Mapping[str, Any]) -> None:
        """Store a cell with one file, as a study does."""
        self.store.put(cell, Outcome(value, {name: compressed(data)}))
        treebank, order, parser, seed = (cell.place.get(key) for key in ("treebank", "order", "parser", "seed"))
        row = {"key": cell.key, "folder": self.store.path(cell).relative_to(self.folder).as_posix()}
        self.cells[cell.kind, treebank, order, parser, seed] = row

    def results(self, treebanks: Mapping[str, str] | Iterable[str] = ("one",), **others: Any) -> Results:
        """See `made`."""
        orders = {name: (name, {}) for name in self.gold}
        return made(treebanks, **{"orders": orders, "folder": self.folder, "cells": self.cells, **others})
