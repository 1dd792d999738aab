"""Sources outside the book: folders of documents, HTTP endpoints and functions."""
