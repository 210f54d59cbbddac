"""Model folders from others: damaged, hostile, of an earlier version. One line, and nothing outside is touched."""

from __future__ import annotations

import json
import random
import shutil
import struct
from pathlib import Path

import pytest
from commandline import files_in, permtree
from permtree_parsers.baselines import Left
from permtree_parsers.biaffine import Biaffine
from permtree_parsers.folder import check_shapes
from places import SAMPLE
from small_networks import of_both, sample, trained

from permtree import load_parser, save_parser
from permtree.errors import UsageError
from permtree.folders import file_digest

torch = pytest.importorskip("torch")
torch.set_num_threads(1)
TRAIN = SAMPLE / "fluvi-test.conllu"


@pytest.fixture(scope="module")
def saved(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("models") / "biaffine"
    save_parser(trained(Biaffine, sample("fluvi-train", 3)), folder)
    return folder


@pytest.fixture
def model(saved, tmp_path: Path) -> Path:
    return Path(shutil.copytree(saved, tmp_path / "model"))


def refused(folder: Path) -> str:
    """The one line that says what is wrong with a model."""
    with pytest.raises(UsageError) as fault:
        load_parser(folder, "cpu")
    assert "\n" not in str(fault.value) and len(str(fault.value)) < 500
    return str(fault.value)


def changed(path: Path, **values: object) -> None:
    """Other values in a JSON file."""
    path.write_text(json.dumps({**json.loads(path.read_bytes()), **values}), encoding="utf-8")


def signed(folder: Path, name: str) -> None:
    """A file that was changed, with a digest that fits."""
    digests = json.loads((folder / "permtree.json").read_bytes())["digests"]
    changed(folder / "permtree.json", digests={**digests, name: file_digest(folder / name)})


def test_every_flipped_bit_is_found(model):
    """Of the weights too, wherever it is."""
    draw = random.Random(1)
    for name in ("weights.safetensors", "model.json"):
        data = (model / name).read_bytes()
        for _ in range(40):
            place, bit = draw.randrange(len(data)), draw.randrange(8)
            wrong = bytearray(data)
            wrong[place] ^= 1 << bit
            (model / name).write_bytes(wrong)
            assert refused(model) == f"{model / name}: damaged: train the model again, in another folder"
        (model / name).write_bytes(data)
    load_parser(model, "cpu")


def test_files_that_are_cut_missing_or_links(model):
    for name in ("weights.safetensors", "model.json"):
        path = model / name
        data = path.read_bytes()
        path.write_bytes(data[:-1])
        assert "damaged" in refused(model)
        path.unlink()
        assert "damaged" in refused(model)
        path.symlink_to(model.parent / "elsewhere")
        assert "is a link" in refused(model)
        path.unlink()
        path.write_bytes(data)
    (model / "notes.txt").write_text("my own", encoding="utf-8")  # nothing reads it
    load_parser(model, "cpu")


def test_mutations_of_what_a_folder_says_of_itself(model):
    """Any change is one line, or makes no difference."""
    draw = random.Random(2)
    path = model / "permtree.json"
    data = path.read_bytes()
    for _ in range(60):
        start = draw.randrange(len(data))
        junk = draw.choice([b"", b"\0", b"\xff", b"{", b"[" * 2000, b'"', b"null", b"1e999", b'"../x"'])
        path.write_bytes(data[:start] + junk + data[start + draw.randrange(40) :])
        try:
            load_parser(model, "cpu")
        except UsageError as fault:
            assert "\n" not in str(fault)


WRONG = [None, 3, "x", ["weights.safetensors"], {"../../x": "0"}, {"/etc/passwd": "0"}, {"": ""}, {}, {"model.json": 3}]


@pytest.mark.parametrize("digests", WRONG, ids=repr)
def test_digests_that_are_none(model, digests):
    changed(model / "permtree.json", digests=digests)
    assert "damaged" in refused(model)


@pytest.mark.parametrize("place", ["model.json", "permtree.json"])
def test_deep_nesting(model, place):
    (model / place).write_bytes(b'{"format": 1, "parser": "biaffine", "x": ' + b"[" * 100_000)
    if place != "permtree.json":
        signed(model, place)
    assert refused(model) == f"{model / place}: damaged: train the model again, in another folder"


@of_both
def test_a_description_of_a_huge_network_takes_no_memory(kind, tmp_path: Path):
    """The shapes of the weights are looked at before anything is built: this one would take 200 GB."""
    save_parser(trained(kind, sample("fluvi-train", 3)), tmp_path)
    content = json.loads((tmp_path / "model.json").read_bytes())
    changed(tmp_path / "model.json", config={**content["config"], "hidden": 10_000, "layers": 20})
    signed(tmp_path, "model.json")
    found = refused(tmp_path)
    assert "weights.safetensors has no " in found and "of the shape that model.json says" in found


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"\xff" * 8,
        struct.pack("<Q", 10**18) + b"{}",
        struct.pack("<Q", 2) + b"[]",
        struct.pack("<Q", 7) + b'{"a":1}',
    ],
)
def test_headers_of_weights_that_are_none(tmp_path: Path, data):
    (tmp_path / "weights.safetensors").write_bytes(data)
    with pytest.raises(UsageError, match=r"weights.safetensors: damaged"):
        check_shapes(tmp_path, {})


