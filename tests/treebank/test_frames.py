"""Treebanks and measurements as tables of pandas and pyarrow, against what the package conllu reads."""

from __future__ import annotations

import subprocess
import sys

import conllu as conllu_package
import numpy as np
import pytest
from commandline import sentence
from places import SAMPLE
from reordering import conllu

from permtree import Treebank, measure, permute
from permtree.measuring.collector import Collector
from permtree.measuring.resampling import of_equal_size
from permtree.profiles import DEFAULT_PROFILE, PROFILES

FLUVI = SAMPLE / "fluvi-test.conllu"
WORDS = [
    "sentence", "sent_id", "id", "form", "lemma", "upos", "xpos", "feats", "head", "deprel", "deps", "misc",
]  # fmt: skip
NUMBERS = {"sentence", "id", "head"}
RICH = conllu(
    "# sent_id = first",
    "1-2 au _ _ _ _ _ _ _ MISC:_",
    "1 à à ADP P _ 3 case 3:case MISC:Orig=1",
    "2 le le DET D Gender=Masc|Number=Sing 3 det 3:det",
    "3 bois bois NOUN N _ 0 root 0:root MISC:SpaceAfter=No",
    "3.1 e _ _ _ _ _ _ 3:x MISC:_",
    "",
    "1 語 _ X _ _ 2 dep",
    "2 w _ X _ _ 0 root",
    "",
)
NO_TREE = conllu("# sent_id = bare", "1 a _ X _ _", "2 b _ X _ _", "") + sentence("tree", 2, 0)


@pytest.fixture(scope="module")
def treebank() -> Treebank:
    return Treebank.read(str(FLUVI))


def rows(table) -> list[tuple]:
    """The rows of a pyarrow table."""
    return list(zip(*(table.column(name).to_pylist() for name in table.column_names), strict=True))


def text(value: object) -> str:
    """A cell of the package conllu as it stood in the file."""
    if not value:
        return "_"
    if isinstance(value, dict):
        return "|".join(key if own is None else f"{key}={own}" for key, own in value.items())
    return value if isinstance(value, str) else "|".join(f"{head}:{relation}" for relation, head in value)


def expected_rows(data: bytes) -> list[tuple]:
    found = []
    for number, own in enumerate(conllu_package.parse(data.decode()), 1):
        for word in own:
            if isinstance(word["id"], int):
                name = own.metadata.get("sent_id", "")
                first = [text(word[column]) for column in ("form", "lemma", "upos", "xpos", "feats")]
                last = [text(word[column]) for column in ("deprel", "deps", "misc")]
                found.append((number, name, word["id"], *first, word["head"], *last))
    return found


# -- treebanks -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("data", [FLUVI.read_bytes(), RICH, NO_TREE], ids=["sample", "rich", "no tree"])
def test_words_in_arrow(data):
    arrow = pytest.importorskip("pyarrow")
    table = Treebank.from_bytes(data).to_arrow()
    assert table.column_names == WORDS
    assert rows(table) == expected_rows(data)
    for name in WORDS:
        assert table.schema.field(name).type == (arrow.int64() if name in NUMBERS else arrow.string()), name


@pytest.mark.parametrize("data", [FLUVI.read_bytes(), RICH], ids=["sample", "rich"])
def test_words_in_pandas(data):
    pandas = pytest.importorskip("pandas")
    frame = Treebank.from_bytes(data).to_pandas()
    assert list(frame.columns) == WORDS
    assert list(frame.itertuples(index=False, name=None)) == expected_rows(data)
    for name in WORDS:
        assert (frame[name].dtype == np.int64) == (name in NUMBERS), name
        assert pandas.api.types.is_string_dtype(frame[name]) == (name not in NUMBERS), name


