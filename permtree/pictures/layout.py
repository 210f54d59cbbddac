"""Where the lines of a tree run: their levels beside the words, and room for words and labels in a row.

Lines meet a word at up to three places side by side: those to dependents on its left, the one to its head, those to
dependents on its right. Place 3 * i + 1 is the middle of word i (from 0).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from .picture import Sentence

PLACES = 3  # at each word


@dataclass(frozen=True)
class Bar:
    """A line beside the words from which a head and one or more dependents of it, all on one side, hang.

    head, dependents: words from 0; level: 1 is nearest to the words.
    """

    head: int
    dependents: tuple[int, ...]
    level: int

    @property
    def head_place(self) -> int:
        return PLACES * self.head + (0 if self.dependents[0] < self.head else 2)

    @property
    def dependent_places(self) -> tuple[int, ...]:
        return tuple(PLACES * word + 1 for word in self.dependents)

    @property
    def places(self) -> tuple[int, ...]:
        return self.head_place, *self.dependent_places


def arc_bars(sentence: Sentence) -> list[Bar]:
    """One bar for each arc, longer ones above shorter ones: for words in a row, with labels."""
    arcs = [(word.head - 1, (word.number - 1,)) for word in sentence.words if word.head]
    arcs.sort(key=lambda arc: (abs(arc[0] - arc[1][0]), arc[1]))
    places = [Bar(*arc, 0).places for arc in arcs]
    return [Bar(*arc, level) for arc, level in zip(arcs, levels(places), strict=True)]


def head_bars(sentence: Sentence) -> list[Bar]:
    """One bar for all dependents on one side of a head, those of deeper heads nearer: for one word a line.

    The line to a word's own head then lies outside of those to its dependents.
    """
    below: dict[tuple[int, bool], list[int]] = defaultdict(list)
    for word in sentence.words:
        if word.head:
            below[word.head - 1, word.number < word.head].append(word.number - 1)
    arcs = [(head, tuple(dependents)) for (head, _), dependents in below.items()]
    arcs.sort(key=lambda arc: (-sentence.depth[arc[0]], max(arc[1]) - min(arc[1]), arc))
    spans = [(head, *dependents) for head, dependents in arcs]
    return [Bar(*arc, level) for arc, level in zip(arcs, levels(spans), strict=True)]


def levels(spans: Sequence[Sequence[int]]) -> list[int]:
    """The level of each span, from 1: above all spans earlier in the list with which it shares a place."""
    top = [0] * (1 + max((max(span) for span in spans), default=0))
    result = []
    for span in spans:
        under = slice(min(span), max(span) + 1)
        level = 1 + max(top[under])
        top[under] = [level] * len(top[under])
        result.append(level)
    return result


class WordRow:
    """Words in a row, in columns of a terminal or in pixels: as narrow as the words and the labels of arcs allow.

    widths: of the words; labels: of the relations, [words] each; gap: between words; step: between lines at one word,
    tight: the least of that where the word is too short; start: where each word's slot starts, width: of all.
    """

    def __init__(
        self, sentence: Sentence, widths: Sequence[int], labels: Sequence[int], gap: int, step: int, tight: int
    ):
        self.bars = arc_bars(sentence)
        self.roots = sentence.roots
        self.widths = widths
        self.top = max((bar.level for bar in self.bars), default=0)
        self._labels = labels
        self._gap = gap
        self._height = {PLACES * root + 1: self.top + 1 for root in self.roots}  # how high the line at a place rises
        for bar in self.bars:
            for place in bar.places:
                self._height[place] = max(self._height.get(place, 0), bar.level)
        self._offset: dict[int, int] = {}
        self.slot: list[int] = []
        for word, width in enumerate(widths):
            self._fit_slot(word, width, sentence.words[word].head == word + 1, step, tight)
        self.start = [0] * len(widths)
        self.fit(self.start)

    def _fit_slot(self, word: int, width: int, loop: bool, step: int, tight: int) -> None:
        """The room of a word and where its lines meet it. loop: it is its own head."""
        used = [place for place in range(PLACES * word, PLACES * (word + 1)) if place in self._height]
        if loop:
            step = tight = self._labels[word] + 1
        steps = max(len(used) - 1, 0)
        slot = max(width, 1 + steps * tight)
        step = step if slot > steps * step else tight
        for number, place in enumerate(used):
            self._offset[place] = (slot - 1 - steps * step) // 2 + number * step
        self.slot.append(slot)

    def fit(self, at_least: Sequence[int]) -> None:
        """Place all words, none before its place in `at_least`."""
        at_least = list(at_least)
        for root in self.roots:  # half of the label stands left of its line
            at_least[root] = max(at_least[root], self._labels[root] // 2 - self._offset[PLACES * root + 1])
        needs = []
        for one, two in zip(self.roots[:-1], self.roots[1:], strict=True):
            space = self._labels[one] // 2 + self._labels[two] // 2 + 2
            needs.append((PLACES * one + 1, PLACES * two + 1, space))
        while True:
            self._shift(needs, at_least)
            more = [(*self.stretch(bar), self._labels[bar.dependents[0]] + 1) for bar in self.bars]
            more = [need for need in more if self.at(need[1]) - self.at(need[0]) < need[2]]
            if not more:
                return
            needs += more

    def _shift(self, needs: list[tuple[int, int, int]], at_least: Sequence[int]) -> None:
        """needs: (place, place further right, the least distance between them)."""
        by_word = defaultdict(list)
        for left, right, distance in needs:
            by_word[right // PLACES].append((left, right, distance))
        end = -self._gap
        for word, slot in enumerate(self.slot):
            start = max(end + self._gap, at_least[word])
            for left, right, distance in by_word[word]:
                start = max(start, self.at(left) + distance - self._offset[right])
            self.start[word] = start
            end = start + slot

    def at(self, place: int) -> int:
        """Where a place that a line meets is."""
        return self.start[place // PLACES] + self._offset[place]

    def centre(self, word: int) -> int:
        return self.start[word] + (self.slot[word] - 1) // 2

    @property
    def width(self) -> int:
        ends = [start + slot for start, slot in zip(self.start, self.slot, strict=True)]
        return max(ends + [self.at(PLACES * root + 1) + self._labels[root] // 2 + 1 for root in self.roots])

    def stretch(self, bar: Bar) -> tuple[int, int]:
        """The two places between which the bar is longest without a line across it: there its label goes."""
        low, high = min(bar.places), max(bar.places)
        if low // PLACES == high // PLACES:
            return low, high
        between = [place for place in range(low + 1, high) if self._height.get(place, 0) > bar.level]
        cuts = [low, *between, high]
        stretches = [cut for cut in zip(cuts[:-1], cuts[1:], strict=True) if cut[0] // PLACES != cut[1] // PLACES]
        return max(stretches, key=lambda cut: self.at(cut[1]) - self.at(cut[0]))


def rows_in_step(first: WordRow, second: WordRow) -> None:
    """Give the same words in the same order the same places in two rows."""
    while first.start != second.start:
        second.fit(first.start)
        first.fit(second.start)
