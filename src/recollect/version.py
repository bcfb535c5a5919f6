"""The version of this package, in one place: the wheel, `--version` and the MCP handshake read it here."""

__version__ = "0.1.0"


def release(version: str) -> tuple[int, ...]:
    """Return a version as numbers that compare."""
    return tuple(int(part) for part in version.split(".") if part.isascii() and part.isdigit())
