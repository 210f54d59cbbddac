"""Which sentences and words of two versions of a treebank are the same: by sent_id and original ids, and checked.

The versions have to be a minimal pair: the same words and the same trees, in any order.
"""

from __future__ import annotations

import shlex
from typing import Any

import numpy as np

from ..conllu.scan import shorten
from ..conllu.text import DEPREL, FORM, UPOS
from ..editing.trace import ITEM, MARK, Trace, joint_ids
from ..errors import DataError
from ..signature import argument_of
from ..treebank import Treebank
from ..treebank.punctuation import unspelled
from ..types import Ints, Mask

_LEAVING_OUT = {"punct": ("strip", "exclude"), "roots": ("skip",), "nonprojective": ("skip",)}


def join(a: Treebank, b: Treebank) -> tuple[Side, Side, list[str]]:
    """The words of two versions in a common order, row i of one being row i of the other; and the sent_ids.

    Sentences are joined by sent_id, or by number where a sentence has none or two have the same. Raises DataError at
    the first sentence or word that is not on both sides, or not with the same form, UPOS, head and relation.
    """
    partner = _partners(a, b)
    joined = zip(a.sentence.tolist(), b.sentence[partner].tolist(), strict=True)
    ids = joint_ids(Trace.of(a.text), Trace.of(b.text), joined)
    sides = Side(a, ids[0][a.row], np.arange(a.n_sentences)), Side(b, ids[1][b.row], np.argsort(partner))
    _check_pair(*sides)
    names = b.sent_ids
    return *sides, [own or names[other] for own, other in zip(a.sent_ids, partner.tolist(), strict=True)]


class Side:
    """A version, and its words in the common order of both: by sentence, as in the first version, and original id.

    ids: int64 [N], the original id of each word of the treebank. rows: int64 [N], the words in the common order;
    sentence: int64 [N], the sentence of each of them, as the first version counts.
    """

    def __init__(self, gold: Treebank, ids: Ints, rank: Ints):
        """rank: int64 [S], the place of each sentence. Raises DataError where a word has no original id, or shares
        it with another."""
        self.gold, self.ids = gold, ids
        missing = np.flatnonzero(ids == 0)
        if len(missing):
            what = f"MISC lacks {ITEM}, the word's old id, of a permutation that '{MARK}' names; edited since?"
            raise DataError(gold.finding("E302", int(missing[0]), what))
        sentence = rank[gold.sentence_of]
        self.rows: Ints = np.lexsort((self.ids, sentence))
        self.sentence: Ints = sentence[self.rows].astype(np.int64)
        common = ids[self.rows]
        again = np.flatnonzero((common[1:] == common[:-1]) & (self.sentence[1:] == self.sentence[:-1])) + 1
        if len(again):
            what = f"{ITEM}{common[again[0]]}, the original id, stands at another word of the sentence, too"
            raise DataError(self.gold.finding("E302", int(self.rows[again[0]]), f"{what}; edited since permuted?"))

    @property
    def head_ids(self) -> Ints:
        """The original ids of the heads, in the common order; 0 for a root."""
        head = self.gold.head[self.rows]
        return np.where(head >= 0, self.ids[np.maximum(head, 0)], 0)

    def place(self, row: int) -> str:
        """File and line of a word."""
        return ":".join(map(str, self.gold.text.place_of_word(int(self.gold.row[row]))))


def _partners(a: Treebank, b: Treebank) -> Ints:
    """The sentence of b that each sentence of a is, int64 [S]."""
    names = a.sent_ids, b.sent_ids
    place = [{name: number for number, name in enumerate(own)} for own in names]
    if all("" not in own and len(own) == len(listed) for own, listed in zip(place, names, strict=True)):
        for here, there, own, known in ((a, b, names[0], place[1]), (b, a, names[1], place[0])):
            lost = next((number for number, name in enumerate(own) if name not in known), None)
            if lost is not None:
                raise _lost_sentence(here, lost, there)
        return np.array([place[1][name] for name in names[0]], np.int64)
    for number, (one, two) in enumerate(zip(*names, strict=False)):
        if one and two and one != two:
            what = f"sentence {number + 1}, but it is {two} in {b.text.name}"
            by_number = "sentences are joined by number, since not all have a sent_id of their own"
            raise DataError(a.finding("E304", int(a.sentence_start[number]), f"{what}; {by_number}"))
    if a.n_sentences != b.n_sentences:
        longer, shorter = (a, b) if a.n_sentences > b.n_sentences else (b, a)
        raise _lost_sentence(longer, shorter.n_sentences, shorter)
    return np.arange(a.n_sentences)


