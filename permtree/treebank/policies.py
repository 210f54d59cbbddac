"""What to do with what is no plain tree: punctuation, several roots, non-projective sentences. Nothing goes in silence.

A policy selects words and sentences of a treebank; what it leaves out is counted under a reason.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields

import numpy as np

from ..configuration import Settings, setting
from ..errors import DataError
from ..signature import with_argument
from ..types import Ints, Mask
from . import Treebank
from .punctuation import DEFAULT, SETS, chosen_tags, is_punct, none_found, spelled, unmarked


@dataclass(frozen=True)
class Policies(Settings):
    """The policies of one run, each with its default, which loses nothing. Each field says what its values do.

    A further field is an option of the commands that take policies, a key of a study's file and a keyword in Python,
    and stands in signatures and on cards, without a line elsewhere.
    """

    punct: str = setting(
        "keep",
        "keep: words like others; strip: removed, their dependents re-attached to the nearest kept ancestor; exclude: "
        "sentences with punctuation that is not final or has dependents are left out, the final run stays in place; "
        "final: the final run stays in place.",
        choices=("keep", "strip", "exclude", "final"),
    )
    roots: str = setting("keep", "Sentences with several roots.", choices=("keep", "skip", "error"))
    nonprojective: str = setting("keep", "Non-projective sentences.", choices=("keep", "skip"))
    mwt: str = setting(
        "split",
        "Multiword tokens. unit: their words move as one block wherever the tree allows it; split: words move freely, "
        "and the token is dropped (kept in a comment) unless its words are still adjacent and in order.",
        choices=("split", "unit"),
        of_order=True,
    )
    punct_tag: str = setting(
        DEFAULT,
        "A tag of punctuation in UPOS (in XPOS where UPOS is _), or a set of tags: "
        f"{', '.join(SETS)}; may be repeated. [PUNCT]",
        read=chosen_tags,
        repeated=True,
        metavar="TAG",
    )

    @property
    def lossless(self) -> bool:
        """Whether every word of every sentence is kept, so that the original can be given back."""
        return self.punct in ("keep", "final") and self.roots != "skip" and self.nonprojective != "skip"

    def signature_parts(self, of_measures: bool = False) -> dict[str, str]:
        """What signatures say of these policies; of_measures: those of values, without what concerns orders alone.

        Signatures of values name what is a default for punctuation and roots only.
        """
        parts = {}
        for one in fields(self):
            value = getattr(self, one.name)
            concerns = not of_measures or (value != one.default and not one.metadata.get("of_order"))
            if one.name == "punct":
                value = with_argument(value, "" if value == "keep" else spelled(self.punct_tag))
            if one.name in ("punct", "roots") or (concerns and one.name != "punct_tag"):  # within that of punctuation
                parts[one.name] = value
        return parts


@dataclass
class Selected:
    """What the policies leave of a treebank. `final`: bool [N], the words of final runs of punctuation that stay in
    place (all false for keep and strip); `left_out`: sentences by reason; `removed`: words by reason; `tagged`: words
    that are punctuation by their tag, under "tagged", and if there is none, what looks like it (see `unmarked`)."""

    treebank: Treebank
    final: Mask
    left_out: Counter[str]
    removed: Counter[str]
    tagged: Counter[str] = field(default_factory=Counter)


def select(treebank: Treebank, policies: Policies) -> Selected:
    """Apply the policies. The treebank must hold trees only (`Treebank.trees_only`)."""
    left_out: Counter[str] = Counter()
    removed: Counter[str] = Counter()
    tagged: Counter[str] = Counter()
    if policies.punct != "keep":
        tagged["tagged"] = int(is_punct(treebank, policies.punct_tag).sum())
        tagged.update({} if tagged["tagged"] else unmarked(treebank))
    if policies.punct == "strip":  # first, so that the other policies see the trees that are kept
        treebank = _strip(treebank, policies.punct_tag, left_out, removed)
    several = treebank.n_roots > 1
    if policies.roots == "error" and several.any():
        sentence = int(np.flatnonzero(several)[0])
        roots = np.flatnonzero(treebank.head[slice(*treebank.sentence_start[sentence : sentence + 2])] == -1)
        row = int(treebank.sentence_start[sentence] + roots[1])
        raise DataError(treebank.finding("E205", row, f"{len(roots)} roots; --roots keep or skip accepts the file"))
    if policies.roots == "skip":
        treebank = _without(treebank, several, "several roots", left_out)
    if policies.nonprojective == "skip":
        crossing = np.bincount(treebank.sentence_of[treebank.nonprojective], minlength=treebank.n_sentences) > 0
        treebank = _without(treebank, crossing, "non-projective", left_out)
    if policies.punct == "exclude":
        treebank = _exclude(treebank, policies.punct_tag, left_out)
    final: Mask = np.zeros(treebank.n_words, bool)
    if policies.punct in ("exclude", "final"):
        final = final_run(treebank, is_punct(treebank, policies.punct_tag))
    return Selected(treebank, final, left_out, removed, tagged)


def no_punctuation(policies: Policies, tagged: Counter[str]) -> list[str]:
    """A line if these policies treat punctuation and found none where there seems to be some.

    tagged: `Selected.tagged`, summed."""
    if tagged["tagged"] or not tagged[""]:
        return []
    return [none_found(f"--punct {policies.punct}", policies.punct_tag, tagged)]


def final_run(treebank: Treebank, punct: Mask) -> Mask:
    """Punctuation after the last other word of its sentence, bool [N]."""
    last_other = np.full(treebank.n_sentences, -1, np.int64)
    others = np.flatnonzero(~punct)
    last_other[treebank.sentence_of[others]] = others  # rows ascend: the last one stays
    return punct & (np.arange(treebank.n_words) > last_other[treebank.sentence_of])


def _sentences_with(treebank: Treebank, words: Mask) -> Mask:
    return np.bincount(treebank.sentence_of[words], minlength=treebank.n_sentences) > 0


def _without(treebank: Treebank, sentences: Mask, reason: str, left_out: Counter[str]) -> Treebank:
    left_out[reason] += int(sentences.sum())
    return treebank.select_sentences(~sentences)


def _strip(treebank: Treebank, tag: str, left_out: Counter[str], removed: Counter[str]) -> Treebank:
    treebank = _without_punctuation_alone(treebank, tag, left_out)
    punct = is_punct(treebank, tag)
    removed["punctuation"] += int(punct.sum())
    removed["dependents of punctuation re-attached"] += int(
        (~punct & (treebank.head >= 0) & punct[np.maximum(treebank.head, 0)]).sum()
    )
    return treebank.select_words(~punct) if punct.any() else treebank


def _without_punctuation_alone(treebank: Treebank, tag: str, left_out: Counter[str]) -> Treebank:
    alone = ~_sentences_with(treebank, ~is_punct(treebank, tag))
    return _without(treebank, alone, ALONE, left_out)


def _exclude(treebank: Treebank, tag: str, left_out: Counter[str]) -> Treebank:
    treebank = _without_punctuation_alone(treebank, tag, left_out)
    punct = is_punct(treebank, tag)
    inner = _sentences_with(treebank, punct & ~final_run(treebank, punct))
    treebank = _without(treebank, inner, _INNER, left_out)
    punct = is_punct(treebank, tag)
    return _without(treebank, _sentences_with(treebank, punct & (treebank.n_dependents > 0)), _DEPENDENTS, left_out)


_INNER = "punctuation that is not final"
_DEPENDENTS = "punctuation with dependents"
ALONE = "punctuation alone"
FINAL = "final punctuation (no words)"


MUCH = 0.25  # of the sentences or of the words: more than this is not left out without a word


def as_option(name: str, value: str) -> str:
    """A policy as the command line has it."""
    return f"--{name.replace('_', '-')} {value}"


@dataclass(frozen=True)
class Loss:
    """How much policies have left out of a treebank, of how many sentences that are trees, and of how many words."""

    sentences: int
    words: int
    of_sentences: int
    of_words: int
    why: frozenset[str]  # reasons

    @classmethod
    def of(
        cls, read: tuple[int, int], kept: tuple[int, int], left_out: Mapping[str, int], removed: Mapping[str, int]
    ) -> Loss:
        """From the sentences and words that were trees and those that are kept, and what was left out by reason."""
        why = frozenset(reason for counts in (left_out, removed) for reason, count in counts.items() if count)
        return cls(read[0] - kept[0], read[1] - kept[1], *read, why)

    @property
    def is_much(self) -> bool:
        return self.sentences > MUCH * self.of_sentences or self.words > MUCH * self.of_words

    def lines(self, punct: str, spelled: Callable[[str, str], str] = as_option) -> list[str]:
        """A line where much was left out: how much, and what keeps it; else none.

        punct: the policy that keeps sentences with inner punctuation. spelled: how the user writes a policy down.
        """
        if not self.is_much:
            return []
        keeping = {}
        if "several roots" in self.why:
            keeping["roots"] = "keep"
        if "non-projective" in self.why:
            keeping["nonprojective"] = "keep"
        if self.why & {_INNER, _DEPENDENTS}:
            keeping["punct"] = punct
        elif self.why & {ALONE, FINAL, "punctuation"}:
            keeping["punct"] = "keep"
        kept = " ".join(spelled(name, value) for name, value in keeping.items())
        what = "these sentences" if self.sentences else "them"
        return [
            f"left out by policies: {self.sentences} of {self.of_sentences} sentences, {self.words} of {self.of_words} "
            f"words ({100 * self.words // self.of_words}%); to keep {what}: {kept}"
        ]


def range_blocks(treebank: Treebank, final: Mask, any_tree: bool) -> tuple[Ints, int, int]:
    """For `mwt unit`: the word that stands for each word in the order, int64 [N]: itself, or for the words of a
    multiword token that moves as one block, the block's main word. Also how many multiword tokens move as blocks, and
    how many can't.

    A multiword token can move as one block if its words all stand in the treebank, side by side, and
    - only its top word has dependents outside of it (its other words hang on the top word or on each other), or
    - its words hang on one head outside of it and none has dependents outside;
    or in any case where the order is not bound to be projective (`any_tree`). A multiword token in the
    `final` run of punctuation stays in place with it; one that is half in it can't move as a block.
    """
    main = np.arange(treebank.n_words)
    text = treebank.text
    member = text.range_of[treebank.row] if len(text.range_token) else np.full(treebank.n_words, -1)
    blocks = loose = 0
    rows = np.flatnonzero(member >= 0)
    bounds = np.flatnonzero(np.diff(member[rows], prepend=-1, append=-1))
    for begin, end in zip(bounds[:-1].tolist(), bounds[1:].tolist(), strict=True):
        block = rows[begin:end]
        number = member[block[0]]
        if final[block].all():
            continue
        if final[block].any() or len(block) != text.range_last[number] - text.range_first[number] + 1:
            loose += 1
            continue
        top = _top_of_block(treebank, block, any_tree)
        if top is None:
            loose += 1
        else:
            blocks += 1
            main[block] = top
    return main, blocks, loose


def _top_of_block(treebank: Treebank, block: Ints, any_tree: bool) -> int | None:
    words = set(block.tolist())
    tops = [row for row in block.tolist() if int(treebank.head[row]) not in words]
    if any_tree:
        return tops[0]
    first = treebank.first_dependent
    outside = [
        row
        for row in block.tolist()
        if any(int(d) not in words for d in treebank.dependents[first[row] : first[row] + treebank.n_dependents[row]])
    ]
    if len(tops) == 1:
        return tops[0] if set(outside) <= {tops[0]} else None
    same_head = len({int(treebank.head[row]) for row in tops}) == 1 and int(treebank.head[tops[0]]) >= 0
    return tops[0] if same_head and not outside else None
