"""Reports in Markdown, TSV and LaTeX: every number is there, and no text is taken for markup."""

from __future__ import annotations

import math
import re
import shutil
import subprocess

import pytest
from hypothesis import given
from hypothesis import strategies as st
from small_report import HOSTILE, TABLE, report

from permtree.document.document import Browser, Claim, Claims, Figure, Paragraphs, ReportDocument, Section, Table
from permtree.document.formats import FORMATS, latex_text, one_line, rendered_report, shown
from permtree.errors import UsageError

TRICKY = st.text(alphabet='ab1 \\`*_[]<>|~$&;#+=-.){}%^"\n\té', max_size=12)


def only(section: Section, style: str) -> str:
    return rendered_report(ReportDocument("title", "", "signature", [section]), style)


def markdown_cells(line: str) -> list[str]:
    return [cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]]


def unescaped(text: str) -> str:
    """What Markdown shows for an escaped text."""
    return re.sub(r"\\([!-/:-@\[-`{-~])", r"\1", text)


@pytest.mark.parametrize("style", FORMATS)
def test_a_report_is_the_same_every_time_and_ends_in_one_newline(style):
    text = rendered_report(report(), style)
    assert text == rendered_report(report(), style)
    assert text.endswith("\n") and not text.endswith("\n\n\n")


def test_an_unknown_format_is_a_usage_error_that_names_the_others():
    with pytest.raises(UsageError, match="markdown, tsv, latex"):
        rendered_report(report(), "docx")


@pytest.mark.parametrize(
    ("cell", "digits", "text"),
    [
        (None, 2, "–"),
        (math.nan, 2, "n/a"),
        (1.005, 1, "1.0"),
        (-0.004, 2, "0.00"),
        (-0.005001, 2, "-0.01"),
        (math.inf, 2, "inf"),
        (-math.inf, 2, "-inf"),
        (12, 2, "12"),
        (1234567, 2, "1234567"),
        ("a\tb\n c", 2, "a b c"),
    ],
)
def test_cells(cell, digits, text):
    assert shown(cell, digits) == text


def test_numbers_of_numpy_are_numbers():
    import numpy as np

    table = Table("t", "t", ["a", "b"], [[np.float64(1.25), np.int64(3)]])
    assert "\n1.25\t3\n" in only(table, "tsv")
    assert "1.2500" in only(Table("t", "t", ["a"], [[np.float32(1.25)]], digits=4), "latex")


def test_rows_and_verdicts_are_checked():
    with pytest.raises(ValueError, match="row 1: 1 cells"):
        Table("t", "t", ["a", "b"], [[1, 2], [1]])
    with pytest.raises(ValueError, match="verdict"):
        Claim("a", "b", "c", "maybe")  # type: ignore[arg-type]


@given(st.lists(st.lists(st.floats() | st.integers() | st.none(), min_size=2, max_size=2), max_size=4))
def test_tsv_has_all_digits(rows):
    lines = only(Table("t", "A title", ["x", "y"], rows, "a note"), "tsv").splitlines()
    block = lines[lines.index("# A title") :]
    assert block[1:3] == ["# a note", "x\ty"]
    for line, row in zip(block[3:], rows, strict=True):
        for text, cell in zip(line.split("\t"), row, strict=True):
            if cell is None or cell != cell:
                assert text == ("–" if cell is None else "n/a")
            else:
                assert type(cell)(text) == cell


def test_tsv_says_what_it_cannot_hold():
    text = rendered_report(report(), "tsv")
    assert "# A figure, drawn in the HTML report.\n" in text
    assert "# 3 pairs of sentences, drawn in the HTML report." in text
    for line in text.splitlines():
        assert line.startswith("#") or not line or "\t" in line


def test_figures_stand_with_their_numbers_and_both_notes():
    text = rendered_report(report(), "tsv")
    figure = text.split("\n\n")[-4]
    assert "a note" in figure and "ten\t10.0\t10" in figure


@given(st.lists(st.tuples(TRICKY, TRICKY), min_size=1, max_size=3))
def test_markdown_tables_hold_the_texts(rows):
    text = only(Table("t", "t", ["a", "b"], [list(row) for row in rows]), "markdown")
    lines = [line for line in text.splitlines() if line.startswith("|")]
    assert len(lines) == len(rows) + 2
    for line, row in zip(lines[2:], rows, strict=True):
        assert [unescaped(cell) for cell in markdown_cells(line)] == [one_line(cell) for cell in row]


@given(TRICKY)
def test_markdown_paragraphs_are_no_markup(paragraph):
    text = only(Paragraphs("t", "t", ["before", paragraph, "after"]), "markdown")
    written = text[text.index("before\n\n") + 8 : text.index("after")].strip("\n")
    assert unescaped(written) == one_line(paragraph)
    bare = re.sub(r"\\[!-/:-@\[-`{-~]", "x", written)
    assert not re.search(r"[`*\[\]<>|~$]", bare)
    assert not re.match(r"([-+#=]|\d+[.)])(\s|$)", bare)


