"""The listed tools as they were written out beforehand: tools.jsonl, one tool a line, made by `make reference`.

Working them out from the operations takes half of the time that a server needs to start, and clients wait for it with
little patience. A test compares the file with what the operations give.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from recollect.toolset import tool_names

FILE = Path(__file__).with_name("tools.jsonl")


def listed(toolset: str) -> list[dict[str, Any]] | None:
    """Return the definitions of a toolset; None where the file does not have them: then they are worked out."""
    import msgspec

    try:
        rows = msgspec.json.decode(b"[" + FILE.read_bytes().strip().replace(b"\n", b",") + b"]")
        tools = {row["name"]: row for row in rows}
        names = tool_names(toolset)
        return list(tools.values()) if names is None else [tools[name] for name in names]
    except (OSError, msgspec.MsgspecError, KeyError, TypeError):
        return None
