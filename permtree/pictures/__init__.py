"""Pictures of sentences: what is shown, where it stands, and how it is drawn in a terminal and as SVG."""
