"""Connect coding agents: add hooks and the MCP server to their settings, and remove them."""
