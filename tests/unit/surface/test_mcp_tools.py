"""The definitions of the tools: what models read."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from recollect.capabilities import OPERATIONS
from recollect.operations import Operation, by_tool_name
from recollect.surface.mcp.tool_definitions import definitions
from recollect.text.token_count import tokens
from recollect.toolset import GROUPS, TOOLSETS, parse_toolset


@pytest.fixture
def tools(desk: Any) -> dict[str, Any]:
    return {tool["name"]: tool for tool in definitions(desk.table, "all")}


def walk(schema: Any) -> Iterator[dict[str, Any]]:
    if isinstance(schema, dict):
        yield schema
        for value in schema.values():
            yield from walk(value)
    elif isinstance(schema, list):
        for value in schema:
            yield from walk(value)


def test_every_schema_is_valid_and_has_no_reference() -> None:
    for tool in definitions(OPERATIONS, "all"):
        schema = tool["inputSchema"]
        Draft202012Validator.check_schema(schema)
        assert schema["type"] == "object"
        assert [part for part in walk(schema) if "$ref" in part or "$defs" in part] == []


def test_an_input_schema_says_what_a_model_needs_and_no_more(tools: dict[str, Any]) -> None:
    assert tools["store_memory"]["inputSchema"] == {
        "type": "object",
        "properties": {
            "text": {"description": "what to keep", "type": "string"},
            "kind": {"type": "string", "enum": ["long", "short"]},
            "title": {"type": "string"},
        },
        "required": ["text"],
    }
    assert tools["fail"]["inputSchema"] == {"type": "object", "properties": {}}


def test_a_schema_names_required_and_listed_parameters_alone_and_the_others_are_accepted(desk: Any) -> None:
    tool = next(tool for tool in definitions(desk.table, "all") if tool["name"] == "recall_memory")
    assert set(tool["inputSchema"]["properties"]) == {"query", "limit"}
    assert desk.call("recall_memory", query="x", newest=True)["isError"] is False


def test_hints_are_those_that_clients_decide_by(tools: dict[str, Any]) -> None:
    assert tools["recall_memory"]["annotations"] == {"readOnlyHint": True}
    assert tools["store_memory"]["annotations"] == {"destructiveHint": False, "openWorldHint": False}
    assert tools["delete_memory"]["annotations"] == {"openWorldHint": False}


@pytest.mark.parametrize(("toolset", "most"), [("core", 2_000), ("all", 14_000)])
def test_a_toolset_stays_within_its_token_budget(toolset: str, most: int) -> None:
    assert tokens(json.dumps({"tools": definitions(OPERATIONS, toolset)})) <= most


@pytest.mark.parametrize("row", OPERATIONS.values(), ids=list(OPERATIONS))
def test_a_description_has_the_words_of_the_name_since_clients_search_descriptions(row: Operation) -> None:
    words = [word.rstrip("sy") for word in row.name.split("_") if word != "get"]
    assert [word for word in words if word not in row.tool_description.lower()] == []


def test_a_parameter_whose_name_says_enough_has_no_description_and_a_long_choice_no_words() -> None:
    tools = {tool["name"]: tool["inputSchema"]["properties"] for tool in definitions(OPERATIONS, "all")}
    assert tools["recall_memory"]["query"] == {"type": "string"}
    assert tools["get_symbol_info"]["symbol"]["description"]
    assert len(tools["store_memory"]["type"]["enum"]) == 7
    assert "enum" not in tools["associate_memories"]["relationship"]


def test_a_description_is_the_first_paragraph_of_the_docstring(tools: dict[str, Any]) -> None:
    assert tools["store_memory"]["description"] == "Keep a note. It is kept."


@pytest.mark.parametrize("toolset", TOOLSETS)
def test_every_name_in_a_group_is_a_tool(toolset: str) -> None:
    names = [tool["name"] for tool in definitions(OPERATIONS, toolset)]
    assert names == list(GROUPS.get(toolset, OPERATIONS))


def test_groups_can_be_joined_and_a_tool_of_both_is_listed_once() -> None:
    names = [tool["name"] for tool in definitions(OPERATIONS, "core,code")]
    assert names == list(dict.fromkeys((*GROUPS["core"], *GROUPS["code"])))
    assert len(definitions(OPERATIONS, "graph,all")) == len(OPERATIONS)


def test_every_tool_is_in_a_group() -> None:
    grouped = {by_tool_name(OPERATIONS)[name].name for names in GROUPS.values() for name in names}
    # Assistants have no use for access tokens, and do not decide whom to trust: a person does, in a terminal.
    decided = {"create_token", "list_tokens", "revoke_token", "list_token_calls"}
    assert grouped == set(OPERATIONS) - decided - {"trust_repository", "untrust_repository"}


def test_core_has_no_destructive_tool() -> None:
    assert [name for name in GROUPS["core"] if OPERATIONS[name].destructive] == []


@pytest.mark.parametrize(("given", "parsed"), [("core", "core"), (" Core , graph,core", "core,graph"), ("all", "all")])
def test_a_toolset_is_names_of_groups_joined_by_commas(given: str, parsed: str) -> None:
    assert parse_toolset(given) == parsed


@pytest.mark.parametrize("given", ["", ",", "nope", "core,nope"])
def test_a_wrong_toolset_is_refused_with_the_groups_there_are(given: str) -> None:
    with pytest.raises(ValueError, match="one or more of core, memory, code"):
        parse_toolset(given)
