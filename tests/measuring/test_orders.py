"""How far the orders of two treebanks are apart, against places of words read from the files."""

from __future__ import annotations

import math
from random import Random

import definitions as naive
import numpy as np
import pytest
from commandline import sentence
from places import SAMPLE
from scipy.stats import kendalltau

from permtree import Treebank, compare, permute

FLUVI = SAMPLE / "fluvi-test.conllu"


@pytest.fixture(scope="module")
def treebank() -> Treebank:
    return Treebank.read(str(FLUVI))


def old_places(treebank: Treebank) -> list[list[int]]:
    """Of each sentence, the ids in the original in the order of the text, from MISC read as text."""
    found: list[list[int]] = []
    for line in treebank.to_bytes().decode().split("\n"):
        row = line.split("\t")
        if len(row) == 10 and row[0] == "1":
            found.append([])
        if len(row) == 10 and row[0].isdigit():
            items = [item for item in row[9].split("|") if item.startswith("Orig=")]
            found[-1].append(int(items[0][5:]) if items else int(row[0]))
    return found


@pytest.mark.parametrize("modes", [("random",), ("rb", "random"), ("original", "optdl")], ids="-".join)
def test_distances_of_permutations(treebank, modes):
    """Permuted twice, a word is known by its oldest id."""
    new = treebank
    for mode in modes:
        new = permute(new, mode, seed=3)
    found = compare(treebank, new, profile="lal", ci=3).orders
    orders = old_places(new)
    places = [[order.index(word) + 1 for word in sorted(order)] for order in orders]
    assert found.unjoined == 0
    assert found.words.tolist() == [len(order) for order in orders]
    assert found.swaps.tolist() == [naive.discordant_pairs(range(len(own)), own) for own in places]
    assert found.displacement.tolist() == [sum(abs(place - i) for i, place in enumerate(own, 1)) for own in places]
    for own, swaps in zip(places, found.swaps, strict=True):
        if len(own) > 1:
            tau = kendalltau(range(len(own)), own).statistic
            assert 1 - 4 * swaps / (len(own) * (len(own) - 1)) == pytest.approx(tau)
    pairs = found.words * (found.words - 1) / 2
    expected = [np.mean(found.swaps), found.swaps.sum() / pairs.sum(), found.displacement.sum() / found.words.sum()]
    assert [*found.values.values()] == pytest.approx(expected)


def test_the_same_and_the_reverse(treebank):
    same = compare(treebank, treebank, ci=3)
    assert {*same.orders.values.values()} == {0.0}
    assert {*same.order_intervals.values()} == {(0.0, 0.0)}
    reverse = compare(treebank, permute(treebank, "reverse"), profile="lal", ci=3)
    assert reverse.orders.values["swapped_pairs"] == 1
    assert reverse.order_intervals["swapped_pairs"] == (1.0, 1.0)


def test_two_permutations_and_words_that_a_policy_takes_out(treebank):
    sides = [permute(treebank, mode, punct="strip") for mode in ("rb", "random")]
    found = compare(*sides, profile="lal", ci=20)
    one, other = map(old_places, sides)
    assert found.orders.swaps.tolist() == [
        naive.discordant_pairs([a.index(word) for word in sorted(a)], [b.index(word) for word in sorted(b)])
        for a, b in zip(one, other, strict=True)
    ]
    for name, value in found.orders.values.items():
        low, high = found.order_intervals[name]
        assert low < value < high
    stripped = compare(treebank, sides[0], profile="ud", ci=3)  # punctuation isn't measured, so nothing is lacking
    assert (stripped.orders.unjoined, len(stripped.orders.words)) == (0, stripped.paired)


def test_sentences_whose_ids_are_lost_are_counted(treebank):
    """A sentence in which no word has moved is joined without its ids."""
    new = permute(treebank, "random", seed=1)
    lines = new.to_bytes().split(b"\n")
    bare = Treebank.from_bytes(b"\n".join(line for line in lines if not line.startswith(b"# permtree")))
    found = compare(treebank, bare, profile="lal", ci=3)
    moved = sum(own != sorted(own) for own in old_places(new))
    assert (found.paired, found.orders.unjoined) == (100, moved)
    assert found.orders.swaps.sum() == 0


def test_an_id_of_two_words_is_no_id():
    """Both words say that they stood first."""
    first = Treebank.from_bytes(sentence("a", 2, 0))
    damaged = (
        first.to_bytes()
        .decode()
        .replace("\t_\n", "\tOrig=1\n")
        .replace("# sent_id = a\n", "# sent_id = a\n# permtree = x\n")
    )
    found = compare(first, Treebank.from_bytes(damaged.encode()), profile="lal", ci=3)
    assert found.paired == 1
    assert found.orders.unjoined == 1
    assert all(map(math.isnan, found.orders.values.values()))


def test_nothing_paired_has_no_orders(treebank):
    other = Treebank.read(str(SAMPLE / "rigan-test.conllu"))
    assert compare(treebank, other, ci=3).orders is None


def test_intervals_hold_the_value_of_a_population():
    """Of 100 samples, the interval for random orders of n words holds their mean, n(n-1)/4, in nine of ten and more."""
    rng = Random(5)
    held = 0
    for seed in range(100):
        names = [f"s{i}" for i in range(40)]
        sizes = [rng.choice([4, 8]) for _ in names]
        treebank = Treebank.from_bytes(
            b"".join(sentence(name, 0, *[1] * (n - 1)) for name, n in zip(names, sizes, strict=True))
        )
        new = permute(treebank, "random", seed=seed)
        low, high = compare(treebank, new, "mdd", profile="lal", ci=200, seed=seed).order_intervals["swapped_pairs"]
        held += low <= 0.5 <= high
    assert held >= 88