def test_words_without_tree_have_no_head():
    """No number in pandas, null in Arrow; a root has 0."""
    pytest.importorskip("pyarrow")
    pandas = pytest.importorskip("pandas")
    treebank = Treebank.from_bytes(NO_TREE)
    assert treebank.to_arrow().column("head").to_pylist() == [None, None, 2, 0]
    frame = treebank.to_pandas()
    assert pandas.isna(frame["head"]).tolist() == [True, True, False, False]
    assert frame["head"].tolist()[2:] == [2, 0]


def test_a_selection_of_sentences(treebank):
    pytest.importorskip("pyarrow")
    kept = np.arange(treebank.n_sentences) % 7 == 3
    selection = treebank.select_sentences(kept)
    expected = []
    number = dict(zip((np.flatnonzero(kept) + 1).tolist(), range(1, int(kept.sum()) + 1), strict=True))
    for row in expected_rows(FLUVI.read_bytes()):
        if row[0] in number:
            expected.append((number[row[0]], *row[1:]))
    assert len(expected) > 50
    assert rows(selection.to_arrow()) == expected


def test_a_selection_of_words():
    """Ids and heads are those of the selection; columns that were read stay."""
    pytest.importorskip("pyarrow")
    treebank = Treebank.from_bytes(RICH)
    selection = treebank.select_words(np.array([True, False, True, False, True]))
    cells = [(row[0], row[2], row[3], row[8], row[9]) for row in rows(selection.to_arrow())]
    assert cells == [(1, 1, "à", 2, "case"), (1, 2, "bois", 0, "root"), (2, 1, "w", 0, "root")]


def test_a_permuted_treebank(treebank):
    pytest.importorskip("pyarrow")
    new = permute(treebank, "random", seed=1)
    assert rows(new.to_arrow()) == expected_rows(new.to_bytes())


def test_several_files(treebank):
    pytest.importorskip("pyarrow")
    both = Treebank.read(str(FLUVI), str(SAMPLE / "rigan-test.conllu"))
    assert rows(both.to_arrow()) == expected_rows(FLUVI.read_bytes() + (SAMPLE / "rigan-test.conllu").read_bytes())


def test_an_empty_treebank_has_its_columns():
    pandas, arrow = pytest.importorskip("pandas"), pytest.importorskip("pyarrow")
    empty = Treebank.from_bytes(b"")
    assert (list(empty.to_pandas().columns), len(empty.to_pandas())) == (WORDS, 0)
    assert (empty.to_arrow().column_names, empty.to_arrow().num_rows) == (WORDS, 0)
    assert (pandas.__name__, arrow.__name__) == ("pandas", "pyarrow")


@pytest.mark.parametrize("data", [b"", conllu("1 a _ X _ _", "")], ids=["no words", "no tree"])
def test_types_are_the_same_without_values(data, treebank):
    arrow = pytest.importorskip("pyarrow")
    table = Treebank.from_bytes(data).to_arrow()
    assert table.schema.types == treebank.to_arrow().schema.types
    assert arrow.concat_tables([table, treebank.to_arrow()]).num_rows == table.num_rows + treebank.n_words


# -- measurements ----------------------------------------------------------------------------------------------------


def test_a_measurement_is_a_row_a_measure(treebank):
    pytest.importorskip("pyarrow")
    pandas = pytest.importorskip("pandas")
    result = measure(treebank)
    frame = result.to_pandas()
    assert list(frame.columns) == ["measure", "value", "signature"]
    assert frame.to_dict("list") == {
        "measure": ["mean_sentence_length", "dlm_ratio", "arc_direction_entropy"],
        "value": [own.value for own in result.values()],
        "signature": [own.signature for own in result.values()],
    }
    assert frame["value"].dtype == np.float64
    assert pandas.api.types.is_string_dtype(frame["measure"])
    assert result.to_arrow().to_pydict() == frame.to_dict("list")


