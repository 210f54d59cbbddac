"""Permute a treebank: policies, then an order, then the one place where words move."""

from __future__ import annotations

import hashlib
from collections import Counter
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from . import __version__
from .arrange import arrange
from .arrange import core_of as words_to_order
from .errors import Finding, UsageError
from .permuters import PERMUTERS, Permuter, Request, Rule, source_among
from .policies import PROFILES, Policies, select
from .registry import suggestion
from .reorder import reorder
from .treebank import Treebank


@dataclass(frozen=True)
class Permutation:
    """A fully specified way to permute: apply it to as many pieces of a treebank as you like, in any order."""

    mode: str
    seed: int = 0
    policies: Policies = Policies()
    options: tuple[tuple[str, Any], ...] = ()
    rule: Rule | None = None  # see `learnt`

    def __post_init__(self) -> None:
        if not isinstance(self.seed, (int, np.integer)) or self.seed < 0:
            raise UsageError("--seed: a whole number from 0 on")
        self.permuter.read_options(dict(self.options))

    @property
    def permuter(self) -> Permuter:
        return PERMUTERS[self.mode]

    @property
    def needs_rule(self) -> bool:
        """Whether the mode first learns from a whole treebank, and hasn't yet."""
        return self.rule is None and self.permuter.learns(self.permuter.read_options(dict(self.options)))

    def learnt(self, treebank: Treebank, skip_errors: bool = False) -> Permutation:
        """This permutation with the rule that its mode learns from the treebank, or from the one its options name."""
        options = self.permuter.read_options(dict(self.options))
        source = source_among(options)
        if source is not None:
            treebank, skip_errors = source.treebank(), False
        assert self.permuter.learn is not None
        trees = treebank.trees_only(skip_errors)[0]
        core = core_of(trees, self.policies, any_tree=self.permuter.gives == "order")
        return replace(self, rule=self.permuter.learn(core, Request(self.seed, options)))

    def signature(self) -> str:
        """Mode, its options, what it has learnt, seed, policies and version, in one line."""
        read = self.permuter.read_options(dict(self.options))
        options = "".join(f"|{name}:{_shown(value)}" for name, value in read.items() if value is not None)
        options += "".join(f"|{name}:{value}" for name, value in (self.rule.facts if self.rule else ()))
        seed = f"|seed:{self.seed}" if self.permuter.uses_seed(read) else ""
        return f"{self.mode}{options}{seed}|{self.policies.signature()}|permtree:{__version__}"


def core_of(trees: Treebank, policies: Policies, any_tree: bool = False) -> Treebank:
    """The words that an order is made for under these policies (see `arrange.core_of`)."""
    selected = select(trees, policies)
    return words_to_order(selected.treebank, selected.final, policies.mwt == "unit", any_tree)


def _shown(value: Any) -> str:
    """A value within a signature: printable, on one line, without the sign that parts parts."""
    if not isinstance(value, tuple):
        return "".join(c if c.isprintable() and c != "|" else "_" for c in str(value))
    listed = ("-" if isinstance(value[0], int) else ",").join(str(item) for item in value)
    return listed if len(listed) <= 60 else hashlib.blake2b(listed.encode(), digest_size=8).hexdigest()


@dataclass
class Report:
    """What happened to a treebank on its way: counts that add up over pieces."""

    counts: Counter[str] = field(default_factory=Counter)
    left_out: Counter[str] = field(default_factory=Counter)
    removed: Counter[str] = field(default_factory=Counter)
    findings: list[Finding] = field(default_factory=list)
    facts: dict[str, str] = field(default_factory=dict)  # what the mode has learnt

    def add(self, other: Report) -> None:
        for name in ("counts", "left_out", "removed"):
            mine = getattr(self, name)
            for key, value in getattr(other, name).items():
                mine[key] += value
        self.findings += other.findings
        self.facts.update(other.facts)

    def lines(self) -> list[str]:
        """The report for people: one line a fact; what a policy could have done and did not is a zero."""
        counts = self.counts
        lines = [
            f"read {counts['sentences read']} sentences, {counts['words read']} words; "
            f"wrote {counts['sentences written']} sentences, {counts['words written']} words"
        ]
        faults = {"unreadable", "not a tree"}
        lines += [
            f"left out: {value} sentences: {reason}"
            for reason, value in self.left_out.items()
            if value or reason not in faults
        ]
        lines += [f"removed: {value} {what}" for what, value in self.removed.items()]
        lines += [f"{name}: {value}" for name, value in self.facts.items()]
        totals = {"sentences read", "words read", "sentences written", "words written"}
        lines += [f"{name}: {value}" for name, value in counts.items() if name not in totals]
        return lines


