"""What is claimed fast, measured side by side in one run on one core.

Usage: python benchmarks/core.py FILE.conllu [--copies N] [--only PART ...]

`read`: columns from a file, against the packages conllu and udapi. `permute`: file to file as a process, against
`conllu_script.py`; with --copies, N times the file, which the start of a process matters less to. `start`: permuting
the first sentence, against importing numpy and click. `views`: a million words permuted and measured from Python,
without a byte and through bytes. `growth`: four times as long a sentence, in trees of the worst shapes. `kernel`: the
optimal order alone. `unrestricted`: the least length over all orders, against the projective one. `linear`: permuting
1x, 4x and 16x of the file. `memory`: peak memory of permuting 1 GB made by repetition (needs 2.5 GB of disk).
`intervals`: `measure --ci 1000`, against measuring a thousand resampled treebanks one by one (a few of them, times a
thousand). `entropy`: `optdl --ties min-entropy` and `max-entropy`, against the fixed choice. Each time is the best of
several runs; every result is checked to be right before it is timed.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from random import Random

HERE = Path(__file__).parent
PERMTREE = [sys.executable, "-m", "permtree", "permute", "--mode", "optdl", "--quiet"]


def best(run: Callable[[], object], times: int = 3) -> float:
    """Seconds of the fastest of several runs."""
    seconds = []
    for _ in range(times):
        begin = time.perf_counter()
        run()
        seconds.append(time.perf_counter() - begin)
    return min(seconds)


# Another process waits for the one that is measured: a peak counted from here would hold the memory of this one too.
WAITER = """
import resource, subprocess, sys
subprocess.run(sys.argv[1:], check=True)
usage = resource.getrusage(resource.RUSAGE_CHILDREN)
print(usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024)
"""


def process(command: list[str]) -> tuple[float, float]:
    """Seconds of processor time, and peak memory in MB, of one process."""
    done = subprocess.run([sys.executable, "-c", WAITER, *command], check=True, capture_output=True, text=True)
    seconds, memory = done.stdout.split()
    return float(seconds), float(memory)


def read(path: str) -> None:
    import conllu

    from permtree import Treebank

    def with_permtree() -> Treebank:
        treebank = Treebank.read(path)
        _ = treebank.upos, treebank.deprel, treebank.xpos  # the columns too, not only the places of the bytes
        return treebank

    words = with_permtree().n_words
    rows = [("permtree (columns, checked)", best(with_permtree, 5))]
    rows.append(("conllu", best(lambda: conllu.parse(Path(path).read_text(encoding="utf-8")), 1)))
    try:
        from udapi.core.document import Document

        rows.append(("udapi", best(lambda: Document(filename=path), 1)))
    except ImportError:
        print("udapi is not installed: left out")
    for name, seconds in rows:
        ratio = seconds / rows[0][1]
        rate = f"{words / seconds:12,.0f} words/s"
        print(f"read     {name:30} {seconds:8.3f} s {rate} {ratio:7.1f} x the time of permtree")


def permute(path: str, copies: int = 1) -> None:
    with tempfile.TemporaryDirectory() as folder:
        ours, theirs = f"{folder}/ours.conllu", f"{folder}/theirs.conllu"
        if copies > 1:
            data = Path(path).read_bytes()
            path = f"{folder}/copies.conllu"
            with open(path, "wb") as out:
                for _ in range(copies):
                    out.write(data)
        commands = [
            ("permtree permute", [*PERMTREE, path, "-o", ours], 5),
            ("permtree permute --jobs 2", [*PERMTREE, "--jobs", "2", path, "-o", ours], 5),
            ("script on conllu", [sys.executable, str(HERE / "conllu_script.py"), path, theirs], 1),
        ]
        rows = []
        for name, command, times in commands:
            rows.append((name, best(lambda command=command: subprocess.run(command, check=True), times)))
        same_orders(ours, theirs)
        for name, seconds in rows:
            print(f"permute  {name:30} {seconds:8.3f} s wall {seconds / rows[0][1]:27.1f} x the time of permtree")


def views(path: str) -> None:
    from permtree import Treebank, measure, permute, permuting

    data = Path(path).read_bytes()
    words = Treebank.from_bytes(data).n_words
    treebank = Treebank.from_bytes(data * -(-1_000_000 // words))
    rendered = permuting.reorder

    def no_bytes(*_: object) -> bytes:
        raise SystemExit("a view was written")

    for mode in ("optdl", "random", "reverse"):

        def measured(mode: str = mode) -> object:
            return measure(permute(treebank, mode))

        def read_back(mode: str = mode) -> object:
            return measure(Treebank.from_bytes(permute(treebank, mode).to_bytes()))

        if dict(measured()) != dict(read_back()):
            raise SystemExit("a view is measured otherwise than its bytes")
        permuting.reorder = no_bytes
        fast = best(measured)
        permuting.reorder = rendered
        slow = best(read_back, 2)
        name = f"{mode}, {treebank.n_words:,} words"
        print(f"views    {name:30} {fast:8.3f} s as a view {slow:8.3f} s through bytes {slow / fast:6.1f} x the time")


def start(path: str) -> None:
    with tempfile.TemporaryDirectory() as folder:
        short = f"{folder}/short.conllu"
        Path(short).write_bytes(Path(path).read_bytes().split(b"\n\n")[0] + b"\n\n")
        commands = {
            "import numpy, click": [sys.executable, "-c", "import numpy, click"],
            "permtree permute": [*PERMTREE, short, "-o", f"{folder}/out.conllu"],
        }
        seconds = {name: min(process(command)[0] for _ in range(10)) for name, command in commands.items()}
        for name, own in seconds.items():
            ratio = own / seconds["import numpy, click"]
            print(f"start    {name:30} {own:8.3f} s of processor time {ratio:12.1f} x the import")


SHAPES = {
    "star": lambda rng, word: 1,
    "chain": lambda rng, word: word - 1,
    "random": lambda rng, word: rng.randint(1, word - 1),
}


def growth(path: str) -> None:
    from permtree import Treebank, measure, permute
    from permtree.measures import MEASURES

    modes = {
        "optdl": {},
        "optdl --ties original": {"ties": "original"},
        "random-projective": {},
        "like": {"treebank": Treebank.read(path)},
        "planar": {},
        "projectivize": {},
    }
    for shape, above in SHAPES.items():
        seconds: dict[str, list[float]] = {}
        for length in (2500, 10000):
            rng = Random(length)
            place = [0, *rng.sample(range(1, length + 1), length)]
            heads = [0] * length
            for word in range(2, length + 1):
                heads[place[word] - 1] = place[above(rng, word)]
            treebank = Treebank.from_heads([heads])
            text = treebank.text
            for name, given in modes.items():
                run = partial(
                    lambda text, name, given: permute(Treebank.from_text(text), name, **given).to_bytes(), text
                )
                seconds.setdefault(name, []).append(best(partial(run, name.split()[0], given)))
            for name in MEASURES.names():
                run = partial(lambda text, name: measure(Treebank.from_text(text), name, profile="lal"), text)
                seconds.setdefault(name, []).append(best(partial(run, name)))
        for name, (short, long) in seconds.items():
            print(
                f"growth   {shape:7} {name:26} {short:8.3f} s, four times the words {long:8.3f} s {long / short:6.1f} x"
            )


def same_orders(ours: str, theirs: str) -> None:
    """Both outputs have the same words with the same heads in the same order."""
    from permtree import Treebank
    from permtree.conllu.text import FORM

    a, b = Treebank.read(ours), Treebank.read(theirs)
    if (a.head != b.head).any() or a.text.strings(FORM) != b.text.strings(FORM):
        raise SystemExit("the script and permtree disagree")


def kernel(path: str) -> None:
    from permtree import Treebank
    from permtree.kernels.linearize import linearize
    from permtree.kernels.optimal import alternating_placement
    from permtree.kernels.trees import Trees

    treebank = Treebank.read(path)

    def run() -> object:
        trees = Trees(treebank.sentence_start, treebank.head)  # nothing kept from a run before
        return linearize(trees, alternating_placement(trees))

    seconds = best(run, 10)
    print(f"kernel   optimal order from heads       {seconds:8.3f} s {treebank.n_words / seconds:12,.0f} words/s")


def unrestricted(path: str) -> None:
    from permtree import Treebank
    from permtree.kernels.optimal import minimal_lengths
    from permtree.kernels.trees import Trees
    from permtree.kernels.unrestricted import minimal_unrestricted_lengths

    treebank = Treebank.read(path)

    def trees() -> Trees:
        return Trees(treebank.sentence_start, treebank.head)  # nothing kept from a run before

    projective = best(lambda: minimal_lengths(trees()))
    seconds = best(lambda: minimal_unrestricted_lengths(trees()))
    if minimal_unrestricted_lengths(trees()).sum() > minimal_lengths(trees()).sum():
        raise SystemExit("a projective order is shorter than the least of all")
    print(f"unrestricted  projective minimum       {projective:8.3f} s")
    print(f"unrestricted  minimum of all orders    {seconds:8.3f} s {seconds / projective:25.1f} x the projective one")


def linear(path: str) -> None:
    data = Path(path).read_bytes()
    with tempfile.TemporaryDirectory() as folder:
        for times in (1, 4, 16):
            name = f"{folder}/{times}.conllu"
            Path(name).write_bytes(data * times)
            seconds, memory = min(process([*PERMTREE, name, "-o", f"{folder}/out.conllu"]) for _ in range(2))
            print(f"linear   {times:2} x the file {seconds:25.3f} s of processor time, peak {memory:5.0f} MB")


def memory(path: str) -> None:
    data = Path(path).read_bytes()
    with tempfile.TemporaryDirectory() as folder:
        name = f"{folder}/large.conllu"
        size = 0
        with open(name, "wb") as out:
            while size < 1_000_000_000:
                size += out.write(data)
        seconds, peak = process([*PERMTREE, name, "-o", f"{folder}/out.conllu"])
        print(f"memory   {size / 1e9:.2f} GB {seconds:30.1f} s of processor time, peak {peak:5.0f} MB")


def intervals(path: str) -> None:
    from permtree import Treebank, measure

    command = [sys.executable, "-m", "permtree", "measure", "--quiet", path]
    plain = best(lambda: subprocess.run(command, check=True, capture_output=True))
    with_ci = best(lambda: subprocess.run([*command, "--ci", "1000"], check=True, capture_output=True))
    data = Path(path).read_bytes().split(b"\n\n")[:-1]
    drawn = [data[i] for i in Random(0).choices(range(len(data)), k=len(data))]
    one_by_one = 1000 * best(lambda: measure(Treebank.from_bytes(b"\n\n".join(drawn) + b"\n\n")), 2)
    print(f"intervals  measure {plain:39.3f} s wall")
    print(f"intervals  measure --ci 1000 {with_ci:29.3f} s wall")
    print(f"intervals  1000 resampled treebanks one by one {one_by_one:11.0f} s (from one)")


def entropy(path: str) -> None:
    with tempfile.TemporaryDirectory() as folder:
        for ties in ("alternate", "min-entropy", "max-entropy"):
            command = [*PERMTREE, "--ties", ties, path, "-o", f"{folder}/out.conllu"]
            seconds = best(lambda command=command: subprocess.run(command, check=True), 1)
            print(f"entropy  permute --ties {ties:12} {seconds:24.3f} s wall")


PARTS = {
    "read": read,
    "permute": permute,
    "views": views,
    "start": start,
    "growth": growth,
    "kernel": kernel,
    "unrestricted": unrestricted,
    "linear": linear,
    "memory": memory,
    "intervals": intervals,
    "entropy": entropy,
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("file")
    parser.add_argument("--only", nargs="+", choices=PARTS, default=list(PARTS))
    parser.add_argument("--copies", type=int, default=1, metavar="N", help="permute: N times the file")
    arguments = parser.parse_args()
    if hasattr(os, "sched_setaffinity") and "permute" not in arguments.only:
        os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    for part in arguments.only:
        if part == "permute":
            permute(arguments.file, arguments.copies)
        else:
            PARTS[part](arguments.file)


if __name__ == "__main__":
    main()
