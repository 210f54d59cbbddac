"""Studies: treebanks x orders x parsers x seeds, from a TOML file to results."""