def test_a_model_without_digests_is_taken_and_told(model):
    """As version 0.1 wrote it."""
    about = json.loads((model / "permtree.json").read_bytes())
    contents = sorted(about.pop("digests"))
    (model / "permtree.json").write_text(json.dumps({**about, "format": 1, "permtree": "0.1.0", "contents": contents}))
    lines: list[str] = []
    load_parser(model, "cpu", lines.append)
    assert lines == [f"{model}: written by permtree 0.1.0, without digests: damage can't be seen"]
    done = permtree("parse", model, TRAIN, "-q")
    assert done.lines == lines
    again = model.parent / "again"
    save_parser(load_parser(model, "cpu"), again)  # which adds them
    load_parser(again, "cpu", lines.append)
    assert len(lines) == 1


# -- training into somebody else's folder ------------------------------------------------------------------------------


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A model beside a folder that is dear to somebody."""
    (tmp_path / "precious").mkdir()
    (tmp_path / "precious" / "thesis.tex").write_text("thesis", encoding="utf-8")
    permtree("train", "left", TRAIN, "-q", "-o", tmp_path / "model")
    changed(tmp_path / "model" / "permtree.json", seed=99)
    return tmp_path / "model"


def retrain(folder: Path, status: int = 0) -> list[str]:
    done = permtree("train", "left", TRAIN, "-q", "--overwrite", "-o", folder, status=status)
    assert (folder.parent / "precious" / "thesis.tex").read_text(encoding="utf-8") == "thesis"
    return done.lines


@pytest.mark.parametrize("format", [1, 2])
@pytest.mark.parametrize("name", ["../precious", "{outside}", "a/../../precious"])
def test_overwriting_removes_nothing_outside(folder, name, format):
    name = name.replace("{outside}", str(folder.parent / "precious"))
    said = {"digests": {name: "0"}} if format == 2 else {"contents": [name]}
    changed(folder / "permtree.json", format=format, **said)
    (line,) = retrain(folder, status=2)
    assert line == f"{folder}: damaged or not to be trusted: it names {name[:80]!r}, which is not inside it"


@pytest.mark.parametrize("contents", [3, {"../precious": 1}, [["../precious"]]], ids=repr)
def test_contents_that_are_none(folder, contents):
    changed(folder / "permtree.json", format=1, contents=contents)
    (line,) = retrain(folder, status=2)
    assert "damaged" in line


@pytest.mark.parametrize("name", ["model.json", "training.json"])
def test_overwriting_writes_through_no_link(folder, name):
    """What stands outside stays; a link in the folder is replaced, or refused."""
    (folder / name).unlink(missing_ok=True)
    (folder / name).symlink_to(folder.parent / "precious" / "thesis.tex")
    done = permtree("train", "left", TRAIN, "-q", "--overwrite", "-o", folder, status=2)
    assert done.lines == [f"{folder / name}: is a link, which is not followed: take it away"]
    assert (folder.parent / "precious" / "thesis.tex").read_text(encoding="utf-8") == "thesis"


def test_a_folder_of_the_model_that_is_a_link(folder):
    """Its content is somebody else's, and stays."""
    (folder / "transformer").symlink_to(folder.parent / "precious")
    changed(folder / "permtree.json", digests={"transformer/thesis.tex": "0"})
    (line,) = retrain(folder, status=2)
    assert line == f"{folder / 'transformer'}: is a link, which is not followed: take it away"


