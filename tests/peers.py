"""Memories of other programs, as small files: made here from what is known of their formats, the same every time."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Mapping, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

# 2026-03-01T10:00:00Z, in the forms that programs write it.
AT = 1_772_359_200
ISO = "2026-03-01T10:00:00+00:00"
ZULU = "2026-03-01T10:00:00.000Z"
SECRET = "ghp_" + "Ab3dE6gH1jK4mN7pQ0sT" * 2
SESSION = "0f2f3c1e-1111-4222-8333-444455556666"

Rows = Sequence[Mapping[str, Any]]


def database(path: Path, schema: str, rows: Mapping[str, Rows]) -> Path:
    """Make a database with these tables and rows; objects and lists are kept as JSON."""
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.executescript(schema)
        for table, held in rows.items():
            for row in held:
                values = [json.dumps(each) if isinstance(each, dict | list) else each for each in row.values()]
                marks = ", ".join("?" * len(row))
                connection.execute(f"INSERT INTO {table} ({', '.join(row)}) VALUES ({marks})", values)
    return path


MEMORY_LIB = """
CREATE TABLE memories (id TEXT PRIMARY KEY, text TEXT NOT NULL, metadata TEXT, timestamp TEXT NOT NULL);
CREATE INDEX idx_timestamp ON memories(timestamp);
"""
MEMORY_LIB_CODE = """
CREATE TABLE code_memories (id TEXT PRIMARY KEY, file_path TEXT, entity_name TEXT, code_snippet TEXT, docstring TEXT,
  signature TEXT, language TEXT, dependencies TEXT, imports TEXT, complexity TEXT, last_modified TEXT,
  timestamp TEXT NOT NULL, metadata TEXT);
CREATE TABLE non_code_memories (id TEXT PRIMARY KEY, category TEXT, title TEXT, content TEXT NOT NULL, file_path TEXT,
  timestamp TEXT NOT NULL, metadata TEXT);
"""


def memory_lib(folder: Path) -> Path:
    rows = [
        {"id": "m-1", "text": "Python uses duck typing", "metadata": {"topic": "typing"}, "timestamp": ISO},
        {"id": "m-2", "text": f"The token is {SECRET}", "metadata": None, "timestamp": "2026-03-01T10:00:00"},
        {"id": "m-3", "text": "  ", "metadata": "{}", "timestamp": ISO},
    ]
    return database(folder / "memories.db", MEMORY_LIB, {"memories": rows})


def memory_lib_code(folder: Path) -> Path:
    code = {
        "id": "c-1", "file_path": "src/sums.py", "entity_name": "add",
        "code_snippet": "def add(a, b):\n    return a + b",
        "docstring": "Add two numbers.", "signature": "add(a, b)", "language": "python", "dependencies": ["check"],
        "imports": ["import math"], "complexity": "low", "last_modified": ISO, "timestamp": ISO, "metadata": {"k": 1},
    }  # fmt: skip
    note = {
        "id": "n-1", "category": "debugging", "title": "A null", "content": "Check user.id before use",
        "file_path": "src/auth.py", "timestamp": ISO, "metadata": {},
    }  # fmt: skip
    return database(folder / "code.db", MEMORY_LIB_CODE, {"code_memories": [code], "non_code_memories": [note]})


def episodic(folder: Path) -> Path:
    whole = "User: What are tuples?\nAssistant: Tuples are fixed. Lists are not."
    records = [
        {"id": "p-1", "parent_id": None, "chunk_index": 0, "user": "What are tuples?",
         "assistant": "Tuples are fixed. Lists are not.", "content": whole, "timestamp": float(AT),
         "embedding": [0.1, 0.2], "access_count": 3, "last_accessed": AT + 60.0, "importance_score": 1.0},
        {"id": "k-1", "parent_id": "p-1", "chunk_index": 1, "user": "", "assistant": "", "content": "Tuples are fixed.",
         "full_context": whole, "timestamp": float(AT), "importance_score": 5.0,
         "chunk_metadata": {"start_char": 0, "end_char": 17, "overlap_start": 0, "overlap_end": 0,
                            "semantic_boundary": True}},
        {"user": "Hello", "assistant": "Good day", "timestamp": float(AT), "mood": "bright"},
    ]  # fmt: skip
    file = folder / "episodic.json"
    file.write_text(json.dumps({"version": 2, "records": records}), encoding="utf-8")
    return file


CODEMEM = """
CREATE TABLE memories (id TEXT PRIMARY KEY, content TEXT NOT NULL, memory_type TEXT NOT NULL, importance REAL,
  confidence REAL, access_count INTEGER, content_hash TEXT, tags TEXT, metadata TEXT, namespace TEXT, session_id TEXT,
  created_at INTEGER NOT NULL, updated_at INTEGER NOT NULL, last_accessed_at INTEGER NOT NULL, expires_at INTEGER,
  repo TEXT, git_ref TEXT DEFAULT 'main');
