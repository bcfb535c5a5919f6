"""Exceptions of episodic and session memory; they extend the tree of recollect.errors.

    RecollectError
      MemoryError                   EPISODIC_ERROR             storing or reading failed
        ChunkingError               CHUNKING_ERROR             a text could not be split
        TemporalWeightingError      TEMPORAL_WEIGHTING_ERROR   no weight for this time, type or count
        SessionMemoryError          SESSION_MEMORY_ERROR       a session could not be stored or read

MemoryError shadows a builtin, as document 001 names it; import it by name. Invalid arguments raise ValueError.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from recollect.errors import Conflict, InvalidInput, RecollectError


class MemoryError(RecollectError):
    """Base exception of the memory system."""

    code = "EPISODIC_ERROR"
    default_hint = "The conversation can continue without being stored. No partial data was written."

    def __init__(self, message: str = "", *, hint: str = "", **details: Any) -> None:
        super().__init__(message, hint=hint, **details)


class ChunkingError(MemoryError):
    """A text could not be split into chunks."""

    default_hint = "Use create_single_chunk to store the whole text. Nothing was stored."


class TemporalWeightingError(MemoryError):
    """A weight could not be calculated."""

    default_hint = "Use Unix seconds for times, and one of the types working, session, episodic, semantic."


class SessionMemoryError(MemoryError):
    """A session could not be stored or read."""


@contextmanager
def documented_errors(kind: type[MemoryError] = MemoryError) -> Iterator[None]:
    """Convert errors of the engine to documented ones: ValueError for arguments, `kind` for the rest."""
    try:
        yield
    except MemoryError:
        raise
    except Conflict as problem:
        raise kind(problem.message, hint=problem.hint, **problem.details) from problem
    except InvalidInput as problem:
        raise ValueError(problem.message) from problem
    except RecollectError as problem:
        raise kind(problem.message, hint=problem.hint, **problem.details) from problem
