"""A command that is run from Python has streams of its own, and leaves nothing behind in the process."""

from __future__ import annotations

import io
import os
import signal
import sys

import pytest
from commandline import files_in, permtree, sentence

from permtree import cli

DATA = sentence("a", 2, 0, 2)


class Full(io.RawIOBase):
    """What takes nothing: a pipe that nobody reads."""

    def writable(self) -> bool:
        return True

    def write(self, data) -> int:
        raise BrokenPipeError


def test_streams_are_those_that_are_given(capfdbinary):
    before = (sys.stdin, sys.stdout, sys.stderr)
    out, err = io.BytesIO(), io.BytesIO()
    assert cli.run(["permute", "--mode", "reverse"], io.BytesIO(DATA), out, err) == 0
    assert out.getvalue().startswith(b"# sent_id = a\n") and b"Orig=3" in out.getvalue()
    assert err.getvalue().startswith(b"read 1 sentences, 3 words; ")
    assert (sys.stdin, sys.stdout, sys.stderr) == before
    assert capfdbinary.readouterr() == (b"", b"")


def test_streams_stay_open_and_can_be_used_again():
    source, out, err = io.BytesIO(DATA), io.BytesIO(), io.BytesIO()
    for _ in range(2):
        source.seek(0)
        assert cli.run(["permute", "--quiet", "--mode", "original"], source, out, err) == 0
    first, second = out.getvalue().split(b"# sent_id")[1:]
    assert first == second
    assert not (source.closed or out.closed or err.closed)


def test_only_what_is_given_is_replaced(capfdbinary):
    assert cli.run(["check", "-"], stdin=io.BytesIO(DATA)) == 0
    assert capfdbinary.readouterr() == (b"", b"0 errors, 0 warnings\n")


@pytest.mark.parametrize(
    ("arguments", "status"),
    [(["check"], 0), (["check", "--nonsense"], 2), (["measure", "nowhere.conllu"], 2), (["--version"], 0), ([], 2)],
)
def test_as_in_a_process_of_its_own(arguments, status):
    here, there = (permtree(*arguments, stdin=DATA, status=status, process=process) for process in (False, True))
    assert (here.out, here.err) == (there.out, there.err)


def test_a_reader_that_is_gone_is_no_error():
    err = io.BytesIO()
    assert cli.run(["list"], stdout=Full(), stderr=err) == 0
    assert err.getvalue() == b""
    assert os.write(sys.stdout.fileno(), b"") == 0


def test_an_interruption_ends_the_command_alone(monkeypatch):
    class Interrupted(io.BytesIO):
        def read(self, size=-1):
            raise KeyboardInterrupt

    err = io.BytesIO()
    assert cli.run(["measure"], Interrupted(), io.BytesIO(), err) == 130
    assert err.getvalue() == b"interrupted\n"


def test_nothing_is_left_behind(tmp_path):
    (tmp_path / "a.conllu").write_bytes(DATA)

    def state():
        return os.getcwd(), dict(os.environ), signal.getsignal(signal.SIGTERM), signal.getsignal(signal.SIGINT)

    before = state()
    permtree("permute", "--mode", "lb", "a.conllu", "-o", "b.conllu", cwd=tmp_path)
    permtree("permute", "--mode", "nonsense", "a.conllu", cwd=tmp_path, status=2)
    assert state() == before
    assert files_in(tmp_path) == ["a.conllu", "b.conllu"]
