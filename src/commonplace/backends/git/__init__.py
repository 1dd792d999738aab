"""Where a caller stands in a git repository, and which commits are merged there."""
