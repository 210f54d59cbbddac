"""What a permutation leaves in a sentence, so that it can be undone and its words be known again.

The only module that spells or reads these marks. A sentence that was permuted L times has L levels, the oldest first:

- comments, those of a level after those of older ones: `# permtree =` (the signature; it begins a level),
  `# permtree_text` (the `# text` before), `# permtree_range` (the line of a range whose words were separated),
  `# permtree_removed` (ids of words that a policy took out), `# permtree_deps` (DEPS that sorting can't give back),
  `# permtree_end` (how the file ended), `# permtree_columns` (MISC has CoNLL-X's last columns, see `conllx`);
- MISC: `Orig=7`, the id that the word had, after all other items, one a level; `OrigSpaceAfter=No`, which meant that no
  space stood here, and the word after was another. So for all items that tell of a place in the text, not of the word
  itself: `SpacesAfter` with the word after, `SpacesBefore` with the one before, `TokenRange`, `start_char` and
  `end_char` in a sentence whose words moved. `SpacesInToken` is how the word itself was written, and goes with it.

Whatever else looks like `Orig=` in MISC was there before, is a stranger's, and means nothing here.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from ..conllu.edition import Edition, Span
from ..conllu.spans import UNDERSCORE, TextPool, equals, run_starts
from ..conllu.text import DEPS, ID, MISC, Text
from ..signature import Signature
from ..types import Ints, Mask

MARK = "# permtree ="  # as messages say it
ITEM = "Orig="
HIDING = b"Orig"  # before the name of an item of MISC that does not hold in this order
_COMMENT = re.compile(rb"# permtree(?:_(text|range|removed|deps|end|columns))? = ([^\n]*)")
_ITEMS = re.compile(rb"(?:\A|(?<=\|))Orig=([1-9]\d{0,8})(?=\||\Z)")
# Items of MISC that may not hold in another order, by what they depend on.
NO_SPACE, AFTER, BEFORE, PLACE = range(4)
_PLACED = {
    b"SpaceAfter=No": NO_SPACE,
    b"SpacesAfter=": AFTER,
    b"SpacesBefore=": BEFORE,
    b"TokenRange=": PLACE,
    b"start_char=": PLACE,
    b"end_char=": PLACE,
}
_PLACED_IN_LINE = re.compile(rb"(?<=[\t|])(?:Orig)*(SpaceAfter=No(?=\||\Z)|(?:%s))" % b"|".join([*_PLACED][1:]))
_COLUMNS = b"PHEAD PDEPREL"
_DIGITS = 9
_BAR = ord("|")


@dataclass
class Level:
    """What one permutation left in the comments of one sentence.

    begin: where they begin in the buffer; signature: of what permuted it; text: the value of `# text` before, if it
    changed; ranges: token lines of ranges that were separated; removed: ids of words that a policy took out; deps: "ID
    DEPS"; end: how the file ended, if not with a blank line; from_columns: whether items of MISC were PHEAD and
    PDEPREL; damaged: lines that can't be read.
    """

    begin: int
    signature: str
    text: bytes | None = None
    ranges: list[bytes] = field(default_factory=list)
    removed: set[int] = field(default_factory=set)
    deps: list[bytes] = field(default_factory=list)
    end: bytes = b""
    from_columns: bool = False
    damaged: list[bytes] = field(default_factory=list)

    def take(self, kind: bytes, value: bytes, line: bytes) -> None:
        """Take one further comment."""
        if kind == b"text":
            self.text = value
        elif kind == b"range":
            self.ranges.append(value)
        elif kind == b"deps":
            self.deps.append(value)
        elif kind == b"end":
            self.end = value
        elif kind == b"columns" and value == _COLUMNS:
            self.from_columns = True
        elif kind == b"columns":
            self.damaged.append(line)
        else:
            numbers = value.split(b",")
            if all(re.fullmatch(rb"\d{1,9}", number) for number in numbers):
                self.removed.update(int(number) for number in numbers)
            else:
                self.damaged.append(line)


class Trace:
    """The marks of all sentences of a text. N words, S sentences, T token lines; each is read when it is asked for."""

    def __init__(self, text: Text):
        self.text = text

    @classmethod
    def of(cls, text: Text) -> Trace:
        return cls(text)

    # -- comments ----------------------------------------------------------------------------------------------

    @cached_property
    def by_sentence(self) -> list[list[Level]]:
        """The levels of each sentence, the oldest first; [S] lists, empty for a sentence that was not permuted."""
        text = self.text
        found: list[list[Level]] = [[] for _ in range(text.n_sentences)]
        matches = [match for match in _COMMENT.finditer(text.data) if self._begins_line(match.start())]
        if not matches or not found:
            return found
        starts, ends = text.comment_spans
        at = np.array([match.start() for match in matches])
        sentences = np.searchsorted(starts, at, "right") - 1
        owned = (sentences >= 0) & (at < ends[sentences])  # and not in a block of comments alone
        for match, sentence, own in zip(matches, sentences.tolist(), owned.tolist(), strict=True):
            if not own:
                continue
            kind, value = match[1], match[2]
            if kind is None:
                found[sentence].append(Level(match.start(), value.decode("utf-8")))
            elif found[sentence]:
                found[sentence][-1].take(kind, value, match[0])
        return found

    def _begins_line(self, at: int) -> bool:
        return at == 0 or self.text.data[at - 1 : at] == b"\n"

    @cached_property
    def levels(self) -> Ints:
        """How often each sentence was permuted, int64 [S]."""
        return np.array([len(own) for own in self.by_sentence], np.int64)

    def signatures(self, sentence: int) -> list[Signature]:
        """What permuted a sentence, the oldest first."""
        return [Signature.parse(level.signature) for level in self.by_sentence[sentence]]

    def all_signatures(self) -> list[Signature]:
        """Every signature of any sentence and level once, in the order of the text."""
        lines = dict.fromkeys(level.signature for own in self.by_sentence for level in own)
        return [Signature.parse(line) for line in lines]

    def orders(self, sentences: Ints) -> list[list[str]]:
        """The different lists of signatures that these sentences carry, the oldest of each first; [] for a sentence
        that was not permuted."""
        found = self.by_sentence
        return [
            list(own) for own in dict.fromkeys(tuple(level.signature for level in found[s]) for s in sentences.tolist())
        ]

    def added(self, sentence: int) -> bytes:
        """Lines of comments that someone has put after ours, since the last permutation of a sentence."""
        begin, end = self.by_sentence[sentence][-1].begin, int(self.text.comment_spans[1][sentence])
        lines = self.text.data[begin:end].splitlines(keepends=True)
        return b"".join([line for line in lines if not _COMMENT.fullmatch(line, 0, len(line) - 1)])

    # -- ids ---------------------------------------------------------------------------------------------------

    @cached_property
    def own_ids(self) -> Ints:
        """The id of each word in its sentence as it stands, int64 [N]."""
        return np.arange(self.text.n_words) - self.text.sentence_start[self.text.sentence_of] + 1

    @cached_property
    def last_ids(self) -> Ints:
        """The id of each word before its last permutation, int64 [N]: the last item of MISC, 0 where there is none."""
        tokens = self.text.word_token
        return self._trailing(self.text.edges[tokens, MISC] + 1, self.text.edges[tokens, MISC + 1])[0]

    @cached_property
    def oldest_ids(self) -> Ints:
        """The id of each word before its first permutation, int64 [N]: its own where it was never permuted, 0 where an
        item is missing."""
        text = self.text
        level = self.levels[text.sentence_of]
        ids = np.where(level == 0, self.own_ids, 0)
        start, end = text.edges[text.word_token, MISC] + 1, text.edges[text.word_token, MISC + 1].copy()
        for depth in range(int(level.max(initial=0))):
            open_words = np.flatnonzero((level > depth) & (end > start))
            value, first = self._trailing(start[open_words], end[open_words])
            done = level[open_words] == depth + 1
            ids[open_words[done]] = value[done]
            end[open_words] = np.where(value > 0, first - 1, start[open_words])
        for word in np.flatnonzero(ids == 0).tolist():  # another tool may have sorted MISC
            items = self._items(word)
            if len(items) >= level[word]:
                ids[word] = items[len(items) - level[word]]
        return ids

    def _trailing(self, start: Ints, end: Ints) -> tuple[Ints, Ints]:
        """The number of the item that ends at each `end` (0: none of ours) and where it begins; MISC from `start`."""
        buffer = self.text.buffer
        value = np.zeros(len(end), np.int64)
        place = end - 1
        active = np.arange(len(end))
        for power in range(_DIGITS):
            digit = buffer[place[active]].astype(np.int64) - 48
            is_digit = (digit >= 0) & (digit <= 9) & (place[active] >= start[active])
            active = active[is_digit]
            value[active] += digit[is_digit] * 10**power
            place[active] -= 1
        named = (place - start >= len(ITEM) - 1) & (place < end - 1)
        named[named] = buffer[place[named] + 1] != ord("0")
        for back, byte in enumerate(reversed(ITEM.encode())):
            named[named] = buffer[place[named] - back] == byte
        first = place - len(ITEM) + 1
        named[named] = (first[named] == start[named]) | (buffer[first[named] - 1] == ord("|"))
        return np.where(named, value, 0), first

    def _items(self, word: int) -> list[int]:
        """The numbers of all items of a word's MISC that look like ours, in their order."""
        start, end = self.text.edges[self.text.word_token[word], MISC : MISC + 2].tolist()
        return [int(number) for number in _ITEMS.findall(self.text.data[start + 1 : end])]

    # -- spaces ------------------------------------------------------------------------------------------------

    @cached_property
    def placed(self) -> PlacedItems:
        """All items of MISC that tell of a place in the text; [K], in their order."""
        text = self.text
        found = [(at, len(name), kind) for name, kind in _PLACED.items() for at in _occurrences(text.data, name)]
        at, size, kind = np.array(sorted(found), np.int64).reshape(-1, 3).T
        token = np.searchsorted(text.edges[:, MISC], at) - 1
        begin, end = text.edges[token, MISC] + 1, text.edges[token, MISC + 1]
        after = at + size
        inside = (token >= 0) & (after <= end)
        inside &= (kind != NO_SPACE) | (after == end) | (text.buffer[np.minimum(after, len(text.buffer) - 1)] == _BAR)
        start, level = at.copy(), np.zeros(len(at), np.int64)
        active = np.flatnonzero(inside)
        while len(active):
            before = start[active] - len(HIDING)
            active = active[before >= begin[active]]
            before = start[active] - len(HIDING)
            active = active[equals(text.buffer, before, np.full(len(active), len(HIDING)), HIDING)]
            start[active] -= len(HIDING)
            level[active] += 1
        inside &= (start == begin) | (text.buffer[start - 1] == _BAR)
        return PlacedItems(token[inside], start[inside], level[inside], kind[inside])

    @cached_property
    def no_space(self) -> Mask:
        """For every token line, whether its MISC has SpaceAfter=No: bool [T]."""
        result = np.zeros(len(self.text.token_line), bool)
        result[self.placed.token[(self.placed.kind == NO_SPACE) & (self.placed.level == 0)]] = True
        return result

    def placed_in(self, rows: Ints, unit_token: Ints) -> tuple[PlacedItems, Ints]:
        """Those of `placed` that count in an order, and for each the place there of the word that it depends on: that
        with which its unit of the surface ends, or for what stands before it begins; int64 [K].

        rows: [N] words of the text in their order; unit_token: [N] token line of the unit that ends at each, or -1.
        """
        items = self.placed
        ends = np.flatnonzero(unit_token >= 0)
        place = np.full((4, len(self.text.token_line)), -1, np.int64)
        place[PLACE, self.text.word_token[rows]] = np.arange(len(rows))  # words within ranges have places, too
        place[:, unit_token[ends]] = ends
        place[BEFORE, unit_token[ends]] = np.concatenate([[0], ends + 1])[:-1]
        found = place[items.kind, items.token]
        counts = found >= 0
        return PlacedItems(items.token[counts], items.start[counts], items.level[counts], items.kind[counts]), found[
            counts
        ]