CREATE TABLE memory_embeddings (memory_id TEXT PRIMARY KEY, embedding BLOB NOT NULL, model TEXT);
CREATE TABLE graph_nodes (id TEXT PRIMARY KEY, kind TEXT NOT NULL, label TEXT, payload TEXT, centrality REAL,
  memory_id TEXT, namespace TEXT);
CREATE TABLE graph_edges (id TEXT PRIMARY KEY, src TEXT NOT NULL, dst TEXT NOT NULL, relationship TEXT NOT NULL,
  weight REAL, properties TEXT, created_at INTEGER NOT NULL, valid_from INTEGER);
CREATE TABLE consolidation_log (id INTEGER PRIMARY KEY, cycle_type TEXT, run_at INTEGER, affected_count INTEGER);
CREATE TABLE sessions (id TEXT PRIMARY KEY, namespace TEXT, started_at INTEGER NOT NULL, ended_at INTEGER,
  memory_count INTEGER DEFAULT 0, summary TEXT);
"""


def codemem(folder: Path) -> Path:
    common = {"content_hash": "x", "metadata": {}, "created_at": AT, "updated_at": AT + 5, "last_accessed_at": AT + 9}
    memories = [
        {"id": "a" * 8, "content": "Use JWT for sessions", "memory_type": "decision", "importance": 0.9,
         "confidence": 0.8, "access_count": 4, "tags": ["auth"], "namespace": "/nowhere/app", "session_id": "s-1",
         **common, "metadata": {"ticket": 7}, "git_ref": "feature"},
        {"id": "b" * 8, "content": "The parser is slow", "memory_type": "observation", "importance": 7.0,
         "tags": "[]", "namespace": "/nowhere/app", **common},
    ]  # fmt: skip
    nodes = [
        {"id": "a" * 8, "kind": "Memory", "memory_id": "a" * 8},
        {"id": "b" * 8, "kind": "Memory", "memory_id": "b" * 8},
        {"id": "file:src/auth.rs", "kind": "File", "label": "auth.rs", "payload": {"lines": 9}},
        {"id": "sym:x", "kind": "Function"},
        {"id": "sym:y", "kind": "Function"},
    ]
    edges = [
        {"id": "e-1", "src": "a" * 8, "dst": "b" * 8, "relationship": "LEADS_TO", "weight": 0.5, "created_at": AT},
        {"id": "e-2", "src": "a" * 8, "dst": "file:src/auth.rs", "relationship": "CO_CHANGED", "created_at": AT},
        {"id": "e-3", "src": "sym:x", "dst": "sym:y", "relationship": "CALLS", "created_at": AT},
    ]
    sessions = [{"id": "s-1", "namespace": "/nowhere/app", "started_at": AT, "ended_at": AT + 60, "summary": "Done"}]
    held: dict[str, Rows] = {"sessions": sessions, "memories": memories, "graph_nodes": nodes, "graph_edges": edges}
    held["memory_embeddings"] = [{"memory_id": "a" * 8, "embedding": b"\0" * 12, "model": "m"}]
    return database(folder / "codemem.db", CODEMEM, held)


def codemem_lines(folder: Path) -> Path:
    edge = {"id": "e-1", "src": "m-1", "dst": "m-2", "relationship": "RELATES_TO", "weight": 0.5}
    rows = [
        {"id": "m-1", "content": "First", "memory_type": "insight", "importance": 0.7, "confidence": 1.0,
         "tags": ["a"], "namespace": "app", "metadata": {"k": 1}, "created_at": ISO, "updated_at": ISO,
         "edges": [edge]},
        {"id": "m-2", "content": "Second", "memory_type": "context", "importance": 0.5, "confidence": 1.0, "tags": [],
         "namespace": None, "metadata": {}, "created_at": ISO, "updated_at": ISO, "edges": [edge]},
    ]  # fmt: skip
    file = folder / "codemem.jsonl"
    file.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return file


CODEMEM_SESSIONS = """
CREATE TABLE sessions (id INTEGER PRIMARY KEY, started_at TEXT NOT NULL, ended_at TEXT, cwd TEXT, project TEXT,
  git_remote TEXT, git_branch TEXT, user TEXT, tool_version TEXT, metadata_json TEXT, import_key TEXT);
