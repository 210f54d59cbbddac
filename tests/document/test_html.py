"""The HTML report: one file that asks for nothing, in which no text becomes markup."""

from __future__ import annotations

import base64
import hashlib
import json
import math
import re
from collections import Counter
from html.parser import HTMLParser
from importlib import resources

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from small_report import HOSTILE, SCRIPT, TABLE, gain, hostile_pair, loss, report

import permtree
from permtree.document.browser import embedded
from permtree.document.document import Browser, Claim, Claims, Figure, Paragraphs, ReportDocument, Table
from permtree.document.formats import one_line
from permtree.document.html import html_report
from permtree.permuting import permute
from permtree.pictures.grid import legible
from permtree.report.browser import pair_of_sentences
from permtree.treebank import Treebank

VOID = {"meta", "br", "link", "img", "input"}


class Page(HTMLParser):
    """Elements of a page with their attributes, and the texts of each kind of element; checks that all are closed."""

    def __init__(self, page: str):
        super().__init__()
        self.elements: list[tuple[str, dict[str, str]]] = []
        self.texts: dict[str, list[str]] = {}
        self._open: list[str] = []
        self.feed(page)
        self.close()
        assert self._open == []

    def handle_starttag(self, tag, attrs):
        self.elements.append((tag, {name: value or "" for name, value in attrs}))
        if tag not in VOID:
            self._open.append(tag)
            self.texts.setdefault(tag, []).append("")

    def handle_startendtag(self, tag, attrs):
        self.elements.append((tag, {name: value or "" for name, value in attrs}))

    def handle_endtag(self, tag):
        assert self._open.pop() == tag

    def handle_data(self, data):
        for tag in set(self._open):
            self.texts[tag][-1] += data

    def all(self, tag: str) -> list[dict[str, str]]:
        return [attributes for name, attributes in self.elements if name == tag]


@pytest.fixture(scope="module")
def page() -> Page:
    return Page(html_report(report()))


def readable(text: str) -> str:
    return legible(one_line(text))


def test_the_same_report_is_the_same_page():
    assert html_report(report()) == html_report(report())


def test_only_our_own_scripts_are_in_the_page(page):
    assert [one.get("type") for one in page.all("script")] == ["application/json", None]
    assert not [name for _, attributes in page.elements for name in attributes if name.startswith("on")]
    assert page.texts["title"][0] == readable(report().title)


def test_nothing_is_asked_from_elsewhere(page):
    text = html_report(report())
    asking = {"src", "srcset", "action", "data", "poster", "background", "xlink:href"}
    assert not [name for _, attributes in page.elements for name in attributes if name in asking]
    assert all(one["href"].startswith("#") for _, one in page.elements if "href" in one)
    assert not {"link", "iframe", "img", "object", "embed", "base"} & {tag for tag, _ in page.elements}
    assert not re.search(r"url\(|@import|fetch\(|XMLHttpRequest", text)
    assert set(re.findall(r"https?://[^\s\"<]+", text)) == {"http://www.w3.org/2000/svg"}


def test_the_policy_names_the_style_and_the_script_by_their_hashes(page):
    policy = next(one["content"] for one in page.all("meta") if one.get("http-equiv") == "Content-Security-Policy")
    assert policy.startswith("default-src 'none';")
    for text in (page.texts["style"][0], page.texts["script"][1]):
        assert f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'" in policy
    assert not [attributes for _, attributes in page.elements if "style" in attributes]  # the policy forbids them


def test_every_value_of_the_template_is_escaped():
    """Nothing in the template turns escaping off, and no value of a section is markup but its picture."""
    template = (resources.files("permtree.document") / "page.html").read_text(encoding="utf-8")
    assert not re.search(r"\bsafe\b|autoescape|Markup", template)
    texts = {name: f"<i>{name}" for name in ("title", "note", "cell", "paper", "ours", "text", "sign", "question")}
    sections = [
        Paragraphs("t", texts["title"], [texts["text"]]),
        Table("t", texts["title"], [texts["cell"]], [[texts["cell"]]], texts["note"]),
        Figure("f", texts["title"], "<svg></svg>", texts["note"]),
        Claims("c", texts["title"], [Claim(texts["text"], texts["paper"], texts["ours"], "came back", texts["note"])]),
        Browser("b", texts["title"], [hostile_pair()], texts["note"]),
    ]
    page = html_report(ReportDocument(texts["title"], texts["question"], texts["sign"], sections))
    assert "<i>" not in page and all(f"&lt;i&gt;{name}" in page for name in texts)
    assert page.startswith("<!DOCTYPE html>\n") and page.endswith("</html>\n")


