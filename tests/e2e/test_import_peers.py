"""Memories made by the real programs come over: what they say they hold is what is here afterwards.

A program counts as installed where its command is on the PATH, or in a `bin` below .tools/peers or .tools/node_modules;
those that are not there are skipped, and say so. Each gets a home of its own and no network.
"""

from __future__ import annotations

import json
import os
import queue
import shutil
import subprocess
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from tests.waiting import PATIENCE_S

from recollect import Engine
from recollect.model import Edge, Imported, Memory, Session

TOOLS = Path(__file__).parents[2] / ".tools"
PLACES = [
    *sorted(TOOLS.glob("peers/*/bin")),
    TOOLS / "peers" / "node_modules" / ".bin",
    TOOLS / "node_modules" / ".bin",
]


def program(name: str) -> str:
    """Return the command of a program, or skip the test where it is not installed."""
    path = os.pathsep.join([*map(str, PLACES), os.environ.get("PATH", "")])
    found = shutil.which(name, path=path)
    if found is None:
        pytest.skip(f"{name} is not installed")
    return found


def environment(home: Path, **more: str) -> dict[str, str]:
    path = os.pathsep.join([*map(str, PLACES), os.environ.get("PATH", "")])
    return {"PATH": path, "HOME": str(home), "HF_HUB_OFFLINE": "1", **more}


@pytest.fixture
def theirs(tmp_path: Path) -> Path:
    """The other program's home."""
    folder = tmp_path / "theirs"
    folder.mkdir()
    return folder


@pytest.fixture
def engine(tmp_path: Path) -> Iterator[Engine]:
    with Engine(home=str(tmp_path / "home"), embed_provider="off") as opened:
        yield opened


class Server:
    """A client of an MCP server, as small as it gets: one call at a time, lines in and out."""

    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        self._process = process
        self._lines: queue.Queue[bytes] = queue.Queue()
        self._number = 0
        threading.Thread(target=self._listen, daemon=True).start()
        opening = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}}
        self._ask("initialize", opening)
        self._send({"jsonrpc": "2.0", "method": "notifications/initialized"})

    def call(self, tool: str, **arguments: Any) -> Any:
        """Call a tool; returns the text of its answer, decoded where it is JSON."""
        result = self._ask("tools/call", {"name": tool, "arguments": arguments})
        text = "\n".join(part["text"] for part in result["content"] if part["type"] == "text")
        assert not result.get("isError"), text
        try:
            return json.loads(text)
        except ValueError:
            return text

    def _ask(self, method: str, parameters: dict[str, Any]) -> Any:
        self._number += 1
        self._send({"jsonrpc": "2.0", "id": self._number, "method": method, "params": parameters})
        while True:
            line = self._lines.get(timeout=PATIENCE_S)
            answer = json.loads(line) if line.startswith(b"{") else {}
            if answer.get("id") == self._number:
                assert "error" not in answer, answer
                return answer["result"]

    def _send(self, message: dict[str, Any]) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps(message).encode() + b"\n")
        self._process.stdin.flush()

    def _listen(self) -> None:
        assert self._process.stdout is not None
        for line in self._process.stdout:
            self._lines.put(line.strip())


@contextmanager
def serving(command: list[str], variables: dict[str, str]) -> Iterator[Server]:
    """Run an MCP server for as long as the block lasts."""
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=variables
    ) as process:
        try:
            yield Server(process)
        finally:
            process.kill()


def run(command: list[str], variables: dict[str, str]) -> str:
    done = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE_S, check=False, env=variables)
    assert done.returncode == 0, done.stderr
    return done.stdout


def taken(engine: Engine, path: Path, source: str) -> Imported:
    """Import what lies at a path, by a look; again it is all known, and everything found is accounted for."""
    imported = engine.archive.import_(str(path))
    assert imported.source == source
    again = engine.archive.import_(str(path))
    assert (again.created, again.updated) == (0, 0)
    assert all(part.found == part.taken + sum(part.left.values()) for part in imported.parts)
    return imported


