"""What a picture of a sentence shows: its words and arcs, and for two versions of a sentence which words are the same.

`drawing` and `svg` draw it.
"""

from __future__ import annotations

import difflib
import re
from bisect import bisect_left
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import PurePath
from typing import NamedTuple

import numpy as np

from ..conllu.text import DEPREL, FORM, UPOS, Text
from ..editing.trace import ITEM, Trace, joint_ids
from ..errors import DataError, Finding, UsageError
from ..treebank import Treebank
from ..types import Ints

OTHER_HEAD, OTHER_RELATION = "✗", "≠"  # marks of joined words
_SHOWN_IDS = 5


@dataclass(frozen=True)
class Word:
    """A word: its id (from 1), and what stands in its columns.

    head: the id of its head, 0 for a root, None where HEAD is "_".
    """

    number: int
    form: str
    upos: str
    head: int | None
    deprel: str


class Origin(NamedTuple):
    """A text, a sentence of it, and the rows of the words that are shown."""

    text: Text
    sentence: int
    rows: Ints


@dataclass(frozen=True)
class Sentence:
    """A sentence to draw. words[i] has the id i + 1.

    number: its place in what was read, from 1; depth: arcs from each word to its root, -1 where no root is reached;
    nonprojective: ids of the words on non-projective arcs, None where the heads are no tree, and `finding` says why.
    origin: where it was read, to say which words of two versions are the same.
    """

    source: str
    sent_id: str
    number: int
    words: tuple[Word, ...]
    depth: tuple[int, ...]
    nonprojective: frozenset[int] | None
    finding: Finding | None = None
    origin: Origin | None = field(default=None, compare=False, repr=False)

    @property
    def name(self) -> str:
        """The file and the sentence, as captions say it."""
        return f"{PurePath(self.source).name} {self.sent_id or f'sentence {self.number}'}"

    @property
    def roots(self) -> list[int]:
        """Places (from 0) of the words whose HEAD is 0."""
        return [word.number - 1 for word in self.words if word.head == 0]

    @property
    def dependency_length(self) -> int:
        """Sum of |i - j| over all arcs; roots have none."""
        return sum(abs(word.number - word.head) for word in self.words if word.head)

    @property
    def summary(self) -> str:
        """One line: words, dependency length, non-projective arcs."""
        crossing = "not a tree"
        if self.nonprojective is not None:
            crossing = counted(len(self.nonprojective), "non-projective arc")
        return (
            f"{self.name}: {counted(len(self.words), 'word')}, dependency length {self.dependency_length}, {crossing}"
        )


@dataclass(frozen=True)
class Join:
    """A word of the first sentence and the same word of the second, by their ids.

    moved: by how many places among the joined words (to the right: positive); out_of_order: one of the fewest words
    that have to be taken out for the others to be in the same order; mark: OTHER_HEAD, OTHER_RELATION or "";
    changed_side: its head is on its other side.
    """

    first: int
    second: int
    moved: int
    out_of_order: bool
    mark: str
    changed_side: bool

    @property
    def ids(self) -> tuple[int, int]:
        return self.first, self.second


@dataclass(frozen=True)
class Picture:
    """A sentence, or two versions of one and their joined words."""

    first: Sentence
    second: Sentence | None = None
    joins: tuple[Join, ...] = field(default=())

    @property
    def sentences(self) -> list[Sentence]:
        return [self.first] if self.second is None else [self.first, self.second]

    @property
    def same_order(self) -> bool:
        """All words are joined, and none has moved."""
        if self.second is None:
            return False
        counts = {len(self.joins), len(self.first.words), len(self.second.words)}
        return len(counts) == 1 and not any(join.moved for join in self.joins)

    @cached_property
    def marks(self) -> tuple[dict[int, str], dict[int, str]]:
        """The marks of the words of the first and of the second sentence that have one, by id."""
        marked = [join for join in self.joins if join.mark]
        return {join.first: join.mark for join in marked}, {join.second: join.mark for join in marked}

    @property
    def summary(self) -> str:
        """One line about the pair; empty for one sentence."""
        if self.second is None:
            return ""
        sides = sum(join.changed_side for join in self.joins)
        moved = sum(join.out_of_order for join in self.joins)
        line = (
            f"{counted(len(self.joins), 'word')} joined: {moved} out of order, {sides} with the head on the other side"
        )
        for mark, what in ((OTHER_HEAD, "another head"), (OTHER_RELATION, "only another relation")):
            count = sum(join.mark == mark for join in self.joins)
            line += f", {count} with {what} ({mark})" if count else ""
        return line