def test_texts_are_shown_as_they_are(page):
    cells = page.texts["td"]
    for text in HOSTILE:
        assert readable(text) in cells
        assert readable(text) in page.texts["p"]
    assert "came back" in " ".join(cells) and "✗ did not come back" in cells and "? can't be said" in cells


def test_ids_are_unique_and_the_table_of_contents_leads_to_all_sections(page):
    ids = Counter(one["id"] for _, one in page.elements if "id" in one)
    assert set(ids.values()) == {1}
    sections = [one["id"] for one in page.all("section")]
    links = [one["href"] for one in page.all("a")]
    assert links == ["#main", *[f"#{name}" for name in sections]]
    assert len(sections) == len(report().sections) and sections[-1] == "text-2"
    assert all(one["aria-labelledby"] in ids for _, one in page.elements if "aria-labelledby" in one)


@given(st.lists(st.text(max_size=4) | st.sampled_from(["a", "a-2", "main", SCRIPT]), max_size=6))
def test_anchors_are_unique_whatever_the_names(names):
    page = Page(html_report(ReportDocument("t", "q", "s", [Paragraphs(name, name, []) for name in names])))
    ids = [one["id"] for _, one in page.elements if "id" in one]
    assert len(ids) == len(set(ids))


@given(st.lists(st.floats() | st.integers(-(10**6), 10**6) | st.none() | st.text(max_size=3), min_size=1, max_size=5))
def test_numbers_carry_all_their_digits(cells):
    page = Page(html_report(ReportDocument("t", "q", "s", [Table("t", "t", ["a"], [[cell] for cell in cells])])))
    for cell, attributes in zip(cells, page.all("td"), strict=True):
        if isinstance(cell, str):
            assert "data-value" not in attributes
        elif cell is None or cell != cell:
            assert attributes["data-value"] == "nan"
        else:
            assert float(attributes["data-value"].replace("Infinity", "inf")) == cell


def test_without_javascript_all_is_there_but_the_sentences(page):
    assert page.texts["p"].count(readable("2 < 1")) == 0 and readable("2 < 1") in page.texts["td"]
    assert len(page.all("svg")) == 2 and not page.all("button")
    assert "3 pairs of sentences, which need JavaScript to be drawn." in page.texts["p"]
    assert page.texts["td"].count("n/a") == 2 * sum(cell != cell for row in TABLE.rows for cell in row)
    assert "no rows" in page.texts["td"]


def test_what_scrolls_can_be_reached_by_keyboard(page):
    scrolling = [one for one in page.all("div") if one.get("class") == "scroll"]
    assert scrolling and all(one["tabindex"] == "0" and one["role"] == "region" for one in scrolling)


def test_sentences_are_embedded_as_they_are(page):
    text = page.texts["script"][0]
    assert not re.search("[<>&\u2028\u2029]", text)
    data = json.loads(text)
    first, second, third = data["pairs"]
    assert [data["labels"][pair["l"]][0] for pair in data["pairs"]] == [gain().label, loss().label, SCRIPT]
    assert first["f"] == ["one", "two", "three"] and first["a"]["p"] == [1, 2, 3] and first["b"]["p"] == [3, 2, 1]
    assert first["a"]["x"] == [3, 0, 2] and first["a"]["e"] == [6, 7, 5] and first["b"]["e"] == [7, 7, 7]
    assert [data["relations"][number] for number in first["a"]["q"]] == ["det", "root", "obl"]
    assert second["b"]["e"] == [7, 6, 2] and second["u"] == [100.0, 50.0] and second["d"] == [2, 3]
    assert third["u"] == [None, None] and third["f"] == [legible(text) for text in HOSTILE]


