"""The 39 documented tools, 33 of document 002 and 6 of document 003, over both transports of a server.

Each is listed under its documented name and answers its documented example, or, where the document gives none, a call
with what its description speaks of, with the documented shape.
"""

from __future__ import annotations

import os
import sqlite3
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import msgspec
import pytest
from tests.coding import FIBONACCI, FIBONACCI_DP, QUESTION
from tests.http_server import HttpProcess
from tests.waiting import PATIENCE_S

from recollect.capabilities import OPERATIONS
from recollect.operations import by_tool_name

COMMAND = str(Path(sys.executable).with_name("recollect"))
OPENING = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "walk", "version": "1"}}

SOURCE = "class Parser:\n    def parse(self):\n        return 1\n\n\ndef parse_file():\n    return Parser().parse()\n"


class Server:
    """A server process and the conversation with it: one call after the other."""

    def __init__(self, home: Path, folder: Path, **settings: str) -> None:
        own = {name: value for name, value in os.environ.items() if not name.startswith("RECOLLECT_")}
        self._process = subprocess.Popen(
            [COMMAND, "serve", "--toolset", "documented"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            cwd=folder,
            env={**own, "RECOLLECT_HOME": str(home), **settings},
        )
        self._number = 0
        self.ask("initialize", OPENING)

    def ask(self, method: str, params: dict[str, Any]) -> Any:
        assert self._process.stdin
        assert self._process.stdout
        self._number += 1
        request = {"jsonrpc": "2.0", "id": self._number, "method": method, "params": params}
        self._process.stdin.write(msgspec.json.encode(request) + b"\n")
        self._process.stdin.flush()
        while line := self._process.stdout.readline():
            reply = msgspec.json.decode(line)
            if reply.get("id") == self._number:
                return reply["result"]
        raise AssertionError(f"the server ended before it answered {method}")

    def call(self, name: str, arguments: dict[str, Any], detail: str = "full") -> Any:
        """Return the structured answer of a tool, which must have text for people, too."""
        result = self.ask("tools/call", {"name": name, "arguments": {**arguments, "detail": detail}})
        assert result["content"][0]["text"]
        told = dict(result["structuredContent"])
        assert result["isError"] == ("error" in told)
        assert result["isError"] or told.pop("notice")
        return told

    def close(self) -> None:
        assert self._process.stdin
        assert self._process.stdout
        self._process.stdin.close()
        self._process.stdout.close()
        self._process.wait(timeout=PATIENCE_S)


# Two servers of one store are compared; neither consolidates by itself between the two calls.
QUIET = {"RECOLLECT_CONSOLIDATE": "off"}


class Walk(NamedTuple):
    """A server with a little of everything, and the names of what is there."""

    server: Server
    memory: str
    other: str
    folder: Path


@pytest.fixture(scope="module")
def walk(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Walk]:
    folder = tmp_path_factory.mktemp("walk")
    (folder / "project").mkdir()
    (folder / "project" / "parser.py").write_text(SOURCE, encoding="utf-8")
    server = Server(folder / "home", folder, RECOLLECT_EMBED_PROVIDER="off", **QUIET)
    try:
        first, second = (
            server.call("store_memory", {"content": text, "memory_type": "decision", "namespace": "app"})["memory"][
                "id"
            ]
            for text in ("We decided to parse by hand", "Because of speed we decided to parse in one pass")
        )
        server.call("index_codebase", {"path": str(folder / "project"), "namespace": "app"})
        yield Walk(server, first, second, folder)
    finally:
        server.close()


class Tool(NamedTuple):
    """A documented tool: what it is asked, and the fields that its answer has."""

    arguments: Callable[[Walk], dict[str, Any]] | dict[str, Any]
    fields: tuple[str, ...]
    exact: bool = False


PLAN = ("cycle", "applied", "considered", "affected", "batch")
WORKSPACE = ("workspace", "created")
TOOLS: dict[str, Tool] = {
    # document 002: memory
    "store_memory": Tool({"content": "Use WAL", "memory_type": "decision", "tags": ["db"], "namespace": "app",
                          "importance": 0.8}, ("memory", "created")),
    "recall_memory": Tool({"query": "how do we parse?", "k": 5, "namespace": "app"}, ("query", "hits")),
    "recall_with_expansion": Tool({"query": "how do we parse?", "k": 5, "expansion_depth": 2}, ("query", "hits")),
    "update_memory": Tool(lambda walk: {"memory_id": walk.other, "content": "For speed we parse in one pass"},
                          ("id", "content", "tags", "namespace")),
    "delete_memory": Tool(lambda walk: {"memory_id": _spare(walk)}, ("deleted", "batch")),
    # graph
    "associate_memories": Tool(lambda walk: {"source_id": walk.memory, "target_id": walk.other,
                                             "relationship": "LEADS_TO", "weight": 0.9}, ("edge", "created")),
    "graph_traverse": Tool(lambda walk: {"start_id": walk.memory, "max_depth": 2, "algorithm": "dfs"},
                           ("start", "nodes", "algorithm")),
    # code
    "index_codebase": Tool(lambda walk: {"path": str(walk.folder / "project"), "namespace": "app"},
                           ("files", "symbols", "languages")),
    "search_symbols": Tool({"query": "parse", "kind": "Function"}, ("query", "symbols")),
    "get_symbol_info": Tool({"symbol": "Parser.parse"}, ("symbol", "callers", "callees")),
    "get_dependencies": Tool({"symbol": "parse_file"}, ("node", "uses", "total")),
    "get_impact": Tool({"symbol": "Parser.parse", "depth": 2}, ("node", "affected", "total")),
    "get_clusters": Tool({"resolution": 1.0}, ("clusters", "total", "modularity")),
    "get_cross_repo": Tool({}, ("packages", "links")),
    "get_pagerank": Tool({"limit": 10}, ("nodes", "total", "damping")),
    "search_code": Tool({"query": "parse a file", "k": 3}, ("query", "hits")),
    # configuration, namespaces, archive
    "set_scoring_weights": Tool({"vector": 0.3, "graph": 0.2, "token": 0.5}, ("weights", "profile")),
    "list_namespaces": Tool({}, ("namespaces",)),
    "namespace_stats": Tool({"namespace": "app"}, ("namespace", "memories", "nodes", "edges")),
    "delete_namespace": Tool({"namespace": "nobody"}, ("deleted", "batch")),
    "export_memories": Tool({"namespace": "app"}, ("lines", "memories", "content")),
    "import_memories": Tool({"content": '{"id": "walk-1", "content": "imported"}'}, ("lines", "created", "batch")),
    # consolidation
    "consolidate_decay": Tool({"threshold_days": 30}, PLAN),
    "consolidate_creative": Tool({}, PLAN),
    "consolidate_cluster": Tool({}, PLAN),
    "consolidate_forget": Tool({"importance_threshold": 0.1}, PLAN),
    "consolidation_status": Tool({}, ("cycles",)),
    # impact and patterns
    "recall_with_impact": Tool({"query": "how do we parse?", "k": 3}, ("query", "hits")),
    "get_decision_chain": Tool({"subject": "parse"}, ("subject", "decisions")),
    "detect_patterns": Tool({}, ("patterns",)),
    "pattern_insights": Tool({}, ("markdown",)),
    "codemem_stats": Tool({}, ("memories", "embeddings", "nodes", "edges", "sessions", "namespaces")),
    "codemem_health": Tool({}, ("status", "version", "checks")),
    # document 003
    "store_coding_memory": Tool(FIBONACCI, ("memory_id", "keywords", "tags", "links_created", "event_emitted"), True),
    "retrieve_relevant_memories": Tool(QUESTION, ("memories", "total_found")),
    "evolve_memory_network": Tool(
        {"trigger_type": "manual", "scope": "recent", "max_memories": 50},
        ("memories_analyzed", "memories_evolved", "links_created", "links_strengthened", "contexts_updated",
         "duration_ms"), True),
    "workspace_init": Tool({"identifier": "machine-learning-projects", "name": "ML Projects Workspace"},
                           WORKSPACE, True),
    "workspace_create": Tool({"identifier": "web-dev-2024", "name": "Web Development 2024",
                              "description": "Full-stack web development projects and snippets"}, WORKSPACE, True),
    "workspace_retrieve": Tool(lambda walk: {"identifier": _workspace(walk)}, WORKSPACE, True),
}  # fmt: skip


def _spare(walk: Walk) -> str:
    return str(walk.server.call("store_memory", {"content": "to be deleted"})["memory"]["id"])


def _workspace(walk: Walk) -> str:
    return str(walk.server.call("workspace_init", {"identifier": "web-dev-2025"})["workspace"]["id"])


def test_the_documented_toolset_lists_the_39_tools_under_their_names(walk: Walk) -> None:
    assert len(TOOLS) == 39
    assert {tool["name"] for tool in walk.server.ask("tools/list", {})["tools"]} == set(TOOLS)


@pytest.mark.parametrize("name", TOOLS)
def test_a_documented_tool_answers_its_example_with_the_documented_shape(name: str, walk: Walk) -> None:
    tool = TOOLS[name]
    arguments = tool.arguments(walk) if callable(tool.arguments) else tool.arguments
    told = walk.server.call(name, arguments)
    assert "error" not in told
    assert set(tool.fields) <= set(told)
    if tool.exact:
        assert set(told) == set(tool.fields)


@pytest.fixture(scope="module")
def over_http(walk: Walk) -> Iterator[HttpProcess]:
    with HttpProcess(walk.folder / "home", "--toolset", "documented", cwd=walk.folder, **QUIET) as process:
        yield process


# What depends on the moment of the call, or on which calls came before.
PASSING = (
    "duration_ms",
    "created_at",
    "updated_at",
    "last_accessed_at",
    "access_count",
    "cpu_s",
    "database_bytes",
    "detail",
)


def _lasting(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _lasting(part) for key, part in value.items() if key not in PASSING}
    return [_lasting(part) for part in value] if isinstance(value, list) else value


@pytest.mark.parametrize("name", TOOLS)
def test_a_documented_tool_answers_the_same_over_http(name: str, walk: Walk, over_http: HttpProcess) -> None:
    session = over_http.begin()
    tool = TOOLS[name]
    made = tool.arguments(walk) if callable(tool.arguments) else tool.arguments
    arguments = {**made, "detail": "full"}
    params = {"name": name, "arguments": arguments}
    message = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}
    answer = over_http.mcp(message, session=session, project=str(walk.folder))
    is_stream = answer.headers["content-type"].startswith("text/event-stream")
    told = dict((answer.events[-1][1] if is_stream else answer.json)["result"]["structuredContent"])
    told.pop("notice", None)
    if by_tool_name(OPERATIONS)[name].read_only:
        assert _lasting(told) == _lasting(walk.server.call(name, made))
    elif "error" in told:  # the test over the streams made it
        assert told["error"]["code"] == "WORKSPACE_EXISTS"
    else:
        assert set(tool.fields) <= set(told)


