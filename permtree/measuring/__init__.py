"""Measuring: statistics collected piece by piece, intervals and comparisons of two treebanks."""

from __future__ import annotations

from collections.abc import Sequence

from ..profiles import DEFAULT_PROFILE, profile_with
from ..treebank import Treebank
from .collector import Collector, Measurement
from .resampling import with_intervals


def measure(
    treebank: Treebank,
    *names: str,
    profile: str = DEFAULT_PROFILE,
    by: str | None = None,
    ci: int | None = None,
    seed: int = 0,
    **settings: str | Sequence[str] | bool | None,
) -> Measurement:
    """Measure a treebank: measure(treebank, "dlm_ratio", "mdd", profile="lal")["mdd"].value.

    names: as `permtree list` gives them, by default mean sentence length, DLM ratio and arc-direction entropy.
    profile: conventions and policies; settings replace single ones (`permtree.measures.Conventions`, `Policies`):
    length ("distance", "span", "span+root"), unit ("nats", "bits"), estimator of entropies ("plugin", "miller-madow",
    "chao-shen", "nsb"), context of arc-direction entropy ("deprel+head+dependent", "deprel+head", "deprel+dependent",
    "deprel"), root_arcs, punct ("keep", "strip", "exclude", "final"), roots, nonprojective, punct_tag.
    by: "sentence", "deprel", "length", "file" or "displacement" also gives a row a group.
    ci: resamples for a bootstrap interval of each value (`Value.interval`), drawn with `seed`.
    Raises UsageError for unknown names, DataError for a sentence that is no tree.
    """
    chosen = profile_with(profile, **settings)
    collector = Collector(names, chosen, by, single_sentences=ci is not None)
    collector.add(treebank, file=treebank.name)
    if ci is None:
        return collector.result()
    return with_intervals(collector, ci, seed)
