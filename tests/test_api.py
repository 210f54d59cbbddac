"""The names of the package work as its documentation says."""

from __future__ import annotations

import math
import subprocess
import sys

import pytest
from commandline import permtree, sentence
from places import SAMPLE

import permtree as package
from permtree import DataError, PermtreeError, Policies, Report, Treebank, UsageError, invert, measure, permute, verify

RIGAN = SAMPLE / "rigan-test.conllu"


@pytest.fixture(scope="module")
def treebank() -> Treebank:
    return Treebank.read(str(RIGAN))


def test_every_name_can_be_had():
    for name in package.__all__:
        assert getattr(package, name) is not None
    with pytest.raises(AttributeError, match="no_such_name"):
        _ = package.no_such_name


def test_importing_the_package_loads_nothing_heavy():
    script = (
        "import sys, permtree; print([m for m in ('numpy', 'scipy', 'conllu', 'click', 'torch') if m in sys.modules])"
    )
    assert subprocess.run([sys.executable, "-c", script], capture_output=True).stdout == b"[]\n"


def test_permuting_needs_no_conllu_and_no_scipy():
    script = (
        "import sys, permtree; permtree.permute(permtree.Treebank.from_heads([[2, 0]]), 'optdl');"
        "print([m for m in ('scipy', 'conllu', 'click', 'torch', 'tqdm', 'tabulate') if m in sys.modules])"
    )
    assert subprocess.run([sys.executable, "-c", script], capture_output=True).stdout == b"[]\n"


def test_permute_gives_what_the_command_line_gives(treebank):
    for mode, options in (("optdl", {"ties": "random", "seed": 3}), ("random", {"seed": 1}), ("lb", {})):
        arguments = [part for name, value in options.items() for part in (f"--{name}", str(value))]
        out = permtree("permute", "--mode", mode, *arguments, RIGAN).out
        assert permute(treebank, mode, **options).to_bytes() == out


def test_permute_leaves_the_treebank_alone(treebank):
    before = treebank.to_bytes()
    assert permute(treebank, "reverse").to_bytes() != before
    assert treebank.to_bytes() == before == RIGAN.read_bytes()
    with pytest.raises(ValueError, match="read-only"):
        treebank.head[0] = 0


def test_permute_with_policies_and_a_report():
    data = sentence("a", 0, 0) + sentence("b", 2, 0)
    report = Report()
    kept = permute(Treebank.from_bytes(data), "lb", roots="skip", report=report)
    assert (kept.n_sentences, report.left_out["several roots"]) == (1, 1)
    assert permute(Treebank.from_bytes(data), "lb", profile="gulordava-merlo-2016").n_sentences == 1
    assert permute(Treebank.from_bytes(data), "lb", profile="gulordava-merlo-2016", roots="keep").n_sentences == 2


@pytest.mark.parametrize(
    "arguments",
    [
        {"mode": "optdll"},
        {"mode": "optdl", "ties": "none"},
        {"mode": "lb", "ties": "random"},
        {"mode": "lb", "punct": "drop"},
        {"mode": "lb", "profile": "none"},
        {"mode": "random", "seed": -1},
    ],
    ids=str,
)
def test_what_permute_is_not_able_to_do(treebank, arguments):
    with pytest.raises(UsageError):
        permute(treebank, **arguments)


def test_errors_have_one_base_and_say_where():
    assert issubclass(UsageError, PermtreeError)
    assert issubclass(DataError, PermtreeError)
    with pytest.raises(DataError) as caught:
        permute(Treebank.from_bytes(sentence("a", 2, 1), "f"), "lb")
    assert (caught.value.finding.code, caught.value.finding.line, caught.value.finding.sentence) == ("E204", 2, "a")
    with pytest.raises(DataError):
        measure(Treebank.from_bytes(sentence("a", 2, 1)))
    with pytest.raises(DataError):
        invert(Treebank.from_bytes(sentence("a", 2, 0)))


def test_policies_are_checked():
    assert Policies() == Policies(punct="keep", roots="keep", nonprojective="keep", mwt="split")
    with pytest.raises(UsageError, match="did you mean 'strip'"):
        Policies(punct="stripp")


def test_measure(treebank):
    result = measure(treebank)
    assert list(result) == ["mean_sentence_length", "dlm_ratio", "arc_direction_entropy"]
    assert (result.sentences, result.words) == (treebank.n_sentences, treebank.n_words)
    for name, own in result.items():
        assert own.value > 0
        assert own.signature.startswith(f"{name}|")
        assert f"|sents:{result.kept_sentences}|permtree:{package.__version__}" in own.signature
    with pytest.raises(KeyError):
        result["mdd"]
    assert measure(permute(treebank, "optdl"), "dlm_ratio", profile="lal")["dlm_ratio"].value == pytest.approx(1)
    assert measure(permute(treebank, "lb"), "head_final", profile="lal")["head_final"].value == 1
    assert math.isnan(measure(Treebank.from_heads([]))["dlm_ratio"].value)


@pytest.mark.parametrize(
    ("names", "options"),
    [
        (["mddd"], {}),
        ([], {"profile": "none"}),
        ([], {"length": "spans"}),
        ([], {"unit": "bit"}),
        ([], {"by": "words"}),
        ([], {"punct": "drop"}),
        ([], {"punc": "keep"}),
    ],
    ids=str,
)
def test_what_measure_does_not_know(treebank, names, options):
    with pytest.raises(UsageError):
        measure(treebank, *names, **options)


def test_invert_and_verify(treebank):
    permuted = permute(treebank, "random-projective", seed=8)
    assert invert(permuted).to_bytes() == treebank.to_bytes()
    assert invert(invert(permute(permuted, "rb"))).to_bytes() == treebank.to_bytes()
    assert verify(treebank, permuted).is_pair
    assert not verify(treebank, Treebank.from_heads([[2, 0]])).is_pair


def test_to_and_from_conllu(treebank):
    sentences = treebank.to_conllu()
    assert [len(own) for own in sentences] == treebank.sentence_length.tolist()
    assert [own.metadata["sent_id"] for own in sentences] == treebank.sent_ids
    words = [word for own in sentences for word in own]
    assert [word["upos"] for word in words] == treebank.upos.decoded()
    assert [word["deprel"] for word in words] == treebank.deprel.decoded()
    back = Treebank.from_conllu(sentences)
    assert back.to_bytes() == treebank.to_bytes()
    first = permute(back, "optdl").to_conllu()[0]
    assert sorted(word["form"] for word in first) == sorted(word["form"] for word in sentences[0])


def test_columns_are_what_the_design_says(treebank):
    assert (treebank.sentence_start.dtype, treebank.head.dtype) == ("int64", "int32")
    assert treebank.sentence_start[0] == 0
    assert treebank.sentence_start[-1] == len(treebank.head) == treebank.n_words
    for column in (treebank.deprel, treebank.upos, treebank.xpos):
        assert (column.codes.dtype, len(column.codes)) == ("int32", treebank.n_words)
    assert (treebank.head >= -1).all()


def test_writing(tmp_path, treebank):
    treebank.write(str(tmp_path / "f.conllu.xz"))
    assert Treebank.read(str(tmp_path / "f.conllu.xz")).to_bytes() == treebank.to_bytes()
    treebank.write(tmp_path / "f.conllu")
    assert Treebank.read(tmp_path / "f.conllu").to_bytes() == treebank.to_bytes()
