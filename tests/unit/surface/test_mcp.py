"""The protocol core: handshakes of both eras, requests that make sense and those that do not, lists and calls."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from recollect import render
from recollect.surface.mcp.jsonrpc import (
    INTERNAL_ERROR,
    INVALID_PARAMS,
    INVALID_REQUEST,
    METHOD_NOT_FOUND,
    PARSE_ERROR,
    ProtocolError,
    decode,
    encode,
    failure,
    success,
)
from recollect.surface.mcp.server import (
    BATCHING,
    CLIENT_KEY,
    HANDSHAKE,
    INSTRUCTIONS,
    MODERN,
    SERVER_KEY,
    SUPPORTED,
    UNSUPPORTED_VERSION,
    VERSION_KEY,
    calls,
)
from recollect.text.token_count import tokens

MODERN_META = {VERSION_KEY: MODERN, "io.modelcontextprotocol/clientCapabilities": {}}
PING = {"jsonrpc": "2.0", "id": 7, "method": "ping"}


def refuse_to_load() -> Any:
    raise AssertionError("the operations were loaded")


# --- handshake -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("version", HANDSHAKE)
def test_initialize_answers_with_the_version_asked_for(desk: Any, version: str) -> None:
    result = desk.ask("initialize", {"protocolVersion": version, "capabilities": {}, "clientInfo": {}})
    assert result["protocolVersion"] == version
    assert result["serverInfo"]["name"] == "recollect"
    assert set(result["capabilities"]) == {"tools", "resources", "prompts", "completions"}
    assert not any(value for row in result["capabilities"].values() for value in row.values())


@pytest.mark.parametrize("version", ["1999-01-01", MODERN, "latest", ""])
def test_initialize_answers_an_unknown_version_with_our_newest(desk: Any, version: str) -> None:
    assert desk.ask("initialize", {"protocolVersion": version})["protocolVersion"] == HANDSHAKE[0]


@pytest.mark.parametrize("params", [None, {}, {"protocolVersion": 5}])
def test_initialize_without_a_version_is_refused(desk: Any, params: Any) -> None:
    assert desk.ask("initialize", params)["code"] == INVALID_PARAMS


@pytest.mark.parametrize("params", [{"_meta": MODERN_META}, {}, None])
def test_discover_tells_what_we_speak_whether_or_not_the_client_says_what_it_does(desk: Any, params: Any) -> None:
    result = desk.ask("server/discover", params)
    assert result["supportedVersions"] == list(SUPPORTED)
    assert result["resultType"] == "complete"
    assert result["_meta"][SERVER_KEY]["name"] == "recollect"
    assert result["instructions"] == INSTRUCTIONS


def test_both_eras_are_served_on_one_connection_in_any_order(desk: Any) -> None:
    assert "supportedVersions" in desk.ask("server/discover", {"_meta": MODERN_META})
    assert desk.ask("initialize", {"protocolVersion": HANDSHAKE[0]})["protocolVersion"] == HANDSHAKE[0]
    assert "resultType" not in desk.ask("tools/list")
    assert desk.ask("tools/list", {"_meta": MODERN_META})["resultType"] == "complete"
    assert "supportedVersions" in desk.ask("server/discover", {"_meta": MODERN_META})
    assert "resultType" not in desk.ask("ping")


@pytest.mark.parametrize("method", ["server/discover", "tools/list", "tools/call", "no/such"])
@pytest.mark.parametrize("version", ["2099-01-01", "", 5, ["2026-07-28"]])
def test_an_unsupported_version_is_refused_with_those_we_have(desk: Any, method: str, version: Any) -> None:
    error = desk.ask(method, {"_meta": {VERSION_KEY: version}})
    assert error["code"] == UNSUPPORTED_VERSION
    assert error["data"] == {"requested": str(version), "supported": list(SUPPORTED)}


@pytest.mark.parametrize("version", HANDSHAKE)
def test_a_request_that_names_a_version_of_the_older_era_is_answered_in_it(desk: Any, version: str) -> None:
    assert "resultType" not in desk.ask("tools/list", {"_meta": {VERSION_KEY: version}})


def test_the_handshake_is_answered_before_the_operations_are_loaded(make_desk: Any) -> None:
    desk = make_desk()
    desk.server._load = refuse_to_load
    assert "protocolVersion" in desk.ask("initialize", {"protocolVersion": HANDSHAKE[0]})
    assert "supportedVersions" in desk.ask("server/discover", {"_meta": MODERN_META})
    assert desk.ask("ping") == {}


def test_the_instructions_are_short_and_name_the_two_tools_that_matter() -> None:
    assert tokens(INSTRUCTIONS) <= 112
    assert "recall_memory" in INSTRUCTIONS
    assert "store_memory" in INSTRUCTIONS


MODERN_REQUESTS = [
    ("server/discover", {}, True),
    ("tools/list", {}, True),
    ("resources/templates/list", {}, True),
    ("prompts/list", {}, True),
    ("tools/call", {"name": "store_memory", "arguments": {"text": "x"}}, False),
    ("tools/call", {"name": "delete_memory", "arguments": {"note_id": "x"}}, False),
    ("ping", {}, False),
]


@pytest.mark.parametrize(("method", "params", "is_cacheable"), MODERN_REQUESTS)
def test_a_modern_result_says_that_it_is_complete_and_whose_it_is(
    desk: Any, method: str, params: Any, is_cacheable: bool
) -> None:
    result = desk.ask(method, params | {"_meta": MODERN_META})
    assert result["resultType"] == "complete"
    assert set(result["_meta"][SERVER_KEY]) >= {"name", "version"}
    assert ("ttlMs" in result) == ("cacheScope" in result) == is_cacheable


@pytest.mark.parametrize(("method", "params", "is_cacheable"), MODERN_REQUESTS[1:])
def test_a_result_of_the_older_era_carries_nothing_of_the_newer(
    desk: Any, method: str, params: Any, is_cacheable: bool
) -> None:
    assert set(desk.ask(method, params)) & {"resultType", "ttlMs", "cacheScope", "_meta"} == set()


# --- requests --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "method",
    [
        "resources/subscribe",
        "resources/unsubscribe",
        "logging/setLevel",
        "subscriptions/listen",
        "tasks/list",
        "",
    ],
)
def test_a_method_that_is_not_advertised_does_not_exist(desk: Any, method: str) -> None:
    assert desk.ask(method)["code"] == METHOD_NOT_FOUND
    assert desk.ask(method, {"_meta": MODERN_META})["code"] == METHOD_NOT_FOUND


@pytest.mark.parametrize(
    ("message", "request_id"),
    [
        (5, None),
        ("ping", None),
        (None, None),
        ({}, None),
        ({"jsonrpc": "2.0"}, None),
        ({"jsonrpc": "2.0", "id": 7}, 7),
        ({"jsonrpc": "1.0", "id": 7, "method": "ping"}, 7),
        ({"id": "a", "method": "ping"}, "a"),
        ({"method": "ping"}, None),
        ({"jsonrpc": "2.0", "id": 7, "method": 5}, 7),
        ({"jsonrpc": "2.0", "id": None, "method": "ping"}, None),
        ({"jsonrpc": "2.0", "id": True, "method": "ping"}, None),
        ({"jsonrpc": "2.0", "id": 1.5, "method": "ping"}, None),
        ({"jsonrpc": "2.0", "id": [1], "method": "ping"}, None),
        ({"jsonrpc": "2.0", "id": {}, "method": "tools/call"}, None),
        ([], None),
        ([PING], None),
    ],
)
def test_what_is_no_request_is_refused_with_the_id_if_it_can_be_read(desk: Any, message: Any, request_id: Any) -> None:
    reply = desk.tell(message)
    assert reply["error"]["code"] == INVALID_REQUEST
    assert reply["id"] == request_id


@pytest.mark.parametrize("params", [[], "x", 5, True])
def test_params_that_are_no_object_are_refused(desk: Any, params: Any) -> None:
    assert desk.ask("tools/list", params)["code"] == INVALID_PARAMS


@pytest.mark.parametrize("meta", [None, 5, [], "x", {"progressToken": None}])
def test_a_meta_that_says_nothing_is_no_hindrance(desk: Any, meta: Any) -> None:
    assert desk.ask("ping", {"_meta": meta}) == {}


@pytest.mark.parametrize("request_id", [0, -1, 2**80, "", "a", "1", "\n\U0001f600"])
def test_any_text_or_whole_number_is_an_id(desk: Any, request_id: Any) -> None:
    assert desk.ask("ping", request_id=request_id) == {}


@pytest.mark.parametrize(
    "message",
    [
        {"method": "notifications/initialized"},
        {"method": "notifications/unheard_of", "params": {"a": 1}},
        {"method": "notifications/cancelled"},
        {"method": "notifications/cancelled", "params": []},
        {"method": "notifications/cancelled", "params": {"requestId": [1]}},
        {"method": "notifications/cancelled", "params": {"requestId": 1}},
        {"method": "ping"},
        {"method": "tools/call", "params": {"name": "fail"}},
        {"id": 5, "result": {}},
        {"id": 5, "error": {"code": 1, "message": "no"}},
        {"error": {"code": 1, "message": "no"}},
    ],
)
def test_notifications_and_answers_are_never_answered(desk: Any, message: Any) -> None:
    assert desk.tell({"jsonrpc": "2.0"} | message) is None
    assert desk.logged == []


def test_a_batch_is_answered_to_clients_of_the_one_version_that_has_them(desk: Any) -> None:
    desk.ask("initialize", {"protocolVersion": BATCHING})
    batch = [PING, {"jsonrpc": "2.0", "method": "notifications/initialized"}, {"id": 8}, PING | {"id": "b"}]
    replies = desk.tell(batch)
    assert [reply["id"] for reply in replies] == [7, 8, "b"]
    assert replies[1]["error"]["code"] == INVALID_REQUEST
    assert desk.tell([{"jsonrpc": "2.0", "method": "notifications/initialized"}]) is None
    assert desk.tell([])["error"]["code"] == INVALID_REQUEST


def test_the_calls_of_a_message_are_known_before_it_is_answered() -> None:
    call = {"jsonrpc": "2.0", "id": 1, "method": "tools/call"}
    assert calls(call) == [1]
    assert calls([call, PING, call | {"id": "b"}]) == [1, "b"]
    assert calls([PING, 5, None, {"method": "tools/call"}, call | {"id": []}]) == []
    assert calls(PING) == calls("x") == []
    for method in ("resources/list", "resources/read", "prompts/get", "completion/complete"):
        assert calls(call | {"method": method}) == [1], "it opens the store, so it runs in a worker"
    for method in ("resources/templates/list", "prompts/list", "tools/list", ["tools/call"], {}, None):
        assert calls(call | {"method": method}) == []


# --- bytes -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "line",
    [
        b"",
        b"{",
        b"nonsense",
        b"\x00",
        b'{"a":"\xff"}',
        b'{"a":"\\ud800"}',
        b"[" * 100_000,
        b"1e999",
        b"{}\x00",
        b"{}{}",
    ],
)
def test_what_is_no_json_is_a_parse_error(line: bytes) -> None:
    with pytest.raises(ProtocolError) as caught:
        decode(line)
    assert caught.value.code == PARSE_ERROR
    assert failure(caught.value)["id"] is None


def test_an_answer_that_cannot_be_written_becomes_an_error_with_its_id() -> None:
    endless: dict[str, Any] = {}
    endless["again"] = endless
    for result in ({"text": "\ud800"}, endless):
        reply = decode(encode(success(7, result)))
        assert reply["id"] == 7
        assert reply["error"]["code"] == INTERNAL_ERROR


def test_details_of_an_error_that_json_does_not_know_are_written_as_text() -> None:
    reply = decode(encode(success(7, {"path": Path("/x"), "problem": ValueError("y")})))
    assert reply["result"] == {"path": "/x", "problem": "y"}


# --- lists -----------------------------------------------------------------------------------------------------------

ALL = ["store_memory", "recall_memory", "delete_memory", "count", "fail", "give_up"]


def names(result: Any) -> list[str]:
    return [tool["name"] for tool in result["tools"]]


def test_all_tools_are_listed_once_in_the_order_of_the_table(desk: Any) -> None:
    result = desk.ask("tools/list")
    assert names(result) == ALL
    assert "nextCursor" not in result
    assert desk.ask("tools/list") == result


def test_a_toolset_lists_its_tools_in_its_own_order_and_calls_any(make_desk: Any) -> None:
    desk = make_desk(toolset="core")
    assert names(desk.ask("tools/list")) == ["recall_memory", "store_memory", "delete_memory"]
    assert desk.call("remember", text="x")["isError"] is False
    assert desk.call("count", steps=1)["isError"] is False


@pytest.mark.parametrize("page_size", [1, 2, 3, 6, 7, 8])
def test_pages_give_every_tool_once(make_desk: Any, page_size: int) -> None:
    desk = make_desk(page_size=page_size)
    found, params = [], {}
    while params is not None:
        page = desk.ask("tools/list", params)
        assert len(page["tools"]) <= page_size
        found += names(page)
        params = {"cursor": page["nextCursor"]} if "nextCursor" in page else None
    assert found == ALL


@pytest.mark.parametrize("method", ["tools/list", "prompts/list", "resources/templates/list", "resources/list"])
@pytest.mark.parametrize("cursor", ["", "nonsense", 5, [], {"a": 1}, "9.0", "0.-1", "0.x", ".", "٣.٣", f"0.{'9' * 50}"])
def test_a_cursor_that_is_not_ours_is_refused(desk: Any, method: str, cursor: Any) -> None:
    assert desk.ask(method, {"cursor": cursor})["code"] == INVALID_PARAMS


@pytest.mark.parametrize(
    ("method", "key", "count"), [("prompts/list", "prompts", 3), ("resources/templates/list", "resourceTemplates", 2)]
)
def test_lists_of_prompts_and_templates_have_pages_too(make_desk: Any, method: str, key: str, count: int) -> None:
    desk = make_desk(page_size=1)
    found, params = [], {}
    while params is not None:
        page = desk.ask(method, params)
        found += page[key]
        params = {"cursor": page["nextCursor"]} if "nextCursor" in page else None
    assert found == make_desk().ask(method)[key]
    assert len(found) == count


# --- what depends on the client --------------------------------------------------------------------------------------


def titles(result: Any) -> set[Any]:
    return {tool["annotations"].get("title") for tool in result["tools"]}


def test_tools_have_titles_for_clients_that_do_not_show_them_to_the_model(desk: Any) -> None:
    assert titles(desk.ask("tools/list")) == {None}
    info = {"name": "claude-code", "version": "1"}
    modern = desk.ask("tools/list", {"_meta": MODERN_META | {CLIENT_KEY: info}})
    assert titles(modern) == {"Store memory", "Recall memory", "Delete memory", "Count", "Fail", "Give up"}
    desk.ask("initialize", {"protocolVersion": HANDSHAKE[0], "clientInfo": info})
    assert desk.ask("tools/list")["tools"] == modern["tools"]
    assert titles(desk.ask("tools/list", {"_meta": MODERN_META | {CLIENT_KEY: {"name": "other"}}})) == {None}


def test_a_server_may_give_every_client_titles(make_desk: Any) -> None:
    assert None not in titles(make_desk(titles=True).ask("tools/list"))


def test_resources_are_not_declared_to_clients_that_describe_them_to_the_model(desk: Any) -> None:
    info = {"name": "opencode", "version": "1"}
    handshake = desk.ask("initialize", {"protocolVersion": HANDSHAKE[0], "clientInfo": info})
    assert set(handshake["capabilities"]) == {"tools", "prompts", "completions"}
    discovered = desk.ask("server/discover", {"_meta": MODERN_META | {CLIENT_KEY: info}})
    assert discovered["capabilities"] == handshake["capabilities"]
    assert "resourceTemplates" in desk.ask("resources/templates/list")


@pytest.mark.parametrize("info", [None, 5, [], {}, {"name": None}, {"name": ["claude-code"]}, {"name": {}}])
def test_a_client_without_a_name_is_like_any_other(desk: Any, info: Any) -> None:
    assert "resources" in desk.ask("initialize", {"protocolVersion": HANDSHAKE[0], "clientInfo": info})["capabilities"]
    assert titles(desk.ask("tools/list", {"_meta": MODERN_META | {CLIENT_KEY: info}})) == {None}


def test_operations_that_cannot_be_loaded_are_an_internal_error_and_logged(desk: Any) -> None:
    desk.server._load = refuse_to_load
    assert desk.ask("tools/list")["code"] == INTERNAL_ERROR
    assert "the operations were loaded" in desk.logged[0]
    assert desk.ask("ping") == {}


# --- calls -----------------------------------------------------------------------------------------------------------


def test_a_call_gives_the_record_as_data_and_as_text(desk: Any) -> None:
    result = desk.call("store_memory", text="x", kind="long", detail="full")
    assert result["isError"] is False
    assert result["content"][0]["type"] == "text" and 'kind: "long"' in result["content"][0]["text"]
    assert result["structuredContent"]["text"] == "x"
    assert result["structuredContent"]["kind"] == "long"
    assert result["structuredContent"]["below"][0]["id"] == "2"


def test_an_alias_calls_the_same_operation(desk: Any) -> None:
    assert desk.call("remember", text="x") == desk.call("store_memory", text="x")


@pytest.mark.parametrize("params", [{"name": "no_such"}, {"name": ""}, {"name": 5}, {"name": ["fail"]}, {}, None])
def test_an_unknown_tool_is_refused(desk: Any, params: Any) -> None:
    assert desk.ask("tools/call", params)["code"] == INVALID_PARAMS


@pytest.mark.parametrize("arguments", [[], "", 0, False, "x"])
def test_arguments_that_are_no_object_are_refused(desk: Any, arguments: Any) -> None:
    assert desk.ask("tools/call", {"name": "fail", "arguments": arguments})["code"] == INVALID_PARAMS


@pytest.mark.parametrize("params", [{"name": "count"}, {"name": "count", "arguments": None}])
def test_no_arguments_are_an_empty_object(desk: Any, params: Any) -> None:
    result = desk.ask("tools/call", params)
    assert result["structuredContent"]["error"]["code"] == "INVALID_INPUT"  # `steps` is missing, nothing else


@pytest.mark.parametrize("arguments", [{}, {"text": 5}, {"text": "x", "kind": "other"}, {"text": "x", "extra": 1}])
def test_arguments_that_do_not_fit_are_an_error_the_model_can_read(desk: Any, arguments: Any) -> None:
    result = desk.call("store_memory", **arguments)
    assert result["isError"] is True
    assert result["structuredContent"]["error"]["code"] == "INVALID_INPUT"
    assert desk.pad.ran == desk.logged == []


def test_the_error_of_an_operation_is_given_as_data_and_as_text(desk: Any) -> None:
    result = desk.call("delete_memory", note_id="9")
    assert result["isError"] is True
    assert result["structuredContent"] == {
        "error": {
            "code": "MEMORY_NOT_FOUND",
            "message": "no note 9",
            "hint": "Look again.",
            "retryable": False,
            "details": {"id": "9"},
        }
    }
    text = result["content"][0]["text"]
    assert all(part in text for part in ("MEMORY_NOT_FOUND", "no note 9", "Look again."))
    assert desk.logged == []


def test_a_defect_is_an_error_the_model_can_read_and_a_trace_in_the_log(desk: Any) -> None:
    result = desk.call("fail")
    assert result["structuredContent"]["error"]["code"] == "INTERNAL_ERROR"
    assert "ZeroDivisionError" in desk.logged[0]
    assert "Traceback" in desk.logged[0]


def test_a_record_that_cannot_be_rendered_is_a_defect_too(desk: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(render, "to_text", lambda record, now, **shape: record.no_such_field)
    assert desk.call("store_memory", text="x")["structuredContent"]["error"]["code"] == "INTERNAL_ERROR"
    assert len(desk.logged) == 1
