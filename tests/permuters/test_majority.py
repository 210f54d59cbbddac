"""Every type of arc on its most frequent side."""

from collections import Counter
from itertools import product
from random import Random

import definitions as naive
import pytest
from commandline import permtree
from orders import orders
from places import SAMPLE
from strategies import random_heads

from permtree import Policies, Report, Treebank, UsageError, measure, permute
from permtree.permuting import Permutation
from permtree.treebank import heads_of

RELATIONS, TAGS = ("nsubj", "obj", "obj:x"), ("A", "B")
NOT_LEARNT = "words whose type of arc was not learnt (their side stays)"


def random_sentences(seed, n_sentences=12, relations=RELATIONS, tags=TAGS):
    rng = Random(seed)
    trees = [random_heads(rng, rng.randint(1, 7), rng.choice([1, 1, 1, 2])) for _ in range(n_sentences)]
    return [naive.labelled(rng, heads, relations, tags) for heads in trees]


def read(sentences):
    return Treebank.from_bytes(naive.as_file(sentences))


def majority(sentences, learnt_from):
    """The new orders, and how many words have a type of arc that was never seen."""
    counts = Counter(naive.sides_by_kind(learnt_from))
    unknown, found = 0, []
    for sentence in sentences:
        after = naive.sides(sentence.heads, naive.original(sentence.heads))
        for word in after:
            left, right = counts[sentence.kind(word), False], counts[sentence.kind(word), True]
            if left + right:
                after[word] = right > left
            else:
                unknown += 1
        found.append(naive.in_text_order(sentence.heads, after))
    return found, unknown


@pytest.mark.parametrize("seed", range(30))
def test_most_frequent_sides_of_random_treebanks(seed):
    sentences = random_sentences(seed)
    assert orders(read(sentences), "majority") == majority(sentences, sentences)[0]


@pytest.mark.parametrize("seed", range(10))
def test_most_frequent_sides_of_another_treebank(seed):
    sentences, others = random_sentences(seed), random_sentences(seed + 1000, 3)
    expected, unknown = majority(sentences, others)
    assert orders(read(sentences), "majority", **{"learn-from": read(others)}) == expected
    report = Report()
    permute(read(sentences), "majority", learn_from=read(others), report=report)
    assert report.counts[NOT_LEARNT] == unknown


def test_some_types_of_these_treebanks_are_tied_and_some_are_unknown():
    """Or the tests above would not look at ties and unknown types."""
    counts = Counter(naive.sides_by_kind([s for seed in range(3) for s in random_sentences(seed, 4)]))
    assert any(counts[kind, True] == counts[kind, False] for kind, _ in counts)
    assert majority(random_sentences(0), random_sentences(1000, 3))[1] > 0


def test_ties_go_to_the_left():
    one = naive.Sentence((0, 1), ("root", "x"), ("A", "B"))
    other = naive.Sentence((2, 0), ("x", "root"), ("B", "A"))
    assert orders(read([one, other]), "majority") == [(2, 1), (1, 2)]
    assert orders(read([one, one, other]), "majority") == [(1, 2), (1, 2), (2, 1)]


def test_relations_with_subtypes_and_all_tags_are_types_of_their_own():
    right = naive.Sentence((0, 1), ("root", "x"), ("A", "B"))
    others = [
        naive.Sentence((2, 0), ("x:y", "root"), ("B", "A")),
        naive.Sentence((2, 0), ("x", "root"), ("C", "A")),
        naive.Sentence((2, 0), ("x", "root"), ("B", "C")),
    ]
    assert orders(read([right, *others]), "majority") == [(1, 2)] * 4


def test_siblings_on_one_side_keep_their_order_in_the_text():
    few = naive.Sentence((0, 1, 1), ("root", "x", "x"), ("A", "B", "B"))
    many = naive.Sentence((4, 4, 4, 0, 4), ("x", "x", "x", "root", "x"), ("B", "B", "B", "A", "B"))
    assert orders(read([many, few]), "majority") == [(1, 2, 3, 5, 4), (2, 3, 1)]


def words_changed(sentences, new):
    pairs = zip(sentences, new, strict=True)
    return sum(len(naive.arcs(s.heads)) - naive.words_on_their_side(s.heads, order) for s, order in pairs)


@pytest.mark.parametrize("seed", range(8))
def test_no_other_order_of_zero_entropy_changes_the_side_of_fewer_words(seed):
    sentences = random_sentences(seed, 8, ("x", "y"), TAGS)
    kinds = sorted({kind for kind, _ in naive.sides_by_kind(sentences)})
    assert 5 <= len(kinds) <= 8
    least = min(
        sum(after != choice[kind] for kind, after in naive.sides_by_kind(sentences))
        for choice in (dict(zip(kinds, sides, strict=True)) for sides in product((False, True), repeat=len(kinds)))
    )
    new = orders(read(sentences), "majority")
    assert words_changed(sentences, new) == least
    assert len(set(naive.sides_by_kind(sentences, new))) == len(kinds)


