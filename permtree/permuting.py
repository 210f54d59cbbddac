"""Permute a treebank: policies, then an order, then the one place where words move."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, fields, replace
from typing import IO, Any, NamedTuple

import numpy as np

from ._version import __version__
from .conllu.files import Piece
from .conllu.scan import read_piece
from .editing.reorder import moved, reorder
from .errors import Finding, UsageError
from .kernels.linearize import linearize, positions
from .parallel.pieces import Progress, Warn, Workers, all_pieces, mapped, no_progress, with_the_same_columns
from .permuters import PERMUTERS, Permuter, Request, Rule, source_among
from .profiles import policies_with
from .signature import Signature
from .treebank import Treebank, joined
from .treebank.policies import Loss, Policies, range_blocks, select
from .types import Ints, Mask


def arrange(treebank: Treebank, permuter: Permuter, request: Request, final: Mask, unit: bool) -> Ints:
    """The rows of a treebank in the order that a permuter gives them, int64 [N].

    final: words that stay at the end of their sentence and take no part. unit: the words of a multiword token move as a
    block, ordered as if the block were one word.
    """
    represented_by, moving = _moving(treebank, final, unit, permuter.gives == "order", request.counts)
    if moving.all():
        return order_of(treebank, permuter, request)
    core = treebank.select_words(moving)
    place = np.full(treebank.n_words, -1, np.int64)
    place[moving] = positions(order_of(core, permuter, request))
    # Each word follows the place of the word that represents it; final words come after all others of their sentence.
    key = 2 * place[represented_by]
    key[final] = 2 * core.sentence_start[1:][treebank.sentence_of[final]] - 1
    return np.argsort(key, kind="stable")


def words_to_order(treebank: Treebank, final: Mask, unit: bool, any_tree: bool) -> Treebank:
    """The words of a treebank that an order is made for (see `arrange`): without final runs, one word for each block.

    any_tree: the order need not be projective.
    """
    _, moving = _moving(treebank, final, unit, any_tree, Counter())
    return treebank if moving.all() else treebank.select_words(moving)


def _moving(treebank: Treebank, final: Mask, unit: bool, any_tree: bool, counts: Counter[str]) -> tuple[Ints, Mask]:
    """The word that stands for each word in the order, int64 [N], and which words stand for themselves, bool [N]."""
    represented_by: Ints = np.arange(treebank.n_words)
    if unit:
        represented_by, blocks, loose = range_blocks(treebank, final, any_tree)
        counts["multiword tokens moved as one block"] += blocks
        counts["multiword tokens that the tree does not let move as one block"] += loose
    return represented_by, (represented_by == np.arange(treebank.n_words)) & ~final


def order_of(treebank: Treebank, permuter: Permuter, request: Request) -> Ints:
    """The order that a permuter gives to all words of a treebank, int64 [N]."""
    result = permuter.function(treebank, request)
    return linearize(treebank, result) if permuter.gives == "placement" else result


@dataclass(frozen=True)
class Permutation:
    """A fully specified way to permute: apply it to as many pieces of a treebank as you like, in any order."""

    mode: str
    seed: int = 0
    policies: Policies = Policies()
    config: Any = None  # of the kind that the mode has; or options by name, which are read once, here
    rule: Rule | None = None  # see `learnt`

    def __post_init__(self) -> None:
        if not isinstance(self.seed, (int, np.integer)) or self.seed < 0:
            raise UsageError("--seed: a whole number from 0 on")
        if not isinstance(self.config, self.permuter.config):
            object.__setattr__(self, "config", self.permuter.configured(dict(self.config or ())))

    @property
    def permuter(self) -> Permuter:
        return PERMUTERS[self.mode]

    @property
    def needs_rule(self) -> bool:
        """Whether the mode first learns from a whole treebank, and hasn't yet."""
        return self.rule is None and self.permuter.learns(self.config)

    def learnt(self, treebank: Treebank, skip_errors: bool = False) -> Permutation:
        """This permutation with the rule that its mode learns from the treebank, or from the one its options name."""
        source = source_among(self.config)
        if source is not None:
            treebank, skip_errors = source.treebank(), False
        assert self.permuter.learn is not None
        trees = treebank.trees_only(skip_errors)[0]
        core = core_of(trees, self.policies, any_tree=self.permuter.gives == "order")
        return replace(self, rule=self.permuter.learn(core, Request(self.seed, self.config)))

    def signature(self) -> Signature:
        """Mode, its options, what it has learnt, seed, policies and version."""
        options = [(name, _shown(getattr(self.config, one.name))) for name, one in self.permuter.options.items()]
        seed = self.seed if self.permuter.uses_seed(self.config) else None
        made = Signature(self.mode, [*options, *(self.rule.facts if self.rule else ()), ("seed", seed)])
        return made.with_parts(self.policies.signature_parts()).with_parts({"permtree": __version__})


