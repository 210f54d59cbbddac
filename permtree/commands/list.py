"""`permtree list`: the cards of everything that comes in kinds."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict

import click

from ..configuration import described
from ..measures import MEASURES
from ..parsing import Parser, parser_class, parser_names
from ..permuters import PERMUTERS, option_help
from ..profiles import PROFILES
from ..registry import Registry

KINDS = ("modes", "measures", "profiles", "parsers")


@click.command(name="list")
@click.argument("kind", required=False, type=click.Choice(KINDS))
@click.option("--format", "style", default="text", show_default=True, type=click.Choice(["text", "markdown"]))
def command(kind: str | None, style: str) -> int:
    """Print the cards of all modes, measures, profiles and parsers: what, unit, range, settings, source."""
    for name in [kind] if kind else KINDS:
        click.echo(f"## {name}\n" if style == "markdown" else f"{name.upper()}\n")
        for title, lines in cards(name):
            if style == "markdown":
                click.echo(f"### `{title}`\n\n" + "".join(f"- {field}: {text}\n" for field, text in lines))
            else:
                click.echo(f"{title}")
                for field, text in lines:
                    click.echo(click.wrap_text(f"{field}: {text}", 100, "  ", "      "))
                click.echo()
    return 0


def cards(kind: str) -> Iterator[tuple[str, list[tuple[str, str]]]]:
    """Name and lines of each card of a kind."""
    if kind == "modes":
        for name in PERMUTERS.names():
            mode = PERMUTERS[name]
            options = [(f"--{option}", option_help(one)) for option, one in mode.options.items()]
            seed = [("seed", "--seed chooses the draw, where one is made")] if mode.random else []
            yield name, [("what", mode.what), *options, *seed, ("source", mode.source)]
        yield from _faults(PERMUTERS)
    elif kind == "measures":
        for name in MEASURES.names():
            card = MEASURES[name]
            uses = [("depends on", ", ".join(f"--{use.replace('_', '-')}" for use in card.uses))] if card.uses else []
            fields = [("what", card.what), ("unit", card.unit), ("range", card.range), ("empty", card.empty)]
            yield name, [*fields, *uses, ("source", card.source)]
        yield from _faults(MEASURES)
    elif kind == "parsers":
        for name in parser_names():
            yield name, parser_card(parser_class(name))
    else:
        for name, profile in PROFILES.items():
            yield (
                name,
                [
                    ("what", profile.what),
                    ("conventions", ", ".join(f"{one} {value}" for one, value in asdict(profile.conventions).items())),
                    ("policies", ", ".join(f"{one} {value}" for one, value in asdict(profile.policies).items())),
                ],
            )


def _faults(registry: Registry) -> Iterator[tuple[str, list[tuple[str, str]]]]:
    """What other packages name and can't be loaded."""
    for name, fault in registry.faults().items():
        yield name, [("can't be loaded", fault)]


def parser_card(parser: type[Parser]) -> list[tuple[str, str]]:
    """The lines of a parser's card: its settings with their defaults, and what each preset changes."""
    lines = [("what", parser.what), *described(parser.Config)]
    for preset, changed in parser.presets.items():
        values = ", ".join(f"{key} = {value}" for key, value in changed.items())
        lines.append((f"preset {preset}", values or "the defaults"))
    if parser.needs:
        lines.append(("needs", f"pip install '{parser.needs}'"))
    return [*lines, ("source", parser.source)]
