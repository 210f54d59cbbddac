"""Parsers on a GPU, side by side in one run of at most eight minutes: speed, memory, accuracy with preset `full`.

Usage: python benchmarks/gpu.py FOLDER [--parsers NAME ...] [--epochs N] [--limit SECONDS] [--device cpu]

FOLDER holds UD English-EWT (en_ewt-ud-train.conllu, -dev, -test) or any treebank of that form. Each parser is trained
in a process of its own for the same number of epochs, within its share of the time: one that needs longer is stopped
and reported as such. Training speed is over whole epochs, dev included; parsing speed is the best of three passes over
test, writing CoNLL-U included.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from pathlib import Path

from tabulate import tabulate

PARSERS = ["biaffine", "arc-hybrid", "supar-biaffine"]

RUN = """
import json, sys, time
from dataclasses import replace
from permtree import Treebank, evaluate
from permtree.configuration import configured
from permtree.parsing import parser_class
name, train, dev, test, device, settings = sys.argv[1:]
kind = parser_class(name)
config = configured(kind.Config, ("preset", kind.presets["full"]), ("given", json.loads(settings)))
train, dev, test = (Treebank.read(path).trees_only()[0] for path in (train, dev, test))
begin = time.perf_counter()
parser = kind.train(train, dev, config, 1, device)
seconds = time.perf_counter() - begin
passes = []
for _ in range(4):
    begin = time.perf_counter()
    parsed = parser.predict(test)
    parsed.to_bytes()
    passes.append(time.perf_counter() - begin)
import torch
gpu = torch.cuda.is_available() and device != "cpu"
values = evaluate(test, parsed).values
print(json.dumps({
    "train": train.n_sentences * config.epochs / seconds, "seconds": seconds,
    "parse": test.n_sentences / min(passes[1:]),
    "memory": torch.cuda.max_memory_allocated() / 2**20 if gpu else float("nan"),
    "uas": values["uas"].value, "las": values["las"].value,
    "device": torch.cuda.get_device_name() if gpu else "CPU", "torch": torch.__version__,
}))
"""


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("folder", type=Path)
    arguments.add_argument("--parsers", nargs="+", default=PARSERS, metavar="NAME")
    arguments.add_argument("--epochs", type=int, default=12, help="of each parser [12]")
    arguments.add_argument("--limit", type=float, default=470, help="seconds for all parsers together [470]")
    arguments.add_argument("--device", default="cuda", choices=["cuda", "cpu"])
    arguments.add_argument("--set", nargs="+", default=[], metavar="KEY=VALUE", dest="settings")
    given = arguments.parse_args()
    from permtree.configuration import read_assignments

    files = [str(next(given.folder.glob(f"*{part}.conllu"))) for part in ("train", "dev", "test")]
    settings = json.dumps({"epochs": given.epochs, **read_assignments(given.settings, "--set")})
    rows = []
    about = ""
    for parser in given.parsers:
        command = [sys.executable, "-c", RUN, parser, *files, given.device, settings]
        try:
            done = subprocess.run(
                command, stdout=subprocess.PIPE, text=True, timeout=given.limit / len(given.parsers), check=True
            )
        except subprocess.TimeoutExpired:
            rows.append([parser, "stopped: out of time"])
            continue
        except subprocess.CalledProcessError as fault:
            rows.append([parser, f"failed with status {fault.returncode}"])
            continue
        found = json.loads(done.stdout.splitlines()[-1])
        about = f"{found['device']}, torch {found['torch']}, {given.epochs} epochs"
        rows.append([parser] + [f"{found[key]:.0f}" for key in ("train", "seconds", "parse", "memory")])
        rows[-1] += [f"{found[key]:.2f}" for key in ("uas", "las")]
        print(rows[-1], file=sys.stderr, flush=True)
    header = ["parser", "training, sentences/s", "training, s", "parsing, sentences/s", "peak memory, MB", "UAS", "LAS"]
    print(tabulate(rows, header, tablefmt="github", disable_numparse=True))
    print(f"\n{about}")


if __name__ == "__main__":
    main()
