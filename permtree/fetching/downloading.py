"""Download one file over http or https: what broke off is gone on with, what stalls is tried again."""

from __future__ import annotations

import http.client
import json
import re
import ssl
import time
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from .._version import __version__
from ..configuration import setting
from ..errors import UsageError
from ..folders import parse_json

MOST_BYTES = 1 << 30  # of a file of which nothing is known
BLOCK = 1 << 16  # bytes; what one read from a connection gives at most
TRY_AGAIN = {408, 425, 429}  # and all of 500 and above: the server may answer otherwise in a moment
Report = Callable[[str], None]
Progress = Callable[[str, int, "int | None"], None]  # file name, bytes so far, bytes in all where they are known


class FetchError(UsageError):
    """What can't be fetched as asked: not there, not reached, or in the way of a file (exit status 2)."""


class NotFound(Exception):
    """The server says that there is no such file."""


class _Broken(Exception):
    """A download that stopped for a reason that may pass."""


@dataclass(frozen=True)
class Connection:
    """How patient a download is."""

    retries: int = setting(
        3,
        "How often a download that gets no further is tried again.",
        within=(0, 100),
        metavar="N",
        shown=True,
    )
    timeout: float = setting(
        30.0, "How long a server may send nothing.", within=(0, 3600), above=True, metavar="SECONDS", shown=True
    )
    pause: float = setting(
        1.0,
        "Before the first retry; each next pause is twice as long.",
        within=(0, 3600),
        above=True,
        metavar="SECONDS",
        shown=True,
    )


def checked_base_url(url: str, option: str = "--base-url") -> str:
    """An address that files are fetched from, if it is one that can be used: http or https, and no password."""
    try:
        place = urllib.parse.urlsplit(url)
        usable = place.scheme in ("http", "https") and bool(place.hostname) and place.port != 0
    except ValueError:
        usable = False
    if not usable or re.search(r"[^!-~]|[?#]", url):
        raise FetchError(f"{option} '{url}': write an address as https://host/path")
    if "@" in place.netloc:
        raise FetchError(f"{option}: no address with a user or password; public treebanks need none")
    return url.rstrip("/")


class Partial:
    """A file that is not whole yet, with its address and the server's tag for it in a second file beside it."""

    def __init__(self, path: Path, url: str):
        self.path = path
        self.url = url
        self.tag = ""
        self._note = path.with_name(f"{path.name}.json")
        try:
            note = parse_json(self._note.read_bytes())
            same = note["url"] == url
            self.tag = str(note["tag"]) if same else ""
        except (OSError, ValueError, KeyError, TypeError):
            same = False
        if not same:
            self.discard()

    @property
    def size(self) -> int:
        return self.path.stat().st_size if self.path.exists() else 0

    def begin(self, tag: str) -> None:
        """An empty file, of which the address and the tag are known before the first byte is written."""
        self.discard()
        self.tag = tag
        self._note.write_text(json.dumps({"url": self.url, "tag": tag}), encoding="utf-8")
        self.path.touch()

    def forget(self) -> None:
        self._note.unlink(missing_ok=True)

    def discard(self) -> None:
        self.path.unlink(missing_ok=True)
        self.forget()
        self.tag = ""


def download(
    partial: Partial, connection: Connection, report: Report, progress: Progress, most: int = MOST_BYTES
) -> None:
    """Make a file whole, in as many goes as it takes while it still grows. FetchError for more than `most` bytes."""
    name = partial.path.name.removesuffix(".part")
    furthest, tries = partial.size, 0
    if furthest:
        report(f"{name}: goes on from byte {furthest:,}")
    while True:
        try:
            return _go_on(partial, connection.timeout, most, lambda done, total: progress(name, done, total))
        except _Broken as fault:
            kept = partial.size
            if kept > furthest:
                furthest, tries = kept, 0
            if tries == connection.retries:
                rest = f"{kept:,} bytes are kept in {partial.path}; " if kept else ""
                go_on = "run it again to go on from there" if kept else "run it again, or try another --base-url"
                raise FetchError(f"{partial.url}: {fault}; {rest}{go_on}") from None
            pause = connection.pause * 2**tries
            tries += 1
            report(f"{name}: {fault}; again in {pause:g} s")
            time.sleep(pause)


