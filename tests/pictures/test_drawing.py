"""Drawings hold what the tree holds: heads are read back from the lines of the text."""

from __future__ import annotations

import re
from itertools import combinations
from xml.etree import ElementTree

import pytest
from drawn import body, pictures, tree_picture
from hypothesis import given
from hypothesis import strategies as st
from reordering import conllu, permuted
from strategies import forest, generators
from wcwidth import wcswidth

from permtree.errors import UsageError
from permtree.pictures.drawing import draw_text
from permtree.pictures.grid import columns, legible, straight_lines
from permtree.pictures.layout import arc_bars, head_bars
from permtree.pictures.picture import picture
from permtree.pictures.svg import draw_svg
from permtree.treebank import Treebank

# -- levels ------------------------------------------------------------------------------------------------------------


@given(forest())
def test_no_two_arcs_of_one_level_share_a_place(heads):
    bars = arc_bars(tree_picture(heads).first)
    assert sorted((bar.dependents[0] + 1, bar.head + 1) for bar in bars) == [
        (number, head) for number, head in enumerate(heads, 1) if head
    ]
    for one, two in combinations(bars, 2):
        if one.level == two.level:
            assert max(one.places) < min(two.places) or max(two.places) < min(one.places)


@given(forest())
def test_no_two_bars_of_one_level_share_a_word(heads):
    bars = head_bars(tree_picture(heads).first)
    assert sorted((word + 1, bar.head + 1) for bar in bars for word in bar.dependents) == [
        (number, head) for number, head in enumerate(heads, 1) if head
    ]
    spans = [(min(bar.head, *bar.dependents), max(bar.head, *bar.dependents), bar.level) for bar in bars]
    for one, two in combinations(spans, 2):
        if one[2] == two[2]:
            assert one[1] < two[0] or two[1] < one[0]


# -- text --------------------------------------------------------------------------------------------------------------


def heads_in_row(lines: list[str], arrow: str = "▼") -> list[int]:
    """Follow the line from each arrow head up to its level and along it to the head; words are w1, w2 ..."""
    base = next(number for number, line in enumerate(lines) if re.match(r" *w1\b", line))
    spans = [found.span() for found in re.finditer(r"w\d+", lines[base])]

    def word_at(column: int) -> int:
        distance = [max(start - column, column - end + 1, 0) for start, end in spans]
        return distance.index(min(distance)) + 1

    lines = [line.ljust(max(map(len, lines))) for line in lines[:base]]
    heads = [-1] * len(spans)
    for column, char in enumerate(lines[-1]):
        if char != arrow:
            continue
        row = base - 1
        while row > 0 and lines[row][column] not in "┌┐":
            row -= 1
            assert row == 0 or lines[row][column] in "┌┐│┼"
        dependent, end = word_at(column), column
        if row == 0:
            heads[dependent - 1] = 0
            continue
        step = 1 if lines[row][column] == "┌" else -1
        end += step
        while lines[row][end] not in "┌┐├┤":
            assert lines[row][end] in "─┼dep"
            end += step
        heads[dependent - 1] = word_at(end)
    return heads


def heads_in_lines(lines: list[str]) -> list[int]:
    """Follow the outermost line to each arrow head to its bar, and that to the end that is no corner: the head."""
    rows = [line.split("►")[0] for line in lines[1:]]
    heads = []
    for row, line in enumerate(rows):
        column = len(line) - 1
        while column >= 0 and line[column] in "─┬┴┼":
            column -= 1
        if column < 0:
            heads.append(0)
            continue
        found = []
        for step, corner, end in ((1, "┌", "┴"), (-1, "└", "┬")):
            place = row
            while line[column] in ("├", corner) and 0 <= (place := place + step) < len(rows):
                if rows[place][column] in end + "┌└":
                    found += [place + 1] if rows[place][column] == end else []
                    break
        assert len(found) == 1, (row, column)
        heads += found
    return heads


@given(forest())
def test_heads_can_be_read_from_words_in_a_row(heads):
    assert heads_in_row(body(draw_text(tree_picture(heads), layout="horizontal"))) == heads


@given(forest())
def test_heads_can_be_read_from_one_word_a_line(heads):
    assert heads_in_lines(body(draw_text(tree_picture(heads), layout="vertical"))) == heads


@given(forest(9), generators())
def test_the_second_version_hangs_below(heads, rng):
    data = Treebank.from_heads([heads]).to_bytes()
    shown = picture(Treebank.from_bytes(data), 1, permuted(data, "random", seed=rng.randrange(9)))
    lines = body(draw_text(shown, layout="horizontal"))
    lower = next(number for number, line in enumerate(lines) if "▲" in line) - 1
    assert heads_in_row(lines[:lower]) == heads
    words = [int(name) for name in re.findall(r"w(\d+)", lines[lower])]
    renamed = re.sub(r"w\d+", lambda name: f"w{words.index(int(name[0][1:])) + 1}".ljust(len(name[0])), lines[lower])
    below = lines[lower + 1 : lines.index("")]
    turned = [line.translate(str.maketrans("┌┐└┘", "└┘┌┐")) for line in reversed(below)]
    own = heads_in_row([*turned, renamed], "▲")
    assert [words[own[words.index(number)] - 1] if own[words.index(number)] else 0 for number in sorted(words)] == heads


