"""What every mode makes of one small treebank, as digests by mode: run as a script, in another Python."""

from __future__ import annotations

import hashlib
import json
from itertools import product
from random import Random

from permtree import Treebank, measure, permute
from permtree.permuters import PERMUTERS

RELATIONS = ("nsubj", "obj", "obl", "nmod:poss", "nmod", "det")
LENGTHS = 30


def sentences(seed: int, count: int) -> Treebank:
    """Random trees with many siblings and few types, so that many counts are equal."""
    rng = Random(seed)
    lines = []
    for number in range(count):
        lines.append(f"# sent_id = {number}\n")
        length = rng.randint(1, LENGTHS)
        place = [0, *rng.sample(range(1, length + 1), length)]
        above = {place[word]: place[rng.choice([1, rng.randint(1, word - 1)])] for word in range(2, length + 1)}
        for word in range(1, length + 1):
            head = above.get(word, 0)
            relation = rng.choice(RELATIONS) if head else "root"
            lines.append(f"{word}\tw\t_\t{rng.choice('AB')}\t_\t_\t{head}\t{relation}\t_\t_\n")
        lines.append("\n")
    return Treebank.from_bytes("".join(lines).encode())


def options(mode: str, other: Treebank) -> list[dict[str, object]]:
    """Options of a mode: every one of its listed choices."""
    needed: dict[tuple[str, str], list[object]] = {
        ("fixed", "sigma"): [(3, 1, 2)],
        ("grammar", "weights"): [{"default": 1, "relations": {"nsubj": -2, "obj": 2, "obl": 2}}],
        ("like", "treebank"): [other],
        ("like", "deterministic"): [True, False],
        ("mixture", "of"): ["optdl:ties=original"],
        ("match", "dlm"): [1.2],
        ("match", "entropy"): [0.5],
        ("match", "tolerance"): [1.0],
    }
    found = PERMUTERS[mode].options
    values = [one.metadata["choices"] or needed.get((mode, name), [one.default]) for name, one in found.items()]
    return [dict(zip(found, chosen, strict=True)) for chosen in product(*values)]


def digests() -> dict[str, str]:
    """By mode and options: a digest of the bytes, and the measures that say what was reached."""
    treebank, other = sentences(1, 24), sentences(2, 60)
    result = {}
    for mode in PERMUTERS.names():
        for chosen in options(mode, other):
            name = " ".join([mode, *(str(value) for value in chosen.values() if isinstance(value, (str, bool)))])
            data = permute(treebank, mode, seed=3, **{key.replace("-", "_"): value for key, value in chosen.items()})
            result[name] = hashlib.md5(data.to_bytes()).hexdigest()
    entropies = ("arc_direction_entropy", "sibling_order_entropy")
    values = measure(treebank, *entropies, profile="lal", roots="keep")
    result.update({name: values[name].value.hex() for name in entropies})
    return result


if __name__ == "__main__":
    print(json.dumps(digests()))
