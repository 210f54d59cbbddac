"""An order from weights by relation."""

from random import Random

import definitions as naive
import pytest
from commandline import permtree
from orders import orders
from places import SAMPLE
from strategies import random_heads

from permtree import Treebank, UsageError, measure, permute
from permtree.permuting import Permutation
from permtree.treebank import heads_of

RELATIONS = ("det", "nsubj", "obj", "nmod", "nmod:poss", "obl:arg")
TAGS = ("NOUN", "VERB", "ADJ")
SAMPLE_FILE = SAMPLE / "rigan-dev.conllu"
TOML = """
default = 5
[relations]
nsubj = -2          # before the head
det = -1
obj = 1.5
"nmod:poss" = -1
[heads.NOUN]
nmod = 1
det = 0.5
"""
AS_MAPPING = {
    "default": 5,
    "relations": {"nsubj": -2, "det": -1, "obj": 1.5, "nmod:poss": -1},
    "heads": {"NOUN": {"nmod": 1, "det": 0.5}},
}


def random_sentences(seed, n_sentences=20):
    rng = Random(seed)
    trees = [random_heads(rng, rng.randint(1, 9), rng.choice([1, 1, 1, 2])) for _ in range(n_sentences)]
    return [naive.labelled(rng, heads, RELATIONS, TAGS) for heads in trees]


def read(sentences):
    return Treebank.from_bytes(naive.as_file(sentences))


def weight(sentence, word, grammar):
    relation, tag, _ = sentence.kind(word)
    base = relation.split(":")[0]
    heads, relations = grammar.get("heads", {}).get(tag, {}), grammar.get("relations", {})
    for table, name in ((heads, relation), (heads, base), (relations, relation), (relations, base)):
        if name in table:
            return table[name]
    return grammar["default"]


def by_grammar(sentence, grammar):
    """Dependents from the head outwards by weight, then by relation and UPOS; alike ones keep their order."""
    keys = [0] * len(sentence.heads)
    for head in naive.words_of(sentence.heads):
        group = naive.dependents(sentence.heads, head)
        for side in (-1, 1):
            own = [word for word in group if side * weight(sentence, word, grammar) > 0]
            own.sort(key=lambda word: side * word)
            own.sort(key=lambda w: (abs(weight(sentence, w, grammar)), sentence.relations[w - 1], sentence.tags[w - 1]))
            for rank, word in enumerate(own, 1):
                keys[word - 1] = side * rank
    return naive.linearize(sentence.heads, keys)


def random_grammar(rng):
    """Few different weights, so that many are equal."""
    weights = [-2, -1, 0.5, 1, 2]
    return {
        "default": rng.choice(weights),
        "relations": {name: rng.choice(weights) for name in rng.sample((*RELATIONS, "obl"), 3)},
        "heads": {tag: {name: rng.choice(weights) for name in rng.sample(RELATIONS, 2)} for tag in rng.sample(TAGS, 2)},
    }


# -- the order -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(40))
def test_random_grammars_on_random_treebanks(seed):
    grammar, sentences = random_grammar(Random(seed)), random_sentences(seed)
    expected = [by_grammar(sentence, grammar) for sentence in sentences]
    assert orders(read(sentences), "grammar", weights=grammar) == expected


def one_dependent(relation, head_tag="A"):
    return naive.Sentence((0, 1), ("root", relation), (head_tag, "B"))


def side(grammar, relation, head_tag="A"):
    """Where the dependent of a sentence of two words goes."""
    new = orders(read([one_dependent(relation, head_tag)]), "grammar", weights=grammar)[0]
    return "after" if new == (1, 2) else "before"


def test_weights_back_off_from_the_tag_with_the_full_relation_to_the_default():
    """Each line takes the most specific weight away from the line before."""
    full, base, tag = {"nmod:poss": -1}, {"nmod": 1}, "NOUN"
    assert side({"heads": {tag: {**base, **full}}, "relations": {"nmod:poss": 1}}, "nmod:poss", tag) == "before"
    assert side({"heads": {tag: base}, "relations": full}, "nmod:poss", tag) == "after"
    assert side({"relations": {**base, **full}}, "nmod:poss", tag) == "before"
    assert side({"heads": {"VERB": full}, "relations": base}, "nmod:poss", tag) == "after"
    assert side({"heads": {"VERB": full}, "default": 1}, "nmod:poss", tag) == "after"
    assert side({"default": -1, "relations": {"nmod:other": 1}}, "nmod:poss", tag) == "before"


