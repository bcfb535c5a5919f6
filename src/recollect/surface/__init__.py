"""How people and programs reach the engine: the command line, the MCP server, hooks and assistants' settings."""