@dataclass
class PlacedItems:
    """Items of MISC that may not hold in another order. token: [K] the token line; start: [K] where the item begins in
    the buffer; level: [K] how often it is hidden (0: SpaceAfter=No, 1: OrigSpaceAfter=No ...); kind: [K]."""

    token: Ints
    start: Ints
    level: Ints
    kind: Ints


def _occurrences(data: bytes, name: bytes) -> Iterator[int]:
    at = data.find(name)
    while at >= 0:
        yield at
        at = data.find(name, at + len(name))


def tells_of_place(item: bytes) -> bool:
    """Whether an item of MISC may not hold in another order, or is hidden because it did not."""
    return _PLACED_IN_LINE.match(b"\t" + item, 1) is not None


def joint_ids(a: Trace, b: Trace, partners: Iterable[tuple[int, int]]) -> tuple[Ints, Ints]:
    """Ids by which the words of two versions of a text are the same, int64 [words of a] and [words of b].

    partners: the sentences of a and of b that are versions of each other. The ids are those of the oldest version, 0
    where an item is missing. A sentence without comments of ours was not permuted, or its comments were lost on the
    way (then each word has an `Orig=`, the first of which counts): it was not if, as the other side has it, all words
    had a stranger's `Orig=` from the beginning.
    """
    ids = a.oldest_ids, b.oldest_ids
    if not any(ITEM.encode() in side.text.data and (side.levels == 0).any() for side in (a, b)):
        return ids
    ids = ids[0].copy(), ids[1].copy()
    for one, two in partners:
        first = _first_items(a, one), _first_items(b, two)
        if first[0] and first[1]:  # of both the same is true; if they are ids, no two are alike
            lost = (all(len(set(own)) == len(own) for own in first),) * 2
        else:
            lost = bool(first[0]) and _has_bare_word(b, two), bool(first[1]) and _has_bare_word(a, one)
        for side, sentence, numbers, is_lost, own in zip((a, b), (one, two), first, lost, ids, strict=True):
            if is_lost:
                own[slice(*side.text.sentence_start[sentence : sentence + 2].tolist())] = numbers
    return ids


