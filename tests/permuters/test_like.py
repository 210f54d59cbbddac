"""Sides and sibling order as another treebank has them."""

import math
from collections import Counter
from fractions import Fraction
from itertools import permutations
from random import Random

import definitions as naive
import pytest
from commandline import permtree
from orders import orders
from places import SAMPLE
from scipy.stats import binomtest, chisquare
from strategies import random_heads

from permtree import Report, Treebank, UsageError, permute
from permtree.treebank import heads_of

RELATIONS, TAGS = ("obj", "nsubj", "nsubj:x", "nsubj:y"), ("A", "B")
BACKED_OFF = "words whose type of arc the other treebank doesn't have (backed off)"
HALF = Fraction(1, 2)


def read(sentences):
    return Treebank.from_bytes(naive.as_file(sentences))


def random_sentences(seed, n_sentences=12, relations=RELATIONS, tags=TAGS):
    rng = Random(seed)
    trees = [random_heads(rng, rng.randint(1, 8), rng.choice([1, 1, 1, 2])) for _ in range(n_sentences)]
    return [naive.labelled(rng, heads, relations, tags) for heads in trees]


# -- the naive definition ------------------------------------------------------------------------------------------


def base(relation):
    return relation.split(":")[0]


def contexts_of_side(sentence, word):
    """From the most general to the most specific one."""
    relation, head, tag = sentence.kind(word)
    return list(enumerate([(), (base(relation),), (base(relation), head, tag), (relation, head, tag)]))


def contexts_of_pair(sentence, a, b, after):
    """(context, name of a, name of b): a context doesn't say which is nearer, the two names do."""
    head = sentence.kind(a)[1]
    short = [base(sentence.relations[word - 1]) for word in (a, b)]
    full = [(sentence.relations[word - 1], sentence.tags[word - 1]) for word in (a, b)]
    return [((after, *sorted(short)), *short), ((after, head, *sorted(full)), *full)]


class Habits:
    """What a treebank does, counted one word and one pair at a time."""

    def __init__(self, sentences):
        self.after, self.nearer, self.kinds = Counter(), Counter(), set()
        for sentence in sentences:
            text = naive.sides(sentence.heads, naive.original(sentence.heads))
            for word, after in text.items():
                self.kinds.add(sentence.kind(word))
                for context in contexts_of_side(sentence, word):
                    self.after[context, after] += 1
            for a, b in permutations(text, 2):
                head = sentence.heads[a - 1]
                if head == sentence.heads[b - 1] and text[a] == text[b] and abs(a - head) < abs(b - head):
                    for context, name, other in contexts_of_pair(sentence, a, b, text[a]):
                        if name != other:
                            self.nearer[context, name] += 1

    def stands_after(self, sentence, word):
        """The probability that a word stands after its head: half an observation is shared out as the more general
        context has it."""
        probability = HALF
        for context in contexts_of_side(sentence, word):
            yes, no = self.after[context, True], self.after[context, False]
            probability = (yes + HALF * probability) / (yes + no + HALF)
        return probability

    def is_nearer(self, sentence, a, b, after):
        """The probability that a is nearer to the head than b."""
        probability = HALF
        for context, name, other in contexts_of_pair(sentence, a, b, after):
            if name != other:
                yes, no = self.nearer[context, name], self.nearer[context, other]
                probability = (yes + HALF * probability) / (yes + no + HALF)
        return probability

    def chances(self, sentence, left, after):
        """For each word left on a side, the product of its being nearer than the others."""
        return {
            word: math.prod(self.is_nearer(sentence, word, other, after) for other in left if other != word)
            for word in left
        }


def assert_most_frequent(habits, sentence, new):
    """Every word on its most frequent side, siblings from the head outwards as is likeliest. What is alike, and what is
    as likely, is taken as if all kept the order of the text."""
    sides = naive.sides(sentence.heads, new)
    assert new in naive.projective_orders(sentence.heads)
    for word, after in sides.items():
        assert after == (habits.stands_after(sentence, word) > HALF)
    for head in naive.words_of(sentence.heads):
        for after in (False, True):
            own = [word for word in naive.dependents(sentence.heads, head) if sides[word] == after]
            outwards = sorted(own, key=new.index, reverse=not after)
            left = sorted(own, reverse=not after)
            for word in outwards:
                chances = habits.chances(sentence, left, after)
                assert word == next(other for other in left if chances[other] == max(chances.values()))
                left.remove(word)


# -- deterministic -------------------------------------------------------------------------------------------------


