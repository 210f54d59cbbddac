"""How much faster are two workers than one, on cells that don't depend on each other?

Usage: python benchmarks/study.py [--epochs N] [--workers N] [--dask]

A study of the sample: three languages in two orders, one parser: six trainings, each with a thread of its own. All
cells are permuted and measured first; what is timed is training, parsing and scoring, the start of the processes
included. --dask also times a cluster of as many workers on this machine, its own start not included.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from tabulate import tabulate

SAMPLE = Path(__file__).parents[1] / "treebanks"
STUDY = """
folder = "{folder}"
seeds = [1]
{treebanks}
[orders.original]
[orders.rb]

[parsers.arc-hybrid]
settings = {{ epochs = {epochs}, patience = 100, most_words = 0 }}
"""
TREEBANK = """
[treebanks.{name}]
train = "{name}-train.conllu"
dev = "{name}-dev.conllu"
test = "{name}-test.conllu"
"""


def run(*arguments: str) -> float:
    """The seconds that `permtree run` takes."""
    began = time.perf_counter()
    subprocess.run([sys.executable, "-m", "permtree", "run", "-q", *arguments], check=True)
    return time.perf_counter() - began


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--epochs", type=int, default=5)
    arguments.add_argument("--workers", type=int, default=2)
    arguments.add_argument("--dask", action="store_true")
    given = arguments.parse_args()
    with tempfile.TemporaryDirectory() as name:
        work = Path(name)
        study = work / "study.toml"
        treebanks = "".join(TREEBANK.format(name=name) for name in ("rigan", "medol", "fluvi"))
        study.write_text(STUDY.format(folder=SAMPLE, treebanks=treebanks, epochs=given.epochs), encoding="utf-8")

        def timed(label: str, *options: str) -> list[object]:
            folder = str(work / label)
            run(str(study), "-o", folder, "--only", "measure")
            return [label, run(str(study), "-o", folder, *options)]

        rows = [
            timed("one worker", "--workers", "1"),
            timed(f"{given.workers} workers", "--workers", str(given.workers)),
        ]
        if given.dask:
            from distributed import LocalCluster

            sys.path.remove(str(Path(__file__).parent))  # the workers inherit it, and parsers.py here is no package
            with LocalCluster(n_workers=given.workers, threads_per_worker=1, dashboard_address=None) as cluster:
                rows.append(timed(f"Dask, {given.workers} workers", "--dask", cluster.scheduler_address))
    first = rows[0][1]
    table = [[label, f"{seconds:.1f}", f"{first / seconds:.2f}"] for label, seconds in rows]  # type: ignore[operator]
    print(tabulate(table, ["", "seconds", "times as fast"], tablefmt="github", disable_numparse=True))


if __name__ == "__main__":
    main()