def _first_items(side: Trace, sentence: int) -> list[int]:
    """The first `Orig=` of each word of a sentence without comments of ours; none where a word has none."""
    numbers: list[int] = []
    if side.levels[sentence]:
        return numbers
    for word in range(*side.text.sentence_start[sentence : sentence + 2].tolist()):
        items = side._items(word)
        if not items:
            return []
        numbers.append(items[0])
    return numbers


def _has_bare_word(side: Trace, sentence: int) -> bool:
    """Whether a word of the sentence had no stranger's `Orig=` before it was permuted, if ever."""
    words = range(*side.text.sentence_start[sentence : sentence + 2].tolist())
    return any(len(side._items(word)) <= side.levels[sentence] for word in words)


# -- writing ---------------------------------------------------------------------------------------------------------


def misc_end(text: Text) -> Ints:
    """Where the MISC of each token line ends when an item is added to it: at its start if it is _ (words only)."""
    end = text.edges[:, MISC + 1].copy()
    words = text.word_token
    empty = words[_misc_is_empty(text, words)]
    end[empty] = text.edges[empty, MISC] + 1
    return end


def _misc_is_empty(text: Text, words: Ints) -> Mask:
    """Which of these token lines have _ for MISC."""
    start, length = text.column(MISC, words)
    return (length == 1) & (text.buffer[start] == UNDERSCORE)