def deterministic(sentences, others):
    return orders(read(sentences), "like", treebank=read(others), deterministic=True)


@pytest.mark.parametrize("seed", range(30))
def test_most_frequent_sides_and_orders_of_random_treebanks(seed):
    sentences = random_sentences(seed)
    others = random_sentences(seed + 1000, Random(seed).choice([1, 4, 30]))
    habits = Habits(others)
    report = Report()
    permute(read(sentences), "like", treebank=read(others), deterministic=True, report=report)
    unknown = [kind for kind, _ in naive.sides_by_kind(sentences) if kind not in habits.kinds]
    assert report.counts[BACKED_OFF] == len(unknown)
    for sentence, new in zip(sentences, deterministic(sentences, others), strict=True):
        assert_most_frequent(habits, sentence, new)


def pair(relation, head="A", tag="B", after=True):
    """A sentence of a head and one dependent."""
    if after:
        return naive.Sentence((0, 1), ("root", relation), (head, tag))
    return naive.Sentence((2, 0), (relation, "root"), (tag, head))


def goes_after(sentence, others):
    return deterministic([sentence], others)[0] == (1, 2)


def test_sides_back_off_from_the_type_of_arc_to_relation_and_tags_to_the_relation_to_all():
    before = [pair("x:y", after=False)]
    assert not goes_after(pair("x:y"), [*before * 2, pair("x:y"), *[pair("x")] * 9])
    assert goes_after(pair("x:y"), [*[pair("x:y", "C", after=False)] * 9, pair("x:z")])
    assert goes_after(pair("x:y"), [*[pair("z", after=False)] * 9, pair("x", "C")])
    assert not goes_after(pair("x:y"), [*[pair("z", after=False)] * 2, pair("z", "C")])


def test_the_more_general_context_decides_ties_and_nothing_else():
    tie = [pair("x"), pair("x", after=False)]
    assert goes_after(pair("x"), [*tie, pair("x:y")])
    assert not goes_after(pair("x"), [*tie, pair("x:y", after=False)])
    assert not goes_after(pair("x"), tie)
    assert goes_after(pair("x"), [*tie, pair("x"), *[pair("x:y", after=False)] * 50])


def three(a, b, tags=("A", "B", "C"), after=True):
    """A head with two dependents on one side, a before b."""
    if after:
        return naive.Sentence((0, 1, 1), ("root", a, b), tags)
    return naive.Sentence((3, 3, 0), (a, b, "root"), (tags[1], tags[2], tags[0]))


def test_siblings_are_ordered_as_on_that_side():
    """After the head x is nearer, before it y."""
    tags = ("A", "B", "B")
    after, before = three("x", "y", tags), three("x", "y", tags, after=False)
    assert deterministic([three("y", "x", tags)], [after, after, before]) == [(1, 3, 2)]
    assert deterministic([three("y", "x", tags)], [after, before, before]) == [(3, 2, 1)]
    assert deterministic([three("y", "x", tags, after=False)], [after, after, before]) == [(3, 2, 1)]
    assert deterministic([three("y", "x", tags, after=False)], [after, before, before]) == [(2, 1, 3)]


def test_siblings_back_off_to_side_and_relations():
    seen = three("x", "y", ("V", "W", "W"))
    assert deterministic([three("y:z", "x")], [seen]) == [(1, 3, 2)]
    many = [three("y:z", "x", ("A", "B", "C"))]
    assert deterministic([three("y:z", "x")], [seen] * 9 + many) == [(1, 2, 3)]


def test_siblings_alike_keep_their_order():
    others = [three("x", "y")]
    alike = naive.Sentence((0, 1, 1, 1, 1), ("root", "x", "y", "x", "y"), ("A", "B", "C", "B", "C"))
    assert deterministic([alike], others) == [(1, 2, 4, 3, 5)]
    turned = naive.Sentence((5, 5, 5, 5, 0), ("x", "y", "x", "y", "root"), ("B", "C", "B", "C", "A"))
    assert deterministic([turned], [three("x", "y", after=False)]) == [(1, 3, 2, 4, 5)]