def _go_on(partial: Partial, timeout: float, most: int, progress: Callable[[int, int | None], None]) -> None:
    """Ask for what is missing of a file and append what comes; for all of it, if the server gives no pieces."""
    have = partial.size
    headers = {"User-Agent": f"permtree/{__version__}", "Accept-Encoding": "identity"}
    if have:
        headers["Range"] = f"bytes={have}-"
        if partial.tag and not partial.tag.startswith("W/"):  # only a strong tag may be asked for
            headers["If-Range"] = partial.tag
    response = _opened(urllib.request.Request(partial.url, headers=headers), partial, timeout)
    if response is None:
        return
    with response:
        tag = response.headers.get("ETag") or ""
        if response.headers.get("Content-Encoding", "identity") != "identity":
            raise FetchError(f"{partial.url}: the server compresses it though asked not to; try another --base-url")
        if response.status == 206:
            first, total = _content_range(response.headers.get("Content-Range", ""))
            if first != have or (tag and partial.tag and tag != partial.tag):
                partial.discard()
                raise _Broken("the file on the server is another one now")
        else:
            total, have = _number(response.headers.get("Content-Length")), 0
            partial.begin(tag)
        if total is not None and total > most:
            raise _too_large(partial, most)
        if not _append(response, partial.path, have, total, most, progress):
            raise _too_large(partial, most)
    size = partial.size  # not what was counted: somebody else may write to it, too
    if total is not None and size != total:
        raise _Broken(f"broke off at {size:,} of {total:,} bytes")


def _too_large(partial: Partial, most: int) -> FetchError:
    """Nothing is kept of what no treebank can be: a server that never ends would fill the disk."""
    partial.discard()
    return FetchError(f"{partial.url}: more than {most:,} bytes come, which is no such file; is the address right?")


def _append(
    response: Any, path: Path, have: int, total: int | None, most: int, progress: Callable[[int, int | None], None]
) -> bool:
    """Append to the file what comes, at once, so that nothing is lost when the process ends; False for too much."""
    progress(have, total)
    with open(path, "ab") as out:
        while True:
            try:
                block = response.read1(BLOCK)
            except (OSError, http.client.HTTPException) as fault:
                of = "" if total is None else f" of {total:,}"
                raise _Broken(f"{_words(fault)} at {have:,}{of} bytes") from None
            if not block:
                return True
            if have + len(block) > most:
                return False
            try:
                out.write(block)
                out.flush()
            except OSError as fault:
                raise FetchError(f"{path}: {fault.strerror}") from None
            have += len(block)
            progress(have, total)


def _opened(request: urllib.request.Request, partial: Partial, timeout: float) -> Any:
    """The answer to a request; None if it says that the file is whole already."""
    try:
        return _opener().open(request, timeout=timeout)
    except urllib.error.HTTPError as error:
        error.close()
        if error.code == 416:
            if _number(error.headers.get("Content-Range", "").rpartition("/")[2]) == partial.size:
                return None
            partial.discard()
            raise _Broken("the file on the server is a shorter one") from None
        if 300 <= error.code < 400:
            raise FetchError(f"{request.full_url}: the server sends from one address to another, without end") from None
        if error.code in (404, 410):
            raise NotFound from None
        if error.code in TRY_AGAIN or error.code >= 500:
            raise _Broken(f"the server answers {error.code} {error.reason}") from None
        raise FetchError(f"{request.full_url}: the server answers {error.code} {error.reason}") from None
    except urllib.error.URLError as error:
        if isinstance(error.reason, ssl.SSLCertVerificationError) or "unknown url type" in str(error.reason):
            raise FetchError(f"{request.full_url}: {_words(error.reason)}") from None
        raise _Broken(f"can't be reached: {_words(error.reason)}") from None
    except (OSError, http.client.HTTPException) as fault:
        raise _Broken(_words(fault)) from None


def _opener() -> urllib.request.OpenerDirector:
    """What opens http and https, by the proxies that the environment names, and nothing else, redirected or not."""
    opener = urllib.request.OpenerDirector()
    for handler in (
        urllib.request.ProxyHandler(),
        urllib.request.HTTPHandler(),
        urllib.request.HTTPSHandler(),
        urllib.request.HTTPRedirectHandler(),
        urllib.request.HTTPErrorProcessor(),
        urllib.request.HTTPDefaultErrorHandler(),
        urllib.request.UnknownHandler(),
    ):
        opener.add_handler(handler)
    return opener


def _words(fault: Any) -> str:
    if isinstance(fault, TimeoutError):
        return "the server sends nothing"
    if isinstance(fault, http.client.IncompleteRead):
        return "broke off"
    return str(getattr(fault, "strerror", None) or fault or type(fault).__name__).rstrip(".").lower()


def _content_range(value: str) -> tuple[int, int | None]:
    """First byte and bytes in all of `bytes 10-19/20`; -1 and None where it says something else."""
    match = re.fullmatch(r"\s*bytes (\d+)-\d+/(\d+|\*)\s*", value)
    return (int(match[1]), _number(match[2])) if match else (-1, None)


def _number(value: str | None) -> int | None:
    return int(value) if value and value.strip().isdecimal() else None
