"""Studies as they are read: what a file may say, what that means, and what is said to a file that says other things."""

from __future__ import annotations

from pathlib import Path

import pytest
from places import EXPERIMENTS

from permtree import UsageError
from permtree.study.reading import PROPERTIES, read_study
from permtree.treebank.policies import Policies
from permtree.treebank.punctuation import SETS

TREEBANK = 'treebanks.a = { train = "a.conllu", test = "b.conllu" }'
ORDERS, PARSERS = "orders.original = {}", "parsers.left = {}"
MODES = "known: "


def written(
    folder: Path, top: str = "", treebanks: str = TREEBANK, orders: str = ORDERS, parsers: str = PARSERS
) -> Path:
    path = folder / "study.toml"
    path.write_text("\n".join([top, treebanks, orders, parsers]), encoding="utf-8")
    return path


def read(folder: Path, **parts: str):
    return read_study(written(folder, **parts))


def error(folder: Path, **parts: str) -> str:
    """What is said, without the path."""
    path = written(folder, **parts)
    with pytest.raises(UsageError) as caught:
        read_study(path)
    message = str(caught.value)
    assert "\n" not in message
    assert message.startswith(f"{path}: ")
    return message.removeprefix(f"{path}: ")


# -- what is refused -------------------------------------------------------------------------------------------------