def counted(count: int, what: str) -> str:
    """1 word, 2 words."""
    return f"{count} {what}" + ("" if count == 1 else "s")


def picture(
    treebank: Treebank,
    sentence: str | int,
    against: Treebank | None = None,
    against_sentence: str | int | None = None,
) -> Picture:
    """The picture of a sentence, alone or against another version of it.

    A sentence is named by its sent_id, or by its number from 1 in what was read. In `against` it has the same sent_id,
    or number if it has none, unless `against_sentence` names it. Raises UsageError where there is no such sentence or
    the words can't be joined, DataError for a sentence without heads.
    """
    first = find([treebank], sentence)
    if against is None:
        return Picture(first)
    return pair(first, find([against], partner(first) if against_sentence is None else against_sentence))


def partner(first: Sentence) -> str | int:
    """What the other version of a sentence is called, if nothing else is said."""
    return first.sent_id or first.number


def find(parts: Iterable[Treebank], wanted: str | int | None) -> Sentence:
    """A sentence by sent_id or, where none has it, by number, from a treebank in parts; an int is always a number.

    Stops at the first sentence with the id. Raises UsageError where there is none, or none is named (None).
    """
    number = int(wanted) if wanted is not None and re.fullmatch(r"\d{1,9}", str(wanted)) else 0
    by_number: tuple[Treebank, int, int] | None = None
    names: list[str] = []
    before, source = 0, ""
    for treebank in parts:
        own = treebank.sent_ids
        numbers = before + treebank.text.number[treebank.sentence]
        if isinstance(wanted, str) and wanted in own:
            at = own.index(wanted)
            return _sentence(treebank, at, int(numbers[at]))
        if number and number in numbers:
            by_number = treebank, int(np.flatnonzero(numbers == number)[0]), number
            if isinstance(wanted, int):
                break
        names += [name or str(place) for name, place in zip(own, numbers.tolist(), strict=True)]
        before += treebank.text.n_sentences + treebank.text.n_skipped
        source = source or treebank.text.name
    if by_number:
        return _sentence(*by_number)
    raise UsageError(_unknown(source, wanted, names))


def _unknown(source: str, wanted: str | int | None, names: list[str]) -> str:
    """What there is instead of the sentence that was asked for."""
    some = ", ".join(names[:_SHOWN_IDS]) + (" ..." if len(names) > _SHOWN_IDS else "")
    there = f"{source} has {counted(len(names), 'sentence')}" + (f": {some}" if names else "")
    if wanted is None:
        return f"name a sentence with --sentence, by sent_id or number; {there}"
    close = difflib.get_close_matches(str(wanted), names, 1)
    return f"no sentence '{wanted}'; " + (f"did you mean '{close[0]}'?" if close else there)


def _sentence(treebank: Treebank, at: int, number: int) -> Sentence:
    one = treebank.select_sentences(np.arange(treebank.n_sentences) == at)
    finding = next((finding for _, finding in one.tree_findings()), None)
    heads = [None if head == -2 else head + 1 for head in one.head.tolist()]  # rows count from 0, and roots have -1
    if finding and not any(heads) and 0 not in heads:
        raise DataError(finding)
    columns = [_strings(one, column) for column in (FORM, UPOS, DEPREL)]
    words = tuple(
        Word(place + 1, form, upos, heads[place], deprel)
        for place, (form, upos, deprel) in enumerate(zip(*columns, strict=True))
    )
    nonprojective = None if finding else frozenset((np.flatnonzero(one.nonprojective) + 1).tolist())
    if not words:
        raise UsageError(f"sentence {one.sent_ids[0] or number} has no words")
    source = one.text.place_of_word(int(one.row[0]))[0]
    origin = Origin(one.text, int(one.sentence[0]), one.row)
    depth = tuple(one.depth.tolist())
    return Sentence(source, one.sent_ids[0], number, words, depth, nonprojective, finding, origin)


