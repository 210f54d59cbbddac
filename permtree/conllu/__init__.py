"""Bytes and layout of CoNLL-U: reading, checking and writing lines. Knows no tree."""
