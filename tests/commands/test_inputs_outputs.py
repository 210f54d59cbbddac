"""Standard input and output, compressed files, several files, links: the same sentences whichever way they come."""

from __future__ import annotations

import bz2
import gzip
import lzma
import os
import subprocess
from pathlib import Path

import pytest
from commandline import PERMTREE, files_in, permtree, sentence
from places import SAMPLE

FLUVI = SAMPLE / "fluvi-test.conllu"
RIGAN = SAMPLE / "rigan-test.conllu"
OPTDL = ("permute", "--quiet", "--mode", "optdl")
COMPRESSED = {".gz": gzip, ".xz": lzma, ".bz2": bz2}


@pytest.fixture(scope="module")
def expected() -> bytes:
    return permtree(*OPTDL, FLUVI).out


def test_standard_input(expected):
    data = FLUVI.read_bytes()
    assert permtree(*OPTDL, stdin=data).out == expected
    assert permtree(*OPTDL, "-", stdin=data).out == expected
    assert permtree(*OPTDL, "-o", "-", "-", stdin=data).out == expected


def test_output_to_a_file_is_what_goes_to_standard_output(tmp_path, expected):
    done = permtree(*OPTDL, FLUVI, "-o", tmp_path / "out.conllu")
    assert (done.out, done.err) == (b"", "")
    assert (tmp_path / "out.conllu").read_bytes() == expected
    assert files_in(tmp_path) == ["out.conllu"]


@pytest.mark.parametrize("suffix", COMPRESSED)
def test_compressed_input_and_output(tmp_path, expected, suffix):
    packed = COMPRESSED[suffix].compress(FLUVI.read_bytes())
    (tmp_path / "in").write_bytes(packed)
    permtree(*OPTDL, tmp_path / "in", "-o", tmp_path / f"out.conllu{suffix}")
    assert COMPRESSED[suffix].decompress((tmp_path / f"out.conllu{suffix}").read_bytes()) == expected
    assert permtree(*OPTDL, stdin=packed).out == expected
    permtree("invert", "--quiet", tmp_path / f"out.conllu{suffix}", "-o", tmp_path / f"back{suffix}")
    assert COMPRESSED[suffix].decompress((tmp_path / f"back{suffix}").read_bytes()) == FLUVI.read_bytes()


def test_several_files_follow_each_other(expected):
    rigan = permtree(*OPTDL, RIGAN).out
    assert permtree(*OPTDL, FLUVI, RIGAN).out == expected + rigan
    assert permtree(*OPTDL, RIGAN, FLUVI).out == rigan + expected
    assert permtree(*OPTDL, RIGAN, "-", stdin=FLUVI.read_bytes()).out == rigan + expected


def test_files_without_a_final_blank_line_do_not_run_together(tmp_path):
    for number, cut in enumerate([0, 1, 2]):  # as it should be; no blank line; no newline
        data = sentence(f"s{number}", 2, 0)
        (tmp_path / str(number)).write_bytes(data[: len(data) - cut])
    out = permtree(*OPTDL, "2", "1", "0", cwd=tmp_path).out
    assert [line for line in out.split(b"\n") if line.startswith(b"# sent_id")] == [
        b"# sent_id = s2",
        b"# sent_id = s1",
        b"# sent_id = s0",
    ]
    assert permtree("check", "--errors-only", stdin=out).out == b""


def same_file(how: str, path: Path, folder: Path) -> Path:
    """Another name of a file."""
    if how == "itself":
        return path
    if how == "other path":
        return folder / "sub" / ".." / path.name
    other = folder / "other.conllu"
    (os.link if how == "hard link" else os.symlink)(path, other)
    return other


WRITING = {
    "permute": [*OPTDL, "IN", "-o", "OUT"],
    "several": [*OPTDL, RIGAN, "IN", "-o", "OUT"],
    "another treebank": ["permute", "--mode", "like", "--treebank", "IN", FLUVI, "-o", "OUT"],
    "invert": ["invert", "IN", "-o", "OUT"],
    "parse": ["parse", "model", "IN", "-o", "OUT"],
    "show": ["show", "IN", "--sentence", "1", "--svg", "OUT"],
    "show against": ["show", FLUVI, "--sentence", "1", "--against", "IN", "--svg", "OUT"],
}


@pytest.mark.parametrize("how", ["itself", "other path", "hard link", "symbolic link"])
@pytest.mark.parametrize("command", WRITING)
def test_an_output_that_is_an_input_is_refused(command, how, tmp_path):
    (tmp_path / "sub").mkdir()
    path = tmp_path / "f.conllu"
    path.write_bytes(FLUVI.read_bytes())
    names = {"IN": path, "OUT": same_file(how, path, tmp_path)}
    done = permtree(*(names.get(part, part) for part in WRITING[command]), status=2, cwd=tmp_path)
    assert done.out == b"" and len(done.lines) == 1
    assert done.err.startswith(f"{names['OUT']}: is an input")
    assert path.read_bytes() == FLUVI.read_bytes()
    assert path.stat().st_nlink == 1 + (how == "hard link")


def test_split_does_not_replace_what_it_splits(tmp_path):
    path = tmp_path / "en.train.conllu"
    path.write_bytes(FLUVI.read_bytes())
    done = permtree("split", path, "-o", tmp_path / "en", status=2)
    assert done.err.startswith(f"{path}: is an input, which would be lost: name another file")
    assert files_in(tmp_path) == [path.name] and path.read_bytes() == FLUVI.read_bytes()


