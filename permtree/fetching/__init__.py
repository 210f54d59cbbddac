"""Fetch public treebanks that an index names; what comes is verified before it gets its name."""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from ..configuration import read_toml
from ..conllu.files import atomic_output
from ..errors import DataError, Finding, UsageError
from ..folders import About
from ..inside import inside
from ..treebank import Treebank
from ..types import Tell
from .downloading import Connection, FetchError, NotFound, checked_base_url, download

PARTS = ("train", "dev", "test")
SOURCE = "SOURCE.json"
_ABOUT = About(SOURCE, 1, "--force fetches everything again", unnumbered=True)
MOST_PER_WORD, LEAST_LIMIT = 2000, 1 << 26  # bytes: a word takes 60 to 300
KINDS = {
    **dict.fromkeys(("repository", "language", "licence", "since", "what"), str),
    **{"words": int, "parts": list, "sha256": dict},
}


@dataclass(frozen=True)
class Entry:
    """One treebank of the index; `sha256` is by release ("2.16") and file name, and may be empty."""

    name: str
    repository: str
    language: str
    licence: str
    words: int
    since: str
    what: str
    parts: tuple[str, ...] = PARTS
    sha256: dict[str, dict[str, str]] = field(default_factory=dict)

    @property
    def most_bytes(self) -> int:
        """More than any of its files has, in whatever release."""
        return max(self.words * MOST_PER_WORD, LEAST_LIMIT)

    def file(self, part: str) -> str:
        """The name of the file of one part."""
        return f"{self.name}-ud-{part}.conllu"


@dataclass(frozen=True)
class Index:
    """The treebanks that can be fetched, by name, with the release and the place they come from by default."""

    release: str
    base_url: str
    treebanks: dict[str, Entry]
    without_text: tuple[str, ...] = ()  # treebanks of UD whose words are not in their repositories

    def __getitem__(self, name: str) -> Entry:
        """The treebank of a name: en_ewt, English-EWT or UD_English-EWT, in upper or lower case."""
        known = {_folded(alias): entry for entry in self.treebanks.values() for alias in (entry.name, entry.repository)}
        if _folded(name) in known:
            return known[_folded(name)]
        if _folded(name) in map(_folded, self.without_text):
            why = "its words may not be given away, so that UD's repository has underscores in their place"
            raise FetchError(f"'{name}' can't be fetched: {why}; its README there says how to get them")
        import difflib

        close = difflib.get_close_matches(_folded(name), known, 1)
        hint = f"did you mean '{known[close[0]].name}'?" if close else "`permtree fetch --list` shows all"
        raise FetchError(f"no treebank named '{name}' in the index; {hint} (--url ADDRESS fetches any other file)")


def _folded(name: str) -> str:
    return re.sub(r"[-\s]", "_", name.lower()).removeprefix("ud_")


# -- the index -------------------------------------------------------------------------------------------------------


def index_path() -> Path:
    """The index that comes with permtree."""
    return Path(__file__).with_name("index.toml")


def read_index(path: str | Path | None = None) -> Index:
    """Read an index (TOML), by default permtree's own. Raises UsageError where it is no index."""
    path = path or index_path()
    content = read_toml(path, "index of treebanks")
    try:
        treebanks = {name: _entry(name, keys) for name, keys in content["treebanks"].items()}
        without_text = tuple(map(str, content.get("without_text", ())))
        return Index(str(content["release"]), str(content["base_url"]), treebanks, without_text)
    except KeyError as fault:
        raise UsageError(f"{path}: the index has no {fault.args[0]}") from None
    except (AttributeError, TypeError, ValueError) as fault:
        raise UsageError(f"{path}: no index of treebanks: {fault}") from None


def _entry(name: str, keys: dict[str, Any]) -> Entry:
    """One treebank of an index. Raises ValueError with what is wrong."""
    for key in keys.keys() - KINDS.keys():
        raise ValueError(f"treebank {name} has an unknown key, {key}")
    values = {"parts": list(PARTS), "sha256": {}, **keys}
    for key, kind in KINDS.items():
        if not isinstance(values.get(key), kind):
            raise ValueError(f"treebank {name} has no {key}, or not as it should be")
    for word in (name, values["repository"], *values["parts"]):  # they become names of folders and files
        if not re.fullmatch(r"\w[\w-]*", str(word)):
            raise ValueError(f"treebank {name}: '{word}' can't be a name")
    if not all(isinstance(sums, dict) for sums in values["sha256"].values()):
        raise ValueError(f"treebank {name}: sha256 is by release and file")
    return Entry(name, **(values | {"parts": tuple(values["parts"])}))


# -- what is asked for -----------------------------------------------------------------------------------------------


