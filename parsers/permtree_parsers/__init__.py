"""Parsers for both sides of a minimal pair; permtree finds them by the entry points in setup.cfg.

The modules that the entry points name load without heavy libraries; torch and others load when a parser is used.
"""