def core_of(trees: Treebank, policies: Policies, any_tree: bool = False) -> Treebank:
    """The words that an order is made for under these policies (see `words_to_order`)."""
    selected = select(trees, policies)
    return words_to_order(selected.treebank, selected.final, policies.mwt == "unit", any_tree)


def _shown(value: Any) -> Any:
    """The value of an option within a signature: lists as items, long ones as a hash."""
    if not isinstance(value, tuple):
        return value
    listed = ("-" if isinstance(value[0], int) else ",").join(str(item) for item in value)
    return listed if len(listed) <= 60 else hashlib.blake2b(listed.encode(), digest_size=8).hexdigest()


@dataclass
class Report:
    """What happened to a treebank on its way: counts that add up over pieces."""

    counts: Counter[str] = field(default_factory=Counter)
    left_out: Counter[str] = field(default_factory=Counter)
    removed: Counter[str] = field(default_factory=Counter)
    trees: Counter[str] = field(default_factory=Counter)  # sentences and words of trees, before policies
    findings: list[Finding] = field(default_factory=list)
    facts: dict[str, str] = field(default_factory=dict)  # what the mode has learnt
    tagged: Counter[str] = field(default_factory=Counter)  # punctuation, see `Selected`

    def add(self, other: Report) -> None:
        for name in ("counts", "left_out", "removed", "trees", "tagged"):
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

    @property
    def loss(self) -> Loss:
        """What policies have left out."""
        kept = self.counts["sentences written"], self.counts["words written"]
        return Loss.of((self.trees["sentences"], self.trees["words"]), kept, self.left_out, self.removed)


def ordered(treebank: Treebank, permutation: Permutation, skip_errors: bool = False) -> Ordered:
    """The order that a permutation gives to what its policies keep of a treebank; nothing is written.

    Raises DataError at a sentence that is no tree (unless `skip_errors`).
    """
    report = Report()
    report.counts["sentences read"] += treebank.n_sentences + treebank.n_skipped
    report.counts["words read"] += treebank.n_words
    if permutation.needs_rule:
        permutation = permutation.learnt(treebank, skip_errors)
    trees, report.findings = treebank.trees_only(skip_errors)
    report.left_out["not a tree"] += len(report.findings)
    report.trees["sentences"] += trees.n_sentences
    report.trees["words"] += trees.n_words
    report.counts["sentences with several roots (each tree ordered by itself)"] += 0
    selected = select(trees, permutation.policies)
    kept = selected.treebank
    report.left_out.update(selected.left_out)
    report.removed.update(selected.removed)
    report.tagged.update(selected.tagged)
    report.counts["sentences written"] += kept.n_sentences
    report.counts["words written"] += kept.n_words
    report.counts["sentences with several roots (each tree ordered by itself)"] += int((kept.n_roots > 1).sum())
    report.counts[_CROSSING] += 0  # see `Ordered.full_report`
    permuter = permutation.permuter
    request = Request(permutation.seed, permutation.config, report.counts)
    if permutation.rule:
        request.rule = permutation.rule.content
        report.facts.update(permutation.rule.facts)
    order = arrange(kept, permuter, request, selected.final, permutation.policies.mwt == "unit")
    return Ordered(kept, order, str(permutation.signature()), report)


class Ordered(NamedTuple):
    """What is kept of a treebank, its order (rows of `kept`), what made it, and the report but for what moved."""

    kept: Treebank
    order: Ints
    signature: str
    report: Report

    def to_bytes(self) -> bytes:
        return reorder(self.kept, self.order, self.signature)

    def full_report(self) -> Report:
        """With what takes a look at all arcs, words and spaces: what the order keeps, separates and sets aside."""
        report = replace(self.report, counts=self.report.counts.copy())
        report.counts[_CROSSING] += _n_crossing(self.kept)
        report.counts.update(moved(self.kept, self.order))
        return report


