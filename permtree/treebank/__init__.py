"""The treebank: sentences as flat columns over all words, read-only, with the text that they came from behind them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from ..conllu.files import atomic_output, pieces
from ..conllu.scan import one_layout, read_text
from ..conllu.spans import intern, run_starts
from ..conllu.text import DEPREL, FEATS, FORM, LEMMA, UPOS, XPOS, Text
from ..errors import DataError, Finding, UsageError
from ..kernels.trees import NO_HEAD, ROOT, Trees, reattach
from ..types import Floats, Ints, Mask
from .documents import only
from .frames import NUMBERS, to_arrow, to_pandas, word_columns
from .randomness import sentence_keys, uniform

if TYPE_CHECKING:
    import conllu


class Column:
    """An interned column: codes int32 [N] into `vocabulary`, which is sorted."""

    def __init__(self, codes: Ints, vocabulary: list[str]):
        self.codes = codes
        self.vocabulary = vocabulary
        codes.flags.writeable = False

    def code(self, value: str) -> int:
        """The code of a value; -1 where the treebank doesn't have it."""
        return self.vocabulary.index(value) if value in self.vocabulary else -1

    def decoded(self) -> list[str]:
        return [self.vocabulary[code] for code in self.codes.tolist()]


class Treebank(Trees):
    """Sentences of words with heads (see `Trees`), their relations and tags, and the text that was read.

    A treebank may be a selection from another one (`select_words`, `select_sentences`), or a view of another one, with
    its words in another order or with other heads (`in_order`, `with_arcs`). `row` [N] and `sentence` [S] say which
    words and sentences of the text it holds. Heads are rows of this treebank.

    A view has columns, heads and measures of its own at once, and a text when one is asked for: it is then written and
    read again.
    """

    def __init__(self, text: Text, sentence_start: Ints, head: Ints, row: Ints, sentence: Ints):
        super().__init__(sentence_start, head)
        self._text, self._row, self._sentence = text, row, sentence
        self._columns: dict[int, Column] = {}

    @property
    def text(self) -> Text:
        """The text behind this treebank, of which it may be a selection."""
        return self._text

    @property
    def row(self) -> Ints:
        """The words of the text that it holds, int64 [N]."""
        return self._row

    @property
    def sentence(self) -> Ints:
        """The sentences of the text that it holds, int64 [S]."""
        return self._sentence

    @property
    def is_whole(self) -> bool:
        """Whether it holds all words of its text."""
        return self.n_words == self.text.n_words and self.n_sentences == self.text.n_sentences

    @property
    def name(self) -> str:
        """What its text is called."""
        return self.text.name

    @property
    def n_skipped(self) -> int:
        """Sentences of the text that were left out for faults."""
        return self.text.n_skipped

    @property
    def numbers(self) -> Ints:
        """The number of each sentence in what was read, from 1; int64 [S]."""
        return self.text.number[self.sentence]

    # -- reading and writing -----------------------------------------------------------------------------------

    @classmethod
    def from_text(cls, text: Text) -> Treebank:
        rows = np.arange(text.n_words)
        return cls(text, text.sentence_start, text.head, rows, np.arange(text.n_sentences))

    @classmethod
    def from_bytes(cls, data: bytes, name: str = "<bytes>") -> Treebank:
        """Read CoNLL-U or CoNLL-X from bytes with plain newlines. Raises DataError at the first fault."""
        return cls.from_text(read_text(data, name)[0])

    @classmethod
    def read(cls, *paths: str, skip_errors: bool = False, report: Callable[[Finding], None] | None = None) -> Treebank:
        """Read one or several files ("-" for standard input; .gz, .xz and .bz2 as they are) into one treebank.

        Raises DataError at the first fault, with file and line. With `skip_errors`, sentences with faults are left
        out instead. `report` is called with each warning and each fault that was passed over.
        """
        tell = report or (lambda finding: None)
        texts = []
        for path in paths:
            data = b"".join(piece.data for piece in pieces(str(path), tell))
            text, skipped = read_text(data, "<stdin>" if path == "-" else str(path), 1, skip_errors)
            for finding in skipped:
                tell(finding)
            texts.append(text)
        if len(texts) == 1:
            return cls.from_text(texts[0])
        return cls.from_text(joined(texts))

    def to_bytes(self) -> bytes:
        """CoNLL-U: what was read, to the byte. Some sentences of a text are written as they stood, each with what
        stood before it. Raises UsageError for a selection of words (permute it with mode "original")."""
        text = self.text
        if self.is_whole:
            data = text.written()
            return data[:-1] if text.missing_newline else data
        if not np.array_equal(self.sentence_length, np.diff(text.sentence_start)[self.sentence]):
            raise UsageError("a selection of words has no text of its own; permute with mode 'original' and write that")
        pieces = text.sentence_pieces
        return text.written(b"".join([pieces[sentence] for sentence in self.sentence.tolist()]))

    def write(self, path: str) -> None:
        """Write to a file ("-" for standard output), beside its place first; .gz, .xz and .bz2 are compressed."""
        with atomic_output(str(path)) as out:
            out.write(self.to_bytes())

    @classmethod
    def from_conllu(cls, sentences: Iterable[conllu.TokenList]) -> Treebank:
        """From the object model of the package conllu, through what it serializes."""
        return cls.from_bytes("".join(sentence.serialize() for sentence in sentences).encode("utf-8"), "<conllu>")

    def to_conllu(self) -> list[conllu.TokenList]:
        """To the object model of the package conllu: one TokenList a sentence."""
        import conllu

        blocks = conllu.parse(self.to_bytes().decode("utf-8"), [name.lower() for name in self.text.layout.names])
        return [block for block in blocks if len(block)]  # comments alone are no sentence

    @classmethod
    def from_heads(cls, sentences: Iterable[Iterable[int]]) -> Treebank:
        """Bare trees: for each sentence the 1-based heads of its words, 0 for a root. Words are named w1, w2 ..."""
        lines = []
        for heads in sentences:
            for number, head in enumerate(heads, 1):
                relation = "dep" if head else "root"
                lines.append(f"{number}\tw{number}\t_\tX\t_\t_\t{head}\t{relation}\t_\t_\n")
            lines.append("\n")
        return cls.from_bytes("".join(lines).encode(), "<heads>")

    def to_pandas(self) -> Any:
        """A pandas.DataFrame with a row a word (see `permtree.treebank.frames.word_columns`)."""
        return to_pandas(word_columns(self))

    def to_arrow(self) -> Any:
        """The same as a pyarrow.Table."""
        return to_arrow(word_columns(self), NUMBERS)

    # -- columns -----------------------------------------------------------------------------------------------

    def column(self, column: int) -> Column:
        """An interned column of the words of this treebank, by its number in `permtree.conllu.text` (0 is ID)."""
        if column not in self._columns:
            self._columns[column] = self._read_column(column)
        return self._columns[column]

    def _read_column(self, column: int) -> Column:
        return Column(*intern(self.text.buffer, self.text.words, *self.text.column(column)))

    @property
    def deprel(self) -> Column:
        return self.column(DEPREL)

    @property
    def upos(self) -> Column:
        return self.column(UPOS)

    @property
    def xpos(self) -> Column:
        return self.column(XPOS)

    @property
    def sent_ids(self) -> list[str]:
        """The sent_id of each sentence, empty where it has none."""
        names = self.text.sent_ids
        return [names[sentence] for sentence in self.sentence.tolist()]

    # -- selections --------------------------------------------------------------------------------------------

    def select_words(self, kept: Mask) -> Treebank:
        """Only some words, in their order; a word whose head is gone hangs on its nearest kept ancestor (else: a root).

        Needs trees. All sentences stay, if need be without words.
        """
        head = reattach(self.head, kept)[kept]
        new_row = np.cumsum(kept) - 1
        head = np.where(head >= 0, new_row[np.maximum(head, 0)], head)
        start = np.concatenate([[0], np.cumsum(kept)])[self.sentence_start]
        return _Selection(self, start, head, np.flatnonzero(kept), np.arange(self.n_sentences))

    def select_sentences(self, kept: Mask) -> Treebank:
        """Only some sentences, in their order. kept: bool [S]."""
        if kept.all():
            return self
        words = kept[self.sentence_of]
        new_row = np.cumsum(words) - 1
        head = self.head[words]
        head = np.where(head >= 0, new_row[np.maximum(head, 0)], head)
        start = np.concatenate([[0], np.cumsum(self.sentence_length[kept])])
        return _Selection(self, start, head, np.flatnonzero(words), np.flatnonzero(kept))

    def sentences_in_order(self, numbers: Ints) -> Treebank:
        """Some sentences, each at most once, in the order of their numbers here, int64 [S']."""
        length = self.sentence_length[numbers]
        start = np.concatenate([[0], np.cumsum(length)])
        rows = np.repeat(self.sentence_start[numbers] - start[:-1], length) + np.arange(start[-1])
        new_row = np.full(self.n_words, -1, np.int64)
        new_row[rows] = np.arange(len(rows))
        head = self.head[rows]
        head = np.where(head >= 0, new_row[np.maximum(head, 0)], head)
        return _Selection(self, start, head, rows, np.asarray(numbers, np.int64))

    # -- views -------------------------------------------------------------------------------------------------

    def in_order(
        self,
        order: Ints,
        written: Callable[[], bytes] | None = None,
        name: str | None = None,
        reported: Callable[[], Any] | None = None,
    ) -> Treebank:
        """A view: the same words in another order, with the same heads.

        order: int64 [N], rows of this treebank in their new order, sentence by sentence. written: gives the view as
        CoNLL-U when that is asked for; without it the view can be measured, but not written (`permtree.in_order` makes
        one that can). reported: makes the `report`.
        Raises UsageError for what is no order of the words of each sentence.
        """
        order = np.asarray(order, np.int64)
        place = np.full(self.n_words, -1, np.int64)
        right = len(order) == self.n_words and (not len(order) or (order.min() >= 0 and order.max() < self.n_words))
        if right:
            place[order] = np.arange(self.n_words)
        if not right or (place < 0).any() or (self.sentence_of[order] != self.sentence_of).any():
            raise UsageError("an order holds the rows of all words, each once, sentence by sentence")
        head = self.head[order]
        head = np.where(head >= 0, place[np.maximum(head, 0)], head)
        return _View(self, head, order, {}, written, name or self.name, reported)

    def of_sentences(
        self, chosen: Ints, written: Callable[[], bytes] | None = None, name: str | None = None
    ) -> Treebank:
        """A view: some sentences as a treebank of their own, by their numbers here, int64 [S'], rising.

        written: see `in_order`; without it, each sentence is written with what stood before it and with the `# newdoc`
        and `# newpar` that it is of.
        """
        view = self.sentences_in_order(chosen)
        return view.in_order(
            np.arange(view.n_words), written or (lambda: only(self.text, self.sentence[chosen])), name or self.name
        )

    def with_arcs(self, head: Ints, deprel: Column, written: Callable[[], bytes]) -> Treebank:
        """A view: the same words with other heads, rows [N], and relations. written: see `in_order`."""
        return _View(self, head, np.arange(self.n_words), {DEPREL: deprel}, written, self.name, None)

    @property
    def report(self) -> Any:
        """Of a permuted treebank: the `permtree.Report` of what was left out, removed or set aside; else None."""
        return None

    # -- trees or not ------------------------------------------------------------------------------------------

    def tree_findings(self) -> Iterator[tuple[int, Finding]]:
        """Sentences whose heads are no tree (or several), with what is wrong: (sentence number here, finding)."""
        if self.n_words == 0 or int(self.depth.min()) >= 0:
            return
        lost = np.flatnonzero(self.depth < 0)
        for row in lost[run_starts(self.sentence_of[lost])].tolist():
            sentence = int(self.sentence_of[row])
            yield sentence, self._why_no_tree(sentence)

    def _why_no_tree(self, sentence: int) -> Finding:
        rows = np.arange(self.sentence_start[sentence], self.sentence_start[sentence + 1])
        head = self.head[rows]
        if (head == NO_HEAD).any():
            lacking = rows[head == NO_HEAD]
            what = "no HEAD: no tree is annotated; parse the file first"
            if len(lacking) < len(rows):
                lack = "lacks" if len(lacking) == 1 else "lack"
                out = "finish the sentence, or leave it out with --skip-errors"
                what = f"{len(lacking)} of {len(rows)} words {lack} HEAD; {out}"
            return self.finding("E201", int(lacking[0]), what)
        if (head == rows).any():
            return self.finding("E202", int(rows[head == rows][0]), "a word that heads itself")
        if not (head == ROOT).any():
            return self.finding("E204", int(rows[0]), "no root: no word has HEAD 0")
        on_cycle = int(rows[self.depth[rows] < 0][0])
        for _ in rows:  # from a word that no root reaches, enough steps up end on the cycle
            on_cycle = int(self.head[on_cycle])
        cycle = [on_cycle]
        while self.head[cycle[-1]] != on_cycle:
            cycle.append(int(self.head[cycle[-1]]))
        numbers = ", ".join(str(row - rows[0] + 1) for row in sorted(cycle)[:8]) + (" ..." if len(cycle) > 8 else "")
        return self.finding("E203", min(cycle), f"not a tree: words {numbers} head each other in a circle")

    def finding(self, code: str, row: int, what: str) -> Finding:
        """A finding about a word of this treebank."""
        sentence = self.text.sent_ids[int(self.sentence[self.sentence_of[row]])]
        return Finding(code, *self.text.place_of_word(int(self.row[row])), what, sentence)

    def trees_only(self, skip_errors: bool = False) -> tuple[Treebank, list[Finding]]:
        """This treebank if all its sentences are trees (several roots are allowed), else DataError at the first.

        With `skip_errors` the others are left out and their findings returned.
        """
        kept = np.ones(self.n_sentences, bool)
        findings = []
        for sentence, finding in self.tree_findings():
            if not skip_errors:
                raise DataError(finding)
            kept[sentence] = False
            findings.append(finding)
        return self.select_sentences(kept), findings

    # -- randomness --------------------------------------------------------------------------------------------

    @cached_property
    def _sentence_keys(self) -> Ints:
        return sentence_keys(self.text)

    def random_uniform(self, seed: int, stream: str, rows: Ints | slice = slice(None)) -> Floats:
        """Uniform on [0, 1) for each word (or for some rows), from (seed, stream, sentence, place in the sentence);
        float64 [N]."""
        text_sentence = self.sentence[self.sentence_of[rows]]
        place = self.row[rows] - self.text.sentence_start[text_sentence]
        return uniform(self._sentence_keys[text_sentence], place, seed, stream)

    def random_uniform_of_sentence(self, seed: int, stream: str) -> Floats:
        """The same for each sentence, repeated for its words: float64 [N] (the draw of the sentence's first word)."""
        return self.random_uniform(seed, stream)[self.sentence_start[:-1][self.sentence_of]]


