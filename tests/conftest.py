"""Where tests find real treebanks: a folder `shared` beside the checkout. Without it, tests of them are skipped.
And `--renew`, which writes pages again instead of comparing them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest
from every_mode import learnt_once
from hypothesis import settings
from pages import Pages
from places import SHARED

from permtree.permuting import Permutation

LONG = {"chain1500"}  # trees of so many words take seconds in some modes
QUICK = {"it_partut-ud-dev", "fi_tdt-ud-test", "la_cicero.test", "got_proiel-ud-dev"}  # of the real treebanks

settings.register_profile("quick", deadline=None, max_examples=8)
settings.register_profile("thorough", deadline=None, max_examples=50)  # of tests/run_all.py
settings.load_profile("quick")


def pytest_addoption(parser: pytest.Parser) -> None:
    """--renew."""
    parser.addoption("--renew", action="store_true", help="write into documentation pages what their commands print")


@pytest.fixture(scope="session", autouse=True)
def _rules_are_learnt_once() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Permutation, "learnt", learnt_once)
        yield


@pytest.fixture(scope="session")
def pages(request: pytest.FixtureRequest) -> Pages:
    """The pages of the documentation, to be held against what happens."""
    return Pages(request.config.getoption("--renew"))


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder with treebanks, small cases and reference values."""
    if not SHARED.is_dir():
        pytest.skip(_why_not())
    return SHARED


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """A test that asks for `case_path` runs once per small case, for `treebank_path` once per real treebank file."""
    if "case_path" in metafunc.fixturenames:
        _one_test_per_file(metafunc, "case_path", SHARED.glob("cases/*.conllu"), LONG)
    if "treebank_path" in metafunc.fixturenames:
        paths = sorted(SHARED.glob("treebanks/*/*.conll*"))
        _one_test_per_file(metafunc, "treebank_path", paths, {path.stem for path in paths} - QUICK)


def _one_test_per_file(metafunc: pytest.Metafunc, name: str, paths: Iterable[Path], long: set[str]) -> None:
    found = [
        pytest.param(path, id=path.stem, marks=[pytest.mark.long] if path.stem in long else [])
        for path in sorted(paths)
    ]
    nothing = pytest.param(None, marks=pytest.mark.skip(reason=_why_not()))
    metafunc.parametrize(name, found or [nothing])


def _why_not() -> str:
    return f"no folder {SHARED.name} beside the checkout: no treebanks to test with"
