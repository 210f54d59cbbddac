"""The package conllu reads what permtree writes, sees the same columns, and agrees with `# text`."""

import conllu
import pytest
from every_mode import every_kind_of_mode
from hypothesis import given
from reordering import conllu as conllu_lines
from reordering import word
from rich_sentences import no_shrinking, rich_sentences

from permtree.permuting import permute
from permtree.treebank import Treebank, heads_of


@pytest.fixture(scope="module")
def treebank(shared) -> Treebank:
    """Italian: a range in most sentences, marks of spacing, and `# text` throughout."""
    return Treebank.read(str(shared / "treebanks" / "it_partut" / "it_partut-ud-dev.conllu"))


def words(sentence: conllu.TokenList) -> list[conllu.Token]:
    return [token for token in sentence if isinstance(token["id"], int)]


def surface(sentence: conllu.TokenList) -> str:
    """The text of a sentence as the format defines it: forms of ranges and of words outside them, and the spaces."""
    text, covered = "", 0
    for token in sentence:
        number = token["id"]
        if isinstance(number, tuple) and number[1] == "-":
            covered = number[2]
        elif isinstance(number, tuple) or number <= covered:
            continue
        joined = (token["misc"] or {}).get("SpaceAfter") == "No"
        text += token["form"] + ("" if joined else " ")
    return text.removesuffix(" ")


@every_kind_of_mode
def test_permuted_output_is_read_with_the_same_columns(treebank, mode, options):
    permuted = permute(treebank, mode, seed=1, **options)
    parsed = permuted.to_conllu()
    assert [token["form"] for sentence in parsed for token in words(sentence)] == permuted.text.strings(1)
    assert [token["upos"] for sentence in parsed for token in words(sentence)] == permuted.upos.decoded()
    assert [token["deprel"] for sentence in parsed for token in words(sentence)] == permuted.deprel.decoded()
    assert [[token["head"] for token in words(sentence)] for sentence in parsed] == heads_of(permuted)
    assert [sentence.metadata["sent_id"] for sentence in parsed] == treebank.sent_ids


@every_kind_of_mode
@pytest.mark.parametrize("mwt", ["split", "unit"])
def test_text_agrees_with_forms_and_spacing(treebank, mode, options, mwt):
    before = treebank.to_conllu()
    after = permute(treebank, mode, seed=1, mwt=mwt, **options).to_conllu()
    for old, new in zip(before, after, strict=True):
        if [token["form"] for token in words(old)] == [token["form"] for token in words(new)]:
            assert new.metadata["text"] == old.metadata["text"]
        else:
            assert new.metadata["text"] == surface(new)
            assert new.metadata["permtree_text"] == old.metadata["text"]


@no_shrinking
@given(rich_sentences())
def test_text_agrees_in_sentences_of_all_kinds(data):
    """Where `# text` stands twice, the first is ours to change; conllu keeps the last."""
    permuted = permute(Treebank.from_bytes(data), "reverse")
    sentences = [sentence for sentence in permuted.to_conllu() if sentence]  # comments alone are no sentence
    for number, sentence in enumerate(sentences):
        if "permtree_text" in sentence.metadata:
            begin, end = (int(bound[number]) for bound in permuted.text.comment_spans)
            comments = permuted.text.data[begin:end].decode().split("\n")
            values = [line.removeprefix("# text = ") for line in comments if line.startswith("# text = ")]
            assert values[0] == surface(sentence)


def test_text_agrees_after_punctuation_was_stripped(treebank):
    for sentence in permute(treebank, "optdl", punct="strip").to_conllu():
        if "permtree_text" in sentence.metadata:
            assert sentence.metadata["text"] == surface(sentence)


def test_every_old_id_names_the_same_word(treebank):
    before, after = treebank.to_conllu(), permute(treebank, "random", seed=4).to_conllu()
    for old, new in zip(before, after, strict=True):
        originals = {token["id"]: token for token in words(old)}
        for token in words(new):
            was = originals[int(token["misc"]["Orig"])]
            assert [token[name] for name in ("form", "lemma", "upos", "xpos", "feats", "deprel")] == [
                was[name] for name in ("form", "lemma", "upos", "xpos", "feats", "deprel")
            ]


def test_there_and_back_through_the_object_model(treebank):
    back = Treebank.from_conllu(treebank.to_conllu())
    assert heads_of(back) == heads_of(treebank)
    assert back.sent_ids == treebank.sent_ids
    for column in range(10):
        assert back.text.strings(column) == treebank.text.strings(column)


def test_ranges_and_empty_nodes_through_the_object_model(shared):
    treebank = Treebank.read(str(shared / "treebanks" / "fi_tdt" / "fi_tdt-ud-dev.conllu"))
    back = Treebank.from_conllu(treebank.to_conllu())
    assert len(back.text.node_token) == len(treebank.text.node_token) > 0
    assert len(back.text.range_token) == len(treebank.text.range_token)
    assert back.text.node_anchor.tolist() == treebank.text.node_anchor.tolist()


def test_comments_alone_are_no_sentence():
    treebank = Treebank.from_bytes(b"# alone\n\n" + conllu_lines(word(1, "a", 0), "") + b"# end\n")
    assert len(treebank.to_conllu()) == treebank.n_sentences == 1
