"""Tags that a parser was not trained with are counted and told: in `parse`, and of dev data in training."""

from __future__ import annotations

import pytest
from commandline import permtree, sentence

from permtree import Treebank, train
from permtree.parsing import Session
from permtree.parsing.tags import tags_in, unknown_tags

ROWS = [("NOUN", "NN", "Case=Nom|Number=Sing"), ("VERB", "VB", "_"), ("ADP", "IN", "_")]


def tagged(*, upos: dict | str = "", xpos: dict | str = "", feats: dict | str = "", times: int = 8) -> bytes:
    """Sentences of three words; dicts rename tags, a text replaces all of them."""

    def changed(value: str, how: dict | str) -> str:
        return how.get(value, value) if isinstance(how, dict) else how or value

    block = b""
    for number in range(times):
        for place, row in enumerate(ROWS, 1):
            tags = [changed(value, how) for value, how in zip(row, (upos, xpos, feats), strict=True)]
            head, relation = (0, "root") if place == 2 else (2, "dep")
            block += (
                f"{place}\tw{number}{place}\t_\t{tags[0]}\t{tags[1]}\t{tags[2]}\t{head}\t{relation}\t_\t_\n".encode()
            )
        block += b"\n"
    return block


def told(known: bytes, data: bytes, *names: str) -> list[str]:
    return unknown_tags(
        Treebank.from_bytes(data), tags_in(Treebank.from_bytes(known), names or ("UPOS", "XPOS", "FEATS")), "x"
    )


@pytest.mark.parametrize(
    ("changes", "kind", "count"),
    [
        ({"upos": "_"}, "UPOS", "none of the words has {} (24 of 24 unknown values, such as _)"),
        ({"upos": {"NOUN": "N", "VERB": "V"}}, "UPOS", "only 33% of the words have {} (16 of 24 unknown"),
        ({"xpos": "_"}, "XPOS", "none of the words has {} (24 of 24"),
        ({"xpos": {"NN": "N"}}, "XPOS", "only 67% of the words have {} (8 of 24"),
        ({"feats": "_"}, "FEATS", "none of the words has {} (24 of 24"),
        ({"feats": "Case=NOM"}, "FEATS", "none of the words has {} (24 of 24"),
    ],
    ids=["no UPOS", "renamed UPOS", "no XPOS", "renamed XPOS", "no FEATS", "renamed FEATS"],
)  # fmt: skip
def test_unknown_tags_are_counted(changes, kind, count):
    (line,) = told(tagged(), tagged(**changes))
    assert line.startswith("x: " + count.format(f"the {kind} that the model was trained with"))
    assert told(tagged(), tagged(**changes), kind) == [line]
    assert told(tagged(), tagged(**changes), *{"UPOS", "XPOS", "FEATS"} - {kind}) == []


def test_known_tags_are_not_told():
    assert told(tagged(), tagged()) == []
    assert told(tagged(feats="_"), tagged(feats="_")) == []
    assert told(tagged(), tagged(feats="_", times=1)) == []  # three words may well have none
    rare = tagged(times=7) + tagged(upos={"ADP": "ADX"}, times=1)
    assert told(tagged(), rare) == []
    assert told(tagged(), b"") == []


@pytest.mark.parametrize("parser", ["majority-offset", "left", "biaffine", "arc-hybrid", "udpipe"])
def test_every_parser_of_ours_tells(parser, tmp_path):
    small = {"epochs": 1, "hidden": 4, "layers": 1} if parser in ("biaffine", "arc-hybrid") else {}
    if parser == "udpipe":
        pytest.importorskip("ufal.udpipe")
        small = {"iterations": 1, "hidden_layer": 5, "transition_oracle": "static", "structured_interval": 0}
    lines: list[str] = []
    dev = Treebank.from_bytes(tagged(upos="_"))
    model = train(parser, Treebank.from_bytes(tagged()), dev, session=Session(tell=lines.append), **small)
    about_tags = [line for line in lines if "trained with" in line]
    assert about_tags == unknown_tags(dev, model.known_tags(), "dev data")
    assert about_tags[0].startswith(
        "dev data: none of the words has the UPOS that the model was trained with (24 of 24"
    )
    assert unknown_tags(Treebank.from_bytes(tagged()), model.known_tags(), "x") == []


def test_tags_that_play_no_part_are_not_told():
    settings = {"epochs": 1, "hidden": 4, "layers": 1, "upos": False}
    lines: list[str] = []
    train("biaffine", Treebank.from_bytes(tagged()), Treebank.from_bytes(tagged(upos="_")),
          session=Session(tell=lines.append), **settings)  # fmt: skip
    assert not any("UPOS" in line for line in lines)


def test_the_command_line(tmp_path):
    (tmp_path / "train").write_bytes(tagged())
    (tmp_path / "bare").write_bytes(tagged(upos="_"))
    done = permtree("train", "majority-offset", "train", "--dev", "bare", "-o", "model", cwd=tmp_path)
    assert done.lines[0].startswith("dev data: none of the words has the UPOS")
    for quiet in ([], ["--quiet"]):
        done = permtree("parse", "model", "bare", *quiet, cwd=tmp_path)
        assert done.lines[0].startswith(
            "warning: bare: none of the words has the UPOS that the model was trained with (24"
        )
        assert "trained with" not in permtree("parse", "model", "train", *quiet, cwd=tmp_path).err


def test_arguments_in_the_wrong_order(tmp_path):
    (tmp_path / "file").write_bytes(tagged())
    permtree("train", "left", "file", "-o", "model", cwd=tmp_path)
    done = permtree("parse", "file", "model", cwd=tmp_path, status=2)
    message = "the folder of a model comes first, then the file: permtree parse MODEL FILE"
    assert done.lines == [f"file: is a file, not a folder; {message}"]


def test_sentences_above_the_limit_of_decoding_are_told(tmp_path):
    """By train of dev data, and by parse of the file; not where the decoder has no such limit."""
    (tmp_path / "train.conllu").write_bytes(tagged())
    (tmp_path / "long.conllu").write_bytes(tagged(times=1) + sentence("long", *[0, *range(1, 6)]))
    settings = [part for name in ("epochs=1", "hidden=4", "layers=1", "longest=5") for part in ("--set", name)]
    files = [tmp_path / "train.conllu", "--dev", tmp_path / "long.conllu"]
    done = permtree("train", "biaffine", *files, *settings, "-o", tmp_path / "model")
    what = "1 sentence has more than 5 words (setting longest): they are decoded in parts, so that not every tree is "
    what += "the best projective one"
    assert f"dev data: {what}" in done.lines
    done = permtree("parse", tmp_path / "model", tmp_path / "long.conllu", "-o", tmp_path / "parsed.conllu")
    assert f"warning: {tmp_path / 'long.conllu'}: {what}" in done.lines
    assert Treebank.read(str(tmp_path / "parsed.conllu")).trees_only()[0].n_words == 9
    done = permtree("parse", tmp_path / "model", tmp_path / "long.conllu", "--decode", "mst")
    assert "longest" not in "".join(done.lines)
