"""Treebanks are fetched with their licence and a record of what came from where, and only if they are treebanks."""

from __future__ import annotations

import hashlib
import json
import os
import re
from collections.abc import Iterator

import pytest
from commandline import files_in, permtree
from http_server import (
    DEV,
    DEV_PATH,
    EWT,
    PARTS,
    QUICK,
    README,
    Behaviour,
    Server,
    at_once,
    dev_from,
    fetch_here,
    serving_sample,
    source_of,
)
from places import SAMPLE

import permtree as package
from permtree.errors import DataError
from permtree.fetching import fetch, index_path, read_index
from permtree.fetching.downloading import FetchError


@pytest.fixture(autouse=True)
def quick(monkeypatch):
    at_once(monkeypatch)


@pytest.fixture
def server() -> Iterator[Server]:
    with serving_sample() as site:
        yield site


# -- what a good server gives ----------------------------------------------------------------------------------------


def test_a_treebank_with_its_papers(server, tmp_path):
    done = fetch_here(server, tmp_path)
    folder = tmp_path / "en_ewt"
    assert files_in(folder) == [
        "LICENSE.txt",
        "README.md",
        "SOURCE.json",
        "en_ewt-ud-dev.conllu",
        "en_ewt-ud-test.conllu",
        "en_ewt-ud-train.conllu",
    ]
    for part, data in PARTS.items():
        assert (folder / f"en_ewt-ud-{part}.conllu").read_bytes() == data
    assert done.out == b""
    assert done.lines[0] == f"{folder}/en_ewt-ud-train.conllu: {len(PARTS['train']):,} bytes"
    assert done.lines[-1] == (
        f"en_ewt: 1,000 sentences, 9,927 words, licence CC BY-SA 4.0, from {server.url}{EWT}, in {folder}"
    )


def test_source_says_what_came_from_where(server, tmp_path):
    fetch_here(server, tmp_path, "--quiet")
    source = source_of(tmp_path)
    files = source.pop("files")
    assert source == {
        "format": 1,
        "name": "en_ewt",
        "repository": "UD_English-EWT",
        "language": "English",
        "licence": "CC BY-SA 4.0",
        "release": "r2.16",
        "url": f"{server.url}{EWT}",
        "missing": [],
    }
    assert files["en_ewt-ud-dev.conllu"] == {
        "url": f"{server.url}{DEV_PATH}",
        "release": "r2.16",
        "bytes": len(DEV),
        "sha256": hashlib.sha256(DEV).hexdigest(),
        "sentences": 100,
        "words": package.Treebank.read(str(SAMPLE / "fluvi-dev.conllu")).n_words,
    }
    assert files["LICENSE.txt"]["sha256"] == hashlib.sha256(b"free\n").hexdigest()


def test_same_command_same_bytes(server, tmp_path):
    for folder in ("one", "two"):
        assert fetch_here(server, tmp_path / folder, "--quiet").err == ""
    one, two = tmp_path / "one" / "en_ewt", tmp_path / "two" / "en_ewt"
    assert {name: (one / name).read_bytes() for name in files_in(one)} == {
        name: (two / name).read_bytes() for name in files_in(two)
    }


def test_what_is_there_is_not_fetched_again(server, tmp_path):
    dev_from(server, tmp_path)
    asked = len(server.requests)
    lines = dev_from(server, tmp_path)
    assert lines[0] == f"{tmp_path}/en_ewt/en_ewt-ud-dev.conllu: there already"
    assert len(server.requests) == asked
    dev_from(server, tmp_path, force=True)
    assert len(server.requests) == 2 * asked


def test_parts(server, tmp_path):
    fetch_here(server, tmp_path, "--part", "test", "--part", "dev", "-q")
    assert [name for name in files_in(tmp_path / "en_ewt") if name.endswith("conllu")] == [
        "en_ewt-ud-dev.conllu",
        "en_ewt-ud-test.conllu",
    ]


def test_a_training_part_in_several_files(server, tmp_path):
    place = "/ud/UD_Russian-SynTagRus/r2.13"
    for letter in "abc":
        server.files[f"{place}/ru_syntagrus-ud-train-{letter}.conllu"] = DEV
    paths = fetch(
        "Russian-SynTagRus", tmp_path, release="2.13", base_url=f"{server.url}/ud", parts=["train"], connection=QUICK
    )
    assert [path.name for path in paths] == [f"ru_syntagrus-ud-train-{letter}.conllu" for letter in "abc"]


