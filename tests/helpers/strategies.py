"""Random trees, batches of them and treebanks with empty sentences, for property tests; and ways to build treebanks."""

from __future__ import annotations

from dataclasses import dataclass
from random import Random

import numpy as np
from definitions import without_words
from hypothesis import strategies as st

from permtree.treebank import Treebank

LONGEST = 40


def random_heads(rng: Random, n: int, n_roots: int = 1) -> list[int]:
    """A forest of n words: in a shuffled order, every word after the roots hangs on one of those before it."""
    words = list(range(1, n + 1))
    rng.shuffle(words)
    # Some trees flat, some deep, most between: only the last `reach` words before may be heads.
    reach = rng.choice([1, 3, n, n])
    heads = [0] * n
    for place, word in enumerate(words):
        if place >= n_roots:
            heads[word - 1] = words[rng.randrange(max(0, place - reach), place)]
    return heads


def generators() -> st.SearchStrategy[Random]:
    """Random generators. Those that hypothesis has itself draw each number apart, and most of a test's time."""
    return st.integers(0, 2**32 - 1).map(Random)


@st.composite
def forest(draw: st.DrawFn, longest: int = LONGEST) -> list[int]:
    n = draw(st.integers(1, longest))
    n_roots = draw(st.sampled_from([1, 1, 2, 3]))
    return random_heads(draw(generators()), n, min(n, n_roots))


def tree(longest: int = LONGEST) -> st.SearchStrategy[list[int]]:
    return st.builds(random_heads, generators(), st.integers(1, longest))


def batches(longest: int = LONGEST) -> st.SearchStrategy[list[list[int]]]:
    return st.lists(forest(longest), min_size=1, max_size=6)


@dataclass
class Selection:
    """A treebank of which some words were taken out, and what it should hold: one head list per sentence."""

    treebank: Treebank
    sentences: list[list[int]]


@st.composite
def selections(draw: st.DrawFn) -> Selection:
    """A batch without some of its words; sentences may come out empty, which no file can hold."""
    batch = draw(batches())
    rng = draw(generators())
    share = draw(st.sampled_from([0.0, 0.5, 0.9, 1.0]))
    kept = [{word for word in range(1, len(heads) + 1) if rng.random() < share} for heads in batch]
    if draw(st.booleans()):
        kept[rng.randrange(len(batch))] = set()
    treebank = Treebank.from_heads(batch).select_words(as_mask(batch, kept))
    return Selection(treebank, [without_words(heads, words) for heads, words in zip(batch, kept, strict=True)])


def as_mask(batch: list[list[int]], kept: list[set[int]]) -> np.ndarray:
    pairs = zip(batch, kept, strict=True)
    return np.array([word in words for heads, words in pairs for word in range(1, len(heads) + 1)], bool)


def with_ids(sentences: list[tuple[str, list[int]]]) -> Treebank:
    """A treebank with a sent_id for each head list."""
    lines = []
    for name, heads in sentences:
        lines.append(f"# sent_id = {name}\n")
        for number, head in enumerate(heads, 1):
            lines.append(f"{number}\tw{number}\t_\tX\t_\t_\t{head}\t{'dep' if head else 'root'}\t_\t_\n")
        lines.append("\n")
    return Treebank.from_bytes("".join(lines).encode())


def copies(heads: list[int], count: int) -> Treebank:
    """The same tree many times, each with an id of its own and so with random numbers of its own."""
    return with_ids([(f"copy {number}", heads) for number in range(count)])