def fetch(
    name: str,
    to: str | Path = ".",
    *,
    release: str | None = None,
    base_url: str | None = None,
    parts: Iterable[str] = (),
    force: bool = False,
    index: Index | None = None,
    connection: Connection = Connection(),  # noqa: B008 - it can't be changed
    report: Tell = lambda line: None,
    bar: bool = False,
) -> list[Path]:
    """Download a treebank of the index into the folder `to`/NAME; the paths of its CoNLL-U files.

    `release` is a UD release ("2.15" or "r2.15") or a branch ("master", "dev"); `parts` some of train, dev and test
    (all by default). Licence, README and SOURCE.json (what came from where, with its size and sha256) stand beside
    the files. A file that is there already is kept if it is what SOURCE.json says; `force` fetches everything again.
    `report` is called with a line for each file and each note; `bar` shows progress on standard error.
    Needs pooch: pip install 'permtree[fetch]'.

    Raises FetchError where the treebank can't be fetched, DataError where what came is no CoNLL-U.
    """
    index = index or read_index()
    entry = index[name]
    chosen = chosen_parts(entry, parts)
    tag = release_tag(release or index.release)
    where = f"{checked_base_url(base_url or index.base_url)}/{entry.repository}/{tag}"
    folder = _Folder(Path(to) / entry.name, entry, tag, where, connection, report, bar)
    folder.open(force)
    try:
        for part in chosen:
            folder.take(entry.file(part), force)
        folder.take_papers(force)
    finally:
        folder.leave()
    return [folder.path / entry.file(part) for part in chosen]


def fetch_file(
    url: str,
    to: str | Path = ".",
    *,
    force: bool = False,
    connection: Connection = Connection(),  # noqa: B008 - it can't be changed
    report: Tell = lambda line: None,
    bar: bool = False,
) -> Path:
    """Download any CoNLL-U file by its address into the folder `to`; its path, named as the address ends.

    `report` is called with a line that says its size, sha256 and what is in it. Raises FetchError where it can't be
    fetched, or would replace another file and `force` isn't given, DataError where what came is no CoNLL-U.
    """
    checked_base_url(url, "--url")
    name = urlsplit(url).path.rpartition("/")[2]
    if not re.fullmatch(r"\w[\w.+-]*", name):
        raise FetchError(f"--url '{url}': ends in no name of a file")
    target = inside(to, name)
    if target.exists() and not force:
        raise FetchError(f"{target}: is there already; --force fetches it again")
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
    except OSError as fault:
        raise FetchError(f"{target.parent}: {fault.strerror}") from None
    try:
        data = download(url, connection, report, bar)
    except NotFound:
        raise FetchError(f"{url}: not found") from None
    treebank = _read(data, url)
    _write(target, data)
    counts = f"{treebank.n_sentences:,} sentences, {treebank.n_words:,} words"
    report(f"{target}: {counts}, {len(data):,} bytes, sha256 {_record(data, url)['sha256']}, from {url}")
    return target


def chosen_parts(entry: Entry, parts: Iterable[str]) -> list[str]:
    """The parts of a treebank that are asked for: "train" also stands for "train-a", "train-b" and so on."""
    wanted = list(parts) or list(entry.parts)
    for part in wanted:
        if not any(_is_of(own, part) for own in entry.parts):
            raise FetchError(f"{entry.name} has no part '{part}'; it has: {', '.join(entry.parts)}")
    return [own for own in entry.parts if any(_is_of(own, part) for part in wanted)]


def _is_of(own: str, part: str) -> bool:
    return own == part or own.startswith(f"{part}-")


def release_tag(release: str) -> str:
    """The name of a release in UD's repositories: r2.16 for 2.16; master and dev are branches."""
    if release in ("master", "dev"):
        return release
    if re.fullmatch(r"r?\d+\.\d+", release):
        return f"r{release.removeprefix('r')}"
    raise FetchError(f"--release '{release}': write a release as 2.15 or r2.15, or a branch, master or dev")


# -- one treebank's folder -------------------------------------------------------------------------------------------


