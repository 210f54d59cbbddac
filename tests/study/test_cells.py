"""The cells of a study: their keys change with what they depend on, and with nothing else."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from commandline import permtree
from studies import N_CELLS, ORDERS, TREEBANK, cells_of, computed, write_study

from permtree import UsageError
from permtree.study.cells import KINDS, grid_of
from permtree.study.reading import read_study

ALL = set(KINDS)
AFTER = {  # a kind, and what needs it
    "permute": ALL, "measure": {"measure"}, "train": {"train", "predict", "evaluate"},
    "predict": {"predict", "evaluate"}, "evaluate": {"evaluate"},
}  # fmt: skip


def keys(path: Path) -> dict[str, str]:
    return {name: cell.key for name, cell in cells_of(path).items()}


def changed(before: dict[str, str], after: dict[str, str]) -> set[str]:
    """The kinds of cells whose keys differ; within a kind all or none must."""
    assert list(before) == list(after)
    differ = {kind: {before[name] != after[name] for name in before if name.startswith(kind)} for kind in KINDS}
    assert all(len(found) == 1 for found in differ.values()), differ
    return {kind for kind in KINDS if differ[kind] == {True}}


def add_a_comment(path: Path) -> None:
    path.write_bytes(b"# more\n" + path.read_bytes())


# -- what keys depend on ---------------------------------------------------------------------------------------------

SPLIT = 'treebanks.fluvi = { files = "all.conllu", split = "8:1:1", split_seed = 0 }'
CHANGES = {  # parts of a study, the same parts changed, the first kind of cell that changes with it
    "split": ({"treebanks": SPLIT}, {"treebanks": SPLIT.replace("8:1:1", "7:2:1")}, "permute"),
    "split_seed": ({"treebanks": SPLIT}, {"treebanks": SPLIT.replace("= 0", "= 1")}, "permute"),
    "sentences": ({"treebanks": SPLIT}, {"treebanks": SPLIT.replace(" }", ", sentences = 9 }")}, "permute"),
    "dev_split": (
        {"treebanks": TREEBANK.replace('dev = "dev.conllu"', 'dev_split = "9:1"')},
        {"treebanks": TREEBANK.replace('dev = "dev.conllu"', 'dev_split = "8:1"')},
        "permute",
    ),
    "dev": ({}, {"treebanks": TREEBANK.replace('dev = "dev.conllu", ', "")}, "permute"),
    "mode": ({"orders": "orders.x = { mode = 'lb' }"}, {"orders": "orders.x = { mode = 'rb' }"}, "permute"),
    "option": (
        {"orders": "orders.optdl = {}"}, {"orders": "orders.optdl = { ties = 'original' }"}, "permute",
    ),
    "order seed": ({"orders": "orders.random = {}"}, {"orders": "orders.random = { seed = 1 }"}, "permute"),
    "policy": ({}, {"top": "policies = { roots = 'skip' }"}, "permute"),
    "profile": ({}, {"top": "profile = 'lal'"}, "permute"),
    "length of an arc": ({}, {"top": "policies = { length = 'span' }"}, "measure"),
    "unit": ({}, {"top": "policies = { unit = 'bits' }"}, "measure"),
    "measures": ({}, {"top": "measures = ['omega']"}, "measure"),
    "parser": (
        {"parsers": "parsers.x = { parser = 'left' }"}, {"parsers": "parsers.x = { parser = 'right' }"}, "train",
    ),
    "setting": (
        {"parsers": "parsers.biaffine = {}"}, {"parsers": "parsers.biaffine = { settings = { epochs = 2 } }"}, "train",
    ),
    "device": ({"parsers": "parsers.left = {}"}, {"parsers": "parsers.left = { device = 'cuda' }"}, "train"),
    "convention": ({}, {"top": "convention = 'no-punct'"}, "evaluate"),
}  # fmt: skip


@pytest.mark.parametrize("name", CHANGES)
def test_keys_change_with(name, tmp_path: Path):
    before, after, first = CHANGES[name]
    old, new = keys(write_study(tmp_path, **before)), keys(write_study(tmp_path, **after))
    assert changed(old, new) == AFTER[first]


@pytest.mark.parametrize("name", ["train", "dev", "test"])
def test_keys_change_with_the_bytes_of_each_file(name, tmp_path: Path):
    path = write_study(tmp_path)
    before = keys(path)
    add_a_comment(tmp_path / f"{name}.conllu")
    assert changed(before, keys(path)) == ALL


def test_keys_change_with_which_file_is_which(tmp_path: Path):
    swapped = TREEBANK.replace("dev.conllu", "x").replace("test.conllu", "dev.conllu").replace('"x"', '"test.conllu"')
    assert changed(keys(write_study(tmp_path)), keys(write_study(tmp_path, treebanks=swapped))) == ALL


def test_keys_change_with_the_seed_of_a_training(tmp_path: Path):
    before, after = (keys(write_study(tmp_path, top=f"seeds = [{seed}]")) for seed in (1, 2))
    after = {name.removesuffix("2") + "1" if name.endswith(".2") else name: key for name, key in after.items()}
    assert changed(before, after) == AFTER["train"]


WORD = b"1\ta\t_\tX\t_\t_\t0\troot\t_\t_\n\n"
FILES = {
    "grammar": ("orders.x = { mode = 'grammar', weights = 'f' }", b"default = 1\n"),
    "fixed": ("orders.x = { mode = 'fixed', sigma = 'f' }", b"2 1\n"),
    "like": ("orders.x = { mode = 'like', treebank = 'f' }", WORD),
    "learn_from": ("orders.x = { mode = 'majority', learn_from = 'f' }", WORD),
    "mixture of grammar": ("orders.x = { mode = 'mixture', of = 'grammar:weights=f' }", b"default = 1\n"),
    "mixture of like": ("orders.x = { mode = 'mixture', of = 'like:treebank=f' }", WORD),
}  # fmt: skip


@pytest.mark.parametrize("name", FILES)
def test_keys_change_with_the_bytes_of_an_option_s_file_wherever_it_is(name, tmp_path: Path):
    orders, content = FILES[name]
    found = []
    for folder, data in (("a", content), ("b", content), ("b", b"# more\n" + content.replace(b"2 1", b"1 2"))):
        (tmp_path / folder).mkdir(exist_ok=True)
        (tmp_path / folder / "f").write_bytes(data if name != "fixed" else data.removeprefix(b"# more\n"))
        found.append(keys(write_study(tmp_path / folder, orders=orders)))
    assert found[0] == found[1]
    assert changed(found[1], found[2]) == ALL


def test_keys_change_with_the_bytes_of_a_setting_s_file_wherever_it_is(tmp_path: Path):
    parsers = "parsers.biaffine = { settings = { vectors = 'FILE' } }"
    found = []
    for folder, name, data in (("a", "v", b"1 2\n"), ("b", "w", b"1 2\n"), ("b", "w", b"1 3\n")):
        path = write_study(tmp_path / folder, parsers=parsers.replace("FILE", name))
        (tmp_path / folder / name).write_bytes(data)
        found.append(keys(path))
    without = keys(write_study(tmp_path / "a", parsers="parsers.biaffine = {}"))
    assert found[0] == found[1]
    assert changed(found[1], found[2]) == AFTER["train"]
    assert changed(found[0], without) == AFTER["train"]


def test_keys_change_with_the_version_of_a_library(tmp_path: Path):
    """Of one that the parser names; a faked installation comes first on the path of another process."""
    path = write_study(tmp_path, parsers="parsers.biaffine = {}")
    code = "from studies import cells_of; import json, pathlib, sys; "
    code += "print(json.dumps({n: c.key for n, c in cells_of(pathlib.Path(sys.argv[1])).items()}))"
    found = []
    for name, version in (("torch", "1.0"), ("torch", "99.0"), ("numpy", "99.0")):
        about = tmp_path / f"{name}{version}" / f"{name}-{version}.dist-info"
        about.mkdir(parents=True)
        (about / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n", encoding="utf-8")
        code_with_path = f"import sys; sys.path[:0] = {[str(about.parent), *sys.path]!r}; {code}"
        done = subprocess.run([sys.executable, "-c", code_with_path, str(path)], capture_output=True, check=True)
        found.append(json.loads(done.stdout))
    assert changed(found[0], found[1]) == AFTER["train"]
    assert found[2] == keys(path)  # the same in another process


def test_names_don_t_matter(tmp_path: Path):
    """Those of entries and files, their place in the file, and what is only shown."""
    before = sorted(keys(write_study(tmp_path, top="measures = ['omega']")).values())
    other = tmp_path / "other"
    top = "question = 'Why?'\nfolder = 'data'\npairs = []\nmeasures = ['omega', 'dlm_ratio']"
    treebanks = "treebanks.else = { test = 'c', dev = 'b', train = ['a'], language = 'Fluvi', optional = true }"
    orders = "orders.m = { mode = 'majority' }\norders.o = { mode = 'original', seed = 3 }"
    parsers = "parsers.r = { parser = 'random-tree' }\nparsers.l = { parser = 'left', preset = 'small' }"
    path = write_study(other, top, treebanks, orders, parsers)
    (other / "data").mkdir()
    for name, new in (("train", "a"), ("dev", "b"), ("test", "c")):
        (other / f"{name}.conllu").rename(other / "data" / new)
    assert sorted(keys(path).values()) == before


def test_defaults_that_are_written_out_don_t_matter(tmp_path: Path):
    """The order is then computed once, under whichever name."""
    orders = "orders.rb = {}\norders.right = { mode = 'rb', siblings = ['original', 'shortest-nearest'] }"
    found = keys(write_study(tmp_path, orders=orders))
    short, other = (f"permute fluvi.right-siblings={name}" for name in ("shortest-nearest", "original"))
    assert found["permute fluvi.rb"] == found[short] != found[other]
    _, store, summary = computed(write_study(tmp_path, orders=orders), tmp_path / "results")
    n_orders = 2
    assert summary.computed == n_orders * (2 + 2 * 3)
    assert not summary.failed


def test_keys_differ_within_a_study(tmp_path: Path):
    top = "seeds = [1, 2]"
    found = keys(write_study(tmp_path, top, orders=f"{ORDERS}\norders.lb = {{}}"))
    assert len(found) == len(set(found.values())) == 3 * (2 + 2 * 2 * 3)


# -- the grid --------------------------------------------------------------------------------------------------------


def test_cells_come_after_those_they_need(tmp_path: Path):
    cells = grid_of(read_study(write_study(tmp_path))).cells
    assert len(cells) == N_CELLS
    for number, cell in enumerate(cells):
        assert all(one in cells[:number] for one in cell.inputs.values())


ONLY = {
    ("measure",): {"permute": 2, "measure": 2},
    ("permute", "measure"): {"permute": 2, "measure": 2},
    ("train",): {"permute": 2, "train": 4},
    ("left",): {"permute": 2, "train": 2, "predict": 2, "evaluate": 2},
    ("fluvi.majority",): {"permute": 1, "measure": 1},
    ("fluvi.majority*",): {"permute": 1, "measure": 1, "train": 2, "predict": 2, "evaluate": 2},
    ("*.majority.left.*",): {"permute": 1, "train": 1, "predict": 1, "evaluate": 1},
    ("maj*",): {"permute": 1, "measure": 1, "train": 2, "predict": 2, "evaluate": 2},
    ("fluvi",): {"permute": 2, "measure": 2, "train": 4, "predict": 4, "evaluate": 4},
}


@pytest.mark.parametrize("patterns", ONLY, ids=" ".join)
def test_only(patterns, tmp_path: Path):
    chosen = grid_of(read_study(write_study(tmp_path))).chosen(patterns)
    assert {kind: n for kind in KINDS if (n := sum(cell.kind == kind for cell in chosen))} == ONLY[patterns]
    for number, cell in enumerate(chosen):
        assert all(one in chosen[:number] for one in cell.inputs.values())


def test_only_what_there_is(tmp_path: Path):
    gone = "treebanks.gone = { train = 'no.conllu', test = 'test.conllu', optional = true }"
    grid = grid_of(read_study(write_study(tmp_path, treebanks=f"{TREEBANK}\n{gone}")))
    with pytest.raises(UsageError, match=r"^--only 'lefts' fits no cell; did you mean 'left'\?$"):
        grid.chosen(["measure", "lefts"])
    with pytest.raises(UsageError, match=r"^--only 'go\*' fits no cell: .*/no\.conllu: No such file or directory$"):
        grid.chosen(["go*"])


# -- plan ------------------------------------------------------------------------------------------------------------


def test_plan(tmp_path: Path):
    gone = "treebanks.gone = { train = 'no.conllu', test = 'test.conllu' }"
    path = write_study(tmp_path, treebanks=f"{TREEBANK}\n{gone}")
    folder = tmp_path / "results"
    computed(path, folder, ["*.original", "fluvi.original.left*"])
    (folder / "log.jsonl").unlink()
    before = {one: one.stat().st_mtime_ns for one in folder.rglob("*")}
    done = permtree("plan", path, "-o", folder, status=1)
    assert done.out.decode().splitlines()[:-1] == [
        "treebank    order     permute    measure    train    predict    evaluate",
        "----------  --------  ---------  ---------  -------  ---------  ----------",
        "fluvi       original  1/1        1/1        1/2      1/2        1/2",
        "fluvi       majority  0/1        0/1        0/2      0/2        0/2",
        "",
        "treebank    part      sentences kept    words kept    sentences    words    also in training",
        "----------  ------  ----------------  ------------  -----------  -------  ------------------",
        "fluvi       train                 40           418           40      418                   0",
        "fluvi       dev                   10           119           10      119                   0",
        "fluvi       test                  10            76           10       76                   0",
        "",
        f"5 cells done, 11 to compute, in {folder}",
    ]
    assert done.out.decode().splitlines()[-1].startswith("study|treebanks:2|orders:2|parsers:2|seeds:0|profile:")
    assert done.lines == [
        f"left out: treebank gone: {tmp_path}/no.conllu: No such file or directory",
        f"treebanks are looked for in {tmp_path}; name another folder with --treebanks",
    ]
    assert {one: one.stat().st_mtime_ns for one in folder.rglob("*")} == before  # nothing is written
    only = permtree("plan", path, "-o", folder, "--only", "measure", status=1).out.decode().splitlines()
    assert only[2:4] == [
        "fluvi       original  1/1        1/1        -        -          -",
        "fluvi       majority  0/1        0/1        -        -          -",
    ]
    assert only[-2] == f"2 cells done, 2 to compute, in {folder}"


def test_plan_of_nothing(tmp_path: Path):
    """An optional treebank that is missing, and no other."""
    treebanks = "treebanks.gone = { train = 'no.conllu', test = 'test.conllu', optional = true }"
    path = write_study(tmp_path, treebanks=treebanks)
    done = permtree("plan", path, cwd=tmp_path)
    assert done.out.decode().splitlines()[0] == "0 cells done, 0 to compute, in study.results"
    assert done.lines == [f"left out: treebank gone: {tmp_path}/no.conllu: No such file or directory"]
    assert not (tmp_path / "study.results").exists()


def test_another_folder_of_treebanks(tmp_path: Path):
    path = write_study(tmp_path / "data")
    elsewhere = tmp_path / "study.toml"
    path.rename(elsewhere)
    assert permtree("plan", elsewhere, cwd=tmp_path, status=1).lines
    assert not permtree("plan", elsewhere, "--treebanks", tmp_path / "data", cwd=tmp_path).lines
