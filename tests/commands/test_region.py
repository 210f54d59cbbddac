"""`permtree region`: what the two dials of `match` reach, against the orders that stand at the corners."""

from __future__ import annotations

import json
import math

import pytest
from commandline import permtree, sentence
from places import SAMPLE

from permtree import Treebank, measure, permute
from permtree.permuters.dials import CORNERS

RIGAN = SAMPLE / "rigan-dev.conllu"
HEADER = ["what", "length dial", "entropy dial", "dlm_ratio", "arc_direction_entropy"]
LENGTHS, ENTROPIES = [step / 2 for step in range(9)], [step / 4 for step in range(5)]
PROPERTIES = ("dlm_ratio", "arc_direction_entropy")
# The orders at the corners, as `permute` gives them
MODES = {
    (0.0, 0.0): ("optdl", {"ties": "min-entropy"}),
    (0.0, 1.0): ("optdl", {"ties": "max-entropy"}),
    (3.0, 0.0): ("rb", {"siblings": "shortest-nearest"}),
    (4.0, 0.0): ("rb", {"siblings": "longest-nearest"}),
}


PROFILE = "gulordava-merlo-2016"  # its conventions are those of region and match


def properties(treebank: Treebank, **policies: str) -> tuple[float, float]:
    result = measure(treebank, *PROPERTIES, profile=PROFILE, **policies)
    return tuple(result[name].value for name in PROPERTIES)


def table_of(out: bytes) -> list[list[str]]:
    return [line.split("\t") for line in out.decode().splitlines()]


def points(rows: list[list[str]]) -> dict[tuple[float, float], tuple[float, float]]:
    return {(float(row[1]), float(row[2])): (float(row[3]), float(row[4])) for row in rows[2:]}


@pytest.fixture(scope="module")
def rows() -> list[list[str]]:
    return table_of(permtree("region", RIGAN, "--format", "tsv").out)


def test_rows(rows):
    assert rows[0] == HEADER
    assert {len(row) for row in rows} == {5}
    assert rows[1][:3] == ["the text", "", ""]
    assert {(float(row[1]), float(row[2])): row[0] for row in rows[2 : 2 + len(CORNERS)]} == CORNERS
    assert {row[0] for row in rows[2 + len(CORNERS) :]} == {""}
    assert sorted(points(rows)) == [(length, entropy) for length in LENGTHS for entropy in ENTROPIES]
    assert len(rows) == 2 + len(LENGTHS) * len(ENTROPIES)


def test_the_text_is_as_measured(rows):
    expected = properties(Treebank.read(str(RIGAN)), punct="keep", roots="keep")
    assert tuple(map(float, rows[1][3:])) == pytest.approx(expected, rel=1e-12)


def test_grammars_and_branching_have_no_entropy(rows):
    """At the corners and between the second and the third, where a type of arc takes one of two sides."""
    found = points(rows)
    assert [found[length, 0.0][1] for length in (1.0, 2.0, 2.5, 3.0, 4.0)] == [0.0] * 5
    assert found[0.0, 0.0][1] > 0.1  # the shortest orders have some


def test_at_length_0_all_orders_are_minimal(rows):
    assert [points(rows)[0.0, entropy][0] for entropy in ENTROPIES] == [1.0] * 5


def test_the_region_is_in_its_bounds(rows):
    longest = properties(permute(Treebank.read(str(RIGAN)), "maxdl"), punct="keep", roots="keep")[0]
    found = points(rows)
    for ratio, entropy in found.values():
        assert 1 <= ratio <= longest * (1 + 1e-12)
        assert 0 <= entropy <= math.log(2)
    assert found[4.0, 1.0][0] == pytest.approx(longest, rel=1e-12)
    assert found[4.0, 1.0][1] > 0.9 * math.log(2)
    assert found[0.0, 1.0][1] == max(found[0.0, entropy][1] for entropy in ENTROPIES)


@pytest.mark.parametrize("corner", MODES)
def test_corners_are_orders_of_other_modes(rows, corner):
    mode, options = MODES[corner]
    new = permute(Treebank.read(str(RIGAN)), mode, **options)
    # the search has logarithms in whole steps, the same on every processor
    assert points(rows)[corner] == pytest.approx(properties(new, punct="keep", roots="keep"), rel=1e-10)


