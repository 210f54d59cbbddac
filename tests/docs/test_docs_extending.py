"""The pages on how to extend permtree: what they show is put where they say, and run."""

import shutil
import subprocess
import sys

import numpy as np
import pytest
from commandline import permtree
from pages import ROOT, files_shown, run

from permtree import Treebank
from permtree.kernels.linearize import linearize
from permtree.permuters import PERMUTERS, Request
from permtree.treebank import heads_of

WORD_ORDER, MEASURE, PARSER = "docs/add_a_word_order.md", "docs/add_a_measure.md", "docs/add_a_parser.md"
RIGAN = str(ROOT / "treebanks" / "rigan-test.conllu")
MEDOL = str(ROOT / "treebanks" / "medol-test.conllu")


def written(page, folder):
    """The files that a page shows, in a folder that also holds the sample treebanks."""
    (folder / "treebanks").symlink_to(ROOT / "treebanks")
    for name, content in files_shown(page).items():
        (folder / name).write_text(content, encoding="utf-8")
    return folder


def copy_of_permtree(page, folder):
    """permtree with the files of a page: a copy of the package, which `python -m permtree` runs in that folder."""
    shutil.copytree(ROOT / "permtree", folder / "permtree", ignore=shutil.ignore_patterns("__pycache__"))
    return written(page, folder)


def package(page, folder):
    """A package as a page shows it, with the metadata that an installation makes of its pyproject.toml."""
    pytest.importorskip("setuptools")
    made = "from setuptools import build_meta; build_meta.prepare_metadata_for_build_wheel('.')"
    subprocess.run([sys.executable, "-c", made], cwd=written(page, folder), check=True, capture_output=True)
    return folder


def of_words(path, *columns):
    """For each sentence, the heads and further columns of its words, 1-based."""
    treebank = Treebank.read(str(path))
    bounds = treebank.sentence_start.tolist()
    decoded = [getattr(treebank, name).decoded() for name in columns]
    for heads, begin, end in zip(heads_of(treebank), bounds[:-1], bounds[1:], strict=True):
        yield (heads, *(column[begin:end] for column in decoded))


@pytest.mark.long
def test_word_order_page(pages, tmp_path):
    commands = pages.are_screens(WORD_ORDER, copy_of_permtree(WORD_ORDER, tmp_path))
    assert any("permute --quiet --mode verb-last" in command for command in commands)
    for name, tag in (("verb-last", "VERB"), ("noun-last", "NOUN")):
        below = 0
        for heads, tags in of_words(tmp_path / f"{name}.conllu", "upos"):
            for word, head in enumerate(heads, 1):
                if head:
                    below += tags[head - 1] == tag
                    assert (word < head) == (tags[head - 1] == tag)
        assert below
    assert "verb-last" in run("permtree list modes", tmp_path)
    assert run("permtree invert --quiet verb-last.conllu", tmp_path).encode() == open(RIGAN, "rb").read()
    wrong = permtree("permute", "--mode", "verb-last", "--tag", "X", RIGAN, cwd=tmp_path, status=2, process=True)
    assert "takes no --tag" in wrong.err


def test_contributed_word_order_works():
    example = files_shown(WORD_ORDER)["permtree/permuters/verb_last.py"]
    example = example.replace("from ..", "from permtree.").replace("from . ", "from permtree.permuters ")
    try:
        exec(example, {})
        mode = PERMUTERS["verb-last"]
        treebank = Treebank.read(RIGAN)
        order = linearize(treebank, mode.function(treebank, Request(0, {})))
        position = np.argsort(order)
        below_verb = (treebank.head >= 0) & (treebank.upos.codes[treebank.head] == treebank.upos.code("VERB"))
        assert below_verb.any()
        assert (position[below_verb] < position[treebank.head[below_verb]]).all()
    finally:
        PERMUTERS._entries.pop("verb-last", None)


@pytest.mark.long
def test_measure_page(pages, tmp_path):
    commands = pages.are_screens(MEASURE, copy_of_permtree(MEASURE, tmp_path))
    assert any(command.startswith("permtree list measures") for command in commands)
    own = "permtree measure --format tsv --profile lal --measure adjacent_arcs --measure relation_side_entropy"
    lines = run(f"{own} treebanks/rigan-test.conllu", tmp_path).splitlines()
    value = {line.split("\t")[0]: float(line.split("\t")[1]) for line in lines[1:]}
    distances, sides = [], {}
    for heads, relations in of_words(RIGAN, "deprel"):
        if heads.count(0) == 1:
            for word, head in enumerate(heads, 1):
                if head:
                    distances.append(abs(word - head))
                    sides.setdefault(relations[word - 1], []).append(word > head)
    assert value["adjacent_arcs"] == pytest.approx(distances.count(1) / len(distances))
    entropy = 0.0
    for after in sides.values():
        for share in {np.mean(after), 1 - np.mean(after)} - {0.0, 1.0}:
            times = 2 if share == 0.5 else 1
            entropy -= times * len(after) / len(distances) * share * np.log2(share)
    assert value["relation_side_entropy"] == pytest.approx(entropy)


@pytest.mark.long
def test_parser_page(pages, tmp_path):
    commands = pages.are_screens(PARSER, package(PARSER, tmp_path))
    assert [command.split()[1] for command in commands] == ["list", "train", "parse", "evaluate"]
    for heads in heads_of(Treebank.read(str(tmp_path / "parsed.conllu"))):
        assert heads == [*range(2, len(heads) + 1), 0]


@pytest.mark.long
def test_settings_and_models_of_the_parser_page(tmp_path):
    folder = package(PARSER, tmp_path)
    train = ("train", "neighbour", "treebanks/medol-train.conllu")
    permtree(*train, "-o", "first", cwd=folder, process=True)
    permtree(*train, "-o", "second", "--preset", "head-final", "--set", "side=before", cwd=folder, process=True)
    wrong = permtree(*train, "-o", "third", "--set", "side=left", cwd=folder, status=2, process=True)
    assert "side = 'left'; did you mean 'learnt'?" in wrong.err
    assert "no such" not in permtree("parse", "second", MEDOL, "-o", "parsed.conllu", cwd=folder, process=True).err
    for heads in heads_of(Treebank.read(str(folder / "parsed.conllu"))):
        assert heads == list(range(len(heads)))
    (folder / "second" / "neighbour.json").write_text("{}")
    damaged = permtree("parse", "second", MEDOL, "-o", "again.conllu", cwd=folder, status=2, process=True)
    assert "second/neighbour.json: damaged" in damaged.err


def test_pages_are_linked():
    contributing = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    assert all(f"({page})" in contributing for page in (WORD_ORDER, MEASURE, PARSER))
