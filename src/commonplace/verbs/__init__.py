"""One use case per file, each a function over the ports."""
