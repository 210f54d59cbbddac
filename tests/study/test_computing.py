"""What each kind of cell computes: the same as the commands that do one step at a time."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest
from commandline import permtree
from studies import TREEBANK, computed, write_study

import permtree as toolkit
from permtree.permuting import Permutation, permute_bytes
from permtree.treebank import Treebank

PARTS = ("train", "dev", "test")
WHOLE = "policies = { punct = 'keep', roots = 'keep' }\nmeasures = ['omega']\nconvention = 'no-punct'"
MODES = {  # by the order's name: what the study says, and what the command line says
    "original": ("{}", []),
    "random": ("{ seed = 5 }", ["--seed=5"]),
    "optdl": ("{ ties = 'random' }", ["--ties=random"]),
    "majority": ("{}", []),
    "match": ("{ dlm = 1.2, entropy = 0.3, tolerance = 0.3 }", ["--dlm=1.2", "--entropy=0.3", "--tolerance=0.3"]),
    "like": ("{ treebank = 'other.conllu', deterministic = true }", ["--treebank=other.conllu", "--deterministic"]),
    "grammar": ("{ weights = 'weights.toml' }", ["--weights=weights.toml"]),
    "within": ("{ mode = 'mixture', of = 'majority', p = 0.7 }", ["--mode=mixture", "--of=majority", "--p=0.7"]),
    "likely": (
        "{ mode = 'mixture', of = 'like:treebank=other.conllu' }",
        ["--mode=mixture", "--of=like:treebank=other.conllu"],
    ),
}
LEARN = ("majority", "match")  # and take --learn-from


@pytest.fixture(scope="module")
def study(tmp_path_factory):
    """A study of orders of all kinds, done: its folder, and the cells' files by kind and label."""
    folder = tmp_path_factory.mktemp("study")
    orders = "\n".join(f"orders.{name} = {given}" for name, (given, _) in MODES.items())
    path = write_study(folder, WHOLE, orders=orders, parsers="parsers.majority-offset = {}")
    (folder / "weights.toml").write_text("default = 1", encoding="utf-8")
    (folder / "other.conllu").write_bytes((folder / "all.conllu").read_bytes())
    grid, store, summary = computed(path, folder / "results")
    assert not summary.failed
    return folder, {str(cell): (store.value(cell), store.files(cell)) for cell in grid.cells}


def unpacked(files: dict[str, bytes], part: str) -> bytes:
    return gzip.decompress(files[f"{part}.conllu.gz"])


def unsigned(data: bytes) -> list[bytes]:
    return [line for line in data.splitlines() if not line.startswith(b"# permtree = ")]


# -- permute ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", MODES)
def test_the_training_part_is_as_permute_makes_it(name, study):
    folder, cells = study
    value, files = cells[f"permute fluvi.{name}"]
    options = MODES[name][1]
    mode = [] if options[:1] and options[0].startswith("--mode") else [f"--mode={name}"]
    done = permtree("permute", "-q", *mode, *options, "train.conllu", cwd=folder)
    assert unpacked(files, "train") == done.out
    assert f"# permtree = {value['signature']}\n".encode() in done.out


@pytest.mark.parametrize("part", ["dev", "test"])
@pytest.mark.parametrize("name", MODES)
def test_the_other_parts_follow_the_rule_of_the_training_part(name, part, study):
    """Also where there is a rule to learn, which is not that of the part itself."""
    folder, cells = study
    files = cells[f"permute fluvi.{name}"][1]
    options = {"random": {"seed": 5}, "optdl": {"ties": "random"}}.get(name, {})
    mode = name
    if name == "within":  # of a rule that is learnt: the training part and the other as one treebank, cut again
        mode, options = "mixture", {"of": "majority", "p": 0.7}
    elif name == "match":
        options = {"dlm": 1.2, "entropy": 0.3, "tolerance": 0.3}
    elif name in ("like", "likely"):
        options = {"treebank": str(folder / "other.conllu"), "deterministic": True}
        if name == "likely":
            mode, options = "mixture", {"of": f"like:treebank={folder / 'other.conllu'}"}
    elif name == "grammar":
        options = {"weights": str(folder / "weights.toml")}
    if name in LEARN:
        options["learn_from"] = str(folder / "train.conllu")
    treebank = Treebank.read(str(folder / f"{part}.conllu"))
    if name == "within":
        permutation = Permutation("mixture", 0, config={"of": "majority", "p": 0.7})
        learnt = permutation.learnt(Treebank.read(str(folder / "train.conllu")))
        expected, _ = permute_bytes(treebank, learnt)
    else:
        expected = toolkit.permute(treebank, mode, **options).to_bytes()
    assert unsigned(unpacked(files, part)) == unsigned(expected)


