"""Every operation gives the same answer and leaves the same store behind on every surface."""

from __future__ import annotations

import json
import re
import secrets
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import msgspec
import pytest
from tests.conformance.surfaces import ASSISTANT, SURFACES, tool
from tests.fakes import FrozenClock
from tests.trees import git

from recollect import Engine, clock
from recollect.capabilities import OPERATIONS
from recollect.hierarchy import MemoryManager
from recollect.model import Memory, Session
from recollect.operations import public


class Case(NamedTuple):
    """A call: the arguments of a program, and the words that mean the same on a command line."""

    operation: str
    arguments: dict[str, Any]
    words: tuple[str, ...]


DIFF = """--- a/lib/parser.py
+++ b/lib/parser.py
@@ -1,3 +1,3 @@
 class Parser:
     def parse(self):
-        return 2
+        return 1
"""

PAYLOAD = json.dumps(
    {
        "sessionId": "s2",
        "cwd": "/nowhere/app",
        "toolName": "bash",
        "toolArgs": {"command": "make test"},
        "toolResult": {"resultType": "success", "textResultForLlm": "good\n<shellId: 0 completed with exit code 0>"},
    }
)

STOP = json.dumps({"sessionId": "s", "cwd": "/nowhere/app", "stopReason": "end_turn"})
START = json.dumps({"sessionId": "s3", "cwd": "/nowhere/app", "source": "new"})
ASKED = json.dumps({"sessionId": "s3", "cwd": "/nowhere/app", "prompt": "how is the parser of this project written?"})
ENTITY = json.dumps({"type": "entity", "name": "Parser", "entityType": "module", "observations": ["reads lines"]})

