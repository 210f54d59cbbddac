"""Tables about minimal pairs: how sure differences are, what they go with, and where they are."""

from __future__ import annotations

from ..document.document import Browser, CellValue, Table
from .analyses import ONE_SEED, Analyses
from .browser import pair_of_sentences
from .notes import final_punctuation_note, noted
from .tables import order_of

PLACE = ["treebank", "parser", "a", "b"]
MOST_RELATIONS = 15  # of each pair
MOST_CONFUSIONS = 10  # of each pair
_ONE_WORD = "One-word dependents: words without dependents that share their head with another such word."
_P_VALUES = "p is not corrected for the number of tests; 0.0000 is less than 0.00005."


def significance_table(analyses: Analyses) -> Table:
    """UAS and LAS of both sides, the difference with its interval, and three tests."""
    rows: list[list[CellValue]] = []
    for place in analyses.places():
        for score, one in analyses.analysis(place).scores.items():
            tests = [one.permutation.p_value, one.mcnemar.p_value, one.paired_t.p_value]
            rows.append([*place, score.upper(), one.a, one.b, one.difference, *one.interval, *tests])
    header = [*PLACE, "score", "a, %", "b, %", "b - a", "low", "high", "p permutation", "p McNemar", "p t test"]
    note = (
        f"{ONE_SEED} Interval: 95%, paired bootstrap over sentences. Permutation test: sides of whole sentences "
        f"swapped; with {analyses.resamples} resamples p is {1 / (1 + analyses.resamples):.4f} or more. McNemar's "
        "test: over words, which it takes for independent. t test: paired, over the scores of sentences, each counting "
        f"once. Intervals and tests are of two models as they were trained: they don't know what another seed changes. "
        f"{_P_VALUES}"
    )
    note = noted(note, _faults_note(analyses))
    return Table("significance", "How sure the differences are", header, rows, note, digits=4)


def _faults_note(analyses: Analyses) -> str:
    """What is odd about predictions, counted; empty where nothing."""
    found = dict.fromkeys(
        f"{place.treebank}, {place.parser}, {what}: {count}"
        for place in analyses.places()
        for what, count in analyses.analysis(place).faults.items()
    )
    return f"Odd in the predictions: {'; '.join(found)}." if found else ""


def correlation_table(analyses: Analyses) -> Table:
    """Differences of accuracy against dependency length and branching, over sentences."""
    rows: list[list[CellValue]] = []
    for place in analyses.places():
        for (y, x), one in analyses.analysis(place).correlations.items():
            pearson = [one.pearson, *one.pearson_interval, one.pearson_p]
            spearman = [one.spearman, *one.spearman_interval, one.spearman_p]
            rows.append([*place, f"{_named(y)} ~ {_named(x)}", one.n, *pearson, *spearman])
    header = [*PLACE, "over sentences", "n", "r", "r low", "r high", "p of r", "rho", "rho low", "rho high", "p of rho"]
    note = (
        f"{ONE_SEED} n: sentences that have both values. ΔUAS and ΔLAS: b less a, in points. ΔDL: a less b, in words, "
        "so that it is positive where b is shorter. branching: dependents per word that has any. r: Pearson, rho: "
        f"Spearman. Intervals: 95%, r by Fisher's z, rho by bootstrap ({analyses.resamples} resamples). {_P_VALUES}"
    )
    return Table("correlations", "What differences of sentences go with", header, rows, note, digits=4)


def _named(column: str) -> str:
    return {"d_uas": "ΔUAS", "d_las": "ΔLAS", "d_dl": "ΔDL"}.get(column, column)


