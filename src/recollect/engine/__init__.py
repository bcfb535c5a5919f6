"""The engine: the composition root and its nouns. The only place that opens a store or a provider.

The root is loaded when it is first asked for: a hook that only glances at the store does without.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from recollect.engine.root import NOUNS as NOUNS
    from recollect.engine.root import OPERATIONS as OPERATIONS
    from recollect.engine.root import Engine as Engine

__all__ = ["NOUNS", "OPERATIONS", "Engine"]


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module 'recollect.engine' has no attribute {name!r}")
    from recollect.engine import root

    return getattr(root, name)