def test_overwriting_removes_what_was_the_models(folder):
    (folder / "transformer").mkdir()
    (folder / "transformer" / "config.json").write_text("{}", encoding="utf-8")
    changed(folder / "permtree.json", digests={"model.json": "0", "transformer/config.json": "0"})
    (folder / "mine.txt").write_text("mine", encoding="utf-8")
    retrain(folder)
    assert files_in(folder) == ["mine.txt", "model.json", "permtree.json"]
    assert isinstance(load_parser(folder), Left)


# -- transformers ------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def encoder(tmp_path_factory) -> Path:
    transformers = pytest.importorskip("transformers")
    folder = tmp_path_factory.mktemp("bert")
    names = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *"abcdefghijklmnopqrstuvwxyz"]
    transformers.BertTokenizerFast(vocab={name: code for code, name in enumerate(names)}).save_pretrained(folder)
    config = transformers.BertConfig(
        vocab_size=len(names), hidden_size=16, num_hidden_layers=1, num_attention_heads=2, intermediate_size=16
    )
    transformers.BertModel(config).save_pretrained(folder)
    return folder


def with_code(folder: Path) -> None:
    """A model that would have Python of its own run."""
    changed(folder / "config.json", auto_map={"AutoConfig": "evil.C", "AutoModel": "evil.M"}, model_type="evil")
    ran = folder.parent / "RAN"
    code = f"open({str(ran)!r}, 'w')\nfrom transformers import BertConfig as C, BertModel as M\n"
    (folder / "evil.py").write_text(code, encoding="utf-8")


def test_no_code_of_a_model_runs(encoder, tmp_path: Path):
    """Neither of a folder that a training names nor of a model's, and nobody is asked."""
    pytest.importorskip("transformers")
    bert = Path(shutil.copytree(encoder, tmp_path / "bert"))
    save_parser(trained(Biaffine, sample("fluvi-train", 3), transformer=str(bert), epochs=1), tmp_path / "model")
    load_parser(tmp_path / "model", "cpu")
    with_code(tmp_path / "model" / "transformer")
    assert "damaged" in refused(tmp_path / "model")
    signed(tmp_path / "model", "transformer/config.json")
    assert refused(tmp_path / "model").endswith(
        "transformer/evil.py: damaged: train the model again, in another folder"
    )
    signed(tmp_path / "model", "transformer/evil.py")
    done = permtree("parse", tmp_path / "model", TRAIN, stdin=b"y\n" * 9, status=2)
    assert done.lines == [
        f"{tmp_path / 'model/transformer'}: wants to run Python code of its own, which permtree never does"
    ]
    assert done.out == b""
    with_code(bert)
    with pytest.raises(UsageError, match="wants to run Python code of its own"):
        trained(Biaffine, sample("fluvi-train", 3), transformer=str(bert))
    assert not list(tmp_path.rglob("RAN"))


def test_pickled_weights_are_refused(encoder, tmp_path: Path):
    bert = Path(shutil.copytree(encoder, tmp_path / "bert"))
    (bert / "model.safetensors").unlink()
    torch.save({}, bert / "pytorch_model.bin")
    with pytest.raises(UsageError, match="no transformer model") as fault:
        trained(Biaffine, sample("fluvi-train", 3), transformer=str(bert))
    assert "\n" not in str(fault.value)