# What the documents print of an answer, or what its name promises, is there for a model, too.
@pytest.mark.parametrize("name", [name for name, tool in TOOLS.items() if tool.exact or "hits" in tool.fields])
def test_a_documented_tool_keeps_its_fields_in_brief(name: str, walk: Walk) -> None:
    tool = TOOLS[name]
    arguments = tool.arguments(walk) if callable(tool.arguments) else tool.arguments
    told = walk.server.call(name, arguments, "brief")
    if "error" in told:  # made by the test above
        assert told["error"]["code"] == "WORKSPACE_EXISTS"
    else:
        assert set(tool.fields) - {"query"} <= set(told)


# --- document 003, with the shipped embedding model ------------------------------------------------------------------


@pytest.fixture(scope="module")
def coding(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    folder = tmp_path_factory.mktemp("coding")
    server = Server(folder / "home", folder)
    try:
        yield server
    finally:
        server.close()


@pytest.mark.promise("M-store_coding_memory", "M-retrieve_relevant_memories", "M-evolve_memory_network")
def test_the_documented_conversation_about_fibonacci(coding: Server) -> None:
    stored = coding.call("store_coding_memory", FIBONACCI)
    assert {"fibonacci", "recursion", "sequence"} <= set(stored["keywords"])
    assert {"python", "algorithms", "recursion"} <= set(stored["tags"])
    assert (stored["links_created"], stored["event_emitted"]) == (0, True)
    newer = coding.call("store_coding_memory", FIBONACCI_DP)
    assert newer["links_created"] == 1

    found = coding.call("retrieve_relevant_memories", QUESTION)
    assert found["total_found"] == len(found["memories"]) >= 1
    best = found["memories"][0]
    assert list(best) == ["id", "content", "context", "keywords", "tags", "relevance_score", "match_reason"]
    assert best["id"] == newer["memory_id"]
    assert best["content"] == FIBONACCI_DP["content"]
    assert best["context"] == "Dynamic programming solution for Fibonacci"
    assert 0.9 <= best["relevance_score"] <= 1
    assert "Keyword match: dynamic programming" in best["match_reason"]

    evolved = coding.call("evolve_memory_network", {"trigger_type": "manual", "scope": "recent", "max_memories": 50})
    assert evolved["memories_analyzed"] == 2
    assert all(isinstance(figure, int) for figure in evolved.values())


@pytest.mark.promise("M-workspace_init", "M-workspace_create", "M-workspace_retrieve")
def test_the_documented_conversation_about_workspaces(coding: Server) -> None:
    wanted = {"identifier": "machine-learning-projects", "name": "ML Projects Workspace"}
    first = coding.call("workspace_init", wanted)
    assert first["created"] is True
    shown = first["workspace"]
    assert list(shown) == ["id", "name", "description", "created_at", "updated_at", "memory_count"]
    assert (shown["id"], shown["name"], shown["description"], shown["memory_count"]) == (
        "machine-learning-projects",
        "ML Projects Workspace",
        "",
        0,
    )
    assert shown["created_at"].endswith("Z")
    assert coding.call("workspace_init", wanted) == {"workspace": shown, "created": False}
    full = {"identifier": "web-dev-2024", "name": "Web Development 2024", "description": "Full-stack web development"}
    assert coding.call("workspace_create", full)["workspace"]["description"] == "Full-stack web development"
    assert coding.call("workspace_create", full)["error"]["code"] == "WORKSPACE_EXISTS"
    assert coding.call("workspace_retrieve", {"identifier": "web-dev-2024"})["created"] is False
    assert coding.call("workspace_retrieve", {"identifier": "web-dev-1999"})["error"]["code"] == "WORKSPACE_NOT_FOUND"


# --- documented errors -----------------------------------------------------------------------------------------------


@pytest.mark.promise("M3")
def test_every_documented_error_code_is_reached_over_the_streams(tmp_path: Path) -> None:
    server = Server(
        tmp_path / "home",
        tmp_path,
        RECOLLECT_EMBED_PROVIDER="off",
        RECOLLECT_LLM_PROVIDER="ollama",
        RECOLLECT_LLM_URL="http://127.0.0.1:1",
    )
    piece = {"content": "x = 1", "code_type": "python"}
    try:
        told = {
            "INVALID_WORKSPACE": server.call("store_coding_memory", {**piece, "workspace_id": "a?b"}),
            "MEMORY_NOT_FOUND": server.call("delete_memory", {"memory_id": "nobody"}),
            "LLM_ERROR": server.call("store_coding_memory", {**piece, "strict": True}),
        }
        stored = server.call("store_coding_memory", piece)
        assert [note for note in stored["notes"] if note.startswith("analysed by built-in rules: ")]
        with sqlite3.connect(tmp_path / "home" / "recollect.db") as connection:
            connection.execute("ALTER TABLE graph_edges RENAME TO elsewhere")
        connection.close()
        told["STORAGE_ERROR"] = server.call("evolve_memory_network", {})
    finally:
        server.close()
    plain = Server(tmp_path / "other", tmp_path, RECOLLECT_EMBED_PROVIDER="off")
    try:
        told["EMBEDDING_FAILED"] = plain.call("store_coding_memory", {**piece, "strict": True})
    finally:
        plain.close()
    assert {answer["error"]["code"] for answer in told.values()} == set(told)
    for code, answer in told.items():
        assert answer["error"]["code"] == code
        assert answer["error"]["message"]
        assert isinstance(answer["error"]["details"], dict)


@pytest.mark.promise("M3")
def test_every_tool_of_document_003_tells_its_errors_by_the_documented_codes(tmp_path: Path) -> None:
    """With an embedder and a language model that nobody serves: what is strict fails, all else is kept."""
    nobody = "http://127.0.0.1:1"
    settings = {"EMBED_PROVIDER": "ollama", "EMBED_URL": nobody, "EMBED_RETRIES": "0"}
    piece = {"content": "def double(x):\n    return 2 * x", "code_type": "python", "workspace_id": "app"}
    wrong = "a?b"
    server = Server(tmp_path / "home", tmp_path, **{f"RECOLLECT_{name}": value for name, value in settings.items()})
    try:
        refused = {
            "store_coding_memory": {**piece, "workspace_id": wrong},
            "retrieve_relevant_memories": {"query": "double", "workspace_id": wrong},
            "evolve_memory_network": {"scope": "project", "project_path": wrong},
            "workspace_init": {"identifier": wrong},
            "workspace_create": {"identifier": wrong, "name": "App"},
            "workspace_retrieve": {"identifier": wrong},
        }
        told = {name: server.call(name, arguments)["error"]["code"] for name, arguments in refused.items()}
        assert told == dict.fromkeys(refused, "INVALID_WORKSPACE")
        assert server.call("store_coding_memory", {**piece, "strict": True})["error"]["code"] == "EMBEDDING_FAILED"
        assert server.call("namespace_stats", {"namespace": "app"})["memories"] == 0
        stored = server.call("store_coding_memory", piece)
        found = server.call("retrieve_relevant_memories", {"query": "double", "workspace_id": "app"})
        assert [row["id"] for row in found["memories"]] == [stored["memory_id"]]
        gone = {"memory_id": "nobody"}
        for name, arguments in (("delete_memory", gone), ("update_memory", {**gone, "content": "x"})):
            assert server.call(name, arguments)["error"]["code"] == "MEMORY_NOT_FOUND"
    finally:
        server.close()
    settings = {"EMBED_PROVIDER": "off", "LLM_PROVIDER": "ollama", "LLM_URL": nobody, "LLM_RETRIES": "0"}
    server = Server(tmp_path / "home", tmp_path, **{f"RECOLLECT_{name}": value for name, value in settings.items()})
    try:
        for name, arguments in (("store_coding_memory", piece), ("evolve_memory_network", {})):
            error = server.call(name, {**arguments, "strict": True})["error"]
            assert error["code"] == "LLM_ERROR"
            assert error["message"] and isinstance(error["details"], dict)
        evolved = server.call("evolve_memory_network", {})
        assert (evolved["memories_analyzed"], evolved["notes"][0][:21]) == (1, "used built-in rules: ")
        checks = {row["name"]: row["status"] for row in server.call("codemem_health", {})["checks"]}
        assert checks["language model"] == "degraded"
    finally:
        server.close()
