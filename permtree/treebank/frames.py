"""Treebanks and measurements as tables of pandas and pyarrow, where these are installed."""

from __future__ import annotations

from importlib import import_module
from typing import Any

import numpy as np

from ..conllu.text import DEPREL, DEPS, FEATS, FORM, LEMMA, MISC, UPOS, XPOS
from ..errors import UsageError
from ..kernels.trees import NO_HEAD
from ..types import Columns

NUMBERS = ("sentence", "id", "head")  # columns of words that are whole numbers
_TEXTS = {"form": FORM, "lemma": LEMMA, "upos": UPOS, "xpos": XPOS, "feats": FEATS, "deprel": DEPREL, "deps": DEPS}


def to_pandas(columns: Columns) -> Any:
    """A pandas.DataFrame; UsageError where pandas isn't installed."""
    return _package("pandas").DataFrame(columns)


def to_arrow(columns: Columns, numbers: tuple[str, ...] | None = None) -> Any:
    """A pyarrow.Table; UsageError where pyarrow isn't installed.

    numbers: the columns of whole numbers, all others being texts; without it, types are told from the values.
    """
    arrow = _package("pyarrow")
    if numbers is None:
        return arrow.table(columns)
    fields = [(name, arrow.int64() if name in numbers else arrow.string()) for name in columns]
    return arrow.table(columns, arrow.schema(fields))


def _package(name: str) -> Any:
    try:
        return import_module(name)
    except ImportError:
        raise UsageError(f"{name} is not installed: pip install {name}") from None


def word_columns(treebank: Any) -> Columns:
    """A row a word: the sentence's number from 1 and its sent_id, the word's id in it, and the columns of CoNLL-U as
    they were read; head is an id, 0 for a root, None where no tree is annotated."""
    first = treebank.sentence_start[treebank.sentence_of]
    names = treebank.sent_ids
    ids = np.arange(treebank.n_words) - first + 1
    heads = treebank.head_number
    rows = treebank.row.tolist()
    columns: Columns = {
        "sentence": (treebank.sentence_of + 1).tolist(),
        "sent_id": [names[sentence] for sentence in treebank.sentence_of.tolist()],
        "id": ids.tolist(),
    }
    for name, number in {**_TEXTS, "misc": MISC}.items():
        texts = treebank.text.strings(number)
        columns[name] = [texts[row] for row in rows]
        if name == "feats":
            unknown = (treebank.head == NO_HEAD).tolist()
            columns["head"] = [None if lost else head for head, lost in zip(heads.tolist(), unknown, strict=True)]
    return columns


def measurement_columns(measurement: Any) -> Columns:
    """A row a group, if the measurement has been taken apart, else a row a measure."""
    columns: Columns
    if measurement.by:
        labels = [label for label, _, _ in measurement.groups]
        if measurement.by == "sentence":
            columns = {"number": [number for number, _ in labels], "sent_id": [name for _, name in labels]}
        else:
            columns = {"group": labels}
        columns["size"] = [size for _, size, _ in measurement.groups]
        return {**columns, **{name: [values[name] for _, _, values in measurement.groups] for name in measurement}}
    found = list(measurement.values())
    columns = {"measure": [*measurement], "value": [value.value for value in found]}
    if any(value.interval for value in found):
        intervals = [value.interval or (None, None) for value in found]
        columns |= {"low": [low for low, _ in intervals], "high": [high for _, high in intervals]}
    if any(value.deviation is not None for value in found):
        columns["deviation"] = [value.deviation for value in found]
    columns["signature"] = [value.signature for value in found]
    return columns
