"""What Gulordava & Merlo (2016) found, claim by claim, beside what a study finds.

Each verdict follows a rule that the claim's note states, and is "can't be said" where the study lacks what it needs.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from statistics import fmean, stdev

import numpy as np

from ..document.document import Claim, Claims
from ..kernels.significance import correlation
from ..study.results import Results, Row
from .analyses import Analyses
from .function_section import Functions, function_claims
from .notes import DLM, ENTROPY, convention
from .paper import paper, paper_value
from .sentence_claims import sentence_claims
from .tables import branching_length, order_of, scores_of_shared_seeds
from .verdicts import CANT, GROWS, grows, p_value, pearson, verdict

ENOUGH = 5  # treebanks for a correlation over them
MANY = 10  # for saying that there is none


def claims(analyses: Analyses, functions: Functions) -> Claims:
    """All claims of the paper, as far as the study can check them."""
    results = analyses.results
    rows = [*property_claims(results), *accuracy_claims(results), *function_claims(functions)]
    return Claims("claims", "The paper's findings, one by one", [*rows, *sentence_claims(analyses)])


def property_claims(results: Results) -> list[Claim]:
    """What the paper found about length and entropy over treebanks (sections 3.4 and 7, Table 1)."""
    return [_independent(results), _crossing(results), _lengths(results), _entropies(results)]


def accuracy_claims(results: Results) -> list[Claim]:
    """What it concluded from mean accuracies (its Tables 2 and 3), for each parser of the study."""
    parsers = [row["parser"] for row in results.parsers]
    return [claim for parser in parsers for claim in (_easier(results, parser), _entropy_first(results, parser))]


# -- properties over treebanks ---------------------------------------------------------------------------------------


def _known(results: Results, *columns: Sequence[float]) -> tuple[list[Row], list[tuple[float, ...]]]:
    """The treebanks that have a value in each column, and the columns of these alone."""
    kept = [not any(map(math.isnan, row)) for row in zip(*columns, strict=True)]
    treebanks = [row for row, keep in zip(results.treebanks, kept, strict=True) if keep]
    return treebanks, [tuple(value for value, keep in zip(own, kept, strict=True) if keep) for own in columns]


def _column(results: Results, mode: str, measure: str) -> list[float]:
    """A property of each treebank in an order."""
    order = order_of(results, mode) or ""
    return [results.measured(row["treebank"], order, measure) for row in results.treebanks]


def _independent(results: Results) -> Claim:
    text = "Over treebanks, DLM ratio and arc-direction entropy of the original order do not correlate."
    theirs = "Spearman 0.32, p > 0.1; 14 treebanks"
    note = (
        f"Spearman's rho of {ENOUGH} treebanks or more. Did not come back: p < 0.1. Came back: no such p over {MANY} "
        "or more; fewer can't show that there is none."
    )
    _, (x, y) = _known(results, _column(results, "original", DLM), _column(results, "original", ENTROPY))
    found = correlation(np.array(x), np.array(y))
    if len(x) < ENOUGH or math.isnan(found.spearman_p):
        return Claim(text, theirs, _count(x), CANT, note)
    ours = f"Spearman {found.spearman:.2f}, {p_value(found.spearman_p)}; {_count(x)}"
    return Claim(
        text, theirs, ours, verdict(False if found.spearman_p < 0.1 else True if len(x) >= MANY else None), note
    )


def _crossing(results: Results) -> Claim:
    text = "Over treebanks, DLM ratio and the share of non-projective arcs of the original order correlate."
    theirs = "Pearson 0.66, p < 0.02; 14 treebanks"
    note = f"Over {ENOUGH} treebanks or more. {GROWS}"
    _, (x, y) = _known(results, _column(results, "original", DLM), _column(results, "original", "nonprojective_arcs"))
    found = correlation(np.array(x), np.array(y))
    if len(x) < ENOUGH or math.isnan(found.pearson):
        return Claim(text, theirs, _count(x), CANT, note)
    ours = f"Pearson's {pearson(found)}; {_count(x)}"
    return Claim(text, theirs, ours, verdict(grows(found, 0.66)), note)


def _lengths(results: Results) -> Claim:
    text = "LB and RB have about the dependency length of the originals, and differ less between treebanks."
    theirs = "DLM ratio of the originals 1.19 (sd 0.07), of LB and RB 1.17 (sd 0.02)"
    note = (
        "Rule: the means differ by less than half of what the originals have above the minimum, 1, and the sd of LB "
        "and RB is the lower one; 2 treebanks or more."
    )
    both = [branching_length(results, row["treebank"]) for row in results.treebanks]
    treebanks, (original, branching) = _known(results, _column(results, "original", DLM), both)
    theirs += _of_these(treebanks, "dlm_ratio", "lbrb_dlm_ratio")
    if len(original) < 2:
        return Claim(text, theirs, f"{_count(original)} with these orders", CANT, note)
    ours = f"originals {_mean_sd(original)}, LB and RB {_mean_sd(branching)}; {_count(original)}"
    near = abs(fmean(original) - fmean(branching)) < (fmean(original) - 1) / 2
    return Claim(text, theirs, ours, verdict(near and stdev(branching) < stdev(original)), note)


def _entropies(results: Results) -> Claim:
    text = "OptDL has a higher arc-direction entropy than the original."
    theirs = "OptDL 0.59 nats (sd 0.03), original 0.27 (sd 0.17; 0.26 and 0.13 by its Table 1)"
    note = "Rule: in every treebank."
    columns = _column(results, "optdl", ENTROPY), _column(results, "original", ENTROPY)
    treebanks, (shortest, original) = _known(results, *columns)
    theirs += _of_these(treebanks, "optdl_entropy", "entropy")
    if not shortest:
        return Claim(text, theirs, "no treebank with both orders", CANT, note)
    unit = convention(results, ENTROPY, "unit")
    ours = f"OptDL {_mean_sd(shortest, unit)}, original {_mean_sd(original, unit)}; {_count(original)}"
    return Claim(text, theirs, ours, verdict(*(a > b for a, b in zip(shortest, original, strict=True))), note)


def _of_these(treebanks: list[Row], *names: str) -> str:
    """The paper's means over those of its treebanks that are compared here."""
    codes = [row["paper"] for row in treebanks if row["paper"] in paper()]
    if not codes:
        return ""
    means = " and ".join(f"{fmean(paper_value(code, name) for code in codes):.2f}" for name in names)
    return f"; {means} over {', '.join(codes)}"


