"""A report as one HTML file that opens anywhere, without a network.

Without JavaScript all can be read but the browser of sentences.
"""

from __future__ import annotations

import base64
import hashlib
import math
import re
from functools import partial
from html import escape
from importlib import resources

from ..pictures.grid import legible
from .browser import embedded
from .document import VERDICTS, Browser, Cell, Claims, Figure, Report, Section, Table, Text
from .formats import is_number, number_columns, one_line, shown

_SIGNS = {"came back": "✓", "did not come back": "✗", "can't be said": "?"}


def html_report(report: Report) -> str:
    """The page, the same bytes for the same report. Style, script and pictures are within; it asks for nothing."""
    style, script = _own("page.css"), _own("drawing.js") + _own("page.js")
    policy = f"default-src 'none'; style-src {_hash(style)}; script-src {_hash(script)}; base-uri 'none'"
    anchors = _anchors([section.name for section in report.sections])
    named = list(zip(anchors, report.sections, strict=True))
    items = [f'<li><a href="#{anchor}">{_text(section.title)}</a></li>' for anchor, section in named]
    contents = '<nav aria-labelledby="contents"><h2 id="contents">Contents</h2><ol>' + "".join(items) + "</ol></nav>"
    return "\n".join(
        [
            "<!DOCTYPE html>",
            '<html lang="en">',
            "<head>",
            '<meta charset="utf-8">',
            f'<meta http-equiv="Content-Security-Policy" content="{policy}">',
            '<meta name="viewport" content="width=device-width, initial-scale=1">',
            '<meta name="referrer" content="no-referrer">',
            f"<title>{_text(report.title)}</title>",
            f"<style>{style}</style>",
            "</head>",
            "<body>",
            '<a class="skip" href="#main">Skip to the report</a>',
            f'<header><h1>{_text(report.title)}</h1><p class="question">{_text(report.question)}</p></header>',
            *([contents] if items else []),
            '<main id="main" tabindex="-1">',
            *[_section(anchor, section) for anchor, section in named],
            "</main>",
            f'<footer><p>Made by <code class="signature">{_text(report.signature)}</code></p></footer>',
            f"<script>{script}</script>",
            "</body>",
            "</html>\n",
        ]
    )


def _own(name: str) -> str:
    return (resources.files(__package__) / name).read_text(encoding="utf-8")


def _hash(text: str) -> str:
    """What a security policy calls an inline style or script."""
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"


def _anchors(names: list[str]) -> list[str]:
    """An id for each name, of harmless characters; those that would be there twice are numbered."""
    taken: set[str] = {"main", "contents"}
    result = []
    for name in names:
        plain = re.sub(r"[^A-Za-z0-9_-]+", "-", name).strip("-") or "section"
        anchor, again = plain, 1
        while anchor in taken:
            again += 1
            anchor = f"{plain}-{again}"
        taken.add(anchor)
        result.append(anchor)
    return result


def _text(text: str) -> str:
    """A text for an element or an attribute."""
    return escape(legible(one_line(text)), quote=True)


def _section(anchor: str, section: Section) -> str:
    if isinstance(section, Table):
        body = _table(section, f"{anchor}-title") + _note(section.note)
    elif isinstance(section, Figure):
        body = _figure(section, f"{anchor}-title")
    elif isinstance(section, Text):
        body = "\n".join(f"<p>{_text(paragraph)}</p>" for paragraph in section.paragraphs)
    elif isinstance(section, Claims):
        body = _claims(section, f"{anchor}-title")
    else:
        assert isinstance(section, Browser)
        body = _browser(section, anchor)
    kind = type(section).__name__.lower()
    heading = f'<h2 id="{anchor}-title">{_text(section.title)}</h2>'
    return f'<section id="{anchor}" class="{kind}" aria-labelledby="{anchor}-title">\n{heading}\n{body}\n</section>'


def _note(note: str) -> str:
    return f'\n<p class="note">{_text(note)}</p>' if note else ""


