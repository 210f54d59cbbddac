"""Random sentences with all that CoNLL-U allows beside a tree: ranges, empty nodes, unsorted DEPS, marks of spacing."""

from __future__ import annotations

from random import Random

from hypothesis import Phase, settings
from hypothesis import strategies as st
from reordering import conllu, word
from strategies import generators, random_heads

# What is built from a random generator hardly shrinks, and trying takes minutes.
no_shrinking = settings(phases=[Phase.explicit, Phase.reuse, Phase.generate])


@st.composite
def rich_sentences(draw: st.DrawFn) -> bytes:
    """Sentences with ranges, empty nodes, DEPS in any order, marks of spacing, and comments."""
    rng = draw(generators())
    lines = []
    for _ in range(draw(st.integers(1, 8))):
        n = draw(st.integers(1, 12))
        heads = random_heads(rng, n, rng.choice([1, 1, 2]) if n > 1 else 1)
        nodes = [f"{after}.{k}" for after in range(n + 1) for k in range(1, rng.choice([1, 1, 1, 2, 3]))]
        lines += rng.sample(
            ["# sent_id = s", "# text = t  t", "# text = t", "# newpar", "#", "# text_en = x"], rng.randrange(5)
        )
        misc = ["_", "_", "SpaceAfter=No", "A=1|SpaceAfter=No", "SpaceAfter=No|B=2", "Orig=7", "OrigSpaceAfter=No"]
        misc += [
            "TokenRange=0:5",
            "SpacesBefore=\\n|A=1|SpacesAfter=\\s\\s",
            "SpaceAfter=No|start_char=0|end_char=4|x_char=1",
        ]
        misc += ["OrigTokenRange=1:2|SpacesInToken=a|OrigOrigSpacesAfter=\\n"]
        covered = 0
        lines += [
            word(node, "e", deps=deps(rng, n, nodes), misc=rng.choice(misc)) for node in nodes if node[0:2] == "0."
        ]
        for number, head in enumerate(heads, 1):
            if number > covered and rng.random() < 0.25:
                covered = rng.randrange(number, n + 1)
                lines.append(word(f"{number}-{covered}", "range", misc=rng.choice(misc)))
            upos = rng.choice(["X", "PUNCT"])
            lines.append(word(number, f"w{number}", head, deps(rng, n, nodes), rng.choice(misc), upos))
            own = [node for node in nodes if node.startswith(f"{number}.")]
            lines += [word(node, "e", deps=deps(rng, n, nodes), misc=rng.choice(misc)) for node in own]
        lines += [""] * rng.choice([1, 1, 2]) + rng.choice([[], [], ["# between", ""]])
    data = conllu(*lines)
    return data if rng.random() < 0.6 else data.rstrip(b"\n") + b"\n" * rng.randrange(2)


def deps(rng: Random, n: int, nodes: list[str]) -> str:
    known = ["0", *map(str, range(1, n + 1)), *nodes]
    chosen = rng.sample(known, min(len(known), rng.choice([0, 0, 1, 2, 4])))
    items = [f"{head}:{rng.choice(['dep', 'x:y', 'a'])}" for head in chosen]
    if items and rng.random() < 0.2:
        items.append(f"{chosen[0]}:again")
    return "|".join(items) or "_"
