"""Settings: where they come from, which one wins, and what is said of those that can't be used."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

import pytest
from small_networks import KINDS, of_both

from permtree.configuration import as_json, configured, described, read_assignments, read_toml, setting
from permtree.errors import UsageError


@dataclass(frozen=True)
class Settings:
    """One field of each kind that a config may have."""

    size: int = setting(10, "how large", within=(1, 100))
    rate: float = setting(0.5, "how fast", within=(0, 1))
    how: str = setting("cnn", "in which way", ("cnn", "lstm"))
    path: str = setting("", "a file")
    on: bool = setting(True, "whether")
    parts: tuple[str, ...] = setting(("a", "b"), "which")


def one(**values: object) -> Settings:
    return configured(Settings, ("here", values))


def test_defaults_where_nothing_is_said():
    assert configured(Settings) == Settings()


def test_a_later_layer_wins():
    found = configured(Settings, ("a", {"size": 1, "on": False}), ("b", {"size": 2}), ("c", {}), ("d", {"rate": 0.1}))
    assert found == Settings(size=2, on=False, rate=0.1)


@pytest.mark.parametrize(
    ("values", "wanted"),
    [
        ({"rate": 1}, Settings(rate=1.0)),
        ({"parts": ["x"]}, Settings(parts=("x",))),
        ({"parts": []}, Settings(parts=())),
        ({"size": 1}, Settings(size=1)),
        ({"size": 100}, Settings(size=100)),
    ],
)
def test_values_that_fit(values, wanted):
    found = one(**values)
    assert found == wanted
    assert [type(value) for value in vars(found).values()] == [type(value) for value in vars(wanted).values()]


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"sise": 3}, "here: unknown key 'sise'; did you mean 'size'?"),
        ({"zzz": 3}, "here: unknown key 'zzz'; known: how, on, parts, path, rate, size"),
        ({"size": "3"}, "here: size = '3' must be a whole number"),
        ({"size": 3.0}, "here: size = 3.0 must be a whole number"),
        ({"size": True}, "here: size = True must be a whole number"),
        ({"size": None}, "here: size = None must be a whole number"),
        ({"size": 0}, "here: size = 0 must be from 1 to 100"),
        ({"size": 101}, "here: size = 101 must be from 1 to 100"),
        ({"rate": "fast"}, "here: rate = 'fast' must be a number"),
        ({"rate": True}, "here: rate = True must be a number"),
        ({"rate": float("nan")}, "here: rate = nan must be from 0 to 1"),
        ({"rate": -0.1}, "here: rate = -0.1 must be from 0 to 1"),
        ({"how": "ltsm"}, "here: how = 'ltsm'; did you mean 'lstm'?"),
        ({"how": 7}, "here: how = 7 must be a string"),
        ({"on": 1}, "here: on = 1 must be true or false"),
        ({"on": "yes"}, "here: on = 'yes' must be true or false"),
        ({"path": 2024}, "here: path = 2024 must be a string"),
        ({"parts": "ab"}, "here: parts = 'ab' must be a list of strings"),
        ({"parts": ["a", 1]}, "here: parts = ['a', 1] must be a list of strings"),
        ({"size": {"a": 1}}, "here: size = {'a': 1} must be a whole number"),
    ],
)
def test_values_that_do_not_fit(values, message):
    with pytest.raises(UsageError) as caught:
        one(**values)
    assert str(caught.value) == message


def test_the_layer_that_is_wrong_is_named():
    with pytest.raises(UsageError, match="^second: size = 'x'"):
        configured(Settings, ("first", {"size": 5}), ("second", {"size": "x"}), ("third", {"size": 6}))


# -- assignments -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("assignment", "wanted"),
    [
        ("size=3", {"size": 3}),
        ("rate=1e-3", {"rate": 0.001}),
        ("on=false", {"on": False}),
        ("how=lstm", {"how": "lstm"}),
        ('how="lstm"', {"how": "lstm"}),
        ("path=/some/where/x=y.vec", {"path": "/some/where/x=y.vec"}),
        ("path=", {"path": ""}),
        ('path="2024"', {"path": "2024"}),
        ('parts=["a", "b"]', {"parts": ["a", "b"]}),
        (" size = 3", {"size": 3}),
        ("path=a\nsize = 4", {"path": "a\nsize = 4"}),
    ],
)
def test_assignments(assignment, wanted):
    assert read_assignments([assignment], "--set") == wanted


def test_of_two_assignments_the_last_one_counts():
    assert read_assignments(["size=3", "rate=1", "size=4"], "--set") == {"size": 4, "rate": 1}


@pytest.mark.parametrize("assignment", ["size", "=3", " =3", ""])
def test_what_is_no_assignment(assignment):
    with pytest.raises(UsageError) as caught:
        read_assignments([assignment], "--set")
    assert str(caught.value) == f"--set '{assignment}': write KEY=VALUE"


# -- files -----------------------------------------------------------------------------------------------------------


def test_toml(tmp_path: Path):
    path = tmp_path / "a.toml"
    path.write_text('size = 7\nparts = ["x", "y"]\nhow = "lstm"  # as in the paper\n', encoding="utf-8")
    assert configured(Settings, (str(path), read_toml(path))) == Settings(size=7, parts=("x", "y"), how="lstm")


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"size = \n", "no TOML: .*line 1"),
        (b"size = 1\nsize = 2\n", "no TOML: "),
        (b'path = "\xff"\n', "no TOML: .*utf-8"),
        (b"[size]\n", None),
    ],
)
def test_toml_with_a_fault(tmp_path: Path, content, message):
    path = tmp_path / "a.toml"
    path.write_bytes(content)
    with pytest.raises(UsageError, match=message or "size = {} must be a whole number") as caught:
        configured(Settings, (str(path), read_toml(path)))
    assert str(caught.value).startswith(f"{path}: ")
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("name", ["missing.toml", "."])
def test_toml_that_is_not_there(tmp_path: Path, name):
    with pytest.raises(UsageError, match="No such file|Is a directory"):
        read_toml(tmp_path / name)


# -- back and forth --------------------------------------------------------------------------------------------------


def test_json_and_back():
    config = Settings(size=3, parts=("x",))
    stored = as_json(config)
    assert json.loads(json.dumps(stored)) == stored  # so that what is read from a file compares equal
    assert configured(Settings, ("file", stored)) == config


def test_cards_of_settings():
    cards = dict(described(Settings))
    assert cards["how = 'cnn'"] == "in which way (cnn, lstm)"
    assert len(cards) == 6


@of_both
def test_every_preset_of_our_parsers_can_be_used(kind):
    assert {"small", "full"} <= set(kind.presets)
    for name, values in kind.presets.items():
        config = configured(kind.Config, (name, values))
        assert configured(kind.Config, ("again", as_json(config))) == config


def test_our_parsers_share_their_settings():
    shared = [{name for name, _ in described(kind.Config)} for kind in KINDS]
    assert {name.partition(" ")[0] for name in shared[0] & shared[1]} >= {"hidden", "epochs", "batch_words"}
