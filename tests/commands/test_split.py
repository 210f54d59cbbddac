"""`permtree split`: parts of exact sizes that hold every sentence once, chosen by seed and sentence alone."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from commandline import Done, files_in, permtree, sentence
from places import SAMPLE
from reordering import conllu

FLUVI = SAMPLE / "fluvi-train.conllu"


def split(folder: Path, data: bytes, *arguments: object, status: int = 0) -> tuple[Done, dict[str, list[bytes]]]:
    """The process, and the sentences of each part."""
    done = permtree("split", *map(str, arguments), "-o", "part", stdin=data, cwd=folder, status=status)
    parts = {path.name: blocks(path.read_bytes()) for path in sorted(folder.glob("part.*"))}
    return done, parts


def blocks(data: bytes) -> list[bytes]:
    assert not data or data.endswith(b"\n\n")
    return data.split(b"\n\n")[:-1]


def sentences(count: int) -> list[bytes]:
    return [sentence(f"s{number}", 2, 0)[:-2] for number in range(count)]


def joined(blocks: list[bytes]) -> bytes:
    return b"".join(block + b"\n\n" for block in blocks)


@pytest.mark.parametrize(
    ("count", "ratio", "sizes"),
    [
        (10, "9:1", [9, 1]),
        (100, "9:1", [90, 10]),
        (11, "9:1", [10, 1]),
        (103, "1:1", [52, 51]),
        (100, "8:1:1", [80, 10, 10]),
        (17, "90:10", [15, 2]),
        (12, "1:1:1:1", [3, 3, 3, 3]),
        (2, "1:1", [1, 1]),
    ],
)
def test_sizes(tmp_path, count, ratio, sizes):
    names = {2: ["train", "test"], 3: ["train", "dev", "test"], 4: ["part1", "part2", "part3", "part4"]}[len(sizes)]
    all_sentences = sentences(count)
    done, parts = split(tmp_path, joined(all_sentences), "--ratio", ratio)
    found = [parts[f"part.{name}.conllu"] for name in names]
    assert len(parts) == len(names)
    assert all(abs(len(own) - size) <= 1 for own, size in zip(found, sizes, strict=True))
    if count % 10 == 0 or count in (12, 2):
        assert [len(own) for own in found] == sizes
    assert sorted(block for own in found for block in own) == sorted(all_sentences)
    assert all(own == [block for block in all_sentences if block in own] for own in found)  # in the order of the file
    assert done.lines == [f"part.{n}.conllu: {len(own)} sentences" for n, own in zip(names, found, strict=True)]
    assert done.out == b""


@pytest.mark.parametrize(("count", "ratio"), [(3, "9:1"), (4, "9:1"), (2, "1:1:1"), (0, "1:1")])
def test_too_few_sentences(tmp_path, count, ratio):
    """No part is left empty, and nothing is written."""
    done, parts = split(tmp_path, joined(sentences(count)), "--ratio", ratio, status=2)
    warned = [] if count else ["warning: <stdin>:1: is empty: no sentence in it"]
    assert done.lines == [*warned, f"-: {count} sentences are too few for {ratio}: a part would be empty"]
    assert parts == {}


def test_the_default_is_nine_to_one_and_the_same_each_time(tmp_path):
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
    first = split(tmp_path / "one", FLUVI.read_bytes())[1]
    assert [len(first[f"part.{name}.conllu"]) for name in ("train", "test")] == [720, 80]
    assert split(tmp_path / "two", FLUVI.read_bytes(), "--ratio", "9:1", "--seed", "0")[1] == first
    assert split(tmp_path / "two", FLUVI.read_bytes(), "--seed", "1")[1] != first


def test_the_order_of_the_file_does_not_matter(tmp_path):
    shuffled = blocks(FLUVI.read_bytes())
    random.Random(1).shuffle(shuffled)
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
    first = split(tmp_path / "one", FLUVI.read_bytes(), "--ratio", "8:1:1", "--seed", 7)[1]
    second = split(tmp_path / "two", joined(shuffled), "--ratio", "8:1:1", "--seed", 7)[1]
    assert {name: set(own) for name, own in first.items()} == {name: set(own) for name, own in second.items()}


def test_sentences_on_both_sides_are_reported(tmp_path):
    """Ten times the same words, with ids of their own: whichever stand in the test part stand in the other too."""
    twins = [conllu(f"# sent_id = s{k}", "1 same _ X _ _ 0 root")[:-1] for k in range(10)]
    done, parts = split(tmp_path, joined(twins), "--ratio", "8:2")
    names = [block.split(b"\n")[0].split()[-1].decode() for block in parts["part.test.conllu"]]
    assert done.lines[2:] == [f"2 sentences of test stand in train too: {', '.join(names)}"]


def test_sentences_with_the_same_words_and_other_trees_count_as_the_same(tmp_path):
    twins = [conllu("# sent_id = a", "1 x _ X _ _ 0 r", "2 y _ X _ _ 1 r")[:-1]]
    twins += [conllu("# sent_id = b", "1 x _ X _ _ 2 r", "2 y _ X _ _ 0 r")[:-1]]
    done, _ = split(tmp_path, joined(twins), "--ratio", "1:1")
    assert len(done.lines) == 3
    assert done.lines[2].startswith("1 sentences of test stand in train too: ")


def test_without_twins_nothing_is_reported(tmp_path):
    assert len(split(tmp_path, joined(sentences(10)))[0].lines) == 2


def test_a_file_without_final_blank_line(tmp_path):
    all_sentences = sentences(4)
    for end in (b"\n", b""):
        _, parts = split(tmp_path, joined(all_sentences)[:-2] + end, "--ratio", "1:1")
        assert sorted(block for own in parts.values() for block in own) == sorted(all_sentences)


@pytest.mark.parametrize("ratio", ["9", "9:0", "9:-1", "a:b", "9,1", ""])
def test_what_is_no_ratio(tmp_path, ratio):
    done, parts = split(tmp_path, joined(sentences(20)), "--ratio", ratio, status=2)
    assert len(done.lines) == 1
    assert done.lines[0].startswith(f"--ratio '{ratio}': ")
    assert files_in(tmp_path) == []
