"""The two properties of Gulordava & Merlo (2016, Table 1 and section 3) on your treebanks, beside the paper's figures.

Usage: python experiments/paper_measures.py CODE=FILE[,FILE...] ...
CODE is the paper's (see paper_values.tsv) where the treebank is one of theirs, else any name.
Example: python experiments/paper_measures.py la.V=la_vulgate.conll en=en_ewt-ud-train.conllu
"""

from __future__ import annotations

import csv
import sys
from pathlib import Path

from tabulate import tabulate

from permtree import Treebank, measure, permute

PROFILE = "gulordava-merlo-2016"
COLUMNS = ("dlm_ratio", "lbrb_dlm_ratio", "entropy", "optdl_entropy")


def properties(treebank: Treebank) -> dict[str, float]:
    """DLM ratio and entropy of the original, DLM ratio of the right-branching order (the left-branching one has the
    same), entropy of the optimal order."""
    original = measure(treebank, profile=PROFILE)
    right = measure(permute(treebank, "rb", profile=PROFILE), "dlm_ratio", profile=PROFILE)
    shortest = measure(permute(treebank, "optdl", profile=PROFILE), "arc_direction_entropy", profile=PROFILE)
    return {
        "kept": original.kept_sentences,
        "dlm_ratio": original["dlm_ratio"].value,
        "lbrb_dlm_ratio": right["dlm_ratio"].value,
        "entropy": original["arc_direction_entropy"].value,
        "optdl_entropy": shortest["arc_direction_entropy"].value,
    }


def main(arguments: list[str]) -> int:
    if not arguments or not all("=" in argument for argument in arguments):
        print(__doc__, file=sys.stderr)
        return 2
    with open(Path(__file__).with_name("paper_values.tsv"), encoding="utf-8") as source:
        paper = {row["treebank"]: row for row in csv.DictReader(source, delimiter="\t")}
    rows = []
    for argument in arguments:
        code, _, files = argument.partition("=")
        ours = properties(Treebank.read(*files.split(",")))
        cells = [f"{ours[name]:.3f} ({paper[code][name] if code in paper else '-'})" for name in COLUMNS]
        rows.append([code, ours["kept"], *cells])
    header = ["treebank", "sentences", "DLM ratio", "LB/RB DLM ratio", "entropy (nats)", "OptDL entropy (nats)"]
    print("ours (the paper's)\n")
    print(tabulate(rows, header, tablefmt="github", disable_numparse=True))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
