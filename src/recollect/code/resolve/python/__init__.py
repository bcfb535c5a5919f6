"""Python as programs of the small language: see `unit`."""

from recollect.code.resolve.python.read import unit

__all__ = ["unit"]
