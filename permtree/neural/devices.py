"""Where torch computes: which device, on how many processor threads."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from permtree.errors import UsageError
from permtree.parsing import DEVICES
from permtree.registry import suggestion

if TYPE_CHECKING:
    import torch


def device_named(name: str) -> torch.device:
    """The device that a name of `permtree.parsing.DEVICES` stands for. Raises UsageError for one that isn't there."""
    import torch

    if name not in DEVICES:
        raise UsageError(f"--device '{name}'{suggestion(name, list(DEVICES))}")
    if name == "cuda" and not torch.cuda.is_available():
        raise UsageError("--device cuda: torch sees no GPU here; use cpu, or auto")
    return torch.device("cuda" if name != "cpu" and torch.cuda.is_available() else "cpu")


@contextmanager
def on_threads(count: int) -> Iterator[None]:
    """With so many processor threads for torch; afterwards as many as before."""
    import torch

    before = torch.get_num_threads()
    torch.set_num_threads(count)
    try:
        yield
    finally:
        torch.set_num_threads(before)
