"""From bytes to columns: scan CoNLL-U or CoNLL-X with whole-file array operations, and find all that is wrong with it.

The codes of findings: E1xx can't be read, E2xx no tree, W... odd but usable. Each function below handles one kind of
fault for all lines at once; a line that fails one check is left out of the checks that build on it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace

import numpy as np

from ..errors import DataError, Finding
from ..kernels.trees import NO_HEAD, ROOT
from ..types import Bytes, Ints, Mask
from .spans import BYTE_ORDER_MARK, UNDERSCORE, eight_bytes, gather, integers, leading_integers, run_starts
from .text import DEPS, HEAD, ID, Deps, Text

COLUMN_NAMES = "ID FORM LEMMA UPOS XPOS FEATS HEAD DEPREL DEPS MISC".split()
TAB, NEWLINE, HASH, MINUS, POINT, COLON, PIPE = 9, 10, 35, 45, 46, 58, 124

# faults that may only seem to be there because a line of the sentence could not be read
_CONSEQUENCES = {"E121", "E122", "E123", "E124", "E125", "E126", "E131", "E141"}


class _Scan:
    """One pass over one piece of a file; `findings` fills as it goes, `text` is there in the end."""

    def __init__(self, data: bytes, name: str, line_number: Ints | int):
        self.name = name
        self.missing_newline = bool(data) and not data.endswith(b"\n")
        self.data = data + b"\n" if self.missing_newline else data
        self.buffer: Bytes = np.frombuffer(self.data, np.uint8)
        self.words = eight_bytes(self.buffer)
        self.findings: list[Finding] = []
        self._find_lines()
        if isinstance(line_number, int):
            line_number = np.arange(line_number, line_number + len(self.line_start))
        self.line_number = line_number
        self.bad_blocks: set[int] = set()
        self.incomplete: set[int] = set()  # blocks of which a line could not be read
        self._check_bytes()
        self._find_columns()
        self._find_ids()
        self._check_comments()
        self._find_ranges_and_nodes()
        self._find_heads()
        self._find_deps()

    # -- faults ------------------------------------------------------------------------------------------------

    def error(self, code: str, line: int, what: str) -> None:
        block = int(self.block[line])
        if block in self.incomplete and code in _CONSEQUENCES:
            return  # the line that could not be read explains it
        self.bad_blocks.add(block)
        self.findings.append(Finding(code, self.name, int(self.line_number[line]), what, self._sentence(block)))

    def errors(self, code: str, lines: Iterable[int], what: str) -> None:
        for line in lines:
            self.error(code, int(line), what)

    def _sentence(self, block: int) -> str:
        first, last = np.searchsorted(self.block, [block, block + 1])
        begin = self.line_start[first]
        end = self.line_start[last] if last < len(self.line_start) else len(self.data)
        found = re.search(rb"^#[ \t]*sent_id[ \t]*=[ \t]*(.*)$", self.data[begin:end], re.MULTILINE)
        return found.group(1).decode("utf-8", "replace").strip() if found else ""

    def show(self, token: int, column: int) -> str:
        begin, end = int(self.edges[token, column]) + 1, int(self.edges[token, column + 1])
        return shorten(self.data[begin:end])

    # -- lines and columns -------------------------------------------------------------------------------------

    def _find_lines(self) -> None:
        self.delimiters = np.flatnonzero(self.buffer - np.uint8(TAB) < 2)  # TAB or NEWLINE, its neighbour
        self.newline_index = np.flatnonzero(self.buffer[self.delimiters] == NEWLINE)
        self.line_end = self.delimiters[self.newline_index]
        self.line_start = np.concatenate([[0], self.line_end + 1])[: len(self.line_end)]
        blank = self.line_end == self.line_start
        self.blank_lines = np.flatnonzero(blank)
        self.block = np.cumsum(blank) - blank  # a blank line belongs to the block that it ends
        self.is_comment: Mask = (self.buffer[self.line_start] == HASH) & ~blank
        self.is_token: Mask = ~blank & ~self.is_comment

    def line_at(self, byte: int) -> int:
        return int(np.searchsorted(self.line_start, byte, "right")) - 1

    def _check_bytes(self) -> None:
        begin, marked = 0, False
        while begin < len(self.data):  # in whole lines, so that plain ASCII, which is most, need not be decoded
            end = self.data.find(b"\n", begin + (1 << 15)) + 1 or len(self.data)
            block = self.data[begin:end]
            try:
                if not block.isascii():
                    marked = marked or BYTE_ORDER_MARK in block
                    block.decode("utf-8")
                begin = end
            except UnicodeDecodeError as fault:
                at = begin + fault.start
                utf16 = " (is the file UTF-16?)" if self.data[:2] in (b"\xff\xfe", b"\xfe\xff") else ""
                what = f"byte 0x{self.data[at]:02x} is not UTF-8{utf16}; convert the file, for example with iconv"
                self.error("E101", self.line_at(at), what)
                begin = int(self.line_end[self.line_at(at)]) + 1  # one finding a line
        if b"\0" in self.data:
            what = "a NUL byte (is the file UTF-16?); convert the file to UTF-8, for example with iconv"
            self.errors("E101", sorted({self.line_at(m.start()) for m in re.finditer(b"\0", self.data)}), what)
        if marked:
            for mark in re.finditer(b"(?<=\n)" + BYTE_ORDER_MARK, b"\n" + self.data):
                line = self.line_at(mark.start() - 1)
                self.error("E103", line, "a byte-order mark inside the file (joined from several?); remove it")
                self.incomplete.add(int(self.block[line]))
                self.is_token[line] = False
        if b"\r" in self.data:
            lines = sorted({self.line_at(m.start()) for m in re.finditer(b"\r", self.data)})
            self.errors("E102", lines, "a carriage return inside a line; end lines with a newline")

    def _find_columns(self) -> None:
        tabs = np.diff(self.newline_index, prepend=-1) - 1
        lines = np.flatnonzero(self.is_token)
        ten = tabs[lines] == 9
        for line in lines[~ten]:
            self.error(*self._wrong_columns(int(line), int(tabs[line]) + 1))
        bad_lines = lines[~ten]
        self.token_line = lines[ten]
        ten_columns = np.zeros(len(tabs), bool)
        ten_columns[self.token_line] = True
        self.edges: Ints = np.empty((len(self.token_line), 11), np.int64)
        self.edges[:, 0] = self.line_start[self.token_line] - 1
        self.edges[:, 1:] = self.delimiters[np.repeat(ten_columns, tabs + 1)].reshape(-1, 10)
        empty = np.diff(self.edges, axis=1) == 1
        if empty.any():
            for token, column in zip(*np.nonzero(empty), strict=True):
                what = f"empty {COLUMN_NAMES[column]}; write _ where there is no value"
                self.error("E111", self.token_line[token], what)
            bad_lines = np.append(bad_lines, self.token_line[empty.any(axis=1)])
            self._keep_tokens(~empty.any(axis=1))
        self.incomplete.update(self.block[bad_lines].tolist())

    def _wrong_columns(self, line: int, count: int) -> tuple[str, int, str]:
        content = self.data[self.line_start[line] : self.line_end[line]]
        if not content.strip():
            return "E104", line, "a line of white space alone; a blank line must be empty"
        if count == 1 and len(content.split()) > 1:
            return "E110", line, "columns parted by spaces; CoNLL-U parts its ten columns with tabs"
        return "E110", line, f"{count} column{'s' if count > 1 else ''} instead of 10"

    def _keep_tokens(self, kept: Mask) -> None:
        self.token_line, self.edges = self.token_line[kept], self.edges[kept]

    # -- ids ---------------------------------------------------------------------------------------------------

    def _find_ids(self) -> None:
        start, end = self.edges[:, ID] + 1, self.edges[:, ID + 1]
        self.id_value, self.id_second, kind = read_ids(self.buffer, self.words, start, end)
        for token in np.flatnonzero(kind == 0):
            what = f"ID '{self.show(int(token), ID)}' is no word (3), range (3-4) or empty node (3.1)"
            self.error("E120", int(self.token_line[token]), what)
        if (kind == 0).any():
            good = kind > 0
            self.incomplete.update(self.block[self.token_line[~good]].tolist())
            self._keep_tokens(good)
            self.id_value, self.id_second, kind = self.id_value[good], self.id_second[good], kind[good]
        self.kind = kind
        self.is_word: Mask = kind == 1
        block = self.block[self.token_line]
        first = run_starts(block)
        self.sentence_token = np.append(first, len(block))
        self.sentence_block = block[first]
        self.token_sentence = np.repeat(np.arange(len(first)), np.diff(self.sentence_token))
        counted = np.concatenate([[0], np.cumsum(self.is_word)])
        self.sentence_start = counted[self.sentence_token]
        self.word_token = np.flatnonzero(self.is_word)
        # words before each token line within its sentence
        self.words_before = counted[:-1] - self.sentence_start[self.token_sentence]
        self._check_word_ids()

    def _check_word_ids(self) -> None:
        expected = self.words_before + 1
        wrong = np.flatnonzero(self.is_word & (self.id_value != expected))
        for token in wrong[run_starts(self.token_sentence[wrong])]:
            line = int(self.token_line[token])
            if self.id_value[token] == 1:
                self.error("E122", line, "ids start again at 1; a blank line is missing, or an ID stands twice")
            else:
                what = f"ID {self.show(token, ID)} where {expected[token]} is due; ids run 1, 2, 3 ..."
                self.error("E121", line, what)
        for sentence in np.flatnonzero(np.diff(self.sentence_start) == 0):
            self.error("E126", self.token_line[self.sentence_token[sentence]], "a sentence without words")

    def _check_comments(self) -> None:
        first_token_line = np.full(int(self.block[-1]) + 1 if len(self.block) else 0, len(self.block))
        lines = np.flatnonzero(self.is_token)[::-1]
        first_token_line[self.block[lines]] = lines
        comments = np.flatnonzero(self.is_comment)
        for line in comments[comments > first_token_line[self.block[comments]]]:
            following = np.searchsorted(self.token_line, line)
            same = following < len(self.token_line) and self.block[self.token_line[following]] == self.block[line]
            if same and self.is_word[following] and self.id_value[following] == 1:
                self.error("E122", line, "a comment after words; a blank line is missing between two sentences")
            else:
                self.error("E123", line, "a comment inside a sentence; comments stand before its first word")

    def _find_ranges_and_nodes(self) -> None:
        self.range_token = np.flatnonzero(self.kind == 2)
        self.node_token = np.flatnonzero(self.kind == 3)
        sentence = self.token_sentence
        length = np.diff(self.sentence_start)
        base = self.sentence_start[sentence]
        token = self.range_token
        first, last = self.id_value[token], self.id_second[token]
        next_is_word = np.append(self.is_word, False)[token + 1]
        right = next_is_word & (first == self.words_before[token] + 1) & (last >= first)
        right &= last <= length[sentence[token]]
        for at in token[~right]:
            what = f"range {self.show(at, ID)} must stand right before its first word and end inside the sentence"
            self.error("E124", self.token_line[at], what)
        self.range_first, self.range_last = base[token] + first - 1, base[token] + last - 1
        token, begins, ends = token[right], self.range_first[right], self.range_last[right]
        for at in token[1:][begins[1:] <= ends[:-1]]:
            self.error("E124", self.token_line[at], f"range {self.show(at, ID)} overlaps the one before")
        token = self.node_token
        number = self.id_second[token]
        after_node = np.concatenate([[False], (self.kind[:-1] == 3) & (sentence[1:] == sentence[:-1])])[token]
        due = np.where(after_node, np.concatenate([[0], self.id_second])[token] + 1, 1)
        right = (self.id_value[token] == self.words_before[token]) & (number == due)
        for at in token[~right]:
            what = f"empty node {self.show(at, ID)} must follow its word, numbered .1, .2 ..."
            self.error("E125", self.token_line[at], what)
        before = self.words_before[token]
        self.node_number = number
        self.node_anchor = np.where(before > 0, base[token] + before - 1, -1 - sentence[token])

    # -- heads -------------------------------------------------------------------------------------------------

    def _find_heads(self) -> None:
        edges = self.edges[self.word_token]
        start, end = edges[:, HEAD] + 1, edges[:, HEAD + 1]
        value = integers(self.words, start, end)
        sentence = self.token_sentence[self.word_token]
        length = np.diff(self.sentence_start)[sentence]
        unannotated = (value < 0) & (end - start == 1) & (self.buffer[start] == UNDERSCORE)
        for word in np.flatnonzero((value < 0) & ~unannotated):
            token = self.word_token[word]
            what = f"HEAD '{self.show(token, HEAD)}' is no number of a word, 0 or _"
            self.error("E130", self.token_line[token], what)
        for word in np.flatnonzero(value > length):
            token = self.word_token[word]
            what = f"HEAD {value[word]} in a sentence of {length[word]} word{'s' if length[word] > 1 else ''}"
            self.error("E131", self.token_line[token], what)
        row = np.where(value > 0, self.sentence_start[sentence] + value - 1, ROOT)
        self.head = np.where(value < 0, NO_HEAD, row).astype(np.int32)

    def _find_deps(self) -> None:
        """Take DEPS apart. A bare number is allowed too: in CoNLL-X the column is PHEAD."""
        self.deps: Deps | None = None
        start, end = self.edges[:, DEPS] + 1, self.edges[:, DEPS + 1]
        owners = np.flatnonzero((self.kind != 2) & ((end - start > 1) | (self.buffer[start] != UNDERSCORE)))
        if not len(owners):
            return
        start, end = start[owners], end[owners]
        field_length = end - start + 1  # with the tab, which ends the last item
        compact = gather(self.buffer, start, field_length)
        compact_words = eight_bytes(compact)
        stop = np.flatnonzero((compact == PIPE) | (compact == TAB))
        begin = np.concatenate([[0], stop[:-1] + 1])
        ends_field = compact[stop] == TAB
        owner = np.cumsum(ends_field) - ends_field
        shift = start - (np.cumsum(field_length) - field_length)
        major, digits = leading_integers(compact_words, begin, stop)
        after = begin + digits
        is_node = compact[after] == POINT
        minor, minor_digits = np.zeros_like(major), np.zeros_like(digits)
        if is_node.any():
            minor[is_node], minor_digits[is_node] = leading_integers(compact_words, after[is_node] + 1, stop[is_node])
            minor_digits[is_node & (compact[np.minimum(after + 1, len(compact) - 1)] == ord("0"))] = 0  # .0 or .01
            after = after + np.where(is_node, 1 + minor_digits, 0)
        bare = (after == stop) & ends_field & (np.concatenate([[True], ends_field[:-1]]))
        right = (digits > 0) & (~is_node | (minor_digits > 0)) & ((compact[after] == COLON) | bare)
        right &= (compact[after] != COLON) | (stop - after > 1)
        right &= ~((compact[begin] == 48) & (digits > 1))
        token = owners[owner]
        for item in np.flatnonzero(~right):
            at = int(token[item])
            what = f"DEPS '{self.show(at, DEPS)}' is no list of head:relation, parted by |"
            if not self.findings or self.findings[-1].line != self.line_number[self.token_line[at]]:
                self.error("E140", self.token_line[at], what)
        sentence = self.token_sentence[token]
        word = np.where(major > 0, self.sentence_start[sentence] + major - 1, -1)
        known = major <= np.diff(self.sentence_start)[sentence]
        node = np.full(len(token), -1, np.int64)
        if is_node.any():
            anchor = np.where(major > 0, word, -1 - sentence)
            node[is_node] = self._find_nodes(anchor[is_node], minor[is_node])
            word[is_node] = -2
            known[is_node] &= node[is_node] >= 0
        for item in np.flatnonzero(right & ~known):
            ref = f"{major[item]}.{minor[item]}" if is_node[item] else str(major[item])
            self.error("E141", self.token_line[token[item]], f"DEPS head {ref} does not stand in the sentence")
        self.deps = Deps(token, word, node, after + shift[owner], stop - after)

    def _find_nodes(self, anchor: Ints, number: Ints) -> Ints:
        """Index of the empty node with this anchor and number, -1 where there is none."""
        known = {key: i for i, key in enumerate(zip(self.node_anchor.tolist(), self.node_number.tolist(), strict=True))}
        pairs = zip(anchor.tolist(), number.tolist(), strict=True)
        return np.array([known.get(pair, -1) for pair in pairs], np.int64)

    # -- the result --------------------------------------------------------------------------------------------

    def text(self) -> Text:
        block = self.sentence_block
        blanks = np.concatenate([[-1], self.blank_lines, [len(self.line_start)]])
        return Text(
            name=self.name,
            buffer=self.buffer,
            words=self.words,
            line_number=self.line_number,
            line_start=self.line_start,
            edges=self.edges,
            token_line=self.token_line,
            word_token=self.word_token,
            sentence_start=self.sentence_start,
            sentence_token=self.sentence_token,
            block_first=blanks[block] + 1,
            block_end=blanks[block + 1],
            range_token=self.range_token,
            range_first=self.range_first,
            range_last=self.range_last,
            node_token=self.node_token,
            node_number=self.node_number,
            node_anchor=self.node_anchor,
            head=self.head,
            deps=self.deps,
            number=np.arange(1, len(block) + 1),
            n_skipped=0,
            missing_newline=self.missing_newline,
            missing_blank=bool(len(block)) and int(block[-1]) == len(self.blank_lines),
        )


def read_ids(buffer: Bytes, words: np.ndarray, start: Ints, end: Ints) -> tuple[Ints, Ints, Ints]:
    """Read ids: first number, second number (range end, node number; else 0), kind (1 word, 2 range, 3 node, 0 bad)."""
    value, digits = leading_integers(words, start, end)
    second = np.zeros(len(start), np.int64)
    plain = (digits > 0) & ((buffer[start] != 48) | (digits == 1)) if len(start) else np.zeros(0, bool)
    kind = np.where(plain & (digits == end - start) & (value > 0), 1, 0)
    special = np.flatnonzero(plain & (digits < end - start))
    sign = buffer[start[special] + digits[special]]
    second[special] = integers(words, start[special] + digits[special] + 1, end[special])
    is_range = (sign == MINUS) & (second[special] > 0) & (value[special] > 0)
    is_node = (sign == POINT) & (second[special] > 0)
    kind[special] = np.where(is_range, 2, np.where(is_node, 3, 0))
    return value, second, kind


def shorten(content: bytes, limit: int = 40) -> str:
    """A piece of the input, fit for a message: decoded, on one line, not too long."""
    shown = content.decode("utf-8", "backslashreplace")
    shown = "".join(c if c.isprintable() else repr(c)[1:-1] for c in shown)
    return shown if len(shown) <= limit else shown[: limit - 3] + "..."


def scan(data: bytes, name: str, first_line: int = 1) -> tuple[Text, list[Finding]]:
    """Everything that can be read, and all that is wrong. The text is sound only where no finding is an error.

    data: without byte-order mark and with plain newlines (see `files.pieces`).
    """
    result = _Scan(data, name, first_line)
    return result.text(), sorted(result.findings, key=lambda finding: finding.line)


def read_text(data: bytes, name: str, first_line: int = 1, skip_errors: bool = False) -> tuple[Text, list[Finding]]:
    """Read strictly: raise DataError at the first fault; or with `skip_errors` leave sentences with faults out.

    Returns the text and the faults of what was left out. Line numbers stay those of the file.
    """
    result = _Scan(data, name, first_line)
    if not result.findings:
        return result.text(), []
    findings = sorted(result.findings, key=lambda finding: finding.line)
    if not skip_errors:
        raise DataError(findings[0])
    kept = ~np.isin(result.block, list(result.bad_blocks))
    length = result.line_end + 1 - result.line_start
    clean = gather(result.buffer, result.line_start[kept], length[kept]).tobytes()
    again = _Scan(clean, name, result.line_number[kept])
    again.missing_newline = result.missing_newline and bool(kept[-1])
    blocks = np.unique(result.block[result.is_token])
    number = 1 + np.flatnonzero(~np.isin(blocks, list(result.bad_blocks)))
    return replace(again.text(), number=number, n_skipped=len(blocks) - len(number)), findings


def some_sentences(text: Text, kept: Mask) -> Text:
    """The text of some sentences, with the comments before them. kept: bool [S]. Lines keep their numbers."""
    count = np.where(kept, text.block_end - text.block_first + 1, 0)
    last_line = len(text.line_start) - 1  # a last sentence may have no blank line after it
    count -= kept & (text.block_end > last_line)
    lines = np.repeat(text.block_first - (np.cumsum(count) - count), count) + np.arange(count.sum())
    start = text.line_start[lines]
    data = gather(text.buffer, start, text.line_begin(lines + 1) - start).tobytes()
    again = _Scan(data, text.name, text.line_number[lines])
    n_skipped = text.n_skipped + int((~kept).sum())
    return replace(again.text(), number=text.number[kept], n_skipped=n_skipped)
