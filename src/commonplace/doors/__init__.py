"""The ways in: each door parses what it is given, calls one method of the book, and renders."""
