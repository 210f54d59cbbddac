"""Put heads and relations on a treebank: what a parser predicts, on the text that it was given."""

from __future__ import annotations

from functools import partial

import numpy as np

from ..conllu.spans import TextPool, gather
from ..conllu.text import DEPREL, DEPS, HEAD
from ..errors import UsageError
from ..kernels.trees import ROOT
from ..treebank import Column, Treebank
from ..types import Ints


def annotated(treebank: Treebank, head: Ints, relation: Ints, names: list[str]) -> Treebank:
    """A view: the same text with other HEAD and DEPREL, read again only where its text is asked for.

    head: [N] rows of this treebank, -1 for a root; relation: [N] numbers into `names`. DEPS, which belonged to the
    former heads, becomes `_` on all token lines; all else stays to the byte. Empty nodes keep their lines. Raises
    UsageError for a selection of a text: what was left out has no head.
    """
    if not treebank.is_whole:
        raise UsageError("a selection has no text of its own; permute it with mode 'original' and parse that")
    used = np.unique(relation).tolist()
    vocabulary = sorted({names[number] for number in used})
    code = np.zeros(len(names), np.int32)
    code[used] = [vocabulary.index(names[number]) for number in used]
    column = Column(code[relation], vocabulary)
    return treebank.with_arcs(head, column, partial(_written, treebank, head, relation, names))


def _written(treebank: Treebank, head: Ints, relation: Ints, names: list[str]) -> bytes:
    text = treebank.text
    pool = TextPool(text.buffer)
    first = text.sentence_start[:-1][text.sentence_of]
    number = np.where(head == ROOT, 0, head - first + 1)
    numbers = pool.numbers(int(number.max(initial=0)))
    named = pool.add_all([name.encode("utf-8") for name in names])
    tab, no_deps = pool.add(b"\t"), pool.add(b"\t_")
    edges = text.edges
    # token lines as pieces: up to HEAD, HEAD, tab, DEPREL, DEPS, and the rest up to the next token line's FORM
    spans = np.zeros((len(edges), 6, 2), np.int64)
    spans[:, 1] = np.stack([edges[:, HEAD] + 1, edges[:, DEPREL] - edges[:, HEAD] - 1], axis=1)
    spans[:, 3] = np.stack([edges[:, DEPREL] + 1, edges[:, DEPS] - edges[:, DEPREL] - 1], axis=1)
    words = text.word_token
    spans[words, 1] = np.stack([numbers[0][number], numbers[1][number]], axis=1)
    spans[words, 3] = np.stack([named[0][relation], named[1][relation]], axis=1)
    spans[:, 2], spans[:, 4] = tab, no_deps
    begin = np.concatenate([[0], edges[:-1, DEPS + 1]]) if len(edges) else edges[:0, 0]
    spans[:, 0] = np.stack([begin, edges[:, HEAD] + 1 - begin], axis=1)
    rest = int(edges[-1, DEPS + 1]) if len(edges) else 0
    flat = np.concatenate([spans.reshape(-1, 2), [[rest, len(text.buffer) - rest]]])
    data = gather(pool.joined(), flat[:, 0], flat[:, 1]).tobytes()
    data = text.layout.with_columns("HEAD", "DEPREL").written(data, True)
    return data[:-1] if text.missing_newline else data


def with_deps(treebank: Treebank) -> int:
    """Token lines whose DEPS is not `_`: what `annotated` takes away."""
    text = treebank.text
    tokens = np.arange(len(text.edges))
    start, length = text.column(DEPS, tokens)
    return int(((length != 1) | (text.buffer[start] != ord("_"))).sum())