def group_tables(analyses: Analyses) -> list[Table]:
    """Accuracy by relation, arc length, direction and sentence length, a table each."""
    rows: dict[str, list[list[CellValue]]] = {}
    for place in analyses.places():
        for name, groups in analyses.analysis(place).groups.items():
            if name == "relation":
                groups = sorted(groups, key=lambda one: -max(one.arcs_a, one.arcs_b))[:MOST_RELATIONS]
            for one in groups:
                scores = [one.uas_a, one.uas_b, one.d_uas, one.las_a, one.las_b, one.d_las]
                rows.setdefault(name, []).append([*place, one.label, one.arcs_a, one.arcs_b, *scores])
    tables = []
    for name, own in rows.items():
        header = [*PLACE, name, "arcs a", "arcs b", "UAS a", "UAS b", "ΔUAS", "LAS a", "LAS b", "ΔLAS"]
        note = f"{ONE_SEED} Arcs are grouped by what they are in gold, on each side by its own."
        if name == "direction":
            left = "left: the dependent stands before its head."
            note = noted(note, left, final_punctuation_note(analyses.results))
        if name == "relation":
            note += f" The {MOST_RELATIONS} most frequent relations of each pair; `permtree analyze` prints all."
        tables.append(Table(f"by-{name.replace(' ', '-')}", f"Accuracy by {name}", header, own, note))
    return tables


def one_word_table(analyses: Analyses) -> Table:
    """One-word dependents that share their head: wrong heads and relations where they precede and follow it."""
    rows: list[list[CellValue]] = []
    for place in analyses.places():
        for one in analyses.analysis(place).one_word:
            side_a: list[CellValue] = [one.words_a, one.wrong_heads_a, one.wrong_labels_a]
            side_b: list[CellValue] = [one.words_b, one.wrong_heads_b, one.wrong_labels_b]
            rows.append([*place, f"{one.place} it", *side_a, *side_b])
    header = [*PLACE, "to the head", "words a", "wrong heads a, %", "wrong relations a, %"]
    header += ["words b", "wrong heads b, %", "wrong relations b, %"]
    note = noted(f"{ONE_SEED} {_ONE_WORD}", final_punctuation_note(analyses.results))
    return Table("one-word", "One-word dependents, before and after their head", header, rows, note)


def one_word_confusions_table(analyses: Analyses) -> Table:
    """Relations of one-word dependents that are confused more often on one side, of left- against right-branching."""
    lb, rb = (order_of(analyses.results, mode) for mode in ("lb", "rb"))
    parsers = [row["parser"] for row in analyses.results.parsers]
    places = [place for parser in parsers for place in analyses.of_orders(parser, lb, rb)]
    rows: list[list[CellValue]] = []
    for row in analyses.results.treebanks:
        for place in (place for place in places if place.treebank == row["treebank"]):
            for one in analyses.analysis(place).one_word_confusions[:MOST_CONFUSIONS]:
                if one.difference:
                    rows.append(
                        [
                            place.treebank,
                            place.parser,
                            one.gold,
                            one.predicted,
                            one.words_a,
                            one.words_b,
                            one.difference,
                        ]
                    )
    header = ["treebank", "parser", "gold", "predicted", f"words in {lb}", f"words in {rb}", "difference"]
    note = f"{ONE_SEED} {_ONE_WORD} The {MOST_CONFUSIONS} largest differences of each treebank and parser."
    return Table("one-word-confusions", "Which relations of one-word dependents are confused", header, rows, note)


def browser(analyses: Analyses, most: int) -> Browser:
    """The sentences of each pair in which the sides differ most, half of them gains and half losses."""
    found, whole = [], 0
    for place in analyses.places():
        pair, analysis = analyses.pair(place), analyses.analysis(place)
        whole += len(pair.sentences["sent_id"])
        kept = [*analysis.gains[: most - most // 2], *analysis.losses[: most // 2]]
        found += [pair_of_sentences(pair, one.sentence, str(place)) for one in kept]
    which = "of each pair of orders those in which side b has most words more, or fewer, attached rightly"
    note = f"{len(found):,} of {whole:,} pairs of sentences: {which}."
    return Browser("browser", "Minimal pairs, sentence by sentence", found, note)