class _Selection(Treebank):
    """Some words and sentences of another treebank, whose text is behind it."""

    def __init__(self, of: Treebank, sentence_start: Ints, head: Ints, rows: Ints, sentences: Ints):
        """rows, sentences: those of `of` that it holds."""
        Trees.__init__(self, sentence_start, head)
        self._whole: Treebank = of
        if isinstance(of, _Selection):
            self._whole, rows, sentences = of._whole, of._rows[rows], of._sentences[sentences]
        self._rows: Ints = rows
        self._sentences: Ints = sentences
        self._columns = {}

    @property
    def text(self) -> Text:
        return self._whole.text

    @cached_property
    def row(self) -> Ints:
        return self._whole.row[self._rows]

    @cached_property
    def sentence(self) -> Ints:
        return self._whole.sentence[self._sentences]

    @property
    def is_whole(self) -> bool:
        return self._whole.is_whole and (self.n_words, self.n_sentences) == (
            self._whole.n_words,
            self._whole.n_sentences,
        )

    @property
    def name(self) -> str:
        return self._whole.name

    @property
    def n_skipped(self) -> int:
        return self._whole.n_skipped

    @property
    def numbers(self) -> Ints:
        return self._whole.numbers[self._sentences]

    @property
    def sent_ids(self) -> list[str]:
        names = self._whole.sent_ids
        return [names[sentence] for sentence in self._sentences.tolist()]

    def _read_column(self, column: int) -> Column:
        whole = self._whole.column(column)
        return Column(whole.codes[self._rows], whole.vocabulary)

    @property
    def _sentence_keys(self) -> Ints:
        return self._whole._sentence_keys


