"""The HTTP server: MCP over streamable HTTP, REST and metrics, for editors, scripts and teams."""
