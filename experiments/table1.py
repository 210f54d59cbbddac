"""How long are the dependencies of the original treebanks, and how free is their order?

Table 1 of Gulordava & Merlo (2016), their figures in brackets. Needs cells of the kind measure alone:
permtree run STUDY --only measure, then python experiments/table1.py STUDY.results
"""

from sections import show

from permtree.report.tables import table_1

show(__doc__ or "", lambda results: [table_1(results)])
