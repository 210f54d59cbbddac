"""`permtree verify` and `permtree.verify`: two files are a minimal pair, or the first sentence where they are not."""

from __future__ import annotations

import pytest
from commandline import permtree, sentence
from every_mode import every_kind_of_mode
from places import SAMPLE
from reordering import conllu, permuted

from permtree import DataError, Treebank, permute, verify

FLUVI = SAMPLE / "fluvi-test.conllu"
SIX = conllu(
    "# sent_id = one",
    "1 The the DET DT Definite=Def 2 det _ MISC:_",
    "2 dog dog NOUN _ _ 3 nsubj 3:nsubj MISC:_",
    "3 saw see VERB _ _ 0 root 0:root MISC:_",
    "4 a a DET _ _ 5 det _ MISC:_",
    "5 cat cat NOUN _ _ 3 obj 3:obj MISC:SpaceAfter=No",
    "6 . . PUNCT _ _ 3 punct _ MISC:_",
    "",
    "# sent_id = two",
    "1 It it PRON _ _ 2 nsubj _ MISC:_",
    "2 ran run VERB _ _ 0 root _ MISC:_",
    "",
)
ORIGINAL = Treebank.from_bytes(SIX, "original")


def against_original(data: bytes):
    return verify(ORIGINAL, Treebank.from_bytes(data, "other"))


@every_kind_of_mode
def test_every_mode_gives_a_minimal_pair(mode, options):
    treebank = Treebank.read(str(SAMPLE / "medol-test.conllu"))
    other = permute(treebank, mode, **options)
    for verdict in (verify(treebank, other), verify(other, treebank)):
        assert verdict.is_pair, verdict.failure
        assert verdict.sentences == treebank.n_sentences
        assert verdict.method == "permutations undone, token lines equal"


def test_two_permutations_of_one_treebank_are_a_pair():
    treebank = Treebank.read(str(FLUVI))
    left, right = permute(treebank, "lb"), permute(treebank, "random", seed=5)
    twice = permute(left, "optdl")
    for pair in ((left, right), (twice, right), (twice, treebank), (left, twice)):
        assert verify(*pair).is_pair, verify(*pair).failure


def test_how_many_stand_in_another_order():
    assert verify(ORIGINAL, ORIGINAL).reordered == 0
    assert verify(ORIGINAL, permute(ORIGINAL, "reverse")).reordered == 2
    assert verify(ORIGINAL, permute(ORIGINAL, "lb")).reordered == 1


EDITS = {
    "form": (b"\tdog\tdog\t", b"\tfox\tdog\t", "FORM of word 2 "),
    "lemma": (b"\tcat\tcat\t", b"\tcat\tcats\t", "LEMMA of word 5 "),
    "UPOS": (b"VERB\t_\t_\t0", b"AUX\t_\t_\t0", "UPOS of word 3 "),
    "XPOS": (b"\tDT\t", b"\tDD\t", "XPOS of word 1 "),
    "FEATS": (b"Definite=Def", b"Definite=Ind", "FEATS of word 1 "),
    "DEPREL": (b"\tobj\t", b"\tiobj\t", "DEPREL of word 5 "),
    "DEPS": (b":nsubj\t", b":csubj\t", "DEPS of word 2 "),
}


@pytest.mark.parametrize(("old", "new", "what"), EDITS.values(), ids=EDITS.keys())
def test_an_edit_of_a_permuted_file_is_named(old, new, what):
    data = permute(ORIGINAL, "reverse").to_bytes()
    assert data.count(old) == 1 or old == b"VERB\t_\t_\t0"
    verdict = against_original(data.replace(old, new, 1) if what != "UPOS of word 3 " else data.replace(old, new))
    assert not verdict.is_pair
    assert verdict.failure.startswith("original:1: sentence one: " + what)


