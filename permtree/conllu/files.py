"""Files in and out: any compression, standard input, whole sentences at a time; written beside their place first."""

from __future__ import annotations

import io
import os
import re
import sys
import tempfile
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

from ..errors import DataError, Finding, UsageError
from .layout import Layout, layout_of
from .spans import BYTE_ORDER_MARK

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None  # type: ignore[assignment]

_LONGEST_START = 200  # bytes of a name that the name of a file beside it begins with
_SEPARATORS = tuple(filter(None, (os.sep, os.altsep)))
PIECE_BYTES = 1 << 20  # about the size at which array operations stay in the processor's cache
_ADDRESS = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+://")
_ARCHIVES = {b"PK\x03\x04": "zip", b"PK\x05\x06": "zip", b"7z\xbc\xaf\x27\x1c": "7z", b"Rar!": "rar"}
_ZSTD = b"\x28\xb5\x2f\xfd"
_TOKEN = re.compile(rb"^[^#\n]", re.MULTILINE)
_NO_SENTENCE = 1 << 24  # bytes without a blank line after which a NUL byte says that this is no text


@dataclass
class Piece:
    """Some whole sentences of one file, with plain newlines, the number of the first line, and the file's columns."""

    name: str
    data: bytes
    first_line: int
    last: bool  # the file ends here
    layout: Layout | None = None  # None: no line names them


_PACKINGS = {b"\x1f\x8b": ".gz", b"\xfd7zXZ\x00": ".xz", b"BZh": ".bz2"}


def _packing(start: bytes) -> str:
    """The suffix of the compression that a file with these first bytes has; empty: none."""
    return next((suffix for magic, suffix in _PACKINGS.items() if start.startswith(magic)), "")


def packing_of(path: str) -> str:
    """How a file is compressed, by its first bytes: .gz, .xz, .bz2, or empty."""
    try:
        with open(path, "rb") as source:
            return _packing(source.read(6))
    except OSError as fault:
        raise UsageError(f"{path}: {fault.strerror}") from None


def open_input(path: str) -> IO[bytes]:
    """Open a file, or standard input for "-", whatever its compression (told by its first bytes)."""
    if path == "-" and sys.stdin is None:
        raise UsageError("standard input is closed")
    try:
        raw: Any = sys.stdin.buffer if path == "-" else open(path, "rb", buffering=1 << 16)
    except FileNotFoundError:
        if _ADDRESS.match(path):
            what = "is an address, and only files are read; download it first, for example with `permtree fetch --url`"
            raise UsageError(f"{path}: {what}") from None
        raise UsageError(f"{path}: no such file{_similar(path)}") from None
    except OSError as fault:
        raise UsageError(f"{path}: {fault.strerror}") from None
    try:
        start = raw.peek(6)[:6]
        if len(start) < 6:  # a pipe may give its first bytes one by one
            start = raw.read(6)
            raw = io.BufferedReader(_Rejoined(start, raw), 1 << 16)
    except OSError as fault:
        raise UsageError(f"{display_name(path)}: {fault.strerror}") from None
    packing = _packing(start)
    if packing == ".gz":
        import gzip

        return gzip.open(raw)  # type: ignore[return-value]
    if packing == ".xz":
        import lzma

        return _unpacked(raw, lambda: lzma.LZMADecompressor(lzma.FORMAT_XZ))
    if packing == ".bz2":
        import bz2

        return _unpacked(raw, bz2.BZ2Decompressor)
    if what := _not_read(start):
        raise DataError(Finding("E100", display_name(path), 1, what))
    return raw


def _not_read(start: bytes) -> str:
    """What a file with these first bytes is, and the way out, if it is packed in a way that is not read."""
    for magic, kind in _ARCHIVES.items():
        if start.startswith(magic):
            return f"is a {kind} archive, which is not read; unpack it, and name the files in it"
    return "is packed with zstd, which is not read; unpack it with `zstd -d`" if start.startswith(_ZSTD) else ""


def _unpacked(raw: IO[bytes], decompressor: Callable[[], Any]) -> IO[bytes]:
    return io.BufferedReader(_Streams(raw, decompressor), 1 << 16)


class _Streams(io.RawIOBase):
    """Compressed streams one after the other, unpacked. The readers of bz2 and lzma take a stream that they can't read
    for the end of the file; here all but zeros (which pad a file) must be whole streams."""

    def __init__(self, raw: IO[bytes], decompressor: Callable[[], Any]):
        self._raw = raw
        self._new = decompressor
        self._stream = decompressor()
        self._ended = False  # the last stream did, and none has begun since
        self._fresh = b""

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        while True:
            if self._stream.eof:
                self._ended = True
                self._fresh, self._stream = self._stream.unused_data, self._new()
            if self._stream.needs_input and not self._fresh:
                self._fresh = self._raw.read(1 << 16)
                if not self._fresh:
                    if self._ended:
                        return 0
                    raise EOFError("the file ends in the midst of a compressed stream")
            if self._ended:
                self._fresh = self._fresh.lstrip(b"\0")
                if not self._fresh:
                    continue
                self._ended = False
            given, self._fresh = self._fresh, b""
            data = self._stream.decompress(given, len(buffer))
            if data:
                buffer[: len(data)] = data
                return len(data)

    def close(self) -> None:
        self._raw.close()
        super().close()