class _View(Treebank):
    """The words of another treebank in another order, or with other heads and relations; `written` gives its bytes."""

    def __init__(
        self,
        base: Treebank,
        head: Ints,
        order: Ints,
        columns: dict[int, Column],
        written: Callable[[], bytes] | None,
        name: str,
        reported: Callable[[], Any] | None,
    ):
        Trees.__init__(self, base.sentence_start, head)
        self._base, self._order, self._written, self._name, self._reported = base, order, written, name, reported
        self._columns = dict(columns)

    @cached_property
    def _bytes(self) -> bytes:
        if self._written is None:
            raise UsageError("this order of words can't be written; permtree.in_order makes one that can")
        return self._written()

    @cached_property
    def text(self) -> Text:
        return read_text(self._bytes, self._name)[0]

    @cached_property
    def row(self) -> Ints:
        return np.arange(self.n_words)

    @cached_property
    def sentence(self) -> Ints:
        return np.arange(self.n_sentences)

    @property
    def is_whole(self) -> bool:
        return True

    @property
    def name(self) -> str:
        return self._name

    @property
    def n_skipped(self) -> int:
        return 0

    @property
    def numbers(self) -> Ints:
        return np.arange(1, self.n_sentences + 1)

    @property
    def sent_ids(self) -> list[str]:
        return self._base.sent_ids

    @cached_property
    def report(self) -> Any:
        return self._reported() if self._reported else None

    def to_bytes(self) -> bytes:
        return self._bytes

    def _read_column(self, column: int) -> Column:
        if column not in (FORM, LEMMA, UPOS, XPOS, FEATS, DEPREL):  # these change with the order
            return super()._read_column(column)
        base = self._base.column(column)
        used = np.bincount(base.codes, minlength=len(base.vocabulary)) > 0
        vocabulary = [value for value, own in zip(base.vocabulary, used.tolist(), strict=True) if own]
        number = (np.cumsum(used) - 1).astype(base.codes.dtype)
        return Column(number[base.codes[self._order]], vocabulary)


