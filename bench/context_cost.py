"""Tokens that a memory server costs its assistant: the list of tools, and an answer of ten memories.

    python bench/context_cost.py                                           recollect alone
    python bench/context_cost.py --peer server-memory "npx COMMAND" …      and other servers, in the same run
    python bench/context_cost.py --before /path/to/an/older/recollect      and another version of recollect
    python bench/context_cost.py --rig RIG.PY --clients DIR                and inside real assistants

Every server gets the same 12 memories and the same question through its own tools (PEERS). Its answer is counted as
text and as structured content; `content_share` is the memories' own words in the larger of both. Tokens are counted by
recollect's estimator, for all servers alike. `first_request` is what the model receives before its first word, less
what it receives without recollect.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shlex
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

import measure
from recollect.text.token_count import tokens

HERE = Path(sys.executable).with_name("recollect")
OPENING = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "bench", "version": "1"}}
LIMIT = 10
# One word, since one of the servers finds nothing by several.
QUESTION = "orders"
MEMORIES = tuple(
    " ".join(part.split())
    for part in """
Orders are kept in PostgreSQL 16, because partial indexes make the page of open orders fast. SQLite was tried first;
two writers at once were too slow at the end of the month.

The checkout service retries failed orders three times, after 1, 10 and 60 seconds. Then it sends them to the dead
letter queue, where the support team looks at them every morning.

Never delete orders: set cancelled_at instead. Accounting needs every row for ten years, and the nightly export
counts rows and stops when any is missing.

Integration tests for orders need the fixture seeded_catalog. Without it they fail with KeyError: sku, which looks
like a bug in the parser but is only an empty catalog table.

We decided against Kafka for orders. The volume is 40 per minute, one worker with SKIP LOCKED is enough, and nobody
on the team wants to run another cluster.

The flaky test test_orders_export failed because of a timezone: between 23:00 and midnight the file got the date of
the next day. Freeze the clock at noon UTC in every export test.

Orders from the mobile app carry a UUID made by the client. The API must treat a repeated one as success and return
the first answer, since phones resend after a lost connection.

Run make orders-migrate before the first start after pulling, or the worker crashes on the missing column
shipped_at. The error only says that a cursor is closed.

The user prefers small pull requests for orders code: one behaviour each, with a test that fails without it.
Refactoring goes into a commit of its own before the change.

Prices in orders are whole cents everywhere. A float slipped in once through the CSV import of a partner and cost
two days to find; the importer rejects a decimal point now.

The orders dashboard reads from the replica, which lags up to thirty seconds during the nightly export. Do not use
it to check whether a fix of the last minute works.

