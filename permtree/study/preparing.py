"""What a study makes of a treebank before it is permuted: its parts, what policies keep of them, and what is drawn."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from ..treebank import Treebank
from ..treebank.policies import Loss, Policies, select
from ..treebank.splitting import drawn, read_ratio, split, twins
from .definition import PARTS, TreebankEntry

COUNTS = ("kept_sentences", "kept_words", "total_sentences", "total_words", "in_training")


@dataclass(frozen=True)
class Part:
    """A part as it goes into a permutation.

    about: `COUNTS` (kept by the policies, of how many that were read; sentences that also stand in the training part),
    and what was left_out (sentences) and removed (words) by reason.
    """

    treebank: Treebank
    about: Mapping[str, Any]


def read_sources(entry: TreebankEntry, folder: Path) -> dict[str, Treebank]:
    """The files that an entry names, by part. Raises the errors of reading, also for what is no tree."""
    read = {part: Treebank.read(*(str(folder / name) for name in names)) for part, names in entry.sources().items()}
    for treebank in read.values():
        treebank.trees_only()  # here, where errors name lines of the files
    return read


def prepared(read: Mapping[str, Treebank], entry: TreebankEntry, policies: Policies) -> dict[str, Part]:
    """Those of train, dev and test that there are. What is drawn from train is the same in every order: sentences that
    the policies keep, by the numbers that the entry says."""
    parts = _split_up(dict(read), entry)
    made = {}
    for part, treebank in parts.items():
        selected = select(treebank.trees_only()[0], policies)
        kept = selected.treebank
        about: dict[str, Any] = dict(
            zip(COUNTS, (kept.n_sentences, kept.n_words, treebank.n_sentences, treebank.n_words, 0), strict=True)
        )
        if part == "train" and (entry.sentences or entry.words):
            lengths = np.zeros(treebank.n_sentences, np.int64)
            lengths[kept.sentence] = kept.sentence_length
            chosen = drawn(treebank.text, lengths, entry.split_seed, entry.sentences, entry.words)
            treebank = treebank.of_sentences(np.flatnonzero(chosen))
        about |= {name: {why: n for why, n in getattr(selected, name).items() if n} for name in ("left_out", "removed")}
        made[part] = Part(treebank, about)
    if "train" in made:
        for part in made.keys() - {"train"}:
            shared = twins(made[part].treebank, made["train"].treebank)
            made[part] = Part(made[part].treebank, {**made[part].about, "in_training": shared})
    return made


def _split_up(read: dict[str, Treebank], entry: TreebankEntry) -> dict[str, Treebank]:
    if entry.split:
        ratio = read_ratio(entry.split)
        names = PARTS if len(ratio) == 3 else ("train", "test")
        read = _split(read["files"], dict(zip(names, ratio, strict=True)), entry)
    if entry.dev_split:
        ratio = read_ratio(entry.dev_split)
        read |= _split(read["train"], {"train": ratio[0], "dev": ratio[1]}, entry)
    return {part: read[part] for part in PARTS if part in read}


def _split(treebank: Treebank, sizes: Mapping[str, int], entry: TreebankEntry) -> dict[str, Treebank]:
    """Views of the parts of a treebank, by name. sizes: the ratio."""
    found = split(treebank.text, list(sizes.values()), entry.split_seed, entry.split_by)
    return {
        name: treebank.of_sentences(
            np.flatnonzero(found.part == number), partial(found.written, number), f"{treebank.name} ({name})"
        )
        for number, name in enumerate(sizes)
    }


def notes_on(name: str, entry: TreebankEntry, parts: Mapping[str, Mapping[str, Any]]) -> Iterator[str]:
    """What a user should know of a treebank: much that is left out, no part to train or test on, sentences on both
    sides. parts: `Part.about` by part."""
    total = (sum(about["total_sentences"] for about in parts.values()), sum(a["total_words"] for a in parts.values()))
    kept = (sum(about["kept_sentences"] for about in parts.values()), sum(a["kept_words"] for a in parts.values()))
    why = {what: sum((Counter(about[what]) for about in parts.values()), Counter()) for what in ("left_out", "removed")}
    for line in Loss.of(total, kept, why["left_out"], why["removed"]).lines("final", _as_toml):
        yield f"{name}: {line}"
    if entry.lacking:
        yield f"{name}: no {'training' if entry.lacking == 'train' else 'test'} part: permuted and measured, not parsed"
    shared = parts.get("test", {}).get("in_training", 0)
    if shared:
        yield f"{name}: {shared} sentences of the test part also stand in the training part"


def _as_toml(policy: str, value: str) -> str:
    return f'policies.{policy} = "{value}"'
