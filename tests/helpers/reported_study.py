"""A small study that has been run, for tests of reports: two treebanks and one that is not there, in six orders."""

from __future__ import annotations

import atexit
import shutil
import tempfile
from functools import cache
from pathlib import Path

from places import SAMPLE
from studies import computed

STUDY = """
question = "What does a report say?"
profile = "gulordava-merlo-2016"
seeds = [1]
pairs = [["original", "right"], ["lb", "right"]]

[treebanks.fluvi]
language = "Fluvi"
paper = "la.C"
train = "fluvi-train.conllu"
test = "fluvi-test.conllu"

[treebanks.medol]
train = "medol-train.conllu"
test = "medol-test.conllu"

[treebanks.gone]
paper = "pl"
train = "gone.conllu"
test = "gone.conllu"
optional = true

[orders.original]
[orders.short]
mode = "optdl"
[orders.lb]
[orders.right]
mode = "rb"
[orders.dose]
mode = "mixture"
of = "optdl"
p = [0, 1]

[parsers.left]
[parsers.mine]
parser = "majority-offset"
"""
ORDERS = ("original", "short", "lb", "right", "dose-p=0", "dose-p=1")


@cache
def reported_study() -> Path:
    """The folder of its results, beside the files that it was made of; nobody changes anything in it."""
    folder = Path(tempfile.mkdtemp())
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    for name in ("fluvi", "medol"):
        blocks = (SAMPLE / f"{name}-train.conllu").read_bytes().split(b"\n\n")[:90]
        for part, own in (("train", blocks[:60]), ("test", blocks[60:])):
            (folder / f"{name}-{part}.conllu").write_bytes(b"\n\n".join(own) + b"\n\n")
    (folder / "study.toml").write_text(STUDY, encoding="utf-8")
    computed(folder / "study.toml", folder / "study.results")
    return folder / "study.results"