@pytest.mark.parametrize("name", ["results.sqlite", "scores.tsv"])
def test_a_report_does_not_replace_what_it_is_of(name, tmp_path):
    (tmp_path / name).write_bytes(b"mine")
    done = permtree("report", tmp_path, "-o", tmp_path / name, status=2)
    assert "is an input" in done.err and (tmp_path / name).read_bytes() == b"mine"


def test_an_output_that_is_standard_input_is_refused(tmp_path):
    path = tmp_path / "f.conllu"
    path.write_bytes(FLUVI.read_bytes())
    with open(path, "rb") as source:
        done = subprocess.run([*PERMTREE, *OPTDL, "-o", str(path)], stdin=source, capture_output=True)
    assert (done.returncode, done.stdout) == (2, b"")
    assert done.stderr.decode().startswith(f"{path}: is an input (<stdin>)")
    assert path.read_bytes() == FLUVI.read_bytes()


@pytest.mark.parametrize("name", ["suffix", "none", "wrong"])
@pytest.mark.parametrize("suffix", ["", *COMPRESSED])
def test_in_place_and_back(tmp_path, expected, suffix, name):
    """A file stays compressed as it is, whatever its name."""
    path = tmp_path / f"f.conllu{ {'suffix': suffix, 'none': '', 'wrong': '.bz2'}[name] }"
    module = COMPRESSED.get(suffix)
    path.write_bytes(module.compress(FLUVI.read_bytes()) if module else FLUVI.read_bytes())
    permtree(*OPTDL, path, "--in-place")
    assert (module.decompress(path.read_bytes()) if module else path.read_bytes()) == expected
    permtree("invert", "-q", path, "--in-place")
    assert (module.decompress(path.read_bytes()) if module else path.read_bytes()) == FLUVI.read_bytes()
    assert files_in(tmp_path) == [path.name]


@pytest.mark.parametrize(
    ("more", "why"),
    [
        (["--profile", "gulordava-merlo-2016"], "leave nothing out"),
        (["--punct", "strip"], "leave nothing out"),
        (["--nonprojective", "skip"], "leave nothing out"),
        (["--roots", "skip"], "leave nothing out"),
        (["--skip-errors"], "leave nothing out"),
        (["-o", "other"], "-o and --in-place: one of them"),
        ([RIGAN], "--in-place: name one file"),
    ],
    ids=str,
)
def test_in_place_loses_nothing(more, why, tmp_path):
    path = tmp_path / "f.conllu"
    path.write_bytes(FLUVI.read_bytes())
    done = permtree("permute", "--mode", "optdl", path, "--in-place", *more, status=2, cwd=tmp_path)
    assert why in done.err
    assert files_in(tmp_path) == ["f.conllu"] and path.read_bytes() == FLUVI.read_bytes()


def test_standard_input_has_no_place():
    assert permtree(*OPTDL, "--in-place", stdin=b"", status=2).lines == ["--in-place: name one file"]


def test_a_link_stays_a_link(tmp_path, expected):
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder" / "real").write_bytes(b"old")
    (tmp_path / "link").symlink_to("folder/real")
    permtree(*OPTDL, FLUVI, "-o", tmp_path / "link")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "folder" / "real").read_bytes() == expected


@pytest.mark.skipif(
    not Path("/dev/shm").is_dir() or os.stat("/dev/shm").st_dev == os.stat("/tmp").st_dev,
    reason="needs a second file system",
)
def test_a_link_to_another_file_system(tmp_path, expected):
    real = Path("/dev/shm") / f"permtree-test-{os.getpid()}"
    real.write_bytes(b"old")
    try:
        (tmp_path / "link").symlink_to(real)
        permtree(*OPTDL, FLUVI, "-o", tmp_path / "link")
        assert real.read_bytes() == expected
        assert files_in(tmp_path) == ["link"]
    finally:
        real.unlink()


def test_an_output_that_is_a_device():
    done = permtree(*OPTDL, FLUVI, "-o", "/dev/null")
    assert (done.out, done.err) == (b"", "")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no device that is always full")
def test_a_full_disk_is_an_error():
    done = permtree(*OPTDL, FLUVI, "-o", "/dev/full", status=None)
    assert done.status != 0
    assert len(done.lines) == 1


def test_warnings_about_what_reading_drops():
    data = b"\xef\xbb\xbf" + sentence("a", 2, 0).replace(b"\n", b"\r\n")
    done = permtree("permute", "--quiet", "--mode", "original", stdin=data)
    assert done.lines == [
        "warning: <stdin>:1: byte-order mark dropped",
        "warning: <stdin>:1: carriage returns at line ends dropped",
    ]
    assert b"\r" not in done.out


def test_no_input_gives_no_output():
    done = permtree("permute", "--mode", "optdl", stdin=b"")
    assert done.out == b""
    assert done.lines[0] == "warning: <stdin>:1: is empty: no sentence in it"
    assert done.lines[1] == "read 0 sentences, 0 words; wrote 0 sentences, 0 words"
    assert all(line.endswith(": 0") for line in done.lines[2:])
    assert permtree("invert", "--quiet", stdin=b"").out == b""