def test_several_treebanks_and_their_names(server, tmp_path):
    place = "/ud/UD_Tagalog-TRG/r2.15"
    server.files[f"{place}/tl_trg-ud-test.conllu"] = DEV
    server.files |= {path.replace("r2.16", "r2.15"): data for path, data in server.files.items()}
    arguments = ["UD_Tagalog-TRG", "ENGLISH-EWT", "tl_trg", "--release", "r2.15", "--part", "test"]
    done = permtree("fetch", *arguments, "--base-url", f"{server.url}/ud/", cwd=tmp_path)
    assert files_in(tmp_path) == ["en_ewt", "tl_trg"]
    assert [line.partition(":")[0] for line in done.lines if " sentences, " in line] == ["tl_trg", "en_ewt"]
    assert len(server.asked("tl_trg-ud-test.conllu")) == 1


def test_the_list(tmp_path):
    listed = permtree("fetch").out.decode()
    assert listed == permtree("fetch", "--list").out.decode()
    assert re.search(r"^en_ewt +English +CC BY-SA 4\.0 +255,000 +train dev test ", listed, re.MULTILINE)
    assert listed.endswith("from https://raw.githubusercontent.com/UniversalDependencies\n")


# -- papers ----------------------------------------------------------------------------------------------------------


def test_papers_that_are_not_there_are_a_note_and_not_asked_for_again(server, tmp_path):
    del server.files[f"{EWT}/LICENSE.txt"]
    server.files[f"{EWT}/README.txt"] = server.files.pop(f"{EWT}/README.md")
    lines = dev_from(server, tmp_path)
    assert f"note: {server.url}{EWT} has no LICENSE.txt" in lines
    assert files_in(tmp_path / "en_ewt") == ["README.txt", "SOURCE.json", "en_ewt-ud-dev.conllu"]
    asked = len(server.requests)
    dev_from(server, tmp_path)
    assert len(server.requests) == asked


def test_the_licence_of_a_release_is_what_its_readme_says(server, tmp_path):
    server.files[f"{EWT}/README.md"] = README.replace(b"CC BY-SA 4.0", b"CC BY-NC-SA 3.0")
    lines = dev_from(server, tmp_path)
    assert lines[-1] == f"note: {tmp_path}/en_ewt/README.md says licence CC BY-NC-SA 3.0, the index CC BY-SA 4.0"
    assert source_of(tmp_path)["licence"] == "CC BY-NC-SA 3.0"


# -- what must not be taken ------------------------------------------------------------------------------------------


def test_not_found(server, tmp_path):
    done = fetch_here(server, tmp_path, "--release", "2.1", status=2)
    assert done.lines == [
        f"{server.url}/ud/UD_English-EWT/r2.1/en_ewt-ud-train.conllu: not found; the index has en_ewt from release "
        "2.2: try another --release, or another --base-url"
    ]
    assert files_in(tmp_path) == []
    assert len(server.requests) == 1


@pytest.mark.parametrize("status", [401, 403])
def test_refused(server, tmp_path, status):
    server.always = Behaviour(status=status, body=b"no")
    done = fetch_here(server, tmp_path, status=2)
    assert f": the server answers {status} " in done.lines[0]
    assert len(server.requests) == 1


NO_CONLLU = {
    "page": (b"<!DOCTYPE html>\n<html><body>Sign in</body></html>\n", "1: a web page came instead of CoNLL-U"),
    "text": (b"not-here\n", "1: 1 column"),
    "nothing": (b"", "1: no sentence came"),
    "half a line": (DEV[:30005], " column"),
    "half a sentence": (DEV[: DEV.index(b"\n", 30000) + 1], "what came ends within a sentence; fetch it again"),
    "no blank line at the end": (DEV[:-1], "what came ends within a sentence; fetch it again"),
}


@pytest.mark.parametrize("body", NO_CONLLU)
def test_what_is_no_conllu_is_refused(server, tmp_path, body):
    server.files[DEV_PATH], message = NO_CONLLU[body]
    with pytest.raises(DataError) as caught:
        dev_from(server, tmp_path)
    assert str(caught.value).startswith(f"{server.url}{DEV_PATH}:")
    assert message in str(caught.value)
    assert files_in(tmp_path) == []