@given(st.lists(st.sampled_from([gain(), loss(), hostile_pair()]), max_size=4))
def test_embedding_keeps_every_pair(chosen):
    data = json.loads(embedded(chosen))
    assert [pair["n"] for pair in data["pairs"]] == [[word.number for word in pair.words] for pair in chosen]
    assert [data["labels"][pair["l"]][1:] for pair in data["pairs"]] == [
        list(map(legible, pair.sides)) for pair in chosen
    ]


def test_a_pair_is_taken_from_joined_predictions():
    rows = [("1", "a", "2", "det"), ("2", "b", "0", "root"), ("3", "c", "2", "obj"), ("4", ".", "2", "punct")]
    gold = Treebank.from_bytes(conllu_of(rows) + conllu_of(rows[:2]))
    wrong = [("1", "a", "3", "det"), ("2", "b", "0", "root"), ("3", "c", "2", "obl"), ("4", ".", "3", "punct")]
    predicted = Treebank.from_bytes(conllu_of(wrong) + conllu_of(rows[:2]))
    reverse = permute(gold, "reverse")
    joined = permtree.pairs(gold, predicted, reverse, reverse, convention="no-punct", names=("original", "reverse"))
    pair = pair_of_sentences(joined, 0, "a label")
    assert (pair.label, pair.sides) == ("a label", ("original", "reverse"))
    assert [(word.number, word.form, word.deprel) for word in pair.words] == [(int(i), f, r) for i, f, _, r in rows]
    assert [word.places for word in pair.words] == [(1, 4), (2, 3), (3, 2), (4, 1)]
    assert [word.heads for word in pair.words] == [(2, 3), (0, 0), (2, 3), (2, 3)]
    assert [word.predicted_heads for word in pair.words] == [(3, 3), (0, 0), (2, 3), (3, 3)]
    assert [word.heads_right for word in pair.words] == [(False, True), (True, True), (True, True), (False, True)]
    assert [word.labels_right[0] for word in pair.words] == [True, True, False, True]
    assert [word.counted for word in pair.words] == [True, True, True, False]
    assert pair.uas == pytest.approx((200 / 3, 100)) and pair.las == pytest.approx((100 / 3, 100))
    assert pair.lengths == (4, 4)
    assert len(pair_of_sentences(joined, 1, "").words) == 2
    with pytest.raises(IndexError, match="sentence 2 of 2"):
        pair_of_sentences(joined, 2, "")


def conllu_of(rows: list[tuple[str, str, str, str]]) -> bytes:
    """A sentence of (id, form, head, deprel); the last of four words is punctuation."""
    lines = [
        "\t".join([number, form, "_", "PUNCT" if form == "." else "X", "_", "_", head, deprel, "_", "_"])
        for number, form, head, deprel in rows
    ]
    return ("\n".join(lines) + "\n\n").encode()


def test_scores_of_real_sentences_follow_from_their_words(shared):
    path = shared / "treebanks" / "nl_alpino"
    gold = Treebank.read(sorted(path.glob("*test*"))[0])
    shortest = permute(gold, "optdl")
    rng = np.random.default_rng([1])
    predicted = permtree.train("random-tree", gold, seed=1).predict(gold)
    joined = permtree.pairs(gold, predicted, shortest, shortest, names=("original", "optdl"))
    chosen = rng.integers(gold.n_sentences, size=40)
    for pair in (pair_of_sentences(joined, int(number), "nl") for number in chosen):
        right = [sum(word.heads_right[side] for word in pair.words) for side in (0, 1)]
        assert pair.uas == pytest.approx([100 * count / len(pair.words) for count in right])
        assert all((word.heads[0] == word.predicted_heads[0]) == word.heads_right[0] for word in pair.words)
        lengths = [
            sum(abs(word.places[side] - word.heads[side]) for word in pair.words if word.heads[side]) for side in (0, 1)
        ]
        assert list(pair.lengths) == lengths
        assert sorted(word.places[1] for word in pair.words) == list(range(1, len(pair.words) + 1))
    page = Page(html_report(ReportDocument("t", "q", "s", [Browser("b", "b", [pair_of_sentences(joined, 0, "nl")])])))
    assert not math.isnan(json.loads(page.texts["script"][0])["pairs"][0]["u"][0])