@dataclass
class _Folder:
    """Where one treebank goes, and what SOURCE.json says of it."""

    path: Path
    entry: Entry
    tag: str
    where: str
    connection: Connection
    report: Tell
    bar: bool
    source: dict[str, Any] = field(default_factory=dict)

    def open(self, force: bool) -> None:
        """Make the folder and read what it says of itself."""
        try:
            self.path.mkdir(parents=True, exist_ok=True)
        except OSError as fault:
            raise FetchError(f"{self.path}: {fault.strerror}") from None
        self.source = read_source(self.path, force)
        records = self.source["files"].items()
        others = {record.get("release") for file, record in records if (self.path / file).exists()} - {self.tag}
        if others and not force:
            raise FetchError(
                f"{self.path}: holds release {min(map(str, others))}; choose another folder with --to, or --force"
            )
        known = {"name": self.entry.name, "repository": self.entry.repository, "language": self.entry.language}
        self.source |= known | {"licence": self.entry.licence, "release": self.tag, "url": self.where}

    def leave(self) -> None:
        """Not with an empty folder, where nothing could be fetched."""
        if not any(self.path.iterdir()):
            self.path.rmdir()

    def take(self, file: str, force: bool, conllu: bool = True) -> bool:
        """Fetch one file unless it is there; False if the server has none of this name (CoNLL-U: an error)."""
        target, url = self.path / file, f"{self.where}/{file}"
        if not force and self._is_there(file):
            self.report(f"{target}: there already")
            return True
        sha256 = self.entry.sha256.get(self.tag.removeprefix("r"), {}).get(file)
        try:
            data = download(url, self.connection, self.report, self.bar, self.entry.most_bytes, sha256)
        except NotFound:
            if not conllu:
                return False
            raise FetchError(
                f"{url}: not found; the index has {self.entry.name} from release {self.entry.since}: "
                "try another --release, or another --base-url"
            ) from None
        record = _record(data, url) | {"release": self.tag}
        if conllu:
            treebank = _read(data, url)
            record |= {"sentences": treebank.n_sentences, "words": treebank.n_words}
        self.source["files"][file] = record
        self._write_source()  # before the file gets its name, so that a file without a record is none of ours
        _write(target, data)
        self.report(f"{target}: {record['bytes']:,} bytes")
        return True

    def take_papers(self, force: bool) -> None:
        """Licence and README, as far as there are any."""
        known = [] if force else self.source.get("missing", [])
        missing: list[str] = []
        for names in (("LICENSE.txt",), ("README.md", "README.txt")):
            for name in names:
                if name not in known and self.take(name, force, conllu=False):
                    break
                missing.append(name)
            else:
                self.report(f"note: {self.where} has no {' or '.join(names)}")
        self.source |= {"licence": self._licence(), "missing": missing}
        self._write_source()

    def _is_there(self, file: str) -> bool:
        """Whether a file is what would be fetched; an error where it is something else."""
        target, record = self.path / file, self.source["files"].get(file)
        if not target.exists():
            return False
        if not record or record.get("sha256") != hashlib.sha256(target.read_bytes()).hexdigest():
            raise FetchError(f"{target}: is there, but not as it was fetched; --force fetches it again")
        return True

    def _licence(self) -> str:
        """What the README of this release says of the licence, otherwise what the index says."""
        for name in ("README.md", "README.txt"):
            if name in self.source["files"] and (self.path / name).exists():
                text = (self.path / name).read_text(encoding="utf-8", errors="replace")
                said = re.findall(r"^[ \t]*License:[ \t]*(\S.*?)[ \t]*$", text, re.MULTILINE)
                if said and said[-1] != self.entry.licence:
                    self.report(f"note: {self.path / name} says licence {said[-1]}, the index {self.entry.licence}")
                if said:
                    return said[-1][:200]
        return self.entry.licence

    def _write_source(self) -> None:
        _ABOUT.write(self.path, {name: self.source[name] for name in sorted(self.source) if name != "format"})


def read_source(folder: str | Path, force: bool = False) -> dict[str, Any]:
    """What SOURCE.json says of a fetched treebank: name, repository, release, url, licence, and of each of its files
    url, release, bytes and sha256, of CoNLL-U also sentences and words. Without one: no files."""
    if not os.path.lexists(Path(folder) / SOURCE):
        return {"files": {}}
    try:
        source = _ABOUT.read(folder, files=dict)
        if not all(isinstance(record, dict) for record in source["files"].values()):
            raise _ABOUT.damaged(folder)
        return source
    except UsageError as fault:
        if force:
            return {"files": {}}
        raise FetchError(str(fault)) from None


def _write(path: Path, data: bytes) -> None:
    with atomic_output(str(path), follow=False) as out:
        out.write(data)


def _record(data: bytes, url: str) -> dict[str, Any]:
    return {"url": url, "bytes": len(data), "sha256": hashlib.sha256(data).hexdigest()}


def _read(data: bytes, url: str) -> Treebank:
    """A treebank that is whole. Raises DataError for anything else."""
    if data.lstrip()[:1] == b"<":
        raise DataError(Finding("E100", url, 1, "a web page came instead of CoNLL-U; is --base-url right?"))
    treebank = Treebank.from_bytes(data, url)
    if not treebank.n_sentences:
        raise DataError(Finding("E100", url, 1, "no sentence came"))
    if treebank.text.missing_blank:
        line = data.count(b"\n")
        raise DataError(Finding("E100", url, line, "what came ends within a sentence; fetch it again"))
    return treebank
