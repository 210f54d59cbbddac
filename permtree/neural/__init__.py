"""What neural learners share: features, layers, vocabulary, batches, training, checkpoints, devices."""
