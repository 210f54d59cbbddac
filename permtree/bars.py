"""Bars on standard error that show how far long work is."""

from __future__ import annotations

import sys
from typing import Any

BYTES: dict[str, Any] = {"unit": "B", "unit_scale": True}  # the style of a bar that counts bytes


def is_shown(quiet: bool) -> bool:
    """Whether bars are shown: where somebody sits at a terminal and has not asked for quiet."""
    return not quiet and sys.stderr.isatty()


def progress_bar(what: str, total: int | None, shown: bool = True, **style: Any) -> Any:
    """A bar of tqdm, which goes away when its `with` ends. shown False: it does nothing."""
    from tqdm import tqdm

    return tqdm(total=total, desc=what, leave=False, disable=not shown, **style)
