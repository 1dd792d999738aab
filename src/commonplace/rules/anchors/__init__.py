"""Claims about code: the names in a text, and the spans of a file that these stand for."""
