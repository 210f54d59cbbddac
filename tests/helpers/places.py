"""Where the tests find the project, its sample, and real treebanks (a folder `shared` beside the checkout)."""

from __future__ import annotations

from pathlib import Path

ROOT = Path(__file__).parents[2]
SAMPLE = ROOT / "treebanks"
EXPERIMENTS = ROOT / "experiments"
SHARED = ROOT.parent / "shared"