def test_smaller_magnitudes_are_nearer_on_either_side():
    sentence = naive.Sentence((3, 3, 0, 3, 3), ("x", "y", "root", "z", "u"), ("A",) * 5)
    grammar = {"relations": {"x": -0.1, "y": -3, "z": 20, "u": 19.5}}
    assert orders(read([sentence]), "grammar", weights=grammar) == [(2, 1, 3, 5, 4)]


def test_equal_weights_go_by_relation_then_by_tag_from_the_head_outwards():
    sentence = naive.Sentence((4, 4, 4, 0), ("b", "a", "a", "root"), ("A", "B", "A", "V"))
    assert orders(read([sentence]), "grammar", weights={"default": 1}) == [(4, 3, 2, 1)]
    assert orders(read([sentence]), "grammar", weights={"default": -1}) == [(1, 2, 3, 4)]


def test_names_and_not_the_order_of_first_appearance_decide():
    """The same two relations, met in the other order before."""
    sentence = naive.Sentence((0, 1, 1), ("root", "b", "a"), ("A",) * 3)
    other = naive.Sentence((0, 1, 1), ("root", "a", "b"), ("A",) * 3)
    for sentences in ([sentence, other], [other, sentence]):
        found = orders(read(sentences), "grammar", weights={"default": 1})
        assert {tuple(s.relations[w - 1] for w in new) for s, new in zip(sentences, found, strict=True)} == {
            ("root", "a", "b")
        }


def test_roots_need_no_weight():
    assert orders(Treebank.from_heads([[0, 0]]), "grammar", weights={"relations": {"x": 1}}) == [(1, 2)]


def test_a_grammar_is_an_order_of_zero_entropy():
    new = permute(Treebank.read(str(SAMPLE_FILE)), "grammar", weights=AS_MAPPING)
    assert measure(new, "arc_direction_entropy", profile="lal", roots="keep")["arc_direction_entropy"].value == 0


# -- where weights come from ---------------------------------------------------------------------------------------


def test_a_file_by_the_command_line_and_a_mapping_give_the_same(tmp_path):
    (tmp_path / "weights.toml").write_text(TOML, encoding="utf-8")
    done = permtree("permute", "--mode", "grammar", "--weights", tmp_path / "weights.toml", SAMPLE_FILE)
    treebank = Treebank.read(str(SAMPLE_FILE))
    new = permute(treebank, "grammar", weights=AS_MAPPING)
    assert heads_of(Treebank.from_bytes(done.out)) == heads_of(new) != heads_of(treebank)
    assert orders(treebank, "grammar", weights=str(tmp_path / "weights.toml")) == orders(
        treebank, "grammar", weights=AS_MAPPING
    )
    assert b"# permtree = grammar|weights:weights.toml(" in done.out


def test_the_signature_tells_grammars_apart():
    def signature(weights):
        return Permutation("grammar", config={"weights": weights}).signature()

    assert signature({"default": 1}) == signature({"default": 1.0})
    grammars = [{"default": 1}, {"default": 2}, {"relations": {"x": 1}}, {"heads": {"x": {"x": 1}}}, AS_MAPPING]
    assert len({signature(grammar) for grammar in grammars}) == len(grammars)


def test_the_order_of_lines_makes_no_difference():
    turned = {"heads": AS_MAPPING["heads"], "relations": dict(reversed(AS_MAPPING["relations"].items())), "default": 5}
    written = [Permutation("grammar", config={"weights": w}).signature() for w in (AS_MAPPING, turned)]
    assert written[0] == written[1]


# -- what is refused -----------------------------------------------------------------------------------------------

