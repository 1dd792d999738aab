"""Files of other memories, taken in."""
