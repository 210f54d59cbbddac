"""Features and encoder: what a position is made of, and that nothing beside its own sentence has a part in it."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from reordering import conllu, word
from small_networks import SMALL, of_both_characters, sample, small

torch = pytest.importorskip("torch")

from permtree_parsers.biaffine import Biaffine  # noqa: E402
from torch import nn  # noqa: E402
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence  # noqa: E402

from permtree.neural.batching import Batch, Batches  # noqa: E402
from permtree.neural.layers import Characters, Encoder, Features, SharedDropout, reversed_sentences  # noqa: E402
from permtree.neural.vocabulary import FIRST, PADDING, UNKNOWN, Vocabulary  # noqa: E402
from permtree.treebank import Treebank  # noqa: E402

torch.set_num_threads(1)
CPU = torch.device("cpu")
CLOSE = {"rtol": 1e-5, "atol": 1e-5}


def config(**settings):
    return small(Biaffine, **{"dropout": 0.0, "unknown_dropout": 0.0, **settings})


def batches_of(treebank: Treebank, min_frequency: int = 1) -> tuple[Vocabulary, Batches]:
    vocabulary = Vocabulary.of(treebank, min_frequency)
    return vocabulary, Batches(vocabulary.encode(treebank), CPU)


@pytest.fixture
def seeded():
    """The weights of untrained layers, the same in each run."""
    with torch.random.fork_rng():
        torch.manual_seed(3)
        yield


pytestmark = pytest.mark.usefixtures("seeded")

# -- encoder ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("layers", [1, 3])
def test_the_encoder_is_the_packed_lstm_of_torch(layers):
    inputs, hidden = 5, 7
    encoder = Encoder(inputs, hidden, layers, 0.0)
    theirs = nn.LSTM(inputs, hidden, layers, bidirectional=True, batch_first=True)
    with torch.no_grad():
        for number in range(layers):
            for ours, suffix in ((encoder.forward_layers[number], ""), (encoder.backward_layers[number], "_reverse")):
                for name in ("weight_ih", "weight_hh", "bias_ih", "bias_hh"):
                    getattr(theirs, f"{name}_l{number}{suffix}").copy_(getattr(ours, f"{name}_l0"))
    values, length = torch.randn(6, 9, inputs), torch.tensor([9, 1, 4, 7, 2, 9])
    packed = pack_padded_sequence(values, length, batch_first=True, enforce_sorted=False)
    expected, _ = pad_packed_sequence(theirs(packed)[0], batch_first=True)
    inside = torch.arange(9) < length.unsqueeze(1)
    assert encoder.size == expected.shape[2] == 2 * hidden
    torch.testing.assert_close(encoder(values, length)[inside], expected[inside], **CLOSE)


@pytest.mark.parametrize("layers", [1, 2])
def test_padding_and_its_content_change_nothing(layers):
    encoder = Encoder(4, 6, layers, 0.0)
    values = torch.randn(3, 8, 4)
    length = torch.tensor([3, 8, 1])
    together = encoder(values, length)
    garbage = torch.where((torch.arange(8) < length.unsqueeze(1)).unsqueeze(2), values, 1e3)
    with_garbage = encoder(garbage, length)
    for row, n in enumerate(length.tolist()):
        alone = encoder(values[row : row + 1, :n], length[row : row + 1])[0]
        torch.testing.assert_close(together[row, :n], alone, **CLOSE)
        torch.testing.assert_close(with_garbage[row, :n], alone, **CLOSE)


def test_every_position_sees_the_whole_sentence():
    encoder = Encoder(4, 6, 1, 0.0)
    values = torch.randn(1, 6, 4, requires_grad=True)
    for position in (0, 3, 5):
        (gradient,) = torch.autograd.grad(encoder(values, torch.tensor([6]))[0, position].sum(), values)
        assert gradient[0].abs().sum(1).gt(0).all()


def test_reversed_sentences():
    values = torch.arange(10.0).view(2, 5, 1)
    found = reversed_sentences(values, torch.tensor([3, 5])).squeeze(2).tolist()
    assert found == [[2, 1, 0, 3, 4], [9, 8, 7, 6, 5]]


@pytest.mark.parametrize("rate", [0.1, 0.5, 0.8])
def test_dropout_takes_the_same_features_from_all_positions(rate):
    dropout = SharedDropout(rate)
    found = dropout(torch.ones(100, 3, 100))
    torch.testing.assert_close(found.unique(), torch.tensor([0.0, 1 / (1 - rate)]))
    assert (found == found[:, :1]).all()
    assert abs(float(found[:, 0].eq(0).float().mean()) - rate) < 0.03  # six standard deviations
    assert not (found[0] == found[1]).all()
    dropout.eval()
    assert (dropout(torch.ones(2, 3, 4)) == 1).all()


# -- characters ------------------------------------------------------------------------------------------------------


@of_both_characters
@pytest.mark.parametrize("features", [2, 7])
def test_characters_of_a_word_alone_and_beside_longer_ones(characters, features):
    module = Characters(characters, 9, 5, features)
    words = [[FIRST, FIRST + 1, FIRST + 8], [FIRST + 2], [1, FIRST + 3, 1, FIRST + 4, FIRST + 5, 1, FIRST], [2], []]
    table = torch.full((len(words), 12), PADDING)
    for row, own in enumerate(words):
        table[row, : len(own)] = torch.tensor(own)
    together = module(table)
    assert together.shape == (len(words), features)
    for row, own in enumerate(words):
        alone = module(torch.tensor([own or [PADDING]]))[0]
        torch.testing.assert_close(together[row], alone, **CLOSE)


def test_words_with_other_characters_have_other_features():
    for characters in ("cnn", "lstm"):
        module = Characters(characters, 9, 5, 8)
        table = torch.tensor([[FIRST, FIRST + 1], [FIRST + 1, FIRST], [FIRST, PADDING], [FIRST, FIRST], [1, 1], [2, 0]])
        assert len(torch.unique(module(table), dim=0)) == len(table)


def test_characters_as_a_convolution_with_a_maximum():
    module = Characters("cnn", 4, 3, 5)
    codes = [FIRST, FIRST + 3, FIRST + 1]
    embedded = module.embedding.weight[codes]
    padded = torch.cat((torch.zeros(1, 3), embedded, torch.zeros(1, 3)))
    weight, bias = module.convolution.weight, module.convolution.bias
    places = [(weight * padded[place : place + 3].T).sum((1, 2)) + bias for place in range(3)]
    torch.testing.assert_close(
        module(torch.tensor([[*codes, PADDING]]))[0], torch.stack(places).amax(0).relu(), **CLOSE
    )


def test_characters_as_the_last_states_of_an_lstm():
    module = Characters("lstm", 4, 3, 5)
    codes = torch.tensor([[FIRST, FIRST + 3, FIRST + 1]])
    values = module.embedding(codes)
    ends = [module.forward_lstm(values)[0][:, -1], module.backward_lstm(values.flip(1))[0][:, -1]]
    torch.testing.assert_close(module(codes), torch.cat(ends, dim=1), **CLOSE)


# -- features --------------------------------------------------------------------------------------------------------

USES = [
    {"upos": False, "feats": False, "characters": "none"},
    {"upos": True, "xpos": True, "feats": True, "characters": "none"},
    {"upos": False, "feats": True, "characters": "lstm"},
    {"upos": True, "xpos": False, "feats": False, "characters": "cnn"},
]


@pytest.mark.parametrize("uses", USES, ids=lambda uses: "+".join(f"{name}={value}" for name, value in uses.items()))
def test_features_do_not_depend_on_the_batch(uses):
    treebank = sample("medol-train", 30)
    vocabulary, batches = batches_of(treebank, 2)
    features = Features(config(**uses), vocabulary, None)
    order = np.argsort(batches.encoded.length)[[0, 10, 29]]
    together = features(batches.batch(order))
    assert together.shape[2] == features.size
    for row, number in enumerate(order):
        alone = features(batches.batch(np.array([number])))[0]
        torch.testing.assert_close(together[row, : len(alone)], alone, **CLOSE)


def test_size_of_features():
    vocabulary, _ = batches_of(sample("medol-train", 5))
    used = Features(config(upos=True, xpos=True, feats=True, characters="cnn"), vocabulary, None)
    assert used.size == SMALL["word_size"] + 3 * SMALL["tag_size"] + SMALL["character_features"]
    assert (
        Features(config(upos=False, xpos=False, feats=False, characters="none"), vocabulary, None).size
        == (SMALL["word_size"])
    )


SETTINGS = {"form": {"characters": "cnn"}, "upos": {"upos": True}, "xpos": {"xpos": True}, "feats": {"feats": True}}
NOTHING = {"upos": False, "xpos": False, "feats": False, "characters": "none"}


@pytest.mark.parametrize("column", SETTINGS)
def test_what_is_switched_off_is_not_looked_at(column):
    """Two rare words, so that their forms are unknown, alike but for one column."""
    columns = {"form": ["ab", "cd"], "upos": ["X", "Y"], "xpos": ["x", "y"], "feats": ["A=1", "B=2"]}
    first = {name: values[0] for name, values in columns.items()}
    second = {**first, column: columns[column][1]}
    lines = [
        f"{number} {own['form']} _ {own['upos']} {own['xpos']} {own['feats']} {number - 1} dep"
        for number, own in enumerate((first, second), 1)
    ]
    vocabulary, batches = batches_of(Treebank.from_bytes(conllu(*lines, "")), 10)
    batch = batches.batch(np.array([0]))
    for uses, differs in (({**NOTHING, **SETTINGS[column]}, True), (NOTHING, False)):
        found = Features(config(**uses), vocabulary, None)(batch)[0]
        assert bool((found[1] != found[2]).any()) == differs


def test_features_of_feats_are_the_sum_of_their_items():
    lines = ["1 a _ X _ A=1|B=2|C=3 0 root", "2 a _ X _ _ 1 dep", ""]
    vocabulary, batches = batches_of(Treebank.from_bytes(conllu(*lines)))
    features = Features(config(**{**NOTHING, "feats": True}), vocabulary, None)
    found = features(batches.batch(np.array([0])))[0, :, SMALL["word_size"] :]
    torch.testing.assert_close(found[1], features.feats.weight[FIRST : FIRST + 3].sum(0), **CLOSE)
    assert not found[2].any()


def test_tags_and_characters_that_training_has_not_seen_add_nothing():
    vocabulary, _ = batches_of(Treebank.from_bytes(conllu("1 ab _ X x A=1 0 root", "")))
    features = Features(config(upos=True, xpos=True, feats=True, characters="lstm"), vocabulary, None)
    unknown = vocabulary.encode(Treebank.from_bytes(conllu("1 cd _ Y y B=2 0 root", "")))
    found = features(Batches(unknown, CPU).batch(np.array([0])))[0, 1, SMALL["word_size"] :]
    assert not found[: 3 * SMALL["tag_size"]].any()
    assert not features.characters.embedding.weight[UNKNOWN].any()


def test_unknown_dropout_in_training_alone():
    """All words taken for unknown ones are alike; the root is not taken for one."""
    data = conllu(*(word(number, f"w{number}", number - 1) for number in range(1, 5)), "")
    vocabulary, batches = batches_of(Treebank.from_bytes(data))
    features = Features(config(**NOTHING, unknown_dropout=1.0), vocabulary, None)
    batch: Batch = batches.batch(np.array([0]))
    assert len(torch.unique(features(batch)[0], dim=0)) == 2
    features.eval()
    assert len(torch.unique(features(batch)[0], dim=0)) == 5


@pytest.mark.parametrize("rate", [0.05, 0.3])
def test_the_share_of_words_taken_for_unknown(rate):
    data = conllu(*(word(number, "w", min(number - 1, 1)) for number in range(1, 2001)), "")
    vocabulary, batches = batches_of(Treebank.from_bytes(data))
    features = Features(config(**NOTHING, unknown_dropout=rate), vocabulary, None)
    found = features(batches.batch(np.array([0])))[0, 1:]
    unknown = (found == features.word.weight[1]).all(1)
    assert (found[~unknown] == features.word.weight[FIRST]).all()
    assert abs(float(unknown.float().mean()) - rate) < 0.06  # more than five standard deviations


def test_garbage_in_padding_is_kept_out_of_other_positions():
    treebank = sample("medol-train", 10)
    vocabulary, batches = batches_of(treebank)
    features = Features(config(upos=True, feats=True), vocabulary, None)
    batch = batches.batch(np.arange(10))
    spoilt = {name: torch.where(batch.mask, values, values.max()) for name, values in batch.columns.items()}
    ours, theirs = features(batch), features(replace(batch, columns={**batch.columns, **spoilt}))
    torch.testing.assert_close(ours[batch.mask], theirs[batch.mask], **CLOSE)
