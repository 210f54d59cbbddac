"""The two neural parsers: what a score depends on, what they predict, and that a saved one is the same."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from parsing import same_but_for_trees, trees_with_one_root
from permtree_parsers.arc_hybrid import ArcHybrid
from permtree_parsers.biaffine import Biaffine
from permtree_parsers.network_parser import NeuralParser
from permtree_parsers.relations import ParserVocabulary
from reordering import conllu, word
from rich_sentences import no_shrinking, rich_sentences
from small_networks import of_both, of_both_characters, sample, small, trained

from permtree.treebank import Treebank

torch = pytest.importorskip("torch")

from permtree.neural.batching import Batch, Batches  # noqa: E402

torch.set_num_threads(1)
CLOSE = {"rtol": 1e-5, "atol": 1e-5}
TALL = {"rtol": 1e-4, "atol": 1e-3}  # for sums over many words


def untrained(kind: type[NeuralParser], treebank: Treebank, **options) -> tuple[NeuralParser, Batches]:
    """A parser with random weights (those that begin with zeros, too, but not those of padding), a treebank for it."""
    parser = kind(small(kind, layers=2, **options), ParserVocabulary.of(treebank, 2), "cpu")
    with torch.random.fork_rng(), torch.no_grad():
        torch.manual_seed(1)
        for weights in parser.model.parameters():
            weights.normal_(0, 0.3)
        for module in parser.model.modules():
            if getattr(module, "padding_idx", None) is not None:
                module.weight[module.padding_idx] = 0
    parser.model.eval()
    return parser, Batches(parser.encode(treebank), torch.device("cpu"))


@pytest.fixture(scope="module")
def some() -> Treebank:
    return sample("fluvi-train", 12)


@pytest.fixture(scope="module")
def parsers(some) -> dict[type[NeuralParser], NeuralParser]:
    return {kind: trained(kind, some) for kind in (Biaffine, ArcHybrid)}


# -- what a score depends on -----------------------------------------------------------------------------------------


@of_both_characters
@of_both
def test_the_loss_of_a_batch_is_the_sum_of_that_of_its_sentences(kind, characters, some):
    """So neither padding nor the other sentences of a batch have a part in any score."""
    parser, batches = untrained(kind, some, characters=characters)
    alone = sum(parser.model.loss(batches.batch(np.array([number])), 1) for number in range(12))
    together = parser.model.loss(batches.batch(np.arange(12)), 1)
    torch.testing.assert_close(together, alone, **TALL)


@of_both_characters
@pytest.mark.parametrize("loss", ["local", "crf"])
def test_scores_of_the_graph_based_parser_alone_and_together(some, characters, loss):
    parser, batches = untrained(Biaffine, some, characters=characters, loss=loss)
    whole = batches.batch(np.arange(12))
    encoded = parser.model.encode(whole)
    heads = parser.model.head_scores(encoded, whole)
    relations = parser.model.relation_scores(encoded, whole.columns["head"])
    for number in range(12):
        batch = batches.batch(np.array([number]))
        own = parser.model.encode(batch)
        n = own.shape[1]
        torch.testing.assert_close(encoded[number, :n], own[0], **CLOSE)
        torch.testing.assert_close(heads[number, :n, :n], parser.model.head_scores(own, batch)[0], **CLOSE)
        alone = parser.model.relation_scores(own, batch.columns["head"])
        torch.testing.assert_close(relations[number, :n], alone[0], **CLOSE)
        assert bool((heads[number, :n, n:] < -1e8).all())  # no head behind the sentence's end


def steps(parser: NeuralParser, batch: Batch) -> list[torch.Tensor]:
    """The scores of the legal transitions of each sentence in each of its steps along its gold derivation, [K, 3]."""
    visited = parser.model._roll_out(parser.model.first_layer(parser.model.encode(batch)), batch, 1)
    hidden = parser.model.hidden(parser.model.first_layer(parser.model.encode(batch)), visited["rows"])
    return parser.model.transition(hidden).masked_fill(~visited["legal"], 0)


@of_both_characters
def test_scores_of_transitions_alone_and_together(some, characters):
    parser, batches = untrained(ArcHybrid, some, characters=characters, oracle="static", swap=False)
    order = np.argsort(batches.encoded.length, kind="stable")[[0, 5, 11]]
    together = steps(parser, batches.batch(order))
    alone = [steps(parser, batches.batch(np.array([number]))) for number in order]
    live = [[place for place, own in enumerate(alone) if step < len(own)] for step in range(len(alone[-1]))]
    in_order = [alone[place][step] for step, places in enumerate(live) for place in places]
    torch.testing.assert_close(together, torch.stack(in_order), **CLOSE)


@of_both
def test_garbage_in_padding_changes_no_prediction(kind, some):
    parser, batches = untrained(kind, some)
    batch = batches.batch(np.arange(12))
    spoilt = {name: torch.where(batch.mask, values, values.max()) for name, values in batch.columns.items()}
    ours, theirs = parser.model.parse(batch), parser.model.parse(replace(batch, columns=spoilt))
    for values, others in zip(ours, theirs, strict=True):
        assert values[batch.words].tolist() == others[batch.words].tolist()


@of_both
def test_a_sentence_is_parsed_alone_as_among_others(kind, parsers, some):
    blocks = some.to_bytes().split(b"\n\n")[:-1]
    alone = [parsers[kind].predict(Treebank.from_bytes(block + b"\n\n")).to_bytes() for block in blocks]
    assert b"".join(alone) == parsers[kind].predict(some).to_bytes()


def test_the_share_of_exploration(some):
    """Of configurations whose best transition is what the network likes least: followed is what it likes most."""
    parser, _ = untrained(ArcHybrid, some, exploration=0.2, explore_after=3)
    first_layer = torch.randn(9, parser.config.classifier_size, generator=torch.Generator().manual_seed(1))
    rows = torch.arange(9).expand(4000, 9)
    scores = parser.model.transition(parser.model.hidden(first_layer, rows[:1]))[0]
    legal = torch.ones(4000, 3, dtype=torch.bool)
    best = legal & torch.arange(3).eq(scores.argmin())
    for epoch, share in ((3, 0.0), (4, 0.2)):
        followed = parser.model._followed(first_layer, rows, legal, best, epoch)
        assert set(followed.tolist()) <= {int(scores.argmin()), int(scores.argmax())}
        assert abs(float(followed.eq(scores.argmax()).float().mean()) - share) < 0.04  # six standard deviations


# -- what they predict -----------------------------------------------------------------------------------------------


@of_both
@settings(no_shrinking, max_examples=10)
@given(data=rich_sentences())
def test_trees_with_one_root_and_nothing_else_changed(kind, parsers, data):
    found = parsers[kind].predict(Treebank.from_bytes(data))
    assert trees_with_one_root(found)
    assert same_but_for_trees(data, found.to_bytes())


@of_both
def test_heads_and_relations_of_the_input_are_not_looked_at(kind, parsers, some):
    bare = [line.split(b"\t") for line in some.to_bytes().split(b"\n")]
    for columns in bare:
        columns[6:9] = [b"_", b"_", b"_"][: len(columns[6:9])]
    treebank = Treebank.from_bytes(b"\n".join(map(b"\t".join, bare)))
    assert parsers[kind].predict(treebank).to_bytes() == parsers[kind].predict(some).to_bytes()


@of_both
@pytest.mark.parametrize(
    "data",
    [b"", b"# nothing\n\n", conllu(word(1, "x", 0), ""), conllu(word(1, "ŵ" * 100, 0), "2 - _ - - a=b|c 1 new", "")],
    ids=["nothing", "comment", "one word", "all unseen"],
)
def test_odd_texts(kind, parsers, data):
    found = parsers[kind].predict(Treebank.from_bytes(data))
    assert trees_with_one_root(found)
    assert same_but_for_trees(data, found.to_bytes())


@of_both
def test_relations_are_those_that_training_has_seen_there(kind, parsers, some):
    """The root has one that roots have, other words one that other words have, on any text."""
    text = sample("rigan-test", 30)
    found = parsers[kind].predict(text)
    is_root = found.head == -1
    relations = np.array(found.deprel.decoded())
    gold = np.array(some.deprel.decoded())
    assert set(relations[is_root]) <= set(gold[some.head == -1])
    assert set(relations[~is_root]) <= set(gold[some.head != -1])


@pytest.mark.long
@of_both
def test_a_sentence_of_2000_words(kind, parsers):
    data = conllu(*(word(number, f"w{number % 50}", number - 1) for number in range(1, 2001)), "")
    assert trees_with_one_root(parsers[kind].predict(Treebank.from_bytes(data)))


# -- back and forth --------------------------------------------------------------------------------------------------


@of_both
def test_a_saved_parser_is_the_same(kind, parsers, some, tmp_path: Path):
    first, second = tmp_path / "1", tmp_path / "2"
    first.mkdir()
    second.mkdir()
    parsers[kind].save(first)
    before = torch.get_rng_state()
    loaded = kind.load(first, "cpu")
    assert torch.get_rng_state().equal(before)
    loaded.save(second)
    assert {path.name: path.read_bytes() for path in first.iterdir()} == {
        path.name: path.read_bytes() for path in second.iterdir()
    }
    text = sample("rigan-test", 20)
    assert loaded.predict(text).to_bytes() == parsers[kind].predict(text).to_bytes()
    assert (loaded.config, loaded.vocabulary) == (parsers[kind].config, parsers[kind].vocabulary)
