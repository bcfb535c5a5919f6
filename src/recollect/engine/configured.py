"""Configured: what settings say, for libraries on the engine that have no engine at hand yet."""

from __future__ import annotations

from typing import Any

from recollect.settings import load


def configured(*names: str) -> dict[str, Any]:
    """Return the settings of these names as they are in force here. Raises ConfigError."""
    settings = load()
    return {name: getattr(settings, name) for name in names}
