"""The sample treebanks are what their generator writes, and what they are said to be."""

from __future__ import annotations

import subprocess
import sys

import pytest
from commandline import files_in
from places import SAMPLE

from permtree import Treebank, measure

LANGUAGES = ("rigan", "medol", "fluvi")  # from fixed to free word order
SIZES = {"train": 800, "dev": 100, "test": 100}


@pytest.fixture(scope="module")
def entropy() -> dict[str, float]:
    name = "arc_direction_entropy"
    return {each: measure(Treebank.read(str(SAMPLE / f"{each}-train.conllu")), name)[name].value for each in LANGUAGES}


@pytest.mark.long
def test_the_generator_writes_the_committed_files(tmp_path):
    subprocess.run([sys.executable, SAMPLE / "generate.py", "--to", tmp_path / "new"], check=True)
    committed = sorted(path.name for path in SAMPLE.glob("*.conllu"))
    assert files_in(tmp_path / "new") == committed
    for name in committed:
        assert (tmp_path / "new" / name).read_bytes() == (SAMPLE / name).read_bytes(), name


@pytest.mark.long
def test_the_generator_does_not_depend_on_the_hash_seed(tmp_path):
    for seed in ("1", "2"):
        command = [sys.executable, SAMPLE / "generate.py", "--to", tmp_path / seed]
        subprocess.run(command, check=True, env={"PYTHONHASHSEED": seed})
    for name in files_in(tmp_path / "1"):
        assert (tmp_path / "1" / name).read_bytes() == (tmp_path / "2" / name).read_bytes(), name


@pytest.mark.parametrize("language", LANGUAGES)
def test_sizes_and_ids(language):
    names = []
    for part, size in SIZES.items():
        treebank = Treebank.read(str(SAMPLE / f"{language}-{part}.conllu"))
        assert treebank.n_sentences == size
        assert (treebank.n_roots == 1).all()
        names += treebank.sent_ids
    assert len(set(names)) == len(names) == sum(SIZES.values())


def test_languages_differ_in_freedom(entropy):
    assert entropy["rigan"] < 0.1 < entropy["medol"] < 0.3 < entropy["fluvi"]