def test_a_web_page_ends_with_status_3(server, tmp_path):
    server.files[DEV_PATH] = b"\n<html><body>Sign in</body></html>\n"
    done = fetch_here(server, tmp_path, "--part", "dev", status=3)
    assert done.lines == [f"{server.url}{DEV_PATH}:1: a web page came instead of CoNLL-U; is --base-url right?"]
    assert files_in(tmp_path) == []


def test_the_sum_that_the_index_has(server, tmp_path):
    text = index_path().read_text(encoding="utf-8")
    index = tmp_path / "index.toml"
    for data, status in ((DEV, 0), (PARTS["test"], 3)):
        check = f'[treebanks.en_ewt.sha256."2.16"]\n"en_ewt-ud-dev.conllu" = "{hashlib.sha256(data).hexdigest()}"\n'
        index.write_text(f"{text}\n{check}", encoding="utf-8")
        to = tmp_path / str(status)
        done = fetch_here(server, to, "--part", "dev", "--index", str(index), status=status)
    assert "not the file that the index means" in done.lines[-1]
    assert files_in(to) == []


def test_what_was_edited_is_not_replaced_unless_forced(server, tmp_path):
    dev_from(server, tmp_path)
    path = tmp_path / "en_ewt" / "en_ewt-ud-dev.conllu"
    path.write_bytes(b"mine")
    done = fetch_here(server, tmp_path, "--part", "dev", status=2)
    assert done.lines == [f"{path}: is there, but not as it was fetched; --force fetches it again"]
    assert path.read_bytes() == b"mine"
    dev_from(server, tmp_path, force=True)


def test_a_file_of_other_origin_is_not_replaced(server, tmp_path):
    (tmp_path / "en_ewt").mkdir()
    path = tmp_path / "en_ewt" / "en_ewt-ud-dev.conllu"
    path.write_bytes(DEV)
    with pytest.raises(FetchError, match="is there, but not as it was fetched"):
        dev_from(server, tmp_path)


def test_releases_are_not_mixed_unless_forced(server, tmp_path):
    server.files |= {path.replace("r2.16", "r2.15"): data for path, data in server.files.items()}
    dev_from(server, tmp_path, release="2.15")
    done = fetch_here(server, tmp_path, "--part", "test", status=2)
    assert done.lines == [f"{tmp_path}/en_ewt: holds release r2.15; choose another folder with --to, or --force"]
    fetch_here(server, tmp_path, "--part", "test", "--force")
    files = source_of(tmp_path)["files"]
    assert files["en_ewt-ud-test.conllu"]["release"] == "r2.16"
    assert files["en_ewt-ud-dev.conllu"]["release"] == "r2.15"


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"files": {"a": 1}}', "{\xff"])
def test_a_damaged_source(server, tmp_path, text):
    dev_from(server, tmp_path)
    path = tmp_path / "en_ewt" / "SOURCE.json"
    path.write_bytes(text.encode("latin-1"))
    with pytest.raises(FetchError, match="SOURCE.json: damaged: --force fetches everything again"):
        dev_from(server, tmp_path)
    dev_from(server, tmp_path, force=True)


def test_the_format_of_a_source(server, tmp_path):
    """It is told; folders of permtree 0.2.0 have none, those of later versions are not touched."""
    dev_from(server, tmp_path)
    path, said = tmp_path / "en_ewt" / "SOURCE.json", source_of(tmp_path)
    assert said["format"] == 1
    path.write_text(json.dumps({name: value for name, value in said.items() if name != "format"}), encoding="utf-8")
    dev_from(server, tmp_path)
    assert source_of(tmp_path) == said
    path.write_text(json.dumps({**said, "format": 2}), encoding="utf-8")
    with pytest.raises(FetchError, match="written by a later version of permtree"):
        dev_from(server, tmp_path)


def test_any_file_by_its_address(server, tmp_path):
    url = f"{server.url}{DEV_PATH}"
    done = permtree("fetch", "--url", url, "--to", tmp_path / "d")
    path = tmp_path / "d" / "en_ewt-ud-dev.conllu"
    assert path.read_bytes() == DEV and files_in(tmp_path / "d") == [path.name]
    assert done.lines[-1].startswith(f"{path}: 100 sentences, ") and done.lines[-1].endswith(f", from {url}")
    done = permtree("fetch", "--url", url, "--to", tmp_path / "d", status=2)
    assert done.lines == [f"{path}: is there already; --force fetches it again"]
    permtree("fetch", "-q", "--url", url, "--to", tmp_path / "d", "--force")
    page = f"{server.url}{EWT}/README.md"
    permtree("fetch", "--url", page, "--to", tmp_path / "d", status=3)
    assert files_in(tmp_path / "d") == [path.name]


