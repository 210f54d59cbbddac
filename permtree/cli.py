"""The command line: a thin face over the Python functions. Each command loads only when it is called."""

from __future__ import annotations

import errno
import io
import os
import signal
import sys
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from importlib import import_module
from typing import IO, Any

import click

from ._version import __version__
from .errors import PermtreeError
from .legible import in_a_line
from .registry import suggestion

COMMANDS = {
    "permute": "Change the word order of treebanks, and nothing else.",
    "invert": "Undo a permutation: the original bytes.",
    "verify": "Prove that two treebanks are a minimal pair.",
    "region": "Print which DLM ratios and entropies `permute --mode match` reaches.",
    "measure": "Measure treebanks: DLM ratio, arc-direction entropy and more.",
    "train": "Train a parser on a treebank.",
    "parse": "Parse a treebank with a trained parser.",
    "evaluate": "Score a parser's output by gold heads and relations.",
    "pairs": "Join two versions of a treebank and their predictions, arc by arc.",
    "analyze": "Say what word order did to parsing, from joined arcs.",
    "plan": "Print what a study computes, what is done and what is left.",
    "run": "Compute a study: treebanks in several orders, parsers, scores.",
    "report": "Make tables, figures and a page of a study's results.",
    "convert": "Write CoNLL-X as CoNLL-U, or CoNLL-U as CoNLL-X.",
    "check": "Check treebanks and print coded findings.",
    "split": "Split a treebank at random.",
    "fetch": "Download public treebanks of Universal Dependencies.",
    "show": "Draw a sentence's tree, or a minimal pair, in the terminal or as SVG.",
    "list": "Print the cards of all modes, measures, profiles and parsers.",
}


class _Commands(click.Group):
    def list_commands(self, context: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, context: click.Context, name: str) -> click.Command | None:
        if name not in COMMANDS:
            return None
        return import_module(f".commands.{name}", __package__).command

    def resolve_command(self, context: click.Context, args: list[str]) -> tuple:
        if args and args[0] not in COMMANDS and not args[0].startswith("-"):
            context.fail(f"no command named '{args[0]}'{suggestion(args[0], list(COMMANDS))}")
        return super().resolve_command(context, args)

    def format_commands(self, context: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))


@click.group(
    cls=_Commands,
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog="Exit status: 0 done, 1 findings, 2 usage, 3 bad data. `permtree COMMAND --help` says more.",
)
@click.version_option(__version__, prog_name="permtree")
def root() -> None:
    """Change the word order of dependency treebanks and nothing else, and measure what changed."""


def main() -> None:
    """Run the command line as a process of its own, and exit."""
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # so that files half-written are removed
    # No matrices are multiplied here: threads that numpy's library would start only cost time
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    _without_closed_streams()
    status = run(sys.argv[1:])
    if isinstance(getattr(sys.stdout, "buffer", None), _Closed):
        sys.stdout = None  # nothing is left to be written at exit
    sys.exit(status)


def _without_closed_streams() -> None:
    """Where this process was started without some of its standard streams: only what needs them fails, in one line."""
    for name in ("stdin", "stdout", "stderr"):
        if getattr(sys, name) is None:
            os.open(os.devnull, os.O_RDWR)  # its number, so that no other file gets it
    if sys.stdout is None:
        sys.stdout = io.TextIOWrapper(_Closed(), "utf-8", write_through=True)
    if sys.stderr is None:
        sys.stderr = open(os.devnull, "w", encoding="utf-8")


class _Closed(io.BufferedIOBase):
    """Standard output that is closed."""

    def writable(self) -> bool:
        return True

    def write(self, data: Any) -> int:
        raise OSError(errno.EBADF, "is closed", "standard output")


