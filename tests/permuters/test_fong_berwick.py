"""The two transformations of Fong & Berwick (2008)."""

from random import Random

import definitions as naive
import pytest
from commandline import permtree
from hypothesis import given
from hypothesis import strategies as st
from orders import orders
from places import SAMPLE
from scipy.stats import binomtest
from strategies import copies, forest, random_heads

from permtree import Report, Treebank, UsageError, permute
from permtree.permuters.fong_berwick import COMPLEMENTS
from permtree.treebank import heads_of

CHANGED = "words that changed sides as complements"
RELATIONS = ("obj", "obj:x", "advmod", "nsubj", "obl", "obl:arg", "case", "xcomp")

# -- half of the sentences head-final, half head-initial -----------------------------------------------------------


def one_sided(heads, after):
    return naive.in_text_order(heads, dict.fromkeys(naive.words_of(heads), after))


@given(sentences=st.lists(forest(), min_size=1, max_size=6), seed=st.integers(0, 99))
def test_each_sentence_has_all_dependents_on_one_side_and_siblings_in_text_order(sentences, seed):
    for heads, new in zip(sentences, orders(Treebank.from_heads(sentences), "fong-berwick", seed), strict=True):
        assert new in (one_sided(heads, False), one_sided(heads, True))


def test_all_small_forests_take_either_side():
    sentences = naive.forests_up_to(5)
    found = [orders(Treebank.from_heads(sentences), "fong-berwick", seed) for seed in range(12)]
    for number, heads in enumerate(sentences):
        expected = {one_sided(heads, False), one_sided(heads, True)}
        assert {new[number] for new in found} <= expected
    both = sum(len({new[number] for new in found}) == 2 for number in range(len(sentences)))
    assert both > 0.9 * len(sentences)


def test_about_half_of_the_sentences_are_head_final():
    heads = (3, 1, 0, 3)
    found = orders(copies(heads, 4000), "fong-berwick", 8)
    head_initial = found.count(one_sided(heads, True))
    assert head_initial + found.count(one_sided(heads, False)) == 4000
    assert binomtest(head_initial, 4000, 0.5).pvalue > 0.001


def test_the_coin_is_of_the_seed_and_the_sentence():
    treebank = copies((2, 0, 2), 200)
    first = orders(treebank, "fong-berwick", 1)
    assert orders(treebank, "fong-berwick", 1) == first
    assert orders(treebank, "fong-berwick", 2) != first
    assert [orders(copies((2, 0, 2), n), "fong-berwick", 1) for n in (1, 7, 50)] == [first[:n] for n in (1, 7, 50)]


def test_sentences_by_the_command_line():
    path = SAMPLE / "rigan-dev.conllu"
    new = Treebank.from_bytes(permtree("permute", "--mode", "fong-berwick", "--seed", "4", path).out)
    initial = sum(heads[0] == 0 for heads in heads_of(new))
    final = sum(heads[-1] == 0 for heads in heads_of(new))
    assert initial + final == new.n_sentences
    assert binomtest(initial, new.n_sentences, 0.5).pvalue > 0.001


# -- complements change sides --------------------------------------------------------------------------------------


def is_complement(relation, complements=COMPLEMENTS):
    return relation in complements or relation.split(":")[0] in complements


def turned(sentence, complements=COMPLEMENTS):
    """Every word at its distance from its head in the text, complements on the other side."""
    keys = []
    for word, (head, relation) in enumerate(zip(sentence.heads, sentence.relations, strict=True), 1):
        keys.append((head - word) if is_complement(relation, complements) else word - head)
    return naive.linearize(sentence.heads, keys)


def random_sentences(seed, relations=RELATIONS, longest=9, projective=False):
    rng = Random(seed)
    trees = [random_heads(rng, rng.randint(1, longest), rng.choice([1, 1, 2])) for _ in range(60)]
    if projective:
        trees = [heads for heads in trees if not naive.nonprojective_words(heads)]
    return [naive.labelled(rng, heads, relations, "AB") for heads in trees]


def read(sentences):
    return Treebank.from_bytes(naive.as_file(sentences))


@pytest.mark.parametrize("seed", range(10))
@pytest.mark.parametrize("complements", [COMPLEMENTS, ("nsubj",), ("obl:arg", "advmod"), ("nothing",)])
def test_random_sentences(seed, complements):
    sentences = random_sentences(seed)
    expected = [turned(sentence, complements) for sentence in sentences]
    assert orders(read(sentences), "reverse-complements", complements=complements) == expected
    assert orders(read(sentences), "reverse-complements", complements=",".join(complements)) == expected


def test_all_small_trees_with_every_choice_of_complements():
    sentences = []
    for heads in naive.trees_up_to(4):
        for choice in range(2 ** len(heads)):
            relations = tuple("obj" if choice >> i & 1 else "advmod" for i in range(len(heads)))
            sentences.append(naive.Sentence(heads, relations, ("A",) * len(heads)))
    assert orders(read(sentences), "reverse-complements") == [turned(sentence) for sentence in sentences]


