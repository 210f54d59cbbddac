"""Minimal pairs: two versions of a treebank joined word by word, with their predictions, and analyzed."""

from .pairs import Pairs

__all__ = ["Pairs"]
