"""A transformer encoder from a local folder as a feature of each word: the mean over the pieces that the word has."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from permtree.errors import UsageError
from permtree.parsing import missing_library
from permtree.types import Ints

NO_PIECE = -1
SIZES = ("hidden_size", "intermediate_size", "vocab_size", "type_vocab_size")  # of some weight, where a model has them
MOST_SHARED = 100  # layers that may have the same weights
_SAFE = {"local_files_only": True, "trust_remote_code": False}  # nothing is downloaded, no code of a folder runs


class Transformer(nn.Module):
    """A model of the library transformers and its tokenizer. `size`: of a word's vector.

    Each word is cut into pieces by itself. Sentences that are longer than the model can take are read in several
    windows, one after the other.
    """

    def __init__(self, model: Any, tokenizer: Any):
        super().__init__()
        self.model = model
        self.tokenizer = tokenizer
        self.size = model.config.hidden_size
        longest = [getattr(model.config, "max_position_embeddings", 0), tokenizer.model_max_length]
        # two places for the marks at the ends, two that some models count off from their positions
        self.window = max(min([size for size in longest if 0 < size < 10**6] or [512]) - 4, 1)

    @classmethod
    def read(cls, folder: str, weights: bool = True) -> Transformer:
        """From a folder; without weights, of the same shape.

        Raises UsageError for a folder that holds no model, that wants code of its own to be run, or whose weights are
        pickled: code never runs, and pickled weights could run it.
        """
        try:
            from transformers import AutoConfig, AutoModel, AutoTokenizer
            from transformers.utils import logging
        except ImportError:
            raise missing_library("transformers", "transformers") from None
        if not Path(folder).is_dir():
            raise UsageError(f"{folder}: no such folder: transformer must be a folder with a model on this machine")
        logging.disable_progress_bar()
        verbosity = logging.get_verbosity()
        logging.set_verbosity_error()  # weights that only other tasks need are missing or left over in most folders
        try:
            # the blank before a word belongs to it in models that tell words apart by it
            tokenizer = AutoTokenizer.from_pretrained(folder, **_SAFE, add_prefix_space=True)
            if len(tokenizer) <= len(tokenizer.all_special_tokens):  # what the library makes where there is none
                raise UsageError(f"{folder}: no transformer model: no tokenizer")
            config = AutoConfig.from_pretrained(folder, **_SAFE)
            _check_sizes(config, Path(folder) if weights else Path(folder).parent)
            if weights:
                return cls(AutoModel.from_pretrained(folder, **_SAFE, use_safetensors=True).float(), tokenizer)
            return cls(AutoModel.from_config(config, trust_remote_code=False).float(), tokenizer)
        except UsageError:
            raise
        except Exception as fault:  # of any kind, from several libraries
            if "trust_remote_code" in str(fault):
                raise UsageError(f"{folder}: wants to run Python code of its own, which permtree never does") from None
            raise UsageError(f"{folder}: no transformer model: {' '.join(str(fault).split())[:200]}") from None
        finally:
            logging.set_verbosity(verbosity)

    def save_shape(self, folder: Path) -> None:
        """Write all but the weights."""
        self.model.config.save_pretrained(folder)
        self.tokenizer.save_pretrained(folder)

    def pieces(self, forms: list[str]) -> Ints:
        """The pieces of each form as numbers, int64 [forms + 2, most]: NO_PIECE after the last; the last two rows, the
        root and padding, have none."""
        cut = self.tokenizer(forms, add_special_tokens=False)["input_ids"] if forms else []
        unknown = self.tokenizer.unk_token_id or 0
        cut = [own or [unknown] for own in cut]
        table = np.full((len(cut) + 2, max([1, *map(len, cut)])), NO_PIECE, np.int64)
        for row, own in enumerate(cut):
            table[row, : len(own)] = own
        return table

    def forward(self, pieces: Tensor) -> Tensor:
        """pieces: int64 [B, n, most] of all positions; returns [B, n, size], zeros where a position has no piece."""
        sentence, position, _ = (pieces != NO_PIECE).nonzero(as_tuple=True)
        codes = pieces[pieces != NO_PIECE]
        n_sentences, n_positions = pieces.shape[:2]
        per_sentence = torch.bincount(sentence, minlength=n_sentences)
        place = torch.arange(len(codes), device=codes.device) - (per_sentence.cumsum(0) - per_sentence)[sentence]
        windows = (per_sentence + self.window - 1) // self.window
        row = (windows.cumsum(0) - windows)[sentence] + place // self.window
        column = place % self.window + 1
        length = torch.bincount(row, minlength=int(windows.sum()))
        pad = self.tokenizer.pad_token_id or 0
        inputs = torch.full((len(length), int(length.max()) + 2), pad, device=codes.device)
        begin, end = self.tokenizer.cls_token_id, self.tokenizer.sep_token_id
        inputs[:, 0] = begin if begin is not None else pad
        inputs[row, column] = codes
        inputs[torch.arange(len(length)), length + 1] = end if end is not None else pad
        read = torch.arange(inputs.shape[1], device=codes.device) <= length.unsqueeze(1) + 1
        states = self.model(input_ids=inputs, attention_mask=read.long()).last_hidden_state[row, column]
        target = sentence * n_positions + position
        summed = states.new_zeros(n_sentences * n_positions, self.size).index_add(0, target, states)
        count = torch.bincount(target, minlength=n_sentences * n_positions).clamp_min(1)
        return (summed / count.unsqueeze(1)).view(n_sentences, n_positions, self.size)


def _check_sizes(config: Any, folder: Path) -> None:
    """ValueError where a description names a size that none of the weights in a folder has, or more layers than they
    can be: such a network would take all memory, or for ever to build. Of the weights only the headers are read."""
    from safetensors import safe_open

    shapes: list[list[int]] = []
    for path in sorted(folder.glob("*.safetensors")):
        with safe_open(path, "pt") as file:
            shapes += [file.get_slice(name).get_shape() for name in file.keys()]
    if not shapes:
        return  # which is told when they are read
    largest, layers = max(map(max, filter(None, shapes)), default=1), max(len(shapes), MOST_SHARED)
    limits = dict.fromkeys(SIZES, largest) | {"num_hidden_layers": layers}
    for name, limit in limits.items():
        value = getattr(config, name, 0) or 0
        if not isinstance(value, int) or value > limit:
            raise ValueError(f"{name} = {value} does not fit its weights")
