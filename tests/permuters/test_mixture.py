"""A dial between the text and another order."""

import definitions as naive
import pytest
from commandline import permtree
from hypothesis import given, settings
from hypothesis import strategies as st
from orders import order, orders
from places import SAMPLE
from scipy.stats import binomtest
from strategies import batches, copies, forest

from permtree import Report, Treebank, UsageError, measure, permute
from permtree.permuting import Permutation
from permtree.treebank import heads_of

ARRANGED = "heads arranged as in the other mode"
MEDOL = SAMPLE / "medol-dev.conllu"
OTHERS = [
    "optdl",
    "optdl:ties=original",
    "optdl:ties=random",
    "optdl:ties=min-entropy",
    "optdl:ties=max-entropy",
    "rb",
    "lb:siblings=original",
    "lb:siblings=longest-nearest",
    "maxdl",
    "projectivize",
    "majority",
    "fong-berwick",
    "random-projective",
    "random-same-side",
    "reverse-complements:complements=obj",
]


def mode_and_options(written):
    name, _, options = written.partition(":")
    return name, dict(pair.split("=") for pair in options.split(",") if pair)


def as_in_the_text(heads):
    """Each head and its dependents in the order that they have in the text, subtrees together."""
    return naive.linearize(heads, [word - head for word, head in enumerate(heads, 1)])


def arrangement(heads, new, head):
    """A head and its dependents in their order."""
    return sorted([head, *naive.dependents(heads, head)], key=new.index)


# -- the ends of the dial ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("of", OTHERS)
def test_at_0_every_head_is_arranged_as_in_the_text(of):
    sentences = naive.forests_up_to(5)
    found = orders(Treebank.from_heads(sentences), "mixture", 5, of=of, p=0)
    assert found == [as_in_the_text(heads) for heads in sentences]
    projective = [heads for heads in sentences if not naive.nonprojective_words(heads)]
    found = orders(Treebank.from_heads(projective), "mixture", 5, of=of, p=0)
    assert found == [naive.original(heads) for heads in projective]


@pytest.mark.parametrize("of", OTHERS)
def test_at_1_it_is_the_other_mode(of):
    treebank = Treebank.from_heads(naive.forests_up_to(5))
    mode, options = mode_and_options(of)
    assert orders(treebank, "mixture", 5, of=of, p=1) == orders(treebank, mode, 5, **options)


@pytest.mark.parametrize("of", OTHERS)
@settings(max_examples=3)
@given(sentences=batches(), seed=st.integers(0, 9))
def test_the_ends_of_the_dial_on_random_forests(of, sentences, seed):
    treebank = Treebank.from_heads(sentences)
    mode, options = mode_and_options(of)
    assert orders(treebank, "mixture", seed, of=of, p=1) == orders(treebank, mode, seed, **options)
    assert orders(treebank, "mixture", seed, of=of, p=0) == [as_in_the_text(heads) for heads in sentences]


@pytest.mark.parametrize("of", ["reverse", "planar", "random", "original"])
@given(sentences=batches())
def test_orders_that_are_no_placements_give_each_head_their_arrangement(of, sentences):
    treebank = Treebank.from_heads(sentences)
    mixed, other = orders(treebank, "mixture", 2, of=of, p=1), orders(treebank, of, 2)
    for heads, new, theirs in zip(sentences, mixed, other, strict=True):
        for head in naive.words_of(heads):
            assert arrangement(heads, new, head) == arrangement(heads, theirs, head)
        assert naive.is_projective(heads, new)


def test_the_file_of_a_fixed_permutation(tmp_path):
    (tmp_path / "sigma").write_text("3 2 1")
    treebank = Treebank.from_heads([[2, 0, 2], [0, 1]])
    assert orders(treebank, "mixture", of=f"fixed:sigma={tmp_path / 'sigma'}", p=1) == [(3, 2, 1), (1, 2)]


# -- between the ends ----------------------------------------------------------------------------------------------


def changed_heads(heads, new):
    """The heads that are not arranged as in the text."""
    text = naive.original(heads)
    return {h for h in naive.words_of(heads) if arrangement(heads, new, h) != arrangement(heads, text, h)}


