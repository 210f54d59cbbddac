"""A download that breaks off or stalls is tried again, gives the bytes that the server has, and leaves nothing else."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator

import pytest
from commandline import PERMTREE, files_in, permtree
from http_server import (
    DEV,
    DEV_PATH,
    Behaviour,
    Server,
    at_once,
    dev_from,
    fetch_here,
    serving,
    serving_sample,
)

import permtree as package
from permtree.errors import DataError
from permtree.fetching.downloading import Connection, FetchError, checked_base_url, download

NAME = "en_ewt-ud-dev.conllu"


@pytest.fixture(autouse=True)
def quick(monkeypatch, tmp_path_factory):
    """No pauses, and at the end nothing where files lie while they come."""
    at_once(monkeypatch)
    folder = tmp_path_factory.mktemp("coming")
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    yield
    assert files_in(folder) == []


@pytest.fixture
def server() -> Iterator[Server]:
    with serving_sample() as site:
        yield site


FAULTS = {
    "broke off": (Behaviour(after=30000), "broke off"),
    "stalls": (Behaviour(after=30000, stall=True), "the server sends nothing"),
    "too great a length": (Behaviour(claims=10), "broke off"),
    **{str(status): (Behaviour(status=status), f"the server answers {status} ") for status in (500, 503, 429)},
}


@pytest.mark.parametrize("fault", FAULTS)
def test_what_fails_is_tried_again(server, tmp_path, fault):
    behaviour, message = FAULTS[fault]
    server.plan[DEV_PATH] = [behaviour, behaviour]
    lines = dev_from(server, tmp_path)
    assert len(server.asked(DEV_PATH)) == 3
    assert all(line.startswith(f"{NAME}: {message}") and line.endswith("; tried again") for line in lines[:2])
    assert lines[2] == f"{tmp_path}/en_ewt/{NAME}: {len(DEV):,} bytes"


def test_what_does_not_pass_ends_with_status_2_and_leaves_nothing(server, tmp_path):
    server.plan[DEV_PATH] = [Behaviour(after=30000)] + 2 * [Behaviour(status=502)]
    done = fetch_here(server, tmp_path, "--part", "dev", "--retries", "2", status=2)
    assert done.lines == [
        f"{NAME}: broke off; tried again",
        f"{NAME}: the server answers 502 Bad Gateway; tried again",
        f"{server.url}{DEV_PATH}: the server answers 502 Bad Gateway; run it again, or try another --base-url",
    ]
    assert files_in(tmp_path) == []


def test_another_digest_is_tried_again_and_told(server):
    with pytest.raises(DataError, match="expected sha256:00 but got [0-9a-f]{64}: not the file that the index means"):
        download(f"{server.url}{DEV_PATH}", Connection(retries=1), print, sha256="00")
    assert len(server.requests) == 2


def test_killed_half_way(server, tmp_path):
    server.plan[DEV_PATH] = [Behaviour(after=40000, stall=True)]
    command = [*PERMTREE, "fetch", "en_ewt", "--base-url", f"{server.url}/ud", "--to", str(tmp_path), "--part", "dev"]
    coming = tmp_path / "coming"
    coming.mkdir()
    process = subprocess.Popen(command, stderr=subprocess.DEVNULL, env={**os.environ, "TMPDIR": str(coming)})
    try:
        until = time.monotonic() + 30
        while sum(path.stat().st_size for path in coming.glob("*/*")) < 30000:
            assert time.monotonic() < until
            time.sleep(0.01)
        process.kill()
        assert process.wait(10) == -signal.SIGKILL
    finally:
        process.kill()
        process.wait()
    assert files_in(tmp_path / "en_ewt") == []
    dev_from(server, tmp_path)


def test_a_server_that_is_not_there(tmp_path):
    with serving({}) as gone:
        pass
    done = fetch_here(gone, tmp_path, "--retries", "1", status=2)
    assert done.lines[-1].endswith(": can't be reached: connection refused; run it again, or try another --base-url")
    assert len(done.lines) == 2
    assert files_in(tmp_path) == []


def test_without_pooch(server, tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "pooch", None)
    done = fetch_here(server, tmp_path, status=2)
    assert done.lines == ["fetch needs pooch, which is not installed: pip install 'permtree[fetch]'"]
    assert files_in(tmp_path) == []


@pytest.mark.parametrize("length", ["", "-5", "10, 20", "many"])
def test_a_length_that_is_none(server, tmp_path, length):
    server.plan[DEV_PATH] = [Behaviour(endless=True, headers={"Content-Length": length})]
    done = fetch_here(server, tmp_path, "--part", "dev", status=2)
    assert len(done.lines) == 1 and done.lines[0].startswith(f"{server.url}{DEV_PATH}: ")


# -- the way there ---------------------------------------------------------------------------------------------------


def test_redirected(server, tmp_path):
    server.files["/elsewhere"] = server.files.pop(DEV_PATH)
    moved = Behaviour(status=302, headers={"Location": "/elsewhere"}, body=b"there", endless=True)
    server.plan = {DEV_PATH: [moved, moved], "/elsewhere": [Behaviour(after=30000)]}
    dev_from(server, tmp_path)
    assert len(server.asked("/elsewhere")) == 2


@pytest.mark.parametrize(
    "place", ["file:///etc/hostname", "ftp://127.0.0.1/x", "http://[::1", "http://a:b/", "\xff", ""]
)
def test_redirected_to_what_is_no_web_address(server, tmp_path, place):
    server.plan[DEV_PATH] = [Behaviour(status=302, headers={"Location": place})]
    with pytest.raises(FetchError) as caught:
        dev_from(server, tmp_path)
    assert str(caught.value).startswith(f"{server.url}{DEV_PATH}: ") and "\n" not in str(caught.value)
    assert files_in(tmp_path) == []


@pytest.mark.parametrize("status", [204, 206, 300, 304, 418])
def test_answers_that_bring_no_file(server, tmp_path, status):
    server.plan[DEV_PATH] = [Behaviour(status=status, body=DEV)]
    with pytest.raises(FetchError, match=f"the server answers {status} "):
        dev_from(server, tmp_path)
    assert len(server.requests) == 1


def test_redirected_in_a_circle(server, tmp_path):
    server.always = Behaviour(status=302, headers={"Location": DEV_PATH})
    done = fetch_here(server, tmp_path, "--part", "dev", status=2)
    (line,) = done.lines
    assert line.endswith("the server sends from one address to another, without end")


@pytest.mark.parametrize("behaviour", [Behaviour(endless=True), Behaviour(claims=10**13)], ids=["endless", "claimed"])
def test_no_more_comes_than_a_treebank_can_have(server, tmp_path, monkeypatch, behaviour):
    """A server can't fill the disk; nothing is kept of what it sent."""
    monkeypatch.setattr("permtree.fetching.LEAST_LIMIT", 500_000)
    monkeypatch.setattr("permtree.fetching.MOST_PER_WORD", 1)
    server.plan[DEV_PATH] = [behaviour]
    with pytest.raises(FetchError, match=r"more than 500,000 bytes come, which is no such file"):
        dev_from(server, tmp_path)
    assert files_in(tmp_path) == []


