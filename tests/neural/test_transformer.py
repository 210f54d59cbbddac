"""A transformer as a feature: vectors of words, long sentences, and models that need nothing beside their folder."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import numpy as np
import pytest
from permtree_parsers.biaffine import Biaffine
from reordering import conllu, word
from small_networks import of_both, sample, trained

from permtree.conllu.text import FORM
from permtree.errors import UsageError
from permtree.treebank import Treebank

torch = pytest.importorskip("torch")
transformers = pytest.importorskip("transformers")

from permtree.neural.batching import Batches  # noqa: E402
from permtree.neural.transformer import NO_PIECE, Transformer  # noqa: E402

torch.set_num_threads(1)
POSITIONS = 24
SHAPE = {
    "hidden_size": 32, "num_hidden_layers": 1, "num_attention_heads": 2, "intermediate_size": 32,
    "max_position_embeddings": POSITIONS,
}  # fmt: skip


@pytest.fixture(scope="module")
def train() -> Treebank:
    return sample("medol-train", 6)


def bert(folder: Path, forms: list[str]) -> None:
    """A random model whose pieces are the characters of these forms; made for another task, so without a pooler."""
    characters = sorted({character for form in forms for character in form})
    pieces = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *characters, *("##" + one for one in characters)]
    vocabulary = {piece: number for number, piece in enumerate(pieces)}
    transformers.BertTokenizerFast(vocab=vocabulary, do_lower_case=False).save_pretrained(folder)
    config = transformers.BertConfig(vocab_size=len(pieces), **SHAPE)
    transformers.BertForMaskedLM(config).save_pretrained(folder)


def roberta(folder: Path, forms: list[str]) -> None:
    """A random model whose pieces are bytes and what comes together often; blanks belong to the word after them."""
    from tokenizers import Tokenizer, models, pre_tokenizers, trainers

    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    special, alphabet = ["<s>", "<pad>", "</s>", "<unk>", "<mask>"], pre_tokenizers.ByteLevel.alphabet()
    trainer = trainers.BpeTrainer(
        vocab_size=300, special_tokens=special, initial_alphabet=alphabet, show_progress=False
    )
    tokenizer.train_from_iterator([" ".join(forms)], trainer)
    transformers.RobertaTokenizerFast(tokenizer_object=tokenizer).save_pretrained(folder)
    marks = {"bos_token_id": 0, "pad_token_id": 1, "eos_token_id": 2}
    config = transformers.RobertaConfig(vocab_size=len(tokenizer.get_vocab()), **marks, **SHAPE)
    transformers.RobertaModel(config).save_pretrained(folder)


@pytest.fixture(scope="module", params=[bert, roberta], ids=lambda make: make.__name__)
def folder(request, train, tmp_path_factory) -> Path:
    path = tmp_path_factory.mktemp("transformer") / "model"
    with torch.random.fork_rng():
        torch.manual_seed(1)
        request.param(path, train.text.strings(FORM))
    return path


@pytest.fixture
def transformer(folder) -> Transformer:
    return Transformer.read(str(folder)).eval()


def by_hand(transformer: Transformer, forms: list[str], window: int) -> torch.Tensor:
    """The vector of each word: the mean over its pieces, which are read with those around them in their window."""
    cut = [transformer.tokenizer(form, add_special_tokens=False)["input_ids"] for form in forms]
    flat = [piece for own in cut for piece in own]
    begin, end = transformer.tokenizer.cls_token_id, transformer.tokenizer.sep_token_id
    states = []
    for first in range(0, len(flat), window):
        inputs = torch.tensor([[begin, *flat[first : first + window], end]])
        states.append(transformer.model(input_ids=inputs).last_hidden_state[0, 1:-1])
    read = torch.cat(states)
    ends = np.cumsum([len(own) for own in cut])
    return torch.stack([read[last - len(own) : last].mean(0) for own, last in zip(cut, ends, strict=True)])


# -- vectors of words ------------------------------------------------------------------------------------------------


@torch.no_grad()
def test_vectors_of_words_are_means_over_their_pieces(transformer, train):
    """Of sentences of all lengths in one batch, the longest of which take several windows."""
    assert transformer.window <= POSITIONS - 2
    forms = train.text.strings(FORM)
    bounds = train.sentence_start.tolist()
    sentences = [forms[a:b] for a, b in zip(bounds[:-1], bounds[1:], strict=True)]
    sentences += [["sten"], ["a"] * 3 * transformer.window, ["staten"] * transformer.window]
    names = sorted({form for own in sentences for form in own})
    table = torch.from_numpy(transformer.pieces(names))
    longest = max(map(len, sentences))
    rows = torch.full((len(sentences), longest + 1), len(names) + 1)
    rows[:, 0] = len(names)
    for number, own in enumerate(sentences):
        rows[number, 1 : len(own) + 1] = torch.tensor([names.index(form) for form in own])
    found = transformer(table[rows])
    assert found.shape == (len(sentences), longest + 1, transformer.size)
    for number, own in enumerate(sentences):
        expected = by_hand(transformer, own, transformer.window)
        torch.testing.assert_close(found[number, 1 : len(own) + 1], expected, rtol=1e-4, atol=1e-5)
        assert not found[number, 0].any() and not found[number, len(own) + 1 :].any()


def test_pieces(transformer):
    forms = ["sten", "\u2603\U0001f333", "s"]
    table = transformer.pieces(forms)
    for form, own in zip(forms, table, strict=False):
        expected = transformer.tokenizer(form, add_special_tokens=False)["input_ids"]
        assert own.tolist() == expected + [NO_PIECE] * (table.shape[1] - len(expected))
    assert (table[-2:] == NO_PIECE).all() and len(table) == len(forms) + 2
    assert transformer.pieces([]).shape == (2, 1)


def test_a_word_has_its_blank_before_it(transformer):
    """In models that tell words apart by it: the pieces of a word are those that it has within a text."""
    tokenizer = transformer.tokenizer
    text = "sten ren sten"
    parts = [piece for own in transformer.pieces(text.split())[:-2] for piece in own if piece != NO_PIECE]
    assert parts == tokenizer(text, add_special_tokens=False)["input_ids"]
    assert tokenizer.decode(parts).strip() in (text, text.replace(" ", ""))


def test_a_word_without_pieces_is_an_unknown_one(transformer):
    assert transformer.pieces([""])[0].tolist() == [transformer.tokenizer.unk_token_id]


# -- in a parser -----------------------------------------------------------------------------------------------------


@of_both
def test_a_saved_parser_needs_nothing_else(kind, train, folder, tmp_path: Path):
    before, state = torch.get_rng_state(), {}
    original = tmp_path / "original"
    shutil.copytree(folder, original)
    for name in ("first", "second"):
        parser = trained(kind, train, transformer=str(original))
        (tmp_path / name).mkdir()
        parser.save(tmp_path / name)
        state[name] = (tmp_path / name / "weights.safetensors").read_bytes()
    assert state["first"] == state["second"]
    text = sample("rigan-test", 5)
    expected = parser.predict(text).to_bytes()
    shutil.rmtree(original)
    moved = (tmp_path / "first").rename(tmp_path / "moved")
    assert kind.load(moved, "cpu").predict(text).to_bytes() == expected
    assert torch.get_rng_state().equal(before)


@pytest.mark.parametrize("fine_tune", [True, False])
def test_training_changes_the_transformer_if_it_may(fine_tune, train, folder):
    options = {"transformer": str(folder), "fine_tune": fine_tune, "transformer_learning_rate": 1e-3}
    after = trained(Biaffine, train, **options).model.features.transformer.model.state_dict()
    before = Transformer.read(str(folder)).model.state_dict()
    same = {name: bool((values == after[name]).all()) for name, values in before.items() if "pooler" not in name}
    assert all(same.values()) != fine_tune
    assert any("word_embeddings" in name for name in same)


def test_it_is_looked_at_in_sentences_of_any_length(train, folder):
    """Words that are unknown in all else; one sentence is longer than a window."""
    nothing = {"upos": False, "feats": False, "characters": "none", "min_frequency": 10**6}
    parser = trained(Biaffine, train, transformer=str(folder), epochs=1, **nothing)
    lines = [word(number, "stato"[: 1 + number % 4], number - 1) for number in range(1, 3 * POSITIONS)]
    text = Treebank.from_bytes(conllu(*lines, "", word(1, "sta", 0), ""))
    batch = Batches(parser.encode(text), torch.device("cpu")).batch(np.arange(2))
    found = parser.model.features(batch)[:, 1:]
    assert len(torch.unique(found[0], dim=0)) > 10  # in windows that are alike, words are
    assert parser.predict(text).n_words == len(lines) + 1


# -- folders that hold none ------------------------------------------------------------------------------------------


def without(*names: str):
    def spoil(path: Path) -> None:
        for name in names:
            (path / name).unlink()

    return spoil


def with_text(name: str, text: str):
    return lambda path: (path / name).write_text(text, encoding="utf-8")


def with_size(name: str, value: int):
    def spoil(path: Path) -> None:
        config = json.loads((path / "config.json").read_text(encoding="utf-8"))
        (path / "config.json").write_text(json.dumps({**config, name: value}), encoding="utf-8")

    return spoil


@pytest.mark.parametrize(
    "spoil",
    [
        pytest.param(without("config.json"), id="no config"),
        pytest.param(without("model.safetensors"), id="no weights"),
        pytest.param(without("tokenizer.json", "tokenizer_config.json"), id="no tokenizer"),
        pytest.param(with_text("config.json", "{"), id="config is no JSON"),
        pytest.param(with_text("config.json", "[]"), id="config is a list"),
        pytest.param(with_text("config.json", '{"model_type": "nonesuch"}'), id="unknown kind"),
        pytest.param(with_text("model.safetensors", "x" * 100), id="damaged weights"),
        pytest.param(with_text("tokenizer.json", '{"version": "1.0"}'), id="damaged tokenizer"),
        pytest.param(with_size("num_hidden_layers", 10**9), id="layers without end"),
        pytest.param(with_size("hidden_size", 2 * 10**9), id="huge layers"),
        pytest.param(with_size("vocab_size", 10**12), id="huge vocabulary"),
        pytest.param(shutil.rmtree, id="nothing"),
    ],
)
def test_a_folder_that_is_no_model(spoil, folder, train, tmp_path: Path):
    path = tmp_path / "model"
    shutil.copytree(folder, path)
    spoil(path)
    with pytest.raises(UsageError) as caught:
        trained(Biaffine, train, transformer=str(path))
    assert str(caught.value).startswith(f"{path}: no ")
    assert "\n" not in str(caught.value)