def _scrolling(inside: str, heading: str) -> str:
    """A box that scrolls sideways by itself, for the keyboard, too. heading: the id of what names it."""
    return f'<div class="scroll" tabindex="0" role="region" aria-labelledby="{heading}">{inside}</div>'


def _table(table: Table, heading: str) -> str:
    numbers = number_columns(table)
    names = zip(numbers, table.header, strict=True)
    header = "".join(f'<th scope="col"{" class=number" * number}>{_text(name)}</th>' for number, name in names)
    cells = partial(_cell, digits=table.digits)
    rows = "\n".join("<tr>" + "".join(map(cells, row, numbers)) + "</tr>" for row in table.rows)
    if not rows:
        rows = f'<tr><td colspan="{max(len(table.header), 1)}">no rows</td></tr>'
    inside = f"<thead><tr>{header}</tr></thead>\n<tbody>{rows}</tbody>"
    return _scrolling(f'<table class="sortable" aria-labelledby="{heading}">{inside}</table>', heading)


def _cell(cell: Cell, number: bool, digits: int) -> str:
    """number: in a column of numbers."""
    return f"<td{' class=number' * number}{_sorted_by(cell)}>{_text(shown(cell, digits))}</td>"


def _sorted_by(cell: Cell) -> str:
    """A number with all its digits, as JavaScript writes it; what has no value counts as nan."""
    if not (cell is None or is_number(cell)):
        return ""
    value = math.nan if cell is None else float(cell)
    return f' data-value="{repr(value).replace("inf", "Infinity")}"'


def _figure(figure: Figure, heading: str) -> str:
    drawing = figure.svg[figure.svg.find("<svg") :].strip()  # without an XML declaration
    parts = ["<figure>", _scrolling(drawing, heading)]
    if figure.note:
        parts.append(f"<figcaption>{_text(figure.note)}</figcaption>")
    parts.append("</figure>")
    if figure.table:
        table = _table(figure.table, heading) + _note(figure.table.note)
        parts.append(f"<details><summary>The numbers behind the figure</summary>\n{table}</details>")
    return "\n".join(parts)


def _claims(claims: Claims, heading: str) -> str:
    counts = {verdict: sum(claim.verdict == verdict for claim in claims.rows) for verdict in VERDICTS}
    told = ", ".join(f"{count} {verdict}" for verdict, count in counts.items())
    rows = []
    for claim in claims.rows:
        kind = re.sub(r"[^a-z]+", "-", claim.verdict)
        sign = f'<span class="sign" aria-hidden="true">{_SIGNS[claim.verdict]}</span>'
        verdict = f'<td class="verdict {kind}">{sign} {_text(claim.verdict)}</td>'
        texts = [f"<td>{_text(text)}</td>" for text in (claim.paper, claim.ours)]
        rows.append(
            f'<tr><th scope="row">{_text(claim.text)}</th>{"".join(texts)}{verdict}<td>{_text(claim.note)}</td></tr>'
        )
    header = "".join(f'<th scope="col">{name}</th>' for name in ("Claim", "Paper", "Here", "Verdict", "Note"))
    inside = f'<table aria-labelledby="{heading}"><thead><tr>{header}</tr></thead>\n<tbody>' + "\n".join(rows)
    return f"<p>Of {len(claims.rows)} claims: {told}.</p>\n" + _scrolling(inside + "</tbody></table>", heading)


def _browser(browser: Browser, anchor: str) -> str:
    """An empty place for the page's script to fill, and the sentences as data."""
    hint = (
        f'<p class="without-script">{len(browser.pairs):,} pairs of sentences, which need JavaScript to be drawn.</p>'
    )
    data = f'<script type="application/json" id="{anchor}-data">{embedded(browser.pairs)}</script>'
    return f'{_note(browser.note).strip()}\n{hint}\n<div class="pairs" data-source="{anchor}-data"></div>\n{data}'
