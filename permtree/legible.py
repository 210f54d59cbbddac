"""What others wrote, shown to people: nothing in it reaches a terminal as a command."""

from __future__ import annotations

import re
import unicodedata

_STEERING = "\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069"  # of bidirectional text
_ODD = "\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff\ufffe\uffff"  # control characters, line ends, what is no character
_STEERS = re.compile(f"[{_STEERING}]")
_CONTROLS = re.compile(f"[{_ODD}]")
_NOT_SHOWN = re.compile(f"[{_ODD}{_STEERING}]")


def in_a_line(text: object) -> str:
    r"""Text as part of a message or a cell of a table, on one line: a control character as \x1b, a byte of a name that
    is no UTF-8 as \udcff."""
    return _NOT_SHOWN.sub(_escaped, str(text))


def in_lines(text: str) -> str:
    """The same for a text of several lines."""
    return "\n".join(map(in_a_line, text.split("\n")))


def json_legible(text: str) -> str:
    r"""JSON that says the same with \u009b for what a terminal could take for a command, and for what is no UTF-8."""
    return re.sub(f"[\x7f-\x9f\u2028\u2029\ud800-\udfff\ufffe\uffff{_STEERING}]", lambda m: f"\\u{ord(m[0]):04x}", text)


def legible(text: str) -> str:
    """Text in a picture, which can't disturb what stands around it: a replacement character for a control character, a
    mark without a letter on a circle."""
    kept = _CONTROLS.sub("\ufffd", _STEERS.sub("", text))
    alone = kept and unicodedata.category(kept[0]).startswith("M")
    return ("◌" if alone else "") + kept


def _escaped(found: re.Match[str]) -> str:
    return repr(found[0])[1:-1]
