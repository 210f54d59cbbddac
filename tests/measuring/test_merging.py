"""Pieces collected apart and merged in order are the whole, to the last digit: whoever measured them does not show."""

from __future__ import annotations

import io
import itertools
import pickle
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import pytest
from commandline import big, permtree, sentence
from every_mode import QUICK
from hypothesis import given, settings
from hypothesis import strategies as st
from places import SAMPLE
from rich_sentences import no_shrinking
from speed import first_is_quick

from permtree import Treebank
from permtree.conllu.scan import read_text
from permtree.errors import Finding
from permtree.measures import MEASURES
from permtree.measuring.collector import Collector
from permtree.measuring.comparing import compare_collected
from permtree.measuring.files import collect_files
from permtree.measuring.groupings import GROUPINGS
from permtree.measuring.resampling import learning_curve, of_equal_size, with_intervals
from permtree.parallel.pieces import Workers
from permtree.permuters import PERMUTERS
from permtree.permuting import Permutation, permute_files
from permtree.profiles import PROFILES

NAMES = tuple(MEASURES.names())
OF_SINGLE_ARCS = tuple(name for name in NAMES if MEASURES[name].by_arc)
FIRST = list({mode: (mode, options) for mode, options in reversed(QUICK)}.values())  # each mode once
FAULTY = [
    sentence("circle", 2, 1),  # no tree
    sentence("two", 0, 0, 1),  # several roots
    b"# sent_id = short\n1\tw\n\n",  # unreadable
    b"# sent_id = point\n1\t.\t.\tPUNCT\t_\t_\t0\troot\t_\t_\n\n",  # punctuation alone
]


def _pool() -> list[bytes]:
    """Sentences of three languages, and some that are left out."""
    blocks = []
    for path in sorted(SAMPLE.glob("*-test.conllu")):
        blocks += [block + b"\n\n" for block in path.read_bytes().split(b"\n\n")[:15]]
    return blocks + FAULTY


POOL = _pool()


@st.composite
def pieces(draw: st.DrawFn) -> list[tuple[str, bytes]]:
    """Sentences in a random order, some of them more than once, cut anywhere; pieces are of two files."""
    chosen = draw(st.lists(st.sampled_from(range(len(POOL))), max_size=25))
    cuts = sorted(draw(st.lists(st.integers(0, len(chosen)), max_size=5)))
    second = draw(st.integers(0, len(cuts) + 1))
    parts = [chosen[a:b] for a, b in itertools.pairwise([0, *cuts, len(chosen)])]
    return [
        ("b" if number >= second else "a", b"".join(POOL[k] for k in part)) for number, part in enumerate(parts) if part
    ]


def add(collector: Collector, file: str, data: bytes) -> list[Finding]:
    text, findings = read_text(data, file, 1, skip_errors=True)
    return findings + collector.add(Treebank.from_text(text), skip_errors=True, file=file)


def one_by_one(parts: list[tuple[str, bytes]], new: Callable[[], Collector]) -> Collector:
    collector = new()
    for part in parts:
        add(collector, *part)
    return collector


def apart(parts: list[tuple[str, bytes]], new: Callable[[], Collector]) -> list[Collector]:
    """A collector for each part, as it arrives from another process."""
    collectors = []
    for part in parts:
        collector = pickle.loads(pickle.dumps(new())).like()
        add(collector, *part)
        collectors.append(pickle.loads(pickle.dumps(collector)))
    return collectors


def from_the_left(collectors: list[Collector], new: Callable[[], Collector]) -> Collector:
    whole = new()
    for collector in collectors:
        whole.merge(collector)
    return whole


def from_the_right(collectors: list[Collector], new: Callable[[], Collector]) -> Collector:
    rest = new()
    for collector in reversed(collectors):
        first = new()
        first.merge(collector)
        first.merge(rest)
        rest = first
    return rest


def shown(*results: object) -> str:
    """All digits of everything, in order; nan is like nan."""
    return "\n".join(map(repr, results))


every_grouping = pytest.mark.parametrize("by", [None, *GROUPINGS], ids=str)
every_profile = pytest.mark.parametrize("profile", first_is_quick(list(PROFILES)))