def test_markdown_aligns_numbers_at_the_right():
    lines = only(TABLE, "markdown").splitlines()
    assert next(line for line in lines if line.startswith("|:-")).count("-:|") == 2
    assert re.search(r"^\| tiny +\| +0\.00 \| +8 \|$", "\n".join(lines), re.MULTILINE)


@given(TRICKY)
def test_latex_is_escaped(text):
    escaped = latex_text(text)
    back = escaped
    for name, character in {
        "textasciitilde{}": "~",
        "textasciicircum{}": "^",
        "textasciigrave{}": "`",
        "textless{}": "<",
        "textgreater{}": ">",
        "textbar{}": "|",
        "textquotedbl{}": '"',
    }.items():
        back = back.replace("\\" + name, character)
    back = re.sub(r"-\{\}(?=-)", "-", back)
    back = re.sub(r"\{([\[\]*])\}", r"\1", back)
    back = re.sub(r"\\textbackslash\{\}|\\([&%$#_{}])", lambda found: found[1] or "\\", back)
    assert back == one_line(text)


@pytest.mark.parametrize(
    ("character", "escaped"),
    [
        *((character, "\\" + character) for character in "&%$#_{}"),
        ("~", r"\textasciitilde{}"),
        ("^", r"\textasciicircum{}"),
        ("\\", r"\textbackslash{}"),
        ("–", r"\textendash{}"),
        ("--", "-{}-"),
        ("---", "-{}-{}-"),
    ],
)
def test_latex_specials(character, escaped):
    assert latex_text(f"a{character}b") == f"a{escaped}b"


def test_latex_tables_have_captions_labels_and_rules():
    text = only(TABLE, "latex")
    assert r"\caption{Scores \& more a note}\label{tab:scores}" in text
    assert r"\begin{tabular}{lrr}" in text and r"minus & $-2.50$ & 1000 \\" in text
    assert text.index(r"\toprule") < text.index(r"\midrule") < text.index(r"\bottomrule")
    assert r"none & \textendash{} & \textendash{} \\" in text


def test_long_latex_tables_go_over_pages():
    text = only(Table("long", "Long", ["n"], [[number] for number in range(100)]), "latex")
    assert r"\begin{longtable}{r}" in text and r"\begin{table}" not in text


def test_latex_compiles(tmp_path):
    if not shutil.which("pdflatex"):
        pytest.skip("pdflatex isn't installed")
    latin = [text for text in HOSTILE if text.isascii()]
    sections = [
        Paragraphs("text", latin[0], latin),
        Table("t", latin[3], latin, [latin, latin[::-1]], latin[2]),
        TABLE,
        Table("empty", "No rows", ["a"], []),
        Table("long", "Long", ["n"], [[number] for number in range(100)]),
    ]
    (tmp_path / "report.tex").write_text(
        rendered_report(ReportDocument(latin[0], latin[3], latin[2], sections), "latex")
    )
    packages = r"\usepackage[T1]{fontenc}\usepackage{array,booktabs,longtable}"
    main = rf"\documentclass{{article}}{packages}\begin{{document}}\input{{report}}\end{{document}}"
    (tmp_path / "main.tex").write_text(main)
    command = ["pdflatex", "-halt-on-error", "-interaction=nonstopmode", "-no-shell-escape", "main.tex"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout[-2000:]


@pytest.mark.parametrize("style", FORMATS)
def test_a_figure_or_claims_read_as_the_table_that_they_are(style):
    numbers = Table("n", "numbers", ["a", "b"], [[1.25, None], [2.5, "x"]], "of the table", digits=1)
    figure = Figure("f", "drawn", "<svg/>", "of the figure", numbers)
    same = Table("f", "drawn", numbers.header, numbers.rows, "of the figure of the table", digits=1)
    assert only(figure, style) == only(same, style)
    claims = Claims(
        "c", "claims", [Claim("text", "paper", "ours", "came back"), Claim("t", "p", "o", "came back", "n")]
    )
    rows = [["text", "paper", "ours", "came back", None], ["t", "p", "o", "came back", "n"]]
    assert only(claims, style) == only(
        Table("c", "claims", ["claim", "paper", "ours", "verdict", "note"], rows, wide=True), style
    )


@pytest.mark.parametrize("style", FORMATS)
def test_what_is_no_table_is_told_in_lines(style):
    pair = Browser("p", "title", [], "see there")
    drawn = Figure("p", "title", "<svg/>", "see there")
    for section, line in [
        (pair, "0 pairs of sentences, drawn in the HTML report. see there"),
        (drawn, "A figure, drawn in the HTML report. see there"),
    ]:
        assert only(section, style) == only(Paragraphs("p", "title", [line]), style)
