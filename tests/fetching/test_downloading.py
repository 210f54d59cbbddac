"""A download that breaks off, stalls or is lied to goes on, and gives the bytes that the server has."""

from __future__ import annotations

import signal
import subprocess
import time
from collections.abc import Iterator

import pytest
from commandline import PERMTREE, files_in, permtree
from http_server import (
    DEV,
    DEV_PATH,
    PARTS,
    Behaviour,
    Server,
    dev_from,
    fetch_here,
    partial_of,
    serving,
    serving_sample,
    without_proxies,
)

import permtree as package
from permtree.fetching.downloading import Connection, FetchError, checked_base_url


@pytest.fixture(autouse=True)
def no_proxies(monkeypatch):
    """The server is on this machine, whatever the environment says of proxies."""
    without_proxies(monkeypatch)


@pytest.fixture
def server() -> Iterator[Server]:
    with serving_sample() as site:
        yield site


def test_what_breaks_off_is_gone_on_with(server, tmp_path):
    server.plan[DEV_PATH] = [Behaviour(after=30000), Behaviour(after=10000)]
    lines = dev_from(server, tmp_path)
    assert [headers.get("range") for headers in server.asked(DEV_PATH)] == [None, "bytes=30000-", "bytes=40000-"]
    assert [headers.get("if-range") for headers in server.asked(DEV_PATH)] == [None] + 2 * [server.tag(DEV)]
    assert lines[0] == f"en_ewt-ud-dev.conllu: broke off at 30,000 of {len(DEV):,} bytes; again in 0.01 s"


def test_what_stalls_is_gone_on_with(server, tmp_path):
    server.plan[DEV_PATH] = [Behaviour(after=30000, stall=True), Behaviour(after=0, stall=True)]
    lines = dev_from(server, tmp_path)
    assert server.asked(DEV_PATH)[1]["range"] == "bytes=30000-"
    assert lines[0].startswith("en_ewt-ud-dev.conllu: the server sends nothing at 30,000 of ")


def test_tries_are_counted_only_while_nothing_more_comes(server, tmp_path):
    server.plan[DEV_PATH] = [Behaviour(after=10000) for _ in range(7)]
    dev_from(server, tmp_path, Connection(retries=1, timeout=1, pause=0.01))
    assert len(server.asked(DEV_PATH)) == 8


def test_a_server_without_ranges_starts_again(server, tmp_path):
    server.ranges = False
    server.plan[DEV_PATH] = [Behaviour(after=30000)]
    dev_from(server, tmp_path)
    assert server.asked(DEV_PATH)[1]["range"] == "bytes=30000-"


@pytest.mark.parametrize("tags", ["weak", ""])
def test_no_condition_without_a_strong_tag(server, tmp_path, tags):
    server.tags = tags
    server.plan[DEV_PATH] = [Behaviour(after=30000)]
    dev_from(server, tmp_path)
    assert server.asked(DEV_PATH)[1]["range"] == "bytes=30000-"
    assert "if-range" not in server.asked(DEV_PATH)[1]


@pytest.mark.parametrize("tags", ["strong", "weak"])
def test_two_versions_of_a_file_are_not_mixed(server, tmp_path, tags):
    server.tags = tags
    server.files[DEV_PATH] = PARTS["test"]
    server.plan[DEV_PATH] = [Behaviour(after=30000)]
    with pytest.raises(FetchError):
        dev_from(server, tmp_path, Connection(retries=0, timeout=1, pause=0.01))
    server.files[DEV_PATH] = DEV
    dev_from(server, tmp_path)


@pytest.mark.parametrize("place", ["bytes 0-99/100", f"bytes 20000-75593/{len(DEV)}", "bytes 30000-", "nonsense", ""])
def test_a_piece_that_was_not_asked_for_is_not_taken(server, tmp_path, place):
    server.plan[DEV_PATH] = [Behaviour(after=30000), Behaviour(headers={"Content-Range": place})]
    dev_from(server, tmp_path)
    assert server.asked(DEV_PATH)[2].get("range") is None


def test_a_length_that_is_too_great_then_nothing_more_to_come(server, tmp_path):
    """All is there, but the server had said there would be more: what is whole is found to be so the next time."""
    server.plan[DEV_PATH] = [Behaviour(claims=10)]
    with pytest.raises(FetchError, match=rf"broke off at {len(DEV):,} of {len(DEV) + 10:,} bytes"):
        dev_from(server, tmp_path, Connection(retries=0, timeout=1, pause=0.01))
    dev_from(server, tmp_path)
    assert server.asked(DEV_PATH)[1]["range"] == f"bytes={len(DEV)}-"
    assert len(server.asked(DEV_PATH)) == 2


def test_a_file_that_is_shorter_now_starts_again(server, tmp_path):
    server.tags = ""
    server.files[DEV_PATH] = PARTS["train"]
    server.plan[DEV_PATH] = [Behaviour(after=200000)]
    with pytest.raises(FetchError):
        dev_from(server, tmp_path, Connection(retries=0, timeout=1, pause=0.01))
    server.files[DEV_PATH] = DEV
    dev_from(server, tmp_path)
    assert [headers.get("range") for headers in server.asked(DEV_PATH)] == [None, "bytes=200000-", None]


