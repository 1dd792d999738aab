"""MCP without the packages of the server: the tools, and a door over standard input."""
