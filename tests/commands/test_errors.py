"""Errors on the command line: one line that says where and what, the right exit status, and nothing half-written."""

from __future__ import annotations

import gzip
import io

import pytest
from commandline import big, files_in, permtree, sentence
from places import SAMPLE
from speed import first_is_quick

GOOD = sentence("good", 2, 0, 2)
CYCLE = sentence("cycle", 0, 3, 2)
NINE = b"# sent_id = nine\n1\ta\t_\tX\t_\t_\t0\troot\t_\n\n"
FAULTS = {
    "not a tree": (GOOD + CYCLE, "<stdin>:8: not a tree: words 2, 3 head each other in a circle (sentence cycle)"),
    "wrong columns": (GOOD + NINE, "<stdin>:7: 9 columns instead of 10 (sentence nine)"),
}
COMMANDS = {
    "permute": ["permute", "--mode", "optdl"],
    "permute with processes": ["permute", "--mode", "random", "--jobs", "2"],
    "measure": ["measure"],
}


@pytest.mark.parametrize("command", COMMANDS.values(), ids=COMMANDS.keys())
@pytest.mark.parametrize(("data", "message"), FAULTS.values(), ids=FAULTS.keys())
def test_bad_data_is_one_line_and_no_output(command, data, message):
    done = permtree(*command, stdin=data, status=3)
    assert (done.lines, done.out) == ([message], b"")


@pytest.mark.parametrize(
    "command",
    [
        ["verify", "bad", "good"],
        ["verify", "good", "bad"],
        ["split", "bad", "-o", "part"],
    ],
    ids=" ".join,
)
def test_other_commands_and_bad_data(tmp_path, command):
    (tmp_path / "good").write_bytes(GOOD)
    (tmp_path / "bad").write_bytes(GOOD + NINE)
    done = permtree(*command, cwd=tmp_path, status=3)
    assert (done.lines, done.out) == (["bad:7: 9 columns instead of 10 (sentence nine)"], b"")
    assert files_in(tmp_path) == ["bad", "good"]


def test_inverting_bad_data():
    permuted = permtree("permute", "--mode", "reverse", stdin=GOOD).out
    done = permtree("invert", stdin=permuted + NINE, status=3)
    line = permuted.count(b"\n") + 2
    assert (done.lines, done.out) == ([f"<stdin>:{line}: 9 columns instead of 10 (sentence nine)"], b"")


def test_what_was_not_permuted_can_not_be_inverted():
    done = permtree("invert", stdin=b"\n" + GOOD, status=3)
    assert done.lines == [
        "<stdin>:2: no '# permtree =' comment: not permuted by permtree, nothing to invert (sentence good)"
    ]
    assert done.out == b""


def test_what_was_edited_since_can_not_be_inverted():
    permuted = permtree("permute", "--mode", "reverse", stdin=GOOD).out
    assert permuted.count(b"Orig=3") == 1
    done = permtree("invert", stdin=permuted.replace(b"Orig=3", b"Orig=2"), status=3)
    assert len(done.lines) == 1
    assert done.lines[0].endswith("edited since it was permuted? (sentence good)")
    assert done.out == b""


@pytest.mark.parametrize("jobs", first_is_quick(["2", "1"]))
@pytest.mark.parametrize("bad", first_is_quick([CYCLE, NINE]), ids=["not a tree", "wrong columns"])
def test_a_fault_in_the_last_sentence_of_a_big_input(tmp_path, bad, jobs):
    data = big() + bad
    done = permtree("permute", "--mode", "reverse", "--jobs", jobs, stdin=data, status=3)
    assert done.out == b""
    assert len(done.lines) == 1
    line = data[: data.rindex(b"# sent_id")].count(b"\n") + (3 if bad is CYCLE else 2)
    assert done.lines[0].startswith(f"<stdin>:{line}: ")
    (tmp_path / "out").write_bytes(b"old")
    permtree("permute", "--mode", "reverse", "--jobs", jobs, "-o", tmp_path / "out", stdin=data, status=3)
    assert files_in(tmp_path) == ["out"]
    assert (tmp_path / "out").read_bytes() == b"old"


