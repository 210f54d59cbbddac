"""A setting is declared once: a field that is added to policies or conventions is found wherever settings are."""

from __future__ import annotations

import inspect
import subprocess
import sys

import pytest
from commandline import sentence
from places import ROOT

from permtree.cli import COMMANDS, root

MOST_PARAMETERS = 8

ADDED = """
from dataclasses import dataclass

import permtree.measures as measures
import permtree.treebank.policies as policies
from permtree.configuration import setting


@dataclass(frozen=True)
class Policies(policies.Policies):
    tone: str = setting("plain", "How loud it is.", choices=("plain", "loud"))


@dataclass(frozen=True)
class Conventions(measures.Conventions):
    scale: str = setting("ounces", "What it is weighed in.", choices=("ounces", "grams"))


policies.Policies, measures.Conventions = Policies, Conventions


@measures.measure(
    "weight", kind="sentence", score=measures.total, what="w", unit="w", range="w", source="w", uses=("scale",)
)
def weight(treebank, conventions):
    return treebank.sentence_length[:, None] * (28 if conventions.scale == "grams" else 1)

"""
STUDY = """
folder = "."
[treebanks.a]
train = "a"
test = "a"
[orders.original]
[parsers.majority-offset]
[policies]
tone = "{}"
scale = "grams"
"""


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "a").write_bytes(sentence("a", 2, 0, 2))
    (tmp_path / "study.toml").write_text(STUDY.format("loud"))
    (tmp_path / "wrong.toml").write_text(STUDY.format("lout"))
    return tmp_path


def shown(folder, code: str) -> str:
    """What some code prints where a policy and a convention were added, and nothing else changed."""
    code = f"{ADDED}\nfrom permtree.cli import run\n{code}"
    done = subprocess.run([sys.executable, "-c", code], cwd=folder, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout + done.stderr


def test_a_field_that_is_added_is_an_option_and_stands_in_signatures(folder):
    out = shown(
        folder,
        """
for arguments in (
    ["measure", "--help"],
    ["permute", "--help"],
    ["region", "--help"],
    ["measure", "--measure", "weight", "--tone", "loud", "--scale", "grams", "a"],
    ["permute", "--mode", "rb", "--tone", "loud", "a"],
    ["measure", "--tone", "lout", "a"],
):
    print("$", *arguments, flush=True)
    run(arguments)
""",
    )
    by_command = dict(part.split("\n", 1) for part in out.split("$ ")[1:])
    for command in ("measure", "permute", "region"):
        assert "--tone [plain|loud]" in by_command[f"{command} --help"]
    assert "--scale [ounces|grams]" in by_command["measure --help"]
    measured = by_command["measure --measure weight --tone loud --scale grams a"]
    assert "84.0000  weight|scale:grams|punct:strip|roots:keep|tone:loud|sents:1|" in measured
    assert "|mwt:split|tone:loud|permtree:" in by_command["permute --mode rb --tone loud a"]
    assert "'lout' is not one of 'plain', 'loud'" in out


def test_a_field_that_is_added_is_a_keyword_a_key_and_a_line_of_cards(folder):
    out = shown(
        folder,
        """
from permtree import Treebank, compare, measure, permute
from permtree.errors import UsageError
from permtree.study.reading import read_study
treebank = Treebank.read("a")
print(measure(treebank, "weight", tone="loud", scale="grams")["weight"])
print(compare(treebank, treebank, "weight", tone="loud", ci=3).differences["weight"].signature)
print(permute(treebank, "rb", tone="loud").to_bytes().decode())
profile = read_study("study.toml").profile
print(profile.policies.tone, profile.conventions.scale, profile.given)
for wrong in (lambda: measure(treebank, tone="lout"), lambda: read_study("wrong.toml")):
    try:
        wrong()
    except UsageError as error:
        print(error)
run(["list", "profiles"])
""",
    )
    assert "Value(value=84.0, signature='weight|scale:grams|punct:strip|roots:keep|tone:loud|sents:1|" in out
    assert "weight|scale:ounces|punct:strip|roots:keep|tone:loud|compared:" in out
    assert (
        "# permtree = rb|siblings:shortest-nearest|punct:keep|roots:keep|nonprojective:keep|mwt:split|tone:loud|" in out
    )
    assert "loud grams frozenset({'scale'})" in out
    assert "--tone 'lout'; did you mean 'loud'?" in out
    assert "wrong.toml: policies: tone = 'lout'; did you mean 'loud'?" in out
    assert "scale ounces" in out
    assert "tone plain" in out


@pytest.mark.parametrize("name", sorted(COMMANDS))
def test_no_command_takes_more_than_eight_parameters(name):
    """Options that belong together come as one object."""
    command = root.get_command(None, name)
    own = inspect.signature(inspect.unwrap(command.callback)).parameters
    assert len(own) <= MOST_PARAMETERS, [*own]


def test_the_map_of_what_is_installed_names_the_groups():
    assert "permtree.modes" in (ROOT / "docs" / "add_a_word_order.md").read_text(encoding="utf-8")
    assert "permtree.measures" in (ROOT / "docs" / "add_a_measure.md").read_text(encoding="utf-8")