def test_intervals_are_columns(treebank):
    pytest.importorskip("pyarrow")
    pytest.importorskip("pandas")
    result = measure(treebank, "mdd", "head_final", ci=10)
    frame = result.to_pandas()
    assert list(frame.columns) == ["measure", "value", "low", "high", "signature"]
    assert list(zip(frame["low"], frame["high"], strict=True)) == [own.interval for own in result.values()]
    assert result.to_arrow().to_pydict() == frame.to_dict("list")


def test_deviations_are_a_column(treebank):
    pytest.importorskip("pandas")
    collector = Collector(("mdd", "head_final"), PROFILES[DEFAULT_PROFILE], single_sentences=True)
    collector.add(treebank)
    result = of_equal_size(collector, 10, 3)
    frame = result.to_pandas()
    assert list(frame.columns) == ["measure", "value", "deviation", "signature"]
    assert frame["deviation"].tolist() == [own.deviation for own in result.values()]


@pytest.mark.parametrize("by", ["deprel", "length", "file", "displacement"])
def test_a_measurement_by_groups_is_a_row_a_group(treebank, by):
    pytest.importorskip("pyarrow")
    pytest.importorskip("pandas")
    result = measure(treebank, "mdd", "arc_direction_entropy", by=by)
    frame = result.to_pandas()
    assert list(frame.columns) == ["group", "size", "mdd", "arc_direction_entropy"]
    assert len(frame) == len(result.groups) > 0
    for row, (label, size, values) in zip(frame.itertuples(index=False, name=None), result.groups, strict=True):
        assert row == (label, size, *(pytest.approx(value, abs=0, rel=0, nan_ok=True) for value in values.values()))
    assert (frame["size"].dtype, frame["mdd"].dtype) == (np.int64, np.float64)
    assert result.to_arrow().column_names == list(frame.columns)


def test_a_measurement_by_sentence_names_numbers_and_ids():
    arrow = pytest.importorskip("pyarrow")
    data = sentence("a", 2, 0) + sentence("roots", 0, 0) + sentence("c", 0) + sentence("d", 0, 1, 1)
    result = measure(Treebank.from_bytes(data), "mdd", by="sentence", profile="lal")
    table = result.to_arrow()
    assert table.column_names == ["number", "sent_id", "size", "mdd"]
    assert [row[:3] for row in rows(table)] == [(1, "a", 1), (3, "c", 1), (4, "d", 1)]
    assert [row[3] for row in rows(table)] == pytest.approx([1, float("nan"), 1.5], nan_ok=True)
    assert [field.type for field in table.schema] == [arrow.int64(), arrow.string(), arrow.int64(), arrow.float64()]


def test_no_groups_are_no_rows():
    pytest.importorskip("pandas")
    frame = measure(Treebank.from_heads([]), "mdd", by="sentence").to_pandas()
    assert (list(frame.columns), len(frame)) == (["number", "sent_id", "size", "mdd"], 0)


# -- without the packages --------------------------------------------------------------------------------------------


def printed(script: str) -> str:
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.parametrize(("package", "method"), [("pandas", "to_pandas"), ("pyarrow", "to_arrow")])
def test_a_package_that_is_not_installed_is_named(package, method):
    script = f"""
import sys
sys.modules["{package}"] = None
import permtree
treebank = permtree.Treebank.from_heads([[2, 0]])
for table in (treebank, permtree.measure(treebank), permtree.measure(treebank, by="sentence")):
    try:
        table.{method}()
    except permtree.UsageError as error:
        print(error)
"""
    assert printed(script) == f"{package} is not installed: pip install {package}\n" * 3


def test_neither_package_is_imported_before_it_is_needed():
    script = """
import sys
import permtree
treebank = permtree.Treebank.from_heads([[2, 0]])
permtree.measure(permtree.permute(treebank, "optdl"), by="sentence")
permtree.measure(treebank, ci=2)
print([name for name in ("pandas", "pyarrow") if name in sys.modules])
"""
    assert printed(script) == "[]\n"