@pytest.mark.parametrize("status", [500, 503, 429])
def test_a_fault_of_the_server_may_pass(server, tmp_path, status):
    server.plan[DEV_PATH] = [Behaviour(status=status, body=b"in a moment")]
    assert f"the server answers {status} " in dev_from(server, tmp_path)[0]


def test_what_does_not_pass_ends_with_status_2_and_can_be_gone_on_with(server, tmp_path):
    server.plan[DEV_PATH] = [Behaviour(after=30000)] + 3 * [Behaviour(status=502)]
    done = fetch_here(server, tmp_path, "--part", "dev", "--retries", "2", status=2)
    assert done.lines[-1] == (
        f"{server.url}{DEV_PATH}: the server answers 502 Bad Gateway; 30,000 bytes are kept in {partial_of(tmp_path)}; "
        "run it again to go on from there"
    )
    assert partial_of(tmp_path).read_bytes() == DEV[:30000]
    assert not partial_of(tmp_path).with_suffix("").exists()
    done = fetch_here(server, tmp_path, "--part", "dev")
    assert done.lines[0] == "en_ewt-ud-dev.conllu: goes on from byte 30,000"
    assert server.asked(DEV_PATH)[4]["range"] == "bytes=30000-"
    assert (tmp_path / "en_ewt" / "en_ewt-ud-dev.conllu").read_bytes() == DEV


def test_a_part_of_another_release_is_not_gone_on_with(server, tmp_path):
    old = DEV_PATH.replace("r2.16", "r2.15")
    server.files[old] = PARTS["test"]
    server.tags = ""
    server.plan[old] = [Behaviour(after=30000)]
    with pytest.raises(FetchError):
        dev_from(server, tmp_path, Connection(retries=0, timeout=1, pause=0.01), release="2.15")
    dev_from(server, tmp_path)
    assert "range" not in server.asked(DEV_PATH)[0]


def test_two_that_fetch_the_same_file_at_once(server, tmp_path):
    """What one appends in the middle of the other's download is noticed, and the file fetched from its start."""
    server.plan[DEV_PATH] = [Behaviour(after=30000)]
    written = []

    def progress(name: str, done: int, total: int | None) -> None:
        if done == 30000 and not written:
            with open(partial_of(tmp_path), "ab") as other:
                written.append(other.write(DEV[30000:35000]))

    dev_from(server, tmp_path, progress=progress)
    assert written == [5000]


def test_killed_half_way(server, tmp_path):
    server.plan[DEV_PATH] = [Behaviour(after=40000, stall=True)]
    command = [*PERMTREE, "fetch", "en_ewt", "--base-url", f"{server.url}/ud", "--to", str(tmp_path), "--part", "dev"]
    process = subprocess.Popen(command, stderr=subprocess.DEVNULL)
    try:
        until = time.monotonic() + 30
        while not (partial_of(tmp_path).exists() and partial_of(tmp_path).stat().st_size == 40000):
            assert time.monotonic() < until
            time.sleep(0.01)
        process.kill()
        assert process.wait(10) == -signal.SIGKILL
    finally:
        process.kill()
        process.wait()
    assert not (tmp_path / "en_ewt" / "en_ewt-ud-dev.conllu").exists()
    dev_from(server, tmp_path)
    assert server.asked(DEV_PATH)[1]["range"] == "bytes=40000-"


def test_a_server_that_is_not_there(tmp_path):
    with serving({}) as gone:
        pass
    done = fetch_here(gone, tmp_path, "--retries", "1", status=2)
    assert done.lines[-1].endswith("; run it again, or try another --base-url")
    assert "can't be reached: " in done.lines[-1]
    assert files_in(tmp_path) == []


def test_compressed_against_what_was_asked_for(server, tmp_path):
    server.plan[DEV_PATH] = [Behaviour(headers={"Content-Encoding": "gzip"})]
    with pytest.raises(FetchError, match="the server compresses it though asked not to"):
        dev_from(server, tmp_path)


# -- the way there ---------------------------------------------------------------------------------------------------


def test_redirected(server, tmp_path):
    server.files["/elsewhere"] = server.files.pop(DEV_PATH)
    moved = Behaviour(status=302, headers={"Location": "/elsewhere"})
    server.plan = {DEV_PATH: [moved, moved], "/elsewhere": [Behaviour(after=30000)]}
    dev_from(server, tmp_path)
    assert server.asked("/elsewhere")[1]["range"] == "bytes=30000-"


@pytest.mark.parametrize("place", ["file:///etc/hostname", "ftp://127.0.0.1/x"])
def test_redirected_to_what_is_no_web_address(server, tmp_path, place):
    server.plan[DEV_PATH] = [Behaviour(status=302, headers={"Location": place})]
    with pytest.raises(FetchError):
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


def test_progress(server, tmp_path):
    server.plan[DEV_PATH] = [Behaviour(after=30000)]
    seen: list[tuple[str, int, int | None]] = []
    dev_from(server, tmp_path, progress=lambda *state: seen.append(state))
    states = [state for state in seen if state[0] == "en_ewt-ud-dev.conllu"]
    assert states[0] == ("en_ewt-ud-dev.conllu", 0, len(DEV))
    assert states[-1] == ("en_ewt-ud-dev.conllu", len(DEV), len(DEV))
    assert ("en_ewt-ud-dev.conllu", 30000, len(DEV)) in states
    assert [done for _, done, _ in states] == sorted(done for _, done, _ in states)


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