def _lost_sentence(here: Treebank, number: int, there: Treebank) -> DataError:
    what = f"this sentence is not in {there.text.name}"
    return DataError(here.finding("E304", int(here.sentence_start[number]), what + _way_out(there)))


def _way_out(treebank: Treebank) -> str:
    """How the other side gets what is left of this one."""
    options: dict[str, None] = {}
    for signature in Trace.of(treebank.text).signatures(int(treebank.sentence[0])) if treebank.n_sentences else []:
        for policy, values in _LEAVING_OUT.items():
            value, tag = argument_of(signature.get(policy, ""))
            if value in values:
                tags = [f" --punct-tag {shlex.quote(one)}" for one in unspelled(tag).split()] if tag else []
                options[f"--{policy} {value}" + "".join(tags)] = None
    if options:
        chosen = " ".join(options)
        again = f"permtree permute --mode original {chosen}"
        return f", which was permuted with {chosen}: give the other side the same policies ({again})"
    return (
        "; both sides must be versions of one treebank, made with the same policies (permtree permute --mode original "
        "--punct ... for what is not permuted)"
    )


def _check_pair(a: Side, b: Side) -> None:
    """DataError at the first word that is not on both sides, or not with the same form, tag, head and relation."""
    width = max(int(side.ids.max(initial=0)) for side in (a, b)) + 1
    keys = [side.sentence * np.int64(width) + side.ids[side.rows] for side in (a, b)]
    if not np.array_equal(*keys):
        lost = [np.flatnonzero(~np.isin(keys[i], keys[1 - i], assume_unique=True)) for i in (0, 1)]
        first = [keys[i][lost[i][0]] if len(lost[i]) else np.iinfo(np.int64).max for i in (0, 1)]
        here, there, i = (a, b, 0) if first[0] <= first[1] else (b, a, 1)
        row = int(here.rows[lost[i][0]])
        what = f"word {_word(here, row)} (id {here.ids[row]} in the original) is not in {there.gold.text.name}"
        raise DataError(here.gold.finding("E304", row, what + _way_out(there.gold)))
    checks = {"form": FORM, "UPOS": UPOS, "relation": DEPREL}
    for name, column in checks.items():
        same, shown = _same(a, b, column)
        _check_same(a, b, name, same, shown)
    heads = a.head_ids, b.head_ids
    _check_same(a, b, "head", heads[0] == heads[1], lambda at: [f"the word {own[at]}" for own in heads])


def _same(a: Side, b: Side, column: int) -> tuple[Mask, Any]:
    """Which words have the same text in a column, bool [N]; and how to show the two of one row."""
    columns = a.gold.column(column), b.gold.column(column)
    code = {value: number for number, value in enumerate(columns[0].vocabulary)}
    known = np.array([code.get(value, -1) for value in columns[1].vocabulary], np.int64)
    codes = [own.codes[side.rows] for own, side in zip(columns, (a, b), strict=True)]
    same = known[codes[1]] == codes[0] if len(codes[1]) else np.zeros(0, bool)

    def shown(at: int) -> list[str]:
        return [f"'{shorten(columns[i].vocabulary[codes[i][at]].encode())}'" for i in (0, 1)]

    return same, shown


def _check_same(a: Side, b: Side, name: str, same: Mask, shown: Any) -> None:
    if same.all():
        return
    at = int(np.flatnonzero(~same)[0])
    one, two = shown(at)
    row, other = int(a.rows[at]), int(b.rows[at])
    what = f"word {_word(a, row)} (id {a.ids[row]} in the original) has the {name} {one}, but {two} at {b.place(other)}"
    raise DataError(a.gold.finding("E304", row, f"{what}; the two versions are no minimal pair (see permtree verify)"))


def _word(side: Side, row: int) -> str:
    form = side.gold.column(FORM)
    return f"'{shorten(form.vocabulary[form.codes[row]].encode())}'"
