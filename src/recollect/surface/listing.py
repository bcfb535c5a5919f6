"""The listed tools as they were written out beforehand: tools.jsonl, one tool a line, made by `make reference`.

Working them out from the operations takes half of the time that a server needs to start, and clients wait for it with
little patience. A test compares the file with what the operations give.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

FILE = Path(__file__).with_name("tools.jsonl")


def listed(toolset: str) -> list[dict[str, Any]] | None:
    """Return the definitions of a toolset, None where the file cannot be read: then they are worked out."""
    import msgspec

    try:
        rows = msgspec.json.decode(b"[" + FILE.read_bytes().strip().replace(b"\n", b",") + b"]")
        return [row["tool"] for row in rows if toolset == "all" or toolset in row["toolsets"]]
    except (OSError, msgspec.MsgspecError, KeyError, TypeError):
        return None