def run(
    arguments: Sequence[str],
    stdin: IO[bytes] | None = None,
    stdout: IO[bytes] | None = None,
    stderr: IO[bytes] | None = None,
) -> int:
    """Run one command in this process; the exit status.

    The command reads from `stdin` and writes to `stdout` and `stderr`: streams of bytes, which stay open (such as
    io.BytesIO), text in them as UTF-8; None: the standard stream of this process. While it runs, they stand in the
    place of sys.stdin, sys.stdout and sys.stderr: only one thread at a time may run a command.
    """
    with ExitStack() as streams:
        for name, stream in (("stdin", stdin), ("stdout", stdout), ("stderr", stderr)):
            if stream is not None:
                streams.enter_context(_in_place_of(name, stream))
        return _run(arguments)


@contextmanager
def _in_place_of(name: str, stream: IO[bytes]) -> Iterator[None]:
    """A stream of bytes as sys.stdin, sys.stdout or sys.stderr, for a while."""
    before, lent = getattr(sys, name), _Lent(stream)
    buffer: Any = io.BufferedReader(lent) if name == "stdin" else io.BufferedWriter(lent)
    faults = "backslashreplace" if name == "stderr" else "strict"  # as Python opens them
    text = io.TextIOWrapper(buffer, "utf-8", faults, newline="\n", line_buffering=name == "stderr")
    setattr(sys, name, text)
    try:
        yield
    finally:
        setattr(sys, name, before)
        with suppress(BrokenPipeError, ValueError):  # nobody reads any more; or a command closed it, as it may
            text.flush()
        lent.end()


class _Lent(io.RawIOBase):
    """A stream of somebody else, which stays open when this one is closed."""

    def __init__(self, stream: IO[bytes]):
        self._stream: IO[bytes] | None = stream

    def end(self) -> None:
        """What was written by now has been passed on; the rest has nowhere to go."""
        self._stream = None

    def readable(self) -> bool:
        return self._stream is not None and self._stream.readable()

    def writable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        data = self._stream.read(len(buffer)) if self._stream else b""
        buffer[: len(data)] = data
        return len(data)

    def write(self, data: Any) -> int:
        if self._stream:
            self._stream.write(data)
        return len(data)

    def flush(self) -> None:
        if self._stream and not self.closed and self._stream.writable():
            self._stream.flush()

    def isatty(self) -> bool:
        return self._stream is not None and self._stream.isatty()

    def fileno(self) -> int:
        if not self._stream:
            raise OSError("a stream that was given back")
        return self._stream.fileno()


def _run(arguments: Sequence[str]) -> int:
    try:
        with root.make_context("permtree", list(arguments)) as context:
            status = root.invoke(context)
        sys.stdout.flush()
        return status or 0
    except click.exceptions.Exit as done:
        sys.stdout.flush()
        return done.exit_code
    except PermtreeError as error:
        click.echo(str(error), err=True)
        return error.exit_status
    except click.UsageError as error:
        if error.ctx is None or isinstance(error, click.exceptions.NoArgsIsHelpError):
            error.show()
        else:
            click.echo(f"{in_a_line(error.format_message())} (see `{error.ctx.command_path} --help`)", err=True)
        return error.exit_code
    except click.ClickException as error:
        click.echo(in_a_line(error.format_message()), err=True)
        return error.exit_code
    except (KeyboardInterrupt, click.Abort):
        click.echo("interrupted", err=True)
        return 130
    except BrokenPipeError:
        # the reader has what it wanted; nothing more may be written, not even at exit
        if sys.__stdout__ is not None and sys.stdout is sys.__stdout__:
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except MemoryError:
        click.echo("out of memory: take smaller files, or fewer --jobs", err=True)
        return 2
    except RuntimeError as error:
        if "memory" not in str(error):  # as torch says it
            raise
        click.echo(in_a_line(f"out of memory: {' '.join(str(error).split())[:200]}"), err=True)
        return 2
    except OSError as error:
        where = f"{os.fsdecode(error.filename) if isinstance(error.filename, bytes) else error.filename}: "
        where = where if error.filename else ""
        click.echo(in_a_line(f"{where}{error.strerror or error}"), err=True)
        return 2
