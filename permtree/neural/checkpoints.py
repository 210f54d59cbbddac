"""Checkpoints of a training: one file of tensors, written beside its place first, and a log of its epochs."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from permtree.conllu.files import atomic_output
from permtree.errors import UsageError
from permtree.folders import parse_json
from permtree.inside import inside
from permtree.parsing.models import CHECKPOINT, LOG


class Checkpoints:
    """The checkpoint of one training in a folder (None: nothing is kept). signature: of its data and settings."""

    def __init__(self, folder: Path | None, signature: str):
        self.folder = folder
        self.signature = signature

    def save(self, tensors: Mapping[str, Mapping[str, Tensor]], progress: dict[str, Any]) -> None:
        """Keep named groups of tensors, and progress: anything that JSON can hold, with "log", the epochs so far."""
        if self.folder is None:
            return
        from safetensors.torch import save

        flat = {
            f"{group}/{name}": values.detach().cpu().contiguous().clone()
            for group, own in tensors.items()
            for name, values in own.items()
        }
        about = {"signature": self.signature, "progress": json.dumps(progress)}
        with atomic_output(str(self.folder / CHECKPOINT), follow=False) as out:
            out.write(save(flat, about))
        with atomic_output(str(self.folder / LOG), follow=False) as out:
            for entry in progress["log"]:
                out.write(json.dumps(entry).encode() + b"\n")

    def load(self, device: torch.device) -> tuple[dict[str, dict[str, Tensor]], dict[str, Any]] | None:
        """What was kept last; None if nothing was. UsageError for a damaged checkpoint, or one of another training."""
        if self.folder is None or not (self.folder / CHECKPOINT).exists():
            return None
        from safetensors import SafetensorError, safe_open

        groups: dict[str, dict[str, Tensor]] = {}
        try:
            with safe_open(inside(self.folder, CHECKPOINT), "pt", device=str(device)) as file:
                about = file.metadata() or {}
                for key in file.keys():
                    group, name = key.split("/", 1)
                    groups.setdefault(group, {})[name] = file.get_tensor(key)
        except SafetensorError as fault:
            raise UsageError(
                f"{self.folder / CHECKPOINT}: damaged ({fault}): remove it to train from scratch"
            ) from None
        if about.get("signature") != self.signature:
            raise UsageError(
                f"{self.folder} holds a training with other data or settings: name another folder, or add --overwrite"
            )
        return groups, parse_json(about["progress"].encode("utf-8"))
