"""Draw a sentence, or two versions of one, as SVG: self-contained, the same bytes for the same picture.

Nothing is told by colour alone; colours are of the palette of Okabe and Ito (2008), which the colour-blind can tell
apart.
"""

from __future__ import annotations

from xml.etree import ElementTree
from xml.etree.ElementTree import Element, SubElement

from .grid import columns, legible, right_to_left
from .layout import PLACES, Bar, WordRow, rows_in_step
from .picture import OTHER_HEAD, Picture

_FONTS = "'DejaVu Sans Mono', 'Noto Sans Mono', Menlo, Consolas, monospace"
_BLACK, _GREY, _PALE, _BLUE, _RED = "#000000", "#555555", "#999999", "#0072B2", "#D55E00"
# All in pixels. Fonts have characters of about 0.6 of their size; these widths leave some room.
_WORD_SIZE, _WORD_COLUMN = 16, 11
_TAG_SIZE, _TAG_COLUMN = 11, 8
_LABEL_SIZE, _LABEL_COLUMN = 12, 8
_GAP, _STEP, _LEVEL, _LABEL_SPARE = 16, 9, 24, 12
_MARGIN, _CAPTION, _CORNER, _ARROW = 20, 24, 6, 7
_TEXT_HEIGHT = 44  # a word, its tag and the space around them
_LOWEST_JOINS, _HIGHEST_JOINS = 50, 160