def id_items(text: Text, pool: TextPool, rows: Ints) -> tuple[Ints, Ints]:
    """`Orig=7` or `|Orig=7` and the end of the line, for each of these words: spans in `pool`."""
    old_number = rows - text.sentence_start[text.sentence_of[rows]] + 1
    longest = int(old_number.max(initial=0))
    start, length = pool.add_all([f"|{ITEM}{number}\n".encode() for number in range(longest + 1)])
    empty = _misc_is_empty(text, text.word_token[rows])
    return start[old_number] + empty, length[old_number] - empty


def without_id_items(text: Text, pool: TextPool, rows: Ints, ids: Ints) -> tuple[Ints, tuple[Ints, Ints]]:
    """The inverse: where the MISC of each token line ends without its last item, and what then ends the line of each
    of these words, spans in `pool`. ids: [N], the numbers of the items."""
    width = np.zeros(len(ids), np.int64)
    for power in range(_DIGITS):
        width += ids >= 10**power
    end = text.edges[:, MISC + 1].copy()
    words = text.word_token
    first = end[words] - width - len(ITEM)
    alone = first == text.edges[words, MISC] + 1
    end[words] = np.where(alone, first, first - 1)
    empty, newline = pool.add(b"_\n"), pool.add(b"\n")
    alone = alone[rows]
    return end, (np.where(alone, empty[0], newline[0]), np.where(alone, empty[1], newline[1]))