def test_the_graph_of_the_reference_memory_server_comes_over(engine: Engine, theirs: Path) -> None:
    file = theirs / "memory.jsonl"
    command = program("mcp-server-memory")
    with serving([command], environment(theirs, MEMORY_FILE_PATH=str(file))) as server:
        names = [f"Module {number}" for number in range(20)]
        server.call(
            "create_entities",
            entities=[
                {"name": name, "entityType": "module", "observations": [f"{name} reads lines", "is “old”\nand slow"]}
                for name in names
            ],
        )
        server.call(
            "create_relations",
            relations=[
                {"from": first, "to": second, "relationType": "depends_on"} for first, second in pairwise(names)
            ],
        )
        server.call("add_observations", observations=[{"entityName": names[0], "contents": ["was rewritten in May"]}])
        graph = server.call("read_graph")
    taken(engine, file, "server-memory")
    memories = {memory.title: memory for memory in engine.store.find(Memory)}
    assert set(memories) == {entity["name"] for entity in graph["entities"]} == set(names)
    for entity in graph["entities"]:
        memory = memories[entity["name"]]
        assert memory.metadata["observations"] == entity["observations"]
        assert all(each in memory.content for each in entity["observations"])
    ids = {f"mem:{memory.id}": name for name, memory in memories.items()}
    linked = {(ids[edge.src], ids[edge.dst]) for edge in engine.store.find(Edge)}
    assert linked == {(each["from"], each["to"]) for each in graph["relations"]}
    assert {edge.relationship for edge in engine.store.find(Edge)} == {"DEPENDS_ON"}


def test_memories_of_mcp_memory_service_come_over_while_it_runs_and_after(engine: Engine, theirs: Path) -> None:
    file = theirs / "sqlite_vec.db"
    command = program("memory")
    settings = {
        "MCP_MEMORY_STORAGE_BACKEND": "sqlite_vec",
        "MCP_MEMORY_SQLITE_PATH": str(file),
        "MCP_MEMORY_ALLOW_HASH_EMBEDDINGS": "1",
        "MCP_MEMORY_OFFLINE": "1",
        "MCP_MEMORY_BASE_DIR": str(theirs),
        # Otherwise what has the same vector by chance counts as said already.
        "MCP_SEMANTIC_DEDUP_ENABLED": "false",
    }
    said = [f"The timeout of service {number} is {number * 7} seconds" for number in range(10)]
    with serving([command, "server"], environment(theirs, **settings)) as server:
        for number, text in enumerate(said):
            server.call(
                "memory_store",
                content=text,
                metadata={"tags": f"project:harbour,number-{number}", "type": "decision", "ticket": number},
            )
        running = engine.archive.import_(str(file))
        assert running.source == "mcp-memory-service"
        running_count = engine.store.count(Memory)
    assert running_count == len(said)
    taken(engine, file, "mcp-memory-service")
    memories = {memory.content: memory for memory in engine.store.find(Memory)}
    assert set(memories) == set(said)
    first = memories[said[3]]
    assert {"project:harbour", "number-3"} <= set(first.tags)
    assert (first.memory_type, first.namespace, first.metadata["ticket"]) == ("decision", "harbour", 3)


def test_what_codemem_was_told_comes_over_from_its_database_and_its_export(engine: Engine, theirs: Path) -> None:
    command = program("codemem")
    if "remember" not in subprocess.run([command, "--help"], capture_output=True, text=True, check=False).stdout:
        pytest.skip("this codemem is the engine of the same name")
    file, export = theirs / "mem.sqlite", theirs / "export.json"
    variables = environment(theirs, CODEMEM_EMBEDDING_DISABLED="1")
    told = {"decision": "Sessions are JWT now", "discovery": "Caches help a lot", "bugfix": "The clock was off"}
    for kind, body in told.items():
        words = ["remember", kind, f"About {kind}", body, "--tags", "a", "--tags", "b", "--project", "harbour"]
        run([command, *words, "--db-path", str(file)], variables)
    run([command, "forget", "3", "--db-path", str(file)], variables)
    run([command, "export-memories", str(export), "--db-path", str(file), "--all-projects"], variables)
    imported = taken(engine, file, "codemem")
    memories = {memory.content: memory for memory in engine.store.find(Memory)}
    assert set(memories) == {told["decision"], told["discovery"]}
    decision = memories[told["decision"]]
    assert (decision.title, decision.memory_type, decision.namespace) == ("About decision", "decision", "harbour")
    assert decision.tags == ("a", "b")
    assert engine.store.get(Session, [decision.session_id or ""])
    items = next(part for part in imported.parts if part.name == "memory_items")
    assert (items.found, items.taken) == (3, 2)
    again = engine.archive.import_(str(export))
    assert (again.source, again.created, again.updated) == ("codemem", 0, 0)