def joined(texts: list[Text]) -> Text:
    """One text from several, which keeps their names and the numbers of their lines."""
    layout = one_layout(texts)
    # a line that names columns again is a comment of what follows
    headers = [text.layout.header if text.has_header and i else b"" for i, text in enumerate(texts)]
    parts = [header + closed(text) for header, text in zip(headers, texts, strict=True)]
    whole, _ = read_text(b"".join(parts), "+".join(text.name for text in texts), 2, layout=layout.within)
    sources, numbers, first = [], [], 0
    for text, part, header in zip(texts, parts, headers, strict=True):
        lines = part.count(b"\n")
        sources.append((first, text.name))
        own = np.concatenate([[1] if header else [], text.line_number]).astype(np.int64)
        numbers.append(np.append(own, [0] * (lines - len(own))))
        first += lines
    number = np.concatenate(numbers) if numbers else whole.line_number
    has_header = bool(texts) and texts[0].has_header
    return replace(whole, sources=tuple(sources), line_number=number, layout=layout, has_header=has_header)


def closed(text: Text) -> bytes:
    """The bytes of a text, ended by a blank line, so that another can follow."""
    return text.data + (b"" if not text.data or text.data.endswith(b"\n\n") else b"\n")


def heads_of(treebank: Treebank) -> list[list[int]]:
    """The 1-based heads of each sentence, 0 for a root: the inverse of `Treebank.from_heads`."""
    heads = treebank.head_number.tolist()
    bounds = treebank.sentence_start.tolist()
    return [heads[a:b] for a, b in zip(bounds[:-1], bounds[1:], strict=True)]