@pytest.mark.parametrize("language", ["medol", "fluvi", "rigan"])
def test_entropy_is_0(language):
    treebank = Treebank.read(str(SAMPLE / f"{language}-dev.conllu"))
    for seed in (0, 3):
        new = permute(treebank, "majority", seed=seed)
        assert measure(new, "arc_direction_entropy", profile="lal", roots="keep")["arc_direction_entropy"].value == 0
        assert heads_of(new) == heads_of(permute(treebank, "majority"))


def test_doing_it_twice_changes_nothing_more():
    once = permute(Treebank.read(str(SAMPLE / "fluvi-dev.conllu")), "majority")
    assert heads_of(permute(once, "majority")) == heads_of(once)


def test_words_that_a_policy_takes_out_are_not_counted():
    right = naive.Sentence((0, 1), ("root", "x"), ("A", "PUNCT"))
    left = naive.Sentence((2, 0, 2), ("x", "root", "x"), ("PUNCT", "A", "PUNCT"))
    same_kind = naive.Sentence((0, 1), ("root", "x"), ("A", "B"))
    learnt = Permutation("majority", policies=Policies(punct="strip")).learnt(read([right, left, same_kind]))
    assert str(learnt.signature()).count("(1 types, 1 arcs)") == 1


def test_a_test_set_follows_its_training_set_by_the_command_line(tmp_path):
    train, test = SAMPLE / "rigan-train.conllu", SAMPLE / "rigan-test.conllu"
    permtree("permute", "--mode", "majority", train, "-o", tmp_path / "train")
    done = permtree("permute", "--mode", "majority", "--learn-from", train, test, "-o", tmp_path / "test")
    (told,) = (int(line.split(": ")[1]) for line in done.lines if line.startswith(NOT_LEARNT))
    known = {kind for kind, _ in arcs_of(train)}
    assert told == sum(kind not in known for kind, _ in arcs_of(test))
    # One side for each type over both files: words of unknown types stay where they are, wherever that is.
    both = set(arcs_of(tmp_path / "train")) | {arc for arc in arcs_of(tmp_path / "test") if arc[0] in known}
    assert len({kind for kind, _ in both}) == len(both)
    assert b"# permtree = majority|learn-from:rigan-train.conllu|learnt:" in (tmp_path / "test").read_bytes()


def arcs_of(path):
    """(type, after the head) of every arc in a file."""
    treebank = Treebank.read(str(path))
    relations, tags, heads = treebank.deprel.decoded(), treebank.upos.decoded(), treebank.head.tolist()
    return [((relations[row], tags[head], tags[row]), row > head) for row, head in enumerate(heads) if head >= 0]


def test_several_files_are_learnt_from_as_one():
    files = sorted(SAMPLE.glob("*-dev.conllu"))
    together = permtree("permute", "--mode", "majority", *files).out
    data = b"".join(file.read_bytes() for file in files)
    assert permtree("permute", "--mode", "majority", stdin=data).out == together
    assert permtree("permute", "--mode", "majority", "--jobs", "2", *files).out == together
    new = Treebank.from_bytes(together)
    assert measure(new, "arc_direction_entropy", profile="lal", roots="keep")["arc_direction_entropy"].value == 0


def test_a_file_to_learn_from_that_is_not_there(tmp_path):
    done = permtree("permute", "--mode", "majority", "--learn-from", tmp_path / "none", stdin=b"", status=2)
    assert done.lines == [f"{tmp_path / 'none'}: no such file"]


def test_a_bad_file_to_learn_from_is_named(tmp_path):
    (tmp_path / "bad").write_bytes(b"1\tx\n\n")
    command = ["permute", "--mode", "majority", "--learn-from", "bad", SAMPLE / "rigan-dev.conllu", "-o", "out"]
    done = permtree(*command, cwd=tmp_path, status=3)
    assert len(done.lines) == 1
    assert done.lines[0].startswith("bad:1: ")
    assert [path.name for path in tmp_path.iterdir()] == ["bad"]


@pytest.mark.parametrize(
    ("mode", "options", "message"),
    [
        ("optdl", {}, "mode 'optdl' learns nothing with these options"),
        ("optdl", {"ties": "original"}, "mode 'optdl' learns nothing with these options"),
        ("optdl", {"ties": "random"}, "mode 'optdl' learns nothing with these options"),
        ("rb", {}, "mode 'rb' has no option 'learn-from'"),
        ("projectivize", {}, "mode 'projectivize' has no option 'learn-from'"),
    ],
)
def test_modes_that_learn_nothing_refuse_a_treebank_to_learn_from(mode, options, message):
    treebank = read(random_sentences(0))
    with pytest.raises(UsageError, match=message):
        permute(treebank, mode, learn_from=treebank, **options)


def test_modes_that_learn_nothing_by_the_command_line(tmp_path):
    path = SAMPLE / "rigan-dev.conllu"
    command = ["permute", "--mode", "optdl", "--learn-from", path, path, "-o", tmp_path / "out"]
    done = permtree(*command, status=2)
    assert done.lines == ["--learn-from: mode 'optdl' learns nothing with these options"]
    done = permtree("permute", "--mode", "lb", "--learn-from", path, path, "-o", tmp_path / "out", status=2)
    assert len(done.lines) == 1
    assert done.lines[0].startswith("mode 'lb' takes no --learn-from")
    assert list(tmp_path.iterdir()) == []
