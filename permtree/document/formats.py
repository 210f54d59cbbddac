"""A report as text: Markdown to read, TSV to compute with, LaTeX to put into a paper."""

from __future__ import annotations

import math
import re
from numbers import Integral, Real
from typing import TypeGuard

from ..errors import UsageError
from ..tables import rendered
from .document import CellValue, ReportDocument, Section, Table

FORMATS = ("markdown", "tsv", "latex")
_LONG = 40  # rows; a longer table goes over several pages in LaTeX


def rendered_report(report: ReportDocument, style: str) -> str:
    """A report as text that ends in a newline. style: of `FORMATS`.

    TSV has all digits; a block for each table under a line `# title`, and what is no table in lines that begin with
    `#`. LaTeX is to be read by `\\input`; its first lines name the packages that it needs. Pictures are replaced by
    the numbers behind them, pairs of sentences by their number.
    """
    if style not in FORMATS:
        raise UsageError(f"no format {style!r} for reports: one of {', '.join(FORMATS)}")
    return {"markdown": _markdown, "tsv": _tsv, "latex": _latex}[style](report)


def shown(cell: CellValue, digits: int) -> str:
    """A cell as people read it: floats with `digits` decimals, nan as "n/a", None as "–"; on one line."""
    if cell is None:
        return "–"
    if isinstance(cell, Real) and not isinstance(cell, Integral):
        if math.isnan(cell):
            return "n/a"
        text = f"{float(cell):.{digits}f}"
        return text if re.search("[1-9f]", text) else text.removeprefix("-")  # f: of inf
    return one_line(str(cell))


def one_line(text: str) -> str:
    """A text with runs of white space as one space."""
    return " ".join(text.split())


def is_number(cell: CellValue) -> TypeGuard[float]:
    """Whether a cell counts as a number; nan does, None does not."""
    return isinstance(cell, Real)


def number_columns(table: Table) -> list[bool]:
    """Of each column, whether it holds numbers (and None) only; such columns are aligned at the right."""
    columns = [[row[place] for row in table.rows] for place in range(len(table.header))]
    return [any(map(is_number, cells)) and all(cell is None or is_number(cell) for cell in cells) for cells in columns]


# Markdown


def _markdown(report: ReportDocument) -> str:
    signature = one_line(report.signature)
    signature = f"`{signature}`" if "`" not in signature else _plain(signature)  # which can be copied as it is
    head = [f"# {_plain(report.title)}", _plain(report.question), f"Signature: {signature}"]
    blocks = head + [block for section in report.sections for block in _markdown_section(section)]
    return "\n\n".join(filter(None, blocks)) + "\n"


def _markdown_section(section: Section) -> list[str]:
    title = f"## {_plain(section.title)}"
    table = section.as_table()
    if table is None:
        return [title, *map(_plain, section.lines())]
    from tabulate import tabulate

    rows = [[_plain(shown(cell, table.digits)) for cell in row] for row in table.rows]
    align = ["right" if number else "left" for number in number_columns(table)]
    header = [_plain(name) for name in table.header]
    drawn = tabulate(rows, header, tablefmt="pipe", disable_numparse=True, colalign=align if rows else None)
    return [title, drawn, _plain(table.note)]


def _plain(text: str) -> str:
    """A text that Markdown shows as it is. Underscores within words and lonely ampersands need no escape."""
    text = re.sub(r"[\\`*\[\]<>|~$]", r"\\\g<0>", one_line(text))
    text = re.sub(r"(?<![^\W_])_|_(?![^\W_])", r"\\_", text)
    text = re.sub(r"&(?=#?\w+;)", r"\\&", text)
    return re.sub(r"^(\d*)([#+=.)-])(?=[#+=-]*(?:\s|$))", r"\1\\\2", text)  # would begin a heading or a list


# TSV


def _tsv(report: ReportDocument) -> str:
    head = "".join(f"# {one_line(line)}\n" for line in [report.title, report.question, report.signature] if line)
    return "\n".join([head, *map(_tsv_section, report.sections)])


