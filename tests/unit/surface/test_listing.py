"""What a server lists was written out beforehand, and is what the operations give."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from recollect.capabilities import OPERATIONS
from recollect.surface.mcp import stdio
from recollect.surface.mcp.tool_definitions import definitions


@pytest.mark.parametrize("toolset", ["all", "core"])
def test_the_list_is_what_the_operations_give(toolset: str) -> None:
    as_sent = msgspec.json.decode(msgspec.json.encode(definitions(OPERATIONS, toolset)))
    assert stdio.listed(toolset) == as_sent


@pytest.mark.parametrize("content", [None, b"{", b'{"tool": 1}'])
def test_without_a_readable_list_it_is_worked_out(
    content: bytes | None, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    file = tmp_path / "tools.jsonl"
    if content is not None:
        file.write_bytes(content)
    monkeypatch.setattr(stdio, "TOOLS", file)
    assert stdio.listed("core") is None