def draw_svg(picture: Picture) -> str:
    """The SVG document. picture: from `permtree.pictures.picture.picture`.

    Each arc is a group of class `arc`, with the ids of its words in `data-head` (0: root) and `data-dependent`.
    """
    rows = [_row(picture, side) for side in range(len(picture.sentences))]
    if picture.same_order:
        rows_in_step(*rows)
    captions = [sentence.summary for sentence in picture.sentences] + [picture.summary] * (len(rows) > 1)
    captions = [legible(caption) for caption in captions]
    wide = max([row.width for row in rows] + [columns(caption) * _LABEL_COLUMN for caption in captions])
    width = wide + 2 * _MARGIN
    root = Element("svg", {"xmlns": "http://www.w3.org/2000/svg", "role": "img", "font-family": _FONTS})
    SubElement(root, "title").text = legible(" and ".join(sentence.name for sentence in picture.sentences))
    SubElement(root, "desc").text = _description(picture, captions)
    background = SubElement(root, "rect", {"fill": "#ffffff"})
    y = _MARGIN + _CAPTION
    _text(root, captions[0], _MARGIN, y - _CAPTION // 2, _LABEL_SIZE, _BLACK, anchor="start")
    base = y + _arcs_height(rows[0])
    _draw_side(root, picture, 0, rows[0], base, 1)
    y = base + _TEXT_HEIGHT
    if len(rows) > 1:
        other_base = _draw_joins(root, picture, rows, y) + _TEXT_HEIGHT
        _draw_side(root, picture, 1, rows[1], other_base, -1)
        y = other_base + _arcs_height(rows[1])
        for caption in captions[1:]:
            y += _CAPTION
            _text(root, caption, _MARGIN, y - _CAPTION // 2 + _LABEL_SIZE // 2, _LABEL_SIZE, _BLACK, anchor="start")
    size = {"width": str(width), "height": str(y + _MARGIN)}
    background.attrib.update(size)
    root.attrib.update({"viewBox": f"0 0 {size['width']} {size['height']}", **size})
    ElementTree.indent(root, " ")
    return ElementTree.tostring(root, encoding="unicode") + "\n"


def _description(picture: Picture, captions: list[str]) -> str:
    """What is to be seen, for those who can't: the captions and the arcs of each sentence."""
    parts = list(captions)
    for sentence in picture.sentences:
        forms = {0: "root", **{word.number: word.form for word in sentence.words}}
        attached = [(forms[word.head], word.deprel, word.form) for word in sentence.words if word.head is not None]
        arcs = "; ".join(" ".join(map(legible, arc)) for arc in attached)
        parts.append(f"{legible(sentence.name)}, head, relation and dependent: {arcs}")
    return ". ".join(parts)


def _label(picture: Picture, side: int, word: int) -> str:
    """The relation of a word (from 0), with its mark."""
    mark = picture.marks[side].get(word + 1, "")
    return f"{mark} {legible(picture.sentences[side].words[word].deprel)}".strip()


def _row(picture: Picture, side: int) -> WordRow:
    words = picture.sentences[side].words
    widths = [
        max(columns(legible(word.form)) * _WORD_COLUMN, columns(legible(word.upos)) * _TAG_COLUMN, _WORD_COLUMN)
        for word in words
    ]
    labels = [columns(_label(picture, side, word)) * _LABEL_COLUMN + _LABEL_SPARE for word in range(len(words))]
    return WordRow(picture.sentences[side], widths, labels, _GAP, step=_STEP, tight=_STEP)


def _arcs_height(row: WordRow) -> int:
    """The height of all arcs, of the lines of roots above them and of the labels of these."""
    return (row.top + 1) * _LEVEL + _LABEL_SIZE + 8


def _draw_side(root: Element, picture: Picture, side: int, row: WordRow, base: int, up: int) -> None:
    """One sentence. base: where its arcs meet the words; up: 1 for arcs above the words, -1 for arcs below."""
    sentence = picture.sentences[side]
    group = SubElement(root, "g", {"class": "sentence"})
    arcs = {bar.dependents[0]: bar for bar in row.bars}
    for word, own in enumerate(sentence.words):
        if own.head is not None:
            arc = SubElement(group, "g", {"class": "arc", "data-head": str(own.head), "data-dependent": str(word + 1)})
            differs = picture.marks[side].get(word + 1, "") == OTHER_HEAD
            _draw_arc(arc, row, arcs.get(word), word, _label(picture, side, word), base, up, differs)
    to_left = right_to_left(word.form for word in sentence.words)
    for word, own in enumerate(sentence.words):
        x = _MARGIN + row.centre(word)
        form = _text(group, legible(own.form), x, base + up * 14, _WORD_SIZE, _BLACK)
        form.set("class", "word")
        if to_left and right_to_left([own.form]):
            form.attrib.update({"direction": "rtl", "unicode-bidi": "isolate"})
        _text(group, legible(own.upos), x, base + up * 32, _TAG_SIZE, _GREY).set("class", "tag")


def _draw_arc(
    group: Element, row: WordRow, bar: Bar | None, word: int, label: str, base: int, up: int, differs: bool
) -> None:
    """The line of a word, with its arrow head and its label. bar: None for a root."""
    end = _MARGIN + row.at(PLACES * word + 1)
    y = base - up * _LEVEL * (bar.level if bar else row.top + 1)
    tip = base - up * 2
    if bar is None:
        path, middle = f"M{end} {y}V{tip - up * _ARROW}", end
    else:
        start = _MARGIN + row.at(bar.head_place)
        turn = _CORNER if end > start else -_CORNER
        path = (
            f"M{start} {base - up * 2}V{y + up * _CORNER}Q{start} {y} {start + turn} {y}"
            f"H{end - turn}Q{end} {y} {end} {y + up * _CORNER}V{tip - up * _ARROW}"
        )
        middle = _MARGIN + sum(map(row.at, row.stretch(bar))) // 2
    colour = _RED if differs else _BLACK
    line = SubElement(group, "path", {"d": path, "fill": "none", "stroke": colour, "stroke-width": "1.3"})
    if differs:
        line.set("stroke-dasharray", "6 3")
    back = tip - up * (_ARROW + 1)
    SubElement(group, "path", {"d": f"M{end} {tip}L{end - 4} {back}L{end + 4} {back}Z", "fill": colour})
    _text(group, label, middle, y - up * 9, _LABEL_SIZE, colour).set("class", "label")


def _draw_joins(root: Element, picture: Picture, rows: list[WordRow], top: int) -> int:
    """Lines between the same words of both sentences, from `top` down; returns where they end."""
    ends = [[row.centre(word - 1) for row, word in zip(rows, join.ids, strict=True)] for join in picture.joins]
    lean = max(abs(above - below) for above, below in ends)
    bottom = top + min(_LOWEST_JOINS + lean // 8, _HIGHEST_JOINS)
    group = SubElement(root, "g", {"class": "joins"})
    for join, (above, below) in sorted(zip(picture.joins, ends, strict=True), key=lambda pair: pair[0].out_of_order):
        place = {"x1": _MARGIN + above, "y1": top, "x2": _MARGIN + below, "y2": bottom}
        look = {"stroke": _BLUE, "stroke-width": "1.8"} if join.out_of_order else {"stroke": _PALE, "stroke-width": "1"}
        numbers = {"data-first": str(join.first), "data-second": str(join.second)}
        SubElement(group, "line", {**numbers, **{name: str(value) for name, value in place.items()}, **look})
    return bottom


def _text(parent: Element, text: str, x: int, middle: int, size: int, colour: str, anchor: str = "middle") -> Element:
    """A text whose small letters are centred on the height `middle`."""
    place = {"x": str(x), "y": str(middle + size * 3 // 10), "text-anchor": anchor}
    element = SubElement(parent, "text", {**place, "font-size": str(size), "fill": colour})
    element.text = text
    return element