Taxes on orders are rounded half to even, per line and not per order, as agreed with accounting. The old shop
rounded the sum, so totals of imported orders may differ by a cent.
""".split("\n\n")
)
LARGE = "The archive of orders says that parcel {number} went to the harbour on time. "
LARGE_BYTES = 1_000_000


class Peer(NamedTuple):
    """How a server is asked to store a memory and to find some, and which settings it needs to run here."""

    store: tuple[str, str]
    recall: tuple[str, dict[str, Any]]
    environment: Mapping[str, str] = MappingProxyType({})

    def stored(self, number: int, text: str) -> tuple[str, dict[str, Any]]:
        """Return the tool call that stores a text."""
        tool, form = self.store
        filled = form.replace('"TEXT"', json.dumps(text)).replace("NUMBER", str(number))
        return tool, json.loads(filled)


OURS = Peer(("store_memory", '{"content": "TEXT"}'), ("recall_memory", {"query": QUESTION, "limit": LIMIT}))
OLDER = OURS._replace(recall=("recall_memory", {"query": QUESTION, "k": LIMIT}))
PEERS: dict[str, Peer] = {
    "server-memory": Peer(
        ("create_entities", '{"entities": [{"name": "note NUMBER", "entityType": "note", "observations": ["TEXT"]}]}'),
        ("search_nodes", {"query": QUESTION}),
        {"MEMORY_FILE_PATH": "{home}/memory.jsonl"},
    ),
    "mcp-memory-service": Peer(
        ("memory_store", '{"content": "TEXT", "metadata": {"tags": "orders"}}'),
        ("memory_search", {"query": QUESTION, "limit": LIMIT}),
        {
            "MCP_MEMORY_STORAGE_BACKEND": "sqlite_vec",
            "MCP_MEMORY_SQLITE_PATH": "{home}/memory.db",
            "MCP_MEMORY_BACKUPS_PATH": "{home}",
            # Its model is a download; without one its ranking is poor, but the form of its answer is the same.
            "MCP_MEMORY_ALLOW_HASH_EMBEDDINGS": "true",
        },
    ),
    "basic-memory": Peer(
        ("write_note", '{"title": "note NUMBER", "content": "TEXT", "directory": "notes"}'),
        ("search_notes", {"query": QUESTION, "page_size": LIMIT}),
        {"BASIC_MEMORY_HOME": "{home}/notes", "BASIC_MEMORY_SEMANTIC_SEARCH_ENABLED": "false"},
    ),
}


class Server:
    """A server process and the conversation with it."""

    def __init__(self, command: list[str], environment: Mapping[str, str], home: str) -> None:
        settings = {name: value.format(home=home) for name, value in environment.items()}
        kept = {name: value for name, value in os.environ.items() if not name.startswith("RECOLLECT_")}
        self._process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            cwd=home,
            env={**kept, "HOME": home, "RECOLLECT_HOME": f"{home}/.recollect", **settings},
        )
        self._number = 0
        self.opened = self.ask("initialize", OPENING)
        self._send({"jsonrpc": "2.0", "method": "notifications/initialized"})

    def ask(self, method: str, params: dict[str, Any]) -> dict[str, Any]:
        """Return the result of a request; raises RuntimeError where there is none."""
        assert self._process.stdout
        self._number += 1
        self._send({"jsonrpc": "2.0", "id": self._number, "method": method, "params": params})
        while line := self._process.stdout.readline():
            try:
                reply = json.loads(line)
            except ValueError:  # something else printed to standard output
                continue
            if reply.get("id") == self._number:
                if "error" in reply:
                    raise RuntimeError(f"{method}: {reply['error']}")
                found: dict[str, Any] = reply["result"]
                return found
        raise RuntimeError(f"the server ended before it answered {method}")

    def call(self, tool: str, arguments: dict[str, Any]) -> dict[str, Any]:
        """Return the answer of a tool."""
        return self.ask("tools/call", {"name": tool, "arguments": arguments})

    def close(self) -> None:
        """End the server."""
        assert self._process.stdin
        self._process.stdin.close()
        try:
            self._process.wait(timeout=30)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()

    def _send(self, message: dict[str, Any]) -> None:
        assert self._process.stdin
        self._process.stdin.write(json.dumps(message).encode() + b"\n")
        self._process.stdin.flush()


def compact(value: Any) -> str:
    """Return a value as JSON without spaces: as little as a client can send."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def measured(command: list[str], peer: Peer) -> dict[str, Any]:
    """Return the tokens of one server: its tools, an answer of ten memories, an answer of two large ones."""
    with tempfile.TemporaryDirectory() as home:
        server = Server(command, peer.environment, home)
        try:
            tools = server.ask("tools/list", {})["tools"]
            for number, text in enumerate(MEMORIES):
                last = server.call(*peer.stored(number, text))
            answer = server.call(*peer.recall)
        finally:
            server.close()
    return {
        "tools": len(tools),
        "tools_list_tokens": tokens(compact({"tools": tools})),
        "instructions_tokens": tokens(server.opened.get("instructions", "")),
        "store": forms(last),
        "recall": {**forms(answer), "found": _shown(answer), "content_share": _share(answer)},
        "recall_of_two_large": _large(command, peer),
    }


