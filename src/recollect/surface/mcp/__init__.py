"""The MCP server: JSON-RPC messages on standard input and output, and the definitions of the tools."""
