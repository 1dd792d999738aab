"""The server: REST, MCP, health and metrics over HTTP, and MCP over standard input."""