BAD_FILES = {
    "empty file": ("", "no weights; write [relations]"),
    "only a comment": ("# nothing\n", "no weights"),
    "empty tables": ("[relations]\n[heads.NOUN]\n", "no weights"),
    "broken TOML": ("[relations\nnsubj = 1\n", "no TOML: "),
    "a key twice": ("[relations]\nx = 1\nx = 2\n", "no TOML: "),
    "unknown key": ("[relation]\nnsubj = 1\n", "unknown key 'relation'; did you mean 'relations'?"),
    "unknown key, far off": ("nsubj = 1\n", "unknown key 'nsubj'; known: default, relations, heads"),
    "weight 0": ("[relations]\nnsubj = 0\n", "relations.nsubj: a number, negative (before the head) or positive"),
    "weight 0.0": ("[heads.VERB]\nnsubj = -0.0\n", "heads.VERB.nsubj: a number"),
    "nan": ("[relations]\nnsubj = nan\n", "relations.nsubj: a number"),
    "infinite": ("[relations]\nnsubj = -inf\n", "relations.nsubj: a number"),
    "string": ('[relations]\nnsubj = "1"\n', "relations.nsubj: a number"),
    "bool": ("[relations]\nnsubj = true\n", "relations.nsubj: a number"),
    "list": ("[relations]\nnsubj = [1]\n", "relations.nsubj: a number"),
    "a table too deep": ("[relations.NOUN]\nnsubj = 1\n", "relations.NOUN: a number"),
    "default 0": ("default = 0\n", "default: a number"),
    "default a table": ("[default]\nx = 1\n", "default: a number"),
    "relations no table": ("relations = 3\n", "relations: a table of weights by relation"),
    "heads no tables": ("heads = 3\n", "heads: tables of weights by UPOS"),
    "head no table": ("[heads]\nVERB = 3\n", "heads.VERB: a table of weights by relation"),
    "relations without weight": (
        "[relations]\nnsubj = -1\nroot = 1\n",
        "no weight for acl, acl:relcl, advcl, advmod, amod, aux ...; add one",
    ),
}


@pytest.mark.parametrize(("content", "message"), BAD_FILES.values(), ids=BAD_FILES.keys())
def test_bad_files(tmp_path, content, message):
    path = tmp_path / "weights.toml"
    path.write_text(content, encoding="utf-8")
    with pytest.raises(UsageError) as refused:
        permute(Treebank.read(str(SAMPLE_FILE)), "grammar", weights=str(path))
    assert "weights.toml: " in str(refused.value)
    assert message in str(refused.value)
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize("name", ["broken TOML", "weight 0", "relations without weight"])
def test_bad_files_by_the_command_line(tmp_path, name):
    content, message = BAD_FILES[name]
    (tmp_path / "w.toml").write_text(content, encoding="utf-8")
    command = ["permute", "--mode", "grammar", "--weights", "w.toml", SAMPLE_FILE, "-o", "out"]
    done = permtree(*command, cwd=tmp_path, status=2)
    assert len(done.lines) == 1
    assert done.lines[0].startswith("w.toml: ")
    assert message in done.lines[0]
    assert [path.name for path in tmp_path.iterdir()] == ["w.toml"]


def test_a_missing_file_and_a_missing_option(tmp_path):
    done = permtree("permute", "--mode", "grammar", "--weights", "none.toml", stdin=b"", cwd=tmp_path, status=2)
    assert done.lines == ["none.toml: No such file or directory"]
    done = permtree("permute", "--mode", "grammar", stdin=b"", status=2)
    assert len(done.lines) == 1
    assert done.lines[0].startswith("mode 'grammar' needs --weights FILE.toml")


def test_a_file_that_is_not_utf8(tmp_path):
    (tmp_path / "w.toml").write_bytes(b'[relations]\n"\xff" = 1\n')
    with pytest.raises(UsageError, match="w.toml: no TOML: "):
        permute(Treebank.from_heads([[0]]), "grammar", weights=str(tmp_path / "w.toml"))


def test_many_relations_without_weight_are_not_all_named():
    relations = [f"r{number}" for number in range(9)]
    sentences = [naive.Sentence((0, 1), ("root", name), ("A", "B")) for name in relations]
    with pytest.raises(
        UsageError, match=r"weights: no weight for r0, r1, r2, r3, r4, r5 \.\.\.; add one, or a default"
    ):
        permute(read(sentences), "grammar", weights={"relations": {"x": 1}})


def test_a_whole_number_beyond_all_numbers():
    with pytest.raises(UsageError, match=r"relations\.x: a number"):
        permute(Treebank.from_heads([[0, 1]]), "grammar", weights={"relations": {"x": 10**400}})
