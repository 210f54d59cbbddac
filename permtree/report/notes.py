"""What notes below tables say of how numbers were made, from the signatures of a study's results."""

from __future__ import annotations

from ..signature import Signature, argument_of
from ..study.results import Results, Row
from ..treebank.arc_types import ARC_TYPES
from .paper import SOURCE, paper

DLM, ENTROPY = "dlm_ratio", "arc_direction_entropy"
_CONTEXT = {"deprel": "relation", "head": "head UPOS", "dependent": "dependent UPOS"}
_LENGTHS = {"span+root": "spans and one more word for each root", "span": "spans", "distance": "distances"}


def convention(results: Results, name: str, key: str) -> str:
    """What a signature says of a measure or score, such as nats for the unit of entropy; empty where nothing."""
    return next((signature.get(key, "") for signature in results.conventions if signature.name == name), "")


def here(results: Results) -> list[Row]:
    """The treebanks of a study whose files were found."""
    return [row for row in results.treebanks if not row["absent"]]


def properties_note(results: Results) -> str:
    """How entropy and length were taken."""
    unit, estimator = (convention(results, ENTROPY, key) for key in ("unit", "estimator"))
    length = convention(results, DLM, "length")
    found = []
    if unit:
        plain = "" if estimator == "plugin" else f", estimator {estimator}"
        given = [_CONTEXT[part] for part in (convention(results, ENTROPY, "context") or ARC_TYPES[0]).split("+")]
        roots = ", the roots' arcs among them" if convention(results, ENTROPY, "root_arcs") == "True" else ""
        found.append(f"entropy in {unit} over ({', '.join(given)}){roots}{plain}")
    if length:
        found.append(f"DLM ratio of {_LENGTHS[length]}")
    tested = [row["treebank"] for row in here(results) if "train" not in row["parts"].split()]
    beside = f" (of {', '.join(tested)}: the test part)" if tested else ""
    return f"Of the training part{beside}: {'; '.join(found)}." if found else ""


def scores_note(results: Results) -> str:
    """Of what scores are, and which words count."""
    counted = convention(results, "uas", "convention")
    words = "all words count" if counted == "all" else f"words count by the convention {counted}"
    return f"UAS/LAS in percent of the test part; {words}."


def final_punctuation_note(results: Results) -> str:
    """Which arcs no order changes; empty where there are none such."""
    punct = argument_of(Signature.parse(results.study["signature"]).get("punct", ""))[0]
    if punct not in ("exclude", "final") or convention(results, "uas", "convention") != "all":
        return ""
    return "Final punctuation stays at the end in all orders, and counts."


def paper_note(results: Results, figures: str) -> str:
    """What stands in brackets, if anything does. figures: whose figures of the paper."""
    codes = [row["paper"] for row in here(results) if row["paper"]]
    unknown = [code for code in codes if code not in paper()]
    found = [f"In brackets {figures} of {SOURCE}."] if set(codes) - set(unknown) else []
    if unknown:
        found.append(f"The paper has no treebank {', '.join(unknown)}; its codes are {', '.join(paper())}.")
    return " ".join(found)


def paper_properties_note(results: Results) -> str:
    """What stands in brackets beside properties, and how it was taken where ours was not taken so."""
    note = paper_note(results, "those")
    unit, length = convention(results, ENTROPY, "unit"), convention(results, DLM, "length")
    if not note.startswith("In brackets") or unit in ("", "nats") and (length in ("", "span+root")):
        return note
    return note.replace(SOURCE + ".", f"{SOURCE}: entropy in nats, DLM ratio of spans.", 1)


def absent_note(results: Results) -> str:
    """Which treebanks of the study aren't in its tables."""
    names = [row["treebank"] for row in results.treebanks if row["absent"]]
    return f"Not here: {', '.join(names)}." if names else ""


def noted(*notes: str) -> str:
    """Notes in one line, without those that say nothing."""
    return " ".join(filter(None, notes))
