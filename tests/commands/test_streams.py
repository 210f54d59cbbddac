"""Terminals and streams: no control character reaches a terminal, names may be any bytes, streams may be closed."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from commandline import permtree
from places import SAMPLE
from speed import first_is_quick

from permtree.legible import in_a_line, in_lines, json_legible, legible

TEST = SAMPLE / "fluvi-test.conllu"
ESCAPES = "# sent_id = \x1b[31ms1\n1\ta\ta\tNOUN\t_\t_\t0\troot\t_\t_\n"
ESCAPES += "2\t\x9bb\tb\tNO\x1b]0;x\x07\t_\t_\t1\tobj\x1b[2J\t_\t_\n\n"
HOSTILE = ["\x1b[31m", "\x07", "\x9b", "\x7f", "\r", "\u202e", "\u2028", "\udcff", "\0"]


def harmless(data: bytes) -> bool:
    """Lines of text, and nothing that a terminal takes for a command."""
    return all(char.isprintable() or char in "\n\t\u00a0" for char in data.decode("utf-8"))


@pytest.mark.parametrize("text", HOSTILE, ids=ascii)
def test_what_is_not_shown(text):
    for shown in (in_a_line(f"a{text}b"), legible(f"a{text}b")):
        assert shown.isprintable() and shown.encode("utf-8")
    assert in_a_line(in_a_line(text)) == in_a_line(text)
    content = {"a": text, text: ["b"]}
    said = json_legible(json.dumps(content, ensure_ascii=False))
    assert harmless(said.encode("utf-8")) and json.loads(said) == content


def test_what_is_shown_as_it_is():
    for text in ("plain", "ä €", "می\u200cروم", "日本", "a\u00a0b", "\U0001f333", 'quote " \\ back'):
        assert in_a_line(text) == json_legible(text) == text
    assert in_a_line("\x1b[31ms1\n\udcff") == r"\x1b[31ms1\n\udcff"
    assert in_lines("a\nb\x1b\n") == "a\nb\\x1b\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "e.conllu").write_text(ESCAPES, encoding="utf-8")
    (tmp_path / "two.conllu").write_text(ESCAPES * 2, encoding="utf-8")
    (tmp_path / "other.conllu").write_text(ESCAPES.replace("b\tb", "c\tb"), encoding="utf-8")
    (tmp_path / "bad.conllu").write_text(ESCAPES.replace("\t1\tobj", "\t9\tobj"), encoding="utf-8")
    (tmp_path / "w.toml").write_text('"a\\u001b[31m" = 3\n[x]\n"\\u001b[2J" = "y"\n', encoding="utf-8")
    return tmp_path


COMMANDS = [
    ["measure", "--by", "deprel", "e.conllu"],
    ["measure", "--by", "deprel", "--format", "json", "e.conllu"],
    ["measure", "--by", "sentence", "--format", "tsv", "e.conllu"],
    ["measure", "--by", "deprel", "--format", "markdown", "e.conllu"],
    ["measure", "--by", "file", "e.conllu", "\x1b[31m.conllu"],
    ["measure", "\x1b[31m"],
    ["evaluate", "--by", "deprel", "e.conllu", "e.conllu"],
    ["evaluate", "--by", "deprel", "--format", "json", "e.conllu", "e.conllu"],
    ["evaluate", "e.conllu", "other.conllu"],
    ["verify", "e.conllu", "other.conllu"],
    ["check", "bad.conllu"],
    ["permute", "--mode", "random", "bad.conllu"],
    ["permute", "--mode", "random", "--skip-errors", "-o", "out", "bad.conllu"],
    ["permute", "--mode", "grammar", "--weights", "w.toml", "e.conllu"],
    ["permute", "--mode", "\x1b[31m", "e.conllu"],
    ["permute", "--\x1b[31m", "e.conllu"],
    ["show", "--sentence", "\x1b[2Jnope", "e.conllu"],
    ["show", "--sentence", "1", "e.conllu"],
    ["split", "--ratio", "1:1:1\x1b", "e.conllu", "-o", "s"],
    ["split", "--ratio", "1:1", "two.conllu", "-o", "s\x1b[31m"],
    ["pairs", "e.conllu", "e.conllu", "other.conllu", "other.conllu", "-o", "p"],
    ["train", "left", "e.conllu", "-o", "m\x1b[31m"],
    ["train", "\x1b[31m", "e.conllu", "-o", "m"],
    ["train", "left", "e.conllu", "-o", "m", "--set", "\x1b[31m=3"],
    ["train", "left", "e.conllu", "-o", "m", "--config", "w.toml"],
    ["run", "w.toml"],
    ["fetch", "\x1b[31m"],
    ["\x1b[31m"],
]


@pytest.mark.parametrize("arguments", COMMANDS, ids=ascii)
def test_no_control_character_is_printed(folder, arguments):
    done = permtree(*arguments, cwd=folder, status=None)
    out = (
        done.out.replace(b"\xe2\x81\xa8", b"").replace(b"\xe2\x81\xa9", b"").replace(b"\xe2\x80\x8e", b"")
    )  # of drawings
    assert harmless(out) and harmless(done.err.encode("utf-8"))
    shown = done.out.decode("utf-8") + done.err
    assert "\\x1b" in shown or "\\u001b" in shown or "\ufffd" in shown or done.status == 0  # and not left out
    if done.status in (2, 3):
        assert len(done.lines) == 1


@pytest.mark.parametrize("style", ["table", "tsv", "json", "markdown"])
def test_names_that_are_no_utf8(tmp_path: Path, style):
    name = os.fsdecode(b"a\xff.conllu")
    try:
        (tmp_path / name).write_bytes(TEST.read_bytes() + b"1\tx\n\n")
    except OSError:
        pytest.skip("no such names here")
    done = permtree("check", name, cwd=tmp_path, status=1)
    assert done.out.decode("utf-8").startswith(r"a\udcff.conllu:")
    (tmp_path / name).write_bytes(TEST.read_bytes())
    done = permtree("measure", "--by", "file", "--format", style, name, TEST, cwd=tmp_path)
    if style == "json":
        assert name in json.dumps(json.loads(done.out), ensure_ascii=False)
    else:
        assert r"a\udcff.conllu" in done.out.decode("utf-8")


# -- streams -----------------------------------------------------------------------------------------------------------


def closed(arguments: str, which: str) -> tuple[int, bytes, str]:
    """How a command ends that was started without a standard stream."""
    script = f'"{sys.executable}" -m permtree {arguments} {which}'
    done = subprocess.run(["sh", "-c", script], capture_output=True, cwd=SAMPLE, stdin=subprocess.DEVNULL)
    return done.returncode, done.stdout, done.stderr.decode("utf-8")


NO_OUTPUT = "standard output: is closed\n"


@pytest.mark.parametrize(
    ("arguments", "which", "status", "err"),
    first_is_quick(
        [
            ("permute -q --mode optdl fluvi-test.conllu", ">&-", 2, NO_OUTPUT),
            ("measure fluvi-test.conllu", ">&-", 2, NO_OUTPUT),
            ("list", ">&-", 2, NO_OUTPUT),
            ("check fluvi-test.conllu", ">&-", 0, "0 errors, 0 warnings\n"),
            ("measure", "<&-", 2, "standard input is closed\n"),
            ("check fluvi-test.conllu", "<&-", 0, "0 errors, 0 warnings\n"),
            ("measure none", "2>&-", 2, ""),
            ("permute -q --mode optdl fluvi-test.conllu -o /dev/null", ">&- 2>&- <&-", 0, ""),
        ],
        2,
    ),
)
def test_closed_streams(arguments, which, status, err):
    assert closed(arguments, which) == (status, b"", err)


def test_a_report_that_nobody_reads_keeps_nothing_back():
    status, out, err = closed("permute --mode optdl fluvi-test.conllu", "2>&-")
    assert (status, err) == (0, "") and out == permtree("permute", "-q", "--mode", "optdl", TEST).out


@pytest.mark.parametrize(
    "error", [MemoryError(), RuntimeError("can't allocate memory: you tried\nto allocate 9 bytes")]
)
def test_out_of_memory_is_one_line(error, monkeypatch):
    def full(*_: object) -> None:
        raise error

    monkeypatch.setattr("permtree.commands.check.check_files", full)
    done = permtree("check", TEST, status=2)
    (line,) = done.lines
    assert line.startswith("out of memory: ")
