"""Random numbers that belong to the sentence: a hash of (seed, the sentence's own id and words, a counter).

The same sentence draws the same numbers alone, in a shard, in any file order, in one process or in twenty. Nothing is
kept between calls and no global generator is touched.
"""

from __future__ import annotations

import hashlib

import numpy as np

from ..conllu.spans import gather
from ..conllu.text import FORM, Text
from ..kernels.keys import mix
from ..types import Bytes, Floats, Ints


def sentence_keys(text: Text) -> Ints:
    """A 64-bit hash of each sentence's sent_id and forms (in the order of the file); uint64 [S]."""
    start, length = text.column(FORM)
    forms = gather(text.buffer, start, length + 1).tobytes()  # with the tab after each, so that "ab c" is not "a bc"
    ends = np.concatenate([[0], np.cumsum(length + 1)])[text.sentence_start].tolist()
    names = text.sent_ids
    keys = bytearray()
    for sentence, name in enumerate(names):
        words = forms[ends[sentence] : ends[sentence + 1]]
        keys += hashlib.blake2b(name.encode("utf-8") + b"\n" + words, digest_size=8).digest()
    return np.frombuffer(bytes(keys), "<u8")


def uniform(sentence_key: Ints, counter: Ints, seed: int, stream: str) -> Floats:
    """Independent numbers, uniform on [0, 1) in steps of 2**-53.

    sentence_key, counter: [K], one draw each; `stream` names what is drawn, so that two uses don't share numbers.
    """
    start = hashlib.blake2b(f"{seed}/{stream}".encode(), digest_size=8).digest()
    base = np.frombuffer(start, "<u8")[0]
    golden = np.uint64(0x9E3779B97F4A7C15)
    bits: Bytes = mix(mix(sentence_key ^ base) + (counter.astype(np.uint64) + np.uint64(1)) * golden)
    return (bits >> np.uint64(11)).astype(np.float64) * 2.0**-53
