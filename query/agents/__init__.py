"""The door for agents: an MCP server over the same endpoints."""