@every_grouping
@every_profile
@settings(no_shrinking, max_examples=3)
@given(parts=pieces())
def test_merged_pieces_are_the_whole(by, profile, parts):
    def new() -> Collector:
        return Collector(OF_SINGLE_ARCS if by and GROUPINGS[by].of_arcs else NAMES, PROFILES[profile], by)

    expected = shown(one_by_one(parts, new).result())
    assert shown(from_the_left(apart(parts, new), new).result()) == expected
    assert shown(from_the_right(apart(parts, new), new).result()) == expected


@every_profile
@settings(no_shrinking, max_examples=3)
@given(parts=pieces())
def test_single_sentences_are_the_same_after_merging(profile, parts):
    def new() -> Collector:
        return Collector(NAMES, PROFILES[profile], word_orders=True)

    whole, merged = one_by_one(parts, new), from_the_left(apart(parts, new), new)
    assert [keys.tolist() for keys in merged.fingerprints] == [keys.tolist() for keys in whole.fingerprints]
    assert list(merged.displacements.items()) == list(whole.displacements.items())
    results = []
    for collector in (whole, merged, from_the_right(apart(parts, new), new)):
        found: list[object] = [collector.result(), with_intervals(collector, 5, 0)]
        if kept := collector.counts["kept_sentences"]:
            found.append(of_equal_size(collector, (kept + 1) // 2, 3, 0))
            found.append(list(learning_curve(collector, 2, 0)))
            found.append(compare_collected(collector, one_by_one(parts[:1], new), 5, 0))
        results.append(shown(*found))
    assert results[0] == results[1] == results[2]


def test_numbers_of_sentences_go_on():
    first, second = (Collector(("mdd",), PROFILES["lal"], "sentence") for _ in range(2))
    add(first, "a", sentence("one", 0, 1) + FAULTY[0] + FAULTY[2])
    add(second, "a", sentence("four", 0, 1) + sentence("five", 2, 0))
    first.merge(second)
    assert [label for label, _, _ in first.result().groups] == [(1, "one"), (4, "four"), (5, "five")]


LONG = [["--by", "sentence", "--format", "tsv"], ["--by", "file", "--format", "json"], ["--ci", "10"]]
OPTIONS = [["--all"], *(pytest.param(options, marks=pytest.mark.long) for options in LONG)]


@pytest.mark.parametrize("options", OPTIONS, ids="_".join)
def test_measured_by_two_processes_to_the_byte(options, tmp_path):
    (tmp_path / "big.conllu").write_bytes(big())
    files = [tmp_path / "big.conllu", SAMPLE / "medol-test.conllu"]
    alone = permtree("measure", *options, *files)
    two = permtree("measure", "--jobs", "2", *options, *files)
    assert (two.out, two.err) == (alone.out, alone.err)


def test_the_first_fault_is_told_whoever_finds_it_and_nothing_that_comes_later(tmp_path):
    """Reading ahead, a process finds later warnings and faults before those of a piece that others still work on."""
    (tmp_path / "a.conllu").write_bytes(big(100) + FAULTY[0] + big(100))
    (tmp_path / "b.conllu").write_bytes(b"\xef\xbb\xbf" + big(10))
    (tmp_path / "c.conllu.gz").write_bytes(b"\x1f\x8b damaged")
    for command in (["measure"], ["permute", "--mode", "reverse"]):
        for files in (["b.conllu", "a.conllu", "b.conllu", "c.conllu.gz"], ["b.conllu", "c.conllu.gz"]):
            alone = permtree(*command, *files, cwd=tmp_path, status=3)
            two = permtree(*command, "--jobs", "2", *files, cwd=tmp_path, status=3)
            assert (two.out, two.err) == (b"", alone.err)
            assert alone.lines[0] == "warning: b.conllu:1: byte-order mark dropped"


@pytest.mark.long
def test_threads_of_one_process_do_not_meet():
    """A worker of a cluster may have several."""
    paths = [str(path) for path in sorted(SAMPLE.glob("*-dev.conllu"))] * 4

    def everything(workers: Workers | None) -> list[object]:
        results: list[object] = []
        for mode, options in FIRST:
            permuter = PERMUTERS[mode]
            permutation = Permutation(mode, 1, config=permuter.configured(options))
            out = io.BytesIO()
            results.append((permute_files(paths, permutation, out, print, workers=workers).lines(), out.getvalue()))
        collector = Collector(NAMES)
        collect_files(paths, collector, print, workers=workers)
        return [*results, repr(collector.result())]

    with ThreadPoolExecutor(4) as pool:
        assert everything(Workers(pool, lambda: 4)) == everything(None)