def test_another_head_is_named():
    data = permute(ORIGINAL, "reverse").to_bytes()
    verdict = against_original(data.replace(b"2\ta\ta\tDET\t_\t_\t", b"2\ta\ta\tDET\t_\t_\t", 1))
    assert verdict.is_pair
    (line,) = [line for line in data.split(b"\n") if b"\ta\ta\tDET" in line]
    columns = line.split(b"\t")
    columns[6] = b"4"
    verdict = against_original(data.replace(line, b"\t".join(columns)))
    assert verdict.failure.startswith("original:1: sentence one: HEAD of word 4 (original ids) differs: 5 and ")


def test_the_first_sentence_that_differs_is_named():
    verdict = against_original(permute(ORIGINAL, "lb").to_bytes().replace(b"\tran\t", b"\tfled\t"))
    assert verdict.failure.startswith("original:9: sentence two: FORM of word 2 (original ids) differs: ran and fled")


def by_hand(*order: int, **changes: str) -> bytes:
    """A sentence in an order of its words, as another tool would write it."""
    heads = {1: 2, 2: 0, 3: 2, 4: 3}
    place = {word: number for number, word in enumerate(order, 1)} | {0: 0}
    lines = [f"{place[w]} {changes.get(f'form{w}', f'w{w}')} _ X _ _ {place[heads[w]]} dep" for w in order]
    return conllu("# sent_id = a", *lines, "")


def test_other_tools_permutations_are_compared_as_unordered_trees():
    first = Treebank.from_bytes(by_hand(1, 2, 3, 4))
    for order in ((4, 3, 2, 1), (3, 1, 4, 2), (1, 2, 3, 4)):
        verdict = verify(first, Treebank.from_bytes(by_hand(*order)))
        assert verdict.is_pair
        assert verdict.method.startswith("unordered trees")
        assert verdict.reordered == (order != (1, 2, 3, 4))
    assert not verify(first, Treebank.from_bytes(by_hand(4, 3, 2, 1, form3="other"))).is_pair


def test_another_tree_over_the_same_words_is_no_pair():
    first, second = sentence("a", 2, 0, 2), sentence("a", 2, 0, 1)
    verdict = verify(Treebank.from_bytes(first, "first"), Treebank.from_bytes(second, "second"))
    assert verdict.failure == "first:1: sentence a: other words or another tree in second"


@pytest.mark.parametrize("heads", ["1 2", "2 1", "_ _"], ids=["to themselves", "in a circle", "not annotated"])
def test_what_is_no_tree_can_not_be_compared(heads):
    one, two = heads.split()
    first = conllu("# sent_id = a", f"1 x _ X _ _ {one} dep", f"2 y _ X _ _ {two} dep", "")
    with pytest.raises(DataError):
        verify(Treebank.from_bytes(first), Treebank.from_bytes(first.replace(b"y", b"z")))


def test_a_missing_or_an_additional_sentence():
    one = SIX[: SIX.index(b"# sent_id = two")]
    assert against_original(one).failure == "original:9: sentence two: not in other, which ends before it"
    three = SIX + sentence("three", 0)
    assert against_original(three).failure == "other:13: sentence three: not in original, which ends before it"
    two = SIX[SIX.index(b"# sent_id = two") :]
    assert against_original(two + one).failure == "original:1: sentence one: in its place other has two"


def test_words_that_a_policy_removed_make_no_pair():
    verdict = verify(ORIGINAL, permuted(SIX, "lb", punct="strip"))
    assert not verdict.is_pair
    assert verify(permuted(SIX, "original", punct="strip"), permuted(SIX, "lb", punct="strip")).is_pair


def test_on_the_command_line(tmp_path):
    permtree("permute", "--quiet", "--mode", "rb", FLUVI, "-o", tmp_path / "rb")
    done = permtree("verify", FLUVI, tmp_path / "rb")
    assert done.out.startswith(b"minimal pair: 100 sentences with the same words and trees, ")
    edited = (tmp_path / "rb").read_bytes().replace(b"\tNOUN\t", b"\tVERB\t", 1)
    done = permtree("verify", FLUVI, "-", stdin=edited, status=1)
    assert done.out.startswith(f"not a minimal pair: {FLUVI}:1: sentence fluvi-test-0001: UPOS of word ".encode())
    assert done.err == ""
