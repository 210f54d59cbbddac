"""Kernels on spans of bytes: (start, length) pairs into one uint8 buffer, for all words of a treebank at once.

A reader that never builds a string per word, and a writer that never joins one, stand on these.
"""

from __future__ import annotations

import numpy as np

from ..types import Bytes, Ints

# The least number of so many digits: 0 and 1 digits, then 10, 100 ...
_LEAST = np.array([0, 0, *(10**power for power in range(1, 7))])
UNDERSCORE = ord("_")
BYTE_ORDER_MARK = b"\xef\xbb\xbf"
# Segments gathered at a time: small enough for the index array to stay in the processor's cache.
_BLOCK = 16384
_HASH_MULTIPLIER = np.uint64(0x9E3779B97F4A7C15)


def gather(buffer: Bytes, start: Ints, length: Ints) -> Bytes:
    """The bytes of all spans, one after the other. `start`, `length`: [K]; returns uint8 [sum of length]."""
    filled = np.flatnonzero(length)
    start, length = start[filled], length[filled]
    end = np.cumsum(length, dtype=np.int64)
    total = int(end[-1]) if len(end) else 0
    out = np.empty(total, np.uint8)
    if not total:
        return out
    shift = start - (end - length)
    for first in range(0, len(length), _BLOCK):
        last = min(first + _BLOCK, len(length))
        low, high = int(end[first] - length[first]), int(end[last - 1])
        index = np.repeat(shift[first:last], length[first:last])
        index += np.arange(low, high)
        np.take(buffer, index, out=out[low:high], mode="wrap")  # mode: anything but "raise" writes into `out` directly
    return out


def eight_bytes(buffer: Bytes) -> np.ndarray:
    """The 8 bytes from each place of the buffer on, as little-endian numbers: uint64 [len(buffer)], zeros beyond."""
    padded = np.concatenate([buffer, np.zeros(8, np.uint8)])
    return np.ndarray((len(buffer),), "<u8", padded.data, strides=(1,))


