"""Names as 64-bit numbers that are the same in every treebank, and tables that are looked up by them.

Two different names share a number with a probability of 2**-64 for each pair, far below that of a fault in memory.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from ..types import Floats, Ints


def mix(value: Ints) -> Ints:
    """The finalizer of SplitMix64 (Steele, Lea & Flood 2014): every input bit reaches every output bit; uint64."""
    value = (value ^ (value >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    value = (value ^ (value >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return value ^ (value >> np.uint64(31))


def name_keys(names: Iterable[str]) -> Ints:
    """A number for each name, uint64."""
    digests = b"".join(hashlib.blake2b(name.encode("utf-8"), digest_size=8).digest() for name in names)
    return np.frombuffer(digests, "<u8")


def combined(*parts: Ints) -> Ints:
    """One number for several in their order, uint64. parts: arrays of uint64 of one shape."""
    key = np.zeros(parts[0].shape, np.uint64)
    for part in parts:
        key = mix((key + np.uint64(0x9E3779B97F4A7C15)) ^ part)
    return key


@dataclass(frozen=True)
class Lookup:
    """Values by key. keys: uint64 [K], sorted, each once; values: [K] or [K, columns]."""

    keys: Ints
    values: Ints | Floats

    def at(self, keys: Ints, default: float) -> Ints | Floats:
        """The value of each key, `default` where the table has none."""
        if not len(self.keys):
            return np.full((len(keys), *self.values.shape[1:]), default, self.values.dtype)
        place = np.minimum(np.searchsorted(self.keys, keys), len(self.keys) - 1)
        found = (self.keys[place] == keys).reshape(-1, *[1] * (self.values.ndim - 1))
        return np.where(found, self.values[place], default)

    def digest(self) -> str:
        """A short name for the content: equal tables have equal digests."""
        content = self.keys.astype("<u8").tobytes() + self.values.astype("<f8").tobytes()
        return hashlib.blake2b(content, digest_size=4).hexdigest()


def counted(keys: Ints, column: Ints, n_columns: int = 2, times: Ints | None = None) -> Lookup:
    """How often each key was seen with each column: values int64 [K, n_columns].

    keys, column: one entry an event, or one for so many `times` equal ones.
    """
    known, number = np.unique(keys, return_inverse=True)
    counts = np.bincount(number * n_columns + column, times, minlength=len(known) * n_columns)
    return Lookup(known, counts.reshape(len(known), n_columns).astype(np.int64))