CASES = (
    Case("store_memory", {"content": "Prefer composition"}, ("Prefer composition",)),
    Case(
        "store_memory",
        {
            "content": "Tabs in Makefiles\nalways, “really” 🧠",
            "memory_type": "preference",
            "tags": ["make", "a,b"],
            "namespace": "app",
            "importance": 0.25,
            "confidence": 1,
            "title": "Tabs",
            "category": "style",
            "author": "Ada Lovelace",
            "session_id": "monday",
            "valid_from": "2026-05-08T13:56",
            "supersedes": "m2",
            "anchors": ["lib/parser.py::Parser.parse", "lib/parser.py:5"],
            "source": "assistant",
            "metadata": {"ticket": 7, "nested": {"list": [1, None, "é"]}},
            "deduplicate": False,
            "amend": False,
        },
        (
            "Tabs in Makefiles\nalways, “really” 🧠",
            *("--type", "preference", "--tags", "make", "--tags", '["a,b"]', "--project", "app"),
            *("--importance", "0.25", "--confidence", "1", "--title", "Tabs", "--category=style"),
            *("--author", "Ada Lovelace", "--session-id", "monday", "--valid-from", "2026-05-08T13:56"),
            *("--supersedes", "m2"),
            *("--anchors", "lib/parser.py::Parser.parse", "--anchors", "lib/parser.py:5"),
            *("--source", "assistant", "--metadata", '{"ticket": 7, "nested": {"list": [1, null, "é"]}}'),
            "--no-deduplicate",
            "--no-amend",
        ),
    ),
    Case("store_memory", {"content": "The parser is written by hand", "tags": ["new"], "namespace": "app"},
         ("--project", "app", "--tags", "new", "The parser is written by hand")),
    Case("store_memory", {"content": "Said long ago", "valid_from": -86400}, ("Said long ago", "--valid-from=-86400")),
    Case("store_memory", {"content": "-- begins with dashes"}, ("--", "-- begins with dashes")),
    Case("store_memory", {"content": "Everywhere", "global": True}, ("Everywhere", "--global")),
    Case("get_memory", {"memory_id": "m1"}, ("m1",)),
    Case("list_memories", {}, ()),
    Case("list_memories", {"id_prefix": "m1"}, ("--id-prefix", "m1")),
    Case(
        "list_memories",
        {"memory_type": "decision", "namespace": "app", "tags": ["parser"], "source": "user", "since": 1,
         "until": 2**37, "order": "oldest", "limit": 5, "offset": 0},
        ("--type", "decision", "--project", "app", "--tags", "parser", "--source", "user", "--since", "1",
         "--until", str(2**37), "--order", "oldest", "--limit", "5", "--offset", "0"),
    ),
    Case("list_memories", {"branch": "feature/x"}, ("--branch", "feature/x")),
    Case("list_memories", {"all_projects": True}, ("--all-projects",)),
    Case("list_memories", {"observed": True}, ("--observed",)),
    Case("list_memories", {"archived": True}, ("--archived",)),
    Case("list_memories", {"archived": False}, ("--no-archived",)),
    Case("list_memories", {"order": "important", "limit": 1, "offset": 1},
         ("--order", "important", "--limit", "1", "--offset", "1")),
    Case(
        "update_memory",
        {"memory_id": "m1", "content": "The parser is generated", "memory_type": "insight", "tags": ["a", "b"],
         "namespace": "lib", "importance": 1.0, "confidence": 0.5, "title": "", "category": "design",
         "metadata": {"k": [1]}, "anchors": ["a.py::f"]},
        ("m1", "--content", "The parser is generated", "--type", "insight", "--tags", "a,b", "--project",
         "lib", "--importance", "1.0", "--confidence", "0.5", "--title", "", "--category", "design",
         "--metadata", '{"k": [1]}', "--anchors", "a.py::f"),
    ),
    Case("update_memory", {"memory_id": "m2", "importance": 0.5}, ("m2", "--importance", "0.5")),
    Case("update_memory", {"memory_id": "m2", "anchors": ["lib/parser.py"]}, ("m2", "--anchors", "lib/parser.py")),
    Case("store_coding_memory", {"content": "def parse_header(line):\n    return line.split(':')"},
         ("def parse_header(line):\n    return line.split(':')",)),
    Case(
        "store_coding_memory",
        {"content": "fn parse(s: &str) {}", "workspace_id": "app", "project_path": "lib", "code_type": "rust",
         "context": "Parses", "strict": False},
        ("fn parse(s: &str) {}", "--workspace-id", "app", "--project-path", "lib", "--code-type", "rust", "--context",
         "Parses", "--no-strict"),
    ),
    Case("retrieve_relevant_memories", {"query": "parser"}, ("parser",)),
    Case("retrieve_relevant_memories", {"query": "parser", "all_projects": True}, ("parser", "--all-projects")),
    Case(
        "retrieve_relevant_memories",
        {"query": "fibonacci", "workspace_id": "app", "max_results": 3, "project_filter": "lib",
         "code_types": ["python", "go"], "min_relevance": 0.1},
        ("fibonacci", "--workspace-id", "app", "--limit", "3", "--project-filter", "lib", "--code-types",
         "python", "--code-types", "go", "--min-relevance", "0.1"),
    ),
    Case("evolve_memory_network", {}, ()),
    Case(
        "evolve_memory_network",
        {"trigger_type": "event", "scope": "project", "max_memories": 20, "project_path": "app", "strict": True},
        ("--trigger-type", "event", "--scope", "project", "--limit", "20", "--project-path", "app", "--strict"),
    ),
    Case("drift", {}, ()),
    Case("drift", {"since": "2001-01-01", "last": True, "namespace": "app", "limit": 3},
         ("--since", "2001-01-01", "--last", "--project", "app", "--limit", "3")),
    Case("drift", {"range": "HEAD~1..HEAD"}, ("--range", "HEAD~1..HEAD")),
    Case("settle_drift", {"memory_id": "m6", "action": "keep"}, ("m6", "keep")),
    Case("settle_drift", {"memory_id": "m6", "action": "retire"}, ("m6", "retire")),
    Case("settle_drift", {"memory_id": "m6", "action": "update", "content": "Parser().parse is called by parse_file",
                          "anchors": ["lib/parser.py"]},
         ("m6", "update", "--content", "Parser().parse is called by parse_file", "--anchors", "lib/parser.py")),
    Case("recall_memory", {"query": "parse_file makes a parser"}, ("parse_file makes a parser",)),
    Case("delete_memory", {"memory_id": "m1"}, ("m1",)),
    Case("delete_memory", {"memory_id": "m5", "undo": True}, ("m5", "--undo")),
    Case("purge_memories", {"memory_ids": ["m1", "m2"]}, ("m1", "m2", "--yes")),
    Case("purge_memories", {"memory_ids": ["m1"], "keep_current": True}, ("m1", "--keep-current", "--yes")),
    Case("purge_memories", {"memory_ids": ["m1"], "dry_run": True}, ("m1", "--dry-run")),
    Case("purge_memories", {}, ("--yes",)),
    Case("associate_memories", {"source_id": "m1", "target_id": "m3"}, ("m1", "m3")),
    Case("associate_memories", {"source_id": "m1", "target_id": "m2", "relationship": "LEADS_TO", "weight": 0.25},
         ("m1", "m2", "--relationship", "LEADS_TO", "--weight", "0.25")),
    Case("recall_memory", {"query": "who wrote the parser"}, ("who wrote the parser",)),
    Case(
        "recall_memory",
        {"query": "parser", "k": 2, "namespace": "app", "memory_type": "decision", "tags": ["parser"],
         "min_score": 0.01},
        ("parser", "--limit", "2", "--project", "app", "--type", "decision", "--tags", "parser",
         "--min-score", "0.01"),
    ),
    Case("recall_memory", {"query": "parser", "explain": True}, ("parser", "--explain")),
    Case("recall_memory", {"query": "parser", "all_projects": True}, ("parser", "--all-projects")),
    Case("recall_memory", {"query": "parser", "archived": True}, ("parser", "--archived")),
    Case("recall_memory", {"query": "parser", "observed": True}, ("parser", "--observed")),
    Case("recall_memory", {"query": "parser", "branch": "feature/x"}, ("parser", "--branch", "feature/x")),
    Case("recall_memory", {"query": "parser", "judge": True}, ("parser", "--judge")),
    Case("recall_memory", {"query": "parser", "judge": False}, ("parser", "--no-judge")),
    Case("recall_memory", {"query": "parser", "as_of": "2026-01-01"}, ("parser", "--as-of", "2026-01-01")),
    Case("recall_memory", {"query": "parser", "since": "2025-01-01", "until": "2026-01-01"},
         ("parser", "--since", "2025-01-01", "--until", "2026-01-01")),
    Case("recall_memory", {"query": "parse_file", "code": True}, ("parse_file", "--code")),
    Case("recall_memory", {"query": "parse_file", "code": False}, ("parse_file", "--no-code")),
    Case("recall_memory", {"query": "parse_file"}, ("parse_file",)),
    Case("pack_context", {"task": "parser", "observed": True}, ("parser", "--observed")),
    Case("pack_context", {"task": "parse_file", "code": True}, ("parse_file", "--code")),
    Case("pack_context", {"task": "write the parser"}, ("write the parser",)),
    Case("pack_context", {"task": "the parser", "all_projects": True}, ("the parser", "--all-projects")),
    Case("pack_context", {"task": "parser", "tokens": 60, "namespace": "app", "min_score": 0.0},
         ("parser", "--tokens", "60", "--project", "app", "--min-score", "0.0")),
    Case("memory_usefulness", {}, ()),
    Case("memory_usefulness", {"memory_id": "m1"}, ("m1",)),
    Case("memory_usefulness", {"memory_id": "m1", "useless": True}, ("m1", "--useless")),
    Case("memory_usefulness", {"namespace": "app", "reset": True}, ("--project", "app", "--reset")),
    Case("set_scoring_weights", {}, ()),
    Case(
        "set_scoring_weights",
        {"profile": "documented", "vector": 3, "graph": 0.5, "token": 2, "temporal": 1, "tags": 1, "importance": 0.25,
         "confidence": 0, "recency": 0.125, "freshness": 1, "namespace": "app", "reset": True},
        ("--profile", "documented", "--vector", "3", "--graph", "0.5", "--token", "2", "--temporal", "1", "--tags", "1",
         "--importance", "0.25", "--confidence", "0", "--recency", "0.125", "--freshness", "1", "--project", "app",
         "--reset"),
    ),
    Case("set_scoring_weights", {"importance": 0.4}, ("--importance", "0.4")),
    Case("recall_with_expansion", {"query": "who wrote the parser"}, ("who wrote the parser",)),
    Case("recall_with_expansion", {"query": "parser", "all_projects": True}, ("parser", "--all-projects")),
    Case(
        "recall_with_expansion",
        {"query": "parser", "k": 3, "expansion_depth": 1, "namespace": "app", "memory_type": "context", "tags": [],
         "min_score": 0.0, "as_of": "2026-01-01"},
        ("parser", "--limit", "3", "--expansion-depth", "1", "--project", "app", "--type", "context",
         "--min-score", "0.0", "--as-of", "2026-01-01"),
    ),
    Case("recall_with_impact", {"query": "who wrote the parser"}, ("who wrote the parser",)),
    Case("recall_with_impact", {"query": "parser", "all_projects": True}, ("parser", "--all-projects")),
    Case(
        "recall_with_impact",
        {"query": "parser", "k": 1, "depth": 3, "namespace": "app", "memory_type": "decision", "tags": ["parser"],
         "min_score": 0.01, "as_of": "2026-01-01"},
        ("parser", "--limit", "1", "--depth", "3", "--project", "app", "--type", "decision", "--tags", "parser",
         "--min-score", "0.01", "--as-of", "2026-01-01"),
    ),
    Case("graph_traverse", {"start_id": "m1"}, ("m1",)),
    Case(
        "graph_traverse",
        {"start_id": "mem:m1", "algorithm": "dfs", "max_depth": 3, "direction": "out", "kinds": ["Memory", "File"],
         "relationships": ["LEADS_TO", "CALLS"], "namespace": "app", "limit": 5},
        ("mem:m1", "--algorithm", "dfs", "--max-depth", "3", "--direction", "out", "--kinds", "Memory,File",
         "--relationships", "LEADS_TO", "--relationships", "CALLS", "--project", "app", "--limit", "5"),
    ),
    Case("graph_traverse", {"start_id": "m4"}, ("m4",)),
    Case("get_pagerank", {}, ()),
    Case(
        "get_pagerank",
        {"damping": 0.5, "namespace": "app", "kinds": ["Memory"], "relationships": ["LEADS_TO"], "limit": 1},
        ("--damping", "0.5", "--project", "app", "--kinds", "Memory", "--relationships", "LEADS_TO", "--limit", "1"),
    ),
    Case("get_clusters", {}, ()),
    Case(
        "get_clusters",
        {"resolution": 0.5, "namespace": "app", "kinds": ["Memory"], "relationships": ["LEADS_TO"], "limit": 2},
        ("--resolution", "0.5", "--project", "app", "--kinds", "Memory", "--relationships", "LEADS_TO",
         "--limit", "2"),
    ),
    Case("graph_layout", {}, ()),
    Case("graph_layout", {"start_id": "m1", "max_depth": 1, "limit": 3},
         ("--start-id", "m1", "--max-depth", "1", "--limit", "3")),
    Case("graph_layout", {"start_id": "m1", "target_id": "m2"}, ("--start-id", "m1", "--target-id", "m2")),
    Case(
        "graph_layout",
        {"namespace": "app", "kinds": ["Memory"], "relationships": ["LEADS_TO"], "min_centrality": 0.1},
        ("--project", "app", "--kinds", "Memory", "--relationships", "LEADS_TO", "--min-centrality", "0.1"),
    ),
    Case("embedding_map", {}, ()),
    Case(
        "embedding_map",
        {"namespace": "app", "memory_type": "decision", "observed": True, "limit": 2},
        ("--project", "app", "--type", "decision", "--observed", "--limit", "2"),
    ),
    Case("embedding_map", {"all_projects": True}, ("--all-projects",)),
    Case("recompute_centrality", {}, ()),
    Case("list_namespaces", {}, ()),
    Case("namespace_stats", {"namespace": "app"}, ("app",)),
    Case("namespace_stats", {"namespace": "-"}, ("-",)),
    Case("delete_namespace", {"namespace": "app"}, ("app", "--yes")),
    Case("workspace_init", {}, ()),
    Case("workspace_init", {"identifier": "lib", "name": "The library"}, ("lib", "--name", "The library")),
    Case("workspace_create", {"identifier": "new", "name": "New", "description": "What it is about"},
         ("new", "--name", "New", "--description", "What it is about")),
    Case("workspace_retrieve", {"identifier": "app"}, ("app",)),
    Case("index_codebase", {}, ()),
    Case("index_codebase", {"path": "project", "namespace": "app", "rebuild": True, "force": True, "vectors": True,
                            "link": True},
         ("project", "--project", "app", "--rebuild", "--force", "--vectors", "--link")),
    Case("search_symbols", {"query": "parse"}, ("parse",)),
    Case("search_symbols", {"query": "parse", "all_projects": True}, ("parse", "--all-projects")),
    Case(
        "search_symbols",
        {"query": "pF", "kind": "Function", "language": "python", "path": "lib/", "namespace": "app", "k": 3},
        ("pF", "--kind", "Function", "--language", "python", "--path", "lib/", "--project", "app", "--limit", "3"),
    ),
    Case("search_code", {"query": "where files are parsed"}, ("where files are parsed",)),
    Case("search_code", {"query": "parse", "all_projects": True}, ("parse", "--all-projects")),
    Case(
        "search_code",
        {"query": "parse_file", "k": 2, "language": "python", "path": "lib/", "kind": "Function", "namespace": "app",
         "min_score": 0.01, "explain": True},
        ("parse_file", "--limit", "2", "--language", "python", "--path", "lib/", "--kind", "Function",
         "--project", "app", "--min-score", "0.01", "--explain"),
    ),
    Case("get_symbol_info", {"symbol": "Parser.parse"}, ("Parser.parse",)),
    Case("get_symbol_info", {"symbol": "Parser.parse", "with_source": True}, ("Parser.parse", "--with-source")),
    Case(
        "get_symbol_info", {"symbol": "lib/parser.py:5", "namespace": "app"}, ("lib/parser.py:5", "--project", "app")
    ),
    Case("get_dependencies", {"symbol": "parse_file"}, ("parse_file",)),
    Case(
        "get_dependencies",
        {"symbol": "lib/parser.py", "depth": 2, "direction": "both", "relationships": ["CALLS", "CONTAINS"],
         "namespace": "app", "limit": 5},
        ("lib/parser.py", "--depth", "2", "--direction", "both", "--relationships", "CALLS", "--relationships",
         "CONTAINS", "--project", "app", "--limit", "5"),
    ),
    Case("get_impact", {"symbol": "Parser"}, ("Parser",)),
    Case(
        "get_impact",
        {"symbol": "Parser.parse", "depth": 1, "min_confidence": 0.5, "namespace": "app", "limit": 3},
        ("Parser.parse", "--depth", "1", "--min-confidence", "0.5", "--project", "app", "--limit", "3"),
    ),
    Case("get_cross_repo", {}, ()),
    Case("get_cross_repo", {"namespace": "app", "package": "parser-kit", "limit": 3},
         ("--project", "app", "--package", "parser-kit", "--limit", "3")),
    Case("repo_map", {}, ()),
    Case("repo_map", {"tokens": 400, "focus": ["lib/parser.py", "parse_file"], "namespace": "app"},
         ("--tokens", "400", "--focus", "lib/parser.py", "--focus", "parse_file", "--project", "app")),
    Case("review_diff", {"diff": DIFF, "path": "project", "depth": 2, "limit": 5},
         ("--diff", DIFF, "--path", "project", "--depth", "2", "--limit", "5")),
    Case("review_diff", {"range": "HEAD", "path": "repository"}, ("--range", "HEAD", "--path", "repository")),
    Case("find_cycles", {}, ()),
    Case("find_cycles", {"of": "calls", "path": "lib/", "kinds": ["Function"], "namespace": "app", "limit": 3},
         ("--of", "calls", "--path", "lib/", "--kinds", "Function", "--project", "app", "--limit", "3")),
    Case("find_dead_code", {}, ()),
    Case("find_dead_code",
         {"path": "lib/", "kinds": ["Function", "Class"], "min_confidence": 0.1, "namespace": "app", "limit": 3},
         ("--path", "lib/", "--kinds", "Function,Class", "--min-confidence", "0.1", "--project", "app",
          "--limit", "3")),
    Case("ingest", {}, ()),
    Case("ingest", {"payload": PAYLOAD, "event": "postToolUse", "assistant": "copilot", "limit": 10},
         (PAYLOAD, "--event", "postToolUse", "--assistant", "copilot", "--limit", "10")),
    Case("list_sessions", {}, ()),
    Case("list_sessions", {"all_projects": True}, ("--all-projects",)),
    Case("list_sessions", {"namespace": "app", "active": True, "limit": 5, "offset": 0},
         ("--project", "app", "--active", "--limit", "5", "--offset", "0")),
    Case("get_session", {"session_id": "s", "limit": 5}, ("s", "--limit", "5")),
    Case("summarize_session", {"session_id": "s"}, ("s",)),
    Case("summarize_session", {"namespace": "app"}, ("--project", "app")),
    Case("summarize_session", {"payload": STOP, "event": "agentStop", "assistant": "copilot"},
         ("--payload", STOP, "--event", "agentStop", "--assistant", "copilot")),
    Case("session_context", {}, ()),
    Case("preview_context", {"namespace": "app", "tokens": 300}, ("--project", "app", "--tokens", "300")),
    Case("preview_context", {"prompt": "how is the parser written?", "namespace": "app"},
         ("how is the parser written?", "--project", "app")),
    Case("session_context", {"namespace": "app", "tokens": 300}, ("--project", "app", "--tokens", "300")),
    Case("session_context", {"payload": START, "event": "sessionStart", "assistant": "copilot"},
         (START, "--event", "sessionStart", "--assistant", "copilot")),
    Case("submit_prompt", {"payload": ASKED, "event": "userPromptSubmitted", "assistant": "copilot", "tokens": 500},
         (ASKED, "--event", "userPromptSubmitted", "--assistant", "copilot", "--tokens", "500")),
    Case("detect_patterns", {}, ()),
    Case("detect_patterns",
         {"pattern_types": ["repeated_search", "decision_chain"], "namespace": "app", "since": "2001",
          "min_confidence": 0.25, "limit": 5},
         ("--pattern-types", "repeated_search,decision_chain", "--project", "app", "--since", "2001",
          "--min-confidence", "0.25", "--limit", "5")),
    Case("pattern_insights", {}, ()),
    Case("pattern_insights", {"namespace": "app", "since": "2001", "min_confidence": 0.0},
         ("--project", "app", "--since", "2001", "--min-confidence", "0.0")),
    Case("get_decision_chain", {"subject": "parser"}, ("parser",)),
    Case("get_decision_chain", {"subject": "how is the parser written", "namespace": "app", "limit": 3},
         ("how is the parser written", "--project", "app", "--limit", "3")),
    Case("list_commands", {}, ()),
    Case("list_commands", {"kind": "test", "namespace": "app", "limit": 3},
         ("--kind", "test", "--project", "app", "--limit", "3")),
    Case("distil", {}, ()),
    Case("distil", {"path": "project", "file": "CLAUDE.md", "limit": 3},
         ("project", "--file", "CLAUDE.md", "--limit", "3")),
    # The id of nothing added to nothing: there is no lesson for this project.
    Case("distil", {"path": "project", "apply": "e3b0c442-e3b0c442"}, ("project", "--apply", "e3b0c442-e3b0c442")),
    Case("export_memories", {}, ()),
    Case("export_memories", {"path": "out.jsonl", "namespace": "app", "overwrite": True},
         ("out.jsonl", "--project", "app", "--overwrite")),
    Case("import_memories", {"path": "in.jsonl"}, ("in.jsonl",)),
    Case("import_memories", {"content": '{"content": "inline"}'}, ("--content", '{"content": "inline"}')),
    Case("import_memories", {"content": ENTITY, "from": "server-memory", "namespace": "app"},
         ("--content", ENTITY, "--from", "server-memory", "--project", "app")),
    Case("import_memories", {"path": "in.jsonl", "from": "recollect", "dry_run": True},
         ("in.jsonl", "--from", "recollect", "--dry-run")),
    Case("import_history", {"path": "repository"}, ("repository",)),
    Case("import_history", {"path": "repository", "only": ["git", "docs"], "since": "2001", "limit": 5},
         ("repository", "--only", "git,docs", "--since", "2001", "--limit", "5")),
    Case("import_history", {"path": "repository", "dry_run": True}, ("repository", "--dry-run")),
    Case("import_history", {"path": "repository", "vectors": False}, ("repository", "--no-vectors")),
    Case("import_history", {"path": "repository", "from_json": "threads.json"},
         ("repository", "--from-json", "threads.json")),
    Case("import_history", {"path": "repository", "only": ["transcripts"]}, ("repository", "--only", "transcripts")),
    Case("consolidate_decay", {}, ()),
    Case("consolidate_decay", {"threshold_days": 2, "namespace": "app", "preview": True, "limit": 2},
         ("--threshold-days", "2", "--project", "app", "--preview", "--limit", "2")),
    Case("consolidate_decay", {"namespace": "nobody", "plan": "cdfdd722f997"},
         ("--project", "nobody", "--plan", "cdfdd722f997")),
    Case("consolidate_creative", {}, ()),
    Case("consolidate_creative", {"namespace": "app", "preview": True, "limit": 2},
         ("--project", "app", "--preview", "--limit", "2")),
    Case("consolidate_creative", {"namespace": "nobody", "plan": "05c46bbdb11f"},
         ("--project", "nobody", "--plan", "05c46bbdb11f")),
    Case("consolidate_cluster", {}, ()),
    Case("consolidate_cluster", {"namespace": "app", "preview": True, "limit": 2},
         ("--project", "app", "--preview", "--limit", "2")),
    Case("consolidate_cluster", {"namespace": "nobody", "plan": "87f9f01f354b"},
         ("--project", "nobody", "--plan", "87f9f01f354b")),
    Case("consolidate_forget", {}, ()),
    Case("consolidate_forget", {"importance_threshold": 0.6, "namespace": "app", "preview": True, "limit": 2},
         ("--importance-threshold", "0.6", "--project", "app", "--preview", "--limit", "2")),
    Case("consolidate_forget", {"namespace": "nobody", "plan": "8268fd1848fe"},
         ("--project", "nobody", "--plan", "8268fd1848fe")),
    Case("consolidate", {}, ()),
    Case("consolidate", {"cycle": ["decay", "forget"], "apply": True, "namespace": "app", "limit": 3},
         ("--cycle", "decay", "--cycle", "forget", "--apply", "--project", "app", "--limit", "3")),
    Case("consolidate", {"status": True, "preview": True}, ("--status", "--preview")),
    Case("consolidation_status", {}, ()),
    Case("archive_memory", {"memory_id": "m1"}, ("m1",)),
    Case("restore_memory", {"memory_id": "m1"}, ("m1",)),
    Case("stats", {}, ()),
    Case("model_spending", {}, ()),
    Case("model_spending", {"days": 7}, ("--days", "7")),
    Case("health", {}, ()),
    Case("health", {"thorough": True}, ("--thorough",)),
    Case("rebuild", {}, ()),
    Case("rebuild", {"vectors": False}, ("--no-vectors",)),
    Case("list_changes", {}, ()),
    Case("list_changes", {"memory_id": "m5", "batch": "deletion", "limit": 3, "offset": 0},
         ("--memory-id", "m5", "--batch", "deletion", "--limit", "3", "--offset", "0")),
    Case("undo", {}, ()),
    Case("context_window_start", {"description": "the parser must be faster", "namespace": "app"},
         ("the parser must be faster", "--project", "app")),
    Case("context_window_start",
         {"description": "the parser must be faster", "files": ["lib/parser.py"], "error": "ParseError: no such line",
          "profile": "small", "limit": 1, "namespace": "app"},
         ("the parser must be faster", "--files", "lib/parser.py", "--error", "ParseError: no such line", "--profile",
          "small", "--limit", "1", "--project", "app")),
    Case("context_window_look_up", {"query": "Parser.parse", "namespace": "app"},
         ("Parser.parse", "--project", "app")),
    Case("context_window_look_up", {"query": "memory:m1", "namespace": "app"}, ("memory:m1", "--project", "app")),
    Case("context_window_set", {"content": "ParseError: no such line", "name": "error", "namespace": "app"},
         ("ParseError: no such line", "--name", "error", "--project", "app")),
    Case("context_window_promote", {"path": "lib/parser.py", "level": 1, "namespace": "app"},
         ("lib/parser.py", "--level", "1", "--project", "app")),
    Case("context_window_demote", {"path": "lib/parser.py", "namespace": "app"},
         ("lib/parser.py", "--project", "app")),
    Case("context_window_clean", {"namespace": "app"}, ("--project", "app")),
    Case("context_window_complete", {"namespace": "app"}, ("--project", "app")),
    Case("context_window", {"level": 4, "limit": 3, "namespace": "app"},
         ("--level", "4", "--limit", "3", "--project", "app")),
    Case("context_window", {"level": 1, "namespace": "app"}, ("--level", "1", "--project", "app")),
    Case("context_window", {"namespace": "app"}, ("--project", "app")),
    Case("undo", {"batch": "deletion"}, ("deletion",)),
    Case("create_token", {"name": "reader"}, ("reader",)),
    Case("create_token", {"name": "ci", "scope": "write", "projects": ["app", "lib"], "expires": "2w"},
         ("ci", "--scope", "write", "--projects", "app,lib", "--expires", "2w")),
    Case("create_token", {"name": "laptop", "scope": "write", "projects": ["app"], "person": "ada"},
         ("laptop", "--scope", "write", "--projects", "app", "--person", "ada")),
    Case("list_tokens", {}, ()),
    Case("revoke_token", {"token": "old"}, ("old",)),
    Case("list_token_calls", {}, ()),
    Case("list_token_calls", {"name": "ada", "since": 1, "limit": 3, "offset": 0},
         ("--name", "ada", "--since", "1", "--limit", "3", "--offset", "0")),
    Case("share_memories", {"memory_ids": [], "kind": ["decision", "habit"], "namespace": "./repository"},
         ("--kind", "decision,habit", "--project", "./repository")),
    Case("trust_repository", {"path": "repository"}, ("repository",)),
    Case("untrust_repository", {"path": "repository"}, ("repository",)),
)  # fmt: skip


