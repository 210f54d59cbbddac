"""A model folder: JSON for what people can read, safetensors for weights; no pickle, nothing that runs code."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from permtree.conllu.files import atomic_output
from permtree.errors import UsageError

if TYPE_CHECKING:
    import torch

FORMAT = 1  # of model folders; a folder with a higher number was written by a later version
MODEL_FILE = "model.json"
WEIGHTS_FILE = "weights.safetensors"


def write_json(folder: Path, content: Mapping[str, Any], name: str = MODEL_FILE) -> None:
    """Write a model's description into an existing folder, with the number of the format before it.

    content: what json can write; its key `parser` is the parser's name. The same content gives the same bytes.
    """
    text = json.dumps({"format": FORMAT, **content}, ensure_ascii=False, indent=1)
    with atomic_output(str(folder / name)) as out:
        out.write(text.encode("utf-8") + b"\n")


def read_json(folder: Path, parser_name: str, name: str = MODEL_FILE) -> dict[str, Any]:
    """What `write_json` wrote.

    Raises UsageError for a file that is missing, damaged, of a later version, or of another parser.
    """
    path = folder / name
    try:
        content = json.loads(_bytes(path).decode("utf-8"))
    except ValueError as fault:  # no JSON or no UTF-8
        raise UsageError(f"{path}: damaged: {_one_line(fault)}") from None
    if not isinstance(content, dict) or type(content.get("format")) is not int or "parser" not in content:
        raise UsageError(f"{path}: no description of a parser")
    if content["format"] > FORMAT:
        later = f"written by a later version of permtree (format {content['format']}, this one reads {FORMAT})"
        raise UsageError(f"{path}: {later}: update permtree")
    if content["parser"] != parser_name:
        raise UsageError(f"{path}: a model of the parser '{content['parser']}', not '{parser_name}'")
    return content


def write_tensors(folder: Path, tensors: Mapping[str, torch.Tensor], name: str = WEIGHTS_FILE) -> None:
    """Write tensors by their names into an existing folder; the same tensors give the same bytes."""
    from safetensors.torch import save

    data = save({key: tensor.detach().cpu().contiguous().clone() for key, tensor in tensors.items()})
    with atomic_output(str(folder / name)) as out:
        out.write(data)


def read_tensors(folder: Path, name: str = WEIGHTS_FILE) -> dict[str, torch.Tensor]:
    """What `write_tensors` wrote, on the CPU. Raises UsageError for a file that is missing or damaged."""
    from safetensors import SafetensorError
    from safetensors.torch import load

    try:
        return load(_bytes(folder / name))
    except (SafetensorError, ValueError, KeyError) as fault:
        raise UsageError(f"{folder / name}: damaged: {_one_line(fault)}") from None


@contextmanager
def whole(folder: Path) -> Iterator[None]:
    """Around the building of a parser from what was read: content that doesn't fit together is a UsageError."""
    try:
        yield
    except (KeyError, TypeError, ValueError, IndexError, AttributeError, RuntimeError) as fault:
        raise UsageError(f"{folder}: a damaged model: {_one_line(fault)}") from None


def _bytes(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except FileNotFoundError:
        raise UsageError(f"{path}: no such file; name a folder that a training has written") from None
    except OSError as fault:
        raise UsageError(f"{path}: {fault.strerror}") from None


def _one_line(fault: Exception) -> str:
    """What an error says, in one line that is not too long."""
    text = " ".join(f"{type(fault).__name__}: {fault}".split())
    return text if len(text) <= 200 else text[:200] + " ..."