def test_the_rule_is_that_of_the_training_part(study):
    """Nothing but it could have been learnt: the part's own rule gives another order."""
    folder, cells = study
    own = toolkit.permute(Treebank.read(str(folder / "test.conllu")), "majority").to_bytes()
    assert unsigned(own) != unsigned(unpacked(cells["permute fluvi.majority"][1], "test"))
    signatures = {
        next(line for line in unpacked(cells["permute fluvi.majority"][1], part).splitlines() if b"permtree = " in line)
        for part in PARTS
    }
    assert len(signatures) == 1


def test_counts_of_parts(study):
    folder, cells = study
    value = cells["permute fluvi.original"][0]
    for part, n_sentences in zip(PARTS, (40, 10, 10), strict=True):
        treebank = Treebank.read(str(folder / f"{part}.conllu"))
        assert value["parts"][part]["sentences"] == n_sentences == treebank.n_sentences
        assert value["parts"][part]["words"] == treebank.n_words
        assert value["parts"][part]["report"][0].startswith(f"read {n_sentences} sentences, {treebank.n_words} words; ")


# -- splits ----------------------------------------------------------------------------------------------------------

ALL_WHOLE = "policies = { punct = 'keep', roots = 'keep' }"


def sentence_ids(folder: Path, treebanks: str, orders: str = "orders.original = {}") -> dict[str, dict[str, list[str]]]:
    """By order, the sentences of each part."""
    path = write_study(folder, ALL_WHOLE, treebanks=treebanks, orders=orders, parsers="parsers.left = {}")
    grid, store, summary = computed(path, folder / "results", ["permute"])
    assert not summary.failed
    found = {}
    for cell in grid.chosen(["permute"]):
        files = store.files(cell)
        parts = (part for part in PARTS if f"{part}.conllu.gz" in files)
        found[cell.place["order"]] = {
            part: list(Treebank.from_bytes(unpacked(files, part)).text.sent_ids) for part in parts
        }
    return found


def everything(folder: Path, *names: str) -> list[str]:
    return [one for name in names for one in Treebank.read(str(folder / f"{name}.conllu")).text.sent_ids]


def test_a_split_is_disjoint_complete_and_the_same_in_every_order(tmp_path: Path):
    orders = "orders.original = {}\norders.majority = {}\norders.random = {}\norders.reverse = {}"
    found = sentence_ids(tmp_path, "treebanks.x = { files = 'all.conllu', split = '8:1:1' }", orders)
    assert len(found) == 4
    assert all(parts == found["original"] for parts in found.values())
    parts = found["original"]
    assert [len(own) for own in parts.values()] == [48, 6, 6]
    assert sorted(sum(parts.values(), [])) == sorted(everything(tmp_path, "all"))


def test_a_split_is_that_of_the_command(tmp_path: Path):
    found = sentence_ids(
        tmp_path, "treebanks.x = { files = ['test.conllu', 'train.conllu'], split = '9:1', split_seed = 3 }"
    )
    files = [tmp_path / "test.conllu", tmp_path / "train.conllu"]
    both = tmp_path / "both.conllu"
    both.write_bytes(b"".join(path.read_bytes() for path in files))
    permtree("split", "--ratio", "9:1", "--seed", "3", "-o", tmp_path / "part", both)
    parts = {path: list(Treebank.read(str(path)).text.sent_ids) for path in tmp_path.glob("part*")}
    assert list(found["original"]) == ["train", "test"]
    assert sorted(parts.values()) == sorted(found["original"].values())


