"""The engine: the composition root and its nouns. The only place that opens a store or a provider."""

from recollect.engine.root import NOUNS, OPERATIONS, Engine

__all__ = ["NOUNS", "OPERATIONS", "Engine"]
