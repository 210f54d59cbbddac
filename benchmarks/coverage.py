"""How often an interval of arc-direction entropy holds the population's value, a treebank taken as population.

Usage: python benchmarks/coverage.py FILE [--samples N] [--sizes N ...] [--profile NAME] [--seed N]

Samples of sentences are drawn with replacement. "plugin, bootstrap" is the moved percentile interval of 200 resamples;
"jackknife" is what `permtree measure --ci` prints with each estimator. Nominally all hold the value in 95% of samples;
of 400, 2.2% either way are chance.
"""

from __future__ import annotations

import argparse
import sys

import numpy as np
from tabulate import tabulate

from permtree import Treebank
from permtree.kernels.bootstrap import bootstrap_weights, interval
from permtree.measuring.collector import Collector
from permtree.measuring.resampling import Resampler, entropy_interval
from permtree.profiles import profile_with

NAME = "arc_direction_entropy"
ESTIMATORS = ("plugin", "miller-madow")  # whose intervals rest on Chao & Shen's, and on Miller & Madow's
RESAMPLES = 200


def collected(path: str, profile: str, estimator: str) -> Collector:
    """All sentences of the population."""
    collector = Collector((NAME,), profile_with(profile, estimator=estimator), single_sentences=True)
    collector.add(Treebank.read(path).trees_only(skip_errors=True)[0])
    return collector


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("file")
    arguments.add_argument("--samples", type=int, default=400)
    arguments.add_argument("--sizes", type=int, nargs="+", default=[300, 1000, 3000])
    arguments.add_argument("--profile", default="gulordava-merlo-2016")
    arguments.add_argument("--seed", type=int, default=0)
    given = arguments.parse_args()
    collectors = {name: collected(given.file, given.profile, name) for name in ESTIMATORS}
    truth = collectors["plugin"].result()[NAME].value
    n_sentences = collectors["plugin"].counts["kept_sentences"]
    print(f"{n_sentences} sentences, entropy {truth:.4f}")
    rows = []
    for size in given.sizes:
        random = np.random.default_rng([given.seed, size])
        held: dict[str, list[bool]] = {}
        widths: dict[str, list[float]] = {}
        for sample in range(given.samples):
            drawn = random.integers(0, n_sentences, size)
            found = {}
            for name, collector in collectors.items():
                found[f"jackknife, --estimator {name}"] = entropy_interval(Resampler(collector, drawn), NAME, sample)
            sentences = Resampler(collectors["plugin"], drawn)
            (weights,) = bootstrap_weights(size, RESAMPLES, [given.seed, sample])
            value = float(sentences.scores(np.ones((1, size)))[NAME][0])
            found["plugin, bootstrap"] = interval(value, sentences.scores(weights)[NAME])
            for name, (low, high) in found.items():
                held.setdefault(name, []).append(low <= truth <= high)
                widths.setdefault(name, []).append(high - low)
            print(f"\r{size} sentences: {sample + 1}/{given.samples}", end="", file=sys.stderr)
        print(file=sys.stderr)
        rows += [
            [size, name, f"{100 * np.mean(own):.1f}", f"{np.mean(widths[name]):.4f}"] for name, own in held.items()
        ]
    print(tabulate(rows, ["sentences", "interval", "holds the value, %", "mean width"], tablefmt="github"))


if __name__ == "__main__":
    main()
