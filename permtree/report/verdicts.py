"""When a claim of the paper came back, and how a result is put into a sentence."""

from __future__ import annotations

import math

from ..document.document import ClaimVerdict
from ..kernels.significance import Correlation

SIGNIFICANT = 0.05
CANT: ClaimVerdict = "can't be said"


def verdict(*holds: bool | None) -> ClaimVerdict:
    """Whether a claim came back: in all cases (True); not, if in one it did not (False); None: can't be said."""
    if not holds or None in holds and False not in holds:
        return CANT
    return "came back" if all(holds) else "did not come back"


def grows(found: Correlation, theirs: float) -> bool | None:
    """Whether two values go together, as the paper found with Pearson's r = theirs.

    True: r > 0 with p < 0.05. False: the 95% interval of r, in two digits as theirs is, lies below theirs. None:
    neither, there are too few items.
    """
    if found.pearson > 0 and found.pearson_p < SIGNIFICANT:
        return True
    high = found.pearson_interval[1]
    return False if math.isfinite(high) and round(high, 2) < theirs else None


GROWS = (
    f"Came back: Pearson's r > 0, p < {SIGNIFICANT}. Did not: the 95% interval of r, in brackets, lies below the "
    "paper's r, in two digits. Neither: can't be said."
)


def p_value(value: float) -> str:
    """A p-value in a sentence."""
    return "p n/a" if math.isnan(value) else f"p = {value:.3f}" if value >= 0.001 else "p < 0.001"


def pearson(found: Correlation) -> str:
    """Pearson's r with its 95% interval and p, in a sentence."""
    if math.isnan(found.pearson):
        return "r n/a"
    low, high = found.pearson_interval
    return f"r = {found.pearson:.2f} [{low:.2f}, {high:.2f}], {p_value(found.pearson_p)}"
