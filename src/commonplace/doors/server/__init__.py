"""One process that serves a book to many callers: MCP, REST, health and metrics."""
