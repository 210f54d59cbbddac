"""Arrays in, arrays out: trees, orders, optimal lengths, entropies and tests. Knows no treebank."""
