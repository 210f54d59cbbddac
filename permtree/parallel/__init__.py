"""Who does the work: pieces of files in this process, in several, or on a cluster."""
