"""Whatever lies in a file: an import answers or refuses, and what it refuses leaves nothing behind."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st
from tests import peers

from recollect import Engine
from recollect.errors import RecollectError

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=6,
)
NAMES = ("type", "name", "entityType", "observations", "from", "to", "relationType", "content", "memory_type",
         "created_at", "user", "assistant", "id", "parent_id", "chunk_index", "timestamp", "tags", "metadata", "edges",
         "namespace", "importance", "records")  # fmt: skip
ROW = st.dictionaries(st.sampled_from(NAMES), JSON, max_size=6)
ENTITY = ROW.map(lambda row: {**row, "type": "entity", "name": str(row.get("name")), "observations": ["x"]})
LINES = st.lists(ROW | ENTITY, min_size=1, max_size=5).map(lambda rows: "\n".join(map(json.dumps, rows)).encode())
DOCUMENT = st.lists(ROW, max_size=4).map(lambda rows: json.dumps({"records": rows}).encode())
PAGE = st.text(max_size=200).map(
    lambda text: f"---\npermalink: x\n{text}\n---\n- [a] {text}\n- b [[{text}]]".encode("utf-8", "replace")
)
SETTINGS = settings(max_examples=25)


def answers_or_refuses(engine: Engine, path: Path) -> None:
    before = engine.archive.export().content
    try:
        imported = engine.archive.import_(str(path))
    except RecollectError as problem:
        assert problem.hint
        assert engine.archive.export().content == before
        return
    assert all(part.found == part.taken + sum(part.left.values()) for part in imported.parts)
    again = engine.archive.import_(str(path))
    assert (again.created if imported.source != "recollect" else 0, again.updated) == (0, 0)


@SETTINGS
@given(raw=LINES | DOCUMENT | st.binary(max_size=200))
def test_any_file_of_lines_or_json(tmp_path: Path, raw: bytes) -> None:
    file = tmp_path / "in.json"
    file.write_bytes(raw)
    with Engine(home=str(tmp_path / "home"), embed_provider="off") as engine:
        answers_or_refuses(engine, file)


@SETTINGS
@given(raw=PAGE)
def test_any_note(tmp_path: Path, raw: bytes) -> None:
    file = tmp_path / "note.md"
    file.write_bytes(raw)
    with Engine(home=str(tmp_path / "home"), embed_provider="off") as engine:
        answers_or_refuses(engine, file)


@SETTINGS
@given(data=st.data())
def test_any_damage_to_a_database(tmp_path: Path, data: Any) -> None:
    source = tmp_path / "claude-mem.db"
    if not source.exists():
        peers.claude_mem(tmp_path)
    raw = bytearray(source.read_bytes())
    for _ in range(data.draw(st.integers(1, 4))):
        raw[data.draw(st.integers(0, len(raw) - 1))] = data.draw(st.integers(0, 255))
    file = tmp_path / "damaged.db"
    file.write_bytes(raw[: data.draw(st.integers(len(raw) // 2, len(raw)))])
    with Engine(home=str(tmp_path / "home"), embed_provider="off") as engine:
        answers_or_refuses(engine, file)