def with_hidden_items(line: bytes, kinds: set[int]) -> bytes:
    """The line of a range with its items of these kinds hidden once more."""
    return _PLACED_IN_LINE.sub(lambda found: (HIDING if _PLACED[found[1]] in kinds else b"") + found[0], line)


def comments(edition: Edition, signature: str, changed: Mask, separated: Ints, from_columns: Ints) -> list[Span]:
    """The comments that a permutation adds to each sentence of an edition, as spans one after the other.

    changed: bool [S], words have moved or are gone; separated: ranges of the text whose words no longer stand together;
    from_columns: sentences of the text whose MISC has CoNLL-X's last columns.
    """
    text, pool, sentence, removed = edition.text, edition.pool, edition.sentence, edition.removed
    data = text.data
    lines = [b""] * len(sentence)
    here = {number: i for i, number in enumerate(sentence.tolist())}
    for i in separated.tolist():
        token = text.range_token[i]
        line = data[int(text.edges[token, 0]) + 1 : int(text.edges[token, 10])]
        lines[here[int(text.sentence_of[text.range_first[i]])]] += b"# permtree_range = %s\n" % line
    for number in from_columns.tolist():
        lines[here[number]] += b"# permtree_columns = %s\n" % _COLUMNS
    sentence_of = text.sentence_of[removed]
    own_numbers = (removed - text.sentence_start[sentence_of] + 1).tolist()
    bounds = [*run_starts(sentence_of).tolist(), len(removed)]
    for begin, end in zip(bounds[:-1], bounds[1:], strict=True):
        gone = b",".join(b"%d" % own for own in own_numbers[begin:end])
        lines[here[int(sentence_of[begin])]] += b"# permtree_removed = %s\n" % gone
    for token in unsorted_deps(text).tolist():
        number = int(np.searchsorted(text.sentence_token, token, "right")) - 1
        if number in here:
            (id_start, deps_start), (id_end, deps_end) = text.edges[token, [ID, DEPS]] + 1, text.edges[token, [1, 9]]
            pair = (data[id_start:id_end], data[deps_start:deps_end])
            lines[here[number]] += b"# permtree_deps = %s %s\n" % pair
    if text.missing_blank and text.n_sentences - 1 in here:
        what = b"no newline" if text.missing_newline else b"no blank line"
        lines[here[text.n_sentences - 1]] += b"# permtree_end = %s\n" % what
    changed = changed & (text.text_values[0][sentence] >= 0)
    start, end = (bound[sentence] for bound in text.text_values)
    mark, name, newline = (
        pool.add(part) for part in (b"# permtree = %s\n" % signature.encode(), b"# permtree_text = ", b"\n")
    )
    return [
        mark,
        (name[0], np.where(changed, name[1], 0)),
        (start, np.where(changed, end - start, 0)),
        (newline[0], changed.astype(np.int64)),
        pool.add_all(lines),
    ]


def unsorted_deps(text: Text) -> Ints:
    """Token lines whose DEPS are not sorted by head, so that sorting can't give them back."""
    if text.deps is None:
        return np.zeros(0, np.int64)
    items = text.deps
    node = np.maximum(items.node, 0)
    if len(text.node_anchor):
        word = np.where(items.node >= 0, np.maximum(text.node_anchor[node], -1), items.word)
        number = np.where(items.node >= 0, text.node_number[node], 0)
    else:
        word, number = items.word, np.zeros(len(items.word), np.int64)
    falls = (word[1:] < word[:-1]) | ((word[1:] == word[:-1]) & (number[1:] < number[:-1]))
    tokens = items.token[1:][falls & (items.token[1:] == items.token[:-1])]
    return tokens[run_starts(tokens)]
