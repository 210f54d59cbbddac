"""Dependency length: observed, minimal, expected, and the ratios between them."""

import numpy as np

from ..kernels.optimal import log2_optimal_orders, minimal_lengths
from ..kernels.unrestricted import minimal_unrestricted_lengths
from ..treebank import Treebank
from ..types import Floats, Ints
from . import Conventions, arc_distance, arcs, each_sentence, measure, per_sentence, ratio, sentence_lengths, total

GULORDAVA_MERLO = "Gulordava & Merlo (2016), TACL 4, section 2"
LENGTH = ("length",)
SHILOACH = "Shiloach (1979), SIAM Journal on Computing 8(1), as corrected by Esteban & Ferrer-i-Cancho (2017), 46(3)"
GROWTH = "Time grows nearly with the words, also in stars and chains, and at worst as n^2.2 of a sentence's length n"


def _observed(treebank: Treebank, conventions: Conventions) -> Ints:
    return sentence_lengths(treebank, per_sentence(treebank, arc_distance(treebank)), conventions)


def _minimal(treebank: Treebank, conventions: Conventions) -> Ints:
    return sentence_lengths(treebank, per_sentence(treebank, minimal_lengths(treebank)), conventions)


def _expected(treebank: Treebank, conventions: Conventions) -> Floats:
    by_chance = per_sentence(treebank, arcs(treebank)) * (treebank.sentence_length + 1) / 3
    return sentence_lengths(treebank, by_chance, conventions)


@measure(
    "dlm_ratio",
    kind="sentence",
    score=ratio,
    what="sum of DL(s)/|s|^2 over sum of OptDL(s)/|s|^2, OptDL the minimal projective length",
    unit="ratio",
    range="1 (minimal) and more; below 1 only where a non-projective order beats the projective minimum",
    source=GULORDAVA_MERLO,
    uses=LENGTH,
)
def dlm_ratio(treebank: Treebank, conventions: Conventions) -> Floats:
    square = np.maximum(treebank.sentence_length, 1).astype(np.float64) ** 2
    pair = [_observed(treebank, conventions), _minimal(treebank, conventions)]
    return np.stack([length / square for length in pair], axis=1)


@measure(
    "dl_total",
    kind="sentence",
    score=total,
    what="summed length of all arcs",
    unit="words",
    range="0 and more",
    empty="0",
    source="Hudson (1995); Futrell, Mahowald & Gibson (2015), PNAS 112(33)",
    uses=LENGTH,
)
def dl_total(treebank: Treebank, conventions: Conventions) -> Ints:
    return _observed(treebank, conventions)[:, None]


@measure(
    "dl_min_total",
    kind="sentence",
    score=total,
    what="summed minimal length over all projective orders; several roots: each tree by itself",
    unit="words",
    range="0 and more",
    empty="0",
    source="Gildea & Temperley (2007), ACL",
    uses=LENGTH,
)
def dl_min_total(treebank: Treebank, conventions: Conventions) -> Ints:
    return _minimal(treebank, conventions)[:, None]


@measure(
    "dl_min_unrestricted",
    kind="sentence",
    score=total,
    what="summed minimal length over all orders, projective or not; several roots: each tree by itself. " + GROWTH,
    unit="words",
    range="0 to dl_min_total",
    empty="0",
    source=SHILOACH,
    uses=LENGTH,
)
def dl_min_unrestricted(treebank: Treebank, conventions: Conventions) -> Ints:
    return sentence_lengths(treebank, minimal_unrestricted_lengths(treebank), conventions)[:, None]


@measure(
    "mdd",
    kind="arc",
    score=ratio,
    what="mean dependency distance: summed length of all arcs over their number; the root's arc has no length. By "
    "distance, adjacent words 1, in every profile, unless --length says otherwise",
    unit="words",
    range="1 and more (span: 2 and more)",
    source="Liu (2008), Journal of Cognitive Science 9(2)",
    uses=LENGTH,
    own={"length": "distance"},
)
def mean_dependency_distance(treebank: Treebank, conventions: Conventions) -> Ints:
    arc = arcs(treebank)
    return np.stack([arc_distance(treebank) + conventions.per_arc * arc, arc], axis=1)