@pytest.mark.parametrize("language", ["rigan", "medol", "fluvi"])
def test_a_treebank_whose_order_follows_a_rule_is_unchanged_when_it_is_made_like_itself(tmp_path, language):
    treebank = Treebank.read(str(SAMPLE / f"{language}-dev.conllu"))
    rng = Random(4)
    names = sorted({name.split(":")[0] for name in treebank.deprel.vocabulary})
    places = list(range(1, len(names) + 1))
    rng.shuffle(places)
    weights = {name: place * rng.choice([-1, 1]) for name, place in zip(names, places, strict=True)}
    ruled = permute(treebank, "grammar", weights={"relations": weights})
    path = tmp_path / "ruled"
    ruled.write(str(path))
    again = permtree("permute", "--mode", "like", "--treebank", path, "--deterministic", path)
    same = permtree("permute", "--mode", "original", path)
    without = [[line for line in data.splitlines() if b"# permtree =" not in line] for data in (again.out, same.out)]
    assert without[0] == without[1]
    assert again.out.count(b"# permtree = like|treebank:ruled|deterministic:True|learnt:") == treebank.n_sentences
    assert f"{BACKED_OFF}: 0" in again.lines


def test_the_seed_makes_no_difference():
    treebank = Treebank.read(str(SAMPLE / "rigan-dev.conllu"))
    other = str(SAMPLE / "medol-dev.conllu")
    first = permute(treebank, "like", treebank=other, deterministic=True, seed=1)
    assert first.to_bytes() == permute(treebank, "like", treebank=other, deterministic=True, seed=2).to_bytes()


# -- drawn ---------------------------------------------------------------------------------------------------------


def named(sentence, count):
    """The same sentence many times, with random numbers of its own each time."""
    return Treebank.from_bytes(naive.as_file([sentence] * count))


@pytest.mark.parametrize(("before", "after"), [(10, 30), (1, 1), (5, 0), (0, 2)])
def test_sides_are_drawn_with_their_frequency(before, after):
    others = [pair("x", after=False)] * before + [pair("x")] * after + [pair("x:y"), pair("z", after=False)]
    expected = Habits(others).stands_after(pair("x"), 2)
    new = orders(named(pair("x"), 4000), "like", 6, treebank=read(others))
    assert abs(expected - Fraction(after, before + after)) < Fraction(1, 4)
    assert binomtest(new.count((1, 2)), 4000, float(expected)).pvalue > 0.001


def test_sides_of_unknown_types_are_drawn_as_the_general_context_has_them():
    others = [pair("x", "C")] * 30 + [pair("x", "C", after=False)] * 10 + [pair("z", after=False)] * 100
    expected = Habits(others).stands_after(pair("x:y"), 2)
    new = orders(named(pair("x:y"), 4000), "like", 6, treebank=read(others))
    assert binomtest(new.count((1, 2)), 4000, float(expected)).pvalue > 0.001
    assert 0.7 < expected < 0.8


def test_two_siblings_are_ordered_with_their_frequency():
    sentence = three("x", "y")
    others = [three("x", "y")] * 30 + [three("y", "x", ("A", "C", "B"))] * 10
    habits = Habits(others)
    assert habits.stands_after(sentence, 2) > Fraction(98, 100)
    drawn = [new for new in orders(named(sentence, 4000), "like", 6, treebank=read(others)) if new[0] == 1]
    assert len(drawn) > 3800
    expected = habits.is_nearer(sentence, 2, 3, True)
    assert 0.74 < expected < 0.76
    assert binomtest(drawn.count((1, 2, 3)), len(drawn), float(expected)).pvalue > 0.001


def test_three_siblings_are_drawn_by_the_products_of_their_chances():
    tags = ("A", "B", "B", "B")
    rng = Random(9)
    others = []
    for _ in range(40):
        names = ["x", "y", "z"]
        rng.shuffle(names)
        others.append(naive.Sentence((0, 1, 1, 1), ("root", *names), tags))
    others += [naive.Sentence((0, 1, 1), ("root", "z", "y"), tags[:3])] * 40
    sentence = naive.Sentence((0, 1, 1, 1), ("root", "x", "y", "z"), tags)
    habits, expected = Habits(others), {}
    for outwards in permutations((2, 3, 4)):
        chance = Fraction(1)
        for number in range(3):
            chances = habits.chances(sentence, outwards[number:], True)
            chance *= Fraction(chances[outwards[number]], sum(chances.values()))
        expected[(1, *outwards)] = chance
    drawn = [new for new in orders(named(sentence, 6000), "like", 6, treebank=read(others)) if new[0] == 1]
    counts = Counter(drawn)
    assert set(counts) == set(expected)
    assert sum(expected.values()) == 1
    frequencies = [float(chance * len(drawn)) for chance in expected.values()]
    assert chisquare([counts[new] for new in expected], frequencies).pvalue > 0.001
    assert max(expected.values()) > 2 * min(expected.values())


