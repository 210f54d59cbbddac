"""Left- and right-branching orders mirror each other: why is one of them easier?

Gulordava & Merlo (2016), section 4: on the Greek New Testament MaltParser has a LAS of 85 in LB and 73 in RB. The
difference grows with the branching factor of a sentence, and one-word dependents of one head get confused when they
follow it; in Spanish RB is the easier one. After permtree run STUDY: python experiments/left_or_right.py STUDY.results
"""

from sections import show

from permtree.document.document import Claims, Section
from permtree.report.analyses import Analyses
from permtree.report.pair_tables import one_word_confusions_table, one_word_table
from permtree.report.sentence_claims import gain_with_branching, one_word_dependents_in_rb, spanish
from permtree.study.results import Results


def sections(results: Results) -> list[Section]:
    """The claims, what happens to one-word dependents, and how their relations are confused."""
    analyses = Analyses(results)
    claims = [claim for of in (gain_with_branching, one_word_dependents_in_rb, spanish) for claim in of(analyses)]
    return [Claims("claims", "The claims", claims), one_word_table(analyses), one_word_confusions_table(analyses)]


show(__doc__ or "", sections)
