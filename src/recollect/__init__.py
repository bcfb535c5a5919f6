"""recollect: one memory for every AI coding assistant.

    from recollect import Engine

    with Engine() as engine:
        engine.memories.store("We use tabs in Makefiles")
        print(engine.recall.search("indentation in make").hits[0].memory.content)

Importing this package loads nothing else: each name is loaded on first use.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from recollect.version import __version__

if TYPE_CHECKING:
    from recollect.engine import Engine as Engine
    from recollect.errors import Conflict as Conflict
    from recollect.errors import InvalidInput as InvalidInput
    from recollect.errors import NotFound as NotFound
    from recollect.errors import RecollectError as RecollectError
    from recollect.errors import StorageError as StorageError
    from recollect.model import Hit as Hit
    from recollect.model import Memory as Memory
    from recollect.model import MemoryPage as MemoryPage
    from recollect.model import Packed as Packed
    from recollect.model import Recall as Recall
    from recollect.model import Session as Session
    from recollect.model import Stored as Stored
    from recollect.settings import Settings as Settings

# Public name → the module that defines it.
_NAMES = {
    "Engine": "recollect.engine",
    "Settings": "recollect.settings",
    **dict.fromkeys(("Hit", "Memory", "MemoryPage", "Packed", "Recall", "Session", "Stored"), "recollect.model"),
    **dict.fromkeys(("Conflict", "InvalidInput", "NotFound", "RecollectError", "StorageError"), "recollect.errors"),
}

__all__ = ["__version__", *_NAMES]


def __getattr__(name: str) -> Any:
    module = _NAMES.get(name)
    if module is None:
        raise AttributeError(f"module 'recollect' has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(module), name)


def __dir__() -> list[str]:
    return sorted(__all__)
