"""recollect: one memory for every AI coding assistant.

    from recollect import Engine

    with Engine() as engine:
        engine.memories.store("We use tabs in Makefiles")
        print(engine.recall.search("indentation in make").hits[0].memory.content)

Importing this package does no work: names are loaded when first used.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from recollect.version import __version__

if TYPE_CHECKING:
    from recollect.engine import Engine as Engine

# Public name → the module that defines it.
_NAMES = {"Engine": "recollect.engine"}

__all__ = ["Engine", "__version__"]


def __getattr__(name: str) -> Any:
    module = _NAMES.get(name)
    if module is None:
        raise AttributeError(f"module 'recollect' has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(module), name)


def __dir__() -> list[str]:
    return sorted(__all__)
