"""The validator of Universal Dependencies accepts, at level 2, every permutation of a treebank that it accepts."""

from __future__ import annotations

from pathlib import Path

import pytest
from every_mode import every_kind_of_mode
from places import SAMPLE
from speed import first_is_quick

from permtree import Treebank, permute

udtools = pytest.importorskip("udtools", reason="the validator of Universal Dependencies is not installed")
FILES = sorted(SAMPLE.glob("*.conllu"))
SENTENCES = 300
REAL = ["en_ewt", "fi_tdt", "fr_sequoia", "it_partut", "el_gdt", "tr_imst", "nl_alpino", "de_gsd", "got_proiel"]
WAYS = {
    "optdl": {"mode": "optdl"},
    "random": {"mode": "random", "seed": 4},
    "random-projective, ranges as units": {"mode": "random-projective", "mwt": "unit"},
    "reverse, ranges as units": {"mode": "reverse", "mwt": "unit"},
    "lb, punctuation stripped": {"mode": "lb", "punct": "strip"},
    "original, punctuation stripped": {"mode": "original", "punct": "strip"},
    "random-same-side, final punctuation stays": {"mode": "random-same-side", "punct": "final"},
    "rb as in the paper": {"mode": "rb", "profile": "gulordava-merlo-2016"},
}


def assert_valid(path: Path) -> None:
    result = udtools.Validator(lang="ud", level=2).validate_files([str(path)])
    assert result.passed(), "\n".join(str(result).splitlines()[:5])


def beginning(path: Path) -> bytes:
    """The first sentences of a file."""
    return b"\n\n".join(path.read_bytes().split(b"\n\n")[:SENTENCES]).rstrip(b"\n") + b"\n\n"


@pytest.mark.parametrize("path", first_is_quick(FILES, quick=2), ids=lambda path: path.stem)
def test_the_sample_is_valid(path):
    assert_valid(path)


@every_kind_of_mode
def test_every_mode(tmp_path, mode, options):
    permute(Treebank.read(str(SAMPLE / "fluvi-test.conllu")), mode, **options).write(str(tmp_path / "permuted"))
    assert_valid(tmp_path / "permuted")


@pytest.mark.long
@pytest.mark.parametrize("how", WAYS.values(), ids=WAYS.keys())
def test_policies(tmp_path, how):
    treebank = Treebank.read(str(SAMPLE / "medol-dev.conllu"))
    once = permute(treebank, **how)
    for permuted in (once, permute(once, "random-projective")):
        permuted.write(str(tmp_path / "permuted"))
        assert_valid(tmp_path / "permuted")


@pytest.fixture(scope="module", params=REAL)
def real_treebank(request, shared, tmp_path_factory):
    """The first sentences of a treebank, which are valid."""
    (path,) = shared.glob(f"treebanks/{request.param}/*-ud-dev.conllu")
    original = tmp_path_factory.mktemp("real") / path.name
    original.write_bytes(beginning(path))
    assert_valid(original)
    return Treebank.read(str(original))


@pytest.mark.long
@pytest.mark.parametrize("how", WAYS.values(), ids=WAYS.keys())
def test_real_treebanks(tmp_path, real_treebank, how):
    permute(real_treebank, **how).write(str(tmp_path / "permuted"))
    assert_valid(tmp_path / "permuted")
