"""Baselines: which trees they give, what they learn, and that a saved one is the same."""

from __future__ import annotations

import json
import subprocess
import sys
from collections import Counter
from itertools import product
from pathlib import Path

import numpy as np
import pytest
from commandline import sentence
from hypothesis import given
from parsing import parsing_of, same_but_for_trees, trees_with_one_root
from permtree_parsers.baselines import Baseline, Left, MajorityOffset, RandomTree, Right, tree_of_map
from permtree_parsers.folder import MODEL
from places import SAMPLE
from reordering import conllu, word
from rich_sentences import rich_sentences

from permtree.errors import UsageError
from permtree.treebank import Treebank, heads_of

KINDS = [Left, Right, RandomTree, MajorityOffset]
of_all_kinds = pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.name)


def trained(kind: type[Baseline], data: bytes | Treebank, seed: int = 0) -> Baseline:
    treebank = data if isinstance(data, Treebank) else Treebank.from_bytes(data)
    return kind.train(treebank, None, kind.Config(), seed)


def heads(parser: Baseline, data: bytes) -> list[list[int]]:
    return heads_of(parser.predict(Treebank.from_bytes(data)))


@pytest.fixture(scope="module")
def sample() -> tuple[Treebank, Treebank]:
    return Treebank.read(str(SAMPLE / "fluvi-train.conllu")), Treebank.read(str(SAMPLE / "fluvi-test.conllu"))


def test_left_is_head_final_and_right_is_head_initial():
    text = sentence("a", 2, 0, 2, 3) + sentence("b", 0)
    assert heads(trained(Left, text), text) == [[2, 3, 4, 0], [0]]
    assert heads(trained(Right, text), text) == [[0, 1, 2, 3], [0]]


@of_all_kinds
@given(text=rich_sentences())
def test_trees_with_one_root_and_nothing_else_changed(kind, text):
    treebank = Treebank.from_bytes(text)
    found = trained(kind, treebank).predict(treebank)
    assert trees_with_one_root(found)
    assert same_but_for_trees(text, found.to_bytes())