def test_what_is_on_the_grid_can_be_matched(rows):
    dlm, entropy = points(rows)[1.5, 0.5]
    new = permute(Treebank.read(str(RIGAN)), "match", dlm=dlm, entropy=entropy)
    assert properties(new, punct="keep", roots="keep") == pytest.approx((dlm, entropy), abs=0.005)


def test_policies_are_those_of_permute():
    out = permtree("region", RIGAN, "--profile", PROFILE, "--format", "tsv")
    treebank = Treebank.read(str(RIGAN))
    expected = properties(treebank)  # by the same profile
    found = table_of(out.out)
    assert tuple(map(float, found[1][3:])) == pytest.approx(expected, rel=1e-12)
    kept = measure(treebank, profile=PROFILE)
    assert out.lines == [f"of {kept.kept_sentences} sentences, {kept.kept_words} words"]
    new = permute(treebank, "rb", siblings="longest-nearest", profile=PROFILE)
    assert points(found)[4.0, 0.0] == pytest.approx(properties(new), rel=1e-12)


@pytest.mark.long
def test_formats_say_the_same(rows):
    as_json, markdown, table = (
        permtree("region", "-q", RIGAN, "--seed", "0", "--format", style) for style in ("json", "markdown", "table")
    )
    assert as_json.err == markdown.err == table.err == ""
    content = json.loads(as_json.out, parse_constant=pytest.fail)
    assert [list(row) for row in content] == [HEADER] * len(rows[1:])
    assert [[value if isinstance(value, str) else repr(value) for value in row.values()] for row in content] == rows[1:]
    lines = markdown.out.decode().splitlines()
    assert len(lines) == len(table.out.decode().splitlines()) == len(rows) + 1
    cells = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]
    assert cells[0] == HEADER
    for shown, row in zip(cells[2:], rows[1:], strict=True):
        assert shown == [row[0], *(cell and f"{float(cell):.4f}" for cell in row[1:])]


@pytest.mark.long
def test_seeds(rows):
    """0 is the default, which `test_formats_say_the_same` runs again."""
    other = table_of(permtree("region", RIGAN, "--format", "tsv", "--seed", "1").out)
    assert other[1] == rows[1]
    assert points(other)[2.0, 0.5] != points(rows)[2.0, 0.5]
    assert points(other)[4.0, 0.0] == points(rows)[4.0, 0.0]


def test_several_files_and_standard_input_are_one_treebank(tmp_path):
    (tmp_path / "a").write_bytes(sentence("a", 2, 0, 2, 3))
    (tmp_path / "b").write_bytes(sentence("b", 0, 1, 1, 2))
    both = permtree("region", "a", "b", "--format", "tsv", cwd=tmp_path)
    assert both.lines == ["of 2 sentences, 8 words"]
    assert permtree("region", stdin=sentence("a", 2, 0, 2, 3) + sentence("b", 0, 1, 1, 2)).lines == both.lines


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("data", [b"", sentence("a", 0)])
def test_without_arcs_there_is_nothing_to_reach(data):
    rows = table_of(permtree("region", "-q", "--format", "tsv", stdin=data).out)
    assert len(rows) == 2 + len(LENGTHS) * len(ENTROPIES)
    assert {tuple(row[3:]) for row in rows[1:]} == {("n/a", "n/a")}


def test_without_arcs_values_are_null_in_json():
    content = json.loads(permtree("region", "--format", "json", stdin=b"").out, parse_constant=pytest.fail)
    assert {row["dlm_ratio"] for row in content} == {None}


def test_bad_data(tmp_path):
    (tmp_path / "bad").write_bytes(sentence("a", 2, 0) + sentence("cycle", 2, 1))
    done = permtree("region", "bad", cwd=tmp_path, status=3)
    assert (done.lines, done.out) == (["bad:6: no root: no word has HEAD 0 (sentence cycle)"], b"")
    done = permtree("region", "bad", "--skip-errors", cwd=tmp_path)
    assert done.lines[-1] == "of 1 sentences, 2 words"
    assert done.lines[:-1] == ["skipped: bad:6: no root: no word has HEAD 0 (sentence cycle)"]
    done = permtree("region", "nowhere", cwd=tmp_path, status=2)
    assert done.lines == ["nowhere: no such file"]
    done = permtree("region", "bad", "--profile", "gulordava", cwd=tmp_path, status=2)
    assert done.lines == ["no profile named 'gulordava'; did you mean 'gulordava-merlo-2016'?"]
