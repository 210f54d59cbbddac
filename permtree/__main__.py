"""`python -m permtree` is `permtree`."""

from .cli import main

main()