def _tsv_section(section: Section) -> str:
    table = section.as_table()
    if table is None:
        lines, block = section.lines(), ""
    else:
        rows = [[_exact(cell) for cell in row] for row in table.rows]
        block = rendered([one_line(name) for name in table.header], rows, "tsv")
        lines = [table.note] if table.note else []
    return "".join(f"# {one_line(line)}\n" for line in [section.title, *lines]) + block


def _exact(cell: CellValue) -> CellValue:
    if isinstance(cell, Real) and not isinstance(cell, Integral):
        return float(cell)
    return shown(cell, 0)


# LaTeX

_LATEX = {
    **{character: "\\" + character for character in "&%$#_{}"},
    **{"~": r"\textasciitilde{}", "^": r"\textasciicircum{}", "\\": r"\textbackslash{}", "`": r"\textasciigrave{}"},
    **{"<": r"\textless{}", ">": r"\textgreater{}", "|": r"\textbar{}", '"': r"\textquotedbl{}"},
    # at the start of a row, [ and * would belong to the end of the row before it
    **{"[": "{[}", "]": "{]}", "*": "{*}"},
    **{
        "–": r"\textendash{}",
        "—": r"\textemdash{}",
        "−": "$-$",
        "×": r"$\times$",
        "≠": r"$\neq$",
        "≤": r"$\leq$",
        "≥": r"$\geq$",
    },
    **{"²": r"$^2$", "Δ": r"$\Delta$", "±": r"$\pm$", "…": r"\ldots{}", "→": r"$\rightarrow$"},
}
_LATEX_HEAD = r"""% To be read by \input. In the preamble: \usepackage[T1]{fontenc}
% and \usepackage{array,booktabs,longtable}.
% Words in other scripts need LuaLaTeX or XeLaTeX and a font that has them.
"""


def _latex(report: ReportDocument) -> str:
    head = [f"\\section*{{{latex_text(report.title)}}}", latex_text(report.question), latex_text(report.signature)]
    blocks = head + [_latex_section(section) for section in report.sections]
    return _LATEX_HEAD + "\n\n".join(filter(None, blocks)) + "\n"


def latex_text(text: str) -> str:
    """A text that LaTeX prints as it is, on one line."""
    escaped = "".join(_LATEX.get(character, character) for character in one_line(text))
    return re.sub("-(?=-)", "-{}", escaped)  # two hyphens would become a dash


def _latex_section(section: Section) -> str:
    table = section.as_table()
    if table is not None:
        return _latex_table(table)
    return f"\\paragraph{{{latex_text(section.title)}}}\n" + "\n\n".join(map(latex_text, section.lines()))


def _latex_table(table: Table) -> str:
    rows = [" & ".join(_latex_cell(cell, table.digits) for cell in row) + r" \\" for row in table.rows]
    header = " & ".join(map(latex_text, table.header)) + r" \\"
    share = r">{\raggedright\arraybackslash}p{%.2f\linewidth}" % (0.88 / max(len(table.header), 1))
    columns = "".join("r" if number else "l" for number in number_columns(table))
    if table.wide:
        columns = share * len(table.header)
    label = "tab:" + re.sub(r"[^A-Za-z0-9-]+", "-", table.name)
    caption = rf"\caption{{{latex_text(' '.join(filter(None, [table.title, table.note])))}}}\label{{{label}}}"
    if len(rows) > _LONG:
        lines = [
            rf"\begin{{longtable}}{{{columns}}}",
            caption + r" \\",
            r"\toprule",
            header,
            r"\midrule",
            r"\endfirsthead",
        ]
        lines += [r"\toprule", header, r"\midrule", r"\endhead", r"\bottomrule", r"\endfoot", *rows, r"\end{longtable}"]
        return "\n".join(lines)
    lines = [r"\begin{table}[htbp]", r"\centering", caption, rf"\begin{{tabular}}{{{columns}}}", r"\toprule", header]
    return "\n".join([*lines, r"\midrule", *rows, r"\bottomrule", r"\end{tabular}", r"\end{table}"])


def _latex_cell(cell: CellValue, digits: int) -> str:
    text = shown(cell, digits)
    return f"${text}$" if is_number(cell) and text.startswith("-") else latex_text(text)