CREATE TABLE memory_items (id INTEGER PRIMARY KEY, session_id INTEGER NOT NULL, kind TEXT NOT NULL, title TEXT NOT NULL,
  body_text TEXT NOT NULL, confidence REAL DEFAULT 0.5, tags_text TEXT DEFAULT '', active INTEGER DEFAULT 1,
  created_at TEXT NOT NULL, updated_at TEXT NOT NULL, metadata_json TEXT, deleted_at TEXT, rev INTEGER DEFAULT 0,
  import_key TEXT, visibility TEXT, files_read TEXT, facts TEXT);
CREATE TABLE artifacts (id INTEGER PRIMARY KEY, session_id INTEGER, kind TEXT, path TEXT, content_text TEXT,
  content_hash TEXT, created_at TEXT, metadata_json TEXT);
CREATE TABLE user_prompts (id INTEGER PRIMARY KEY, session_id INTEGER, project TEXT, prompt_text TEXT NOT NULL,
  prompt_number INTEGER, created_at TEXT NOT NULL, created_at_epoch INTEGER, metadata_json TEXT, import_key TEXT);
CREATE TABLE session_summaries (id INTEGER PRIMARY KEY, session_id INTEGER, project TEXT, request TEXT,
  investigated TEXT, learned TEXT, completed TEXT, next_steps TEXT, notes TEXT, created_at TEXT NOT NULL,
  created_at_epoch INTEGER, metadata_json TEXT, import_key TEXT);
CREATE TABLE usage_events (id INTEGER PRIMARY KEY, event TEXT NOT NULL);
"""


def codemem_sessions(folder: Path) -> Path:
    item = {"session_id": 1, "created_at": ISO, "updated_at": ISO}
    held: dict[str, Rows] = {
        "sessions": [{"id": 1, "started_at": ISO, "cwd": "/nowhere/app", "project": "app", "git_branch": "main",
                      "user": "ada"}],
        "memory_items": [
            {**item, "id": 1, "kind": "decision", "title": "Use JWT", "body_text": "Sessions are JWT now",
             "confidence": 0.8, "tags_text": "auth jwt", "metadata_json": {"ticket": 7}, "import_key": "k-1",
             "visibility": "private", "files_read": ["a.py"], "facts": ["Tokens live an hour"]},
            {**item, "id": 2, "kind": "note", "title": "Old", "body_text": "Gone", "active": 0},
        ],
        "artifacts": [{"id": 1, "session_id": 1, "kind": "plan", "path": "plan.md", "content_text": "First the tests",
                       "created_at": ISO}],
        "user_prompts": [{"id": 1, "session_id": 1, "project": "app", "prompt_text": "Make it faster",
                          "prompt_number": 1, "created_at": ISO}],
        "session_summaries": [{"id": 1, "session_id": 1, "request": "Speed", "learned": "Caches help",
                               "created_at": ISO}],
        "usage_events": [{"event": "search"}],
    }  # fmt: skip
    return database(folder / "mem.sqlite", CODEMEM_SESSIONS, held)


def server_memory(folder: Path) -> Path:
    rows = [
        {
            "type": "entity",
            "name": "Ada_Jones",
            "entityType": "person",
            "observations": ["Speaks Spanish", "Likes tea"],
        },
        {"type": "entity", "name": "Harbour", "entityType": "project", "observations": []},
        {"type": "relation", "from": "Ada_Jones", "to": "Harbour", "relationType": "works_at"},
        {"type": "relation", "from": "Harbour", "to": "Ada_Jones", "relationType": "dependsOn"},
        {"type": "relation", "from": "Ada_Jones", "to": "Nowhere", "relationType": "knows"},
        {"type": "weather", "name": "rain"},
    ]
    file = folder / "memory.jsonl"
    file.write_text("\n".join(json.dumps(row) for row in rows), encoding="utf-8")
    return file


CLAUDE_MEM = """
CREATE TABLE schema_versions (id INTEGER PRIMARY KEY, version INTEGER UNIQUE NOT NULL, applied_at TEXT NOT NULL);
CREATE TABLE sdk_sessions (id INTEGER PRIMARY KEY AUTOINCREMENT, content_session_id TEXT NOT NULL,
  memory_session_id TEXT UNIQUE, project TEXT NOT NULL, platform_source TEXT NOT NULL DEFAULT 'claude',
  user_prompt TEXT, started_at TEXT NOT NULL, started_at_epoch INTEGER NOT NULL, completed_at TEXT,
  completed_at_epoch INTEGER, status TEXT NOT NULL DEFAULT 'active', worker_port INTEGER, prompt_counter INTEGER);