_CROSSING = "non-projective sentences read and kept"


def _n_crossing(kept: Treebank) -> int:
    """Sentences with a non-projective arc."""
    return int((np.bincount(kept.sentence_of[kept.nonprojective], minlength=kept.n_sentences) > 0).sum())


def permute_bytes(treebank: Treebank, permutation: Permutation, skip_errors: bool = False) -> tuple[bytes, Report]:
    """Permuted CoNLL-U and the report. Raises DataError at a sentence that is no tree (unless `skip_errors`)."""
    made = ordered(treebank, permutation, skip_errors)
    made.report.counts[_CROSSING] += _n_crossing(made.kept)
    return reorder(made.kept, made.order, made.signature, made.report.counts), made.report


def permute(
    treebank: Treebank,
    /,
    mode: str,
    *,
    seed: int = 0,
    profile: str | None = None,
    report: Report | None = None,
    **options: Any,
) -> Treebank:
    """A treebank in another word order; nothing else changes. It is a view: its bytes, with the marks that undo it, are
    made when they are asked for.

    mode and options: as `permtree list` names them, for example permute(treebank, "optdl", ties="random", seed=3)
    (learn_from for --learn-from).
    Policies are those of `profile`, or the defaults that lose nothing, with single ones replaced that stand among the
    options: punct="strip", roots, nonprojective, mwt, punct_tag (see `Policies`).
    The `report` of the result says what was left out, removed or set aside; a `Report` that is passed takes it, too.
    Raises UsageError for an unknown mode, option or policy, DataError for a sentence that is no tree.
    """
    names = [one.name for one in fields(Policies)]
    policies = policies_with(profile, **{name: options.pop(name) for name in names if name in options})
    permutation = Permutation(mode, seed, policies, options)
    made = ordered(treebank, permutation)
    view = made.kept.in_order(made.order, made.to_bytes, f"{treebank.name} ({mode})", made.full_report)
    if report is not None:
        report.add(view.report)
    return view


def in_order(treebank: Treebank, order: Ints, name: str = "order") -> Treebank:
    """A treebank in an order of your own: a view, as `permute` gives it.

    order: int64 [N], rows of the treebank in their new order, sentence by sentence. name: what made it, for signatures.
    Raises UsageError for what is no order of the words of each sentence.
    """
    signature = Signature(name, {"permtree": __version__})
    made = Ordered(treebank, np.asarray(order, np.int64), str(signature), Report())
    return treebank.in_order(order, made.to_bytes, f"{treebank.name} ({name})", made.full_report)


def permute_files(
    paths: Iterable[str],
    permutation: Permutation,
    out: IO[bytes],
    warn: Warn,
    skip_errors: bool = False,
    workers: Workers | None = None,
    progress: Progress = no_progress,
) -> Report:
    """Permute files into one output, in their order. Raises DataError at the first fault (see `permute_bytes`).

    workers: who does it, if not this process. A mode that learns from the whole treebank holds it in memory.
    """
    total = Report()
    known: list[Piece] | None = None
    if permutation.needs_rule:
        known = list(with_the_same_columns(all_pieces(paths, warn)))
        texts = [read_piece(piece, skip_errors)[0] for piece in known]
        permutation = permutation.learnt(Treebank.from_text(joined(texts)), skip_errors)

    def tasks(warn: Warn) -> Iterator[tuple[Piece, Permutation, bool]]:
        read = with_the_same_columns(all_pieces(paths, warn)) if known is None else known
        return ((piece, permutation, skip_errors) for piece in progress(read, lambda piece: len(piece.data)))

    ended = b"\n\n"  # the last two bytes of what is written
    for data, report in mapped(_permute_piece, tasks, warn, workers):
        if data:
            if not ended.endswith(b"\n\n"):  # a file that ends in a comment must not run into the next
                out.write(b"\n" if ended.endswith(b"\n") else b"\n\n")
            out.write(data)
            ended = (ended + data)[-2:]
        total.add(report)
    return total


def _permute_piece(task: tuple[Piece, Permutation, bool]) -> tuple[bytes, Report]:
    piece, permutation, skip_errors = task
    text, findings = read_piece(piece, skip_errors)
    data, report = permute_bytes(Treebank.from_text(text), permutation, skip_errors)
    report.findings = sorted(findings + report.findings, key=lambda finding: finding.line)
    report.left_out["unreadable"] += text.n_skipped
    return data, report
