"""The verbs of a book, one module for each family of things that a caller can ask for."""
