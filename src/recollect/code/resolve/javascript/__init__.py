"""JavaScript, TypeScript and TSX as programs of the small language: see `unit`."""

from recollect.code.resolve.javascript.read import unit

__all__ = ["unit"]
