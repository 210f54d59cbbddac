"""Are the artificial orders easier to parse than the original, and is lower entropy worth more than shorter arcs?

Tables 2 (MaltParser) and 3 (MSTParser) of Gulordava & Merlo (2016), their figures in brackets beside each of our
parsers; the claims that rest on them; and how sure each difference is. After permtree run STUDY: python
experiments/table3.py STUDY.results
"""

from sections import show

from permtree.document.document import Claims, Section
from permtree.report.analyses import Analyses
from permtree.report.claims import accuracy_claims
from permtree.report.pair_tables import significance_table
from permtree.report.tables import table_3
from permtree.study.results import Results


def sections(results: Results) -> list[Section]:
    """A table for each parser, the claims, the tests."""
    tables = [table_3(results, row["parser"]) for row in results.parsers]
    claims = Claims("claims", "What the paper concludes from it", accuracy_claims(results))
    return [*tables, claims, significance_table(Analyses(results))]


show(__doc__ or "", sections)
