"""The version of this package, in one place: the wheel, `--version` and the MCP handshake read it here."""

__version__ = "0.1.0"
