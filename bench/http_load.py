"""How the HTTP server bears load, time and nonsense.

    python bench/http_load.py load [--memories 10000] [--clients 32] [--seconds 60] [--save]
    python bench/http_load.py memory [--requests 20000] [--save]
    python bench/http_load.py fuzz [--messages 100000] [--seed N] [--save]

load: clients that keep their connection call recall_memory, list_memories and get_memory in turn, and one in twenty
calls stores; the same clients then ask a bare Starlette handler that returns a constant. memory: the resident memory of
the server after each fifth of the requests. fuzz: JSON-RPC messages and HTTP requests made by changing right ones at
random; counted are answers, closed connections, 5xx, traces, and what never ended.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import random
import subprocess
import sys
import tempfile
import time
from collections import Counter
from contextlib import suppress
from copy import deepcopy
from pathlib import Path
from typing import Any

import msgspec

from measure import publish
from recollect import Engine

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
from tests.http_server import HttpProcess

PATIENCE_S = 60
BARE = """
import socket, uvicorn
from starlette.applications import Starlette
from starlette.responses import JSONResponse
from starlette.routing import Route
async def constant(request): return JSONResponse({"status": "ok"})
listening = socket.socket(); listening.bind(("127.0.0.1", 0)); listening.listen(512)
print(listening.getsockname()[1], flush=True)
app = Starlette(routes=[Route("/", constant)])
uvicorn.Server(uvicorn.Config(app, log_level="warning", access_log=False)).run(sockets=[listening])
"""


def filled(home: Path, count: int) -> list[str]:
    """Store memories with vectors; returns the ids of some."""
    words = "deploy cache retry token schema queue worker index parser session branch lock vector budget".split()
    chance = random.Random(7)
    with Engine(home=str(home)) as engine:
        ids = []
        for number in range(count):
            used = " ".join(chance.sample(words, 4))
            text = f"We decided that the {chance.choice(words)} of service {number} uses {used}"
            ids.append(engine.memories.store(text, namespace=f"p{number % 20}", deduplicate=False).memory.id)
    return ids[:200]


class Line:
    """One kept connection."""

    def __init__(self, host: str, port: int) -> None:
        self._address = host, port
        self._reader: asyncio.StreamReader | None = None
        self._writer: asyncio.StreamWriter | None = None

    async def send(self, content: bytes) -> tuple[int, bytes]:
        """Send a request; returns status and body. 0: the server closed the connection."""
        if self._writer is not None and self._writer.is_closing():
            await self.close()
        if self._writer is None:
            self._reader, self._writer = await asyncio.open_connection(*self._address)
        assert self._reader is not None
        try:
            self._writer.write(content)
            await self._writer.drain()
            head = await self._reader.readuntil(b"\r\n\r\n")
            fields = {
                line.partition(b":")[0].lower(): line.partition(b":")[2].strip() for line in head.split(b"\r\n")[1:]
            }
            body = b""
            if b"content-length" in fields:
                body = await self._reader.readexactly(int(fields[b"content-length"]))
            elif fields.get(b"transfer-encoding") == b"chunked":
                body = await self._chunks()
            if fields.get(b"connection") == b"close":
                await self.close()
            return int(head[9:12]), body
        except (asyncio.IncompleteReadError, ConnectionError):
            await self.close()
            return 0, b""

    async def _chunks(self) -> bytes:
        assert self._reader is not None
        parts = []
        while size := int(await self._reader.readline(), 16):
            parts.append(await self._reader.readexactly(size))
            await self._reader.readexactly(2)
        await self._reader.readexactly(2)
        return b"".join(parts)

    async def close(self) -> None:
        if self._writer is not None:
            writer, self._writer = self._writer, None
            writer.close()
            with suppress(OSError):
                await writer.wait_closed()


def request(method: str, path: str, body: bytes = b"", headers: str = "") -> bytes:
    length = f"Content-Length: {len(body)}\r\nContent-Type: application/json\r\n" if body else ""
    return f"{method} {path} HTTP/1.1\r\nHost: 127.0.0.1\r\n{length}{headers}\r\n".encode() + body


def percentiles(samples: list[float]) -> dict[str, float]:
    ordered = sorted(samples)
    return {
        f"p{share}_ms": round(1000 * ordered[min(len(ordered) - 1, len(ordered) * share // 100)], 2)
        for share in (50, 99)
    }


# --- load ---


async def pressed(host: str, port: int, clients: int, seconds: float, next_request: Any) -> dict[str, Any]:
    """Let clients send requests as fast as they are answered; returns counts and latencies."""
    times: list[float] = []
    statuses: Counter[int] = Counter()
    end = time.monotonic() + seconds

    async def client(number: int) -> None:
        line, chance = Line(host, port), random.Random(number)
        while time.monotonic() < end:
            began = time.monotonic()
            status, _ = await line.send(next_request(chance))
            times.append(time.monotonic() - began)
            statuses[status] += 1
        await line.close()

    await asyncio.gather(*(client(number) for number in range(clients)))
    wrong = {str(status): count for status, count in statuses.items() if status != 200}
    return {"requests": len(times), "per_s": round(len(times) / seconds, 1), "errors": wrong, **percentiles(times)}


def load(arguments: argparse.Namespace) -> dict[str, Any]:
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder) / "home"
        ids = filled(home, arguments.memories)

        def mixed(chance: random.Random) -> bytes:
            if chance.random() < 0.05:
                content = msgspec.json.encode({"content": f"Note {chance.random()} on the cache", "project": "p1"})
                return request("POST", "/api/v1/store_memory", content)
            project = f"p{chance.randrange(20)}"
            return request(
                "GET",
                chance.choice(
                    (
                        f"/api/v1/recall_memory?query=which+cache+does+service+{chance.randrange(9999)}+use&project={project}",
                        f"/api/v1/list_memories?limit=20&project={project}",
                        f"/api/v1/get_memory?memory_id={chance.choice(ids)}",
                    )
                ),
            )

        with HttpProcess(home, RECOLLECT_EMBED_PROVIDER=os.environ.get("RECOLLECT_EMBED_PROVIDER", "local")) as server:
            ours = asyncio.run(pressed(server.host, server.port, arguments.clients, arguments.seconds, mixed))
            health = request("GET", "/healthz")
            plain = asyncio.run(
                pressed(server.host, server.port, arguments.clients, arguments.seconds / 6, lambda chance: health)
            )
    with subprocess.Popen([sys.executable, "-c", BARE], stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        port = int(process.stdout.readline())
        constant = request("GET", "/")
        bare = asyncio.run(
            pressed("127.0.0.1", port, arguments.clients, arguments.seconds / 6, lambda chance: constant)
        )
        process.terminate()
    return {
        "memories": arguments.memories,
        "clients": arguments.clients,
        "seconds": arguments.seconds,
        "mixed": ours,
        "healthz": plain,
        "bare_starlette": bare,
    }


# --- memory ---


def resident_mb(pid: int) -> float:
    for line in Path(f"/proc/{pid}/status").read_text("ascii").splitlines():
        if line.startswith("VmRSS:"):
            return round(int(line.split()[1]) / 1024, 1)
    return 0.0


def memory(arguments: argparse.Namespace) -> dict[str, Any]:
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder) / "home"
        filled(home, 500)
        with HttpProcess(home) as server:

            async def part(count: int) -> None:
                lines = [Line(server.host, server.port) for _ in range(8)]

                async def client(line: Line, number: int) -> None:
                    for turn in range(count // 8):
                        path = f"/api/v1/recall_memory?query=cache+of+service+{number * count + turn}&limit=3"
                        await line.send(request("GET", path))
                    await line.close()

                await asyncio.gather(*(client(line, number) for number, line in enumerate(lines)))

            asyncio.run(part(1_000))  # caches fill
            sizes = [resident_mb(server.process.pid)]
            for _ in range(5):
                asyncio.run(part(arguments.requests // 5))
                sizes.append(resident_mb(server.process.pid))
    return {"requests": arguments.requests, "resident_mb": sizes, "growth": round(sizes[-1] / sizes[0], 3)}


# --- nonsense ---

METHODS = (
    "initialize",
    "ping",
    "tools/list",
    "tools/call",
    "resources/read",
    "prompts/get",
    "completion/complete",
    "x",
)
VALUES: tuple[Any, ...] = (None, True, -1, 0, 2**70, 1e308, "", "\x00", "ü" * 50, "a" * 5000, [], [[[]]], {}, {"a": {}})
TOOLS = ("recall_memory", "list_memories", "stats", "get_memory", "search_code", "drift", "nothing")


def message(chance: random.Random) -> bytes:
    """Return a JSON-RPC message that is right, nearly right, or bytes at random."""
    made: Any = {
        "jsonrpc": "2.0",
        "id": chance.choice((1, "a", *VALUES)),
        "method": chance.choice(METHODS),
        "params": {
            "name": chance.choice(TOOLS),
            "arguments": {chance.choice(("query", "limit", "project", "x")): chance.choice((*VALUES, "cache"))},
            "uri": chance.choice(("recollect://memory/x", "file:///etc/passwd", "")),
            "protocolVersion": chance.choice(("2025-11-25", "2026-07-28", "", 7)),
        },
    }
    for _ in range(chance.randrange(3)):
        place = chance.choice((made, made["params"])) if isinstance(made.get("params"), dict) else made
        if place:
            place[chance.choice(list(place))] = deepcopy(chance.choice(VALUES))
    content = msgspec.json.encode([made, made] if chance.random() < 0.05 else made)
    if chance.random() < 0.3:
        place = chance.randrange(len(content))
        content = content[:place] + chance.randbytes(chance.randrange(4)) + content[place + chance.randrange(4) :]
    return content


def http_message(chance: random.Random, session: str) -> bytes:
    """Return an HTTP request that is right, nearly right, or bytes at random."""
    path = chance.choice(
        ("/mcp",) * 5 + ("/api/v1/recall_memory", "/api/v1/stats", "/api/v1/%00", "/..%2f", "/healthz")
    )
    headers = "Accept: application/json, text/event-stream\r\n"
    headers += f"Mcp-Session-Id: {session if chance.random() < 0.8 else 'x'}\r\n"
    if chance.random() < 0.2:
        headers += chance.choice(("Mcp-Protocol-Version: 2026-07-28\r\n", "Last-Event-ID: x-1\r\n", "Origin: null\r\n"))
    content = request(chance.choice(("POST",) * 20 + ("GET", "GET", "DELETE", "PUT")), path, message(chance), headers)
    if chance.random() < 0.1:
        place = chance.randrange(len(content))
        content = content[:place] + chance.randbytes(3) + content[place:]
    return content


def fuzz(arguments: argparse.Namespace) -> dict[str, Any]:
    with tempfile.TemporaryDirectory() as folder, HttpProcess(Path(folder) / "home") as server:
        statuses: Counter[int] = Counter()
        traces = hangs = 0

        async def client(number: int, count: int) -> None:
            nonlocal traces, hangs
            chance = random.Random(arguments.seed * 1000 + number)
            line, session = Line(server.host, server.port), server.begin()
            for turn in range(count):
                if turn % 200 == 0:
                    session = await asyncio.to_thread(server.begin)
                content = http_message(chance, session)
                if content.startswith(b"GET /mcp"):
                    continue  # a standing stream does not end by itself
                try:
                    status, body = await asyncio.wait_for(line.send(content), 2.0 if _is_cut(content) else PATIENCE_S)
                except TimeoutError:
                    hangs += not _is_cut(content)
                    await line.close()
                    continue
                statuses[status] += 1
                traces += b"Traceback" in body
                if chance.random() < 0.05 or _is_cut(content):
                    await line.close()  # what a changed length left behind is not an answer to the next request
            await line.close()

        async def everybody() -> None:
            await asyncio.gather(*(client(number, arguments.messages // 8) for number in range(8)))

        asyncio.run(everybody())
        alive = server.ask("GET", "/healthz").status == 200
    return {
        "messages": sum(statuses.values()),
        "statuses": {str(status): count for status, count in sorted(statuses.items())},
        "server_errors": sum(count for status, count in statuses.items() if status >= 500),
        "traces": traces,
        "hangs": hangs,
        "alive": alive,
    }


def _is_cut(content: bytes) -> bool:
    """Return whether the server may rightly wait for more: the head or the length was changed."""
    head, _, body = content.partition(b"\r\n\r\n")
    lengths = [line for line in head.split(b"\r\n") if line.lower().startswith(b"content-length: ")]
    return not body or len(lengths) != 1 or lengths[0][16:] != str(len(body)).encode()


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("what", choices=("load", "memory", "fuzz"))
    for name, default in (
        ("memories", 10_000),
        ("clients", 32),
        ("requests", 20_000),
        ("messages", 100_000),
        ("seed", 7),
    ):
        parser.add_argument(f"--{name}", type=int, default=default)
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--save", action="store_true")
    arguments = parser.parse_args()
    run = {"load": load, "memory": memory, "fuzz": fuzz}[arguments.what]
    publish(f"http-{arguments.what}", run(arguments), save=arguments.save)


if __name__ == "__main__":
    main()
