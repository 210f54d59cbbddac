"""Random treebanks, and predictions for them that are partly wrong."""

from __future__ import annotations

from random import Random

from reordering import conllu
from strategies import random_heads

RELATIONS = ["nsubj", "nsubj:pass", "obj", "punct", "obl:tmod"]


def guessed(data: bytes, rng: Random, quality: float = 0.5) -> bytes:
    """A prediction: some words with another head or relation, which need not be trees."""
    blocks = []
    for block in data.rstrip(b"\n").split(b"\n\n"):
        rows = [line.split(b"\t") for line in block.split(b"\n")]
        words = [row for row in rows if len(row) == 10 and row[0].isdigit()]
        for row in words:
            if rng.random() > quality:
                row[6] = rng.choice([b"_", *(b"%d" % head for head in range(len(words) + 1))])
                row[6] = b"0" if row[6] == row[0] else row[6]
            if rng.random() > quality:
                row[7] = rng.choice([b"nsubj", b"obj", b"new"])
        blocks.append(b"\n".join(b"\t".join(row) for row in rows))
    return b"\n\n".join(blocks) + b"\n\n"


def random_treebank(rng: Random, longest: int = 9) -> bytes:
    lines = []
    for number in range(rng.randrange(1, 6)):
        n = rng.randrange(1, longest)
        heads = random_heads(rng, n, rng.choice([1, 1, min(n, 2)]))
        lines.append(f"# sent_id = s{number}")
        for i, head in enumerate(heads, 1):
            relation = rng.choice(RELATIONS) if head else "root"
            lines.append(f"{i} w{rng.randrange(3)} _ {rng.choice(['X', 'Y', 'PUNCT'])} _ _ {head} {relation}")
        lines.append("")
    return conllu(*lines)
