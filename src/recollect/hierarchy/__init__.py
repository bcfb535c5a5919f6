"""The context window of a model, in four levels from the edited code to an overview of the project.

    from recollect.hierarchy import MemoryManager

    with MemoryManager(namespace=".") as window:
        window.start_task("Requests must be retried with exponential back-off")
        prompt = window.get_immediate_context()

Names are imported on first use: the command line loads only the records.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from recollect.hierarchy.model import GlobalKnowledge as GlobalKnowledge
    from recollect.hierarchy.model import MemoryStats as MemoryStats
    from recollect.hierarchy.policies import PROFILES as PROFILES
    from recollect.hierarchy.policies import Level as Level
    from recollect.hierarchy.policies import Policy as Policy
    from recollect.hierarchy.policies import PromotionPolicy as PromotionPolicy
    from recollect.hierarchy.project_window import MemoryManager as MemoryManager

# Public name → the module that defines it.
_NAMES = {
    "GlobalKnowledge": "recollect.hierarchy.model",
    "Level": "recollect.hierarchy.policies",
    "MemoryManager": "recollect.hierarchy.project_window",
    "MemoryStats": "recollect.hierarchy.model",
    "PROFILES": "recollect.hierarchy.policies",
    "Policy": "recollect.hierarchy.policies",
    "PromotionPolicy": "recollect.hierarchy.policies",
}

__all__ = [
    "PROFILES",
    "GlobalKnowledge",
    "Level",
    "MemoryManager",
    "MemoryStats",
    "Policy",
    "PromotionPolicy",
]


def __getattr__(name: str) -> Any:
    module = _NAMES.get(name)
    if module is None:
        raise AttributeError(f"module 'recollect.hierarchy' has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(module), name)
