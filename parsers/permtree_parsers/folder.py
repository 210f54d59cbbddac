"""A model folder: JSON for what people can read, safetensors for weights; no pickle, nothing that runs code."""

from __future__ import annotations

import struct
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from permtree.conllu.files import atomic_output
from permtree.errors import UsageError
from permtree.folders import About, parse_json
from permtree.inside import inside

if TYPE_CHECKING:
    import torch

MODEL = About("model.json", 1, "train the model again, in another folder")
WEIGHTS_FILE = "weights.safetensors"
Shapes = dict[str, tuple[int, ...]]  # of tensors, by name


def write_json(folder: Path, content: Mapping[str, Any]) -> None:
    """Write a model's description into an existing folder, with the number of the format before it.

    content: what json can write; its key `parser` is the parser's name. The same content gives the same bytes.
    """
    MODEL.write(folder, content)


def read_json(folder: Path, parser_name: str) -> dict[str, Any]:
    """What `write_json` wrote.

    Raises UsageError for a file that is missing, damaged, of a later version, or of another parser.
    """
    content = MODEL.read(folder, parser=str)
    if content["parser"] != parser_name:
        raise UsageError(f"{folder / MODEL.name}: a model of the parser '{content['parser']}', not '{parser_name}'")
    return content


def write_tensors(folder: Path, tensors: Mapping[str, torch.Tensor]) -> None:
    """Write tensors by their names into an existing folder; the same tensors give the same bytes."""
    from safetensors.torch import save

    data = save({key: tensor.detach().cpu().contiguous().clone() for key, tensor in tensors.items()})
    with atomic_output(str(folder / WEIGHTS_FILE), follow=False) as out:
        out.write(data)


def check_shapes(folder: Path, wanted: Mapping[str, torch.Tensor]) -> None:
    """UsageError where `write_tensors` wrote other names or shapes than those of `wanted`.

    Only the file's header is read. With `wanted` on torch's device "meta", a description of a huge network is found
    out before memory is taken for it.
    """
    found = shapes(folder)
    for name, tensor in wanted.items():
        if found.pop(name, None) != tuple(tensor.shape):
            raise UsageError(f"{folder}: damaged: {WEIGHTS_FILE} has no {name} of the shape that {MODEL.name} says")
    if found:
        raise UsageError(f"{folder}: damaged: {WEIGHTS_FILE} has {next(iter(found))}, {MODEL.name} knows none")


def shapes(folder: Path) -> Shapes:
    """The names and shapes of what `write_tensors` wrote, from the header alone: eight bytes with its length, JSON."""
    path = inside(folder, WEIGHTS_FILE)
    try:
        with open(path, "rb") as source:
            (length,) = struct.unpack("<Q", source.read(8))
            if length > path.stat().st_size:
                raise ValueError("it ends too early")
            header = parse_json(source.read(length))
        return {name: tuple(one["shape"]) for name, one in header.items() if name != "__metadata__"}
    except OSError as fault:
        raise UsageError(f"{path}: {fault.strerror}") from None
    except (struct.error, ValueError, KeyError, TypeError, AttributeError) as fault:
        raise UsageError(f"{path}: damaged: {_one_line(fault)}") from None


def read_tensors(folder: Path) -> dict[str, torch.Tensor]:
    """What `write_tensors` wrote, on the CPU. Raises UsageError for a file that is missing or damaged."""
    from safetensors import SafetensorError
    from safetensors.torch import load

    path = inside(folder, WEIGHTS_FILE)
    try:
        return load(path.read_bytes())
    except OSError as fault:
        raise UsageError(f"{path}: {fault.strerror}") from None
    except (SafetensorError, ValueError, KeyError) as fault:
        raise UsageError(f"{path}: damaged: {_one_line(fault)}") from None


@contextmanager
def whole(folder: Path) -> Iterator[None]:
    """Around the building of a parser from what was read: content that doesn't fit together is a UsageError."""
    try:
        yield
    except (KeyError, TypeError, ValueError, IndexError, AttributeError, RuntimeError, OverflowError) as fault:
        raise UsageError(f"{folder}: a damaged model: {_one_line(fault)}") from None


def _one_line(fault: Exception) -> str:
    """What an error says, in one line that is not too long."""
    text = " ".join(f"{type(fault).__name__}: {fault}".split())
    return text if len(text) <= 200 else text[:200] + " ..."