# --- a prepared home, copied for every call ---


def ids() -> Iterator[str]:
    number = 0
    while True:
        number += 1
        yield f"00000000-0000-4000-8000-{number:012}"


def restart(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let time stand still and count new ids from the beginning."""
    fresh = ids()
    monkeypatch.setattr(clock, "now", FrozenClock())
    monkeypatch.setattr(clock, "new_id", lambda: next(fresh))
    monkeypatch.setattr(secrets, "token_hex", lambda count: "0f" * count)
    monkeypatch.setattr(secrets, "token_urlsafe", lambda count: "Zm9v" * (count // 3))


@pytest.fixture(scope="module")
def prepared(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A home with a little of everything."""
    home = tmp_path_factory.mktemp("prepared") / "home"
    rows: list[dict[str, Any]] = [
        {"id": "m1", "content": "The parser is written by hand", "memory_type": "decision", "tags": ["parser"],
         "namespace": "app", "importance": 0.9, "title": "Parser"},
        {"id": "m2", "content": "Errors carry a code and a hint", "namespace": "app", "metadata": {"k": 1}},
        {"id": "m3", "content": "The parser of lib is generated", "namespace": "lib"},
        {"id": "m4", "content": "Without a namespace", "memory_type": "habit"},
        {"id": "m5", "content": "To be deleted", "namespace": "app"},
        {"id": "m6", "content": "parse_file makes a parser anew", "namespace": "app"},
    ]  # fmt: skip
    with pytest.MonkeyPatch.context() as patch, Engine(home=str(home), embed_provider="off") as engine:
        patch.setattr(clock, "now", FrozenClock(1_600_000_000))
        engine.archive.import_(content="\n".join(map(json.dumps, rows)))
        engine.workspaces.create("app", description="The app")
        engine.access_tokens.create("old")
        engine.memories.associate("m1", "m2", relationship="LEADS_TO")
        with engine.store.transaction("test") as transaction:
            transaction.insert(Session(id="s", namespace="app", started_at=1))
        with engine.store.transaction("delete_memory", batch="deletion") as transaction:
            transaction.delete(Memory, {"id": "m5"})
        project = home.parent / "project"
        write_project(project)
        git(project, "init", "-q")
        for number in (1, 2):
            git(project, "add", ".")
            git(project, "commit", "-qm", f"commit {number}")
            engine.code.index(str(project), namespace="app")
            source = (project / "lib" / "parser.py").read_text(encoding="utf-8")
            (project / "lib" / "parser.py").write_text(source.replace("Parser()\n", "Parser().parse()\n"), "utf-8")
        MemoryManager(engine, "app").promote("lib/parser.py")
    return home


def write_project(folder: Path) -> None:
    (folder / "lib").mkdir(parents=True)
    source = "class Parser:\n    def parse(self):\n        return 1\n\ndef parse_file():\n    return Parser()\n"
    (folder / "lib" / "parser.py").write_text(source, encoding="utf-8")
    manifest = '[project]\nname = "parser-kit"\nversion = "1.0"\ndependencies = ["msgspec>=0.18"]\n'
    (folder / "pyproject.toml").write_text(manifest, encoding="utf-8")


def write_repository(folder: Path) -> None:
    write_project(folder)
    for words in (("init", "-q"), ("add", "."), ("commit", "-qm", "first")):
        git(folder, *words)
    (folder / "lib" / "parser.py").write_text("def parse_file():\n    return 1\n", encoding="utf-8")


@pytest.fixture
def bench(prepared: Path, home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Bench:
    monkeypatch.setenv("RECOLLECT_EMBED_PROVIDER", "off")
    monkeypatch.chdir(tmp_path)
    write_project(tmp_path / "project")
    thread = {"number": 7, "title": "Use WAL", "body": "Because readers must not wait for a writer.", "url": "x"}
    (tmp_path / "threads.json").write_text(json.dumps([thread]), encoding="utf-8")
    (tmp_path / "in.jsonl").write_text('{"id": "m9", "content": "imported"}\n{"content": "bare"}\n', encoding="utf-8")
    return Bench(prepared, home, tmp_path, monkeypatch)


CALLERS = {**SURFACES, "assistant": ASSISTANT}
OTHERS = [surface for surface in SURFACES if surface != "library"]


# An assistant is the source of what it stores, manages no access tokens, and does not decide whom to trust.
DIFFERENT_FOR_ASSISTANTS = ("store_", "create_token", "revoke_token", "trust_", "untrust_")


class Bench:
    """Where one call after the other meets the same store at the same time."""

    def __init__(self, prepared: Path, home: Path, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self._prepared, self._home, self._folder, self._monkeypatch = prepared, home, folder, monkeypatch

    def call(self, case: Case, surface: str) -> dict[str, Any]:
        """Return the answer and everything the call left behind."""
        self.copy_home()
        if "repository" in " ".join(case.words) and not (self._folder / "repository").exists():
            write_repository(self._folder / "repository")
        told = CALLERS[surface](OPERATIONS[case.operation], case.arguments, case.words)
        return {"answer": steady(told), **self.left_behind()}

    def copy_home(self) -> None:
        """Put a copy of the prepared home in the place of the last one."""
        shutil.rmtree(self._home, ignore_errors=True)
        shutil.copytree(self._prepared, self._home)
        restart(self._monkeypatch)

    def left_behind(self) -> dict[str, Any]:
        with Engine() as engine:
            history = msgspec.to_builtins(engine.admin.changes(limit=1000))
            exported = engine.archive.export().content
        file = self._folder / "out.jsonl"
        return {"export": exported, "changes": history, "file": file.read_bytes() if file.exists() else None}


def steady(told: dict[str, Any]) -> dict[str, Any]:
    """Return an answer without what changes by itself: sizes of files, free space and CPU time."""
    told.pop("database_bytes", None)
    told.pop("cpu_s", None)
    told.pop("duration_ms", None)
    for check in told.get("checks", ()):
        check["detail"] = re.sub(r"[\d,]+ MiB free", "… MiB free", check["detail"])
    return told


# --- the tests ---


def test_every_operation_and_every_parameter_has_a_case() -> None:
    assert {case.operation for case in CASES} == set(OPERATIONS)
    tried = {(case.operation, public(name)) for case in CASES for name in case.arguments}
    assert tried == {(row.name, parameter.name) for row in OPERATIONS.values() for parameter in row.parameters}


@pytest.mark.parametrize("case", CASES, ids=[f"{case.operation}-{number}" for number, case in enumerate(CASES)])
def test_an_operation_does_the_same_on_every_surface(case: Case, bench: Bench) -> None:
    expected = bench.call(case, "library")
    assert "error" not in expected["answer"]
    for surface in OTHERS:
        differs = surface == "mcp" and case.operation.startswith(DIFFERENT_FOR_ASSISTANTS)
        wanted = bench.call(case, "assistant") if differs else expected
        found = bench.call(case, surface)
        for part, value in wanted.items():
            assert found[part] == value, f"{part} of {surface}"


@pytest.mark.promise("E-codemem_stats", "E-codemem_health")
@pytest.mark.parametrize(
    ("alias", "row"),
    [(alias, row) for row in OPERATIONS.values() for alias in row.aliases],
    ids=lambda value: str(value),
)
def test_an_alias_is_the_same_tool_under_another_name(alias: str, row: Any, bench: Bench) -> None:
    expected = bench.call(Case(row.name, {}, ()), "mcp")["answer"]
    assert steady(tool(alias, {"detail": "full"})) == expected


def test_numbers_and_truth_values_may_come_as_text(bench: Bench) -> None:
    plain = Case("store_memory", {"content": "x", "importance": 0.25, "deduplicate": False}, ())
    as_text = Case("store_memory", {"content": "x", "importance": "0.25", "deduplicate": "false"}, ())
    assert bench.call(plain, "mcp") == bench.call(as_text, "mcp") == bench.call(as_text, "assistant")