def forms(answer: dict[str, Any]) -> dict[str, int]:
    """Return the tokens of an answer as text and, where there is any, as structured content."""
    text = "\n".join(part.get("text", "") for part in answer.get("content", ()))
    structured = answer.get("structuredContent")
    return {
        "text_tokens": tokens(text),
        **({"structured_tokens": tokens(compact(structured))} if structured is not None else {}),
    }


def _bodies(answer: dict[str, Any]) -> list[str]:
    """Return both forms of an answer as they are written, without escapes and line breaks."""
    text = " ".join(part.get("text", "") for part in answer.get("content", ()))
    bodies = [text, *([compact(answer["structuredContent"])] if "structuredContent" in answer else [])]
    return [re.sub(r"\\n|\s+", " ", body).replace('\\"', '"') for body in bodies]


def _shown(answer: dict[str, Any]) -> int:
    return min(sum(text in body for text in MEMORIES) for body in _bodies(answer))


def _share(answer: dict[str, Any]) -> float:
    """Return the share of the memories' own words in an answer, in the form where it is less."""
    shares = []
    for body in _bodies(answer):
        words = sum(tokens(text) for text in MEMORIES if text in body)
        shares.append(words / max(1, tokens(body)))
    return round(min(shares), 3)


def _large(command: list[str], peer: Peer) -> dict[str, int] | str:
    """Return the tokens of an answer of two memories of a megabyte each, or why there is none."""
    with tempfile.TemporaryDirectory() as home:
        server = Server(command, peer.environment, home)
        try:
            for number in range(2):
                body = "".join(LARGE.format(number=f"{number}-{part}") for part in range(LARGE_BYTES // len(LARGE)))
                stored = server.call(*peer.stored(number, body[:LARGE_BYTES]))
                if stored.get("isError"):
                    return "refused: " + stored["content"][0]["text"][:100]
            return forms(server.call(*peer.recall))
        except RuntimeError as problem:
            return f"failed: {problem}"[:200]
        finally:
            server.close()


# --- inside real assistants ------------------------------------------------------------------------------------------

TURN = {"prompt": "Say hello.", "files": {}, "steps": [], "final": "Hello."}
CLIENTS = ("claude", "codex", "gemini", "opencode", "copilot")


def in_assistants(rig: Path, clients: Path, versions: dict[str, str]) -> list[dict[str, Any]]:
    """Return, for each assistant, the tokens of the first request without recollect and with each version."""
    rows: list[dict[str, Any]] = []
    for client in CLIENTS:
        row: dict[str, Any] = {"assistant": client}
        try:
            bare = _first_request(rig, clients, client, "")
            row["without_recollect"] = bare
            for name, program in versions.items():
                row[name] = _first_request(rig, clients, client, program) - bare
        except RuntimeError as problem:
            row["failed"] = str(problem)[:300]
        rows.append(row)
        sys.stderr.write(json.dumps(row) + "\n")
    return rows


def _first_request(rig: Path, clients: Path, client: str, program: str) -> int:
    """Return the tokens of the first request of a turn that offers tools; program: recollect, empty: without it."""
    with tempfile.TemporaryDirectory(prefix="cc-") as folder:
        place = Path(folder)
        for name in ("h", "p"):
            (place / name).mkdir()
        subprocess.run(["git", "init", "-q", str(place / "p")], check=True)
        if program:
            environment = {**os.environ, "HOME": str(place / "h")}
            words = [program, "init", "--yes", "--assistant", client]
            subprocess.run(words, cwd=place / "p", env=environment, check=True, capture_output=True)
        (place / "turn.json").write_text(json.dumps(TURN), encoding="utf-8")
        command = [
            sys.executable, str(rig), "--clients", str(clients), "--client", client, "--home", str(place / "h"),
            "--project", str(place / "p"), "--script", str(place / "turn.json"), "--json", str(place / "report.json"),
            "--logs", str(place / "logs"),
        ]  # fmt: skip
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        log = place / "logs" / "api.jsonl"
        if done.returncode not in (0, 1) or not log.exists():
            raise RuntimeError(done.stderr.strip()[-300:] or f"the rig ended with {done.returncode}")
        requests = [json.loads(line) for line in log.read_text(encoding="utf-8").splitlines()]
        return max(tokens(compact(_sent(request))) for request in requests)


def _sent(entry: dict[str, Any]) -> Any:
    """Return what the model was sent in one entry of the rig's log."""
    return entry.get("body", entry.get("request", entry))


# --- the page of benchmarks ------------------------------------------------------------------------------------------


NOTES = """\
Tokens by recollect's estimator, as text / as structured content. basic-memory answers a search with titles; reading a
note is another call. mcp-memory-service ran without its model, which is a download.

"""
FIRST_REQUEST = """
Tokens that recollect adds to the first request of an assistant. Codex loads tools on demand, and so does Claude Code
where its tool search is on (it was off here); most of what Codex adds is its own tools for MCP resources.

| assistant | without recollect | added | added by the version before |
| --- | ---: | ---: | ---: |
"""


def part(result: dict[str, Any]) -> str:
    """Return the tables of a result."""
    rows = [
        (
            name,
            f"{row['tools']} / {row['tools_list_tokens']:,}",
            _both(row["store"]),
            _both(row["recall"]),
            f"{100 * row['recall']['content_share']:.0f} % ({row['recall']['found']} memories)",
            _both(row["recall_of_two_large"]),
        )
        for name, row in result["servers"].items()
    ]
    head = ("server", "tools / tokens of the list", "store", "recall", "own words of the memories", "two 1 MB memories")
    command = "python bench/context_cost.py --peer NAME COMMAND … --rig RIG.PY --clients DIR"
    machine = f"{result['machine']}, {result['cores']} cores, Python {result['python']}"
    parts = [f"\n# Cost in context\n\n`{command}`, commit {result['commit']}, {machine}.\n\n", NOTES]
    parts += [f"| {' | '.join(cells)} |\n" for cells in (head, ("---", *["---:"] * 5), *rows)]
    if "first_request" in result:
        parts.append(FIRST_REQUEST)
        parts += [
            f"| {row['assistant']} | {row['without_recollect']:,} | {row['recollect']:,} | {row.get('before', 0):,} |\n"
            for row in result["first_request"]
            if "failed" not in row
        ]
    return "".join(parts)


def _both(counted: dict[str, int] | str) -> str:
    if isinstance(counted, str):
        return counted
    return " / ".join(f"{counted[name]:,}" for name in ("text_tokens", "structured_tokens") if name in counted)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--peer", nargs=2, action="append", default=[], metavar=("NAME", "COMMAND"))
    parser.add_argument("--before", metavar="PROGRAM", help="the recollect command of an older version")
    parser.add_argument("--rig", type=Path, help="the program that drives an assistant")
    parser.add_argument("--clients", type=Path, help="folder of the assistants")
    parser.add_argument("--save", action="store_true", help="keep the result under bench/results")
    chosen = parser.parse_args()
    ours = str(HERE)
    wanted: list[tuple[str, list[str], Peer]] = [
        ("recollect", [ours, "serve"], OURS),
        ("recollect, every tool", [ours, "serve", "--toolset", "all"], OURS),
    ]
    if chosen.before:
        wanted.append(("recollect before", [chosen.before, "serve"], OLDER))
    wanted += [(name, shlex.split(command), PEERS[name]) for name, command in chosen.peer]
    result: dict[str, Any] = {"servers": {}}
    for name, command, peer in wanted:
        result["servers"][name] = measured(command, peer)
        sys.stderr.write(f"{name}: {json.dumps(result['servers'][name])}\n")
    if chosen.rig and chosen.clients:
        versions = {"recollect": ours, **({"before": chosen.before} if chosen.before else {})}
        result["first_request"] = in_assistants(chosen.rig, chosen.clients, versions)
    measure.publish("context-cost", result, save=chosen.save)
    return 0


if __name__ == "__main__":
    sys.exit(main())