def test_the_file_with_the_fault_is_named(tmp_path):
    (tmp_path / "one").write_bytes(GOOD)
    (tmp_path / "two").write_bytes(GOOD + CYCLE)
    done = permtree("permute", "--mode", "lb", "one", "two", cwd=tmp_path, status=3)
    assert done.lines == ["two:8: not a tree: words 2, 3 head each other in a circle (sentence cycle)"]


@pytest.mark.parametrize("command", [*COMMANDS.values(), ["invert"]], ids=[*COMMANDS, "invert"])
def test_a_damaged_compressed_file(tmp_path, command):
    (tmp_path / "f.gz").write_bytes(gzip.compress(GOOD)[:-9])
    done = permtree(*command, tmp_path / "f.gz", status=3)
    assert len(done.lines) == 1
    assert done.lines[0].startswith(f"{tmp_path / 'f.gz'}:")
    assert done.out == b""


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_skip_errors_leaves_out_lists_and_counts(jobs):
    data = GOOD + CYCLE + NINE + sentence("fine", 2, 0)
    done = permtree("permute", "--mode", "rb", "--skip-errors", "--jobs", jobs, stdin=data)
    assert done.out == permtree("permute", "--mode", "rb", stdin=GOOD + sentence("fine", 2, 0)).out
    assert sorted(line for line in done.lines if line.startswith("skipped: ")) == [
        "skipped: <stdin>:12: 9 columns instead of 10 (sentence nine)",
        "skipped: <stdin>:8: not a tree: words 2, 3 head each other in a circle (sentence cycle)",
    ]
    assert "left out: 1 sentences: unreadable" in done.lines
    assert "left out: 1 sentences: not a tree" in done.lines


@pytest.mark.parametrize("bad", [GOOD.replace(b"\n", b"\r"), b"# sent_id = \xff\n\n", b"# a\rb\n\n", b"# \0\n\n"])
def test_skip_errors_counts_what_can_not_be_told_to_hold_words(bad):
    """Lines that end in carriage returns alone are one comment to the reader."""
    done = permtree("permute", "--mode", "rb", "--skip-errors", stdin=GOOD + bad)
    assert done.out == permtree("permute", "--mode", "rb", stdin=GOOD).out
    assert "left out: 1 sentences: unreadable" in done.lines
    assert sum(line.startswith("skipped: <stdin>:") for line in done.lines) == 1
    assert permtree("permute", "--mode", "rb", stdin=GOOD + bad, status=3).out == b""


@pytest.mark.parametrize("gap", [b"\n", b"\n\n", b"\n\n\n", b"\n# loose\n\n\n"])
@pytest.mark.parametrize("size", [1, 7, 60])
def test_what_is_skipped_leaves_the_same_bytes_in_pieces(monkeypatch, tmp_path, gap, size):
    from permtree.conllu import files
    from permtree.permuting import Permutation, permute_files

    whole = b"".join([GOOD, gap, NINE, gap, NINE, sentence("fine", 2, 0), gap, NINE, gap])
    (tmp_path / "f").write_bytes(whole)
    results = []
    read = files.pieces
    for piece_size in (1 << 20, size):
        monkeypatch.setattr("permtree.parallel.pieces.pieces", lambda path, warn, n=piece_size: read(path, warn, n))
        out = io.BytesIO()
        report = permute_files([str(tmp_path / "f")], Permutation("rb"), out, print, skip_errors=True)
        results.append((out.getvalue(), report.left_out["unreadable"]))
    assert results[0] == results[1]


def test_skip_errors_where_all_is_bad():
    done = permtree("permute", "--mode", "rb", "--skip-errors", stdin=NINE + CYCLE)
    assert done.out == b""
    assert any(line.endswith("wrote 0 sentences, 0 words") for line in done.lines)


def test_exit_status_of_findings(tmp_path):
    sample = SAMPLE / "rigan-test.conllu"
    permtree("check", sample, status=0)
    permtree("check", stdin=CYCLE, status=1)
    permtree("verify", sample, sample, status=0)
    permtree("verify", sample, SAMPLE / "rigan-dev.conllu", status=1)
