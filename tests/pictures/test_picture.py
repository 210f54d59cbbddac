"""What a picture shows: which words of two versions are the same, what is no tree, and the way from Python."""

from __future__ import annotations

from xml.etree import ElementTree

import numpy as np
import pytest
from drawn import SVG, body, marked_pair, pictures, tree_picture
from hypothesis import given
from places import SAMPLE
from reordering import conllu, permuted, word
from strategies import forest, generators, random_heads

from permtree.conllu.text import MISC
from permtree.errors import DataError, UsageError
from permtree.pictures.drawing import draw_text
from permtree.pictures.picture import picture
from permtree.pictures.showing import show
from permtree.pictures.svg import draw_svg
from permtree.treebank import Treebank, heads_of


@pytest.fixture(scope="module")
def sample_pair() -> tuple[Treebank, Treebank]:
    data = (SAMPLE / "fluvi-test.conllu").read_bytes()
    return Treebank.from_bytes(data), permuted(data, "optdl")


def original_ids(treebank: Treebank, number: int) -> list[int]:
    """The first `Orig=` of each word of a sentence (from 1)."""
    rows = range(*treebank.sentence_start[number - 1 : number + 1].tolist())
    misc = treebank.column(MISC).decoded()
    return [int(misc[row].partition("Orig=")[2].partition("|")[0]) for row in rows]


def test_words_are_joined_by_their_ids_in_the_original(sample_pair):
    original, shortest = sample_pair
    for number in range(1, 21):
        shown = picture(original, number, shortest)
        expected = dict(zip(original_ids(shortest, number), range(1, len(shown.second.words) + 1), strict=True))
        assert {join.first: join.second for join in shown.joins} == expected
        assert {join.first: join.second for join in picture(shortest, number, original).joins} == {
            new: old for old, new in expected.items()
        }
        assert all(join.mark == "" for join in shown.joins)
        kept = [join.second for join in shown.joins if not join.out_of_order]
        assert kept == sorted(kept)
        assert sum(join.moved for join in shown.joins) == 0


def test_two_permutations_of_one_original_are_joined(sample_pair):
    original, shortest = sample_pair
    other = permuted(original.to_bytes(), "random", seed=3)
    twice = permuted(shortest.to_bytes(), "random", seed=4)
    for number in range(1, 11):
        old, new, oldest = (original_ids(side, number) for side in (other, shortest, twice))
        assert all(old[join.first - 1] == new[join.second - 1] for join in picture(other, number, shortest).joins)
        forms = [picture(side, number).first.words for side in (shortest, twice)]
        joins = picture(shortest, number, twice).joins
        assert len(joins) == len(forms[0])
        assert all(forms[0][join.first - 1].form == forms[1][join.second - 1].form for join in joins)
        undone = picture(twice, number, original).joins
        assert all(oldest[join.first - 1] == join.second for join in undone)


def test_lines_and_columns_of_joined_words(sample_pair):
    shown = picture(sample_pair[0], 1, sample_pair[1])
    root = ElementTree.fromstring(draw_svg(shown))
    lines = [line for line in root.iter(f"{SVG}line")]
    assert {(int(line.get("data-first")), int(line.get("data-second"))) for line in lines} == {
        (join.first, join.second) for join in shown.joins
    }
    sides = root.findall(f"{SVG}g[@class='sentence']")
    centres = [[text.get("x") for text in side.findall(f"{SVG}text[@class='word']")] for side in sides]
    for line in lines:
        assert line.get("x1") == centres[0][int(line.get("data-first")) - 1]
        assert line.get("x2") == centres[1][int(line.get("data-second")) - 1]
    emphasised = {int(line.get("data-first")) for line in lines if line.get("stroke-width") == "1.8"}
    assert emphasised == {join.first for join in shown.joins if join.out_of_order}
    table = body(draw_text(shown, layout="vertical"))
    rows = [line.split("►")[1].split() for line in table if "►" in line][len(shown.first.words) :]
    was = {int(row[0]): (int(row[5]), int(row[6]) if len(row) > 6 else 0) for row in rows}
    assert was == {join.second: (join.first, join.moved) for join in shown.joins}


def test_words_that_are_gone():
    data = conllu("1 a _ X _ _ 2 d", "2 , _ PUNCT _ _ 4 punct", "3 c _ X _ _ 4 d", "4 d _ X _ _ 0 root")
    shown = picture(Treebank.from_bytes(data), 1, permuted(data, "original", punct="strip"))
    assert [join.ids for join in shown.joins] == [(1, 1), (3, 2), (4, 3)]
    assert [(join.moved, join.mark) for join in shown.joins] == [(0, "")] * 3  # a now hangs where its head hung


def test_words_moved_past_each_other():
    data = conllu("1 a _ X _ _ 0 root", *(f"{number} w{number} _ X _ _ 1 dep" for number in range(2, 7)))
    moved = data.splitlines(keepends=True)
    order = [0, 2, 3, 4, 5, 1]  # the second word goes last
    parts = [moved[old].split(b"\t", 1)[1] for old in order]
    renumbered = b"".join(b"%d\t%s" % (new, part) for new, part in enumerate(parts, 1))
    renumbered = b"".join(
        line.replace(b"\t_\n", b"\tOrig=%d\n" % (old + 1))
        for line, old in zip(renumbered.splitlines(keepends=True), order, strict=True)
    )
    shown = pictures(data, renumbered)
    assert [join.out_of_order for join in shown.joins] == [False, True, False, False, False, False]
    assert [join.moved for join in shown.joins] == [0, 4, -1, -1, -1, -1]