def leading_integers(words: np.ndarray, start: Ints, end: Ints) -> tuple[Ints, Ints]:
    """The decimal number that each span begins with, and how many digits it has (0: none; value 0 then).

    words: the `eight_bytes` of the buffer. At most seven digits are read, so that a longer one shows as followed by a
    digit. All digits of a number are handled at once, as the bytes of one 64-bit word.
    """
    if not len(words):
        return np.zeros(len(start), np.int64), np.zeros(len(start), np.int64)
    word = words[np.minimum(start, len(words) - 1)]
    digit = word ^ np.uint64(0x3030303030303030)  # bytes 0 ... 9 where there are digits
    # the high bit of each byte that is above 9; then the first such byte
    above = ((digit & np.uint64(0x7F7F7F7F7F7F7F7F)) + np.uint64(0x7676767676767676)) | digit
    above = (above & np.uint64(0x8080808080808080)) | np.uint64(1 << 63)
    lowest = above & (~above + np.uint64(1))
    digits = np.minimum(np.frexp(lowest.astype(np.float64))[1] // 8 - 1, np.maximum(end - start, 0)).astype(np.int64)
    # the digits moved to the high end, so that the last one has the place of the units
    moved = np.where(digits > 0, digit << (np.uint64(64) - digits.astype(np.uint64) * np.uint64(8)), np.uint64(0))
    pairs = (moved * np.uint64(10) + (moved >> np.uint64(8))) & np.uint64(0x00FF00FF00FF00FF)
    fours = (pairs * np.uint64(100) + (pairs >> np.uint64(16))) & np.uint64(0x0000FFFF0000FFFF)
    value = (fours * np.uint64(10000) + (fours >> np.uint64(32))) & np.uint64(0xFFFFFFFF)
    return value.astype(np.int64), digits


def integers(words: np.ndarray, start: Ints, end: Ints) -> Ints:
    """Each span as a number; -1 where it isn't one in plain decimal form (no sign, no leading zero, seven digits)."""
    value, digits = leading_integers(words, start, end)
    plain = (digits > 0) & (digits == end - start)
    plain &= value >= _LEAST[np.minimum(digits, 7)]  # no leading zero
    return np.where(plain, value, -1)


def run_starts(values: Ints) -> Ints:
    """Where each run of equal values begins. values: [K], 0 or more."""
    return np.flatnonzero(np.diff(values, prepend=-1))


def equals(buffer: Bytes, start: Ints, length: Ints, text: bytes) -> np.ndarray:
    """Which spans hold exactly `text`: bool [K]."""
    same = length == len(text)
    where = np.flatnonzero(same)
    for place, byte in enumerate(text):
        where = where[buffer[start[where] + place] == byte]
    same[:] = False
    same[where] = True
    return same


def intern(buffer: Bytes, words: np.ndarray, start: Ints, length: Ints) -> tuple[np.ndarray, list[str]]:
    """Number the distinct texts among the spans: codes int32 [K], and the vocabulary, sorted by bytes."""
    if not len(start):
        return np.zeros(0, np.int32), []
    columns = []
    longest = int(length.max())
    for offset in range(0, max(longest, 1), 8):
        column = np.zeros(len(start), np.uint64)
        rows = np.flatnonzero(length > offset)
        used = np.minimum(length[rows] - offset, 8).astype(np.uint64)
        mask = np.uint64(2**64 - 1) >> (np.uint64(64) - used * np.uint64(8))
        column[rows] = words[start[rows] + offset] & mask
        columns.append(column)
    key = length.astype(np.uint64)
    for column in columns:
        key = (key ^ column) * _HASH_MULTIPLIER
        key ^= key >> np.uint64(29)
    first, codes = _numbered(key)
    texts = [buffer[s : s + n].tobytes() for s, n in zip(start[first].tolist(), length[first].tolist(), strict=True)]
    if any((column[first][codes] != column).any() for column in columns) or (length[first][codes] != length).any():
        return _intern_one_by_one(buffer, start, length)  # two texts share a hash: as good as never, yet exact
    alphabetical = sorted(range(len(texts)), key=texts.__getitem__)
    rank = np.empty(len(texts), np.int32)
    rank[alphabetical] = np.arange(len(texts), dtype=np.int32)
    return rank[codes], [texts[i].decode("utf-8") for i in alphabetical]


def _numbered(key: np.ndarray) -> tuple[Ints, Ints]:
    """A row for each distinct key, and for each row the number of its key in that list."""
    slot = ((key * _HASH_MULTIPLIER) >> np.uint64(48)).astype(np.int64)
    row = np.full(1 << 16, -1, np.int64)
    row[slot] = np.arange(len(key))
    if (key[row[slot]] == key).all():  # no two keys share a slot, as in most tag sets: no need to sort
        used = row >= 0
        return row[used], (np.cumsum(used) - 1)[slot]
    sort = np.argsort(key)
    begins = np.concatenate([[True], key[sort[1:]] != key[sort[:-1]]])
    codes = np.empty(len(key), np.int64)
    codes[sort] = np.cumsum(begins) - 1
    return sort[begins], codes


def _intern_one_by_one(buffer: Bytes, start: Ints, length: Ints) -> tuple[np.ndarray, list[str]]:
    data = buffer.tobytes()
    texts = [data[s : s + n] for s, n in zip(start.tolist(), length.tolist(), strict=True)]
    vocabulary = sorted(set(texts))
    code = {text: i for i, text in enumerate(vocabulary)}
    return np.array([code[text] for text in texts], np.int32), [text.decode("utf-8") for text in vocabulary]


class TextPool:
    """Texts of our own beside a buffer that was read, so that both can be gathered in one pass.

    Every method returns spans into the joint buffer that `joined` makes in the end.
    """

    def __init__(self, buffer: Bytes):
        self._parts: list[Bytes] = [buffer]
        self._size = len(buffer)

    @property
    def size(self) -> int:
        """Bytes of the joint buffer so far."""
        return self._size

    def add(self, text: bytes | Bytes) -> tuple[int, int]:
        """Add one text; its (start, length)."""
        part = np.frombuffer(text, np.uint8) if isinstance(text, bytes) else text
        start = self._size
        self._parts.append(part)
        self._size += len(part)
        return start, len(part)

    def add_all(self, texts: list[bytes]) -> tuple[Ints, Ints]:
        """Add several texts; their starts and lengths."""
        length = np.fromiter((len(text) for text in texts), np.int64, len(texts))
        start, _ = self.add(b"".join(texts))
        return start + np.cumsum(length) - length, length

    def numbers(self, largest: int) -> tuple[Ints, Ints]:
        """Add 0, 1 ... `largest` in decimal; index the returned arrays by number."""
        return self.add_all([b"%d" % number for number in range(largest + 1)])

    def replaced(self, begin: Ints, end: Ints, spans: np.ndarray, size: int) -> Bytes:
        """The first `size` bytes of the joint buffer, with spans [T, K, 2] in the place of each begin ... end [T]."""
        rest = np.concatenate([[0], end])
        between = np.stack([rest, np.append(begin, size) - rest], axis=1)
        flat = np.concatenate([np.concatenate([between[:-1, None], spans], axis=1).reshape(-1, 2), between[-1:]])
        return gather(self.joined(), flat[:, 0], flat[:, 1])

    def joined(self) -> Bytes:
        return np.concatenate(self._parts)
