"""Kernels on spans of bytes against what Python's own strings and numbers say."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from permtree.conllu.spans import TextPool, eight_bytes, equals, gather, integers, intern, leading_integers

numbers = st.text("0123456789-.x", max_size=9).map(str.encode)
texts = st.lists(st.text(max_size=20).map(str.encode), max_size=30)


def spans(parts: list[bytes]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """A buffer with the parts in it, each followed by a tab, and where they start and how long they are."""
    buffer = np.frombuffer(b"".join(part + b"\t" for part in parts), np.uint8)
    length = np.array([len(part) for part in parts], np.int64)
    return buffer, np.cumsum(length + 1) - length - 1, length


@given(texts, st.data())
def test_gather_joins_spans_in_any_order(parts, data):
    buffer, start, length = spans(parts)
    chosen = data.draw(st.lists(st.integers(0, len(parts) - 1))) if parts else []
    chosen = np.array(chosen, np.int64)
    assert gather(buffer, start[chosen], length[chosen]).tobytes() == b"".join(parts[i] for i in chosen)


def test_gather_many_spans():
    """More than are gathered in one go."""
    parts = [b"%d" % number for number in range(40_000)]
    buffer, start, length = spans(parts)
    assert gather(buffer, start[::-1], length[::-1]).tobytes() == b"".join(reversed(parts))


@given(st.lists(numbers))
def test_leading_integers(parts):
    buffer, start, length = spans(parts)
    value, digits = leading_integers(eight_bytes(buffer), start, start + length)
    leading = [part[: len(part) - len(part.lstrip(b"0123456789"))][:7] for part in parts]
    assert digits.tolist() == [len(part) for part in leading]
    assert value.tolist() == [int(part or b"0") for part in leading]


@given(st.lists(numbers))
def test_integers_are_plain_decimal_numbers(parts):
    buffer, start, length = spans(parts)
    expected = [int(part) if part.isdigit() and b"%d" % int(part) == part and len(part) < 8 else -1 for part in parts]
    assert integers(eight_bytes(buffer), start, start + length).tolist() == expected


def test_integers_at_the_very_end_of_the_buffer():
    buffer = np.frombuffer(b"7\t12", np.uint8)
    assert integers(eight_bytes(buffer), np.array([0, 2, 4]), np.array([1, 4, 4])).tolist() == [7, 12, -1]


@given(texts, st.text(max_size=3).map(str.encode))
def test_equals(parts, wanted):
    buffer, start, length = spans([*parts, wanted])
    assert equals(buffer, start, length, wanted).tolist() == [part == wanted for part in [*parts, wanted]]


@given(texts)
def test_intern_numbers_texts_alphabetically(parts):
    buffer, start, length = spans(parts)
    codes, vocabulary = intern(buffer, eight_bytes(buffer), start, length)
    assert vocabulary == [part.decode() for part in sorted(set(parts))]
    assert [vocabulary[code].encode() for code in codes] == parts


@pytest.mark.parametrize("parts", [[b"a", b"a\0"], [b"\0", b"\0\0", b""], [b"12345678", b"12345678x", b"1234567"]])
def test_intern_tells_texts_of_different_length_apart(parts):
    buffer, start, length = spans(parts)
    codes, vocabulary = intern(buffer, eight_bytes(buffer), start, length)
    assert [vocabulary[code].encode() for code in codes] == parts


def test_pool_joins_what_was_read_and_what_is_new():
    pool = TextPool(np.frombuffer(b"read", np.uint8))
    start, length = pool.add(b"new")
    starts, lengths = pool.numbers(11)
    buffer = pool.joined().tobytes()
    assert buffer[start : start + length] == b"new"
    assert [buffer[s : s + n] for s, n in zip(starts, lengths, strict=True)] == [b"%d" % number for number in range(12)]
    assert buffer.startswith(b"read")
