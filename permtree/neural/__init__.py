"""What neural learners share: features, layers, vocabulary, batches, training, checkpoints, devices.

A learner brings a `Network` with a loss, and for data that it doesn't learn from a `Dev`: its scores, and which of them
chooses the best epoch. `Training` does the rest. The parsers of permtree_parsers are such learners.
"""
