"""Interfaces to the engine: the command line, the MCP server, hooks and assistants' settings."""
