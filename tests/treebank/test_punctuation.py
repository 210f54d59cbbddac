"""Which words are punctuation: tags, several at once, sets of them; and a warning where none is found."""

from __future__ import annotations

import json

import pytest
from commandline import measured, permtree

from permtree import Policies, Treebank, UsageError, evaluate, permute
from permtree.evaluation.arcs import arcs_of
from permtree.treebank.policies import select
from permtree.treebank.punctuation import SETS, chosen_tags, is_punct, spelled, tags_of, unmarked, unspelled

SIGNS = ["``", "''", ",", ".", ":", "-LRB-", "-RRB-", "$(", "$,", "PU", "%", "a|b", "("]


def tagged(*tags: str, column: str = "upos", head: int = 2) -> bytes:
    """`zub mora` and after it words with these tags, in UPOS or XPOS, all of them hanging on `head`."""
    lines = ["1\tzub\t_\tN\tN\t_\t2\tnsubj\t_\t_", "2\tmora\t_\tV\tV\t_\t0\troot\t_\t_"]
    if column == "xpos":
        lines = [line.replace("\tN\tN\t", "\t_\tN\t").replace("\tV\tV\t", "\t_\tV\t") for line in lines]
    for number, tag in enumerate(tags, 3):
        upos, xpos = (tag, "_") if column == "upos" else ("_", tag)
        lines.append(f"{number}\t;\t_\t{upos}\t{xpos}\t_\t{head}\tpunct\t_\t_")
    return "\n".join(["# sent_id = a", *lines, "", ""]).encode()


def n_punct(data: bytes, choice: str | list[str]) -> int:
    return int(is_punct(Treebank.from_bytes(data), chosen_tags(choice)).sum())


@pytest.mark.parametrize(
    ("choice", "tags", "count"),
    [
        ("PUNCT", ["PUNCT", "SYM"], 1),
        ("ud", ["PUNCT", "SYM"], 1),
        ("ptb", ["``", "''", ",", ".", ":", "-LRB-", "-RRB-", "(", ")", "PUNCT", "$"], 9),
        ("collins", ["``", "''", ",", ".", ":", "-LRB-", "-RRB-"], 5),
        ("tiger", ["$,", "$.", "$(", ",", "$"], 3),
        ("ctb", ["PU", "PN"], 1),
        (", $(", [",", "$(", "."], 2),
        ([",", "tiger"], [",", "$(", "."], 2),
        ("ud ctb", ["PU", "PUNCT", "."], 2),
    ],
)
def test_tags_and_sets(choice, tags, count):
    assert n_punct(tagged(*tags), choice) == count
    assert n_punct(tagged(*tags, column="xpos"), choice) == count


def test_xpos_counts_only_where_there_is_no_upos():
    data = tagged(",", ".", column="xpos").replace(b"\t_\t.\t", b"\tX\t.\t")
    assert n_punct(data, "ptb") == 1


@pytest.mark.parametrize("choice", ["ptb", ", .", "$( a|b %", "tiger ``", "x%2Cy"])
def test_signatures_are_read_back(choice):
    made = spelled(choice)
    assert not set(made) & set("()| ")
    assert unspelled(made) == choice
    assert Policies(punct="strip", punct_tag=choice).signature_parts()["punct"] == f"strip({made})"


def test_the_default_is_not_spelled():
    assert spelled("PUNCT") == spelled("ud") == ""
    assert unspelled("") == "PUNCT"
    assert Policies(punct="keep", punct_tag="ptb").signature_parts() == Policies().signature_parts()


@pytest.mark.parametrize("choice", ["", " ", [], "a\x1bb"])
def test_no_tag(choice):
    with pytest.raises(UsageError, match="--punct-tag: a tag, or a set of tags"):
        Policies(punct_tag=choice)


def test_policies_of_several_tags():
    treebank = Treebank.from_bytes(tagged(*SIGNS))
    for choice in ("ptb tiger PU % a|b", SIGNS):
        stripped = permute(treebank, "original", punct="strip", punct_tag=choice)
        assert stripped.n_words == 2
        assert select(treebank, Policies(punct="final", punct_tag=choice)).final.sum() == len(SIGNS)


