"""The composition root: opens a book with the backends that its URL and settings name."""
