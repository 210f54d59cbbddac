"""permtree: change the word order of a dependency treebank and nothing else, and measure what changed.

    import permtree
    treebank = permtree.Treebank.read("en_ewt-ud-dev.conllu")
    shortest = permtree.permute(treebank, "optdl")
    permtree.measure(treebank)["dlm_ratio"].value

Names load when first used, so that importing the package costs nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

_HOME = {
    "Treebank": "treebank",
    "permute": "permuting",
    "measure": "measuring",
    "compare": "comparing",
    "evaluate": "evaluating",
    "pairs": "pairing",
    "analyze": "analyzing",
    "show": "pictures.showing",
    "fetch": "fetching",
    "train": "trained",
    "save_parser": "trained",
    "load_parser": "trained",
    "invert": "inverting",
    "verify": "verifying",
    "Policies": "policies",
    "Report": "permuting",
    "PermtreeError": "errors",
    "DataError": "errors",
    "UsageError": "errors",
}
__all__ = [*_HOME, "__version__"]

if TYPE_CHECKING:
    from .analyzing import analyze as analyze
    from .comparing import compare as compare
    from .errors import DataError as DataError
    from .errors import PermtreeError as PermtreeError
    from .errors import UsageError as UsageError
    from .evaluating import evaluate as evaluate
    from .fetching import fetch as fetch
    from .inverting import invert as invert
    from .measuring import measure as measure
    from .pairing import pairs as pairs
    from .permuting import Report as Report
    from .permuting import permute as permute
    from .pictures.showing import show as show
    from .policies import Policies as Policies
    from .trained import load_parser as load_parser
    from .trained import save_parser as save_parser
    from .trained import train as train
    from .treebank import Treebank as Treebank
    from .verifying import verify as verify


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module 'permtree' has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(f".{_HOME[name]}", __name__), name)
