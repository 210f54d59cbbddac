"""A model remembers the order that it was trained on; files of another order are told."""

from __future__ import annotations

import json

import pytest
from commandline import permtree, sentence

from permtree import Treebank, permute
from permtree.permuters.orders import order_named, orders_of, other_order

DATA = b"".join(sentence(f"s{number}", 2, 0, 2, 3) for number in range(5))


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    made = tmp_path_factory.mktemp("orders")
    (made / "plain").write_bytes(DATA)
    for name, mode in {
        "rb": ["rb"],
        "kept": ["rb", "--punct=final"],
        "lb": ["lb"],
        "other": ["random", "--seed=1"],
    }.items():
        permtree("permute", "--mode", *mode, "plain", "-o", name, "-q", cwd=made)
    for name in ("plain", "rb"):
        permtree("train", "left", name, "-o", f"model-{name}", "-q", cwd=made)
    return made


def test_the_model_folder_says_it(folder):
    about = {name: json.loads((folder / f"model-{name}" / "permtree.json").read_bytes()) for name in ("plain", "rb")}
    assert about["plain"]["order"] == [[]]
    ((signature,),) = about["rb"]["order"]
    assert signature.startswith("rb|")
    again = permtree("train", "left", "rb", "-o", "model-rb", cwd=folder)
    assert "trained already" in again.err


@pytest.mark.parametrize(
    ("model", "file", "found", "trained"),
    [("rb", "plain", "original", "rb|"), ("rb", "lb", "lb|", "rb|"), ("plain", "other", "random|seed:1", "original")],
)
def test_parse_tells_of_another_order(folder, model, file, found, trained):
    done = permtree("parse", f"model-{model}", file, "-q", cwd=folder)
    assert done.lines[0].startswith(f"warning: {file}: is in the order {found}")
    assert f", but model-{model} was trained on {trained}" in done.lines[0]


@pytest.mark.parametrize(("model", "file"), [("rb", "rb"), ("rb", "kept"), ("plain", "plain")])
def test_nothing_is_told_of_the_same_order(folder, model, file):
    assert permtree("parse", f"model-{model}", file, "-q", cwd=folder).err == ""


def test_models_that_do_not_say_it(folder, tmp_path):
    permtree("train", "left", folder / "rb", "-o", "m", "-q", cwd=tmp_path)
    about = json.loads((tmp_path / "m" / "permtree.json").read_bytes())
    del about["order"]
    (tmp_path / "m" / "permtree.json").write_text(json.dumps(about))
    assert permtree("parse", "m", folder / "plain", "-q", cwd=tmp_path).err == ""
    assert "trained already" in permtree("train", "left", folder / "rb", "-o", "m", cwd=tmp_path).err


def test_evaluate_and_pairs_tell(folder, tmp_path):
    marked = (folder / "rb").read_bytes()
    (tmp_path / "gold").write_bytes(marked)
    (tmp_path / "other").write_bytes(marked.replace(b"= rb|", b"= lb|"))
    (tmp_path / "lost").write_bytes(b"".join(line for line in marked.splitlines(True) if b"# permtree" not in line))
    done = permtree("evaluate", "gold", "other", "-q", cwd=tmp_path)
    assert done.lines[0].startswith("warning: other: is in the order lb|") and "but gold is in rb|" in done.lines[0]
    done = permtree("pairs", "gold", "gold", "gold", "other", "-o", "x", "-q", cwd=tmp_path)
    assert done.lines[0].startswith("warning: other: is in the order lb|")
    for pred in ("gold", "lost"):  # a parser that loses comments is no other order
        assert permtree("evaluate", "gold", pred, "-q", cwd=tmp_path).err == ""


def test_names_of_orders():
    twice = permute(permute(Treebank.from_bytes(DATA), "reverse"), "majority")
    assert orders_of(twice) == {"reverse then majority"}
    assert (
        orders_of(permute(Treebank.from_bytes(DATA), "original"))
        == orders_of(Treebank.from_bytes(DATA))
        == {"original"}
    )
    assert order_named(["strange|a:1|punct:keep|permtree:9"]) == "strange|a:1"
    assert other_order({"rb", "lb"}, {"rb"}, "x", "y") == []
    assert other_order({"rb"}, {"a", "b", "rb"}, "x is", "y is") == ["x is in the order a (and 1 more), but y is rb"]
