"""What changes a text and undoes it: moving words, annotating, inverting, verifying, checking."""
