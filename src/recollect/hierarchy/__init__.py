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

__all__ = ["PROFILES", "GlobalKnowledge", "Level", "MemoryManager", "MemoryStats", "Policy", "PromotionPolicy"]
# The module of each name that is not in `policies`.
_MODULES = {"GlobalKnowledge": "model", "MemoryManager": "project_window", "MemoryStats": "model"}


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module 'recollect.hierarchy' has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(f"recollect.hierarchy.{_MODULES.get(name, 'policies')}"), name)
