"""A report as one HTML file that opens anywhere, without a network.

Without JavaScript all can be read but the browser of sentences.

The template escapes whatever it is given: a text can't become markup by being forgotten. What is markup (style, script,
pictures, data) is marked as such here, and nowhere else.
"""

from __future__ import annotations

import base64
import hashlib
import math
import re
from importlib import resources
from typing import TYPE_CHECKING

from ..errors import missing_library
from ..pictures.grid import legible
from .browser import embedded
from .document import VERDICTS, CellValue, ReportDocument
from .formats import is_number, number_columns, one_line, shown

if TYPE_CHECKING:
    import jinja2

_SIGNS = {"came back": "✓", "did not come back": "✗", "can't be said": "?"}
_MARKS = {verdict: (re.sub(r"[^a-z]+", "-", verdict), sign) for verdict, sign in _SIGNS.items()}  # class and sign


def html_report(report: ReportDocument) -> str:
    """The page, the same bytes for the same report. Style, script and pictures are within; it asks for nothing.

    Raises UsageError where Jinja2 isn't installed.
    """
    environment = _environment()
    from markupsafe import Markup

    return environment.from_string(_own("page.html")).render(
        report=report,
        sections=list(zip(_anchors([section.name for section in report.sections]), report.sections, strict=True)),
        style=Markup(_own("page.css")),
        script=Markup(_own("drawing.js") + _own("page.js")),
        verdicts=VERDICTS,
        marks=_MARKS,
    )


def check_html() -> None:
    """UsageError where pages can't be made for want of Jinja2: known before a report is computed."""
    _environment()


def _environment() -> jinja2.Environment:
    try:
        from jinja2 import Environment, StrictUndefined
        from markupsafe import Markup
    except ImportError:
        raise missing_library("the page", "Jinja2", "report", " (or choose another --format)") from None
    environment = Environment(
        autoescape=True,
        undefined=StrictUndefined,
        finalize=lambda value: value if isinstance(value, Markup) else legible(one_line(str(value))),
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    environment.filters.update(
        number_columns=number_columns,
        shown=shown,
        sorted_by=_sorted_by,
        sha256=_sha256,
        drawing=lambda svg: Markup(svg[svg.find("<svg") :].strip()),  # without an XML declaration
        embedded=lambda pairs: Markup(embedded(pairs)),
    )
    return environment


def _own(name: str) -> str:
    return (resources.files(__package__) / name).read_text(encoding="utf-8")


def _sha256(text: str) -> str:
    """By which a security policy knows an inline style or script."""
    return base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


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


def _sorted_by(cell: CellValue) -> str:
    """A number with all its digits, as JavaScript writes it; what has no value counts as nan; of a text, nothing."""
    if not (cell is None or is_number(cell)):
        return ""
    return repr(math.nan if cell is None else float(cell)).replace("inf", "Infinity")