@pytest.mark.parametrize(
    "url", ["file:///etc/passwd", "http://h.example/", "http://h.example/..", "http://h.example/.x"]
)
def test_addresses_that_are_none(tmp_path, url):
    done = permtree("fetch", "--url", url, "--to", tmp_path / "d", status=2)
    assert len(done.lines) == 1 and done.lines[0].startswith(f"--url '{url}': ")
    assert files_in(tmp_path) == []


@pytest.mark.parametrize("name", ["fr_ftb", "UD_French-FTB", "French-FTB", "en_gumreddit"])
def test_why_a_treebank_without_words_can_not_be_had(tmp_path, name):
    done = permtree("fetch", name, cwd=tmp_path, status=2)
    (line,) = done.lines
    assert line.startswith(f"'{name}' can't be fetched: its words may not be given away")


def test_a_treebank_that_the_index_lacks_can_be_had_by_its_address(tmp_path):
    (line,) = permtree("fetch", "en_gum", cwd=tmp_path, status=2).lines
    assert line.startswith("no treebank named 'en_gum' in the index; ")
    assert line.endswith("(--url ADDRESS fetches any other file)")


def test_a_licence_is_no_command_of_the_terminal(server, tmp_path):
    server.files[f"{EWT}/README.md"] = b"License: CC \x1b[31mBY\x07\n"
    done = fetch_here(server, tmp_path, "--part", "dev")
    assert any(r"CC \x1b[31mBY\x07" in line for line in done.lines) and "\x1b" not in done.err


WRONG = {
    "name": (["en_ewtt"], "no treebank named 'en_ewtt' in the index; did you mean 'en_ewt'?"),
    "one of two names": (["en_ewt", "Latin-PROIELL"], "no treebank named 'Latin-PROIELL' in the index; did you mean"),
    "part": (["tl_trg", "--part", "train"], "tl_trg has no part 'train'; it has: test"),
    "release": (["en_ewt", "--release", "newest"], "--release 'newest': write a release as 2.15 or r2.15"),
    "file": (["en_ewt", "--base-url", "file:///tmp"], "--base-url 'file:///tmp': write an address as https://"),
    "password": (["en_ewt", "--base-url", "https://me:secret@a.example"], "--base-url: no address with a user"),
    "index that is none": (["--index", str(SAMPLE / "README.md")], f"{SAMPLE / 'README.md'}: no index of treebanks: "),
    "index that is not there": (["--index", "nowhere.toml"], "nowhere.toml: No such file"),
}


@pytest.mark.parametrize(("arguments", "message"), WRONG.values(), ids=WRONG.keys())
def test_wrong_words(tmp_path, arguments, message):
    done = permtree("fetch", *arguments, cwd=tmp_path, status=2)
    (line,) = done.lines
    assert line.startswith(message)
    assert "secret" not in line
    assert files_in(tmp_path) == []


def test_a_folder_that_can_not_be_made(server, tmp_path):
    (tmp_path / "en_ewt").write_bytes(b"a file")
    done = fetch_here(server, tmp_path, status=2)
    assert done.lines == [f"{tmp_path}/en_ewt: File exists"]


def test_a_bar_in_a_terminal(server, tmp_path):
    pytest.importorskip("pty", reason="no pseudo-terminals here")
    from terminal import in_terminal

    arguments = ["fetch", "en_ewt", "--base-url", f"{server.url}/ud", "--to", str(tmp_path), "--part", "dev"]
    printed = in_terminal(*arguments)
    assert re.search(rb"en_ewt-ud-dev\.conllu: +\d+%\|", printed)
    assert b"100 sentences" in printed
    assert b"%|" not in in_terminal(*arguments, "--force", "--quiet")


def test_the_index_is_read_without_the_network():
    assert read_index()["UD_english-ewt"].repository == "UD_English-EWT"
    assert os.path.basename(EWT) == f"r{read_index().release}"
