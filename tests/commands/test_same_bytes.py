"""The same sentence gets the same result: run again, in more processes, in another file, in a part of it."""

from __future__ import annotations

import pytest
from commandline import SAMPLE, big, permtree
from every_mode import every_mode
from reordering import conllu

FLUVI = SAMPLE / "fluvi-train.conllu"
MEDOL = SAMPLE / "medol-dev.conllu"
RANDOM = ["random", "random-projective", "random-same-side"]


def permute(mode: str, *arguments, options: dict[str, object] | None = None, stdin: bytes = b"", folder=None) -> bytes:
    given = []
    for name, value in (options or {}).items():
        if name == "sigma":
            (folder / "sigma").write_text(" ".join(map(str, value)))
            value = folder / "sigma"
        given += [f"--{name}", value]
    return permtree("permute", "--quiet", "--mode", mode, *given, *arguments, stdin=stdin).out


@every_mode
def test_two_halves_joined_are_the_whole(tmp_path, mode, options):
    sentences = MEDOL.read_bytes().split(b"\n\n")[:-1]
    halves = [b"\n\n".join(part) + b"\n\n" for part in (sentences[:37], sentences[37:])]
    whole = permute(mode, MEDOL, options=options, folder=tmp_path)
    assert b"".join(permute(mode, options=options, stdin=half, folder=tmp_path) for half in halves) == whole


@pytest.fixture(scope="module")
def several_pieces():
    return big(30000)


@pytest.mark.parametrize("mode", ["random", "optdl"])
def test_number_of_processes(several_pieces, mode):
    one, two = (permute(mode, "--jobs", jobs, stdin=several_pieces) for jobs in (1, 2))
    assert one == two
    assert one.count(b"# sent_id") == 30000


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
