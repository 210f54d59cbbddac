"""Keys of names, combinations of keys, and tables that are looked up by them: against dictionaries of the names."""

from __future__ import annotations

import hashlib
from collections import Counter
from itertools import product
from random import Random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from permtree.kernels.keys import Lookup, combined, counted, mix, name_keys

NAMES = ["", "_", "a", "b", "ab", "ba", "nmod", "nmod:poss", "ß", "語", "a|b", " a", "\x00", "x" * 1000]
GOLDEN = 0x9E3779B97F4A7C15
few_names = st.lists(st.sampled_from(NAMES), max_size=30)


def keys(*numbers: int) -> np.ndarray:
    return np.array(numbers, np.uint64)


# -- names -----------------------------------------------------------------------------------------------------------


def test_names_have_keys_of_their_own():
    found = name_keys(NAMES)
    assert (found.dtype, found.shape) == ("uint64", (len(NAMES),))
    assert len(set(found.tolist())) == len(NAMES)


def test_a_key_is_of_the_name_alone():
    """Not of its place, of other names or of the process: it is a hash that anyone can compute."""
    found = dict(zip(NAMES, name_keys(NAMES).tolist(), strict=True))
    turned = dict(zip(reversed(NAMES), name_keys(reversed(NAMES)).tolist(), strict=True))
    assert found == turned
    for name in NAMES:
        digest = hashlib.blake2b(name.encode("utf-8"), digest_size=8).digest()
        assert found[name] == int.from_bytes(digest, "little") == name_keys([name])[0]


def test_many_names_have_different_keys():
    assert len(set(name_keys(f"name {number}" for number in range(100_000)).tolist())) == 100_000


def test_no_names():
    assert name_keys([]).tolist() == []
    assert name_keys([]).dtype == "uint64"


# -- mixing and combining --------------------------------------------------------------------------------------------


def mixed(value: int) -> int:
    """In whole numbers of any size."""
    value = (value ^ value >> 30) * 0xBF58476D1CE4E5B9 % 2**64
    value = (value ^ value >> 27) * 0x94D049BB133111EB % 2**64
    return value ^ value >> 31


def test_mix_is_that_of_splitmix64():
    """The first numbers that the generator gives from seeds 0 and 1234567."""
    assert mix(keys(GOLDEN, 2 * GOLDEN % 2**64, 1234567 + GOLDEN)).tolist() == [
        0xE220A8397B1DCDAF,
        0x6E789E6AA1B965F4,
        6457827717110365317,
    ]


@given(st.lists(st.integers(0, 2**64 - 1), min_size=1, max_size=20))
def test_mix_and_combined_in_whole_numbers(values):
    assert mix(keys(*values)).tolist() == [mixed(value) for value in values]
    parts = [keys(value, value ^ 1) for value in values]
    expected = []
    for last_bit in (0, 1):
        key = 0
        for value in values:
            key = mixed((key + GOLDEN) % 2**64 ^ value ^ last_bit)
        expected.append(key)
    assert combined(*parts).tolist() == expected


@pytest.mark.filterwarnings("error")
def test_combinations_are_as_different_as_tuples():
    """Also in their order and in their number."""
    tuples = [own for length in (1, 2, 3) for own in product(NAMES[:8], repeat=length)]
    found = [int(combined(*(name_keys([name]) for name in own))[0]) for own in tuples]
    assert len(set(found)) == len(tuples) == 8 + 64 + 512
    assert not set(found) & set(name_keys(NAMES).tolist())


def test_combined_works_on_whole_columns():
    rng = Random(0)
    columns = [rng.choices(NAMES, k=500) for _ in range(3)]
    found = combined(*map(name_keys, columns)).tolist()
    known: dict[tuple[str, ...], int] = {}
    for own, key in zip(zip(*columns, strict=True), found, strict=True):
        assert known.setdefault(own, key) == key
    assert len(set(known.values())) == len(known) > 300
    assert combined(keys(), keys()).tolist() == []


# -- tables ----------------------------------------------------------------------------------------------------------


@given(few_names, st.data(), st.integers(2, 4))
def test_counted_against_a_counter(names, data, n_columns):
    columns = data.draw(st.lists(st.integers(0, n_columns - 1), min_size=len(names), max_size=len(names)))
    table = counted(name_keys(names), np.array(columns, np.int64), n_columns)
    expected = Counter(zip(names, columns, strict=True))
    assert table.keys.tolist() == sorted(set(name_keys(names).tolist()))
    assert (table.values.shape, table.values.dtype) == ((len(set(names)), n_columns), "int64")
    times = data.draw(st.lists(st.integers(1, 9), min_size=len(names), max_size=len(names)))
    many = counted(name_keys(names), np.array(columns, np.int64), n_columns, np.array(times, np.int64))
    every = [(name, column) for name, column, n in zip(names, columns, times, strict=True) for _ in range(n)]
    one_by_one = counted(name_keys([name for name, _ in every]), np.array([c for _, c in every], np.int64), n_columns)
    assert many.digest() == one_by_one.digest()
    found = table.at(name_keys(NAMES), -1).tolist()
    for name, counts in zip(NAMES, found, strict=True):
        if name in names:
            assert counts == [expected[name, column] for column in range(n_columns)]
        else:
            assert counts == [-1] * n_columns


@given(st.dictionaries(st.sampled_from(NAMES), st.integers(-9, 9)), few_names, st.sampled_from([0, -3, 7]))
def test_values_against_a_dictionary(content, asked, default):
    """The smallest and the largest keys, and keys beyond them, are among those asked for."""
    known = name_keys(content)
    sort = np.argsort(known)
    for dtype in (np.int64, np.float64):
        values = np.array(list(content.values()), dtype)
        table = Lookup(known[sort], values[sort])
        found = table.at(name_keys(asked), default)
        assert found.tolist() == [content.get(name, default) for name in asked]
        assert found.dtype == dtype
        assert table.at(keys(0, 2**64 - 1), default).tolist() == [default, default]


def test_columns_of_a_table():
    table = Lookup(keys(3, 5, 9), np.array([[1, 2], [3, 4], [5, 6]]))
    assert table.at(keys(9, 4, 3, 10, 0), 0).tolist() == [[5, 6], [0, 0], [1, 2], [0, 0], [0, 0]]
    assert table.at(keys(), 0).shape == (0, 2)


@pytest.mark.parametrize("values", [np.zeros(0), np.zeros((0, 2), np.int64)])
def test_the_empty_table_gives_the_default(values):
    table = Lookup(keys(), values)
    found = table.at(keys(0, 7, 2**64 - 1), 4)
    assert found.tolist() == ([4, 4, 4] if values.ndim == 1 else [[4, 4]] * 3)
    assert found.dtype == values.dtype
    assert table.at(keys(), 4).shape == values.shape


def test_digests():
    """Equal for equal content, whatever the order in which it was counted and the type of its numbers."""
    names, columns = ["a", "b", "a", "c"], np.array([0, 1, 1, 0])
    table = counted(name_keys(names), columns)
    turned = counted(name_keys(names[::-1]), columns[::-1])
    assert table.digest() == turned.digest() == Lookup(table.keys, table.values.astype(float)).digest()
    others = [
        counted(name_keys(names), 1 - columns),
        counted(name_keys(["a", "b", "a", "d"]), columns),
        counted(name_keys(names[:3]), columns[:3]),
        Lookup(table.keys, table.values[:, 0]),
        Lookup(keys(), np.zeros(0)),
    ]
    assert len({own.digest() for own in (table, *others)}) == 6
