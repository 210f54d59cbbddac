"""Processor time grows as the length of a sentence does, for every mode and measure, in trees of the worst shapes."""

import time
from random import Random

import pytest
from digests import options, sentences

from permtree import Treebank, measure, permute
from permtree.measures import MEASURES
from permtree.permuters import PERMUTERS

SHORT, LONG = 1500, 6000
MOST = 8  # times as long for four times the words: 4 if linear, 16 if quadratic
NOTHING = 0.1  # seconds in which nothing can be said
SQUARE = {"projective_ceiling"}  # its card says so
SEARCHED = ("min-entropy", "max-entropy")
RELATIONS = ("nsubj", "obj", "obl", "nmod:poss", "nmod", "det")
ABOVE = {
    "star": lambda rng, word: 1,
    "chain": lambda rng, word: word - 1,
    "comb": lambda rng, word: max(1, word - 1 - word % 2),
    "random": lambda rng, word: rng.randint(1, word - 1),
}
OTHER = sentences(2, 60)


def sentence(shape, length):
    """One sentence, its words in a random order."""
    rng = Random(length)
    place = [0, *rng.sample(range(1, length + 1), length)]
    head = {place[word]: place[ABOVE[shape](rng, word)] for word in range(2, length + 1)}
    lines = []
    for word in range(1, length + 1):
        relation = rng.choice(RELATIONS) if word in head else "root"
        lines.append(f"{word}\tw\t_\t{rng.choice('AB')}\t_\t_\t{head.get(word, 0)}\t{relation}\t_\t_\n")
    return "".join(lines).encode() + b"\n"


def assert_linear(run, shape):
    ratios = []
    for _ in range(3):  # other processes disturb a clock
        seconds = []
        for length in (SHORT, LONG):
            data = sentence(shape, length)
            begin = time.process_time()
            run(Treebank.from_bytes(data))
            seconds.append(time.process_time() - begin)
        if seconds[1] < NOTHING:
            return
        ratios.append(seconds[1] / seconds[0])
        if ratios[-1] < MOST:
            return
    raise AssertionError(f"{shape}: {ratios} times as long for {LONG // SHORT} times the words")


@pytest.mark.long
@pytest.mark.parametrize("shape", ABOVE)
@pytest.mark.parametrize("mode", PERMUTERS.names())
def test_modes(mode, shape):
    for chosen in options(mode, OTHER):
        if "learn-from" in chosen and (mode == "match" or chosen.get("ties") in SEARCHED):
            chosen["learn-from"] = OTHER  # searches take as many steps as they need
        given = {name.replace("-", "_"): value for name, value in chosen.items()}
        assert_linear(lambda treebank, given=given: permute(treebank, mode, seed=1, **given).to_bytes(), shape)


@pytest.mark.long
@pytest.mark.parametrize("shape", ABOVE)
def test_measures(shape):
    for name in sorted({*MEASURES.names()} - SQUARE):
        assert_linear(lambda treebank, name=name: measure(treebank, name, profile="lal", roots="keep"), shape)


@pytest.mark.long
def test_removed_punctuation_with_the_number_of_sentences():
    """In a treebank that is held whole."""
    ratios = []
    for _ in range(3):
        seconds = []
        for count in (4000, 16000):
            treebank = Treebank.from_bytes(
                b"1\tw\t_\tX\t_\t_\t0\troot\t_\t_\n2\t.\t_\tPUNCT\t_\t_\t1\tpunct\t_\t_\n\n" * count
            )
            begin = time.process_time()
            data = permute(treebank, "original", punct="strip").to_bytes()
            seconds.append(time.process_time() - begin)
            assert data.count(b"# permtree_removed = 2\n") == count
        ratios.append(seconds[1] / seconds[0])
        if ratios[-1] < MOST:
            return
    raise AssertionError(ratios)