@of_all_kinds
def test_the_same_after_loading(kind, sample, tmp_path: Path):
    train, test = sample
    parser = trained(kind, train, seed=3)
    parser.save(tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["model.json"]
    again = kind.load(tmp_path)
    assert again.predict(test).to_bytes() == parser.predict(test).to_bytes()
    before = (tmp_path / "model.json").read_bytes()
    again.save(tmp_path)
    assert (tmp_path / "model.json").read_bytes() == before


@of_all_kinds
def test_heads_and_relations_of_the_input_are_not_looked_at(kind, sample):
    parser = trained(kind, sample[0])
    once = parser.predict(sample[1])
    assert once.to_bytes() != sample[1].to_bytes()
    assert parser.predict(once).to_bytes() == once.to_bytes()


def test_every_function_makes_a_tree_and_every_tree_comes_from_as_many_functions_as_it_has_words():
    for n in range(1, 6):
        maps = np.array(list(product(range(n), repeat=n)))
        number = np.repeat(np.arange(len(maps)), n)
        found = tree_of_map((maps + n * np.arange(len(maps))[:, None]).ravel(), number)
        trees = Counter(tuple(row) for row in np.where(found < 0, -1, found % n).reshape(maps.shape).tolist())
        assert len(trees) == n ** (n - 1)
        assert set(trees.values()) == {n}
        treebank = Treebank.from_heads([head + 1 for head in tree] for tree in trees)
        assert trees_with_one_root(treebank)


def test_random_trees_of_three_words_are_uniform():
    text = b"".join(sentence(f"s{number}", 2, 0, 2) for number in range(9000))
    counts = Counter(map(tuple, heads(trained(RandomTree, text, seed=1), text)))
    assert len(counts) == 9
    chi_square = sum((count - 1000) ** 2 / 1000 for count in counts.values())
    assert chi_square < 26.1  # 8 degrees of freedom, p = 0.001


def test_a_random_tree_belongs_to_its_sentence_and_the_seed(sample):
    one, other = sentence("one", 0, 1, 1, 1, 1, 1, 1), sentence("other", 0, 1, 1, 1, 1, 1, 1)
    parser = trained(RandomTree, one)
    assert heads(parser, other + one + other)[1] == heads(parser, one)[0] != heads(parser, other)[0]
    assert heads(trained(RandomTree, one, seed=1), one) != heads(parser, one)


def tagged(*words: tuple[str, int, str]) -> bytes:
    """A sentence from UPOS, head and relation of each word."""
    lines = [f"{i} w _ {upos} _ _ {head} {relation}" for i, (upos, head, relation) in enumerate(words, 1)]
    return conllu(*lines, "")


def test_the_most_frequent_distance_by_upos():
    train = tagged(("DET", 2, "det"), ("NOUN", 3, "nsubj"), ("VERB", 0, "root"), ("DET", 5, "det"), ("NOUN", 3, "obj"))
    parser = trained(MajorityOffset, train + tagged(("NOUN", 2, "nsubj"), ("VERB", 0, "root")))
    text = tagged(
        ("DET", 0, "x"), ("NOUN", 0, "x"), ("DET", 0, "x"), ("ADJ", 0, "x"), ("NOUN", 0, "x"), ("VERB", 1, "x")
    )
    found = parser.predict(Treebank.from_bytes(text))
    assert heads_of(found) == [[2, 3, 4, 5, 6, 0]]
    assert found.deprel.decoded() == ["det", "nsubj", "det", "det", "nsubj", "root"]


def test_of_equally_frequent_distances_the_smallest_counts():
    train = tagged(("A", 3, "far"), ("A", 3, "near"), ("B", 0, "root"))
    assert heads(trained(MajorityOffset, train), train) == [[2, 3, 0]]


def test_circles_are_hung_on_the_root():
    # A points right, B left: with two of them side by side a circle; C is what roots are
    train = tagged(("A", 2, "a"), ("C", 0, "root"), ("B", 2, "b"))
    parser = trained(MajorityOffset, train)
    text = tagged(
        ("B", 0, "x"), ("A", 0, "x"), ("B", 0, "x"), ("A", 0, "x"), ("C", 0, "x"), ("C", 0, "x"), ("A", 0, "x")
    )
    # words 1 and 7 would head themselves, 2 and 3 each other; the first C is the root, the second one follows C's
    # distance, which training doesn't show: the most frequent of all, of equals the one before the word
    assert heads(parser, text) == [[5, 5, 2, 5, 0, 5, 5]]


def test_training_that_shows_nothing():
    parser = trained(MajorityOffset, sentence("s", 0))
    found = parser.predict(Treebank.from_bytes(conllu(word(1, "a"), word(2, "b"), "")))
    assert heads_of(found) == [[0, 1]]
    assert found.deprel.decoded() == ["root", "dep"]


@of_all_kinds
def test_long_sentences_and_no_sentences(kind):
    text = sentence("long", 0, *range(1, 300))
    parser = trained(kind, text)
    assert trees_with_one_root(parser.predict(Treebank.from_bytes(text)))
    assert parser.predict(Treebank.from_bytes(b"")).to_bytes() == b""


@pytest.mark.parametrize(
    ("damage", "says"),
    [
        (lambda content: content.update(format=MODEL.format + 1), "later version"),
        (lambda content: content.update(parser="right"), "a model of the parser 'right', not 'left'"),
        (lambda content: content.pop("counts"), "damaged"),
        (lambda content: content.update(counts=3), "damaged"),
        (lambda content: content["counts"].update(relations={"X": {"dep": "many"}}), "damaged"),
        (lambda content: content.pop("format"), "damaged"),
    ],
)
def test_folders_that_cant_be_read(damage, says, tmp_path: Path):
    trained(Left, sentence("s", 0, 1)).save(tmp_path)
    path = tmp_path / "model.json"
    content = json.loads(path.read_text(encoding="utf-8"))
    damage(content)
    path.write_text(json.dumps(content), encoding="utf-8")
    with pytest.raises(UsageError, match=says) as fault:
        Left.load(tmp_path)
    assert "\n" not in str(fault.value)


def test_files_that_are_missing_or_cut(tmp_path: Path):
    with pytest.raises(UsageError, match="no such file"):
        Left.load(tmp_path)
    trained(Left, sentence("s", 0, 1)).save(tmp_path)
    data = (tmp_path / "model.json").read_bytes()
    (tmp_path / "model.json").write_bytes(data[: len(data) // 2])
    with pytest.raises(UsageError, match="damaged"):
        Left.load(tmp_path)


def test_nothing_is_printed(sample, capfd):
    for kind in KINDS:
        parsing_of(kind, *sample)
    assert capfd.readouterr() == ("", "")


def test_modules_of_entry_points_load_without_heavy_libraries():
    modules = "permtree_parsers.baselines, permtree_parsers.udpipe, permtree_parsers.supar_adapter"
    heavy = "{'torch', 'supar', 'ufal', 'nltk', 'transformers', 'safetensors'}"
    program = f"import sys, {modules}; print(sorted({heavy} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert (done.stdout, done.stderr) == ("[]\n", "")