def test_dev_is_split_off_train(tmp_path: Path):
    treebank = TREEBANK.replace('dev = "dev.conllu"', 'dev_split = "3:1"')
    parts = sentence_ids(tmp_path, treebank)["original"]
    assert [len(own) for own in parts.values()] == [30, 10, 10]
    assert sorted(parts["train"] + parts["dev"]) == sorted(everything(tmp_path, "train"))
    assert parts["test"] == everything(tmp_path, "test")


def test_dev_is_split_off_the_rest_of_a_split(tmp_path: Path):
    treebank = "treebanks.x = { files = 'all.conllu', split = '5:1', dev_split = '4:1' }"
    parts = sentence_ids(tmp_path, treebank)["original"]
    assert [len(parts[part]) for part in PARTS] == [40, 10, 10]
    assert sorted(sum(parts.values(), [])) == sorted(everything(tmp_path, "all"))


def test_some_sentences_of_train(tmp_path: Path):
    """Drawn: smaller draws are part of larger ones, and all parts but train are as they were."""
    drawn = {
        n: sentence_ids(tmp_path, TREEBANK.replace(" }", f", sentences = {n} }}"))["original"] for n in (7, 20, 40, 99)
    }
    assert [len(parts["train"]) for parts in drawn.values()] == [7, 20, 40, 40]
    assert set(drawn[7]["train"]) < set(drawn[20]["train"]) < set(drawn[40]["train"])
    assert drawn[20]["train"] != drawn[40]["train"][:20]
    assert drawn[40] == drawn[99]
    assert all((parts["dev"], parts["test"]) == (drawn[40]["dev"], drawn[40]["test"]) for parts in drawn.values())


# -- measure, evaluate -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["original", "random", "majority"])
def test_measure(name, study, tmp_path: Path):
    _, cells = study
    train = tmp_path / "train.conllu"
    train.write_bytes(unpacked(cells[f"permute fluvi.{name}"][1], "train"))
    value = cells[f"measure fluvi.{name}"][0]
    assert "omega" in value["measures"]
    options = [one for measure in value["measures"] for one in ("--measure", measure)]
    said = json.loads(permtree("measure", "-q", "--punct=keep", "--roots=keep", "--format=json", *options, train).out)
    for measure, (found, signature) in value["measures"].items():
        assert said["measures"][measure]["value"] == found, measure
        assert said["measures"][measure]["signature"] == signature


def test_sentences_are_skipped_before_they_are_permuted(tmp_path: Path):
    """Those that are not projective in the text, in every order; not those that an order makes so."""
    orders = "orders.original = {}\norders.random = {}"
    path = write_study(tmp_path, "policies = { nonprojective = 'skip', punct = 'keep', roots = 'keep' }", orders=orders)
    train = Treebank.read(str(tmp_path / "train.conllu"))
    crossing = len(set(train.sentence_of[train.nonprojective].tolist()))
    assert 0 < crossing < 20
    grid, store, _ = computed(path, tmp_path / "results", ["measure"])
    values = [store.value(cell) for cell in grid.cells if cell.kind == "measure"]
    assert [value["sentences"] for value in values] == [train.n_sentences - crossing] * 2
    assert [value["kept_sentences"] for value in values] == [train.n_sentences - crossing] * 2
    shares = [value["measures"]["nonprojective_sentences"][0] for value in values]
    assert shares[0] == 0 < shares[1]