CREATE TABLE observations (id INTEGER PRIMARY KEY AUTOINCREMENT, memory_session_id TEXT NOT NULL, project TEXT NOT NULL,
  text TEXT, type TEXT NOT NULL, title TEXT, subtitle TEXT, facts TEXT, narrative TEXT, concepts TEXT, files_read TEXT,
  files_modified TEXT, prompt_number INTEGER, discovery_tokens INTEGER DEFAULT 0, created_at TEXT NOT NULL,
  created_at_epoch INTEGER NOT NULL, content_hash TEXT, generated_by_model TEXT);
CREATE TABLE session_summaries (id INTEGER PRIMARY KEY AUTOINCREMENT, memory_session_id TEXT NOT NULL,
  project TEXT NOT NULL, request TEXT, investigated TEXT, learned TEXT, completed TEXT, next_steps TEXT,
  files_read TEXT, files_edited TEXT, notes TEXT, prompt_number INTEGER, discovery_tokens INTEGER DEFAULT 0,
  created_at TEXT NOT NULL, created_at_epoch INTEGER NOT NULL);
CREATE TABLE user_prompts (id INTEGER PRIMARY KEY AUTOINCREMENT, session_db_id INTEGER,
  content_session_id TEXT NOT NULL, prompt_number INTEGER NOT NULL, prompt_text TEXT NOT NULL, created_at TEXT NOT NULL,
  created_at_epoch INTEGER NOT NULL);
CREATE TABLE pending_messages (id INTEGER PRIMARY KEY, body TEXT);
CREATE VIRTUAL TABLE observations_fts USING fts5(title, narrative);
"""


def claude_mem(folder: Path, *, version: int = 49) -> Path:
    times = {"created_at": ZULU, "created_at_epoch": AT * 1000}
    inner = "mem-1"
    held: dict[str, Rows] = {
        "schema_versions": [{"version": version, "applied_at": ZULU}],
        "sdk_sessions": [{"content_session_id": SESSION, "memory_session_id": inner, "project": "harbour",
                          "user_prompt": "Fix the login", "started_at": ZULU, "started_at_epoch": AT * 1000,
                          "completed_at": ZULU, "completed_at_epoch": AT * 1000, "status": "completed"}],
        "observations": [
            {"memory_session_id": inner, "project": "harbour", "text": None, "type": "bugfix", "title": "Login fixed",
             "subtitle": "Tokens expired early", "facts": ["The clock was off by an hour"],
             "narrative": "The token check used local time.", "concepts": ["problem-solution", "time"],
             "files_read": ["auth.py"], "files_modified": ["clock.py"], "prompt_number": 1, "discovery_tokens": 900,
             "generated_by_model": "haiku", **times},
            {"memory_session_id": inner, "project": "harbour", "type": "change", "title": None, "narrative": None,
             **times},
        ],
        "session_summaries": [{"memory_session_id": inner, "project": "harbour", "request": "Fix the login",
                               "learned": "Always use UTC", "next_steps": "Add a test", "files_edited": ["clock.py"],
                               **times}],
        "user_prompts": [{"session_db_id": 1, "content_session_id": SESSION, "prompt_number": 1,
                          "prompt_text": "Fix the login", **times}],
        "pending_messages": [{"body": "raw"}],
        "observations_fts": [{"title": "Login fixed", "narrative": "x"}],
    }  # fmt: skip
    return database(folder / "claude-mem.db", CLAUDE_MEM, held)


MEMORY_SERVICE = """
CREATE TABLE metadata (key TEXT PRIMARY KEY, value TEXT NOT NULL);
CREATE TABLE memories (id INTEGER PRIMARY KEY AUTOINCREMENT, content_hash TEXT UNIQUE NOT NULL, content TEXT NOT NULL,
  tags TEXT, memory_type TEXT, metadata TEXT, created_at REAL, updated_at REAL, created_at_iso TEXT,
  updated_at_iso TEXT, deleted_at REAL DEFAULT NULL, parent_id TEXT, version INTEGER DEFAULT 1,
  confidence REAL DEFAULT 1.0, last_accessed INTEGER, superseded_by TEXT);
