"""Every mode of permtree on real treebanks: DLM ratio, arc-direction entropy and sibling-order entropy (nats).

Usage: python experiments/orders_table.py NAME=FILE[,FILE...] ...
Example: python experiments/orders_table.py en=en_ewt-ud-dev.conllu tr=tr_imst-ud-dev.conllu
Policies and conventions are those of the profile gulordava-merlo-2016. Mode `like` takes the treebank that is named
next. Mode `fixed` is left out: it orders sentences of one length only.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from tabulate import tabulate

from permtree import Treebank, UsageError, measure, permute

PROFILE = "gulordava-merlo-2016"
MEASURES = ("dlm_ratio", "arc_direction_entropy", "sibling_order_entropy")
GRAMMAR = str(Path(__file__).with_name("grammar_sov.toml"))

# (mode, options), from the text to what is farthest from it
ORDERS: list[tuple[str, dict[str, Any]]] = [
    ("original", {}),
    ("projectivize", {}),
    ("reverse", {}),
    ("majority", {}),
    ("reverse-complements", {}),
    ("random-same-side", {}),
    ("optdl", {"ties": "min-entropy"}),
    ("optdl", {"ties": "original"}),
    ("optdl", {"ties": "alternate"}),
    ("optdl", {"ties": "random"}),
    ("optdl", {"ties": "max-entropy"}),
    ("planar", {}),
    ("lb", {"siblings": "shortest-nearest"}),
    ("rb", {"siblings": "shortest-nearest"}),
    ("rb", {"siblings": "original"}),
    ("rb", {"siblings": "longest-nearest"}),
    ("fong-berwick", {}),
    ("maxdl", {}),
    ("grammar", {"weights": GRAMMAR}),
    ("like", {"deterministic": True}),
    ("like", {}),
    ("mixture", {"of": "optdl", "p": 0.25}),
    ("mixture", {"of": "optdl", "p": 0.5}),
    ("mixture", {"of": "optdl", "p": 0.75}),
    ("match", {"dlm": 1.1, "entropy": 0.1}),
    ("match", {"dlm": 1.1, "entropy": 0.5}),
    ("match", {"dlm": 1.3, "entropy": 0.1}),
    ("match", {"dlm": 1.3, "entropy": 0.5}),
    ("random-projective", {}),
    ("random", {}),
]


def cell(treebank: Treebank, other: Treebank, mode: str, options: dict[str, Any]) -> str:
    """The three properties of a treebank in one order."""
    chosen = {**options, "treebank": other} if mode == "like" else options
    try:
        permuted = permute(treebank, mode, profile=PROFILE, **chosen)
    except UsageError as error:
        if mode != "match":
            raise
        print(f"{mode} {options}: {error}", file=sys.stderr)
        return "out of reach"
    found = measure(permuted, *MEASURES, profile=PROFILE)
    return " / ".join(f"{found[name].value:.3f}" for name in MEASURES)


def label(mode: str, options: dict[str, Any]) -> str:
    """A mode as it is written on the command line."""
    shown = {name: Path(value).name if name == "weights" else value for name, value in options.items()}
    parts = [f"--{name}" if value is True else f"--{name} {value}" for name, value in shown.items()]
    return f"`{' '.join([mode, *parts])}`"


def main(arguments: list[str]) -> int:
    if len(arguments) < 2 or not all("=" in argument for argument in arguments):
        print(__doc__, file=sys.stderr)
        return 2
    named = [argument.partition("=") for argument in arguments]
    treebanks = [Treebank.read(*files.split(",")) for _, _, files in named]
    others = treebanks[1:] + treebanks[:1]
    rows = []
    for mode, options in ORDERS:
        print(label(mode, options), file=sys.stderr)
        cells = [cell(treebank, other, mode, options) for treebank, other in zip(treebanks, others, strict=True)]
        rows.append([label(mode, options), *cells])
    print(tabulate(rows, ["mode", *(name for name, _, _ in named)], tablefmt="github", disable_numparse=True))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
