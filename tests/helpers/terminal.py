"""Run permtree in a terminal of its own."""

from __future__ import annotations

import os
import sys


def in_terminal(*arguments: str) -> bytes:
    """What a command prints in a terminal of 100 columns."""
    import fcntl
    import pty
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
