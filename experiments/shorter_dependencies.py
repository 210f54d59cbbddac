"""Does a sentence gain from right-branching order what its dependencies lose in length?

Gulordava & Merlo (2016), section 4: over the sentences of the Dutch test part UAS(RB) - UAS(original) correlates with
DL(original) - DL(RB). Here for each treebank and parser of a study, beside accuracy by arc length and sentence length.
After permtree run STUDY: python experiments/shorter_dependencies.py STUDY.results
"""

from sections import show

from permtree.document.document import Claims, Section
from permtree.report.analyses import Analyses
from permtree.report.pair_tables import correlation_table, group_tables
from permtree.report.sentence_claims import gain_with_length
from permtree.study.results import Results


def sections(results: Results) -> list[Section]:
    """The claim, the correlations of all pairs of orders, and where the arcs are that change."""
    analyses = Analyses(results)
    by_length = [table for table in group_tables(analyses) if table.name.endswith("-length")]
    return [Claims("claim", "The claim", gain_with_length(analyses)), correlation_table(analyses), *by_length]


show(__doc__ or "", sections)