def test_siblings_alike_keep_their_order_when_drawn():
    sentence = naive.Sentence((3, 3, 0, 3, 3), ("x", "x", "root", "x", "x"), ("B", "B", "A", "B", "B"))
    others = [pair("x"), pair("x", after=False)]
    found = orders(named(sentence, 500), "like", 2, treebank=read(others))
    assert len(set(found)) == 16  # all choices of sides
    for new in found:
        for after in (False, True):
            own = [word for word, side in naive.sides(sentence.heads, new).items() if side == after]
            assert sorted(own, key=new.index) == own


def test_draws_are_of_the_seed_and_the_sentence():
    treebank, other = Treebank.read(str(SAMPLE / "rigan-dev.conllu")), str(SAMPLE / "fluvi-dev.conllu")
    first = orders(treebank, "like", 1, treebank=other)
    assert orders(treebank, "like", 1, treebank=other) == first
    assert orders(treebank, "like", 2, treebank=other) != first


def test_a_treebank_made_like_another_has_its_sides():
    """Head-final Rigan made like head-initial Medol: in the types that both have, the shares of sides are Medol's."""
    medol, rigan = (str(SAMPLE / f"{language}-train.conllu") for language in ("medol", "rigan"))
    new = permute(Treebank.read(rigan), "like", treebank=medol)
    theirs, mine = Counter(arcs_of(Treebank.read(medol))), Counter(arcs_of(new))
    compared = 0
    for kind in {kind for kind, _ in theirs if theirs[kind, True] + theirs[kind, False] >= 200}:
        share = theirs[kind, True] / (theirs[kind, True] + theirs[kind, False])
        n = mine[kind, True] + mine[kind, False]
        if n:
            compared += 1
            smoothed = min(max(share, 0.001), 0.999)
            assert binomtest(mine[kind, True], n, smoothed).pvalue > 1e-5
    assert compared >= 10


def arcs_of(treebank):
    """(type, after the head) of every arc."""
    relations, tags = treebank.deprel.decoded(), treebank.upos.decoded()
    heads = enumerate(treebank.head.tolist())
    return [((relations[row], tags[head], tags[row]), row > head) for row, head in heads if head >= 0]


# -- what is refused -----------------------------------------------------------------------------------------------


def test_what_is_refused(tmp_path):
    path = SAMPLE / "rigan-dev.conllu"
    done = permtree("permute", "--mode", "like", path, "-o", tmp_path / "out", status=2)
    assert done.lines == ["mode 'like' needs --treebank FILE: the treebank whose order is taken"]
    done = permtree("permute", "--mode", "like", "--treebank", "none", path, cwd=tmp_path, status=2)
    assert done.lines == ["none: no such file"]
    (tmp_path / "bad").write_bytes(b"1\tx\n\n")
    done = permtree("permute", "--mode", "like", "--treebank", "bad", path, "-o", "out", cwd=tmp_path, status=3)
    assert len(done.lines) == 1
    assert done.lines[0].startswith("bad:1: ")
    assert [file.name for file in tmp_path.iterdir()] == ["bad"]
    with pytest.raises(UsageError, match="none: no such file"):
        permute(Treebank.from_heads([[0]]), "like", treebank="none")


def test_a_treebank_without_arcs_has_no_habits():
    """Nothing is known: by default to the left, siblings as in the text."""
    assert deterministic([three("x", "y")], [naive.Sentence((0,), ("root",), ("A",))]) == [(2, 3, 1)]


def test_equal_chances_are_equal_however_they_are_made_up():
    """The chances of a and b are products of the same two factors, whichever of c and d each comes from."""
    others = []
    for one, other, nearer, farther in (("a", "c", 8, 20), ("a", "d", 16, 12), ("b", "c", 16, 12), ("b", "d", 8, 20)):
        others += [three(one, other, "ABB")] * nearer + [three(other, one, "ABB")] * farther
    habits = Habits(others)
    for order in permutations("abcd"):
        sentence = naive.Sentence((0, 1, 1, 1, 1), ("root", *order), tuple("ABBBB"))
        assert_most_frequent(habits, sentence, deterministic([sentence], others)[0])


def test_several_processes_give_the_same_bytes():
    files = sorted(SAMPLE.glob("*-dev.conllu"))
    command = ["permute", "--quiet", "--mode", "like", "--treebank", files[0], *files]
    new = permtree(*command).out
    assert permtree(*command, "--jobs", "2").out == new
    alone = permtree("permute", "--mode", "like", "--treebank", files[0], files[1]).out
    assert alone in new
    assert heads_of(Treebank.from_bytes(new)) != heads_of(Treebank.read(*map(str, files)))
