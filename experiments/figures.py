"""Does accuracy rise where length and entropy fall?

Figures 1 (OptDL) and 2 (RB) of Gulordava & Merlo (2016), and a dose-response plot for each dial of a study, as SVG.
After permtree run STUDY: python experiments/figures.py STUDY.results FOLDER
"""

from __future__ import annotations

import sys
from pathlib import Path

from permtree.errors import PermtreeError
from permtree.report.plots import dose_figures, paper_figures
from permtree.study.results import read_results


def main(arguments: list[str]) -> int:
    if len(arguments) != 2:
        print(__doc__, file=sys.stderr)
        return 2
    folder = Path(arguments[1])
    try:
        results = read_results(arguments[0])
        figures = [*paper_figures(results), *dose_figures(results)]
        for figure in figures:
            folder.mkdir(parents=True, exist_ok=True)
            (folder / f"{figure.name}.svg").write_text(figure.svg, encoding="utf-8")
            print(f"{folder / figure.name}.svg: {figure.title}")
    except PermtreeError as error:
        print(error, file=sys.stderr)
        return error.exit_status
    except OSError as fault:
        print(f"{folder}: {fault.strerror}", file=sys.stderr)
        return 2
    if not figures:
        print("nothing to draw: no scores of the orders original and optdl or rb, nor of a dial", file=sys.stderr)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