class _Rejoined(io.RawIOBase):
    """A stream from which the first bytes were read already, with these bytes before it."""

    def __init__(self, start: bytes, rest: IO[bytes]):
        self._start = start
        self._rest = rest

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        data = self._start or self._rest.read(len(buffer))
        size = min(len(buffer), len(data))
        buffer[:size] = data[:size]
        self._start = data[size:]
        return size


def _similar(path: str) -> str:
    import difflib

    folder = Path(path).parent
    names = [entry.name for entry in folder.iterdir()] if folder.is_dir() else []
    close = difflib.get_close_matches(Path(path).name, names, 1)
    return f"; did you mean {folder / close[0]}?" if close else ""


def display_name(path: str) -> str:
    """The name of an input in messages."""
    return "<stdin>" if path == "-" else path


def pieces(path: str, warn: Callable[[Finding], None], size: int = PIECE_BYTES) -> Iterator[Piece]:
    """A file as pieces of at least one sentence and about `size` bytes, or of the whole file for size 0.

    A byte-order mark at the start and carriage returns at line ends are dropped, each with one warning a file; so is a
    file without a sentence told.
    """
    name = display_name(path)
    with open_input(path) as source:
        yield from _pieces(source, name, warn, size)


def _read(source: IO[bytes], name: str, size: int) -> bytes:
    try:
        return source.read(size) if size else source.read()
    except (EOFError, OSError, ValueError) as fault:
        raise DataError(Finding("E100", name, 1, f"can't be read: {fault or 'it ends too early'}")) from None
    except Exception as fault:  # zlib and lzma raise errors of their own kinds
        raise DataError(Finding("E100", name, 1, f"damaged compressed file: {fault}")) from None


def _pieces(source: IO[bytes], name: str, warn: Callable[[Finding], None], size: int) -> Iterator[Piece]:
    line, rest, warned, start = 1, b"", False, True
    layout: Layout | None = None
    while True:
        # a sentence that goes on and on is read in ever larger steps, so that the time to join them grows as it does
        fresh = _read(source, name, size and max(size, len(rest)))
        while start and size and len(fresh) < len(BYTE_ORDER_MARK) and (more := _read(source, name, size)):
            fresh += more
        ended = not fresh or not size
        if start and fresh.startswith(BYTE_ORDER_MARK):
            warn(Finding("W101", name, 1, "byte-order mark dropped"))
            fresh = fresh[len(BYTE_ORDER_MARK) :]
        start = False
        data, held = rest + fresh, b""
        if b"\r" in data:
            plain, held = _plain(data, ended)
            if len(plain) + len(held) < len(data) and not warned:
                warn(Finding("W102", name, 1, "carriage returns at line ends dropped"))
                warned = True
            data = plain
        cut = len(data) if ended else data.rfind(b"\n\n", 0, max(len(data) - 2, 0)) + 2  # the last piece has something
        if cut < 2 and not ended:
            if len(data) > _NO_SENTENCE and b"\0" in data:
                what = "a NUL byte and no blank line far and wide; this is no CoNLL-U"
                raise DataError(Finding("E101", name, line + data.count(b"\n", 0, data.index(b"\0")), what))
            rest = data + held
            continue
        if line == 1:
            layout = layout_of(data, name)
            if ended and not _TOKEN.search(data):
                warn(Finding("W105", name, 1, "no sentence in it" if data else "is empty: no sentence in it"))
        yield Piece(name, data[:cut], line, ended, layout)
        if ended:
            return
        line += data.count(b"\n", 0, cut)
        rest = data[cut:] + held


def check_output(path: str | None, inputs: Iterable[str | None], way_out: str = "") -> None:
    """UsageError if an output is one of the inputs: the same file by any name, through a link, or on standard input.

    way_out: what else can be done, at the end of the message.
    """
    if path is None or path == "-" or not os.path.isfile(path):
        return
    target = os.stat(path)
    for name in filter(None, inputs):
        found = _file_of(name)
        if found is not None and os.path.samestat(found, target):
            same = "" if name == path else f" ({display_name(name)})"
            raise UsageError(f"{path}: is an input{same}, which would be lost: name another file{way_out}")


def _file_of(name: str) -> os.stat_result | None:
    try:
        return os.fstat(sys.stdin.fileno()) if name == "-" else os.stat(name)
    except (OSError, ValueError, AttributeError):  # no such file, or no file behind standard input
        return None


