"""A wrong word on the command line: exit status 2, and the error names the right one."""

from __future__ import annotations

import re

import pytest
from commandline import files_in, permtree, sentence
from places import SAMPLE

from permtree.cli import COMMANDS

GOOD = sentence("a", 2, 0, 2)

ONE_LINE = {
    "mode": (["permute", "--mode", "optdll"], "no mode named 'optdll'; did you mean 'optdl'?"),
    "mode unlike any": (["permute", "--mode", "zzz"], "no mode named 'zzz'; known: fixed, fong-berwick, grammar, lb, "),
    "value of a mode's option": (
        ["permute", "--mode", "optdl", "--ties", "orignal"],
        "--ties 'orignal'; did you mean 'original'?",
    ),
    "profile to permute": (
        ["permute", "--mode", "lb", "--profile", "gulordava-merlo"],
        "no profile named 'gulordava-merlo'; did you mean 'gulordava-merlo-2016'?",
    ),
    "profile to measure": (
        ["measure", "--profile", "futrell"],
        "no profile named 'futrell'; did you mean 'futrell-2015'?",
    ),
    "measure": (["measure", "--measure", "dlm_ration"], "no measure named 'dlm_ration'; did you mean 'dlm_ratio'?"),
    "no sigma": (["permute", "--mode", "fixed"], "mode 'fixed' needs --sigma FILE"),
    "sigma that is no file": (["permute", "--mode", "fixed", "--sigma", "nowhere"], "nowhere: No such file"),
    "ratio": (["split", "--ratio", "9/1", "-o", "x"], "--ratio '9/1': write two or more whole numbers"),
}
POINTS_TO_HELP = {
    "command": (["permutte"], "no command named 'permutte'; did you mean 'permute'?"),
    "option": (["permute", "--mode", "lb", "--sed", "3"], "--seed"),
    "option of another mode": (["permute", "--mode", "lb", "--ties", "random"], "mode 'lb' takes no --ties"),
    "policy": (["permute", "--mode", "lb", "--punct", "stirp"], "'strip'"),
    "grouping": (["measure", "--by", "sentences"], "'sentence'"),
    "format": (["measure", "--format", "jsn"], "'json'"),
    "length": (["measure", "--length", "spans"], "'span'"),
    "negative seed": (["permute", "--mode", "random", "--seed", "-1"], "--seed"),
    "no process": (["permute", "--mode", "random", "--jobs", "0"], "--jobs"),
    "no mode": (["permute"], "--mode"),
    "kind of cards": (["list", "measure"], "measures"),
}


@pytest.mark.parametrize(("arguments", "message"), ONE_LINE.values(), ids=ONE_LINE.keys())
def test_one_line(arguments, message):
    done = permtree(*arguments, stdin=GOOD, status=2)
    assert len(done.lines) == 1
    assert done.lines[0].startswith(message)
    assert done.out == b""


@pytest.mark.parametrize(("arguments", "message"), POINTS_TO_HELP.values(), ids=POINTS_TO_HELP.keys())
def test_one_line_that_points_to_the_help(arguments, message):
    done = permtree(*arguments, stdin=GOOD, status=2)
    (line,) = done.lines
    assert message in line
    assert re.search(r" \(see `permtree( \w+)? --help`\)$", line)
    assert done.out == b""


@pytest.mark.parametrize("arguments", [["permute", "--mode", "lb"], ["measure"], ["check"], ["invert"]], ids=str)
def test_a_missing_file_names_a_similar_one(arguments):
    done = permtree(*arguments, "rigan-tset.conllu", cwd=SAMPLE, status=2)
    assert done.lines == ["rigan-tset.conllu: no such file; did you mean rigan-test.conllu?"]


def test_a_missing_file_among_others_gives_no_output(tmp_path):
    (tmp_path / "there").write_bytes(GOOD)
    done = permtree("permute", "--mode", "lb", "there", "-o", "out", "absent", cwd=tmp_path, status=2)
    assert done.lines == ["absent: no such file"]
    assert files_in(tmp_path) == ["there"]


def test_an_output_in_a_missing_folder(tmp_path):
    for arguments in (["permute", "--mode", "lb"], ["invert"]):
        done = permtree(*arguments, "-o", "absent/out", stdin=GOOD, cwd=tmp_path, status=2)
        assert done.lines == ["absent/out: No such file or directory"]
    done = permtree("split", "-o", "absent/out", stdin=GOOD * 10, cwd=tmp_path, status=2)
    assert len(done.lines) == 1
    assert done.lines[0].startswith("absent/out.train.conllu: ")
    assert files_in(tmp_path) == []


def test_a_folder_is_no_output_and_no_input(tmp_path):
    done = permtree("permute", "--mode", "lb", "-o", tmp_path, stdin=GOOD, status=2)
    assert done.lines == [f"{tmp_path}: is a folder; name a file"]
    assert len(permtree("measure", tmp_path, status=2).lines) == 1


@pytest.mark.parametrize("command", ["", *COMMANDS])
def test_help(command):
    """On standard output."""
    done = permtree(*command.split(), "--help")
    assert done.err == ""
    assert done.out.startswith(b"Usage: permtree")


def test_version():
    assert permtree("--version").out.startswith(b"permtree, version ")
