"""How does accuracy follow from dependency length, entropy and other properties of word order?

The function f, which Gulordava & Merlo (2016) leave open: fitted over all cells of a study, with intervals, what each
property adds, and the error for a treebank that was left out; and whether entropy weighs more than length.
After permtree run STUDY: python experiments/length_or_entropy.py STUDY.results
"""

from sections import show

from permtree.document.document import Claims, Section
from permtree.report.function_section import function_claims, function_sections, functions
from permtree.study.results import Results


def sections(results: Results) -> list[Section]:
    """The claim, then what it rests on."""
    fitted = functions(results)
    return [Claims("claim", "The claim", function_claims(fitted)), *function_sections(fitted)]


show(__doc__ or "", sections)