@given(heads=forest(), seed=st.integers(0, 9))
def test_each_head_is_arranged_one_way_or_the_other(heads, seed):
    new, other = order(heads, "mixture", seed, of="lb", p=0.5), order(heads, "lb")
    for head in naive.words_of(heads):
        theirs, text = (arrangement(heads, known, head) for known in (other, naive.original(heads)))
        assert arrangement(heads, new, head) in (theirs, text)


@given(heads=forest(), seed=st.integers(0, 9), of=st.sampled_from(["optdl", "rb", "maxdl", "optdl:ties=random"]))
def test_a_larger_p_changes_more_heads_and_leaves_none_of_the_changed_ones(heads, seed, of):
    before = set()
    for p in (0, 0.1, 0.3, 0.5, 0.8, 1):
        changed = changed_heads(heads, order(heads, "mixture", seed, of=of, p=p))
        assert before <= changed
        before = changed


@pytest.mark.parametrize("p", [0.1, 0.25, 0.5, 0.9])
def test_the_share_of_heads_is_p(p):
    """Two heads a sentence, each with a dependent that the other mode moves."""
    heads = (2, 0, 2, 3)
    report = Report()
    new = permute(copies(heads, 2000), "mixture", seed=1, of="lb", p=p, report=report)
    assert binomtest(report.counts[ARRANGED], 2 * 2000, p).pvalue > 0.001
    changed = [changed_heads(heads, found) for found in orders(copies(heads, 2000), "mixture", 1, of="lb", p=p)]
    assert sum(map(len, changed)) == report.counts[ARRANGED]
    assert new.n_sentences == 2000


def test_coins_of_heads_in_one_sentence_are_independent():
    heads = (2, 0, 2, 3)
    changed = [changed_heads(heads, new) for new in orders(copies(heads, 2000), "mixture", 1, of="lb", p=0.5)]
    both = sum(len(heads) == 2 for heads in changed)
    assert binomtest(both, 2000, 0.25).pvalue > 0.001


def test_the_coin_is_not_one_that_the_other_mode_tosses():
    """Half of the heads as in the text, and a sixth of the others by chance; with one coin for both it would be more,
    since a small number makes a head both change and stand first."""
    heads = (0, 1, 1)
    new = orders(copies(heads, 3000), "mixture", 3, of="random-projective", p=0.5)
    same = new.count(naive.original(heads))
    assert binomtest(same, 3000, 0.5 + 0.5 / 6).pvalue > 0.001


def test_a_dose_and_its_response():
    """The nearer to the shortest order, the shorter the sample."""
    treebank = Treebank.read(str(MEDOL))
    ratios = []
    for p in (0, 0.25, 0.5, 0.75, 1):
        new = permute(treebank, "mixture", of="optdl:ties=original", p=p)
        ratios.append(measure(new, "dlm_ratio")["dlm_ratio"].value)
    assert ratios == sorted(ratios, reverse=True)
    assert len(set(ratios)) == 5


def test_a_mixture_by_the_command_line():
    command = ["permute", "--mode", "mixture", "--of", "optdl:ties=original", "--p", "0.25", "--seed", "3", MEDOL]
    done = permtree(*command)
    report = Report()
    new = permute(Treebank.read(str(MEDOL)), "mixture", of="optdl:ties=original", p=0.25, seed=3, report=report)
    assert done.out == new.to_bytes()
    assert b"# permtree = mixture|of:optdl:ties=original|p:0.25|seed:3|" in done.out
    assert f"{ARRANGED}: {report.counts[ARRANGED]}" in done.lines


def test_half_is_the_default():
    treebank = Treebank.read(str(MEDOL))
    assert orders(treebank, "mixture", of="rb") == orders(treebank, "mixture", of="rb", p="0.5")
    assert orders(treebank, "mixture", of="rb") != orders(treebank, "mixture", of="rb", p=0.6)


# -- other modes that learn ----------------------------------------------------------------------------------------


def test_what_the_other_mode_learns_is_in_the_report_and_the_signature():
    report = Report()
    new = permute(Treebank.read(str(MEDOL)), "mixture", of="majority", p=0.5, report=report)
    assert "learnt" in report.facts
    assert f"learnt:{report.facts['learnt']}".encode() in new.to_bytes()