# What claude-mem's own store is asked to keep; its first argument is the module, its second the database.
CLAUDE_MEM = """
const { SessionStore } = require(process.argv[2]);
const store = new SessionStore(process.argv[3]);
const session = "0f2f3c1e-1111-4222-8333-444455556666";
const number = store.createSDKSession(session, "harbour", "Fix the login");
store.ensureMemorySessionIdRegistered(number, "inner-1");
store.saveUserPrompt(session, 1, "Fix the login", number);
const told = (type, title, narrative) => store.storeObservation("inner-1", "harbour", {
  type, title, subtitle: "in short", facts: [title + " is a fact"], narrative, concepts: ["time"],
  files_read: ["auth.py"], files_modified: ["clock.py"],
}, 1, 900, 1772359200000, "haiku");
told("decision", "Use UTC", "All clocks are kept in UTC from now on.");
told("bugfix", "Login fixed", "The token check used local time.");
store.storeSummary("inner-1", "harbour", {
  request: "Fix the login", investigated: "The clock", learned: "Use UTC", completed: "Fixed", next_steps: "Test",
  notes: null,
}, 1, 10, 1772359260000);
store.close();
"""


def test_a_database_that_claude_mem_made_comes_over(engine: Engine, theirs: Path) -> None:
    bun = program("bun")
    module = next(
        (found for place in PLACES if (found := place.parent / "claude-mem/plugin/sqlite/SessionStore.js").exists()),
        None,
    )
    if module is None:
        pytest.skip("claude-mem is not installed")
    script, file = theirs / "make.cjs", theirs / "claude-mem.db"
    script.write_text(CLAUDE_MEM, encoding="utf-8")
    run([bun, "run", str(script), str(module), str(file)], environment(theirs, CLAUDE_MEM_DATA_DIR=str(theirs)))
    imported = taken(engine, file, "claude-mem")
    memories = {memory.title or memory.category: memory for memory in engine.store.find(Memory)}
    assert set(memories) == {"Use UTC", "Login fixed", "session_summary", "prompt"}
    decision = memories["Use UTC"]
    assert decision.content == "in short\nAll clocks are kept in UTC from now on.\n- Use UTC is a fact"
    assert (decision.memory_type, decision.namespace, decision.created_at) == ("decision", "harbour", 1_772_359_200)
    assert (decision.tags, decision.metadata["files_modified"]) == (("time",), ["clock.py"])
    session = engine.store.get(Session, [decision.session_id or ""])[0]
    assert (session.id, session.assistant) == ("0f2f3c1e-1111-4222-8333-444455556666", "claude")
    known = {"sdk_sessions", "observations", "session_summaries", "user_prompts"}
    assert known <= {part.name for part in imported.parts if part.taken == part.found}
    unknown = [part.name for part in imported.parts if any("does not know" in why for why in part.left)]
    assert unknown == []


def test_notes_that_basic_memory_wrote_come_over(engine: Engine, theirs: Path) -> None:
    command = program("basic-memory")
    variables = environment(
        theirs, BASIC_MEMORY_HOME=str(theirs / "notes"), BASIC_MEMORY_SEMANTIC_SEARCH_ENABLED="false"
    )
    bodies = {
        "Grinding": "Grind late.\n\n- [method] A burr mill is even #mill (measured)\n",
        "Coffee": "Water first.\n\n- [decision] We buy Ethiopian beans #beans\n- depends_on [[Grinding]]\n",
    }
    for title, body in bodies.items():
        words = ["tool", "write-note", "--title", title, "--folder", "drinks", "--content", body, "--tags", "drink"]
        run([command, *words], variables)
    taken(engine, theirs / "notes", "basic-memory")
    memories = {memory.content.splitlines()[-1]: memory for memory in engine.store.find(Memory)}
    assert {"Grind late.", "Water first.", "A burr mill is even #mill", "We buy Ethiopian beans #beans"} == set(
        memories
    )
    assert memories["Water first."].metadata["permalink"].endswith("drinks/coffee")
    assert "DEPENDS_ON" in {edge.relationship for edge in engine.store.find(Edge)}
