"""The HTML report in a real browser: it sorts, filters and draws by pointer and by keyboard, and asks for nothing."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from small_report import LABELS, TABLE, even, gain, hostile_pair, loss, report

from permtree.document.html import html_report

webdriver = pytest.importorskip("selenium.webdriver", reason="selenium isn't installed")

from selenium.webdriver.chrome.service import Service  # noqa: E402
from selenium.webdriver.common.by import By  # noqa: E402
from selenium.webdriver.common.keys import Keys  # noqa: E402
from selenium.webdriver.support.ui import Select  # noqa: E402

FLAGS = """--headless --no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking
--disable-component-update --disable-sync --disable-dev-shm-usage --window-size=1280,1000""".split()
PAIRS = [gain(), loss(), hostile_pair(), *(even(words) for words in range(4, 64))]


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("page") / "report.html"
    path.write_text(html_report(report(PAIRS)), encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    chromium, driver = shutil.which("chromium"), shutil.which("chromedriver")
    if not chromium or not driver:
        pytest.skip(f"no {'chromedriver' if chromium else 'chromium'} to open a report in")
    options = webdriver.ChromeOptions()
    options.binary_location = chromium
    for flag in [*FLAGS, f"--user-data-dir={tmp_path_factory.mktemp('profile')}"]:
        options.add_argument(flag)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    started = webdriver.Chrome(options=options, service=Service(driver))
    yield started
    started.quit()


@pytest.fixture
def page(browser: Any, file: Path) -> Iterator[Any]:
    """The report, opened afresh; afterwards nothing was complained about, and nothing asked for but the file."""
    browser.get("about:blank")
    browser.get_log("performance")  # forgets what the browser itself asked for
    browser.get(file.as_uri())
    yield browser
    assert browser.get_log("browser") == []
    messages = [json.loads(entry["message"])["message"] for entry in browser.get_log("performance")]
    asked = [one["params"]["request"]["url"] for one in messages if one["method"] == "Network.requestWillBeSent"]
    assert asked == [file.as_uri()]


def find(page: Any, selector: str) -> list[Any]:
    return page.find_elements(By.CSS_SELECTOR, selector)


def column(page: Any, place: int, section: str = "scores") -> list[str]:
    return [cell.text for cell in find(page, f"#{section} tbody td:nth-child({place + 1})")]


def shown(page: Any) -> str:
    return find(page, ".count")[0].text


def listed(page: Any) -> list[str]:
    return [words.get_attribute("title") for words in find(page, ".option .words")]


def choose(page: Any, name: str, text: str) -> None:
    Select(page.find_element(By.NAME, name)).select_by_visible_text(text)


def write(page: Any, name: str, text: str) -> None:
    page.find_element(By.NAME, name).send_keys(text)


def data(side: Any, selector: str, *names: str) -> list[tuple[str, ...]]:
    found = side.find_elements(By.CSS_SELECTOR, selector)
    return [tuple(one.get_attribute(f"data-{name}") for name in names) for one in found]


def lit(page: Any) -> list[list[str]]:
    """The places of the words that are lit up, on each side."""
    return [[place for (place,) in data(side, ".word.on", "place")] for side in find(page, ".side")]


def pressed(page: Any, *keys: str) -> None:
    page.switch_to.active_element.send_keys(*keys)


def test_the_title_is_that_of_the_report(page):
    assert page.title.startswith("Report <script>")


@pytest.mark.parametrize("way", ["click", "enter"])
def test_a_table_sorts_by_number_and_says_so(page, way):
    button = find(page, "#scores thead th:nth-child(2) button")[0]
    states = []
    for _ in range(2):
        if way == "click":
            button.click()
        else:
            page.execute_script("arguments[0].focus()", button)
            pressed(page, Keys.ENTER)
        states.append((column(page, 1), find(page, "#scores th:nth-child(2)")[0].get_attribute("aria-sort")))
    up = ["-2.50", "0.00", "9.00", "10.00", "100.00"]
    assert states == [([*up, "–", "n/a"], "ascending"), ([*up[::-1], "–", "n/a"], "descending")]


@pytest.mark.long
def test_sorting_is_stable_and_one_column_is_sorted_at_a_time(page):
    headers = find(page, "#scores thead button")
    assert [header.text for header in headers] == TABLE.header
    headers[2].click()
    assert column(page, 0)[:3] == ["unknown", "hundred", "tiny"]  # 7, 7, 8
    headers[2].click()
    assert column(page, 0)[-3:] == ["unknown", "hundred", "none"]
    headers[0].click()
    assert column(page, 0) == sorted(row[0] for row in TABLE.rows)
    states = [header.get_attribute("aria-sort") for header in find(page, "#scores thead th")]
    assert states == ["ascending", "none", "none"]


@pytest.mark.long
def test_the_list_has_fifty_sentences_a_page(page):
    assert shown(page) == "63 of 63 sentences" and len(listed(page)) == 50
    assert not find(page, ".previous")[0].is_enabled()
    find(page, ".next")[0].click()
    assert listed(page) == [f"s{words}" for words in range(51, 64)]
    assert find(page, ".where")[0].text == "page 2 of 2" and not find(page, ".next")[0].is_enabled()
    find(page, ".previous")[0].click()
    assert len(listed(page)) == 50


@pytest.mark.long
def test_each_filter_changes_the_list_and_its_count(page):
    choose(page, "pair", LABELS[1])
    assert (shown(page), listed(page)) == ("1 of 63 sentences", ["s-loss"])
    choose(page, "pair", "all")
    for change, expected in {
        "gains": ["s-gain"],
        "losses": ["s-loss"],
        "gains and losses": ["s-gain", "s-loss"],
    }.items():
        choose(page, "change", change)
        assert listed(page) == expected and shown(page).startswith(f"{len(expected)} of 63")
    choose(page, "change", "all sentences")
    relations = [option.text for option in Select(page.find_element(By.NAME, "relation")).options]
    assert relations == ["any", "det", "obj", "root"]  # wrong on a side, and counted: not the full stop's
    choose(page, "relation", "obj")
    assert listed(page) == ["s-gain"]
    choose(page, "relation", "any")
    write(page, "from", "10")
    write(page, "to", "12")
    assert (shown(page), listed(page)) == ("3 of 63 sentences", ["s10", "s11", "s12"])
    find(page, ".clear")[0].click()
    assert shown(page) == "63 of 63 sentences"
    write(page, "text", "کتاب")
    assert listed(page) == ["s-loss"]
    write(page, "text", "xyz")
    assert shown(page) == "0 of 63 sentences" and find(page, ".empty")[0].text == "No sentence fits these filters."
    assert find(page, ".side") == []


@pytest.mark.long
def test_search_knows_ids_and_neither_case_nor_composition(page):
    write(page, "text", "S-GAIN")
    assert listed(page) == ["s-gain"]
    find(page, ".clear")[0].click()
    write(page, "text", "\u00e9")  # is written as e and an accent in the sentence
    assert shown(page) == "1 of 63 sentences"


@pytest.mark.long
@pytest.mark.parametrize(
    ("sorting", "first"),
    [
        ("ΔUAS, gains first", "s-gain"),
        ("ΔUAS, losses first", "s-loss"),
        ("ΔDL, most shortened first", "s4"),
        ("ΔDL, most lengthened first", "s-loss"),
        ("words, most first", "s63"),
        ("words, fewest first", "s-gain"),
    ],
)
def test_sentences_can_be_sorted(page, sorting, first):
    choose(page, "sorting", sorting)
    assert listed(page)[0] == first and shown(page) == "63 of 63 sentences"


@pytest.mark.long
def test_sentences_without_a_score_come_last(page):
    write(page, "to", "9")
    for sorting in ("ΔUAS, gains first", "ΔUAS, losses first"):
        choose(page, "sorting", sorting)
        assert "<script>" in listed(page)[-1]


def test_a_pair_is_drawn_with_its_words_arcs_and_errors(page):
    find(page, ".option")[0].click()
    sides = find(page, ".side")
    assert len(sides) == 2
    forms = [[one.text for one in side.find_elements(By.CSS_SELECTOR, ".form")] for side in sides]
    assert forms == [["one", "two", "three"], ["three", "two", "one"]]
    assert [len(side.find_elements(By.CSS_SELECTOR, ".gold")) for side in sides] == [3, 3]
    assert [len(side.find_elements(By.CSS_SELECTOR, ".predicted")) for side in sides] == [1, 0]
    assert data(sides[0], ".predicted", "head", "dependent") == [("3", "1")]
    line = "return getComputedStyle(document.querySelector('.predicted path')).strokeDasharray"
    assert page.execute_script(line) == "5px, 3px"
    assert [one.text for one in find(page, ".error")] == ["✗", "≠ obl"]
    for side in sides:
        assert sorted(data(side, ".gold", "head", "dependent")) == [("0", "2"), ("2", "1"), ("2", "3")]
    told = [one.text for one in find(page, ".drawing .scores")]
    assert told[0] == "rb against original: ΔUAS +33.3, ΔLAS +66.7, dependency length the same"
    assert told[1] == "original: UAS 66.7, LAS 33.3, dependency length 2, wrong heads 1, wrong relations 1"
    assert told[2] == "rb: UAS 100.0, LAS 100.0, dependency length 2, wrong heads 0, wrong relations 0"


@pytest.mark.long
def test_arcs_start_and_end_at_their_words_and_point_at_the_dependent(page):
    find(page, ".option")[30].click()
    for side in find(page, ".side"):
        script = """return [...arguments[0].querySelectorAll('.gold')].map(arc => {
            const box = word => word.querySelector('.cell').getBBox();
            const place = number => arguments[0].querySelector(`.word[data-place="${number}"]`);
            const line = arc.querySelector('path'), head = Number(arc.dataset.head);
            const start = line.getPointAtLength(0).x, end = line.getPointAtLength(line.getTotalLength()).x;
            const within = (x, b) => x >= b.x && x <= b.x + b.width;
            return (!head || within(start, box(place(head)))) && within(end, box(place(arc.dataset.dependent)));
        })"""
        assert page.execute_script(script, side) == [True] * 31


@pytest.mark.long
def test_words_that_are_not_counted_are_marked_and_never_wrong(page):
    find(page, ".option")[1].click()
    second = find(page, ".side")[1]
    assert [one.text for one in second.find_elements(By.CSS_SELECTOR, ".uncounted .form")] == ["."]
    assert [one.text for one in second.find_elements(By.CSS_SELECTOR, ".error")] == ["✗"]
    looks = page.execute_script(
        "const s = getComputedStyle(arguments[0]); return [s.direction, s.unicodeBidi]",
        second.find_element(By.CSS_SELECTOR, ".form"),
    )
    assert looks == ["ltr", "isolate"]


@pytest.mark.long
def test_hostile_words_are_drawn_as_words(page):
    find(page, ".option")[2].click()
    assert len(find(page, ".side")[0].find_elements(By.CSS_SELECTOR, ".word")) == len(hostile_pair().words)
    assert find(page, ".side .form")[0].text.startswith("<script>") and "broken" not in page.title[:6]


@pytest.mark.long
def test_the_list_is_used_by_keyboard(page):
    page.execute_script("document.querySelector('.list').focus()")
    pressed(page, Keys.ARROW_DOWN)
    assert [one.text for one in find(page, ".option.active span:nth-child(2)")] == ["3"]
    assert find(page, '.option[aria-selected="true"] .words')[0].get_attribute("title") == "s-gain"
    pressed(page, Keys.ENTER)
    assert find(page, '.option[aria-selected="true"] .words')[0].get_attribute("title") == "s-loss"
    assert find(page, ".drawing h3")[0].text.startswith("s-loss")
    active = find(page, ".list")[0].get_attribute("aria-activedescendant")
    assert find(page, ".option.active")[0].get_attribute("id") == active
    pressed(page, Keys.END, Keys.ENTER)
    assert find(page, ".drawing h3")[0].text.startswith("s63 ") and find(page, ".where")[0].text == "page 2 of 2"
    pressed(page, *[Keys.ARROW_UP] * 13, Keys.ENTER)
    assert find(page, ".drawing h3")[0].text.startswith("s50 ") and find(page, ".where")[0].text == "page 1 of 2"


@pytest.mark.long
def test_the_same_word_lights_up_on_both_sides(page):
    find(page, ".option")[0].click()
    first = find(page, ".side .word")[0]
    page.execute_script("arguments[0].focus()", first)
    assert lit(page) == [["1"], ["3"]]
    assert len(find(page, ".arc.on")) == 3  # its gold arc on both sides, and the predicted one
    pressed(page, Keys.ARROW_RIGHT)
    assert lit(page) == [["2"], ["2"]]
    assert "root of root" in page.switch_to.active_element.get_attribute("aria-label")
    under_pointer = find(page, ".side")[1].find_elements(By.CSS_SELECTOR, ".word")[0]
    webdriver.ActionChains(page).move_to_element(under_pointer).perform()
    assert lit(page) == [["2", "3"], ["1", "2"]]


@pytest.mark.long
def test_every_control_can_be_reached_and_focus_can_be_seen(page):
    pressed(page, Keys.TAB)
    assert page.switch_to.active_element.text == "Skip to the report"
    script = """const one = document.activeElement, seen = one.closest('.word') ? one.querySelector('.cell') : one;
        const name = one.getAttribute('name') || one.getAttribute('class') || one.tagName;
        return [name, getComputedStyle(one).outlineStyle !== 'none' || getComputedStyle(seen).stroke !== 'none']"""
    reached = {}
    while "BODY" not in reached:
        reached.update([page.execute_script(script)])
        pressed(page, Keys.TAB)
    del reached["BODY"]
    controls = {
        "skip",
        "scroll",
        "pair",
        "relation",
        "change",
        "from",
        "to",
        "text",
        "sorting",
        "clear",
        "next",
        "list",
    }
    assert set(reached) >= controls | {"word on", "BUTTON", "SUMMARY"}
    assert all(reached.values())


@pytest.mark.long
def test_a_wide_sentence_scrolls_within_its_box_and_shows_the_word_in_question(page):
    write(page, "text", "s63")
    assert page.execute_script("return document.documentElement.scrollWidth <= innerWidth")
    box = find(page, ".side")[0]
    assert page.execute_script("return arguments[0].scrollWidth > arguments[0].clientWidth", box)
    page.execute_script("document.querySelector('.side .word').focus()")
    pressed(page, Keys.END)
    for side in find(page, ".side"):
        assert page.execute_script("return arguments[0].scrollLeft > 100", side)


@pytest.mark.long
def test_paper_has_no_controls(page):
    page.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "print"})
    try:
        for selector in (".filters", ".pager", ".list", "nav", ".skip"):
            assert not any(one.is_displayed() for one in find(page, selector))
        for selector in ("#scores table", "#figure svg", ".drawing svg", "#claims table", ".count"):
            assert all(one.is_displayed() for one in find(page, selector)) and find(page, selector)
        looks = "return getComputedStyle(document.querySelector('#scores table')).breakInside"
        assert page.execute_script(looks) == "avoid"
    finally:
        page.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": ""})


@pytest.mark.long
def test_on_paper_a_wide_sentence_is_cut_between_words(page):
    write(page, "text", "s63")
    page.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "print"})
    try:
        assert not any(side.is_displayed() for side in find(page, ".side"))
        script = """return [...document.querySelectorAll('.side-box')].map(box =>
            [...box.querySelectorAll('.bands svg')].flatMap(band => {
                const { x, width } = band.viewBox.baseVal;
                return [...band.querySelectorAll('.word')].filter(word => {
                    const { x: left, width: wide } = word.querySelector('.cell').getBBox();
                    return left >= x && left + wide <= x + width && width <= 960;
                }).map(word => word.querySelector('.form').textContent);
            }))"""
        assert page.execute_script(script) == [[f"w{place}" for place in range(1, 64)]] * 2
    finally:
        page.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": ""})


@pytest.mark.long
@pytest.mark.parametrize(("width", "zoom"), [(400, 1), (1280, 2)])
def test_narrow_and_enlarged_windows_do_not_scroll_sideways(page, width, zoom):
    page.execute_cdp_cmd(
        "Emulation.setDeviceMetricsOverride",
        {"width": width // zoom, "height": 800 // zoom, "deviceScaleFactor": zoom, "mobile": False},
    )
    try:
        assert page.execute_script("return innerWidth") == width // zoom
        assert page.execute_script("const d = document.documentElement; return d.scrollWidth <= d.clientWidth")
    finally:
        page.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})


def test_without_javascript_it_can_be_read(browser, file):
    browser.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": True})
    try:
        browser.get(file.as_uri())
        for selector in ("#scores table", "#figure svg", "#claims table", ".without-script", "#text p"):
            assert find(browser, selector) and all(one.is_displayed() for one in find(browser, selector))
        assert find(browser, "button") == []
    finally:
        browser.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": False})
        browser.get_log("performance")
