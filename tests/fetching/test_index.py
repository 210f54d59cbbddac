"""The index of public treebanks: every entry is whole, and the treebanks of the paper's languages are in it."""

from __future__ import annotations

import csv
import re

import pytest

from permtree.errors import UsageError
from permtree.fetching import PARTS, Index, chosen_parts, index_path, read_index, release_tag

INDEX = read_index()
ENTRIES = [pytest.param(entry, id=name) for name, entry in INDEX.treebanks.items()]
# those of the release's own list of licences that occur here
LICENCES = {
    "CC BY 4.0",
    "CC BY-NC 4.0",
    "CC BY-NC-SA 2.5",
    "CC BY-NC-SA 3.0",
    "CC BY-NC-SA 4.0",
    "CC BY-SA 3.0",
    "CC BY-SA 4.0",
    "LGPL-LR",
    "PD",
}


@pytest.mark.parametrize("entry", ENTRIES)
def test_an_entry_is_whole(entry):
    language, _, treebank = entry.repository.removeprefix("UD_").partition("-")
    assert language.replace("_", " ") == entry.language
    assert re.fullmatch(rf"[a-z]{{2,3}}_{treebank.lower()}", entry.name)
    assert entry.licence in LICENCES
    assert entry.words > 500
    assert 40 >= len(entry.what.split()) >= 1
    assert "test" in entry.parts
    assert {part.partition("-")[0] for part in entry.parts} <= set(PARTS)


@pytest.mark.parametrize("entry", ENTRIES)
def test_an_entry_is_in_the_release_that_is_fetched_by_default(entry):
    def number(release: str) -> list[int]:
        return [int(part) for part in release.split(".")]

    assert release_tag(entry.since) == f"r{entry.since}"
    assert number(entry.since) <= number(INDEX.release)


def test_licences_that_are_not_commercial_are_named_so():
    """The classical texts and those of PROIEL, and the treebanks whose READMEs say so."""
    free = {name for name, entry in INDEX.treebanks.items() if "NC" not in entry.licence}
    assert not free & {"la_proiel", "grc_proiel", "got_proiel", "cu_proiel", "it_isdt", "pl_pdb", "tr_imst", "bg_btb"}
    assert free >= {"en_ewt", "fi_tdt", "wo_wtb", "fa_perdt"}


def test_the_languages_of_the_paper(shared):
    with open(shared / "reference" / "gulordava_merlo_2016.tsv", encoding="utf-8") as rows:
        languages = {row["language"] for row in csv.DictReader(rows, delimiter="\t")}
    single = {re.sub(r"-(Vulgate|Cicero|New-Testament|Herodotus)$", "", language) for language in languages}
    assert {language.replace("-", " ") for language in single} <= {e.language for e in INDEX.treebanks.values()}


def test_languages_and_treebanks_are_many():
    assert len(INDEX.treebanks) >= 50
    assert len({entry.language for entry in INDEX.treebanks.values()}) >= 45


@pytest.mark.parametrize(
    "name",
    [
        "grc_proiel",
        "GRC_PROIEL",
        "grc-proiel",
        "Ancient_Greek-PROIEL",
        "UD_Ancient_Greek-PROIEL",
        "ud_ancient greek-proiel",
    ],
)
def test_names(name):
    assert INDEX[name].name == "grc_proiel"


def test_every_name_is_found_by_all_its_forms():
    for entry in INDEX.treebanks.values():
        assert INDEX[entry.name] is INDEX[entry.repository] is INDEX[entry.repository.removeprefix("UD_")] is entry


def test_a_name_close_to_that_of_a_repository():
    with pytest.raises(UsageError, match="did you mean 'cu_proiel'"):
        INDEX["Old_Church_Slavic-PROIEL"]


def test_parts():
    assert chosen_parts(INDEX["ru_syntagrus"], ["test", "train"]) == ["train-a", "train-b", "train-c", "test"]
    assert chosen_parts(INDEX["ru_syntagrus"], ["train-b"]) == ["train-b"]
    assert chosen_parts(INDEX["en_ewt"], []) == ["train", "dev", "test"]
    with pytest.raises(UsageError, match="sme_giella has no part 'dev'; it has: train, test"):
        chosen_parts(INDEX["sme_giella"], ["train", "dev"])


@pytest.mark.parametrize(
    ("release", "tag"), [("2.15", "r2.15"), ("r2.15", "r2.15"), ("2.9", "r2.9"), ("master", "master"), ("dev", "dev")]
)
def test_releases(release, tag):
    assert release_tag(release) == tag


@pytest.mark.parametrize("release", ["", "2", "v2.15", "2.15.1", "r", "../x", "main"])
def test_what_is_no_release(release):
    with pytest.raises(UsageError, match="write a release as 2.15 or r2.15, or a branch, master or dev"):
        release_tag(release)


GOOD = """
release = "2.16"
base_url = "https://a.example"
[treebanks.en_ewt]
repository = "UD_English-EWT"
language = "English"
licence = "CC BY-SA 4.0"
words = 255_000
since = "2.2"
what = "a sample"
"""
FAULTS = {
    "no table": ("[treebanks", "[trebanks", "the index has no treebanks"),
    "no release": ("release =", "version =", "the index has no release"),
    "no licence": ("licence =", "license =", "treebank en_ewt has an unknown key, license"),
    "nothing said of it": ('what = "a sample"', "", "treebank en_ewt has no what, or not as it should be"),
    "words that are no number": ("255_000", '"many"', "treebank en_ewt has no words, or not as it should be"),
    "parts that are no list": ("words", 'parts = "dev"\nwords', "treebank en_ewt has no parts, or not as it should be"),
    "a part that leads elsewhere": ("words", 'parts = ["../dev"]\nwords', "treebank en_ewt: '../dev' can't be a name"),
    "a repository that leads elsewhere": ("UD_English-EWT", "../x", "treebank en_ewt: '../x' can't be a name"),
    "a name that leads elsewhere": ("treebanks.en_ewt", 'treebanks."../x"', "treebank ../x: '../x' can't be a name"),
    "sums without a release": ("words", 'sha256 = {a = "0"}\nwords', "treebank en_ewt: sha256 is by release and file"),
    "no TOML": ("words = 255_000", "words = ", "no index of treebanks: "),
}


def written(folder, text: str) -> Index:
    path = folder / "index.toml"
    path.write_text(text, encoding="utf-8")
    return read_index(path)


@pytest.mark.parametrize("fault", FAULTS)
def test_an_index_with_a_fault(tmp_path, fault):
    old, new, message = FAULTS[fault]
    assert list(written(tmp_path, GOOD).treebanks) == ["en_ewt"]
    with pytest.raises(UsageError, match=re.escape(f"{tmp_path}/index.toml: ")) as caught:
        written(tmp_path, GOOD.replace(old, new))
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


def test_the_index_stands_beside_the_sample():
    assert index_path().name == "index.toml"
    assert index_path().read_text(encoding="utf-8").startswith("# Public treebanks of Universal Dependencies")