@pytest.mark.parametrize("seed", range(5))
def test_complements_change_sides_and_others_keep_theirs(seed):
    sentences = random_sentences(seed)
    report = Report()
    changed = 0
    permute(read(sentences), "reverse-complements", report=report)
    for sentence, new in zip(sentences, orders(read(sentences), "reverse-complements"), strict=True):
        before, after = naive.sides(sentence.heads, naive.original(sentence.heads)), naive.sides(sentence.heads, new)
        for word in before:
            assert (before[word] != after[word]) == is_complement(sentence.relations[word - 1])
            changed += before[word] != after[word]
    assert report.counts[CHANGED] == changed > 0


def test_a_relation_stands_for_its_subtypes_but_not_for_what_it_is_a_subtype_of():
    heads, tags = (0, 1, 1, 1), ("A",) * 4
    sentence = naive.Sentence(heads, ("root", "obl", "obl:arg", "obl:x"), tags)
    assert orders(read([sentence]), "reverse-complements", complements="obl:arg") == [(3, 1, 2, 4)]
    assert orders(read([sentence]), "reverse-complements", complements="obl") == [(4, 3, 2, 1)]
    assert orders(read([sentence]), "reverse-complements", complements=" obl:x , obl:arg ") == [(4, 3, 1, 2)]


def test_subjects_are_no_complements():
    """Subject verb object becomes subject object verb: at equal distances the order of the text decides."""
    sentence = naive.Sentence((2, 0, 2), ("nsubj", "root", "obj"), ("A",) * 3)
    assert orders(read([sentence]), "reverse-complements") == [(1, 3, 2)]


@pytest.mark.parametrize("seed", range(5))
def test_twice_all_words_are_on_their_side_again(seed):
    """And siblings that are both complements, or both not, in their old order; the two kinds may mingle otherwise."""
    sentences = random_sentences(seed)
    once = permute(read(sentences), "reverse-complements")
    twice = permute(once, "reverse-complements")
    forms = [sentence.split() for sentence in texts(twice)]
    for sentence, form in zip(sentences, forms, strict=True):
        new = tuple(int(name[1:]) for name in form)
        text = naive.original(sentence.heads)
        sides = naive.sides(sentence.heads, text)
        assert naive.sides(sentence.heads, new) == sides
        for head in naive.words_of(sentence.heads):
            for kind in (False, True):
                for side in (False, True):
                    group = [
                        word
                        for word in naive.dependents(sentence.heads, head)
                        if sides[word] == side and is_complement(sentence.relations[word - 1]) == kind
                    ]
                    assert sorted(group, key=new.index) == group


def texts(treebank):
    """The forms of each sentence, separated by spaces."""
    blocks = treebank.to_bytes().decode().split("\n\n")[:-1]
    lines = ([line.split("\t") for line in block.splitlines() if not line.startswith("#")] for block in blocks)
    return [" ".join(columns[1] for columns in block if columns[0].isdecimal()) for block in lines]


@pytest.mark.parametrize(
    ("relations", "mirrored"), [(("obj", "xcomp"), True), (("advmod", "nsubj"), False)], ids=["all", "none"]
)
def test_where_all_words_are_complements_trees_are_mirrored_and_where_none_is_they_stay(relations, mirrored):
    sentences = random_sentences(3, relations, projective=True)
    for sentence, new in zip(sentences, orders(read(sentences), "reverse-complements"), strict=True):
        if sentence.heads.count(0) == 1:
            assert new == naive.original(sentence.heads)[:: -1 if mirrored else 1]


@pytest.mark.parametrize("value", ["", ",", "obj,,xcomp", "obj,", " "])
def test_empty_names_are_refused(value):
    with pytest.raises(UsageError, match="--complements: relations separated by commas"):
        orders(Treebank.from_heads([[0, 1]]), "reverse-complements", complements=value)


def test_complements_by_the_command_line(tmp_path):
    path = SAMPLE / "medol-dev.conllu"
    treebank = Treebank.read(str(path))
    done = permtree("permute", "--mode", "reverse-complements", "--complements", "obj,nsubj", path)
    assert b"# permtree = reverse-complements|complements:obj,nsubj|" in done.out
    assert f"{CHANGED}: {sum(is_complement(r, ('obj', 'nsubj')) for r in treebank.deprel.decoded())}" in done.lines
    done = permtree("permute", "--mode", "reverse-complements", path)
    assert f"{CHANGED}: {sum(map(is_complement, treebank.deprel.decoded()))}" in done.lines
    done = permtree("permute", "--mode", "reverse-complements", "--complements", "obj,", path, status=2)
    assert done.lines == ["--complements: relations separated by commas, such as obj,iobj,xcomp"]