@measure(
    "dl_expected_projective",
    kind="sentence",
    score=total,
    what="summed expected length of a uniformly random projective order; several roots: each tree by itself",
    unit="words",
    range="0 and more",
    empty="0",
    source="sum over words v of n_v(2k_v+1), less 1 per tree, over 6: Alemany-Puig & Ferrer-i-Cancho (2022), "
    "Computational Linguistics 48(3)",
    uses=LENGTH,
)
def dl_expected_projective(treebank: Treebank, conventions: Conventions) -> Floats:
    sixfold = per_sentence(treebank, treebank.subtree_size * (2 * treebank.n_dependents + 1)) - treebank.n_roots
    return sentence_lengths(treebank, sixfold / 6, conventions)[:, None]


@measure(
    "dl_expected",
    kind="sentence",
    score=total,
    what="summed expected length of a uniformly random order, projective or not: arcs (n+1)/3, for one tree (n^2-1)/3",
    unit="words",
    range="0 and more",
    empty="0",
    source="Ferrer-i-Cancho (2004), Physical Review E 70, 056135",
    uses=LENGTH,
)
def dl_expected(treebank: Treebank, conventions: Conventions) -> Floats:
    return _expected(treebank, conventions)[:, None]


@measure(
    "omega",
    kind="sentence",
    score=ratio,
    what="mean over sentences of (E - D)/(E - Dmin): E of random orders (dl_expected), D observed, Dmin the minimum "
    "over all orders (dl_min_unrestricted); 1 minimal, 0 as by chance. Over sentences of three words or more with an "
    "arc; without one E equals Dmin, and there is no value. " + GROWTH,
    unit="ratio",
    range="to 1 (every sentence minimal); negative: longer than chance",
    source="Ferrer-i-Cancho, Gómez-Rodríguez, Esteban & Alemany-Puig (2022), Physical Review E 105, 014308",
)
def omega(treebank: Treebank, conventions: Conventions) -> Floats:
    n_arcs = per_sentence(treebank, arcs(treebank))
    expected = n_arcs * (treebank.sentence_length + 1)  # all three times, in whole numbers
    gained = expected - 3 * per_sentence(treebank, arc_distance(treebank))
    possible = expected - 3 * minimal_unrestricted_lengths(treebank)
    counted = (treebank.sentence_length >= 3) & (n_arcs > 0)
    return np.stack([np.where(counted, gained / np.where(counted, possible, 1), 0), counted], axis=1)


def _pooled_score(totals: Floats) -> float:
    return ratio(np.array([totals[0] - totals[1], totals[0] - totals[2]]))


@measure(
    "omega_pooled",
    kind="sentence",
    score=_pooled_score,
    what="(E - D)/(E - Dmin) of the summed lengths: E of random orders (dl_expected), D observed, Dmin the projective "
    "minimum; 1 optimal, 0 as by chance",
    unit="ratio",
    range="to 1 (a little more where a non-projective order beats the minimum); negative: longer than chance",
    source="after Ferrer-i-Cancho et al. (2022), Physical Review E 105, 014308, whose own measure is omega",
)
def omega_pooled(treebank: Treebank, conventions: Conventions) -> Floats:
    distance = Conventions(length="distance")  # what an arc or a root adds cancels out
    parts = [f(treebank, distance) for f in (_expected, _observed, _minimal)]
    return np.stack(parts, axis=1).astype(np.float64)


@measure(
    "optimal_orders_log2",
    kind="sentence",
    score=ratio,
    what="mean over sentences of log2 of the number of projective orders of minimal length",
    unit="bits a sentence",
    range="0 and more",
    source="counted from the free choices of Gildea & Temperley's (2007) order",
)
def optimal_orders_log2(treebank: Treebank, conventions: Conventions) -> Floats | Ints:
    return each_sentence(log2_optimal_orders(treebank))