@pytest.mark.parametrize("of", ["like:treebank", "majority:learn-from"])
def test_the_other_mode_learns_from_the_treebank_that_its_options_name(of):
    """Here all words stand before their heads, there all after: at p = 1 the sides are those of there."""
    here, there = Treebank.from_heads([[2, 3, 0]] * 3), SAMPLE / "rigan-dev.conllu"
    mode, option = of.split(":")
    alone = orders(here, mode, **{option: str(there)})
    assert orders(here, "mixture", of=f"{of}={there}", p=1) == alone
    signature = Permutation("mixture", config={"of": f"{of}={there}"}).learnt(here).signature()
    facts = Permutation(mode, config={option: str(there)}).learnt(here).rule.facts
    assert signature["learnt"] == dict(facts)["learnt"]


@pytest.mark.long
def test_matched_orders_can_be_mixed_in():
    report = Report()
    treebank = Treebank.read(str(MEDOL))
    new = permute(treebank, "mixture", of="match:dlm=1.0,entropy=0.4", p=1, report=report)
    alone = permute(treebank, "match", dlm=1.0, entropy=0.4)
    assert heads_of(new) == heads_of(alone)
    assert "reached" in report.facts


@pytest.mark.parametrize("no", ["false", "False", "no", "0"])
def test_an_option_that_is_yes_or_no_can_be_written_as_no(no):
    """Siblings and sides are drawn, as without the option."""
    treebank, like = Treebank.read(str(MEDOL)), f"like:treebank={SAMPLE / 'rigan-dev.conllu'}"
    drawn = orders(treebank, "mixture", of=like, p=1)
    assert orders(treebank, "mixture", of=f"{like},deterministic={no}", p=1) == drawn


# -- what is refused -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({}, "mode 'mixture' needs --of MODE"),
        ({"of": "optld"}, "no mode named 'optld'; did you mean 'optdl'?"),
        ({"of": ""}, "no mode named ''"),
        ({"of": "optdl:ties"}, "MODE:OPTION=VALUE"),
        ({"of": "optdl:ties=orignal"}, "did you mean 'original'?"),
        ({"of": "optdl:tie=original"}, "mode 'optdl' has no option 'tie'; did you mean 'ties'?"),
        ({"of": "maxdl:ties=original"}, "mode 'maxdl' has no option 'ties'"),
        ({"of": "mixture"}, "mode 'mixture' needs --of MODE"),
        ({"of": "match"}, "mode 'match' needs --dlm X and --entropy Y"),
        ({"of": "like"}, "mode 'like' needs --treebank FILE"),
        ({"of": "fixed"}, "mode 'fixed' needs --sigma FILE"),
        ({"of": "grammar:weights=nowhere.toml"}, "nowhere.toml: No such file"),
        ({"of": "rb", "p": "-0.1"}, "--p: a probability from 0 to 1, not -0.1"),
        ({"of": "rb", "p": "1.01"}, "--p: a probability from 0 to 1, not 1.01"),
        ({"of": "rb", "p": "nan"}, "--p: a probability from 0 to 1, not nan"),
        ({"of": "rb", "p": "half"}, "--p: a probability from 0 to 1, not half"),
    ],
)
def test_what_is_refused(options, message):
    with pytest.raises(UsageError) as refused:
        permute(Treebank.from_heads([[0, 1]]), "mixture", **options)
    assert message in str(refused.value)
    assert "\n" not in str(refused.value)


def test_refusals_by_the_command_line(tmp_path):
    for arguments in (["--p", "0.5"], ["--of", "optld"], ["--of", "rb", "--p", "2"], ["--of", "mixture"]):
        done = permtree("permute", "--mode", "mixture", *arguments, MEDOL, "-o", tmp_path / "out", status=2)
        assert len(done.lines) == 1
        assert list(tmp_path.iterdir()) == []


def test_a_mixture_of_a_mixture_is_refused():
    """One coin a head would be tossed for both, so that the smaller p decided."""
    with pytest.raises(UsageError, match="product of the two p"):
        orders(Treebank.read(str(MEDOL)), "mixture", of="mixture:of=rb,p=0.3", p=0.8)
