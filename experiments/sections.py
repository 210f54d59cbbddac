"""What the scripts here share: a results folder of `permtree run` in, sections of its report out."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Sequence

from permtree.document.document import ReportDocument, Section
from permtree.document.formats import FORMATS, rendered_report
from permtree.errors import PermtreeError
from permtree.study.results import Results, read_results


def show(about: str, sections: Callable[[Results], Sequence[Section]]) -> None:
    """Print sections of a study's report; the arguments are those of the command line. about: a script's docstring."""
    question, _, usage = about.partition("\n\n")
    parser = argparse.ArgumentParser(description=about, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("results", help="folder of results of `permtree run`")
    parser.add_argument("--format", default="markdown", choices=FORMATS)
    given = parser.parse_args()
    try:
        results = read_results(given.results)
        found = list(sections(results))
    except PermtreeError as error:
        print(error, file=sys.stderr)
        sys.exit(error.exit_status)
    report = ReportDocument(
        f"Study {results.study['name']}", " ".join(question.split()), results.study["signature"], found
    )
    sys.stdout.write(rendered_report(report, given.format))