def _strings(treebank: Treebank, column: int) -> list[str]:
    text = treebank.text
    start, length = text.column(column, text.word_token[treebank.row])
    bounds = zip(start.tolist(), (start + length).tolist(), strict=True)
    return [text.buffer[a:b].tobytes().decode("utf-8") for a, b in bounds]


def pair(first: Sentence, second: Sentence) -> Picture:
    """Join the words of two versions of a sentence. Raises UsageError, with the reason, where that can't be done.

    Words are the same if they have the same id in the oldest version (see `permtree.editing.trace`). A side that was
    not permuted is taken for that version itself, or if neither was, for the same words in the same order.
    """
    ids = _ids(first, second)
    place = {own: number for number, own in enumerate(ids[1], 1) if own}
    found = [(number, place[own]) for number, own in enumerate(ids[0], 1) if own in place]
    for number, other in found:
        one, two = first.words[number - 1].form, second.words[other - 1].form
        if one != two:
            what = f"word {number} is '{one}' and its partner, word {other}, is '{two}'"
            raise _not_joined(first, second, what)
    if not found:
        raise _not_joined(first, second, "no word of one is in the other")
    return Picture(first, second, _joins(first, second, found))


def _not_joined(first: Sentence, second: Sentence, why: str) -> UsageError:
    return UsageError(f"{first.name} and {second.name} can't be joined: {why}; is it the same sentence?")


def _ids(first: Sentence, second: Sentence) -> list[list[int]]:
    """For each word of both sides its id in the oldest version, 0 where it isn't known."""
    numbers = [[word.number for word in side.words] for side in (first, second)]
    ids = numbers
    if first.origin and second.origin:
        one, two = first.origin, second.origin
        found = joint_ids(Trace.of(one.text), Trace.of(two.text), [(one.sentence, two.sentence)])
        ids = [own[side.rows].tolist() for own, side in zip(found, (one, two), strict=True)]
    if ids == numbers and len(ids[0]) != len(ids[1]) and not any(map(_permuted, (first, second))):
        what = f"{len(ids[0])} and {counted(len(ids[1]), 'word')}, and no {ITEM} in MISC says which are the same"
        raise _not_joined(first, second, what)
    for side, own in zip((first, second), ids, strict=True):
        again = next((number for place, number in enumerate(own) if number and number in own[:place]), None)
        if again is not None:
            raise _not_joined(first, second, f"two words of {side.name} have {ITEM}{again}")
    return ids


def _permuted(side: Sentence) -> bool:
    return side.origin is not None and bool(Trace.of(side.origin.text).levels[side.origin.sentence])


def _joins(first: Sentence, second: Sentence, found: list[tuple[int, int]]) -> tuple[Join, ...]:
    """found: joined ids, in the order of the first sentence."""
    rank = {other: place for place, other in enumerate(sorted(other for _, other in found))}
    partner_of = dict(found)
    in_order = _longest_rise([other for _, other in found])
    joins = []
    for place, (number, other) in enumerate(found):
        one, two = first.words[number - 1], second.words[other - 1]
        mark = OTHER_RELATION if one.deprel != two.deprel else ""
        if _known_head(first, number, set(partner_of), partner_of) != _known_head(second, other, set(rank), {}):
            mark = OTHER_HEAD
        sides = [word.head is not None and word.head > word.number for word in (one, two)]
        changed = bool(one.head and two.head) and sides[0] != sides[1]
        joins.append(Join(number, other, rank[other] - place, other not in in_order, mark, changed))
    return tuple(joins)


def _longest_rise(numbers: list[int]) -> set[int]:
    """The longest subsequence of different numbers that only rises (one of them)."""
    ends: list[int] = []  # the least number with which a rise of length 1, 2 ... can end
    before: dict[int, int | None] = {}
    for number in numbers:
        length = bisect_left(ends, number)
        before[number] = ends[length - 1] if length else None
        ends[length : length + 1] = [number]
    rise: set[int] = set()
    last = ends[-1] if ends else None
    while last is not None:
        rise.add(last)
        last = before[last]
    return rise


def _known_head(sentence: Sentence, number: int, joined: set[int], names: dict[int, int]) -> int | None:
    """The nearest ancestor that is joined, under its name on the other side; 0 for a root."""
    head = sentence.words[number - 1].head
    for _ in sentence.words:  # a circle ends, too
        if not head or head in joined:
            break
        head = sentence.words[head - 1].head
    return names.get(head, head) if head else head
