"""Do shorter dependencies and regular order make parsing easier? Two Latin texts in four orders, two parsers.

Usage: python experiments/latin_parsers.py FOLDER WORK [--parsers NAME ...] [--jobs N] [--seed N] [--set KEY=VALUE ...]

FOLDER holds la_cicero and la_vulgate with the training and test files of the PROIEL treebank (2015, CoNLL-X). The last
tenth of the training sentences chooses the epoch. Training and test are permuted with the same rule. Models go to WORK:
what is there already is not computed again. Prints the table as Markdown; MaltParser's column is of version 1.9 with
its default features on the same split. UAS/LAS over all words.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from tabulate import tabulate

import permtree
from permtree.errors import PermtreeError

MODES = ["original", "optdl", "lb", "rb"]
MALTPARSER = {
    "la_cicero": ["57.7/46.1", "75.4/60.0", "86.0/70.5", "85.0/70.2"],
    "la_vulgate": ["76.0/66.9", "82.4/71.8", "91.5/80.7", "89.9/80.8"],
}
PERMTREE = [sys.executable, "-m", "permtree"]


def split(text: str, folder: Path, work: Path) -> None:
    """train, dev and test of a text, in its original order."""
    blocks = (folder / text / f"{text}.train.conll").read_text(encoding="utf-8").strip("\n").split("\n\n")
    held_out = len(blocks) // 10
    parts = {"train": blocks[:-held_out], "dev": blocks[-held_out:]}
    for name, own in parts.items():
        (work / f"{text}.{name}.conllu").write_text("\n\n".join(own) + "\n\n", encoding="utf-8")
    test = (folder / text / f"{text}.test.conll").read_text(encoding="utf-8")
    (work / f"{text}.test.conllu").write_text(test, encoding="utf-8")


def permuted(text: str, mode: str, work: Path) -> dict[str, Path]:
    """The three parts of a text in an order."""
    parts = {}
    for name in ("train", "dev", "test"):
        parts[name] = work / f"{text}.{name}.{mode}.conllu"
        source = work / f"{text}.{name}.conllu"
        subprocess.run([*PERMTREE, "permute", "-q", "--mode", mode, source, "-o", parts[name]], check=True)
    return parts


def trained(parser: str, text: str, mode: str, given: argparse.Namespace) -> tuple[str, str, str, str, str]:
    """Train on one text in one order, parse and score its test part."""
    parts = {name: given.work / f"{text}.{name}.{mode}.conllu" for name in ("train", "dev", "test")}
    model = given.work / f"{text}.{mode}.{parser}.{given.seed}"
    command = [*PERMTREE, "train", parser, parts["train"], "--dev", parts["dev"], "-o", model, "--quiet"]
    command += ["--seed", str(given.seed), "--device", "cpu"]
    command += [part for setting in given.settings for part in ("--set", setting)]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        raise PermtreeError(f"{model}: {done.stderr.strip()}")
    parsed = model.with_suffix(".conllu")
    subprocess.run([*PERMTREE, "parse", model, parts["test"], "-o", parsed, "--quiet"], check=True)
    gold, found = (permtree.Treebank.read(str(path)) for path in (parts["test"], parsed))
    values = permtree.evaluate(gold, found).values
    result = f"{values['uas'].value:.1f}/{values['las'].value:.1f}"
    print(f"{text} {mode} {parser}: {result}", file=sys.stderr, flush=True)
    return text, mode, parser, result, values["las"].signature


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("folder", type=Path)
    arguments.add_argument("work", type=Path)
    arguments.add_argument("--parsers", nargs="+", default=["biaffine", "arc-hybrid"], metavar="NAME")
    arguments.add_argument("--texts", nargs="+", default=list(MALTPARSER), choices=list(MALTPARSER))
    arguments.add_argument("--jobs", type=int, default=1, help="trainings at a time, each with one thread [1]")
    arguments.add_argument("--seed", type=int, default=1)
    arguments.add_argument("--set", nargs="+", default=[], metavar="KEY=VALUE", dest="settings")
    given = arguments.parse_args()
    given.work.mkdir(parents=True, exist_ok=True)
    for text in given.texts:
        split(text, given.folder, given.work)
        for mode in MODES:
            permuted(text, mode, given.work)
    cells = [(parser, text, mode) for text in given.texts for mode in MODES for parser in given.parsers]
    with ThreadPoolExecutor(given.jobs) as pool:
        results = list(pool.map(lambda cell: trained(*cell, given), cells))
    found = {(text, mode, parser): result for text, mode, parser, result, _ in results}
    rows = [
        [text, mode, MALTPARSER[text][place], *(found[text, mode, parser] for parser in given.parsers)]
        for text in given.texts
        for place, mode in enumerate(MODES)
    ]
    print(tabulate(rows, ["text", "order", "MaltParser 1.9", *given.parsers], tablefmt="github", disable_numparse=True))
    changed = f", {', '.join(given.settings)}" if given.settings else ""
    signatures = sorted({f"`{signature}`" for *_, signature in results})
    print(f"\nUAS/LAS in percent. Preset small{changed}; seed {given.seed}. LAS: {', '.join(signatures)}.")


if __name__ == "__main__":
    main()