def permute_bytes(treebank: Treebank, permutation: Permutation, skip_errors: bool = False) -> tuple[bytes, Report]:
    """Permuted CoNLL-U and the report. Raises DataError at a sentence that is no tree (unless `skip_errors`)."""
    report = Report()
    report.counts["sentences read"] += treebank.n_sentences + treebank.text.n_skipped
    report.counts["words read"] += treebank.n_words
    if permutation.needs_rule:
        permutation = permutation.learnt(treebank, skip_errors)
    trees, report.findings = treebank.trees_only(skip_errors)
    report.left_out["not a tree"] += len(report.findings)
    report.counts["sentences with several roots (each tree ordered by itself)"] += 0
    selected = select(trees, permutation.policies)
    kept = selected.treebank
    report.left_out.update(selected.left_out)
    report.removed.update(selected.removed)
    report.counts["sentences written"] += kept.n_sentences
    report.counts["words written"] += kept.n_words
    report.counts["sentences with several roots (each tree ordered by itself)"] += int((kept.n_roots > 1).sum())
    crossing = np.bincount(kept.sentence_of[kept.nonprojective], minlength=kept.n_sentences)
    report.counts["non-projective sentences read and kept"] += int((crossing > 0).sum())
    permuter = permutation.permuter
    request = Request(permutation.seed, permuter.read_options(dict(permutation.options)), report.counts)
    if permutation.rule:
        request.rule = permutation.rule.content
        report.facts.update(permutation.rule.facts)
    order = arrange(kept, permuter, request, selected.final, permutation.policies.mwt == "unit")
    return reorder(kept, order, permutation.signature(), report.counts), report


def permute(
    treebank: Treebank,
    /,
    mode: str,
    *,
    seed: int = 0,
    profile: str | None = None,
    punct: str | None = None,
    roots: str | None = None,
    nonprojective: str | None = None,
    mwt: str | None = None,
    punct_tag: str | None = None,
    report: Report | None = None,
    **options: Any,
) -> Treebank:
    """A treebank in another word order; nothing else changes.

    mode and options: as `permtree list` names them, for example permute(treebank, "optdl", ties="random", seed=3)
    (learn_from for --learn-from).
    Policies are those of `profile`, or the defaults that lose nothing, with single ones replaced.
    Pass a `Report` to learn what was left out, removed or set aside.
    Raises UsageError for an unknown mode, option or policy, DataError for a sentence that is no tree.
    """
    base = profile_policies(profile)
    policies = base.with_options(punct=punct, roots=roots, nonprojective=nonprojective, mwt=mwt, punct_tag=punct_tag)
    named = tuple((name.replace("_", "-"), value) for name, value in options.items())
    permutation = Permutation(mode, seed, policies, named)
    data, made = permute_bytes(treebank, permutation)
    if report is not None:
        report.add(made)
    return Treebank.from_bytes(data, f"{treebank.text.name} ({mode})")


def profile_policies(profile: str | None) -> Policies:
    """The policies of a profile by name; None is the default, which loses nothing."""
    if profile is None:
        return Policies()
    if profile not in PROFILES:
        raise UsageError(f"no profile named '{profile}' for permuting{suggestion(profile, list(PROFILES))}")
    return PROFILES[profile]
