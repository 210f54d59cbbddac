"""The figures of Gulordava & Merlo (2016), TACL 4: Tables 1-3, by the paper's codes of treebanks.

train_kwords, mean_sentence_length, dlm_ratio, entropy (nats), lbrb_dlm_ratio, optdl_entropy: Table 1. UAS and LAS in
percent by order, original, optdl, lb and rb: of MaltParser (malt_ORDER_uas) Table 2, of MSTParser (mst_ORDER_uas) Table
3, which has one figure for lb and rb.
"""

from __future__ import annotations

import csv
import math
from collections.abc import Mapping
from functools import cache
from importlib import resources

SOURCE = "Gulordava & Merlo (2016)"
# Kinds of parsers by the paper's parser that they stand beside; baselines and parsers not named here have none
BESIDE = {"arc-hybrid": "malt", "udpipe": "malt", "biaffine": "mst", "supar-biaffine": "mst", "supar-crf": "mst"}
PAPER_PARSER = {"malt": "MaltParser in Table 2", "mst": "MSTParser in Table 3"}


@cache
def paper() -> Mapping[str, Mapping[str, float | str]]:
    """All rows of the paper's tables, by code."""
    text = resources.files(__package__).joinpath("gulordava_merlo_2016.tsv").read_text(encoding="utf-8")
    rows = csv.DictReader(text.splitlines(), delimiter="\t")
    return {
        row["treebank"]: {
            name: value if name in ("treebank", "language") else float(value) for name, value in row.items()
        }
        for row in rows
    }


def paper_value(code: str, name: str) -> float:
    """A figure of the paper; nan where the treebank is none of theirs."""
    value = paper().get(code, {}).get(name, math.nan)
    assert isinstance(value, float)
    return value


def paper_parser(kind: str) -> str:
    """The paper's parser that a kind of parser stands beside, as both are transition-based (malt) or graph-based (mst);
    empty where there is none."""
    return BESIDE.get(kind, "")


def paper_score(code: str, kind: str, mode: str, score: str) -> float:
    """UAS or LAS of the paper for a mode of permutation; nan where there is none."""
    parser = paper_parser(kind)
    order = "lbrb" if parser == "mst" and mode in ("lb", "rb") else mode
    return paper_value(code, f"{parser}_{order}_{score}")