def _mean_sd(values: Sequence[float], unit: str = "") -> str:
    mean = f"{fmean(values):.2f} {unit}".strip()
    return mean + (f" (sd {stdev(values):.2f})" if len(values) > 1 else "")


def _count(values: Sequence[float]) -> str:
    return f"{len(values)} treebank{'s' * (len(values) != 1)}"


# -- accuracy by order -----------------------------------------------------------------------------------------------


def _easier(results: Results, parser: str) -> Claim:
    text = f"All permuted versions are easier than the original on average ({parser})."
    theirs = "UAS of original, OptDL, LB, RB: 85, 86, 91, 91 (MaltParser); 84, 88, 92, 92 (MSTParser)"
    return _all_above_first(results, parser, ("original", "optdl", "lb", "rb"), text, theirs)


def _entropy_first(results: Results, parser: str) -> Claim:
    text = f"LB and RB are easier than OptDL: lower entropy helps more than shorter dependencies ({parser})."
    theirs = "UAS of OptDL, LB, RB: 86, 91, 91 (MaltParser); 88, 92, 92 (MSTParser)"
    return _all_above_first(results, parser, ("optdl", "lb", "rb"), text, theirs)


def _all_above_first(results: Results, parser: str, modes: tuple[str, ...], text: str, theirs: str) -> Claim:
    names = [{"original": mode, "optdl": "OptDL"}.get(mode, mode.upper()) for mode in modes]
    over = "over the treebanks and seeds that have all of these orders"
    note = f"Rule: each mean UAS is above that of {names[0]}, {over}."
    orders = [order_of(results, mode) or "" for mode in modes]
    scores = [scores_of_shared_seeds(results, row["treebank"], parser, orders) for row in results.treebanks]
    columns = [[own[place] for own in scores] for place in range(len(orders))]
    _, (first, *others) = _known(results, *columns)
    if not first:
        return Claim(text, theirs, f"no treebank with {', '.join(names)}", CANT, note)
    shown = [f"UAS of {names[0]} {fmean(first):.1f}"]
    for name, own in zip(names[1:], others, strict=True):
        higher = sum(a > b for a, b in zip(own, first, strict=True))
        shown.append(f"{name} {fmean(own):.1f} (higher in {higher} of {len(first)})")
    return Claim(text, theirs, ", ".join(shown), verdict(*(fmean(own) > fmean(first) for own in others)), note)
