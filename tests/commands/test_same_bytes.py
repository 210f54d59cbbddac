"""The same sentence gets the same result: run again, in more processes, in another file, in a part of it."""

from __future__ import annotations

import pickle

import pytest
from commandline import big, permtree
from every_mode import every_mode_that_learns_is_long
from places import SAMPLE
from reordering import conllu
from speed import first_is_quick

from permtree import Policies, Treebank
from permtree.permuters import PERMUTERS
from permtree.permuting import Permutation, permute_bytes

FLUVI = SAMPLE / "fluvi-train.conllu"
MEDOL = SAMPLE / "medol-dev.conllu"
RANDOM = ["random", "random-projective", "random-same-side"]


def permute(mode: str, *arguments, stdin: bytes = b"") -> bytes:
    return permtree("permute", "--quiet", "--mode", mode, *arguments, stdin=stdin).out


def halves(path) -> list[bytes]:
    sentences = path.read_bytes().split(b"\n\n")[:-1]
    return [b"\n\n".join(part) + b"\n\n" for part in (sentences[:37], sentences[37:])]


@every_mode_that_learns_is_long
def test_two_halves_joined_are_the_whole(mode, options):
    permutation = Permutation(mode, 0, Policies(), tuple(options.items()))
    if permutation.needs_rule:  # what is learnt from the whole, the parts follow
        permutation = permutation.learnt(Treebank.read(str(MEDOL)))
    whole, *parts = (
        permute_bytes(Treebank.from_bytes(data), permutation)[0] for data in (MEDOL.read_bytes(), *halves(MEDOL))
    )
    assert b"".join(parts) == whole


@pytest.mark.parametrize("mode", ["random", "optdl"])
def test_two_halves_by_the_command_line(mode):
    assert b"".join(permute(mode, stdin=half) for half in halves(MEDOL)) == permute(mode, MEDOL)


@pytest.fixture(scope="module")
def several_pieces():
    return big()


@pytest.mark.parametrize("mode", first_is_quick(["random", "optdl"]))
def test_number_of_processes(several_pieces, mode):
    one, two = (permute(mode, "--jobs", jobs, stdin=several_pieces) for jobs in (1, 2))
    assert one == two
    assert one.count(b"# sent_id") == 16000


@every_mode_that_learns_is_long
def test_every_permutation_passes_to_another_process(mode, options):
    """Its options as they are read: modes within modes, grammars, treebanks."""
    permutation = Permutation(mode, 3, Policies(), PERMUTERS[mode].configured(options))
    if permutation.needs_rule:
        permutation = permutation.learnt(Treebank.read(str(MEDOL)))
    passed = pickle.loads(pickle.dumps(permutation))
    treebank = Treebank.read(str(MEDOL))
    assert permute_bytes(treebank, passed)[0] == permute_bytes(treebank, permutation)[0]


def test_number_of_processes_with_several_files():
    files = sorted(SAMPLE.glob("*-dev.conllu"))
    assert permute("random", "--jobs", 2, *files) == b"".join(permute("random", file) for file in files)


def test_report_does_not_depend_on_processes(several_pieces):
    one, two = (
        permtree("permute", "--mode", "rb", "--roots", "skip", "--jobs", jobs, stdin=several_pieces).err
        for jobs in (1, 2)
    )
    assert one == two


@pytest.mark.parametrize("mode", RANDOM)
def test_run_again(mode):
    assert permute(mode, MEDOL, "--seed", 3) == permute(mode, MEDOL, "--seed", 3)
    assert permute(mode, MEDOL) == permute(mode, MEDOL, "--seed", 0)
    assert permute(mode, MEDOL, "--seed", 3) != permute(mode, MEDOL, "--seed", 4)


@pytest.mark.parametrize("mode", RANDOM)
def test_order_of_sentences(mode):
    sentences = MEDOL.read_bytes().split(b"\n\n")[:-1]
    permuted = permute(mode, MEDOL).split(b"\n\n")[:-1]
    turned = permute(mode, stdin=b"\n\n".join(reversed(sentences)) + b"\n\n").split(b"\n\n")[:-1]
    assert turned == permuted[::-1]


def test_what_stands_around_a_sentence_does_not_matter():
    """Neither a policy that leaves out its neighbour nor one that is broken."""
    one = conllu("# sent_id = a", *(f"{n} w{n} _ X _ _ {n - 1} dep" for n in range(1, 9)), "")
    two_roots = conllu("# sent_id = b", "1 x _ X _ _ 0 root", "2 y _ X _ _ 0 root", "")
    alone = permute("random", "--roots", "skip", stdin=one)
    assert permute("random", "--roots", "skip", stdin=two_roots + one) == alone
    assert permute("random", "--roots", "skip", "--skip-errors", stdin=b"1\tx\n\n" + one) == alone


@pytest.mark.parametrize("mode", ["optdl", "random", "reverse"])
def test_permuting_and_inverting_by_the_command_line(tmp_path, mode):
    for path in (FLUVI, MEDOL):
        permtree("permute", "--mode", mode, path, "-o", tmp_path / "permuted")
        assert (tmp_path / "permuted").read_bytes() != path.read_bytes()
        assert permtree("invert", tmp_path / "permuted").out == path.read_bytes()
