"""The official SDK's client talks to `recollect serve` in every way it can negotiate."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest
from jsonschema import Draft202012Validator
from tests.waiting import PATIENCE_S

from recollect.capabilities import OPERATIONS
from recollect.surface.mcp.jsonrpc import INVALID_PARAMS
from recollect.surface.mcp.server import HANDSHAKE, INSTRUCTIONS, MODERN, RESOURCE_NOT_FOUND
from recollect.toolset import GROUPS

mcp = pytest.importorskip("mcp")
mcp_types = pytest.importorskip("mcp_types")

COMMAND = str(Path(sys.executable).with_name("recollect"))

# How the client opens → the version both end up with.
MODES = {"auto": MODERN, "legacy": HANDSHAKE[0], MODERN: MODERN}

Talk = Callable[[Any], Awaitable[Any]]


@pytest.fixture
def serve(home: Path) -> Callable[..., Any]:
    """Runs a conversation with a server process of its own, all of them on the same home."""

    def run(talk: Talk, mode: str = "auto", toolset: str = "core", **options: Any) -> Any:
        server = mcp.StdioServerParameters(
            command=COMMAND,
            args=["serve", "--toolset", toolset],
            env={"RECOLLECT_HOME": str(home), "RECOLLECT_EMBED_PROVIDER": "off"},
        )

        async def hold() -> Any:
            async with mcp.Client(server, mode=mode, read_timeout_seconds=PATIENCE_S, **options) as client:
                return await talk(client)

        return asyncio.run(hold())

    return run


@pytest.mark.parametrize("mode", MODES)
def test_the_client_and_the_server_agree_on_the_version(serve: Any, mode: str) -> None:
    async def talk(client: Any) -> None:
        assert client.protocol_version == MODES[mode]
        if mode != MODERN:  # without a question there is no answer that could carry them
            assert client.instructions == INSTRUCTIONS
            assert client.server_info.name == "recollect"

    serve(talk, mode)


@pytest.mark.parametrize("mode", MODES)
def test_the_client_lists_every_operation(serve: Any, mode: str) -> None:
    async def talk(client: Any) -> None:
        tools = (await client.list_tools()).tools
        assert [tool.name for tool in tools] == list(OPERATIONS)
        for tool in tools:
            assert tool.description
            Draft202012Validator.check_schema(tool.input_schema)

    serve(talk, mode, "all")


@pytest.mark.parametrize("mode", MODES)
def test_what_one_server_stores_another_recalls(serve: Any, mode: str) -> None:
    async def store(client: Any) -> str:
        result = await client.call_tool("store_memory", {"content": "The parser lives in grammar.py", "tags": ["code"]})
        assert not result.is_error
        return str(result.structured_content["id"])

    async def recall(client: Any) -> None:
        result = await client.call_tool("recall_memory", {"query": "where is the parser?"})
        assert stored in result.structured_content["hits"][0]
        assert "grammar.py" in result.content[0].text

    stored = serve(store, mode)
    serve(recall, mode)


@pytest.mark.parametrize("mode", MODES)
def test_a_failed_call_is_an_error_with_a_code_a_message_and_a_hint(serve: Any, mode: str) -> None:
    async def talk(client: Any) -> None:
        result = await client.call_tool("get_memory", {"memory_id": "no-such-id"})
        assert result.is_error
        error = result.structured_content["error"]
        assert error["code"] == "MEMORY_NOT_FOUND"
        assert error["message"] in result.content[0].text
        assert error["hint"] in result.content[0].text

    serve(talk, mode)


@pytest.mark.parametrize("mode", MODES)
def test_requests_that_make_no_sense_are_refused_and_the_next_is_answered(serve: Any, mode: str) -> None:
    async def talk(client: Any) -> None:
        with pytest.raises(mcp.MCPError) as unknown_tool:
            await client.call_tool("no_such_tool", {})
        assert unknown_tool.value.code == INVALID_PARAMS
        with pytest.raises(mcp.MCPError) as no_resource:
            await client.read_resource("recollect://memory/no-such-id")
        assert no_resource.value.code == (INVALID_PARAMS if MODES[mode] == MODERN else RESOURCE_NOT_FOUND)
        with pytest.raises(mcp.MCPError) as no_prompt:
            await client.get_prompt("no_such_prompt")
        assert no_prompt.value.code == INVALID_PARAMS
        assert not (await client.call_tool("stats", {})).is_error

    serve(talk, mode)


@pytest.mark.parametrize("mode", MODES)
def test_the_client_lists_and_reads_resources_gets_prompts_and_completes(serve: Any, mode: str) -> None:
    async def talk(client: Any) -> None:
        result = await client.call_tool("store_memory", {"content": "The parser lives in grammar.py", "detail": "full"})
        stored = result.structured_content["memory"]["id"]
        briefing, memory = (await client.list_resources()).resources
        assert (str(briefing.uri), str(memory.uri)) == ("recollect://briefing", f"recollect://memory/{stored}")
        for resource in (briefing, memory):
            (content,) = (await client.read_resource(resource.uri)).contents
            assert "grammar.py" in content.text
        templates = (await client.list_resource_templates()).resource_templates
        assert [row.name for row in templates] == ["memory", "symbol"]
        assert [row.name for row in (await client.list_prompts()).prompts] == ["recall", "remember", "review"]
        prompt = await client.get_prompt("recall", {"question": "where is the parser?"})
        assert "grammar.py" in prompt.messages[0].content.text
        ref = mcp_types.ResourceTemplateReference(type="ref/resource", uri=templates[0].uri_template)
        found = await client.complete(ref, {"name": "id", "value": "parser"})
        assert (found.completion.values, found.completion.total) == ([stored], 1)

    serve(talk, mode)


def test_many_calls_at_once_are_all_answered_with_their_own(serve: Any) -> None:
    async def talk(client: Any) -> None:
        texts = [f"fact number {number}" for number in range(20)]
        results = await asyncio.gather(
            *(client.call_tool("store_memory", {"content": text, "detail": "full"}) for text in texts)
        )
        assert [result.structured_content["memory"]["content"] for result in results] == texts
        assert (await client.call_tool("stats", {})).structured_content["memories"] == 20

    serve(talk)


# --- what the client does not do ------------------------------------------------------------------------------------

META = {
    "io.modelcontextprotocol/protocolVersion": MODERN,
    "io.modelcontextprotocol/clientInfo": {"name": "late", "version": "1"},
    "io.modelcontextprotocol/clientCapabilities": {},
}
INITIALIZE = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "late", "version": "1"}}


def pipe(*requests: tuple[str, dict[str, Any]], arguments: tuple[str, ...] = ()) -> list[Any]:
    """Return the replies of a server that finds all requests waiting when it wakes up."""
    raw = b"".join(
        msgspec.json.encode({"jsonrpc": "2.0", "id": number, "method": method, "params": params}) + b"\n"
        for number, (method, params) in enumerate(requests)
    )
    pipes = dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.PIPE)
    with subprocess.Popen([COMMAND, "serve", *arguments], **pipes) as process:  # type: ignore[call-overload]
        process.stdin.write(raw)
        process.stdin.flush()
        # The input stays open until all is answered: after its end a call has a few seconds only.
        replies = [msgspec.json.decode(process.stdout.readline()) for _ in requests]
        assert process.communicate(timeout=PATIENCE_S) == (b"", b"")
    assert process.returncode == 0
    return sorted(replies, key=lambda reply: reply["id"])


@pytest.mark.parametrize("order", [1, -1])
def test_a_late_server_answers_both_handshakes_it_finds_waiting(order: int) -> None:
    openings = [("server/discover", {"_meta": META}), ("initialize", INITIALIZE)][::order]
    first, second, modern, older = pipe(*openings, ("tools/list", {"_meta": META}), ("tools/list", {}))
    discovered, initialized = (first, second)[::order]
    assert MODERN in discovered["result"]["supportedVersions"]
    assert initialized["result"]["protocolVersion"] == "2025-11-25"
    assert modern["result"]["tools"] == older["result"]["tools"]


@pytest.mark.promise("E28")
def test_the_handshake_and_the_list_leave_no_trace_on_disk(home: Path) -> None:
    replies = pipe(("initialize", INITIALIZE), ("tools/list", {}))
    assert len(replies) == 2
    assert not home.exists()


LOADED = """
import sys
from recollect.settings import load
from recollect.surface.mcp.stdio import main
main(load())
print(*sys.modules, file=sys.stderr)
"""
HEAVY = {"asyncio", "json", "logging", "mcp", "numpy", "onnxruntime", "pydantic", "rich", "sqlite3", "tokenizers"}


@pytest.mark.promise("E28")
@pytest.mark.parametrize(("method", "params"), [("initialize", INITIALIZE), ("server/discover", {"_meta": META})])
def test_the_handshake_is_answered_without_the_engine(method: str, params: dict[str, Any]) -> None:
    raw = msgspec.json.encode({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}) + b"\n"
    done = subprocess.run(
        [sys.executable, "-c", LOADED], input=raw, capture_output=True, timeout=PATIENCE_S, check=True
    )
    assert b'"result"' in done.stdout
    loaded = set(done.stderr.decode().split())
    assert "recollect.surface.mcp" in loaded
    assert loaded & HEAVY == set()
    assert loaded & {"recollect.engine", "recollect.store", "recollect.operations", "recollect.render"} == set()


@pytest.mark.parametrize("arguments", [(), ("--toolset", "core"), ("--toolset", "core,graph")])
def test_a_server_lists_its_toolset_core_by_default_and_calls_any_tool(arguments: tuple[str, ...]) -> None:
    listed, called = pipe(
        ("tools/list", {}), ("tools/call", {"name": "codemem_stats", "arguments": {}}), arguments=arguments
    )
    names = [tool["name"] for tool in listed["result"]["tools"]]
    assert set(names) == set(GROUPS["core"]) | (set(GROUPS["graph"]) if "core,graph" in arguments else set())
    assert called["result"]["isError"] is False


def test_a_database_that_cannot_be_opened_is_an_error_of_the_call_not_of_the_server(home: Path) -> None:
    home.mkdir()
    (home / "recollect.db").write_bytes(b"this is no database, and never was one" * 100)
    listed, called, alive = pipe(("tools/list", {}), ("tools/call", {"name": "stats"}), ("ping", {}))
    assert listed["result"]["tools"]
    assert called["result"]["structuredContent"]["error"]["code"] == "STORE_FOREIGN"
    assert alive["result"] == {}
    assert {path.name for path in home.iterdir()} - {"run"} == {"recollect.db"}
