"""Plain values: memory, scope, results and errors; this package imports no other room."""
