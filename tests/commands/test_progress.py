"""Long work shows how far it is, where standard error is a terminal, and nowhere else."""

import os
import sys

import pytest
from commandline import permtree, sentence

pty = pytest.importorskip("pty", reason="no pseudo-terminals here")


def in_terminal(*arguments: str) -> bytes:
    """What a command prints in a terminal of 100 columns."""
    import fcntl
    import struct
    import termios

    parent, child = pty.openpty()
    fcntl.ioctl(child, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 100, 0, 0))
    pid = os.posix_spawn(
        sys.executable,
        [sys.executable, "-m", "permtree", *arguments],
        os.environ,
        file_actions=[(os.POSIX_SPAWN_DUP2, child, number) for number in (1, 2)],
    )
    os.close(child)
    printed = b""
    try:
        while block := os.read(parent, 4096):
            printed += block
    except OSError:  # the other end was closed
        pass
    os.close(parent)
    assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 0
    return printed


@pytest.mark.parametrize("command", [["permute", "--mode", "lb", "-o", "/dev/null"], ["measure"]], ids=" ".join)
def test_a_bar_in_a_terminal(tmp_path, command):
    path = tmp_path / "a.conllu"
    path.write_bytes(sentence("a", 2, 0))
    name = {"permute": b"lb:"}.get(command[0], b"measure:")
    assert name in in_terminal(*command, str(path))
    assert b"100%" not in in_terminal(*command, "--quiet", str(path))
    assert not any(b"%" in line.encode() for line in permtree(*command, str(path)).lines)