def _plain(data: bytes, ended: bool) -> tuple[bytes, bytes]:
    """Data without carriage returns at line ends; those at its end apart, whose newline may come with the next read."""
    held = b""
    if not ended and data.endswith(b"\r"):
        stripped = data.rstrip(b"\r")
        data, held = stripped, data[len(stripped) :]
    plain = re.sub(rb"(?<!\r)\r+\n", b"\n", data)  # what is before keeps a run without a newline from being tried over
    return (plain.rstrip(b"\r") if ended else plain), held


@contextmanager
def atomic_output(path: str | None, follow: bool = True, packing: str | None = None) -> Iterator[IO[bytes]]:
    """A place to write to that becomes the file `path` (standard output for None or "-") only when all went well.

    A path that ends in .gz, .xz or .bz2 is compressed; packing: as `packing_of` has it, whatever the path ends in. For
    standard output all is held back, on disk where it is large, so that bad data never leaves half an output behind.
    follow: whether a link stays one, to the new content, as for a file that the user named; without it the file takes
    the place of the link, as in a folder of ours. What a write of the same name left behind when it was killed is
    cleared away.
    """
    if path is None or path == "-":
        with tempfile.SpooledTemporaryFile(max_size=1 << 24) as spool:
            yield spool
            spool.seek(0)
            while block := spool.read(1 << 20):
                sys.stdout.buffer.write(block)
            sys.stdout.buffer.flush()
        return
    if not path:
        raise UsageError("-o: name a file")
    target = Path(os.path.realpath(path) if follow else path)
    link = target.is_symlink()
    if target.is_dir() and not link:
        raise UsageError(f"{path}: is a folder; name a file")
    if path.endswith(_SEPARATORS):
        raise UsageError(f"{path}: no such folder")
    if target.exists() and not target.is_file() and not link:  # a device or a named pipe is written to as it is
        with _named(path), open(target, "wb") as device:
            yield device
        return
    try:
        handle, beside = _beside(target)
    except OSError as fault:
        raise UsageError(f"{path}: {fault.strerror}") from None
    try:
        with (
            _named(path),
            os.fdopen(handle, "wb") as raw,
            _compressed(raw, target.suffix if packing is None else packing) as out,
        ):
            yield out
        mode = target.stat().st_mode & 0o7777 if target.exists() and not link else 0o666 & ~_umask()
        os.chmod(beside, mode)
        os.replace(beside, target)
    except BaseException:
        os.unlink(beside)
        raise


def _beside(target: Path) -> tuple[int, str]:
    """A new file beside another one, locked while it is open, so that no other write takes it for a dead one's."""
    start = f".{os.fsencode(target.name)[:_LONGEST_START].decode('utf-8', 'ignore')}."
    _clear(target.parent, re.compile(re.escape(start) + r"\w{8}\.part"))  # as mkstemp names them
    while True:
        handle, path = tempfile.mkstemp(prefix=start, suffix=".part", dir=target.parent)
        with suppress(OSError):  # a file system without locks
            _lock(handle)
        if os.path.exists(path):
            return handle, path
        os.close(handle)  # another write of this name was faster than the lock


def _clear(folder: Path, name: re.Pattern[str]) -> None:
    """Remove what killed writes left behind; what can't be locked, or can't be told, stays."""
    with suppress(OSError):
        for one in filter(name.fullmatch, os.listdir(folder)):
            with suppress(OSError), open(folder / one, "rb", opener=_at_once) as held:
                _lock(held.fileno())
                os.unlink(folder / one)


def _at_once(path: str, flags: int) -> int:
    """Open without waiting for the other end, should this be a pipe."""
    return os.open(path, flags | getattr(os, "O_NONBLOCK", 0))


def _lock(handle: int) -> None:
    """Raises OSError where somebody else has the file. On Windows nobody can remove a file that is open."""
    if fcntl is not None:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)


@contextmanager
def _named(path: str) -> Iterator[None]:
    """A fault in writing names the file."""
    try:
        yield
    except OSError as fault:
        if fault.filename is None and not isinstance(fault, BrokenPipeError):
            fault.filename = path
        raise


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


@contextmanager
def _compressed(raw: IO[bytes], suffix: str) -> Iterator[IO[bytes]]:
    if suffix == ".gz":
        import gzip

        # no name and no time in the header: the same data gives the same bytes
        with gzip.GzipFile("", "wb", fileobj=raw, mtime=0) as out:
            yield out  # type: ignore[misc]
    elif suffix == ".xz":
        import lzma

        with lzma.open(raw, "wb") as out:
            yield out
    elif suffix == ".bz2":
        import bz2

        with bz2.open(raw, "wb") as out:
            yield out
    else:
        yield raw