CREATE TABLE memory_graph (source_hash TEXT NOT NULL, target_hash TEXT NOT NULL, similarity REAL NOT NULL,
  connection_types TEXT NOT NULL, metadata TEXT, created_at REAL NOT NULL, relationship_type TEXT DEFAULT 'related',
  PRIMARY KEY (source_hash, target_hash));
"""


def memory_service(folder: Path) -> Path:
    times = {"created_at": AT + 0.25, "updated_at": AT + 5.5, "created_at_iso": ZULU, "updated_at_iso": ZULU}
    link = {"similarity": 0.8, "connection_types": ["semantic"], "metadata": {"why": "words"}, "created_at": AT + 0.5}
    held: dict[str, Rows] = {
        "metadata": [{"key": "distance_metric", "value": "cosine"}],
        "memories": [
            {"content_hash": "h1", "content": "Timeouts are 30 s", "tags": "project:harbour,net",
             "memory_type": "decision", "metadata": {"source": "chat"}, **times, "superseded_by": "h2"},
            {"content_hash": "h2", "content": "Timeouts are 60 s", "tags": "project:harbour", "memory_type": "learning",
             "metadata": "{}", **times, "version": 2},
            {"content_hash": "h3", "content": "Forgotten", **times, "deleted_at": AT + 9.0},
        ],
        "memory_graph": [
            {"source_hash": "h1", "target_hash": "h2", **link},
            {"source_hash": "h2", "target_hash": "h1", **link},
            {"source_hash": "h2", "target_hash": "h3", **link, "relationship_type": "fixes"},
        ],
    }  # fmt: skip
    return database(folder / "sqlite_vec.db", MEMORY_SERVICE, held)


COFFEE = """---
title: Coffee Brewing
type: guide
tags: [coffee, brewing]
permalink: drinks/coffee-brewing
created: 2026-03-01T10:00:00+00:00
status: draft
---

# Coffee Brewing

Water first. See [[Grinding]] too.

## Observations
- [method] Pour over is clearer #brewing (tasted)
- [decision] We buy Ethiopian beans
- [ ] Buy filters
- a plain item

## Relations
- depends_on [[Grinding]] (fresh)
- "made in" [[Kitchen]]
"""
GRINDING = """---
title: Grinding
permalink: drinks/grinding
---

Grind late.
"""


def basic_memory(folder: Path) -> Path:
    notes = folder / "notes"
    (notes / "drinks").mkdir(parents=True)
    (notes / "drinks" / "Coffee Brewing.md").write_text(COFFEE, encoding="utf-8")
    (notes / "drinks" / "Grinding.md").write_text(GRINDING, encoding="utf-8")
    (notes / ".obsidian").mkdir()
    (notes / ".obsidian" / "hidden.md").write_text("hidden", encoding="utf-8")
    return notes


def markdown(folder: Path) -> Path:
    pages = folder / "pages"
    (pages / "deep").mkdir(parents=True)
    (pages / "start.md").write_text("# The start\n\nRead [how](deep/how%20to.md) and [[nowhere]].\n", encoding="utf-8")
    (pages / "deep" / "how to.md").write_text(
        "---\ndate: 2026-03-01\ntags:\n  - steps\n  - '#setup'\nowner: ada\n---\n\nFirst this, then that.\n",
        encoding="utf-8",
    )
    (pages / "empty.md").write_text(" \n", encoding="utf-8")
    (pages / "picture.png").write_bytes(b"\x89PNG")
    return pages


# Every form that can be imported, by the name of its source.
MADE = {
    "memory_lib": (memory_lib, memory_lib_code),
    "episodic": (episodic,),
    "codemem": (codemem, codemem_lines, codemem_sessions),
    "server-memory": (server_memory,),
    "claude-mem": (claude_mem,),
    "mcp-memory-service": (memory_service,),
    "basic-memory": (basic_memory,),
    "markdown": (markdown,),
}
