"""A web server that serves files as bad servers do: it breaks off, stalls and lies; and fetching from it."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from urllib.parse import urlsplit

import pytest
from commandline import Done, files_in, permtree
from places import SAMPLE

from permtree.fetching import fetch
from permtree.fetching.downloading import Connection

EWT = "/ud/UD_English-EWT/r2.16"
README = b"# Summary\n\nA sample.\n\n=== Machine-readable metadata ===\nLicense: CC BY-SA 4.0\nIncludes text: yes\n"
PARTS = {part: (SAMPLE / f"fluvi-{part}.conllu").read_bytes() for part in ("train", "dev", "test")}
DEV = PARTS["dev"]
DEV_PATH = f"{EWT}/en_ewt-ud-dev.conllu"
QUICK = Connection(retries=2, timeout=0.3)


@dataclass
class Behaviour:
    """How one request is answered.

    `after` bytes are sent, then the connection is closed, or held for nothing if `stall`; `status` is sent instead of
    the file, with `body`; `endless` sends without an end; `claims` is added to the length that the answer says it has.
    """

    after: int | None = None
    stall: bool = False
    status: int = 0
    body: bytes = b""
    claims: int = 0
    endless: bool = False  # sent again and again, without a length
    headers: dict[str, str] = field(default_factory=dict)


class Server:
    """Files by path, what each next request of a path gets, and the requests that came: path and headers."""

    def __init__(self, files: dict[str, bytes]):
        self.files = files
        self.plan: dict[str, list[Behaviour]] = {}
        self.always: Behaviour | None = None  # for requests that no plan is made for
        self.requests: list[tuple[str, dict[str, str]]] = []
        self.over = threading.Event()
        self.url = ""

    def asked(self, end: str) -> list[dict[str, str]]:
        """The headers of the requests of paths that end so."""
        return [headers for path, headers in self.requests if path.endswith(end)]


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: ThreadingHTTPServer

    def log_message(self, *arguments: object) -> None:
        pass

    def do_GET(self) -> None:
        site: Server = self.server.site  # type: ignore[attr-defined]
        path = urlsplit(self.path).path
        site.requests.append((self.path, {name.lower(): value for name, value in self.headers.items()}))
        plan = site.plan.get(path, [])
        behaviour = plan.pop(0) if plan else site.always or Behaviour()
        self.close_connection = True
        if behaviour.status:
            self._answer(behaviour.status, behaviour.body, behaviour)
        elif path not in site.files:
            self._answer(404, b"404: Not Found", behaviour)
        else:
            self._answer(200, site.files[path], behaviour)

    def _answer(self, status: int, body: bytes, behaviour: Behaviour) -> None:
        self.send_response(status)
        for name, value in behaviour.headers.items():
            self.send_header(name, value)
        if not behaviour.endless:
            self.send_header("Content-Length", str(len(body) + behaviour.claims))
        self.send_header("Connection", "close")
        self.end_headers()
        self.wfile.write(body if behaviour.after is None else body[: behaviour.after])
        self.wfile.flush()
        while behaviour.endless and not self.server.site.over.is_set():  # type: ignore[attr-defined]
            try:
                self.wfile.write(body)
            except OSError:
                return
        if behaviour.stall:
            self.server.site.over.wait(20)  # type: ignore[attr-defined]


@contextmanager
def serving(files: dict[str, bytes]) -> Iterator[Server]:
    """A server of these files, until the end."""
    site = Server(files)
    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    server.site = site  # type: ignore[attr-defined]
    site.url = f"http://127.0.0.1:{server.server_address[1]}"
    threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()
    try:
        yield site
    finally:
        site.over.set()
        server.shutdown()
        server.server_close()


# -- the sample, served as if it were a treebank of Universal Dependencies --------------------------------------------


@contextmanager
def serving_sample() -> Iterator[Server]:
    """A server that has the sample fluvi under the name of en_ewt."""
    files = {f"{EWT}/en_ewt-ud-{part}.conllu": data for part, data in PARTS.items()}
    with serving(files | {f"{EWT}/README.md": README, f"{EWT}/LICENSE.txt": b"free\n"}) as site:
        yield site


def at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Ask the server itself, whatever the environment says of proxies, and again without a pause."""
    monkeypatch.setattr("pooch.core.time", SimpleNamespace(sleep=lambda seconds: None))
    for name in ("http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY", "no_proxy", "NO_PROXY"):
        monkeypatch.delenv(name, raising=False)


def fetch_here(server: Server, to: Path, *arguments: str, status: int | None = 0) -> Done:
    """`permtree fetch en_ewt` from the server."""
    quick = ["--base-url", f"{server.url}/ud", "--timeout", "1"]
    return permtree("fetch", "en_ewt", "--to", to, *quick, *arguments, status=status)


def dev_from(server: Server, to: Path, connection: Connection = QUICK, **options: Any) -> list[str]:
    """Fetch one part in this process; the lines of the report."""
    lines: list[str] = []
    paths = fetch(
        "en_ewt", to, base_url=f"{server.url}/ud", parts=["dev"], connection=connection, report=lines.append, **options
    )
    assert paths == [to / "en_ewt" / "en_ewt-ud-dev.conllu"]
    assert paths[0].read_bytes() == DEV
    assert not any(name.startswith(".") for name in files_in(to / "en_ewt"))
    return lines


def source_of(to: Path) -> dict[str, Any]:
    """What SOURCE.json says."""
    return json.loads((to / "en_ewt" / "SOURCE.json").read_text())
