"""Parsers side by side in one run on one core: accuracy, seconds of training, sentences parsed a second, memory.

Usage: python benchmarks/parsers.py FOLDER [--parsers NAME ...] [--seeds N] [--set KEY=VALUE ...]

FOLDER holds train.conllu, dev.conllu and test.conllu. Every training is a process of its own with one thread; its
seconds are of the processor, start included. Parsing is timed in seconds of the processor, too, the best of three
passes over the test file after a first one, reading and writing CoNLL-U included. UAS and LAS are over all words and
full relations, the mean over seeds 1, 2 ... and the least and the largest value.
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

from tabulate import tabulate

import permtree

PARSERS = ["biaffine", "arc-hybrid", "supar-biaffine", "udpipe", "majority-offset", "right"]
ONE_CORE = {name: "1" for name in ("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS")}

# Another process waits for the one that is measured: a peak counted from here would hold the memory of this one too.
WAITER = """
import resource, subprocess, sys
done = subprocess.run(sys.argv[1:], stderr=subprocess.PIPE)
usage = resource.getrusage(resource.RUSAGE_CHILDREN)
print(usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024)
sys.stderr.buffer.write(done.stderr)
sys.exit(done.returncode)
"""

PARSE = """
import sys, time
from pathlib import Path
from permtree import Treebank
from permtree.parsing.models import load_parser
model, test, out = sys.argv[1:]
parser = load_parser(Path(model), "cpu")
seconds = []
for _ in range(4):
    begin = time.process_time()
    parsed = parser.predict(Treebank.read(test))
    parsed.write(out)
    seconds.append(time.process_time() - begin)
print(parsed.n_sentences / min(seconds[1:]))
"""


@dataclass
class Run:
    """One training: percent, seconds, megabytes, sentences a second."""

    uas: float
    las: float
    seconds: float
    memory: float
    speed: float


def python(*command: str) -> str:
    """What a Python process on one core prints."""
    environment = {**os.environ, **ONE_CORE}
    done = subprocess.run([sys.executable, *command], env=environment, capture_output=True, text=True)
    if done.returncode:
        sys.exit(done.stderr)
    return done.stdout


def measured(parser: str, data: Path, seed: int, settings: list[str], work: Path) -> Run:
    """Train, parse the test file and evaluate."""
    model, parsed = work / f"{parser}.{seed}", work / "parsed.conllu"
    train = [sys.executable, "-m", "permtree", "train", parser, str(data / "train.conllu"), "--quiet"]
    train += ["--dev", str(data / "dev.conllu"), "-o", str(model), "--seed", str(seed), "--device", "cpu"]
    train += [part for setting in settings for part in ("--set", setting)]
    seconds, memory = map(float, python("-c", WAITER, *train).split())
    speed = float(python("-c", PARSE, str(model), str(data / "test.conllu"), str(parsed)))
    gold = permtree.Treebank.read(str(data / "test.conllu"))
    found = permtree.evaluate(gold, permtree.Treebank.read(str(parsed))).values
    return Run(found["uas"].value, found["las"].value, seconds, memory, speed)


def row(parser: str, runs: list[Run]) -> list[str]:
    """A line of the table."""
    spread = []
    for values in ([run.uas for run in runs], [run.las for run in runs]):
        among = f" ({min(values):.2f}-{max(values):.2f})" if len(values) > 1 else ""
        spread.append(f"{statistics.mean(values):.2f}{among}")
    seconds, speed = (statistics.mean(getattr(run, name) for run in runs) for name in ("seconds", "speed"))
    memory = max(run.memory for run in runs)
    return [parser, str(len(runs)), *spread, f"{seconds:.0f}", f"{speed:.0f}", f"{memory:.0f}"]


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("folder", type=Path)
    arguments.add_argument("--parsers", nargs="+", default=PARSERS, metavar="NAME")
    arguments.add_argument("--seeds", type=int, default=3, help="of parsers of ours [3]; others are trained once")
    arguments.add_argument("--set", nargs="+", default=[], metavar="KEY=VALUE", dest="settings")
    given = arguments.parse_args()
    rows = []
    with tempfile.TemporaryDirectory() as work:
        for parser in given.parsers:
            seeds = range(1, 1 + (given.seeds if parser in ("biaffine", "arc-hybrid") else 1))
            runs = []
            for seed in seeds:
                runs.append(measured(parser, given.folder, seed, given.settings, Path(work)))
                print(f"{parser} {seed}: {runs[-1]}", file=sys.stderr, flush=True)
            rows.append(row(parser, runs))
    header = ["parser", "seeds", "UAS", "LAS", "training, s", "sentences/s", "peak memory, MB"]
    print(tabulate(rows, header, tablefmt="github", disable_numparse=True))


if __name__ == "__main__":
    main()
