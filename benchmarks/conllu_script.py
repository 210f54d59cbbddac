"""The shortest honest way to the optimal order with the package conllu: what a careful user would write by hand.

It does what `permtree permute --mode optdl` does for valid CoNLL-U (ids, HEAD, DEPS, ranges, empty nodes,
`# text`, SpaceAfter, Orig=), without checks, policies or a way back. Usage: conllu_script.py IN OUT
"""

import sys

import conllu


def optimal(children, sizes, head, side):
    """The words of the subtree of `head` in optimal order; `side` is the side of its own head that it stands on."""
    left, right = [], []
    for k, child in enumerate(sorted(children[head], key=lambda c: -sizes[c])):
        away = side if k % 2 == 0 else -side
        block = optimal(children, sizes, child, away)
        if away < 0:
            left.append(block)
        else:
            right.append(block)
    return [w for block in left for w in block] + [head] + [w for block in reversed(right) for w in block]


def permute(sentence):
    words = [t for t in sentence if isinstance(t["id"], int)]
    children = {t["id"]: [] for t in words} | {0: []}
    for token in words:
        children[token["head"]].append(token["id"])
    sizes = {}

    def measure(word):
        sizes[word] = 1 + sum(measure(child) for child in children[word])
        return sizes[word]

    order = []
    for root in children[0]:
        measure(root)
        order += optimal(children, sizes, root, 1)
    new = {old: i for i, old in enumerate(order, 1)} | {0: 0}
    by_id = {str(t["id"]): t for t in sentence}
    ranges = {t["id"][0]: t for t in sentence if isinstance(t["id"], tuple) and t["id"][1] == "-"}
    nodes = {}
    for token in sentence:
        if isinstance(token["id"], tuple) and token["id"][1] == ".":
            nodes.setdefault(token["id"][0], []).append(token)

    def renewed(deps):
        pairs = [(rel, (new[h[0]], ".", h[2]) if isinstance(h, tuple) else new[h]) for rel, h in deps]
        return sorted(pairs, key=lambda pair: pair[1] if isinstance(pair[1], tuple) else (pair[1], ".", 0))

    out, pieces, until = [], [], 0
    for token in nodes.get(0, []):
        out.append(token)
    for place, old in enumerate(order, 1):
        token = by_id[str(old)]
        whole = ranges.get(old)
        if whole and order[place - 1 : place + whole["id"][2] - old] == list(range(old, whole["id"][2] + 1)):
            whole["id"] = (place, "-", place + whole["id"][2] - old)
            out.append(whole)
            until = whole["id"][2]
            pieces.append(whole["form"] + " ")
        following = order[place] if place < len(order) else None
        misc = token["misc"] or {}
        if misc.get("SpaceAfter") == "No" and following != old + 1:
            misc = {("OrigSpaceAfter" if k == "SpaceAfter" else k): v for k, v in misc.items()}
        if place > until:
            pieces.append(token["form"] + ("" if misc.get("SpaceAfter") == "No" else " "))
        token["misc"] = misc | {"Orig": str(old)}
        token["id"], token["head"] = place, new[token["head"]]
        if isinstance(token["deps"], list):
            token["deps"] = renewed(token["deps"])
        out.append(token)
        for node in nodes.get(old, []):
            node["id"] = (place, ".", node["id"][2])
            if isinstance(node["deps"], list):
                node["deps"] = renewed(node["deps"])
            out.append(node)
    metadata = sentence.metadata
    if "text" in metadata:
        metadata["text"] = "".join(pieces).strip()
    return conllu.TokenList(out, metadata).serialize()


sys.setrecursionlimit(10_000)
with open(sys.argv[1], encoding="utf-8") as source, open(sys.argv[2], "w", encoding="utf-8") as target:
    for tokens in conllu.parse_incr(source):
        target.write(permute(tokens))
