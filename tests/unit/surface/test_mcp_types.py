"""Every kind of message we send, held against the types of the official SDK, version by version."""

from __future__ import annotations

from typing import Any

import pytest

from recollect.surface.mcp.server import BATCHING, HANDSHAKE, MODERN, SUPPORTED, VERSION_KEY

mcp_types = pytest.importorskip("mcp_types")
methods = pytest.importorskip("mcp_types.methods")

REQUESTS: list[tuple[str, dict[str, Any]]] = [
    ("tools/list", {}),
    ("tools/call", {"name": "store_memory", "arguments": {"text": "x"}}),
    ("tools/call", {"name": "store_memory", "arguments": {"text": 5}}),
    ("tools/call", {"name": "recall_memory", "arguments": {"query": "x", "limit": 2}}),
    ("tools/call", {"name": "delete_memory", "arguments": {"note_id": "x"}}),
    ("tools/call", {"name": "fail"}),
]


def stamped(version: str, params: dict[str, Any]) -> dict[str, Any]:
    """Return params as a client of that version sends them."""
    if version != MODERN:
        return params
    return params | {"_meta": {VERSION_KEY: version, "io.modelcontextprotocol/clientCapabilities": {}}}


@pytest.mark.parametrize("version", SUPPORTED)
@pytest.mark.parametrize(("method", "params"), REQUESTS)
def test_a_result_is_what_the_version_says(desk: Any, version: str, method: str, params: dict[str, Any]) -> None:
    methods.validate_server_result(method, version, desk.ask(method, stamped(version, params)))


MEMORY = {"type": "ref/resource", "uri": "recollect://memory/{id}"}
RECALL = {"type": "ref/prompt", "name": "recall"}
OF_A_PROJECT: list[tuple[str, dict[str, Any]]] = [
    ("resources/list", {}),
    ("resources/templates/list", {}),
    ("resources/read", {"uri": "recollect://briefing"}),
    ("prompts/list", {}),
    ("prompts/get", {"name": "recall", "arguments": {"question": "how are prices rounded?"}}),
    ("prompts/get", {"name": "remember"}),
    ("completion/complete", {"ref": MEMORY, "argument": {"name": "id", "value": "prices"}}),
    ("completion/complete", {"ref": RECALL, "argument": {"name": "question", "value": "what is tot"}}),
]


@pytest.mark.parametrize("version", SUPPORTED)
def test_resources_prompts_and_completions_are_what_the_version_says(project: Any, version: str) -> None:
    project.store("The cart rounds prices down")
    for method, params in OF_A_PROJECT:
        methods.validate_server_result(method, version, project.ask(method, stamped(version, params)))


@pytest.mark.parametrize("version", HANDSHAKE)
def test_the_answers_of_the_handshake_are_what_the_version_says(desk: Any, version: str) -> None:
    methods.validate_server_result("initialize", version, desk.ask("initialize", {"protocolVersion": version}))
    methods.validate_server_result("ping", version, desk.ask("ping"))


def test_the_answer_to_discover_is_what_the_version_says(desk: Any) -> None:
    methods.validate_server_result("server/discover", MODERN, desk.ask("server/discover", stamped(MODERN, {})))


@pytest.mark.parametrize("version", SUPPORTED)
def test_a_page_with_a_cursor_is_what_the_version_says(make_desk: Any, version: str) -> None:
    result = make_desk(page_size=2).ask("tools/list", stamped(version, {}))
    methods.validate_server_result("tools/list", version, result)
    assert "nextCursor" in result


@pytest.mark.parametrize("version", SUPPORTED)
@pytest.mark.parametrize("total", [None, 3])
def test_progress_is_what_the_version_says(desk: Any, version: str, total: int | None) -> None:
    meta = stamped(version, {}).get("_meta", {}) | {"progressToken": "t"}
    desk.call("count", _meta=meta, steps=3, **({} if total is None else {"said_total": total}))
    assert len(desk.emitted) == 3
    for message in desk.emitted:
        mcp_types.JSONRPCNotification.model_validate(message)
        methods.parse_server_notification(message["method"], version, message["params"])


@pytest.mark.parametrize(
    "message",
    [
        5,
        [],
        {"jsonrpc": "2.0", "id": None, "method": "ping"},
        {"jsonrpc": "2.0", "id": 1, "method": "no/such"},
        {"jsonrpc": "2.0", "id": "a", "method": "tools/call"},
        {"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {"cursor": "no"}},
        {"jsonrpc": "2.0", "id": 1, "method": "ping", "params": {"_meta": {VERSION_KEY: "no"}}},
    ],
)
def test_an_error_is_what_json_rpc_says(desk: Any, message: Any) -> None:
    mcp_types.JSONRPCError.model_validate(desk.tell(message))


def test_the_error_of_an_unsupported_version_carries_the_data_clients_read(desk: Any) -> None:
    error = desk.ask("ping", {"_meta": {VERSION_KEY: "2099-01-01"}})
    assert error["code"] == mcp_types.UNSUPPORTED_PROTOCOL_VERSION
    mcp_types.UnsupportedProtocolVersionErrorData.model_validate(error["data"])


def test_a_batch_is_a_list_of_responses(desk: Any) -> None:
    desk.ask("initialize", {"protocolVersion": BATCHING})
    for reply in desk.tell([{"jsonrpc": "2.0", "id": number, "method": "ping"} for number in (1, 2)]):
        mcp_types.JSONRPCResponse.model_validate(reply)
