"""Signatures: what a number or a word order is, and how it was made, in one line that prints and parses.

The only place where the spelling of signatures is known: NAME|KEY:VALUE|KEY:VALUE ...
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping


class Signature(Mapping[str, str]):
    """A name and parts in their order; `str` gives its line, and `Signature.parse` takes one back.

    Signature("las", {"convention": "all", "sents": 20}) is las|convention:all|sents:20. A part whose value is None is
    left out. What would break the line (a bar, a colon in a key, what isn't printable) becomes "_".
    """

    def __init__(self, name: str, parts: Mapping[str, object] | Iterable[tuple[str, object]] = ()):
        pairs = parts.items() if isinstance(parts, Mapping) else parts
        self.name = _printable(name)
        self._parts: tuple[tuple[str, str | None], ...] = tuple(
            (_printable(key).replace(":", "_"), _printable(str(value))) for key, value in pairs if value is not None
        )

    @classmethod
    def parse(cls, line: str) -> Signature:
        """The signature that a line spells. Any line spells one: a part without a colon is a key with the value ""."""
        name, *parts = _printable(line, "").split("|")
        signature = cls(name)
        pairs = (part.partition(":") for part in parts)
        signature._parts = tuple((key, value if colon else None) for key, colon, value in pairs)
        return signature

    def with_parts(self, parts: Mapping[str, object]) -> Signature:
        """With further parts at the end."""
        return self._of((*self._parts, *Signature("", parts)._parts))

    def without(self, *keys: str) -> Signature:
        """Without the parts of these keys."""
        return self._of(tuple(part for part in self._parts if part[0] not in keys))

    def _of(self, parts: tuple[tuple[str, str | None], ...]) -> Signature:
        other = Signature(self.name)
        other._parts = parts
        return other

    def __str__(self) -> str:
        return "|".join([self.name, *(key if value is None else f"{key}:{value}" for key, value in self._parts)])

    def __repr__(self) -> str:
        return f"Signature.parse({str(self)!r})"

    def __getitem__(self, key: str) -> str:
        """The value of a part (of the first, should a key stand twice)."""
        for own, value in self._parts:
            if own == key:
                return value or ""
        raise KeyError(key)

    def __iter__(self) -> Iterator[str]:
        return iter(dict.fromkeys(key for key, _ in self._parts))

    def __len__(self) -> int:
        return len(dict.fromkeys(key for key, _ in self._parts))

    def __eq__(self, other: object) -> bool:
        return str(self) == str(other) if isinstance(other, Signature) else NotImplemented

    def __hash__(self) -> int:
        return hash(str(self))


def with_argument(value: str, argument: str) -> str:
    """A value with what it was told: no-punct and SYM give no-punct(SYM), and with "" no-punct."""
    return f"{value}({argument})" if argument else value


def argument_of(value: str) -> tuple[str, str]:
    """A value and what it was told ("" where nothing was): the inverse of `with_argument`."""
    name, bracket, rest = value.partition("(")
    return (name, rest[:-1]) if bracket and rest.endswith(")") else (value, "")


def _printable(text: str, forbidden: str = "|") -> str:
    return "".join(c if c.isprintable() and c not in forbidden else "_" for c in text)
