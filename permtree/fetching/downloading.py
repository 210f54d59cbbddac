"""Download one file over http or https by pooch, which tries again what fails and compares digests.

Its downloader here adds a limit of bytes, and a plain line for all that goes wrong.
"""

from __future__ import annotations

import io
import re
import tempfile
import urllib.parse
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .._version import __version__
from ..bars import BYTES, progress_bar
from ..configuration import setting
from ..errors import DataError, Finding, UsageError
from ..types import Tell

if TYPE_CHECKING:
    from requests import Response

MOST_BYTES = 1 << 30  # of a file of which nothing is known
BLOCK = 1 << 14  # bytes
TRY_AGAIN = {408, 425, 429}  # and all of 500 and above: the server may answer otherwise in a moment
HEADERS = {"User-Agent": f"permtree/{__version__}", "Accept-Encoding": "identity"}


class FetchError(UsageError):
    """What can't be fetched as asked: not there, not reached, or in the way of a file (exit status 2)."""


class NotFound(Exception):
    """The server says that there is no such file."""


@dataclass(frozen=True)
class Connection:
    """How patient a download is."""

    retries: int = setting(
        3,
        "How often a download that fails is tried again, after 1, 2, 3 ... seconds, 10 at most.",
        within=(0, 100),
        metavar="N",
        shown=True,
    )
    timeout: float = setting(
        30.0, "How long a server may send nothing.", within=(0, 3600), above=True, metavar="SECONDS", shown=True
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


def download(
    url: str,
    connection: Connection,
    report: Tell,
    bar: bool = False,
    most: int = MOST_BYTES,
    sha256: str | None = None,
) -> bytes:
    """The content of a file, which has the digest `sha256` where that is given. bar: whether progress is shown.

    Raises NotFound, FetchError (also for more than `most` bytes), and DataError for another digest.
    """
    try:
        import pooch
        import requests
    except ImportError:
        raise UsageError("fetch needs pooch, which is not installed: pip install 'permtree[fetch]'") from None
    pooch.get_logger().setLevel("WARNING")  # it names a temporary file
    name = url.rpartition("/")[2]
    downloader = _Downloader(name, connection.timeout, report, bar, most)
    with tempfile.TemporaryDirectory(prefix="permtree-fetch-") as folder:
        known = {name: sha256 and f"sha256:{sha256}"}
        store = pooch.create(folder, "", registry=known, urls={name: url}, retry_if_failed=connection.retries)
        try:
            return Path(store.fetch(name, downloader=downloader)).read_bytes()
        except requests.RequestException:
            again = "run it again, or try another --base-url"
            raise FetchError(f"{url}: {downloader.fault}; {again}") from None
        except OSError as fault:
            raise FetchError(f"{folder}: {fault.strerror}") from None
        except ValueError as fault:
            what = re.sub(r"\. .*", "", str(fault))
            raise DataError(Finding("E100", url, 1, f"{what}: not the file that the index means")) from None


@dataclass
class _Downloader:
    """What pooch calls for each try. Of what is raised it tries again ValueError and RequestException."""

    name: str
    timeout: float
    report: Tell
    bar: bool
    most: int
    fault: str = field(default="", init=False)  # of the last try

    def __call__(self, url: str, output_file: str, pooch: Any) -> None:
        import requests
        from pooch import HTTPDownloader
        from urllib3.exceptions import HTTPError

        if self.fault:
            self.report(f"{self.name}: {self.fault}; tried again")
        self.fault = "not the file that the index means"
        shown = progress_bar(self.name, 1, self.bar, **BYTES)  # pooch sets total
        get = HTTPDownloader(shown, BLOCK, timeout=self.timeout, headers=HEADERS, hooks={"response": self._look_at})
        try:
            with shown, _Limited(io.FileIO(output_file, "w")) as out:
                out.room, out.too_much = self.most, self._too_much(url)
                get(url, out, pooch)
        except requests.TooManyRedirects:
            raise FetchError(f"{url}: the server sends from one address to another, without end") from None
        except (requests.exceptions.SSLError, ValueError, HTTPError) as fault:  # ValueError: an address that is none
            raise FetchError(f"{url}: {_words(fault)}") from None
        except requests.RequestException as fault:
            self.fault = _words(fault)
            raise

    def _look_at(self, response: Response, **settings: Any) -> None:
        """See whether an answer is worth reading, before a byte of it is read."""
        import requests

        length, status = response.headers.get("Content-Length", "0"), response.status_code
        says = f"the server answers {status} {response.reason}"
        if status == 200:
            if not length.isdecimal():
                raise FetchError(f"{response.url}: the server says that its length is {length[:80]}")
            if int(length) > self.most:
                raise self._too_much(response.url)
            return
        response.close()  # of what is no file nothing is read, be it without end
        if status in (404, 410):
            raise NotFound
        if status in TRY_AGAIN or status >= 500:
            raise requests.HTTPError(says)
        if not (response.is_redirect and response.headers["Location"]):
            raise FetchError(f"{response.url}: {says}")

    def _too_much(self, url: str) -> FetchError:
        return FetchError(f"{url}: more than {self.most:,} bytes come, which is no such file; is the address right?")


class _Limited(io.BufferedWriter):
    """A file that takes no more than it has room for: a server that never ends would fill the disk."""

    room: int
    too_much: FetchError

    def write(self, block: Any) -> int:
        self.room -= len(block)
        if self.room < 0:
            raise self.too_much
        return super().write(block)


def _words(fault: Exception) -> str:
    """What a fault of requests says, in few words."""
    import requests

    text = str(fault)
    if "timed out" in text:
        return "the server sends nothing"
    if isinstance(fault, requests.exceptions.ChunkedEncodingError) or "Connection aborted" in text:
        return "broke off"
    if system := re.search(r"\[(?:Errno -?\d+|SSL: \w+)\] ([^'\"()]+)", text):
        return f"can't be reached: {system[1].strip().lower()}"
    return " ".join(text.split())[:300] or type(fault).__name__