FILES = 'train = "a", test = "b"'
TREEBANK_KEYS = (
    "dev, dev_split, files, language, optional, paper, sentences, split, split_by, split_seed, test, train, words"
)  # fmt: skip
REFUSED = {
    "top": ({"top": "seed = [1]"}, "unknown key 'seed'; did you mean 'seeds'?"),
    "top, far": (
        {"top": "xyzzy = 1"},
        "unknown key 'xyzzy'; known: question, folder, seeds, profile, measures, convention, sentences, words, "
        "treebanks, orders, parsers, policies, pairs",
    ),
    "no treebanks": ({"treebanks": ""}, "treebanks: none; write [treebanks.NAME]"),
    "no orders": ({"orders": ""}, "orders: none; write [orders.NAME]"),
    "orders, another name": (
        {"orders": "[order.original]"},
        "unknown key 'order'; did you mean 'orders'?",
    ),
    "parsers, a list": ({"parsers": "parsers = []"}, "parsers: none; write [parsers.NAME]"),
    "treebanks, a number": ({"treebanks": "treebanks = 3"}, "treebanks: must be a table"),
    "treebank, a string": ({"treebanks": 'treebanks.a = "a.conllu"'}, "treebanks.a: must be a table"),
    "orders, an array": ({"orders": "[[orders]]\nmode = 'lb'", "parsers": "[parsers.left]"}, "orders: must be a table"),
    "policies, a string": ({"top": 'policies = "keep"'}, "policies: must be a table"),
    "settings, a string": ({"parsers": 'parsers.left = { settings = "x" }'}, "parsers.left.settings: must be a table"),
    "name of a treebank": (
        {"treebanks": f'treebanks."a.b" = {{ {FILES} }}'},
        "treebanks.a.b: names are made of letters, digits, _, -, + and =",
    ),
    "name with a path": (
        {"treebanks": f'treebanks."../a" = {{ {FILES} }}'},
        "treebanks.../a: names are made of letters, digits, _, -, + and =",
    ),
    "name, empty": ({"parsers": 'parsers."" = {}'}, "parsers.: names are made of letters, digits, _, -, + and ="),
    "name, long": (
        {"orders": f"orders.{'o' * 65} = {{ mode = 'lb' }}"},
        f"orders.{'o' * 65}: a name of more than 64 characters; give it a shorter one",
    ),
    "name of a list, long": (
        {"orders": f"orders.{'o' * 60} = {{ mode = 'mixture', of = 'lb', p = [0.25] }}"},
        f"orders.{'o' * 60}-p=0.25: a name of more than 64 characters; give it a shorter one",
    ),
    "question, a number": ({"top": "question = 3"}, "question = 3 must be a string"),
    "seeds, one": ({"top": "seeds = 1"}, "seeds = 1 must be a list of whole numbers"),
    "seeds, words": ({"top": 'seeds = ["1"]'}, "seeds = ['1'] must be a list of whole numbers"),
    "seeds, truth": ({"top": "seeds = [true]"}, "seeds = [True] must be a list of whole numbers"),
    "seeds, none": ({"top": "seeds = []"}, "seeds = []: name different whole numbers from 0 on"),
    "seeds, twice": ({"top": "seeds = [1, 1]"}, "seeds = [1, 1]: name different whole numbers from 0 on"),
    "seeds, negative": ({"top": "seeds = [0, -1]"}, "seeds = [0, -1]: name different whole numbers from 0 on"),
    "seeds, large": (
        {"top": f"seeds = [{2**63}]"},
        f"seeds = [{2**63}]: name different whole numbers from 0 on",
    ),
    "profile": ({"top": 'profile = "lol"'}, "profile = 'lol'; did you mean 'lal'?"),
    "convention": ({"top": 'convention = "no_punct"'}, "convention = 'no_punct'; did you mean 'no-punct'?"),
    "policy, unknown": ({"top": 'policies = { root = "skip" }'}, "policies: unknown key 'root'; did you mean 'roots'?"),
    "policy, a profile": (
        {"top": 'policies = { name = "lal" }'},
        "policies: unknown key 'name'; known: context, estimator, length, mwt, nonprojective, punct, "
        "punct_tag, root_arcs, roots, unit",
    ),
    "policy, value": (
        {"top": 'policies = { punct = "exlude" }'},
        "policies: punct = 'exlude'; did you mean 'exclude'?",
    ),
    "policy, a number": ({"top": "policies = { punct = 3 }"}, "policies: punct = 3 must be a string"),
    "policy, empty": (
        {"top": 'policies = { roots = "" }'},
        "policies: roots = ''; known: keep, skip, error",
    ),
    "policy, tag": (
        {"top": 'policies = { punct_tag = "" }'},
        f"policies: punct-tag: a tag, or a set of tags ({', '.join(SETS)}); separated by blanks, if several",
    ),
    "policy, unit": ({"top": 'policies = { unit = "bit" }'}, "policies: unit = 'bit'; did you mean 'bits'?"),
    "measure": ({"top": 'measures = ["omga"]'}, "measures: no measure named 'omga'; did you mean 'omega'?"),
    "treebank, key": (
        {"treebanks": f"treebanks.a = {{ {FILES}, devsplit = '9:1' }}"},
        "treebanks.a: unknown key 'devsplit'; did you mean 'dev_split'?",
    ),
    "treebank, far key": (
        {"treebanks": "treebanks.a = { qqq = 1 }"},
        f"treebanks.a: unknown key 'qqq'; known: {TREEBANK_KEYS}",
    ),
    "treebank, empty": (
        {"treebanks": "treebanks.a = {}"},
        "treebanks.a: name train or test or both (and dev), or files and split",
    ),
    "treebank, both": (
        {"treebanks": f"treebanks.a = {{ {FILES}, files = 'c', split = '9:1' }}"},
        "treebanks.a: name train or test or both (and dev), or files and split",
    ),
    "treebank, no split": (
        {"treebanks": "treebanks.a = { files = 'c' }"},
        "treebanks.a: name train or test or both (and dev), or files and split",
    ),
    "treebank, a split of nothing": (
        {"treebanks": f"treebanks.a = {{ {FILES}, split = '9:1' }}"},
        "treebanks.a: name train or test or both (and dev), or files and split",
    ),
    "treebank, dev alone": (
        {"treebanks": "treebanks.a = { dev = 'a' }"},
        "treebanks.a: name train or test or both (and dev), or files and split",
    ),
    "treebank, dev beside files": (
        {"treebanks": "treebanks.a = { files = 'c', split = '9:1', dev = 'd' }"},
        "treebanks.a: name train or test or both (and dev), or files and split",
    ),
    "split, one": (
        {"treebanks": "treebanks.a = { files = 'c', split = '9' }"},
        "treebanks.a: split: ratio '9': write two or more whole numbers separated by colons, such as 9:1 or 8:1:1",
    ),
    "split, four": (
        {"treebanks": "treebanks.a = { files = 'c', split = '1:1:1:1' }"},
        "treebanks.a: split: '1:1:1:1': two or three numbers, as in 9:1 or 8:1:1",
    ),
    "dev_split, three": (
        {"treebanks": f"treebanks.a = {{ {FILES}, dev_split = '8:1:1' }}"},
        "treebanks.a: dev_split: '8:1:1': two numbers, as in 9:1",
    ),
    "split_by without a split": (
        {"treebanks": f"treebanks.a = {{ {FILES}, split_by = 'document' }}"},
        "treebanks.a: split_by: nothing is split; write split or dev_split too",
    ),
    "dev_split beside dev": (
        {"treebanks": f"treebanks.a = {{ {FILES}, dev = 'd', dev_split = '9:1' }}"},
        "treebanks.a: dev_split: there is a dev part already",
    ),
    "dev_split beside a split with dev": (
        {"treebanks": "treebanks.a = { files = 'c', split = '8:1:1', dev_split = '9:1' }"},
        "treebanks.a: dev_split: there is a dev part already",
    ),
    "sentences, negative": (
        {"treebanks": f"treebanks.a = {{ {FILES}, sentences = -1 }}"},
        "treebanks.a: sentences = -1 must be from 0 to 2.14748e+09",
    ),
    "optional, a word": (
        {"treebanks": f"treebanks.a = {{ {FILES}, optional = 'yes' }}"},
        "treebanks.a: optional = 'yes' must be true or false",
    ),
    "train, a number": (
        {"treebanks": "treebanks.a = { train = 3, test = 'b' }"},
        "treebanks.a: train = 3 must be a list of strings",
    ),
    "mode, unknown": ({"orders": "orders.optd = {}"}, "orders.optd: no mode named 'optd'; did you mean 'optdl'?"),
    "mode, a number": ({"orders": "orders.x = { mode = 3 }"}, "orders.x: mode = 3 must be a string"),
    "mode, a list": ({"orders": "orders.x = { mode = ['lb'] }"}, "orders.x: mode = ['lb'] must be a string"),
    "option, unknown": (
        {"orders": "orders.optdl = { tie = 'random' }"},
        "orders.optdl: mode 'optdl' has no option 'tie'; did you mean 'ties'?",
    ),
    "option of a mode without": (
        {"orders": "orders.original = { p = 1 }"},
        "orders.original: mode 'original' has no option 'p'; it has none",
    ),
    "option, value": (
        {"orders": "orders.optdl = { ties = 'radom' }"},
        "orders.optdl: ties 'radom'; did you mean 'random'?",
    ),
    "option, one value of several": (
        {"orders": "orders.optdl = { ties = ['random', 'radom'] }"},
        "orders.optdl: ties 'radom'; did you mean 'random'?",
    ),
    "option, a table": (
        {"orders": "orders.mixture = { of = 'lb', p = { a = 1 } }"},
        "orders.mixture: p: a probability from 0 to 1, not {'a': 1}",
    ),
    "option, a date": (
        {"orders": "orders.mixture = { of = 'lb', p = 2016-01-01 }"},
        "orders.mixture: p: a probability from 0 to 1, not 2016-01-01",
    ),
    "option, too large": (
        {"orders": f"orders.mixture = {{ of = 'lb', p = 1{'0' * 400} }}"},
        "orders.mixture: a number is too large",
    ),
    "options, too large": (
        {"orders": f"orders.mixture = {{ of = 'lb', p = [1{'0' * 400}] }}"},
        "orders.mixture: a number is too large",
    ),
    "options, none": (
        {"orders": "orders.mixture = { of = 'lb', p = [] }"},
        "orders.mixture: p = []: name a value or several",
    ),
    "option, missing": (
        {"orders": "orders.mixture = {}"},
        "orders.mixture: mode 'mixture' needs --of MODE, such as optdl or optdl:ties=original",
    ),
    "orders, the same name": (
        {"orders": "orders.mixture = { of = 'lb', p = [0.5, 0.50] }"},
        "orders.mixture: two orders named 'mixture-p=0.5'",
    ),
    "order, seed": (
        {"orders": "orders.random = { seed = -1 }"},
        "orders.random: seed = -1 must be a whole number from 0 on",
    ),
    "order, seeds": (
        {"orders": "orders.random = { seed = [1, 2] }"},
        "orders.random: seed = [1, 2] must be a whole number from 0 on",
    ),
    "order, seed of truth": (
        {"orders": "orders.random = { seed = true }"},
        "orders.random: seed = True must be a whole number from 0 on",
    ),
    "order, large seed": (
        {"orders": f"orders.random = {{ seed = {2**63} }}"},
        f"orders.random: seed = {2**63} must be a whole number from 0 on",
    ),
    "file of an option": (
        {"orders": "orders.fixed = { sigma = 12 }"},
        "orders.fixed: sigma = 12 must name a file",
    ),
    "parser, key": (
        {"parsers": "parsers.left = { setings = {} }"},
        "parsers.left: unknown key 'setings'; did you mean 'settings'?",
    ),
    "parser, unknown": (
        {"parsers": "parsers.biafine = {}"},
        "parsers.biafine: no parser named 'biafine'; did you mean 'biaffine'?",
    ),
    "parser, unknown by its key": (
        {"parsers": "parsers.x = { parser = 'lefts' }"},
        "parsers.x: no parser named 'lefts'; did you mean 'left'?",
    ),
    "parser, preset": (
        {"parsers": "parsers.biaffine = { preset = 'smal' }"},
        "parsers.biaffine: preset 'smal'; did you mean 'small'?",
    ),
    "parser, setting": (
        {"parsers": "parsers.biaffine = { settings = { epoch = 1 } }"},
        "parsers.biaffine: settings: unknown key 'epoch'; did you mean 'epochs'?",
    ),
    "parser, value of a setting": (
        {"parsers": "parsers.biaffine = { settings = { epochs = 'many' } }"},
        "parsers.biaffine: settings: epochs = 'many' must be a whole number",
    ),
    "parser, device": (
        {"parsers": "parsers.left = { device = 'gpu' }"},
        "parsers.left: device = 'gpu'; did you mean 'cpu'?",
    ),
    "pairs, names": (
        {"top": 'pairs = [["original", "optdl"]]'},
        "pairs: no order named 'optdl'; known: original",
    ),
    "pairs, not two": (
        {"top": 'pairs = [["original"]]'},
        'pairs: a list of pairs of orders, as in [["original", "optdl"]]',
    ),
    "pairs, a string": (
        {"top": 'pairs = "original"'},
        'pairs: a list of pairs of orders, as in [["original", "optdl"]]',
    ),
    "pairs, numbers": ({"top": "pairs = [[1, 2]]"}, "pairs: no order named '1'; known: original"),
    "pairs, lists": ({"top": "pairs = [[['a'], ['b']]]"}, "pairs: no order named '['a']'; known: original"),
    "pairs, of itself": (
        {"top": 'pairs = [["original", "original"]]'},
        "pairs: original with itself: name two orders",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_refused(name, tmp_path: Path):
    parts, message = REFUSED[name]
    assert error(tmp_path, **parts) == message


def test_a_file_that_is_none(tmp_path: Path):
    with pytest.raises(UsageError, match=r"/none\.toml: No such file or directory$"):
        read_study(tmp_path / "none.toml")
    with pytest.raises(UsageError, match=r": Is a directory$"):
        read_study(tmp_path)
    for content in (b"[treebanks", b"question = '\xff'", b"seeds = [1]\nseeds = [2]"):
        (tmp_path / "study.toml").write_bytes(content)
        with pytest.raises(UsageError, match=r"study\.toml: no study: "):
            read_study(tmp_path / "study.toml")


@pytest.mark.parametrize("option", ["learn_from = 'no.conllu'", "learn-from = 'no.conllu'"])
def test_a_file_that_an_option_names_must_be_there(option, tmp_path: Path):
    assert error(tmp_path, orders=f"orders.majority = {{ {option} }}") == (
        f"orders.majority: {tmp_path}/no.conllu: no such file"
    )


# -- what is understood ----------------------------------------------------------------------------------------------


def test_defaults(tmp_path: Path):
    study = read(tmp_path)
    assert (study.name, study.question, study.folder, study.seeds) == ("study", "", tmp_path, (0,))
    assert (study.profile_name, study.convention, study.measures) == ("ud", "all", PROPERTIES)
    assert study.profile.policies == Policies(punct="final")
    assert study.treebanks["a"].sources() == {"train": ("a.conllu",), "test": ("b.conllu",)}
    assert study.orders["original"].mode == "original"
    assert (study.parsers["left"].parser, study.parsers["left"].device) == ("left", "cpu")
    assert study.pairs == ()
    assert study.text == study.path.read_text(encoding="utf-8")


def test_top_level(tmp_path: Path):
    top = 'question = """\nWhat\n  is it?"""\nfolder = "data"\nseeds = [3, 0]\nmeasures = ["omega", "dlm_ratio"]'
    study = read(tmp_path, top=top)
    assert study.question == "What is it?"
    assert study.folder == tmp_path / "data"
    assert study.seeds == (3, 0)
    assert study.measures == (*PROPERTIES, "omega")
    assert read_study(study.path, tmp_path / "other").folder == tmp_path / "other"


def test_policies_on_top_of_the_profile(tmp_path: Path):
    study = read(tmp_path, top='policies = { roots = "keep", unit = "bits" }')
    assert (study.profile.policies.punct, study.profile.policies.roots) == ("final", "keep")
    assert study.profile.conventions.unit == "bits"
    assert read(tmp_path, top='profile = "lal"').profile.policies.punct == "keep"


def test_a_list_of_values_is_an_order_for_each(tmp_path: Path):
    orders = (
        "orders.original = {}\n"
        "orders.dose = { mode = 'mixture', of = 'optdl:ties=original', p = [0, 0.25, 1], seed = 4 }\n"
        "orders.optdl = { ties = ['random', 'original'] }\n"
        "orders.match = { dlm = [1.1, 1.2], entropy = [0.1, 0.2] }"
    )
    found = read(tmp_path, orders=orders).orders
    assert list(found) == [
        "original", "dose-p=0", "dose-p=0.25", "dose-p=1", "optdl-ties=random", "optdl-ties=original",
        "match-dlm=1.1-entropy=0.1", "match-dlm=1.1-entropy=0.2", "match-dlm=1.2-entropy=0.1",
        "match-dlm=1.2-entropy=0.2",
    ]  # fmt: skip
    quarter = found["dose-p=0.25"]
    assert (quarter.family, quarter.dial, quarter.seed) == ("dose", 0.25, 4)
    assert quarter.options == (("of", "optdl:ties=original"), ("p", 0.25))
    assert (found["optdl-ties=random"].family, found["optdl-ties=random"].dial) == ("optdl", None)
    assert found["match-dlm=1.1-entropy=0.1"].dial is None
    assert (found["original"].family, found["original"].dial) == ("", None)


def test_files_are_named_in_relation_to_the_study(tmp_path: Path, monkeypatch):
    """Wherever the run is started, also those of a mode within another."""
    (tmp_path / "grammar.toml").write_text("default = 1", encoding="utf-8")
    (tmp_path / "other.conllu").write_bytes(b"")
    orders = (
        "orders.grammar = { weights = 'grammar.toml' }\n"
        "orders.like = { treebank = ['other.conllu'] }\n"
        "orders.mixture = { of = 'like:treebank=other.conllu,deterministic=yes' }"
    )
    parsers = "parsers.biaffine = { settings = { vectors = 'v.txt' } }"
    path = written(tmp_path, orders=orders, parsers=parsers)
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")
    for study in (read_study(path), read_study(Path("..") / path.name)):
        assert [name for name in study.orders] == ["grammar", "like-treebank=other.conllu", "mixture"]
        ((_, weights),) = study.orders["grammar"].options
        ((_, treebank),) = study.orders["like-treebank=other.conllu"].options
        ((_, within),) = study.orders["mixture"].options
        named = within.removeprefix("like:treebank=").removesuffix(",deterministic=yes")
        for file, name in ((weights, "grammar.toml"), (treebank, "other.conllu"), (named, "other.conllu")):
            assert Path(file).is_absolute()
            assert Path(file).samefile(tmp_path / name)
        assert Path(study.parsers["biaffine"].config.vectors).resolve() == (tmp_path / "v.txt").resolve()


def test_settings_on_top_of_a_preset(tmp_path: Path):
    parsers = (
        "parsers.biaffine = {}\n"
        "parsers.mine = { parser = 'biaffine', preset = 'full', settings = { epochs = 3 }, device = 'cuda' }"
    )
    found = read(tmp_path, parsers=parsers).parsers
    assert (found["mine"].parser, found["mine"].device, found["mine"].config.epochs) == ("biaffine", "cuda", 3)
    assert found["mine"].config.hidden > found["biaffine"].config.hidden


@pytest.mark.parametrize(
    ("orders", "pairs", "baseline"),
    [
        ("orders.original = {}\norders.lb = {}", [("original", "lb")], "original"),
        ("orders.lb = {}\norders.rb = {}", [("lb", "rb")], "lb"),
        (
            "orders.lb = {}\norders.text = { mode = 'original' }\norders.rb = {}",
            [("text", "lb"), ("text", "rb"), ("lb", "rb")],
            "text",
        ),
        (
            "orders.original = {}\norders.left = { mode = 'lb' }\norders.right = { mode = 'rb' }",
            [("original", "left"), ("original", "right"), ("left", "right")],
            "original",
        ),
    ],
    ids=["two", "mirrored", "no original first", "own names"],
)
def test_pairs_by_default(orders, pairs, baseline, tmp_path: Path):
    study = read(tmp_path, orders=orders)
    assert (list(study.pairs), study.baseline) == (pairs, baseline)


def test_pairs_given(tmp_path: Path):
    orders = "orders.original = {}\norders.lb = {}\norders.rb = {}"
    assert read(tmp_path, top='pairs = [["rb", "lb"]]', orders=orders).pairs == (("rb", "lb"),)
    assert read(tmp_path, top="pairs = []", orders=orders).pairs == ()


def test_the_studies_of_this_project_can_be_read():
    paths = sorted(EXPERIMENTS.glob("*.toml"))
    studies = {path.name: read_study(path) for path in paths if "treebanks" in path.read_text(encoding="utf-8")}
    assert "demo.toml" in studies
    assert all(study.question for study in studies.values())
