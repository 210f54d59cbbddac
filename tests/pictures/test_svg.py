"""The SVG of a sentence holds its arcs, and nothing in it is clipped or hides anything else."""

from __future__ import annotations

import re
from itertools import combinations
from xml.etree import ElementTree

from drawn import SVG, marked_pair, pictures, tree_picture
from hypothesis import given
from reordering import conllu
from strategies import forest, generators, random_heads

from permtree.pictures.grid import columns
from permtree.pictures.svg import draw_svg


def arcs_of(root: ElementTree.Element, side: int = 0) -> list[tuple[int, int]]:
    """(head, dependent) of all arcs, read from where their paths begin and end."""
    sentence = root.findall(f"{SVG}g[@class='sentence']")[side]
    centres = [float(text.get("x", "")) for text in sentence.findall(f"{SVG}text[@class='word']")]

    def word_at(x: float) -> int:
        near = min(range(len(centres)), key=lambda place: abs(centres[place] - x))
        assert abs(centres[near] - x) <= 10
        return near + 1

    arcs = []
    for group in sentence.findall(f"{SVG}g[@class='arc']"):
        line, head = group.findall(f"{SVG}path")
        assert head.get("d", "").endswith("Z")
        ends = re.fullmatch(r"M(\d+) \d+V.*Q.*Q\d+ \d+ (\d+) \d+V\d+", line.get("d", ""))
        root_line = re.fullmatch(r"M(\d+) \d+V\d+", line.get("d", ""))
        arc = (word_at(float(ends[1])), word_at(float(ends[2]))) if ends else (0, word_at(float(root_line[1])))
        assert arc == (int(group.get("data-head", "")), int(group.get("data-dependent", "")))
        arcs.append(arc)
    return arcs


@given(forest())
def test_all_arcs_are_in_the_svg(heads):
    root = ElementTree.fromstring(draw_svg(tree_picture(heads)))
    assert sorted(arcs_of(root), key=lambda arc: arc[1]) == [(head, number) for number, head in enumerate(heads, 1)]
    labels = [text.text for text in root.iter(f"{SVG}text") if text.get("class") == "label"]
    assert sorted(labels) == sorted("dep" if head else "root" for head in heads)


def boxes(root: ElementTree.Element, kind: str | None = None) -> list[tuple[float, float, float, float]]:
    """Left, top, right and bottom of texts, with characters as wide as those of monospaced fonts."""
    result = []
    for text in root.iter(f"{SVG}text"):
        if kind in (None, text.get("class")):
            x, y, size = (float(text.get(name, "")) for name in ("x", "y", "font-size"))
            width = 0.61 * size * columns(text.text or "")
            left = x - width / 2 if text.get("text-anchor") == "middle" else x
            result.append((left, y - 0.8 * size, left + width, y + 0.25 * size))
    return result


@given(forest(15), generators())
def test_nothing_is_clipped_and_no_texts_overlap(heads, rng):
    for shown in (tree_picture(heads), marked_pair(heads, random_heads(rng, len(heads)))):
        root = ElementTree.fromstring(draw_svg(shown))
        left, top, width, height = map(float, root.get("viewBox", "").split())
        for box in boxes(root):
            assert left <= box[0] < box[2] <= width
            assert top <= box[1] < box[3] <= height
        for path in root.iter(f"{SVG}path"):
            numbers = re.findall(r"[MLQHV ](-?\d+)", path.get("d", ""))
            assert all(0 <= int(number) <= max(width, height) for number in numbers)
        for one, two in combinations(boxes(root), 2):
            assert one[2] <= two[0] or two[2] <= one[0] or one[3] <= two[1] or two[3] <= one[1]


def test_texts_are_escaped():
    root = ElementTree.fromstring(draw_svg(pictures(conllu("# sent_id = <&", '1 a<&"\' _ <X> _ _ 0 r<&"'))))
    texts = [text.text for text in root.iter(f"{SVG}text")]
    assert {"a<&\"'", "<X>", 'r<&"'} <= set(texts)
    assert root.findtext(f"{SVG}title") == "<bytes> <&"
    assert 'root r<&" a<&"\'' in root.findtext(f"{SVG}desc", "")


def test_the_svg_needs_nothing_else():
    text = draw_svg(marked_pair([2, 0, 2], [2, 0, 1]))
    assert "href" not in text
    assert "<style" not in text
    assert "<script" not in text
    assert text.count("http") == 1  # its own name space
    assert text == draw_svg(marked_pair([2, 0, 2], [2, 0, 1]))


def test_right_to_left_words_in_the_svg():
    root = ElementTree.fromstring(draw_svg(pictures(conllu("1 سلام _ X _ _ 0 root", "2 b _ X _ _ 1 dep"))))
    words = [text for text in root.iter(f"{SVG}text") if text.get("class") == "word"]
    assert [(text.get("direction"), text.get("unicode-bidi")) for text in words] == [("rtl", "isolate"), (None, None)]
