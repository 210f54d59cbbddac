"""The version of permtree, in a module of its own that everything may import."""

__version__ = "0.2.0"