@pytest.mark.parametrize("name", ["original", "random", "majority"])
def test_evaluate(name, study, tmp_path: Path):
    _, cells = study
    (tmp_path / "gold.conllu").write_bytes(unpacked(cells[f"permute fluvi.{name}"][1], "test"))
    predicted = cells[f"predict fluvi.{name}.majority-offset.0"][1]
    (tmp_path / "pred.conllu").write_bytes(unpacked(predicted, "predicted"))
    files = (tmp_path / "gold.conllu", tmp_path / "pred.conllu")
    said = json.loads(permtree("evaluate", "--convention=no-punct", "--format=json", *files).out)
    value = cells[f"evaluate fluvi.{name}.majority-offset.0"][0]
    for score, (found, right, of, signature) in value["scores"].items():
        assert said["scores"][score]["value"] == found
        assert found == 100 * right / of
        assert said["scores"][score]["signature"] == signature


def test_train_and_predict(study, tmp_path: Path):
    """The model and its output are those of the commands."""
    _, cells = study
    for part in PARTS:
        (tmp_path / f"{part}.conllu").write_bytes(unpacked(cells["permute fluvi.majority"][1], part))
    data = ("train.conllu", "--dev", "dev.conllu", "--seed=0")
    permtree("train", "majority-offset", *data, "-o", "model", "-q", cwd=tmp_path)
    _, model = cells["train fluvi.majority.majority-offset.0"]
    for name, content in model.items():
        assert (tmp_path / "model" / name).read_bytes() == content, name
    permtree("parse", "-q", "model", "test.conllu", "-o", "parsed.conllu", cwd=tmp_path)
    _, predicted = cells["predict fluvi.majority.majority-offset.0"]
    assert (tmp_path / "parsed.conllu").read_bytes() == unpacked(predicted, "predicted")


# -- data that can't be used -----------------------------------------------------------------------------------------

CIRCLE = b"# sent_id = c\n1\ta\t_\tX\t_\t_\t2\tx\t_\t_\n2\tb\t_\tX\t_\t_\t1\tx\t_\t_\n\n"


def failures(path: Path) -> dict[str, str]:
    _, _, summary = computed(path, path.parent / "results")
    return {str(cell): message for cell, message in summary.failed}


@pytest.mark.parametrize("where", ["first", "second"])
def test_a_sentence_that_is_no_tree(where, tmp_path: Path):
    """Is told by its line in the file, though the file is split; other treebanks go on."""
    files = ["bad.conllu", "dev.conllu"] if where == "first" else ["dev.conllu", "bad.conllu"]
    treebanks = f"{TREEBANK}\ntreebanks.bad = {{ files = {files}, split = '9:1' }}"
    path = write_study(tmp_path, treebanks=treebanks)
    text = (tmp_path / "test.conllu").read_bytes()
    (tmp_path / "bad.conllu").write_bytes(text + CIRCLE)
    line = text.count(b"\n") + 2
    message = f"{tmp_path}/bad.conllu:{line}: "
    found = failures(path)
    assert list(found) == ["permute bad.original", "permute bad.majority"]
    assert all(one.startswith(message) and one.endswith("(sentence c)") for one in found.values()), found


def test_a_file_that_can_t_be_read(tmp_path: Path):
    path = write_study(tmp_path)
    (tmp_path / "test.conllu").write_bytes(b"1\ta\n\n")
    found = failures(path)
    assert set(found) == {"permute fluvi.original", "permute fluvi.majority"}
    assert found["permute fluvi.original"].startswith(f"{tmp_path}/test.conllu:1: ")


def test_no_sentence_is_kept(tmp_path: Path):
    path = write_study(tmp_path, "profile = 'gulordava-merlo-2016'", orders="orders.original = {}")
    (tmp_path / "dev.conllu").write_bytes(b"1\t,\t_\tPUNCT\t_\t_\t0\troot\t_\t_\n\n")
    (message,) = failures(path).values()
    assert message.startswith("fluvi.original: no sentence of dev is kept by the policies (original|punct:exclude")


def test_a_point_that_can_t_be_reached(tmp_path: Path):
    path = write_study(tmp_path, orders="orders.match = { dlm = 3, entropy = 0.1 }")
    (message,) = failures(path).values()
    assert message.startswith("DLM ratio 3 with entropy 0.1 can't be reached")