def test_pairs_tell_how_the_other_side_is_made_with_tags_that_need_quotes(tmp_path):
    (tmp_path / "a").write_bytes(tagged(",", "$("))
    permtree(
        "permute", "--mode=reverse", "--punct=strip", "--punct-tag=,", "--punct-tag=$(", "a", "-o", "b", cwd=tmp_path
    )
    done = permtree("pairs", "a", "a", "b", "b", "-o", "x", cwd=tmp_path, status=3)
    assert "--punct strip --punct-tag , --punct-tag '$('" in done.err


# -- none found ----------------------------------------------------------------------------------------------------

PTB, WARNED = tagged("``", ",", "."), "no word has the tag PUNCT, but 3 look like punctuation; add --punct-tag ptb"


@pytest.mark.parametrize("column", ["upos", "xpos"])
@pytest.mark.parametrize(
    ("command", "what"),
    [
        (("measure", "--profile=futrell-2015", "x"), "--punct strip"),
        (("measure", "--punct=exclude", "x"), "--punct exclude"),
        (("permute", "--mode=reverse", "--punct=strip", "x"), "--punct strip"),
        (("evaluate", "--convention=no-punct", "x", "x"), "--convention no-punct"),
        (("evaluate", "--convention=no-punct", "--against=x", "x", "x"), "--convention no-punct"),
        (("pairs", "--convention=no-punct", "x", "x", "x", "x", "-o", "pairs"), "--convention no-punct"),
    ],
    ids=lambda value: value if isinstance(value, str) else " ".join(value[:2]),
)
def test_punctuation_that_no_tag_shows_is_told(tmp_path, command, what, column):
    (tmp_path / "x").write_bytes(tagged("``", ",", ".", column=column))
    done = permtree(*command, "-q", cwd=tmp_path)
    assert done.lines == [f"warning: {what} finds no punctuation: {WARNED}"]
    named = permtree(*command, "-q", "--punct-tag=ptb", cwd=tmp_path)
    assert named.err == ""
    (tmp_path / "x").write_bytes(tagged("PUNCT"))
    assert permtree(*command, "-q", cwd=tmp_path).err == ""


def test_no_warning_without_punctuation():
    data = b"1\tx\t_\tN\t_\t_\t0\troot\t_\t_\n2\t_\t_\tN\t_\t_\t1\tobj\t_\t_\n\n"
    assert unmarked(Treebank.from_bytes(data)) == {}
    assert permtree("measure", "--punct=strip", "-q", stdin=data).err == ""


def test_a_set_is_named_by_what_it_finds():
    assert unmarked(Treebank.from_bytes(tagged("$(", "$,", "."))) == {
        "": 3, "ptb": 1, "collins": 1, "petrov": 1, "tiger": 2,
    }  # fmt: skip
    untagged = arcs_of(*[Treebank.from_bytes(tagged("_", "X"))] * 2, "no-punct").unfound
    assert untagged.endswith(
        f"2 look like punctuation; add --punct-tag with their tags, or a set of tags ({', '.join(SETS)})"
    )


def test_punctuation_in_one_piece_is_enough():
    """A file is measured in pieces; the warning is about all of it."""
    with_one = tagged("PUNCT") + b"".join(tagged("X").replace(b"= a", b"= b%d" % i) for i in range(3))
    assert permtree("measure", "--punct=strip", "-q", stdin=with_one).err == ""


def test_evaluate_with_a_set():
    gold, pred = Treebank.from_bytes(PTB), Treebank.from_bytes(tagged("``", ",", ".", head=1))
    assert evaluate(gold, pred, "no-punct").values["uas"].value == 40
    found = evaluate(gold, pred, "no-punct", punct_tag=["ptb"])
    assert (found.values["uas"].value, found.removed) == (100, {"punctuation": 3})
    assert found.values["uas"].signature.startswith("uas|convention:no-punct(ptb)|sents:1|")


def test_every_set_is_of_tags():
    for name, tags in SETS.items():
        assert tags_of(name) == tags
        assert name not in tags


def test_measures_say_their_tags():
    signature = measured("--punct=strip", "--punct-tag=,", "--punct-tag=tiger", stdin=PTB)["measures"]["dlm_ratio"]
    assert "|punct:strip(%2C,tiger)|" in json.dumps(signature)
