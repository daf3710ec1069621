"""Input formats: how files are cut into splits, and what of a file belongs to a split."""
