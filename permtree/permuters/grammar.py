"""An order from a grammar: a weight for each relation says on which side of the head it stands, and how near."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from ..configuration import Settings, read_toml, setting
from ..errors import UsageError
from ..kernels.linearize import rank_in_group
from ..registry import suggestion
from ..treebank import Treebank
from ..types import Floats
from . import Request, permuter


@dataclass(frozen=True)
class Grammar:
    """Weights by (head UPOS or None, relation), and for all others `default` (None: there is none)."""

    name: str
    weights: dict[tuple[str | None, str], float]
    default: float | None

    def __str__(self) -> str:
        content = repr((sorted(self.weights.items(), key=repr), self.default))
        return f"{self.name}({hashlib.blake2b(content.encode(), digest_size=4).hexdigest()})"

    def weight(self, tag: str, relation: str) -> float | None:
        """The most specific weight: tag and full relation, tag and relation without subtype, then without the tag."""
        base = relation.split(":")[0]
        for key in ((tag, relation), (tag, base), (None, relation), (None, base)):
            if key in self.weights:
                return self.weights[key]
        return self.default


def read_grammar(value: Any) -> Grammar:
    """A grammar from a TOML file (see docs/orders.md) or a mapping of the same form."""
    if value is None:
        raise UsageError(
            "mode 'grammar' needs --weights FILE.toml: [relations] with a weight for each, such as nsubj = -2 (before "
            "its head) and obj = 1 (after it, nearest)"
        )
    if isinstance(value, Grammar):
        return value
    name = "weights" if isinstance(value, Mapping) else str(value)
    content = value if isinstance(value, Mapping) else read_toml(Path(value))
    for key in content:
        if key not in ("default", "relations", "heads"):
            raise UsageError(f"{name}: unknown key '{key}'{suggestion(key, ['default', 'relations', 'heads'])}")
    groups: list[tuple[str | None, str, Any]] = [(None, "relations", content.get("relations", {}))]
    heads = content.get("heads", {})
    if not isinstance(heads, Mapping):
        raise UsageError(f"{name}: heads: tables of weights by UPOS, such as [heads.VERB]")
    groups += [(tag, f"heads.{tag}", table) for tag, table in heads.items()]
    weights: dict[tuple[str | None, str], float] = {}
    for tag, where, table in groups:
        if not isinstance(table, Mapping):
            raise UsageError(f"{name}: {where}: a table of weights by relation")
        for relation, weight in table.items():
            weights[tag, relation] = _checked(weight, f"{name}: {where}.{relation}")
    default = _checked(content["default"], f"{name}: default") if "default" in content else None
    if not weights and default is None:
        raise UsageError(f"{name}: no weights; write [relations] and a line such as nsubj = -2")
    return Grammar(Path(name).name, weights, default)


def _checked(weight: Any, where: str) -> float:
    try:
        number = float("nan") if isinstance(weight, (bool, str)) else float(weight)
    except (TypeError, ValueError, OverflowError):
        number = float("nan")
    if not math.isfinite(number) or number == 0:
        raise UsageError(f"{where}: a number, negative (before the head) or positive (after it), not {weight!r:.40}")
    return number


@dataclass(frozen=True)
class Weights(Settings):
    """The grammar."""

    weights: Grammar = setting(
        None,
        "TOML file: [relations] with nsubj = -2 and so on, [heads.VERB] for dependents of one UPOS, default = 1",
        read=read_grammar,
        is_path=True,
    )


@permuter(
    "grammar",
    gives="placement",
    what="a weight for each relation: negative before the head, positive after it, nearer to zero nearer to it; equal "
    "weights by the names of relation and UPOS, then in original order",
    source="grammars of weights as in Gildea & Temperley (2007), ACL, section 4",
    config=Weights,
)
def grammar(treebank: Treebank, request: Request) -> Floats:
    rows = np.flatnonzero(treebank.head >= 0)
    tags, relations = treebank.upos, treebank.deprel
    kinds = tags.codes[treebank.head[rows]].astype(np.int64) * len(relations.vocabulary) + relations.codes[rows]
    known, number = np.unique(kinds, return_inverse=True)
    weights, missing = [], set()
    for kind in known.tolist():
        tag, relation = divmod(kind, len(relations.vocabulary))
        weight = request.config.weights.weight(tags.vocabulary[tag], relations.vocabulary[relation])
        if weight is None:
            missing.add(relations.vocabulary[relation])
        weights.append(weight or 0.0)
    if missing:
        named = ", ".join(sorted(missing)[:6]) + (" ..." if len(missing) > 6 else "")
        raise UsageError(f"{request.config.weights.name}: no weight for {named}; add one, or a default")
    weight = np.zeros(treebank.n_words)
    weight[rows] = np.array(weights)[number] if len(rows) else 0.0
    in_text = np.sign(weight) * np.arange(treebank.n_words)  # from the head outwards
    return np.sign(weight) * rank_in_group(treebank, np.abs(weight), relations.codes, tags.codes, in_text)