def test_through_a_proxy(server, tmp_path, monkeypatch):
    monkeypatch.setenv("http_proxy", server.url)
    permtree("fetch", "en_ewt", "--part", "dev", "--base-url", "http://treebanks.example/ud", "--to", tmp_path)
    assert server.requests[0][0] == f"http://treebanks.example{DEV_PATH}"
    assert (tmp_path / "en_ewt" / "en_ewt-ud-dev.conllu").read_bytes() == DEV


def test_says_who_asks_and_that_nothing_be_compressed(server, tmp_path):
    dev_from(server, tmp_path)
    headers = server.asked(DEV_PATH)[0]
    assert headers["user-agent"] == f"permtree/{package.__version__}"
    assert headers["accept-encoding"] == "identity"


@pytest.mark.parametrize(
    "url",
    [
        "ftp://a.example/b",
        "/srv/ud",
        "https:///b",
        "http://a.example:x/",
        "http://a.example:99999/",
        "http://a.example/ b",
        "http://a.example/b?c=d",
        "http://a.example/\n",
        "http://[a.example/",
    ],
)
def test_addresses_that_are_none(url):
    with pytest.raises(FetchError, match="write an address as https://host/path"):
        checked_base_url(url)


@pytest.mark.parametrize("url", ["https://a.example", "http://a.example:8080/b", "http://[::1]:80/b"])
def test_addresses(url):
    assert checked_base_url(f"{url}/") == checked_base_url(url) == url
