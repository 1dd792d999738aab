"""Embedders: the bundled model, HTTP endpoints, hashed words, and a chain of them."""
