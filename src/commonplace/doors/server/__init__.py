"""The server: REST, MCP, health and metrics over HTTP."""
