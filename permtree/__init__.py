"""permtree: change the word order of a dependency treebank and nothing else, and measure what changed.

    import permtree
    treebank = permtree.Treebank.read("en_ewt-ud-dev.conllu")
    shortest = permtree.permute(treebank, "optdl")
    permtree.measure(treebank)["dlm_ratio"].value

Names load when first used, so that importing the package costs nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ._version import __version__

_HOME = {
    "Treebank": "treebank",
    "permute": "permuting",
    "in_order": "permuting",
    "measure": "measuring",
    "compare": "measuring.comparing",
    "evaluate": "evaluation.scores",
    "pairs": "pairing.pairs",
    "analyze": "pairing.analyzing",
    "show": "pictures.showing",
    "fetch": "fetching",
    "train": "parsing.models",
    "save_parser": "parsing.models",
    "load_parser": "parsing.models",
    "invert": "editing.inverting",
    "verify": "editing.verifying",
    "Policies": "treebank.policies",
    "Report": "permuting",
    "PermtreeError": "errors",
    "DataError": "errors",
    "UsageError": "errors",
}
__all__ = [*_HOME, "__version__"]

if TYPE_CHECKING:
    from .editing.inverting import invert as invert
    from .editing.verifying import verify as verify
    from .errors import DataError as DataError
    from .errors import PermtreeError as PermtreeError
    from .errors import UsageError as UsageError
    from .evaluation.scores import evaluate as evaluate
    from .fetching import fetch as fetch
    from .measuring import measure as measure
    from .measuring.comparing import compare as compare
    from .pairing.analyzing import analyze as analyze
    from .pairing.pairs import pairs as pairs
    from .parsing.models import load_parser as load_parser
    from .parsing.models import save_parser as save_parser
    from .parsing.models import train as train
    from .permuting import Report as Report
    from .permuting import in_order as in_order
    from .permuting import permute as permute
    from .pictures.showing import show as show
    from .treebank import Treebank as Treebank
    from .treebank.policies import Policies as Policies


def __getattr__(name: str) -> Any:
    from importlib import import_module
    from importlib.util import find_spec

    if name in _HOME:
        return getattr(import_module(f".{_HOME[name]}", __name__), name)
    if not name.startswith("_") and find_spec(f"{__name__}.{name}") is not None:  # such as permtree.pairing.Pairs
        return import_module(f".{name}", __name__)
    raise AttributeError(f"module 'permtree' has no attribute {name!r}")
