"""Which blocks of lines are sound CoNLL-U, decided line by line in plain Python, to test the fast reader against.

Numbers of more than seven digits are refused: no sentence is that long.
"""

from __future__ import annotations

import re

WORD = re.compile(r"[1-9][0-9]{0,6}")
RANGE = re.compile(r"([1-9][0-9]{0,6})-([1-9][0-9]{0,6})")
NODE = re.compile(r"(0|[1-9][0-9]{0,6})\.([1-9][0-9]{0,6})")
HEAD = re.compile(r"0|[1-9][0-9]{0,6}|_")
DEPS_ITEM = re.compile(r"(?P<head>(0|[1-9][0-9]{0,6})(\.[1-9][0-9]{0,6})?):.+", re.DOTALL)
BARE_HEAD = re.compile(r"(0|[1-9][0-9]{0,6})(\.[1-9][0-9]{0,6})?")


def blocks(data: bytes) -> list[list[tuple[int, bytes]]]:
    """(number, line) of all lines, with the blank line that ends each block as its last."""
    lines = data.split(b"\n")
    if lines[-1] == b"":
        lines.pop()
    found: list[list[tuple[int, bytes]]] = [[]]
    for number, line in enumerate(lines, 1):
        found[-1].append((number, line))
        if line == b"":
            found.append([])
    return found


def is_sound(lines: list[bytes]) -> bool:
    """Whether a block can be read; one of comments alone or of nothing can."""
    try:
        texts = [line.decode("utf-8") for line in lines if line]
    except UnicodeDecodeError:
        return False
    if any("\r" in text for text in texts):
        return False
    first = next((i for i, text in enumerate(texts) if not text.startswith("#")), len(texts))
    if any(text.startswith("#") for text in texts[first:]):
        return False
    tokens = [text.split("\t") for text in texts[first:]]
    if any(len(columns) != 10 or "" in columns for columns in tokens):
        return False
    return not tokens or (_ids_are_sound(tokens) and _heads_are_sound(tokens))


def _ids_are_sound(tokens: list[list[str]]) -> bool:
    ids = [columns[0] for columns in tokens]
    n_words = sum(bool(WORD.fullmatch(name)) for name in ids)
    words = nodes = covered = 0  # words so far, empty nodes since the last word, the last word of the last range
    expected_word = None  # after a range: the word that must follow at once
    for name in ids:
        if expected_word is not None and name != expected_word:
            return False
        expected_word = None
        if WORD.fullmatch(name):
            words, nodes = words + 1, 0
            if int(name) != words:
                return False
        elif match := RANGE.fullmatch(name):
            begin, end = int(match[1]), int(match[2])
            if begin != words + 1 or not begin <= end <= n_words or begin <= covered:
                return False
            covered, expected_word = end, match[1]
        elif match := NODE.fullmatch(name):
            nodes += 1
            if (int(match[1]), int(match[2])) != (words, nodes):
                return False
        else:
            return False
    return n_words > 0 and expected_word is None


def _heads_are_sound(tokens: list[list[str]]) -> bool:
    words = [columns for columns in tokens if WORD.fullmatch(columns[0])]
    known = {"0"} | {columns[0] for columns in tokens if not RANGE.fullmatch(columns[0])}
    heads = [columns[6] for columns in words]
    if any(not HEAD.fullmatch(head) or (head != "_" and int(head) > len(words)) for head in heads):
        return False
    return all(_deps_are_sound(columns[8], known) for columns in tokens if not RANGE.fullmatch(columns[0]))


def _deps_are_sound(deps: str, known: set[str]) -> bool:
    """_ or heads with relations; also a bare head, the PHEAD of CoNLL-X."""
    if deps == "_":
        return True
    if BARE_HEAD.fullmatch(deps):
        return deps in known
    items = [DEPS_ITEM.fullmatch(item) for item in deps.split("|")]
    return all(item is not None and item["head"] in known for item in items)