@given(forest(20), st.integers(10, 120))
def test_a_drawing_with_words_in_a_row_fits_the_width(heads, width):
    lines = body(draw_text(tree_picture(heads), width))
    if not any(line.split()[:2] == ["id", "form"] for line in lines):
        assert max(map(columns, lines)) <= width
    words_alone = sum(len(f"w{number}") for number in range(1, len(heads) + 1)) + len(heads) - 1
    if words_alone > width:
        assert any("►" in line for line in lines)


def test_a_short_sentence():
    shown = pictures(
        conllu("# sent_id = s", "1 the _ DET _ _ 2 det", "2 cat _ NOUN _ _ 3 nsubj", "3 sat _ VERB _ _ 0 root")
    )
    assert draw_text(shown) == (
        "<bytes> s: 3 words, dependency length 2, 0 non-projective arcs\n"
        "\n"
        "                 root\n"
        " ┌─det─┐ ┌─nsubj─┐ │\n"
        " ▼     │ ▼       │ ▼\n"
        "the    cat       sat\n"
    )  # fmt: skip
    assert draw_text(shown, layout="vertical") == (
        "<bytes> s: 3 words, dependency length 2, 0 non-projective arcs\n"
        "\n"
        "        id  form  UPOS  head  deprel\n"
        "   ┌─►   1  the   DET      2  det\n"
        " ┌─┴─►   2  cat   NOUN     3  nsubj\n"
        "─┴───►   3  sat   VERB     0  root\n"
    )


def test_crossing_arcs_cross():
    assert "┼" in draw_text(tree_picture([3, 4, 0, 3]), layout="horizontal")
    assert "┼" in draw_text(tree_picture([3, 4, 0, 3]), layout="vertical")
    assert "┼" not in draw_text(tree_picture([3, 1, 0, 3]), layout="horizontal")
    assert "1 non-projective arc\n" in draw_text(tree_picture([3, 4, 0, 3]))


def test_wide_and_combining_characters_keep_their_columns():
    lines = body(draw_text(pictures(conllu(
        "1 我们 _ PRON _ _ 3 nsubj", "2 e\u0301te\u0301 _ NOUN _ _ 1 nmod", "3 喜欢 _ VERB _ _ 0 root",
        "4 \u0301 _ X _ _ 3 dep"))))  # fmt: skip
    forms, arrows = lines[-1], lines[-2]
    assert forms.split() == ["我们", "e\u0301te\u0301", "喜欢", "◌\u0301"]
    starts = [wcswidth(forms[: forms.index(form)]) for form in forms.split()]
    ends = [start + wcswidth(form) for start, form in zip(starts, forms.split(), strict=True)]
    tips = [column for column, char in enumerate(arrows) if char == "▼"]
    assert all(start <= tip < end for start, tip, end in zip(starts, tips, ends, strict=True))
    table = body(draw_text(pictures(conllu("1 我们 _ PRON _ _ 2 nsubj", "2 e\u0301te\u0301s _ VERB _ _ 0 root")), 9))
    assert {wcswidth(line.split(tag)[0]) for line, tag in zip(table, ("UPOS", "PRON", "VERB"), strict=True)} == {16}


@pytest.mark.parametrize("layout", ["horizontal", "vertical"])
def test_right_to_left_words_stay_in_their_places(layout):
    lines = draw_text(pictures(conllu("1 שָׁלוֹם _ X _ _ 0 root", "2 b _ X _ _ 1 dep")), layout=layout).splitlines()
    assert all(line.startswith("\u200e") for line in lines if line)
    assert sum(line.count("\u2068שָׁלוֹם\u2069") for line in lines) == 1
    assert sum(line.count("\u2068b\u2069") for line in lines) == 1
    assert columns("\u2068שָׁלוֹם\u2069") == 4
    plain = draw_text(pictures(conllu("1 a _ X _ _ 0 root", "2 b _ X _ _ 1 dep")), layout=layout)
    assert not set(plain) & {"\u200e", "\u2068", "\u2069"}


def test_what_stands_in_a_form_disturbs_nothing():
    assert legible("a\x1b[31m\u202eb\u2069") == "a\ufffd[31mb"
    assert legible("می\u200cروم") == "می\u200cروم"
    shown = pictures(conllu("1 a\x1b[2J _ X _ _ 0 root"))
    assert "\x1b" not in draw_text(shown) + draw_svg(shown)
    ElementTree.fromstring(draw_svg(shown))


def test_lines_of_dots():
    assert straight_lines([(0, 0)], 2) == ["⢸", "⢸"]
    (line,) = straight_lines([(0, 2)], 1)
    assert line[0] != " "
    assert len(line) == 3
    assert all("\u2800" < char <= "\u28ff" for char in line)


def test_an_unknown_layout():
    with pytest.raises(UsageError, match="no layout named 'round': auto, horizontal, vertical"):
        draw_text(tree_picture([0]), layout="round")
