"""What do the artificial orders do to dependency length and entropy?

Columns of Table 1 of Gulordava & Merlo (2016), their figures in brackets, and all properties of all orders. Needs cells
of the kind measure alone: permtree run STUDY --only measure, then python experiments/table2.py STUDY.results
"""

from sections import show

from permtree.report.tables import properties_table, table_2

show(__doc__ or "", lambda results: [table_2(results), properties_table(results)])