def test_another_head_is_marked():
    shown = marked_pair([2, 0, 2, 3], [2, 0, 4, 2])
    assert [join.mark for join in shown.joins] == ["", "", "✗", "✗"]
    assert draw_text(shown, layout="vertical").count("✗") == 5  # two in each table, one in the summary
    assert draw_text(shown, layout="horizontal").count("✗") == 5
    root = ElementTree.fromstring(draw_svg(shown))
    dashed = [group for group in root.iter(f"{SVG}g") if any(path.get("stroke-dasharray") for path in group)]
    assert [group.get("data-dependent") for group in dashed] == ["3", "4", "3", "4"]
    assert all(group.findtext(f"{SVG}text", "").startswith("✗ ") for group in dashed)


def test_another_relation_is_marked():
    shown = pictures(
        conllu("1 a _ X _ _ 0 root", "2 b _ X _ _ 1 obj"), conllu("1 a _ X _ _ 0 root", "2 b _ X _ _ 1 iobj")
    )
    assert [join.mark for join in shown.joins] == ["", "≠"]
    assert "1 with only another relation (≠)" in draw_text(shown)


@given(forest(), generators())
def test_words_in_the_same_order_stand_below_each_other(heads, rng):
    root = ElementTree.fromstring(draw_svg(marked_pair(heads, random_heads(rng, len(heads)))))
    assert all(abs(int(line.get("x1")) - int(line.get("x2"))) <= 10 for line in root.iter(f"{SVG}line"))


def test_heads_on_the_other_side():
    data = conllu("1 a _ X _ _ 2 d", "2 b _ X _ _ 0 root", "3 c _ X _ _ 2 d")
    shown = picture(Treebank.from_bytes(data), 1, permuted(data, "rb"))
    assert [join.changed_side for join in shown.joins] == [True, False, False]
    assert "1 with the head on the other side" in shown.summary


@pytest.mark.parametrize(
    ("first", "second", "why"),
    [
        (["1 a _ X _ _ 0 root"], ["1 b _ X _ _ 0 root"], "word 1 is 'a' and its partner, word 1, is 'b'"),
        (
            ["1 a _ X _ _ 0 root"],
            ["1 a _ X _ _ 0 root", "2 b _ X _ _ 1 dep"],
            "1 and 2 words, and no Orig= in MISC says which are the same",
        ),
        ([word(1, "a", 0)], [word(1, "a", 0, misc="Orig=7")], "no word of one is in the other"),
        (
            [word(1, "a", 0), word(2, "a", 1)],
            [word(1, "a", 0, misc="Orig=1"), word(2, "a", 1, misc="x=y|Orig=1")],
            "two words of <bytes> sentence 1 have Orig=1",
        ),
    ],
)
def test_what_cannot_be_joined(first, second, why):
    with pytest.raises(UsageError) as raised:
        pictures(conllu(*first), conllu(*second))
    assert f"can't be joined: {why}; is it the same sentence?" in str(raised.value)


# -- what is no tree --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("heads", [[2, 1, 0], [1, 0], [2, 3, 1], [2, 3, 2, 1], [0, 0, 3]])
@pytest.mark.parametrize("layout", ["horizontal", "vertical"])
def test_heads_that_are_no_tree_are_drawn(heads, layout):
    shown = tree_picture(heads)
    assert shown.first.finding is not None
    text = draw_text(shown, layout=layout)
    assert "not a tree" in text
    assert text.count("▼" if layout == "horizontal" else "►") == len(heads)
    assert len(ElementTree.fromstring(draw_svg(shown)).findall(f".//{SVG}g[@class='arc']")) == len(heads)


def test_words_without_heads():
    with pytest.raises(DataError, match="no HEAD: no tree is annotated"):
        pictures(conllu("1 a", "2 b"))
    text = draw_text(pictures(conllu("1 a _ X _ _ 0 root", "2 b")))
    assert text.count("▼") == 1


# -- show --------------------------------------------------------------------------------------------------------------


def test_show(sample_pair, tmp_path):
    shown = show(sample_pair[0], "fluvi-test-0001", sample_pair[1])
    assert str(shown) + "\n" in (shown.text(width=100), shown.text(width=80))  # of a terminal, if there is one
    assert shown._repr_svg_() == shown.svg() == draw_svg(shown.picture)
    shown.write(tmp_path / "a.svg")
    assert (tmp_path / "a.svg").read_text(encoding="utf-8") == shown.svg()
    assert heads_of(sample_pair[0])[0] == [word.head for word in shown.picture.first.words]


def test_a_number_means_the_place_in_what_was_read(sample_pair):
    original = sample_pair[0]
    assert show(original, 3).picture.first.sent_id == "fluvi-test-0003"
    later = original.select_sentences(np.arange(original.n_sentences) > 1)
    assert show(later, 3).picture.first.sent_id == "fluvi-test-0003"
    with pytest.raises(UsageError, match="no sentence '1'; did you mean|no sentence '1'; "):
        show(later, 1)
